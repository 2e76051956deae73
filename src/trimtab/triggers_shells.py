"""What agents run in shells and editors: edits, test runs and commits, and how they went."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.history.message import ToolCall

_SHELLS = re.compile(
    r"(?:mcp__\w+__)?(?:bash|shell|local_shell|exec|exec_command|execute_bash|execute_command|"
    r"terminal|run_commands?|run_shell_command|run_in_terminal|run_terminal_cmd|cmd|sh|powershell|"
    r"execute|run|container\.exec|unified_exec|cmdrun|shell_command)",
    re.IGNORECASE,
)
_EDITORS = re.compile(
    r"(?:mcp__\w+__)?(?:edit|multiedit|multi_edit|write|notebookedit|notebook_edit|edit_file|"
    r"write_file|write_to_file|create_file|replace_in_file|apply_patch|apply_diff|replace|patch|"
    r"insert_edit_into_file|search_replace|insert|create|str_replace|fileedit|filewrite|"
    r"edit_notebook_file|save_file|update_file)",
    re.IGNORECASE,
)
_VIEWERS = re.compile(
    r"(?:editor|str_replace_editor|str_replace_based_edit_tool|file_editor|text_editor|"
    r"openhands_file_editor|planning_file_editor)",
    re.IGNORECASE,
)
_CHANGES = frozenset({"create", "str_replace", "insert", "write", "undo_edit", "append", "edit"})

# Where a command of a shell may begin: at the front, behind an operator, in a group.
_AT = r"(?:^|[;&|\n(]|\b(?:then|do|else|time|exec|sudo|env)\s)\s*(?:\w+=\S*\s+)*"
_RUNNER = (
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye)\s+run\s+(?:-\S+\s+)*|npx\s+|bunx\s+|bundle\s+exec\s+)?"
)
_PATH = r"(?:[\w.~/-]*/)?"
_TESTS = re.compile(
    _AT + _RUNNER + _PATH + r"(?:"
    r"pytest|py\.test|tox|nox|nose2?|nosetests|ctest|rspec|phpunit|jest|vitest|mocha|ava|karma"
    r"|playwright\s+test|cypress\s+run|gotestsum"
    r"|python[\d.]*\s+(?:-\S+\s+)*-m\s+(?:pytest|unittest|nose2?|tox|django\s+test)"
    r"|python[\d.]*\s+\S*(?:manage\.py\s+test|runtests\.py|setup\.py\s+test|bin/test\b|test_\w+\.py)"
    r"|(?:npm|pnpm|yarn|bun|deno)\s+(?:run\s+|-\S+\s+)*(?:test|t)\b"
    r"|(?:go|cargo|dotnet|swift|mix|rake|rails|zig\s+build|flutter|dart|sbt|lein|stack|cabal)"
    r"\s+(?:\+\w+\s+)?(?:-\S+\s+)*(?:test|nextest)\b"
    r"|(?:mvn|mvnw|gradle|gradlew|bazel)\s+(?:\S+\s+){0,12}?\S{0,80}?\b(?:test|check|verify)\b"
    r"|make\s+(?:-\S+\s+)*(?:test|check|tests)\b"
    r"|(?:run_?tests?|test)\.sh\b|runtests(?:\.py)?\b)",
    re.IGNORECASE,
)
_COMMIT = re.compile(
    _AT + r"git(?:\s+(?:-[cC]\s+\S+|--?[\w-]+(?:=\S+)?))*\s+commit\b(?!.{0,200}--dry-run)"
)
_SHELL_EDIT = re.compile(
    _AT + r"(?:apply_patch\b|patch\s|sed\s+(?:-\S+\s+)*-\w*i|perl\s+(?:-\S+\s+)*-\w*i|"
    r"git\s+(?:apply|am)\b|tee\s|(?:edit\s+\d+:\d+|create\s+\S+)|(?:cat|echo|printf)\b[^\n;&|]*(?<![<>\d&])>{1,2}\s*(?!/dev/null|&)\S)"
)

_FENCE = re.compile(
    r"^```(?:bash|sh|shell|console|mswea_bash_command)?[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?[ _]?(?:status|code)|return ?code)"
    r"\W{0,6}(-?\d{1,4})\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b[1-9]\d*\s+(?:failed|failing|failures?|errors?|broken)\b"
    r"|\b(?:failures|errors|failed)\s*[=:]\s*[1-9]"
    r"|^(?:FAIL|FAILED|ERROR|not ok|E  )\b|^--- FAIL|\bFAILED \(|test result: FAILED"
    r"|BUILD FAIL|Traceback \(most recent call last\)|npm ERR!|command not found"
    r"|no tests ran|No tests? (?:found|to run)|ERR_PNPM|\bpanicked at\b|Segmentation fault",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d*\s+(?:passed|passing|passes)\b"
    r"|^OK\b(?: \(.*\))?\s*$|^Ran [1-9]\d* tests?"
    r"|test result: ok\. [1-9]|^ok\s+\S+\s|^PASS\b|100% tests passed|BUILD SUCCESS"
    r"|All tests passed|\b[1-9]\d* examples?, 0 failures|^OK \([1-9]\d* tests?"
    r"|\bPassed!|\b[1-9]\d* tests?, (?:\d+ \w+, )?0 failures"
    r"|Tests:\s+(?:.*\s)?[1-9]\d* passed|^# pass [1-9]|Executed [1-9]\d* tests?, with 0 failures",
    re.MULTILINE,
)
_COMMITTED = re.compile(
    r"^\[[^\]\n]{1,200}? (?:\(root-commit\) )?[0-9a-f]{7,40}\]|^ ?\d+ files? changed\b",
    re.MULTILINE,
)
_STILL = re.compile(r"running with session ID (\d+)")
_END = 4_000
"""Characters at the end of a result that are read: test runners sum up there."""
_FRONT = 6_000


def arguments(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call as a mapping; empty where they are none."""
    given = call.input
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        from trimtab.formats.jsontext import loads

        try:
            given = loads(given)
        except ValueError:
            return {}
    return given if isinstance(given, Mapping) else {}


def shell_command(call: ToolCall) -> str:
    """The command line of a call that runs one; empty for other calls."""
    if not _SHELLS.fullmatch(call.name):
        return ""
    given = arguments(call)
    action = given.get("action")
    if isinstance(action, Mapping):  # Codex: local_shell_call
        given = action
    for key in ("command", "cmd", "script", "code", "commands", "input"):
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence) and value and all(isinstance(v, str) for v in value):
            return _line([str(v) for v in value])
    return ""


def _line(words: list[str]) -> str:
    """Codex gives words: `["bash", "-lc", "pytest -q"]`."""
    if len(words) >= 3 and re.fullmatch(r"-\w*c", words[-2]):
        return words[-1]
    return " ".join(words)


def fenced_command(text: str) -> str:
    """The one command that an answer of an agent without tools asks for; empty if none."""
    found = _FENCE.findall(text[-_FRONT:]) if "```" in text else []
    return found[0] if len(found) == 1 else ""


def writes_files(command: str) -> bool:
    """The command changes a file."""
    return bool(_SHELL_EDIT.search(command[:_FRONT]))


def edits_file(call: ToolCall) -> bool:
    """The tool that is called changes a file."""
    if _VIEWERS.fullmatch(call.name):
        return arguments(call).get("command") in _CHANGES
    return bool(_EDITORS.fullmatch(call.name))


def runs_tests(command: str) -> bool:
    """The command runs tests."""
    return bool(command) and bool(_TESTS.search(command[:_FRONT]))


def commits(command: str) -> bool:
    """The command makes a commit."""
    return "commit" in command and bool(_COMMIT.search(command[:_FRONT]))


def passed(output: str) -> bool:
    """The output of a test run says that tests ran, and that none failed."""
    text = _printed(output)
    return not _failing(text) and not _FAILED.search(text) and bool(_PASSED.search(text))


def still_running(output: str) -> str:
    """The session in which a command goes on (Codex), to be asked again; empty if it ended."""
    found = _STILL.search(output[:_END])
    return found[1] if found else ""


def session_asked(call: ToolCall) -> str:
    """The session of a running command that a call asks again."""
    if call.name != "write_stdin":
        return ""
    return str(arguments(call).get("session_id", ""))


def committed(output: str) -> bool:
    """The output of `git commit` says that a commit was made."""
    text = _printed(output)
    return not _failing(text) and bool(_COMMITTED.search(text))


def _failing(text: str) -> bool:
    codes = _EXIT.findall(text)
    return bool(codes) and codes[-1].lstrip("-").strip("0") != ""


def _printed(output: str) -> str:
    """What was printed; Codex wraps it in JSON with the exit code beside it."""
    text = output
    if output.lstrip()[:1] == "{" and len(output) < 1_000_000:
        from trimtab.formats.jsontext import loads

        try:
            value = loads(output)
        except ValueError:
            value = None
        if isinstance(value, Mapping):
            printed = value.get("output", value.get("stdout"))
            about = value.get("metadata", value)
            if isinstance(printed, str):
                code = about.get("exit_code") if isinstance(about, Mapping) else None
                text = printed[-_END:] + (f"\nexit code: {code}" if code is not None else "")
    return re.sub(r"\x1b\[[0-9;]*m", "", text[-_END:] if len(text) > _END + 40 else text)
