"""`trimtab validate`, `pins`, `policies`, `convert`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import RECORDS, Command, chat, session_with_tools, written
from trimtab.formats.wire import read_request
from trimtab.history.rules import validate
from trimtab.policies.registry import POLICIES


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def broken_session() -> dict[str, object]:
    """A tool result that answers no call, and a call without a result."""
    value = session_with_tools()
    del value["messages"][1]
    value["messages"].pop(-2)
    return value


# -- validate --------------------------------------------------------------------------------------


def test_a_valid_session(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    result = command("validate", path)
    assert result.exit_code == 0
    assert result.stdout == f"{path}: 13 messages, valid by the anthropic rules\n"
    (found,) = command.json("validate", path, "--json")["files"]
    assert found == {
        "file": str(path),
        "format": "anthropic",
        "messages": 13,
        "valid": True,
        "broken": [],
    }


def test_a_broken_session(command: Command, tmp_path: Path) -> None:
    value = broken_session()
    path = written(tmp_path, value)
    history = read_request(value)
    wanted = validate(history, "anthropic", tools=history.tools, envelope=history.envelope)
    assert wanted
    (found,) = command.json("validate", path, "--json", exit=1)["files"]
    assert found["valid"] is False
    assert found["broken"] == [
        {"rule": v.rule, "index": v.index, "explanation": v.explanation} for v in wanted
    ]
    result = command("validate", path)
    assert result.exit_code == 1
    for violation in wanted:
        assert violation.rule in result.stdout
        assert violation.explanation[:60] in " ".join(result.stdout.split())


def test_one_broken_among_several(command: Command, tmp_path: Path) -> None:
    good, bad = (
        written(tmp_path, session_with_tools(), "a"),
        written(tmp_path, broken_session(), "b"),
    )
    found = command.json("validate", good, bad, "--json", exit=1)["files"]
    assert [file["valid"] for file in found] == [True, False]


def test_by_other_rules(command: Command, tmp_path: Path) -> None:
    value = [{"role": "assistant", "content": "I speak first."}]
    path = written(tmp_path, value)
    assert command("validate", path).exit_code == 0  # neutral
    (found,) = command.json("validate", path, "--format", "anthropic", "--json", exit=1)["files"]
    assert found["format"] == "anthropic"
    data = json.dumps(value)
    assert command("validate", "-", "--format", "anthropic", input=data).exit_code == 1
    assert command("validate", "-", "--format", "openai", input=data).exit_code == 0


def test_a_transcript_by_other_rules(command: Command, shared_sessions: Path) -> None:
    path = shared_sessions / "claude-code" / "tool-heavy.jsonl"
    assert command("validate", path).exit_code == 0
    (found,) = command.json("validate", path, "--format", "neutral", "--json")["files"]
    assert found["format"] == "neutral"


# -- pins ------------------------------------------------------------------------------------------


def test_pins(command: Command, tmp_path: Path) -> None:
    value = chat(
        ("system", "You write reports."),
        ("user", "Write the report."),
        ("assistant", "How long?"),
        ("user", "At most two pages. Thanks! 承認なしに送信しないこと。"),
    )
    path = written(tmp_path, value)
    (file,) = command.json("pins", path, "--json")["files"]
    assert file["file"] == str(path)
    for pin in file["pins"]:
        content = value["messages"][pin["message"]]["content"]
        assert content[pin["start"] : pin["end"]] == pin["text"]
    rules = {pin["text"]: pin["rule"] for pin in file["pins"]}
    assert rules["You write reports."] == "system"
    assert rules["Write the report."] == "first-task"
    assert rules["At most two pages."].startswith("en:")
    assert rules["承認なしに送信しないこと。"].startswith("ja:")
    assert "Thanks!" not in rules
    text = command("pins", path).stdout
    for said, rule in rules.items():
        assert said in text
        assert rule in text


def test_marked_pins(command: Command) -> None:
    (file,) = command.json("pins", RECORDS, "--json")["files"]
    assert [pin["message"] for pin in file["pins"]] == [0, 2, 5, 8]
    assert {pin["rule"] for pin in file["pins"]} == {"marked"}
    several = command("pins", RECORDS, "-", input=RECORDS.read_bytes())
    assert several.stdout.count("4 pins") == 2


# -- policies --------------------------------------------------------------------------------------


def test_policies(command: Command) -> None:
    found = command.json("policies", "--json")["policies"]
    assert [policy["name"] for policy in found] == list(POLICIES)
    assert all(policy["summary"] for policy in found)
    (prune,) = [policy for policy in found if policy["name"] == "prune"]
    assert [(p["name"], p["default"], p["type"]) for p in prune["parameters"]] == [
        ("N", 5, "int"),
        ("W", 3, "int"),
        ("category", None, "str | None"),
    ]
    (one,) = command.json("policies", "compact", "--json")["policies"]
    assert one["name"] == "compact"
    assert command("policies", "nothing").exit_code == 2
    for policy in found:
        assert all(parameter["meaning"] for parameter in policy["parameters"])
    text = command("policies").stdout
    for policy in found:
        assert policy["name"] in text
        for parameter in policy["parameters"]:
            assert parameter["name"] in text


# -- convert ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["anthropic", "openai", "responses"])
def test_convert(command: Command, tmp_path: Path, to: str) -> None:
    path = written(tmp_path, session_with_tools())
    result = command("convert", path, "--to", to)
    assert result.exit_code == 0
    value = json.loads(result.stdout_bytes)
    history = read_request(value, to)
    assert not validate(history, to, tools=history.tools, envelope=history.envelope)
    assert "It holds rows." in result.stdout
    if to == "anthropic":
        assert value == session_with_tools()
        assert result.stderr == ""
    else:
        assert all(line.startswith("not carried over: ") for line in result.stderr.splitlines())
        assert "max_tokens" in result.stderr


def test_convert_to_neutral_lines_and_back(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    neutral = tmp_path / "neutral.jsonl"
    result = command("convert", path, "--to", "neutral", "-o", neutral)
    assert (result.exit_code, result.stdout) == (0, "")
    rows = [json.loads(line) for line in neutral.read_bytes().splitlines()]
    assert len(rows) == 13
    back = json.loads(command("convert", neutral, "--to", "anthropic").stdout_bytes)
    for got, wanted in zip(back["messages"], session_with_tools()["messages"], strict=True):
        assert got["role"] == wanted["role"]
        if isinstance(wanted["content"], list):
            (block,) = got["content"]
            given = wanted["content"][0]
            assert block.get("input") == given.get("input")


def test_convert_needs_a_target(command: Command) -> None:
    assert "convert needs --to" in command.refused("convert", RECORDS)
    assert command("convert", RECORDS, "--to", "frob").exit_code == 2


def test_threads(command: Command, shared_sessions: Path) -> None:
    path = shared_sessions / "claude-code" / "with-agents.jsonl"
    main = command.json("inspect", path, "--json")["sessions"][0]
    assert main["threads"] >= 1
    line = command.refused("inspect", path, "--thread", "no-such-thread")
    assert "threads here: " in line
    name = line.partition("threads here: ")[2].split(",")[0].strip()
    other = command.json("inspect", path, "--thread", name, "--json")["sessions"][0]
    assert other["messages"] != main["messages"]
