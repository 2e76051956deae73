"""The bundled sessions are whole, say what they claim to say, and can be recorded again."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SESSIONS = ROOT / "examples" / "sessions"
ANTHROPIC = SESSIONS / "ledger-fix.anthropic.json"
OPENAI = SESSIONS / "keihi-seisan.openai.json"
RESPONSES = SESSIONS / "flaky-test.responses.json"
NOTES = SESSIONS / "notes.neutral.jsonl"

MACHINE = re.compile(
    "|".join(
        (
            *(f"/{folder}/" for folder in ("work", "root", "home", "Users")),
            r"\.venv|pyenv|site-packages|pypi|/bash" + "_jobs",
            "record-[a-z0-9_]{8}",
        )
    )
)
"""Traces of the machine that recorded, or of where it installs from."""


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def anthropic_blocks(kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, message in enumerate(load(ANTHROPIC)["messages"]):
        if isinstance(message["content"], list):
            for block in message["content"]:
                if block["type"] == kind:
                    yield number, block


def typed(path: Path) -> list[str]:
    """What the user says, in order."""
    value = load(path)
    said = []
    for message in value.get("messages", value.get("input")):
        if message.get("role") != "user":
            continue
        content = message["content"]
        parts = [content] if isinstance(content, str) else content
        said += [
            part if isinstance(part, str) else part["text"]
            for part in parts
            if isinstance(part, str) or part["type"] in ("text", "input_text")
        ]
    return said


@pytest.mark.parametrize("path", [ANTHROPIC, OPENAI, RESPONSES, NOTES], ids=lambda path: path.name)
def test_nothing_of_the_recording_machine_is_in_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert MACHINE.findall(text) == []
    assert len(text.encode()) <= 1_200_000
    assert '"usage"' not in text


def test_anthropic_turns_alternate_and_begin_with_the_user() -> None:
    roles = [message["role"] for message in load(ANTHROPIC)["messages"]]
    assert roles[0] == "user"
    assert all(a != b for a, b in pairwise(roles))
    assert roles.count("assistant") >= 160


def test_anthropic_results_answer_the_calls_of_the_message_before() -> None:
    calls: dict[int, list[str]] = {}
    results: dict[int, list[str]] = {}
    for number, block in anthropic_blocks("tool_use"):
        calls.setdefault(number + 1, []).append(block["id"])
    for number, block in anthropic_blocks("tool_result"):
        results.setdefault(number, []).append(block["tool_use_id"])
    assert calls == results
    assert len(set(chain.from_iterable(calls.values()))) == sum(map(len, calls.values()))
    assert max(map(len, calls.values())) >= 3


def test_anthropic_has_what_makes_a_session_hard() -> None:
    reads = Counter(
        block["input"]["path"]
        for _, block in anthropic_blocks("tool_use")
        if block["name"] == "read_file"
    )
    assert reads["ledger/match.py"] >= 4
    texts = [block["content"] for _, block in anthropic_blocks("tool_result")]
    assert max(map(len, texts)) >= 15_000
    assert min(map(len, texts)) <= 20
    assert any("79 failed, 72 passed" in text for text in texts)
    assert any("173 passed" in text for text in texts)
    assert any(block.get("is_error") for _, block in anthropic_blocks("tool_result"))
    mixed = [
        message
        for message in load(ANTHROPIC)["messages"]
        if isinstance(message["content"], list)
        and {block["type"] for block in message["content"]} == {"tool_result", "text"}
    ]
    assert len(mixed) >= 2


def test_anthropic_constraints_come_early_and_some_change() -> None:
    said = typed(ANTHROPIC)
    for rule in (
        "migrations/",
        "public names",
        "No float",
        "At most 2 new",
        "Never push",
        "40 files",
    ):
        assert rule in said[0]
    assert "50 cents" in said[1]
    assert "C-1042" in said[1]
    assert any("5 cents, not 50" in text and "30 files instead of 40" in text for text in said[2:])
    assert any("10.00, not 12.50" in text for text in said[2:])


def test_openai_session_is_japanese_and_whole() -> None:
    value = load(OPENAI)
    roles = [message["role"] for message in value["messages"]]
    assert roles[0] == "system"
    assert roles.count("assistant") >= 60
    waiting: list[str] = []
    for message in value["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
        if message["role"] in ("user", "assistant") and message["content"]:
            assert re.search(r"[ぁ-ん]", message["content"])
    assert waiting == []
    first = typed(OPENAI)[0]
    for rule in ("変更しないこと", "限定する", "禁止", "承認後", "12個以内", "E-0107"):
        assert rule in first
    assert any("13,500円" in text and "8個以内" in text for text in typed(OPENAI)[1:])


def test_responses_session_is_whole() -> None:
    items = load(RESPONSES)["input"]
    calls = [item["call_id"] for item in items if item["type"] == "function_call"]
    outputs = [item["call_id"] for item in items if item["type"] == "function_call_output"]
    assert calls == outputs
    assert len(set(calls)) == len(calls)
    said = [item for item in items if item.get("role") == "assistant"]
    assert len(said) >= 40
    assert "must not skip tests" in typed(RESPONSES)[0]


def test_notes_are_bilingual_records() -> None:
    records = [json.loads(line) for line in NOTES.read_text(encoding="utf-8").splitlines()]
    assert len(records) == 40
    assert len({record["id"] for record in records}) == 40
    required = [record for record in records if record.get("required")]
    assert 10 <= len(required) <= 20
    japanese = [r for r in records if re.search(r"[ぁ-ん]", r["content"])]
    assert 8 <= len(japanese) <= 32


def test_the_table_of_sessions_names_the_turns() -> None:
    table = (SESSIONS / "README.md").read_text(encoding="utf-8")
    turns = {
        ANTHROPIC: sum(m["role"] == "assistant" for m in load(ANTHROPIC)["messages"]),
        OPENAI: sum(m["role"] == "assistant" for m in load(OPENAI)["messages"]),
        RESPONSES: sum(i.get("role") == "assistant" for i in load(RESPONSES)["input"]),
    }
    for path, count in turns.items():
        (line,) = (line for line in table.splitlines() if f"`{path.name}`" in line)
        assert line.split("|")[3].strip() == str(count)


def steady(item: dict[str, Any]) -> dict[str, Any]:
    """An item without what a command printed: another pytest may word it otherwise."""
    return {**item, "output": ""} if item["type"] == "function_call_output" else item


def test_recording_again_gives_the_same(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.fail("recording needs git")
    command = [sys.executable, "-m", "examples.record", str(tmp_path)]
    subprocess.run([*command, "--only", "flaky-test", "--turns", "3"], cwd=ROOT, check=True)
    new, old = load(tmp_path / RESPONSES.name), load(RESPONSES)
    count = len(new["input"])
    assert {**new, "input": []} == {**old, "input": []}
    assert [*map(steady, new["input"])] == [*map(steady, old["input"][:count])]
    outputs = [
        (a["output"], b["output"])
        for a, b in zip(new["input"], old["input"], strict=False)
        if a["type"] == "function_call_output"
    ]
    assert len(outputs) == 5
    for fresh, kept in outputs[:4]:  # a listing, the log with its hashes, two files
        assert fresh == kept
    assert "8 failed, 5 passed" in outputs[4][0]
    assert MACHINE.findall(json.dumps(new)) == []


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a module of the recorder by name."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"examples.record.{name}")


def test_the_tools_say_what_they_could_not_do(record: Any, tmp_path: Path) -> None:
    steps, tools = record("steps"), record("tools")
    (tmp_path / "a.txt").write_text("x\nx\n", encoding="utf-8")

    def use(call: Any) -> tuple[str, bool]:
        outcome = tools.use(call, tmp_path, {"PATH": "/usr/bin:/bin"})
        return outcome.text, outcome.failed

    assert use(steps.edit("a.txt", "x", "y")) == (
        "error: `old` occurs 2 times in a.txt; it must occur once",
        True,
    )
    assert use(steps.read("../b.txt")) == ("error: ../b.txt is outside of the repository", True)
    assert use(steps.run("echo no; exit 3")) == ("no\n[exit 3]", True)
    assert use(steps.run("true")) == ("[no output]", False)
    assert use(steps.grep("^x", ".")) == ("a.txt:1:x\na.txt:2:x", False)
    long, _ = use(steps.run("yes | head -c 50000"))
    assert "[... 30999 characters left out ...]" in long


def test_words_that_do_not_fit_the_result_stop_the_recording(record: Any) -> None:
    steps, loop, place = record("steps"), record("loop"), record("workplace")
    project = place.Project(
        "taskq", "b", "A", "a@b.example", "2025-01-01T00:00:00+00:00", [("x", ())]
    )

    def script() -> Iterator[Any]:
        yield steps.user("Is it green?")
        yield steps.say("I look.", steps.run("echo red"), expect="green")

    with place.workplace(project) as folder, pytest.raises(loop.RecordingError, match="green"):
        loop.record(script(), folder, "s", "m")
