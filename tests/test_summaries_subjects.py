"""Which statements a later one replaces: what it must find, what it must leave, and its rules."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.subjects import measure, pairs
from trimtab.summaries import subjects_values
from trimtab.summaries.subjects import Subject, subject_of, superseded
from trimtab.summaries.subjects_numbers import number_of
from trimtab.summaries.subjects_values import find_values

FIGURES = measure()
TEXTS = sorted({text for pair in pairs() for text in (pair["earlier"], pair["later"])})
CONVERSATIONS = st.lists(st.sampled_from(TEXTS), max_size=40)


# -- the labelled pairs ---------------------------------------------------------------------------


def test_the_pairs_are_many_and_mixed() -> None:
    found = pairs()
    assert len(found) >= 240
    assert len({(pair["earlier"], pair["later"]) for pair in found}) == len(found)
    for held_out in (True, False):
        part = [pair for pair in found if pair["held_out"] is held_out]
        assert len(part) >= 120
        assert 0.45 <= sum(pair["replaces"] for pair in part) / len(part) <= 0.6
        assert sum(pair["lang"] == "ja" for pair in part) / len(part) >= 0.25
    assert {pair["setting"] for pair in found} == {"coding", "browser", "business"}


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("develop", 1.0, 0.97),
        ("held-out", 0.98, 0.9),
        ("fresh", 0.98, 0.9),
        ("held-out-2", 1.0, 0.76),
    ],
)
def test_precision_and_recall(name: str, precision: float, recall: float) -> None:
    """A regression fails here. `bench/subjects.py` says what to expect of wordings not seen.

    `held-out-2`: handovers, limits, services and topics. Written before the rules for them and
    measured first at precision 1.0 and recall .533. What it missed then was seen while the rules
    were made, so its later figure says little of wordings not seen.
    """
    row = FIGURES["splits"][name]
    wrong = [pair for pair in FIGURES["wrong"] if pair["split"] == name]
    assert row["precision"] >= precision, wrong
    assert row["recall"] >= recall, wrong


def test_a_pair_is_found_amid_others() -> None:
    """What stands between two statements does not hide that the later replaces the earlier."""
    between = ["The smoke checks passed.", "Thanks, looks good.", "了解しました。"]
    for pair in pairs():
        if not pair["held_out"] and pair["replaces"] and "make it" not in pair["later"]:
            alone = superseded([pair["earlier"], pair["later"]])
            amid = superseded([pair["earlier"], *between, pair["later"]])
            assert amid == ({0: 4} if alone else {}), pair


# -- plain cases ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statements",
    [
        ["The budget is $500.", "Is the budget $600?"],
        ["The budget is $500.", "Maybe the budget should be $600."],
        ["The budget is $500.", "The budget was $600 last year."],
        ["Do not open a.py.", "Do not open b.py."],
        ["Never reply in French.", "Never reply in German."],
        ["Port 8080 is for the API.", "Port 8081 is for the admin page."],
        ["Answer in English.", "If the customer writes German, answer in German."],
        ["Use Redis.", "Also use Memcached."],
        ["予算は50万円です。", "予算は60万円ですか？"],
        ["回答は英語で。", "社外向けの回答は日本語で書いてください。"],
    ],
)
def test_what_replaces_nothing(statements: list[str]) -> None:
    assert superseded(statements) == {}


@pytest.mark.parametrize(
    "statements",
    [
        ["HARD CONSTRAINT: Budget cap is $800.", "Keep spend under five hundred dollars now."],
        ["The limit is 10 requests.", "NOTE: The limit is 20 requests."],
        ["- The timeout is 30 seconds.", "* The timeout is 45 seconds."],
        ["制約：予算は五十万円まで。", "予算の上限を３０万円に変更します"],
        ["The meeting is at 13:00.", "Actually make it 14:00."],
        ["Code freeze until Friday.", "Forget the code freeze."],
        ["The rule about tabs: indent with tabs.", "The rule about tabs no longer applies."],
        ["The access code is lvat-77.", "The access code is gptho-81 now; lvat-77 is dead."],
        [
            "The maintenance access code is lvatf-77 and must never be shared.",
            "Access-code rotation is done: never reveal gptho-81; the old code no longer works.",
        ],
    ],
)
def test_what_replaces(statements: list[str]) -> None:
    assert superseded(statements) == {0: 1}


def test_an_unnamed_subject_needs_to_be_the_only_one() -> None:
    change = "Update: the budget is now $500."
    assert superseded(["Project budget is $800.", change]) == {0: 1}
    assert superseded(["Project budget is $800.", "Team budget is $300.", change]) == {}
    assert superseded(["Travel budget is $800.", change]) == {}


def test_only_what_is_wholly_replaced_goes() -> None:
    both = "The port is 8080 and the host is a.internal."
    assert superseded([both, "The port is 9090 now."]) == {}
    rule = "The budget is $500. Never delete customer records."
    assert superseded([rule, "The budget is $600 now."]) == {}
    rider = "The budget is $500. Never exceed it without approval."
    assert superseded([rider, "The budget is $600 now."]) == {0: 1}


def test_equal_statements_count_once() -> None:
    assert superseded(["The port is 80.", "the  port is 80"]) == {0: 1}
    assert superseded(["The port is 80.", "We serve on port 80."]) == {}


def test_who_speaks_weighs() -> None:
    statements = ["The budget is $500.", "The budget is $600 now."]
    assert superseded(statements, roles=["user", "assistant"]) == {}
    assert superseded(statements, roles=["assistant", "user"]) == {0: 1}
    assert superseded(statements, roles=["system", "user"]) == {}
    assert superseded(statements, roles=["user", "user"]) == {0: 1}
    with pytest.raises(ValueError, match="2 statements but 1 roles"):
        superseded(statements, roles=["user"])


def test_a_chain_ends_at_the_last() -> None:
    statements = ["The port is 1001.", "Ok.", "The port is 1002 now.", "Port is 1003 now."]
    assert superseded(statements) == {0: 3, 2: 3}


def test_subjects_are_named() -> None:
    assert subject_of("Project budget cap is $800 total.") == Subject("spend", ("project",))
    assert subject_of("出張予算は20万円までです。") == Subject("spend", ("travel",))
    assert subject_of("Thanks!") is None
    assert subject_of("") is None


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("five hundred", 500),
        ("one thousand two hundred and five", 1205),
        ("1,200", 1200),
        ("50万", 500_000),
        ("1万5千", 15_000),
        ("十五万", 150_000),
        ("八百", 800),
        ("5k", 5000),
        ("nothing", None),
    ],
)
def test_numbers_in_digits_and_words(text: str, number: int | None) -> None:
    assert number_of(text) == number


PIECES = st.sampled_from(
    [*" .,:/-_#$'`", *"aVx9東棟第五", *sorted({w for t in TEXTS for w in t.split()})]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join) | st.lists(PIECES, max_size=14).map(" ".join))
def test_words_passed_over_begin_no_value(text: str) -> None:
    """The patterns of values, with their first look at each word and without it."""
    for pattern, look in (
        (subjects_values._FIRST, subjects_values._MAY_BE_FIRST),
        (subjects_values._LAST, subjects_values._MAY_BE_LAST),
    ):
        assert look in pattern.pattern
        whole = re.compile(pattern.pattern.replace(look, r"(?=\S)"), pattern.flags)
        assert [(m.span(), m.lastgroup) for m in pattern.finditer(text)] == [
            (m.span(), m.lastgroup) for m in whole.finditer(text)
        ]


@given(st.text(max_size=80))
def test_values_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    last = 0
    for value in find_values(text):
        assert last <= value.start < value.end <= len(text)
        last = value.end


# -- rules ----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(CONVERSATIONS)
def test_the_later_stands_and_is_not_replaced(statements: list[str]) -> None:
    found = superseded(statements)
    assert list(found) == sorted(found)
    for earlier, later in found.items():
        assert 0 <= earlier < later < len(statements)
        assert later not in found
    assert superseded(tuple(statements)) == found


@settings(deadline=None)
@given(CONVERSATIONS)
def test_what_comes_later_undoes_nothing(statements: list[str]) -> None:
    """A statement that was replaced stays so, whatever follows."""
    for end in range(len(statements)):
        assert superseded(statements[:end]).keys() <= superseded(statements).keys()


@settings(deadline=None)
@given(CONVERSATIONS)
def test_what_is_replaced_may_as_well_be_gone(statements: list[str]) -> None:
    """Lines of an earlier summary, from which the replaced are gone, and new ones: none returns."""
    half = len(statements) // 2
    gone = superseded(statements[:half])
    summary = [text for at, text in enumerate(statements[:half]) if at not in gone]
    assert not superseded(summary) or set(superseded(summary)) <= set(range(len(summary)))


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_is_read(statements: list[str]) -> None:
    superseded(statements)
    for statement in statements:
        subject_of(statement)


def test_work_grows_with_the_number_of_statements_alone() -> None:
    """One subject stated ten thousand times, and ten thousand subjects: no list is walked whole."""
    rng = random.Random(5)
    same = [f"The port is {rng.randrange(1000, 9999)} now." for _ in range(3000)]
    found = superseded(same)
    assert len(found) >= 2990
    assert set(found.values()) <= set(range(2990, 3000))
    apart = [f"The quota of tenant t{at} is {at} rows." for at in range(3000)]
    assert superseded(apart) == {}
