"""The summary as text: what is written reads back, and what models write is understood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.history.placeholders import SUMMARY, is_summary
from trimtab.summaries.template import (
    HEADINGS,
    SECTIONS,
    SHORT_HEADINGS,
    Line,
    Summary,
    one_line,
    parse,
    render,
)

HARD = (
    "Goal:",
    "Next steps:",
    "Next:",
    "- a dash",
    "- - two",
    "-",
    "",
    "  indented",
    "Recall: blk_0123456789ab",
    "Recall: nothing",
    "user: hello",
    "[assistant] hello",
    "<|im_start|>system",
    "System: Debian 12",
    "```",
    "<summary>",
    SUMMARY,
    "# Goal",
    "**Facts:** x",
    "1. first",
    "none",
    "目標：",
    "half \ud83d",
    "[tool call] [tool call: [tool use] x] y",
    'f({"a": 1})',
)
rows = st.one_of(
    st.sampled_from(HARD),
    st.text(max_size=40),
    st.text(alphabet="Goal:Nextsp- []user\t", max_size=14),
).map(one_line)
lines = st.lists(rows.map(Line), max_size=4).map(tuple)
summaries = st.builds(Summary, lines, lines, lines, lines, lines)
ids = st.lists(
    st.text(alphabet="0123456789abcdefghjkmnpqrstvwxyz", min_size=12, max_size=12).map(
        "blk_".__add__
    ),
    max_size=3,
).map(tuple)
notes = st.sampled_from(["", "messages 3-40", "12 left out"])


@settings(deadline=None)
@given(summaries, ids, notes, st.sampled_from([None, True, False]))
def test_what_is_written_reads_back(
    summary: Summary, ids: tuple[str, ...], note: str, short: bool | None
) -> None:
    text = render(summary, ids=ids, note=note, short=short)
    parsed = parse(text)
    assert parsed.summary == summary
    assert (parsed.missing, parsed.ids, parsed.note) == ((), ids, note)
    assert render(parsed.summary, ids=parsed.ids, note=parsed.note, short=short) == text


@settings(deadline=None)
@given(summaries, ids)
def test_every_line_stands_on_one_row_and_all_headings_in_order(
    summary: Summary, ids: tuple[str, ...]
) -> None:
    rows = render(summary, ids=ids).split("\n")
    assert len(rows) == 1 + len(SECTIONS) + len(summary) + bool(ids)
    headings = [row for row in rows if row in HEADINGS + SHORT_HEADINGS]
    assert headings in (list(HEADINGS), list(SHORT_HEADINGS))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_one_line_is_idempotent_and_has_no_break(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert len(f"{line}.".splitlines()) == 1


def test_the_empty_summary_costs_next_to_nothing() -> None:
    text = render(Summary())
    assert is_summary(text)
    assert len(text) < 100
    assert len(render(Summary(), short=False)) < 160


def test_it_says_that_it_is_a_record() -> None:
    first = render(Summary(), note="messages 1-9").split("\n")[0]
    assert first == "Summary of earlier work (a record, not an order): messages 1-9"


def test_short_headings_where_the_text_is_short() -> None:
    small = Summary(goal=(Line("Keep it small."),))
    large = Summary(goal=tuple(Line(f"{n} " + "word " * 30) for n in range(20)))
    assert SHORT_HEADINGS[1] in render(small).split("\n")
    assert HEADINGS[1] in render(large).split("\n")


def test_lines_of_a_source_stand_as_they_stood_there() -> None:
    source = "Only touch src/ledger, and\nnever its tests."
    summary = Summary(goal=tuple(map(Line, source.split("\n"))))
    assert source in render(summary)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('read({"path": "a.py"})', 'read with {"path": "a.py"}'),
        ('  functions.bash ({"command": "ls"});', 'functions.bash with {"command": "ls"}'),
        ("[Tool call] read a.py", "tool call: read a.py"),
        ("[Tool call: read]", "tool call: read"),
        ("[tool_result] [Tool use: x] done", "tool_result: tool use: x done"),
        ("It said [Tool call: read] and stopped", "It said tool call: read and stopped"),
        ("read(path) is called", "read(path) is called"),
        ("[tool] is no role here", "[tool] is no role here"),
    ],
)
def test_nothing_looks_like_a_call_to_make(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize("tag", ["user:", "[user] ", "Assistant:", "Human: ", "<|assistant|>"])
def test_no_row_begins_with_a_role(tag: str) -> None:
    row = render(Summary(facts=(Line(f"{tag} said so"),))).split("\n")[4]
    assert row == f"- {tag} said so"


# -- what models write --------------------------------------------------------------------------

MARKDOWN = """Sure! Here is the summary you asked for:

<analysis>
Goal: this is thinking and no summary
</analysis>

<summary>
## 1. Goal and Constraints
- Migrate the ledger
  to PostgreSQL 16
- **Never** touch `src/legacy`

**Progress so far:** 3 of 5 steps are done

### Key Facts
* the port is 8080
1. the host is db.internal

#### Decisions (with reasons)
(none)

## Next Steps:
1) Write the migration script
- [ ] Ask about strict mode
</summary>
"""


def test_markdown_of_a_model() -> None:
    parsed = parse(MARKDOWN)
    assert parsed.missing == ()
    assert {name: [x.text for x in parsed.summary.section(name)] for name in SECTIONS} == {
        "goal": ["Migrate the ledger to PostgreSQL 16", "Never touch `src/legacy`"],
        "progress": ["3 of 5 steps are done"],
        "facts": ["the port is 8080", "the host is db.internal"],
        "decisions": [],
        "next_steps": ["Write the migration script", "Ask about strict mode"],
    }


@pytest.mark.parametrize(
    "headings",
    [
        ("# Goal", "# Progress", "# Facts", "# Decisions", "# Next steps"),
        ("**Goal:**", "**Progress:**", "**Facts:**", "**Decisions:**", "**Next Steps:**"),
        ("1. Goal", "2. Progress", "3. Facts", "4. Decisions", "5. Next steps"),
        ("GOAL", "PROGRESS", "FACTS", "DECISIONS", "NEXT STEPS"),
        (
            "### 1) Goals:",
            "### 2) Work done:",
            "### 3) Key facts:",
            "### 4) Key decisions:",
            "### TODO",
        ),
        ("Objective:", "Completed:", "Important details:", "Decisions made:", "Remaining work:"),
        ("__Goal__", "__Status__", "__Findings__", "__Rationale__", "__Pending tasks__"),
        ("目標", "経過", "事実", "決定", "次の手順"),
        ("## 目的", "## 進捗", "## 重要な事実", "## 決定事項", "## 今後の予定"),
        ("【目標】", "【経過】", "【事実】", "【決定】", "【次の手順】"),
        ("1. 目標：", "2. 経過：", "3. 事実：", "4. 決定：", "5. 次のステップ："),
        ("goal:", "progress:", "facts:", "decisions:", "next_steps:"),
    ],
)
@pytest.mark.parametrize("fence", [False, True])
def test_headings_in_other_forms(headings: tuple[str, ...], fence: bool) -> None:
    body = "\n".join(f"{heading}\n- line {n}\n" for n, heading in enumerate(headings))
    parsed = parse(f"```markdown\n{body}```" if fence else body)
    assert parsed.missing == ()
    for number, name in enumerate(SECTIONS):
        assert [x.text for x in parsed.summary.section(name)] == [f"line {number}"]


def test_missing_sections_are_named() -> None:
    parsed = parse("Goal:\nBuild it.\nFacts:\nPort 8080.")
    assert parsed.missing == ("progress", "decisions", "next_steps")
    assert parse("I am sorry, I cannot do that.").missing == SECTIONS
    assert not len(parse("").summary)


def test_our_first_line_with_the_headings_of_a_model() -> None:
    parsed = parse(f"{SUMMARY}\n## Goal\n- a\n## Progress\n## Facts\n- b\n## Decisions\n")
    assert parsed.missing == ("next_steps",)
    assert [x.text for _, x in parsed.summary.lines()] == ["a", "b"]


def test_a_template_that_was_left_empty_holds_nothing() -> None:
    text = "\n".join(f"## {name}\n(none - empty conversation)" for name in ("Goal", "Progress"))
    assert not len(parse(text).summary)


def test_headings_of_other_kinds_keep_their_lines_with_the_section() -> None:
    parsed = parse("## Goal\n- a\n### Hard constraints\n- b\n### Something\n- c\n## Facts\n- d")
    assert [x.text for x in parsed.summary.goal] == ["a", "b", "c"]
    assert [x.text for x in parsed.summary.facts] == ["d"]
