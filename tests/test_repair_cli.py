"""`--repair` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import Command, session_with_tools, written


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def broken() -> dict[str, Any]:
    """The first result is lost, and the last call's result stands there twice."""
    value = session_with_tools()
    del value["messages"][2]
    value["messages"].insert(-1, value["messages"][-2])
    return value


def test_convert_repairs_and_lists_each_repair(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, broken())
    result = command("convert", path, "--to", "anthropic", "--repair")
    assert result.exit_code == 0
    lines = result.stderr.splitlines()
    assert [line.removeprefix(f"{path}: repaired: ") for line in lines] == [
        "message 2: the call 't1' has no result; an error result was put in",
        "message 11: the result of 't5' is there twice; it was left out",
    ]
    again = written(tmp_path, json.loads(result.stdout_bytes), "again.json")
    assert command("validate", again).exit_code == 0
    assert command("validate", path).exit_code == 1


def test_without_it_broken_input_stays_as_it_was(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, broken())
    result = command("convert", path, "--to", "anthropic")
    assert json.loads(result.stdout_bytes) == broken()
    assert result.stderr == ""


def test_compact_repairs_first_and_says_so_in_json(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, broken())
    out = tmp_path / "out.json"
    spec = ("--policy", "prune:N=1,W=0", "--budget", "100%")
    told = command.json("compact", path, *spec, "--repair", "--json", "-o", out)
    assert [r["message"] for r in told["repairs"]] == [2, 11]
    assert told["edits"]
    assert command("validate", out).exit_code == 0
    told = command.json("compact", path, *spec, "--json", "-o", out)
    assert "repairs" not in told
    assert command("validate", out).exit_code == 1


def test_a_valid_session_is_not_touched(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    result = command("convert", path, "--to", "anthropic", "--repair")
    assert json.loads(result.stdout_bytes) == session_with_tools()
    assert result.stderr == ""
