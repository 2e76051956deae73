"""Estimates: the class of a text, long unbroken runs, and what follows from them."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.tokens import counter_for
from trimtab.tokens.classes import CLASSES, RUN, classify, split_runs
from trimtab.tokens.estimate import FACTORS, measure

ESTIMATED = ["claude-opus-4-5", "claude-opus-5-5", "gemini-3-pro", "deepseek-chat", None]

PROSE = (
    "The migration must not touch the billing tables. Please read the report first, then tell me "
    "in a few sentences what you would change and why; I will approve the plan before you start. "
)
GERMAN = (
    "Die Übertragung darf die Rechnungstabellen nicht berühren. Bitte lies zuerst den Bericht und "
    "sage mir dann in einigen Sätzen, was du ändern würdest und weshalb. "
)
JAPANESE = (
    "請求テーブルには触れないでください。まず報告書を読み、変更案と理由を数文で説明してください。"
)
RUSSIAN = "Не изменяй таблицы счетов. Сначала прочитай отчёт, затем объясни, что ты поменяешь. "
PYTHON = '''
def totals(rows: list[dict[str, int]]) -> dict[str, int]:
    """Sums by key."""
    result: dict[str, int] = {}
    for row in rows:
        for key, value in row.items():
            result[key] = result.get(key, 0) + value
    return result
'''
C = """
static int open_all(struct entry *e, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (e[i].fd < 0 && (e[i].fd = open(e[i].path, O_RDONLY)) < 0) { return -errno; }
    }
    return 0;
}
"""
LOG = "".join(
    f"2026-03-{day:02} 12:{day:02}:07.{day * 37:03} 10.0.0.{day} GET 200 {day * 991} 0.0{day}\n"
    for day in range(1, 29)
)
JSON = json.dumps([{"id": n, "name": f"n{n}", "ok": True, "size": n * 77} for n in range(40)])
TABLE = "│ 12 │ 0.55 │ 1,024 │\n├────┼──────┼───────┤\n" * 30


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PROSE * 5, "prose"),
        (GERMAN * 5, "prose"),
        ("I agree.", "prose"),
        ("", "prose"),
        (" \n\n ", "prose"),
        (JAPANESE * 5, "cjk"),
        (RUSSIAN * 5, "cjk"),
        ("안녕하세요 반갑습니다", "cjk"),
        ("😀🎉👍", "cjk"),
        (PYTHON * 5, "code"),
        (C * 5, "code"),
        (LOG, "data"),
        (JSON, "data"),
        (TABLE, "data"),
        ("12 33 47 1009 3.14", "data"),
    ],
)
def test_classes(text: str, kind: str) -> None:
    assert classify(text) == kind


@given(st.text(st.characters(exclude_categories=[]), max_size=400))
def test_any_text_has_a_class(text: str) -> None:
    assert classify(text) in CLASSES


def test_a_long_text_is_classified_by_a_sample() -> None:
    assert classify(PROSE * 20_000) == "prose"
    assert classify(PYTHON * 3 + PROSE * 500) == "prose"


run_characters = "abcXYZ019+/=_%-"
with_runs = st.lists(
    st.text(max_size=60)
    | st.sampled_from(list(run_characters)).flatmap(
        lambda c: st.integers(RUN - 3, 3 * RUN).map(lambda n: c * n)
    )
    | st.text(run_characters, min_size=RUN - 2, max_size=RUN + 40),
    max_size=6,
).map("".join)


@settings(deadline=None)
@given(with_runs)
def test_every_long_run_is_found(text: str) -> None:
    rest, run = split_runs(text)
    expected = re.sub(r"[A-Za-z0-9+/=_%-]{256,}", "", text)
    assert rest == expected
    assert run == len(text) - len(expected)


def base64_of(size: int) -> str:
    return b64encode(random.Random(7).randbytes(size)).decode()


@pytest.mark.parametrize("model", ESTIMATED)
def test_base64_pasted_as_text_counts_near_a_token_a_character(model: str | None) -> None:
    counter = counter_for(model)
    text = base64_of(300_000)
    for pasted in (text, "data:image/png;base64," + text):
        assert 0.8 <= counter.text(pasted) / len(pasted) <= 1.2
    in_lines = re.sub(".{76}", "\\g<0>\n", text)  # a mail's or certificate's base64
    assert 0.75 <= counter.text(in_lines) / len(in_lines) <= 1.2
    mixed = PROSE * 20 + "\n" + text + "\n" + PROSE * 20
    alone = counter.text(PROSE * 20) * 2 + counter.text(text)
    assert abs(counter.text(mixed) - alone) < 30


@pytest.mark.parametrize("model", ESTIMATED)
def test_cjk_and_emoji_are_not_a_quarter_token_each(model: str | None) -> None:
    counter = counter_for(model)
    assert counter.text(JAPANESE) > len(JAPANESE) * 0.6
    assert counter.text("😀" * 50) > 50


@settings(deadline=None)
@given(text=st.text(max_size=200), model=st.sampled_from(ESTIMATED))
def test_an_estimate_is_the_basis_times_the_factor_of_its_class(
    text: str, model: str | None
) -> None:
    counter = counter_for(model)
    basis = counter_for("gpt-4o").text(text)
    family = counter.name.removeprefix("estimate").removeprefix(":") or "generic"
    factor = FACTORS[family][classify(text)]
    assert abs(counter.text(text) - basis * factor) <= 0.5 + 1e-6 or counter.text(text) == 1
    assert (counter.text(text) == 0) == (text == "")


def test_the_new_claude_tokenizer_counts_more() -> None:
    old, new = counter_for("claude-sonnet-4-5"), counter_for("claude-sonnet-5")
    assert 1.2 < new.text(PROSE * 50) / old.text(PROSE * 50) < 1.6
    assert 1.0 <= new.text(JAPANESE * 50) / old.text(JAPANESE * 50) < 1.1


def test_all_families_have_a_factor_for_each_class() -> None:
    for factors in FACTORS.values():
        assert set(factors) == set(CLASSES)
        assert all(0.5 <= factor <= 3 for factor in factors.values())


def test_measures_are_cached_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    from trimtab.tokens import estimate

    text = PROSE + str(random.random())
    first = measure(text)

    def refuse(rest: str) -> tuple[str, int]:
        raise AssertionError("looked at again")

    monkeypatch.setattr(estimate, "split_runs", refuse)
    assert measure("".join([text[:5], text[5:]])) == first
