"""The guard: no invention, no loss, and what it mends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.guarding import cases, found, measure
from bench.guarding_marks import Scenario, scenarios
from tests.test_summaries_guard_values import HOSTILE, PIECES, texts
from trimtab.context.blocks import id_alone
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.pins import find_pins
from trimtab.summaries.guard import Evidence, GuardReport, check, mend
from trimtab.summaries.guard_report import STATES
from trimtab.summaries.template import Line, Summary, render
from trimtab.summaries.values import KINDS

SOURCES = (
    "The budget is at most $500. Do not push to main without my approval. Only edit files in src/.",
    "1,204 tests passed in 30 s; see https://ex.com/a/12 and src/app.py:42, commit 9f3c2ab41d.",
)
REQUIRED = (
    "The budget is at most $500.",
    "Do not push to main without my approval.",
    "Only edit files in src/.",
)
RULES = " ".join(REQUIRED)


def evidence() -> Evidence:
    """That of the sources above."""
    return Evidence.of_texts(SOURCES, REQUIRED)


def invented(text: str, sources: tuple[str, ...] = SOURCES) -> list[str]:
    """What a text invents."""
    return [finding.text for finding in check(text, Evidence.of_texts(sources)).inventions]


def lost(report: GuardReport) -> list[str]:
    """The texts of what is lost."""
    return [finding.text for finding in report.losses]


# -- no invention ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1204 tests passed in 30 seconds (app.py, line 42).",
        "１２０４ tests, commit 9f3c2ab.",
        "The page ex.com/a/12 says so.",
        "500 dollars at most.",
        "Fixed 3 tests in two files.",
        'The user said "do not push to main".',
        'The user said "do not push ... without my approval".',
        "1. First\n2. Second, see step 12",
    ],
)
def test_other_words_for_the_same_values(text: str) -> None:
    assert invented(text) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1,205 tests passed.", ["1,205"]),
        ("It took 30 min.", ["30 min"]),
        ("It took 30 ms.", ["30 ms"]),
        ("The budget is €500.", ["€500"]),
        ("See src/apq.py.", ["src/apq.py"]),
        ("See https://ex.com/b/12.", ["https://ex.com/b/12"]),
        ("Commit 9f3c2ab42.", ["9f3c2ab42"]),
        ("On 2026-03-05.", ["2026-03-05"]),
        ('He said "never mind".', ['"never mind"']),
        ("PR-77 has it, retries = 7.", ["PR-77", "7"]),
        ("It exits with code 3.", ["exit", "code 3"]),
    ],
)
def test_an_invented_value(text: str, what: list[str]) -> None:
    got = invented(text)
    assert got
    assert all(any(part in value for value in got) for part in what[-1:])


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("Do not push to main.", "You may push to main.", "No pushes to main."),
        ("Never delete the backups.", "Delete the backups.", "The backups must not be deleted."),
        ("At most 5 retries.", "At least 5 retries.", "No more than 5 retries."),
        ("Use up to 5 retries.", "5 retries or more.", "5 retries or fewer."),
        ("Do not spend more than $80.", "Spend more than $80.", "Spend at most $80."),
        ("Deploy after 2026-05-02.", "Deploy before 2026-05-02.", "Deploy since May 2, 2026."),
        ("Only edit src/a.py.", "Edit anything outside src/a.py.", "Edit nothing but src/a.py."),
        ("Ask me before you send mails.", "Send mails without asking.", "Send mails after asking."),
        ("5件以内にする。", "5件以上にする。", "5件以下にする。"),
        ("本番では実行しないこと。", "本番で実行してよい。", "本番での実行は禁止。"),
        ("承認なしに公開しないこと。", "承認なしに公開する。", "承認後に公開する。"),
        ("結果はout/だけに保存する。", "結果はout/以外に保存する。", "結果の保存先はout/のみ。"),
    ],
)
def test_a_constraint_turned_round(source: str, turned: str, kept: str) -> None:
    assert invented(turned, (source,)) != []
    assert invented(kept, (source,)) == []


def test_what_was_done_is_no_permission() -> None:
    source = ("Do not modify the tests.", "I modified the parser so that the tests pass.")
    assert invented("Fixed the tests by modifying the parser.", source) == []


def test_a_sentence_of_a_source_is_no_invention() -> None:
    result = "README\nPush to main. Then tag."
    of = History([Message("user", (Text("Do not push to main."),))], dialect="anthropic")
    assert not check("Push to main.", Evidence.of(of, range(1))).ok
    of.append(Message("tool", (ToolResult("c1", (Text(result),)),)))
    assert check("Push to main.", Evidence.of(of, range(2))).ok


def test_a_later_word_of_the_user_counts_too() -> None:
    source = ("Do not push to main.", "You may push to main now.")
    assert invented("Push to main.", source) == []


def test_an_unit_in_a_key_or_a_heading() -> None:
    assert invented("The timeout is 250 ms.", ('{"timeout_ms": 250}',)) == []
    assert invented("The timeout is 250 s.", ('{"timeout_ms": 250}',)) != []
    assert invented("The rate is 7.5%.", ("| rate (%) |\n| 7.5 |",)) == []


# -- no loss ---------------------------------------------------------------------------------------


def test_what_is_required_stands_word_for_word() -> None:
    report = check(RULES, evidence(), verbatim=True)
    assert report.ok
    assert lost(check(RULES.replace("Do not push", "No push"), evidence(), verbatim=True)) == [
        "Do not push to main without my approval."
    ]


def test_what_is_required_in_other_words() -> None:
    text = (
        "Budget: at most 500 dollars; no push to main unless approved; edits only in files of src."
    )
    assert check(text, evidence()).ok


@pytest.mark.parametrize("number", range(3))
def test_what_is_left_out_is_lost(number: int) -> None:
    rest = " ".join(rule for at, rule in enumerate(REQUIRED) if at != number)
    losses = lost(check(rest, evidence()))
    assert losses
    assert all(text in REQUIRED[number] for text in losses)


def test_an_empty_summary_has_lost_all() -> None:
    assert len({*lost(check("", evidence()))} & {*REQUIRED}) >= 2


# -- the report ------------------------------------------------------------------------------------


def test_each_value_has_a_state() -> None:
    report = check(f"{RULES} 1204 tests, 77.5 s.", evidence())
    states = {finding.text: finding.state for finding in report.findings}
    assert states["1204"] == "kept"
    assert states["77.5 s"] == "invented"
    rest = {finding.text for finding in report.recallable}
    assert {"30 s", "https://ex.com/a/12", "9f3c2ab41d"} <= rest
    assert not {"1,204", "$500"} & rest
    value = report.to_json()
    assert value["ok"] is False
    assert "recallable" not in value["counts"]
    assert report.to_json(recallable=True)["counts"]["recallable"] == len(rest)


def test_a_value_names_its_message() -> None:
    (finding,) = [f for f in check("1204 tests", evidence()).findings if f.text == "1204"]
    assert (finding.source, finding.start, finding.end) == (1, 0, 4)


# -- histories -------------------------------------------------------------------------------------


def history() -> History:
    """A task, a call with its result, a constraint."""
    return History(
        [
            Message("system", (Text("You are careful."),)),
            Message("user", (Text("Fix the build."),)),
            Message("assistant", (ToolCall("c1", "run", {"command": "make -j 16", "limit": 900}),)),
            Message("tool", (ToolResult("c1", (Text("error at src/main.c:77"),)),)),
            Message("user", (Text("Do not touch src/legacy.c."),)),
            Message("assistant", (Text("Understood."),)),
        ],
        dialect="anthropic",
    )


def test_calls_and_results_are_sources() -> None:
    of = history()
    known = Evidence.of(of, range(len(of)))
    assert check("`make -j 16` (limit 900) fails at src/main.c line 77.", known).ok
    assert not check("`make -j 32` fails.", known).ok


def test_only_the_named_messages_are_sources() -> None:
    of = history()
    assert not check("It fails at src/main.c.", Evidence.of(of, [0, 1])).ok
    assert check("It fails at src/main.c.", Evidence.of(of, [1, 3])).ok


def test_pins_of_a_history() -> None:
    of = history()
    pins = [pin for pin in find_pins(of) if pin.message == 4]
    known = Evidence.of(of, range(len(of)), pins)
    assert lost(check("The build is fixed.", known)) != []
    summary, report = mend(Summary(), known)
    assert summary.goal == (Line("Do not touch src/legacy.c.", (4, 0, 0, 26)),)
    assert [f.source for f in report.findings if f.state == "restored"] == [4]


def test_a_message_is_read_once() -> None:
    of = history()
    Evidence.of(of, range(4))
    index: Any = of.derived("guard", dict)
    before = dict(index.listed)
    Evidence.of(of, range(6))
    after = index.listed
    assert set(before) == {0, 1, 2, 3}
    assert set(after) == {0, 1, 2, 3, 4, 5}
    assert all(after[number] is before[number] for number in before)


def test_the_frame_and_the_ids_of_a_rendered_summary() -> None:
    of = history()
    known = Evidence.of(of, range(len(of)))
    block = id_alone(of, of[3].blocks[0])
    summary = Summary(facts=(Line(f"src/main.c fails, see {block}"),))
    assert check(render(summary, ids=["blk_000000000000"], note="messages 1-40"), known).ok
    assert not check("see blk_000000000000", known).ok


# -- mending ---------------------------------------------------------------------------------------


def test_an_invention_goes_with_its_sentence() -> None:
    summary = Summary(
        goal=tuple(Line(rule) for rule in REQUIRED),
        progress=(Line("1204 tests passed. It took 77 hours. All is well."),),
        facts=(Line("Port 8443 is open."),),
    )
    mended, report = mend(summary, evidence())
    assert mended.goal == summary.goal
    assert mended.progress == (Line("1204 tests passed. All is well."),)
    assert mended.facts == ()
    assert [f.text for f in report.findings if f.state == "removed"] == ["77 hours", "8443"]
    assert report.ok


def test_a_line_without_fault_stays_as_it_is() -> None:
    line = Line(REQUIRED[0], (0, 0, 0, 27))
    mended, _ = mend(Summary(goal=(line,)), evidence())
    assert mended.goal[0] is line


def test_what_is_restored_stands_word_for_word() -> None:
    mended, report = mend(Summary(goal=(Line("Budget at least $500."),)), evidence())
    assert [line.text for line in mended.goal] == list(REQUIRED)
    assert {f.state for f in report.findings} == {"removed", "restored", "kept"}


lines = st.lists(texts.map(lambda text: Line(" ".join(text.split()))), max_size=4).map(tuple)
summaries = st.builds(Summary, lines, lines, lines, lines, lines)


@given(st.lists(texts, max_size=3), st.lists(texts, max_size=2), summaries)
def test_what_was_mended_passes(sources: list[str], required: list[str], summary: Summary) -> None:
    known = Evidence.of_texts(sources, required)
    mended, report = mend(summary, known)
    text = "\n".join(line.text for _, line in mended.lines())
    assert report.ok
    assert check(text, known, verbatim=True).ok
    again, _ = mend(mended, known)
    assert again == mended


# -- rules -----------------------------------------------------------------------------------------


@given(texts)
def test_a_source_is_its_own_summary(text: str) -> None:
    assert check(text, Evidence.of_texts([text], [text])).ok


@given(st.lists(st.sampled_from([*PIECES, *REQUIRED, *SOURCES]), max_size=12).map(" ".join))
def test_a_source_in_words_is_its_own_summary(text: str) -> None:
    assert check(text, Evidence.of_texts([text], [text])).ok


@given(
    st.integers(100, 10**9),
    st.integers(0, 8),
    st.integers(1, 9),
    st.sampled_from(["", " ms", " files"]),
)
def test_a_changed_digit_is_found(number: int, place: int, step: int, unit: str) -> None:
    digits = str(number)
    at = place % len(digits)
    other = (int(digits[at]) + step) % 10
    changed = digits[:at] + str(other) + digits[at + 1 :]
    if changed.lstrip("0") == digits or len(changed.lstrip("0")) < 3:
        return
    assert invented(f"It was {changed}{unit}.", (f"It was {digits}{unit}.",)) != []
    assert invented(f"It was {number:,}{unit}.", (f"It was {digits}{unit}.",)) == []


def test_a_summary_of_another_session_passes_nothing() -> None:
    """What no source says is told in every kind (reported faults 70, 73, 81)."""
    text = (
        "The user asked to stop. Port 8080, key tok_9f2, /srv/app.env, $12.50, v2.0.1, 2024-01-02."
    )
    assert len(invented(text, ("Nothing happened yet.",))) >= 6


def test_lone_surrogates_pass_through() -> None:
    """Reported fault 96."""
    assert check("id \ud83d 1204", Evidence.of_texts(["\ud83d 1,204 id"], ["id"])).ok


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE[:6],
        "`a` " * 25_000,
        "Do not push. " * 8_000,
        "at most 5 " * 10_000,
        "だけ、" * 30_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_work_grows_with_the_summary(text: str) -> None:
    assert check(text, Evidence.of_texts([text])).ok


def test_ten_thousand_messages() -> None:
    of = History(dialect="anthropic")
    for number in range(10_000):
        of.append(
            Message("user" if number % 2 else "assistant", (Text(f"Row {number * 7 + 1000}."),))
        )
    known = Evidence.of(of, range(len(of)))
    assert check("Row 1007, row 70993.", known).ok
    assert invented_of(check("Row 1008.", known)) == ["1008"]


def invented_of(report: GuardReport) -> list[str]:
    """The texts of what is invented."""
    return [finding.text for finding in report.inventions]


# -- the measured set ------------------------------------------------------------------------------


def test_the_measured_set() -> None:
    """Values are held to the aim in both halves; constraints are words, and held to what it is."""
    halves = measure()["halves"]
    for half, row in halves.items():
        for fault, count in row.items():
            if fault == "honest: values":
                assert count["share"] <= 0.01, (half, fault)
            elif fault.startswith("honest"):
                assert count["share"] <= (0.01 if half == "develop" else 0.1), (half, fault)
            elif fault == "turned":
                assert count["share"] >= 0.95, (half, fault)
            else:
                assert count["share"] == 1.0, (half, fault)
    assert sum(count["summaries"] for row in halves.values() for count in row.values()) > 400


@pytest.mark.parametrize("scenario", scenarios("held-out"), ids=lambda scenario: scenario.name)
def test_a_scenario_stands_on_its_sources(scenario: Scenario) -> None:
    """The marks are right: what is required stands in a source, each fault differs from it."""
    text = "\n".join(scenario.sources)
    assert all(required in text for required in scenario.required)
    assert len(scenario.rules) == len(scenario.required)
    assert all(case.about in case.text for case in cases(scenario) if case.fault != "dropped")
    plain = next(case for case in cases(scenario) if not case.fault)
    assert not found(plain, check(plain.text, Evidence.of_texts(scenario.sources)))


# -- the page --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "first"), [(KINDS, "number"), (STATES, "kept")])
def test_the_page_says_what_the_code_says(table: dict[str, str], first: str) -> None:
    page = (Path(__file__).parent.parent / "docs" / "guard.md").read_text("utf-8")
    rows = page[page.index(f"| `{first}` |") :].split("\n\n", 1)[0].splitlines()
    assert rows == [f"| `{name}` | {meaning} |" for name, meaning in table.items()]
