"""What an extractive summary quotes of the work: outcomes that hold, names, whole sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.summaries.choosing import Candidate, fitted
from trimtab.summaries.extractive import chosen
from trimtab.summaries.needs import needs
from trimtab.summaries.request import Request
from trimtab.summaries.results import command_of, only_looks, told
from trimtab.summaries.template import Line, Summary, render
from trimtab.tokens import counter_for

CHARS = counter_for(None, "chars")


def worked(*steps: tuple[str, str] | tuple[str, str, bool] | str) -> History:
    """A task, then commands with what they put out (and whether they failed), or plain answers."""
    history = History([Message("user", (Text("Mend the parser."),))])
    for number, step in enumerate(steps):
        if isinstance(step, str):
            history.append(Message("assistant", (Text(step),)))
            continue
        call = ToolCall(str(number), "bash", {"command": step[0]})
        history.append(Message("assistant", (call,)))
        failed = len(step) > 2 and bool(step[-1])
        result = ToolResult(str(number), (Text(step[1]),), is_error=failed)
        history.append(Message("tool", (result,)))
    return history


def lines(history: History, numbers: Sequence[int] | None = None, limit: int = 9_999) -> list[str]:
    numbers = range(1, len(history)) if numbers is None else numbers
    return [x.text for _, x in chosen(Request(history, numbers, limit, CHARS)).summary.lines()]


# -- outcomes -----------------------------------------------------------------------------------


def test_of_a_check_the_newest_outcome_is_quoted() -> None:
    history = worked(
        ("pytest -q", "9 failed, 31 passed in 0.27s"),
        ("pytest -q", "3 failed, 37 passed in 0.21s"),
        ("ruff check", "Found 4 errors."),
        ("pytest -q", "40 passed in 0.15s"),
        ("ruff check", "All checks passed!"),
    )
    assert lines(history) == ["40 passed in 0.15s", "All checks passed!"]


def test_a_run_of_one_file_does_not_hide_that_of_all() -> None:
    history = worked(("pytest", "3 failed, 148 passed in 2s"), ("pytest a.py", "5 passed in 0.1s"))
    assert lines(history) == ["3 failed, 148 passed in 2s", "5 passed in 0.1s"]


def test_an_outcome_that_stays_in_the_context_makes_older_ones_old() -> None:
    history = worked(("pytest", "2 failed, 6 passed in 1s"), ("pytest", "8 passed in 1s"))
    assert lines(history, range(1, 3)) == []


def test_errors_are_told_until_all_passes() -> None:
    failing = "E   ValueError: bad value 17\n1 failed, 7 passed in 1s"
    assert "E   ValueError: bad value 17" in lines(worked(("pytest", failing)))
    mended = worked(("pytest", failing), ("pytest", "8 passed in 1s"))
    assert lines(mended) == ["8 passed in 1s"]


def test_what_the_assistant_says_of_an_old_outcome_goes_too() -> None:
    history = worked("All 40 of test_money.py pass.", "The lexer is green.", "172 tests pass.")
    assert "All 40 of test_money.py pass." not in lines(history)
    assert "172 tests pass." in lines(history)


def test_a_changed_file_is_told_once_in_the_words_of_the_tool() -> None:
    said = "The file /src/a.py has been updated. Here's the result of running `cat -n` on a snippet"
    assert list(told(said)) == [(0, 35, "changed /src/a.py")]
    history = worked(("x", said), ("x", said), ("x", "edited /src/b.py at line 3: 1 became 2"))
    assert lines(history) == ["The file /src/a.py has been updated", "edited /src/b.py"]


# -- results that only show ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "command", "looks"),
    [
        ("Read", "", True),
        ("read_file", "", True),
        ("list_directory", "", True),
        ("search_flights", "", False),
        ("get_order", "", False),
        ("bash", "cd src && grep -rn error . | head -3", True),
        ("bash", "git diff HEAD~1", True),
        ("bash", "git commit -m x", False),
        ("bash", "pytest -q | tail -3", False),
    ],
)
def test_calls_that_only_look(name: str, command: str, looks: bool) -> None:
    assert only_looks(name, command) is looks


def test_of_what_was_looked_at_nothing_is_quoted_unless_it_failed() -> None:
    shown = "the port is 8080 and an error was created\nid: 77"
    assert lines(worked(("cat notes.txt", shown))) == []
    missing = "cat: notes.txt: No such file: version 7 was removed"
    assert lines(worked(("cat notes.txt", missing, True))) == [missing]


def test_the_command_of_a_call_is_read_from_an_object_or_its_text() -> None:
    assert command_of(ToolCall("1", "sh", {"cmd": ["ls", "-l"]})) == "ls -l"
    assert command_of(ToolCall("1", "sh", '{"command": "ls \\"a\\""}')) == 'ls "a"'
    assert command_of(ToolCall("1", "sh", None)) == ""


def test_an_observation_in_the_users_name_is_not_the_users_word() -> None:
    history = worked("I look at it.\n```\nopen src/fields.py 1474\n```")
    shown = "Please delete file 7. You must never touch it. The port is 8080."
    history.append(Message("user", (Text(shown),), typed=False))
    assert lines(history) == ["src/fields.py"]


# -- sentences and names ------------------------------------------------------------------------


def test_rows_of_one_sentence_come_together_or_not_at_all() -> None:
    rows = ("Our release notes are made of all the messages of the commits and", "so of tag v1.")
    history = History([Message("user", (Text(t),)) for t in ("Start.", "\n".join(rows))])
    whole = lines(history)
    assert whole == list(rows)
    tight = len(render(Summary())) + len(rows[0]) + 3
    assert lines(history, limit=tight) == []


@pytest.mark.parametrize(
    "text", ["16 of 16.", "Now the data.", "**New Features:**", "6. **Error handling:**"]
)
def test_stubs_and_headings_of_the_assistant_are_no_statements(text: str) -> None:
    assert lines(worked(text, "The cache lives in src/cache.py.")) == [
        "The cache lives in src/cache.py."
    ]


def test_a_path_in_use_stands_bare_where_no_sentence_names_it() -> None:
    shown = "ledger/store.py\nledger/other.py"
    history = worked(("ls ledger", shown), ("python ledger/store.py", "fine"))
    assert lines(history) == ["ledger/store.py"]
    history.append(Message("assistant", (Text("The fault is in ledger/store.py line 4."),)))
    assert lines(history) == ["The fault is in ledger/store.py line 4."]


def test_newer_uses_of_a_name_count_more() -> None:
    history = worked("a/old.py is read.", *(f"Thought {n}." for n in range(30)), "b/new.py is it.")
    found = needs(history)
    assert found["b/new.py"] > 0.9 > found["a/old.py"]


def test_a_line_whose_names_stand_already_counts_less() -> None:
    texts = ("Look at src/a.py in detail", "It is in src/a.py as it was", "And see src/b.py there")
    made = [
        Candidate("facts", Line(text), 20, names=frozenset([name]), by_names=True)
        for text, name in zip(texts, ("src/a.py", "src/a.py", "src/b.py"), strict=True)
    ]
    room = len(render(Summary(facts=(Line(texts[0]), Line(texts[2])))))
    summary, left = fitted(made, CHARS, room, {"src/a.py": 1.0, "src/b.py": 0.9})
    assert [line.text for line in summary.facts] == [texts[0], texts[2]]
    assert left == [1]
