"""Where a stage ends, read from what agents call and what comes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from tests.histories import histories
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.triggers import boundaries
from trimtab.triggers_stage import boundary_at_end


def _use(n: int, name: str, given: Any, output: str, error: bool = False) -> list[Message]:
    call = ToolCall(f"c{n}", name, given)
    result = ToolResult(f"c{n}", (Text(output),), is_error=error)
    return [Message("assistant", (call,)), Message("tool", (result,))]


def _history(*uses: tuple[Any, ...]) -> History:
    messages = [Message("user", (Text("Fix the parser."),))]
    for n, use in enumerate(uses):
        messages += _use(n, *use)
    return History(messages, dialect="openai")


def _reasons(*uses: tuple[Any, ...]) -> list[str]:
    return [found.reason for found in boundaries(_history(*uses))]


EDIT = ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "ok")
PASSED = "===== 12 passed in 0.3s ====="

EDITS: list[tuple[str, Any]] = [
    ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}),  # Claude Code
    ("Write", {"file_path": "a.py", "content": "y"}),
    ("MultiEdit", {"file_path": "a.py", "edits": []}),
    ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "y"}),
    ("apply_patch", "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch"),  # Codex
    ("shell", {"command": ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\nEOF"]}),
    ("exec_command", json.dumps({"cmd": "apply_patch <<'EOF'\n*** Begin Patch\nEOF"})),
    ("str_replace_editor", {"command": "str_replace", "path": "a.py"}),  # OpenHands, SWE-agent
    ("file_editor", {"command": "create", "path": "a.py", "file_text": "y"}),
    ("str_replace_based_edit_tool", {"command": "insert", "path": "a.py"}),
    ("execute_bash", {"command": "cd /repo && sed -i 's/x/y/' a.py"}),
    ("bash", {"command": "cat > a.py <<'EOF'\ny\nEOF"}),
    ("bash", {"command": "echo y >> a.py"}),
    ("replace_in_file", {"path": "a.py", "diff": "y"}),  # Cline
]
NO_EDITS: list[tuple[str, Any]] = [
    ("Read", {"file_path": "a.py"}),
    ("str_replace_editor", {"command": "view", "path": "a.py"}),
    ("bash", {"command": "sed -n 1,20p a.py"}),
    ("bash", {"command": "cat a.py 2>/dev/null"}),
    ("bash", {"command": "grep -rn 'sed -i' ."}),
    ("bash", {"command": "git diff > /dev/null"}),
]
RUNS: list[tuple[str, Any, str]] = [
    ("Bash", {"command": "pytest -q"}, PASSED),
    ("Bash", {"command": "cd /repo && .venv/bin/python -m pytest tests/ -x | tail -5"}, PASSED),
    ("Bash", {"command": "uv run pytest"}, "3 passed, 1 skipped, 2 xfailed in 1.1s"),
    ("Bash", {"command": "CI=1 npm test -- --run"}, "Tests:       5 passed, 5 total"),
    ("Bash", {"command": "npx vitest run"}, " Test Files  2 passed (2)\n      Tests  9 passed (9)"),
    ("Bash", {"command": "go test ./..."}, "ok  \texample.com/a\t0.01s\n?   \tb\t[no test files]"),
    ("Bash", {"command": "cargo test"}, "test result: ok. 7 passed; 0 failed; 0 ignored"),
    ("Bash", {"command": "mix test 2>&1 | tail -3"}, "14 doctests, 410 tests, 0 failures"),
    ("Bash", {"command": "./gradlew :app:test"}, "BUILD SUCCESSFUL in 3s"),
    ("Bash", {"command": "bundle exec rspec"}, "12 examples, 0 failures"),
    ("Bash", {"command": "make check"}, "100% tests passed, 0 tests failed out of 9"),
    (
        "shell",
        {"command": ["bash", "-lc", "pytest -q"]},
        json.dumps({"output": PASSED + "\n", "metadata": {"exit_code": 0}}),
    ),
    (
        "exec_command",
        json.dumps({"cmd": "python -m unittest"}),
        "Process exited with code 0\nOutput:\n....\nRan 4 tests in 0.001s\n\nOK\n",
    ),
    ("local_shell", {"action": {"command": ["pytest", "-q"]}}, PASSED),
    (
        "execute_bash",
        {"command": "python manage.py test"},
        "Ran 4 tests in 0.1s\n\nOK\n[The command completed with exit code 0.]",
    ),
    (
        "terminal",
        {"command": "python tests/runtests.py -v"},
        "Ran 4 tests in 0.1s\n\nOK (skipped=1)",
    ),
    ("bash", {"command": "pytest"}, "\x1b[32m\x1b[1m12 passed\x1b[0m in 0.3s"),
]
NOT_PASSED = [
    "1 failed, 11 passed in 0.3s",
    "===== 2 errors in 0.3s =====",
    "no tests ran in 0.01s",
    "FAILED tests/test_a.py::test_b - AssertionError\n12 passed",
    "ok  \ta\t0.01s\nFAIL\tb\t0.02s",
    "test result: FAILED. 6 passed; 1 failed",
    "Ran 4 tests in 0.1s\n\nFAILED (failures=1)",
    "410 tests, 2 failures",
    "12 passed in 0.3s\n[The command completed with exit code 1.]",
    json.dumps({"output": PASSED, "metadata": {"exit_code": 1}}),
    "bash: pytest: command not found",
    "Traceback (most recent call last):\n  ...\nImportError\n",
    "",
    "collected 12 items",
]


@pytest.mark.parametrize(("name", "given"), EDITS)
def test_edits_of_every_kind_then_tests(name: str, given: Any) -> None:
    run = ("Bash", {"command": "pytest"}, PASSED)
    assert _reasons((name, given, "ok"), run) == ["tests passed after edits at message 4"]


@pytest.mark.parametrize(("name", "given"), NO_EDITS)
def test_looking_is_no_edit(name: str, given: Any) -> None:
    assert _reasons((name, given, "ok"), ("Bash", {"command": "pytest"}, PASSED)) == []


@pytest.mark.parametrize(("name", "given", "output"), RUNS)
def test_runs_of_every_kind(name: str, given: Any, output: str) -> None:
    assert _reasons(EDIT, (name, given, output)) == ["tests passed after edits at message 4"]


@pytest.mark.parametrize("output", NOT_PASSED)
def test_what_has_not_passed(output: str) -> None:
    assert _reasons(EDIT, ("Bash", {"command": "pytest"}, output)) == []


def test_a_failed_edit_or_run_says_nothing() -> None:
    run = ("Bash", {"command": "pytest"}, PASSED)
    assert _reasons((*EDIT, True), run) == []
    assert _reasons(EDIT, (*run, True)) == []


def test_tests_that_pass_again_without_edits_are_no_new_stage() -> None:
    run = ("Bash", {"command": "pytest"}, PASSED)
    assert _reasons(EDIT, run, run, run) == ["tests passed after edits at message 4"]
    assert len(_reasons(EDIT, run, EDIT, run)) == 2


@pytest.mark.parametrize(
    "command",
    [
        "cat tests/test_a.py",
        "echo pytest",
        "grep -n pytest setup.cfg",
        "pip install pytest",
        "ls test",
        "git log --oneline -- tests",
        "vim test.sh",
    ],
)
def test_words_about_tests_are_no_test_run(command: str) -> None:
    assert _reasons(EDIT, ("Bash", {"command": command}, PASSED)) == []


# -- commits --------------------------------------------------------------------------------------

DONE = "[main 1a2b3c4] Fix the parser\n 2 files changed, 3 insertions(+)"


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'Fix'",
        "git add -A && git commit -qm x",
        "git -C /repo commit --amend",
        "cd a; git -c user.name=x commit -F -",
        "git commit -m \"$(cat <<'EOF'\nFix\nEOF\n)\"",
    ],
)
def test_commits(command: str) -> None:
    assert _reasons(("Bash", {"command": command}, DONE)) == ["a commit was made at message 2"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean"),
        ("git commit -m x", "pre-commit hook failed\nFix these issues before committing."),
        ("git commit -m x", DONE + "\nexit code: 1"),
        ("git commit --dry-run", DONE),
        ("git log --grep 'git commit'", DONE),
        ("echo git commit", DONE),
        ("git show --stat HEAD", DONE),
    ],
)
def test_what_is_no_commit(command: str, output: str) -> None:
    assert _reasons(("Bash", {"command": command}, output)) == []


# -- plans ----------------------------------------------------------------------------------------


def _plans(shape: str, *states: str) -> tuple[str, Any]:
    if shape == "TodoWrite":
        return shape, {"todos": [{"content": f"s{n}", "status": s} for n, s in enumerate(states)]}
    if shape == "update_plan":
        steps = [{"step": f"s{n}", "status": s} for n, s in enumerate(states)]
        return shape, json.dumps({"explanation": "", "plan": steps})
    tasks = [{"title": f"s{n}", "status": s} for n, s in enumerate(states)]
    return shape, {"command": "plan", "task_list": tasks}


@pytest.mark.parametrize(
    ("shape", "finished"),
    [("TodoWrite", "completed"), ("update_plan", "completed"), ("task_tracker", "done")],
)
def test_an_item_ticked_off(shape: str, finished: str) -> None:
    first = (*_plans(shape, "in_progress", "pending"), "ok")
    second = (*_plans(shape, finished, "in_progress"), "ok")
    third = (*_plans(shape, finished, finished), "ok")
    assert _reasons(first, second, second, third) == [
        "ticked off: s0 at message 4",
        "ticked off: s1 at message 8",
    ]
    assert _reasons(third) == []  # never seen open: nothing ended just now


def test_boxes_in_a_file_and_in_an_answer() -> None:
    plan = ("Write", {"file_path": "PLAN.md", "content": "- [ ] parse\n- [ ] print\n"}, "ok")
    tick = (
        "Edit",
        {"file_path": "PLAN.md", "old_string": "- [ ] parse", "new_string": "- [x] parse"},
        "ok",
    )
    assert _reasons(plan, tick) == ["ticked off: parse at message 4"]
    assert _reasons(tick) == ["ticked off: parse at message 2"]
    patch = "*** Begin Patch\n*** Update File: P.md\n-- [ ] parse\n+- [X] parse\n*** End Patch"
    assert _reasons(("apply_patch", {"input": patch}, "ok")) == ["ticked off: parse at message 2"]
    said = [Message("assistant", (Text("1. [ ] parse\n2. [ ] print"),))]
    said += [Message("user", (Text("go on"),))]
    said += [Message("assistant", (Text("1. [x] parse\n2. [x] print"),))]
    found = boundaries(History(said))
    assert [b.reason for b in found] == ["ticked off: parse and 1 more at message 2"]


# -- agents without tools, and commands that go on ------------------------------------------------


def test_commands_in_fences() -> None:
    texts = ["```bash\nsed -i s/x/y/ a.py\n```", "done", "Now test.\n```bash\npytest\n```", PASSED]
    roles = ["assistant", "user"] * 2
    history = History(
        [Message(role, (Text(text),)) for role, text in zip(roles, texts, strict=True)]  # type: ignore[arg-type]
    )
    assert [b.reason for b in boundaries(history)] == ["tests passed after edits at message 3"]


def test_a_test_run_that_goes_on_in_its_session() -> None:
    run = ("exec_command", {"cmd": "pytest"}, "Process running with session ID 77\nOutput:\n...")
    more = ("write_stdin", {"session_id": 77, "chars": ""}, f"Process exited with code 0\n{PASSED}")
    other = ("write_stdin", {"session_id": 78, "chars": ""}, PASSED)
    assert _reasons(EDIT, run, other, more) == ["tests passed after edits at message 8"]


# -- the index ------------------------------------------------------------------------------------


def test_at_the_end_means_that_nothing_new_was_begun() -> None:
    run = ("Bash", {"command": "pytest"}, PASSED)
    history = _history(EDIT, run)
    assert boundary_at_end(history) is not None
    history.append(Message("user", (Text("Thanks. Next?"),)))
    assert boundary_at_end(history) is not None
    history.append(Message("assistant", (Text("Next is the printer."),)))
    assert boundary_at_end(history) is None
    assert boundary_at_end(History()) is None


@settings(max_examples=60, deadline=None)
@given(histories("anthropic") | histories("openai") | histories("responses") | histories("neutral"))
def test_grown_by_message_it_is_the_same_as_at_once(history: History) -> None:
    grown = History(tools=history.tools, dialect=history.dialect)
    for message in history:
        grown.append(message)
        boundaries(grown)
    assert list(boundaries(grown)) == list(boundaries(history))
    assert all(0 <= b.message < len(history) for b in boundaries(history))
    numbers = [b.message for b in boundaries(history)]
    assert numbers == sorted(set(numbers))


def test_each_message_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from trimtab import triggers_stage

    read: list[str] = []

    def counted(output: str) -> bool:
        read.append(output)
        return False

    monkeypatch.setattr(triggers_stage, "passed", counted)
    history = _history(EDIT)
    for n in range(20):
        for message in _use(100 + n, "Bash", {"command": "pytest"}, "12 failed"):
            history.append(message)
        boundaries(history)
    assert len(read) == 20


@pytest.mark.parametrize(
    "text",
    [
        "mvn " * 30_000,
        "a=" * 60_000,
        "git -c x " * 20_000,
        "python - - " * 20_000,
        "- [ ] " * 30_000,
        "echo " + "x" * 200_000,
        "```bash\n" * 20_000,
        "cat >" * 30_000,
        "[" * 100_000,
    ],
)
def test_long_texts_are_read_to_a_bound(text: str) -> None:
    """No time is measured: what takes long here would be noticed by who runs the tests."""
    assert _reasons(("Bash", {"command": text}, text), ("update_plan", text, text)) == []
    history = History([Message("assistant", (Text(text),)), Message("user", (Text(text),))])
    assert list(boundaries(history)) == []
