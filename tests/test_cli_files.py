"""How a FILE may be named, and the one clear line for each that cannot be read."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command, chat, session_with_tools, written

READING = [
    ("inspect",),
    ("compact", "--budget", "50%"),
    ("compare",),
    ("pins",),
    ("validate",),
    ("convert", "--to", "neutral"),
]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


BAD = {
    "text.txt": (b"hello world\n", "not JSON"),
    "empty.json": (b"", "empty"),
    "blank.jsonl": (b"\n \n", "empty"),
    "binary.bin": (bytes(range(256)) * 20, "binary"),
    "torn.json": (b'{"messages": [{"role": "user", "content": "x"', "not complete JSON"),
    "other.json": (b'{"name": "x", "version": 1}', "no known format"),
    "list.json": (b"[1, 2, 3]", "no known format"),
    "wrong.json": (b'{"messages": [{"role": "user", "content": 5}]}', "a string or a list"),
    "none.json": (b'{"messages": []}', "holds no messages"),
}


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_session(
    command: Command, tmp_path: Path, name: str, words: tuple[str, ...]
) -> None:
    content, reason = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    line = command.refused(words[0], path, *words[1:])
    assert line.startswith(str(path))
    assert reason in line
    piped = command.refused(words[0], "-", *words[1:], input=content)
    assert piped.startswith("-: ")


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_nothing_of_this_name(command: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    line = command.refused(words[0], "missing.json", *words[1:])
    assert line.startswith("missing.json: no such file")
    path = tmp_path / "folder" / "missing.json"
    assert "no such file" in command.refused(words[0], path, *words[1:])
    line = command.refused(words[0], "latest", *words[1:])
    assert line == "latest: no agent has left a session in its usual place here"
    (tmp_path / "empty").mkdir()
    line = command.refused(words[0], tmp_path / "empty", *words[1:])
    assert line == f"{tmp_path / 'empty'}: a directory without sessions"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read anything"
)
def test_a_file_that_may_not_be_read(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, chat(("user", "hi")))
    path.chmod(0)
    assert "permission denied" in command.refused("inspect", path)


def test_a_directory_means_all_sessions_in_it(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "deeper").mkdir(parents=True)
    first = written(folder, chat(("user", "one")), "a.json")
    second = written(folder / "deeper", session_with_tools(), "b.json")
    shutil.copy(RECORDS, folder / "c.jsonl")
    (folder / "notes.txt").write_text("no session")
    (folder / "other.json").write_text('{"a": 1}')
    found = command.json("inspect", folder, "--json")
    files = [session["file"] for session in found["sessions"]]
    assert sorted(files) == sorted([str(first), str(folder / "c.jsonl"), str(second)])
    assert found["total"]["sessions"] == 3
    line = command.refused("compact", folder, "--budget", "50%")
    assert line == f"{folder}: a directory with 3 sessions; name one of them"
    one = tmp_path / "one"
    one.mkdir()
    shutil.copy(RECORDS, one / "c.jsonl")
    assert len(command("compact", one, "--budget", "100%").stdout_bytes.splitlines()) == 12


def test_problems_are_told_and_the_rest_is_read(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    lines = RECORDS.read_bytes().splitlines()
    broken = [line for good in lines for line in (good, b'{"role": "us')]
    path.write_bytes(b"\n".join(broken) + b"\n")
    result = command("validate", path)
    assert result.exit_code == 0
    said = result.stderr.splitlines()
    assert len(said) == 6  # five, and how many more
    assert all(line.startswith(f"{path}:") for line in said)
    assert said[0].startswith(f"{path}:2: ")
    assert "7 more" in said[5]
    found = command.json("inspect", path, "--json")
    assert len(found["sessions"][0]["problems"]) == 12
    assert found["sessions"][0]["messages"] == 12


def test_a_named_format(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, [{"role": "user", "content": "hi"}])
    for name in ("anthropic", "openai", "responses", "neutral"):
        (session,) = command.json("inspect", path, "--format", name, "--json")["sessions"]
        assert session["format"] == name
    assert "no format 'frob'" in command.refused("inspect", path, "--format", "frob")


# -- what agents left ------------------------------------------------------------------------------

FIRST = "0aa11bb2-1111-4222-8333-444455556666"
SECOND = "0aa11bb2-1111-4222-8333-4444555566aa"
THIRD = "7c5973b6-94b8-487b-a530-2aeb6098ae0e"


def claude_code(words: str) -> str:
    """A Claude Code session of one question and one answer."""
    usage = {"input_tokens": 900, "cache_read_input_tokens": 99_100, "output_tokens": 5}
    said: dict[str, Any] = {
        "id": "m1",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "usage": usage,
    }
    said |= {"type": "message", "content": [{"type": "text", "text": "Yes."}]}
    asked = {"role": "user", "content": words}
    common: dict[str, Any] = {
        "sessionId": "s",
        "isSidechain": False,
        "cwd": "/",
        "version": "2.0.0",
    }
    rows: list[dict[str, Any]] = [
        {"type": "user", "uuid": "u1", "parentUuid": None, "message": asked},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "message": said},
    ]
    return "".join(
        json.dumps({**common, "timestamp": "2026-01-02T03:04:05Z", **row}) + "\n" for row in rows
    )


@pytest.fixture
def agents(command: Command) -> Command:
    """A home where agents left three sessions, an hour apart; the third is the newest."""
    folder = command.home / ".claude" / "projects" / "-home-me"
    folder.mkdir(parents=True)
    for age, id in ((3, FIRST), (2, SECOND), (1, THIRD)):
        path = folder / f"{id}.jsonl"
        path.write_text(claude_code(f"Is this session number {4 - age}?"))
        now = path.stat().st_mtime
        os.utime(path, (now - 3600 * age, now - 3600 * age))
    return command


@pytest.mark.parametrize("words", [*READING, ("sessions",)], ids=lambda words: words[0])
def test_without_a_file_the_found_sessions_are_listed(
    agents: Command, words: tuple[str, ...]
) -> None:
    result = agents(*words)
    assert result.exit_code == 0
    assert result.stderr == ""
    rows = [line for line in result.stdout.splitlines() if "claude-code" in line]
    assert [row.split()[0] for row in rows] == [
        THIRD[: len(rows[0].split()[0])],
        SECOND[: len(rows[0].split()[0])],
        FIRST[: len(rows[0].split()[0])],
    ]
    assert "1 h ago" in rows[0]
    assert "Is this session number 3?" in rows[0]
    assert " 1   100,005 " in rows[0]  # one turn, and the size that was reported last


@pytest.mark.parametrize("name", ["convert", "compact", "compare"])
def test_without_a_file_no_other_option_is_needed(agents: Command, name: str) -> None:
    assert "Is this session number 3?" in agents(name).stdout


def test_the_list_as_json(agents: Command) -> None:
    for name in ("sessions", "inspect", "validate"):
        found = agents.json(name, "--json")["sessions"]
        assert [session["session_id"] for session in found] == [THIRD, SECOND, FIRST]
        assert found[0]["turns"] == 1
        assert found[0]["context"] == 100_005
        assert found[0]["fill"] == pytest.approx(100_005 / found[0]["window"])


@pytest.mark.parametrize("words", [*READING, ("sessions",)], ids=lambda words: words[0])
def test_without_a_file_and_without_sessions(command: Command, words: tuple[str, ...]) -> None:
    line = command.refused(*words)
    assert line == "no FILE is named, and no agent has left a session in its usual place here"


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
@pytest.mark.parametrize("name", ["latest", THIRD, "7c59", "7C5973B6"])
def test_a_session_by_its_id(agents: Command, words: tuple[str, ...], name: str) -> None:
    result = agents(words[0], name, *words[1:])
    assert result.exit_code in (0, 3)
    if words[0] in ("inspect", "pins", "convert"):
        assert "Is this session number 3?" in result.stdout


def test_a_beginning_of_several_ids(agents: Command) -> None:
    line = agents.refused("inspect", "0aa1")
    assert "'0aa1' is the beginning of 2 session ids" in line
    assert FIRST in line
    assert agents("inspect", FIRST).exit_code == 0


def test_a_file_named_like_an_id_is_the_file(
    agents: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, chat(("user", "from the file")), "7c59")
    assert "from the file" in agents("pins", "7c59").stdout


def test_found_files_are_only_read(agents: Command) -> None:
    folder = agents.home / ".claude"
    before = {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*.jsonl")
    }
    for words in READING:
        agents(words[0], "latest", *words[1:])
    agents("sessions")
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*.jsonl")}
    assert before == after


def test_only_the_newest_are_listed(agents: Command) -> None:
    folder = agents.home / ".claude" / "projects" / "-home-me"
    for n in range(30):
        (folder / f"{n:08x}-0000-4000-8000-000000000000.jsonl").write_text(claude_code("more"))
    assert "and 13 older ones: trimtab sessions --all" in agents("sessions").stdout
    assert len(agents.json("sessions", "--json")["sessions"]) == 20
    assert len(agents.json("sessions", "--all", "--json")["sessions"]) == 33


def test_a_found_session_that_cannot_be_read_is_still_listed(agents: Command) -> None:
    folder = agents.home / ".claude" / "projects" / "-home-me"
    (folder / "ffffffff-0000-4000-8000-000000000000.jsonl").write_text("not a session")
    result = agents("sessions")
    assert result.exit_code == 0
    assert "not readable: not JSON" in result.stdout
    assert FIRST[:8] in result.stdout
