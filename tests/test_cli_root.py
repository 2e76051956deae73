"""The command itself: what it loads, how it ends, and that nothing unfriendly reaches a user."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.command import RECORDS, Command, chat, written
from trimtab import __version__
from trimtab.cli import root
from trimtab.errors import BudgetInfeasible, InputError


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def test_help_names_every_command(command: Command) -> None:
    result = command("--help")
    assert result.exit_code == 0
    for name, line in root.COMMANDS.items():
        assert f"  {name}" in result.stdout
        assert line in result.stdout
    assert command().exit_code == 2  # no command: the help, and bad usage


def test_version(command: Command) -> None:
    assert command("--version").stdout == f"trimtab {__version__}\n"


@pytest.mark.parametrize("name", root.COMMANDS)
def test_each_line_is_the_first_of_the_commands_own_help(name: str, command: Command) -> None:
    found = root.trimtab.get_command(click.Context(root.trimtab), name)
    assert found is not None
    assert found.get_short_help_str(100) == root.COMMANDS[name]
    assert command(name, "--help").exit_code == 0


def test_help_loads_no_command_and_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from trimtab.cli.root import trimtab\n"
        "trimtab.main(['--help'], standalone_mode=False)\n"
        "heavy = {'rich', 'msgspec', 'zstandard', 'toktok', 'trimtab.context'} & set(sys.modules)\n"
        "commands = [m for m in sys.modules if m.startswith('trimtab.cli.')]\n"
        "assert not heavy, heavy\n"
        "assert commands == ['trimtab.cli.root'], commands\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_unknown_commands_and_options_are_bad_usage(command: Command) -> None:
    for words in (["frobnicate"], ["inspect", "--frobnicate"], ["recall"]):
        result = command(*words)
        assert result.exit_code == 2
        assert "Usage:" in result.stderr
        assert "Traceback" not in result.stderr


GROUPS = {
    "session": ("show", "export", "restore"),
    "memory": ("ls", "cat", "rm"),
    "store": ("stats", "gc", "export", "import", "check"),
}


@pytest.mark.parametrize("name", GROUPS)
def test_commands_with_commands_of_their_own(name: str, command: Command) -> None:
    text = command(name, "--help").stdout
    for verb in GROUPS[name]:
        assert f"  {verb}" in text
        result = command(name, verb, "--help")
        assert result.exit_code == 0
        assert "--store URL" in result.stdout
    assert command(name).exit_code == 2
    assert command(name, "frobnicate").exit_code == 2


def fails_with(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise failure

    module = importlib.import_module("trimtab.policies.registry")
    monkeypatch.setattr(module, "parameters", fail)


@pytest.mark.parametrize(
    ("failure", "status", "line"),
    [
        (InputError("a.json", "is no session"), 2, "trimtab: a.json: is no session"),
        (
            BudgetInfeasible(9, 5, "tokens", ["message 0: 9 tokens"], "truncate"),
            3,
            "trimtab: truncate: needs 9 tokens, 5 available; does not fit: message 0: 9 tokens",
        ),
        (KeyboardInterrupt(), 130, "trimtab: interrupted"),
        (BrokenPipeError(), 141, None),
        (
            ZeroDivisionError("by zero"),
            2,
            "trimtab: internal fault: ZeroDivisionError: by zero; please report"
            " (TRIMTAB_DEBUG=1 shows where)",
        ),
        (
            RecursionError(),
            2,
            "trimtab: internal fault: RecursionError; please report (TRIMTAB_DEBUG=1 shows where)",
        ),
    ],
)
def test_every_end_is_one_line_and_a_status(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    status: int,
    line: str | None,
) -> None:
    fails_with(monkeypatch, failure)
    result = command("policies")
    assert result.exit_code == status
    assert result.stderr.splitlines() == ([line] if line else [])
    assert result.stdout == ""


def test_debug_shows_where(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch, ZeroDivisionError("by zero"))
    result = command("policies", TRIMTAB_DEBUG="1")
    assert isinstance(result.exception, ZeroDivisionError)


def test_a_message_cannot_steer_the_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_with(monkeypatch, InputError("\x1b[2Ja\ud800.json", "no"))
    assert command("policies").stderr == "trimtab: ·[2Ja\N{REPLACEMENT CHARACTER}.json: no\n"


def test_in_a_process_of_its_own(command: Command) -> None:
    done = command.apart("validate", "-", input=json.dumps(chat(("user", "hi"))).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"-: 1 message, valid by the openai rules\n"
    done = command.apart("inspect", "nothing-here.json")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"trimtab: nothing-here.json: no such file")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="a pipe of Unix")
def test_a_closed_pipe_is_silent(command: Command, tmp_path: Path) -> None:
    messages = chat(*[("user", "word " * 2000), ("assistant", "ok")] * 100)["messages"]
    path = written(tmp_path, messages)
    env = {**os.environ, "TRIMTAB_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "trimtab", "convert", str(path), "--to", "neutral"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 141


def test_an_output_that_knows_ascii_only(command: Command) -> None:
    done = command.apart("pins", RECORDS, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_no_colours(command: Command, env: dict[str, str]) -> None:
    for words in (["inspect", RECORDS], ["compare", RECORDS], ["policies"], ["pins", RECORDS]):
        result = command(*words, **env)
        assert result.exit_code == 0
        assert not re.search(r"\x1b\[[\d;]*(3\d|4\d|9\d)[\d;]*m", result.stdout)


def test_colours_in_a_terminal(command: Command) -> None:
    assert "\x1b[" in command("inspect", RECORDS, FORCE_COLOR="1", COLUMNS="80").stdout
