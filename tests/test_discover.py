"""The sessions that agents leave in their usual places: found, listed, named; never touched."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_formats_transcripts_kinds import child, database, export, storage
from tests.transcripts import GOLDEN
from trimtab.errors import InputError, UsageError
from trimtab.formats.discover import Found, Target, found_sessions, measured, resolve

NOTHING: dict[str, str] = {}
CODEX = "rollout-2026-03-01T11-00-00-019c0000-0000-7000-8000-000000000001.jsonl"
PLACES = {
    "claude-code": (".claude/projects/-src-app/6b0e0000.jsonl", "claude_code_forks.jsonl"),
    "codex": (f".codex/sessions/2026/03/01/{CODEX}", "codex.jsonl"),
    "gemini-cli": (".gemini/tmp/abc/chats/session-2026-03-01T14-00-0a0a.json", "gemini_cli.json"),
    "pi": (".pi/agent/sessions/--src-app--/2026-03-01T13-00_0f0e0000.jsonl", "pi.jsonl"),
}
IDS = {
    "claude-code": "6b0e0000",
    "codex": "019c0000-0000-7000-8000-000000000001",
    "gemini-cli": "0a0a0000-0000-4000-8000-000000000006",
    "pi": "0f0e0000",
    "opencode": "ses_1",
    "openhands": "0123abcd",
}


def put(home: Path, place: str, name: str, age: float = 0) -> Path:
    """A golden recording in a home folder, last changed `age` seconds before 2026-06-01."""
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(GOLDEN / name, path)
    os.utime(path, (1.78e9 - age, 1.78e9 - age))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home folder in which every agent has left one session; the youngest is of Claude Code."""
    for n, (place, name) in enumerate(PLACES.values()):
        put(tmp_path, place, name, age=n)
    data = tmp_path / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    database(data / "opencode.db", export(), child())
    events = tmp_path / ".openhands" / "conversations" / "0123abcd" / "events"
    events.mkdir(parents=True)
    for n, line in enumerate((GOLDEN / "openhands.jsonl").read_text().splitlines()):
        (events / f"event-{n:05d}-aaaaaaaa-{n}.json").write_text(line)
    os.utime(events, (1.77e9, 1.77e9))
    before = snapshot(tmp_path)
    yield tmp_path
    assert snapshot(tmp_path) == before, "found files are only read"


def snapshot(folder: Path) -> dict[str, tuple[int, float]]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(f): (f.stat().st_size, f.stat().st_mtime) for f in files}


def find(home: Path, **env: str) -> list[Found]:
    return found_sessions(home=home, env=env)


def test_every_agent_is_looked_for_in_its_usual_place(home: Path) -> None:
    found = find(home)
    assert {f.format: f.session_id for f in found} == IDS
    assert len(found) == len(IDS)


def test_the_newest_come_first(home: Path) -> None:
    found = find(home)
    times = [f.modified for f in found]
    assert times == sorted(times, reverse=True)
    assert [f.format for f in found[:4]] == list(PLACES)


def test_size_turns_and_fill(home: Path) -> None:
    by_format = {f.format: f for f in find(home)}
    for name, found in by_format.items():
        if name != "opencode":
            assert found.bytes > 500
        known = measured(found)
        assert known.turns >= 1
        assert known.title
    claude = measured(by_format["claude-code"])
    assert (claude.turns, claude.context) == (4, 3 + 900 + 100 + 12)
    assert claude.model == "claude-test-1"
    codex = measured(by_format["codex"])
    assert (codex.turns, codex.context) == (2, 1_220)
    assert measured(by_format["opencode"]).title == "Sort the imports"


def test_nothing_is_found_where_there_is_nothing(tmp_path: Path) -> None:
    assert find(tmp_path) == []
    with pytest.raises(InputError, match="latest: no agent has left a session"):
        resolve("latest", home=tmp_path, env=NOTHING)


@pytest.mark.parametrize(
    ("variable", "place", "format"),
    [
        ("CLAUDE_CONFIG_DIR", "projects/-src/6b0e0000.jsonl", "claude-code"),
        ("XDG_CONFIG_HOME", "claude/projects/-src/6b0e0000.jsonl", "claude-code"),
        ("CODEX_HOME", f"sessions/2026/03/01/{CODEX}", "codex"),
        ("CODEX_HOME", f"archived_sessions/{CODEX}", "codex"),
        ("GEMINI_CLI_HOME", ".gemini/tmp/abc/chats/session-1-0a0a.json", "gemini-cli"),
        ("PI_CODING_AGENT_DIR", "sessions/--src--/1_0f0e0000.jsonl", "pi"),
    ],
)
def test_agents_that_are_told_to_keep_them_elsewhere(
    tmp_path: Path, variable: str, place: str, format: str
) -> None:
    _, name = PLACES[format]
    path = put(tmp_path / "elsewhere", place, name)
    found = find(tmp_path, **{variable: str(tmp_path / "elsewhere")})
    assert [(f.path, f.session_id) for f in found] == [(path, IDS[format])]


def test_opencode_is_found_in_either_place(tmp_path: Path) -> None:
    data = tmp_path / "opencode"
    first = storage(data / "storage", export(), child())
    env = {"XDG_DATA_HOME": str(tmp_path)}
    assert [f.path for f in found_sessions(home=tmp_path / "h", env=env)] == [first]
    database(data / "opencode.db", export())
    (found,) = found_sessions(home=tmp_path / "h", env=env)
    assert (found.path.name, found.thread) == ("opencode.db", "ses_1")


def test_a_damaged_database_hides_no_other_session(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "copy"
    shutil.copytree(home / ".claude", other / ".claude")
    data = other / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    (data / "opencode.db").write_bytes(b"SQLite format 3\0rubbish")
    sqlite3.connect(data / "opencode-dev.db").close()
    assert [f.format for f in find(other)] == ["claude-code"]
    shutil.rmtree(other)


def test_files_of_sub_agents_and_empty_ones_are_no_sessions(tmp_path: Path) -> None:
    folder = ".claude/projects/-src-app"
    put(tmp_path, f"{folder}/agent-x.jsonl", "claude_code_forks.jsonl")
    put(tmp_path, f"{folder}/6b0e0000/subagents/agent-y.jsonl", "claude_code_forks.jsonl")
    (tmp_path / folder / "empty.jsonl").touch()
    assert find(tmp_path) == []


def test_a_gemini_chat_that_went_on_in_the_new_form_is_one(tmp_path: Path) -> None:
    place = ".gemini/tmp/abc/chats/session-1-0a0a"
    put(tmp_path, f"{place}.json", "gemini_cli.json")
    newer = put(tmp_path, f"{place}.jsonl", "gemini_cli.jsonl")
    assert [f.path for f in find(tmp_path)] == [newer]


# -- names ----------------------------------------------------------------------------------------


def test_latest_is_the_newest_in_which_something_was_said(home: Path, tmp_path: Path) -> None:
    latest = resolve("latest", home=home, env=NOTHING)
    assert latest == Target(str(home / PLACES["claude-code"][0]))
    other = tmp_path / "copy"
    put(other, PLACES["pi"][0], "pi.jsonl", age=5)
    silent = other / ".claude" / "projects" / "-x" / "never-began.jsonl"
    silent.parent.mkdir(parents=True)
    silent.write_text(json.dumps({"type": "summary", "summary": "x", "leafUuid": "y"}) + "\n")
    assert resolve("latest", home=other, env=NOTHING).path.endswith("_0f0e0000.jsonl")
    shutil.rmtree(other)


@pytest.mark.parametrize("name", ["019c0000-0000-7000-8000-000000000001", "019c", "019C0000"])
def test_an_id_or_its_beginning(home: Path, name: str) -> None:
    assert resolve(name, home=home, env=NOTHING) == Target(str(home / PLACES["codex"][0]))


def test_the_id_of_a_session_in_a_database(home: Path) -> None:
    target = resolve("ses_1", home=home, env=NOTHING)
    assert target.thread == "ses_1"
    assert target.path.endswith("opencode.db")


def test_a_beginning_that_fits_several_names_them(tmp_path: Path) -> None:
    for id in ("abcd1111", "abcd2222"):
        put(tmp_path, f".claude/projects/-x/{id}.jsonl", "claude_code_forks.jsonl")
    with pytest.raises(UsageError, match=r"'abcd' is the beginning of 2 .* abcd1111, abcd2222"):
        resolve("abcd", home=tmp_path, env=NOTHING)
    put(tmp_path, ".claude/projects/-x/abcd.jsonl", "claude_code_forks.jsonl")
    assert resolve("abcd", home=tmp_path, env=NOTHING).path.endswith("abcd.jsonl")


def test_a_name_that_means_nothing(home: Path) -> None:
    with pytest.raises(InputError, match="nothing-like-it: no such file, and no session"):
        resolve("nothing-like-it", home=home, env=NOTHING)


def test_paths_and_standard_input_are_taken_as_they_are(home: Path) -> None:
    for name in ("-", str(home / "anything.jsonl"), str(home)):
        assert resolve(name, home=home, env=NOTHING) == Target(name)


def test_a_file_wins_over_an_id(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home.parent / f"{home.name}-here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "019c").touch()
    assert resolve("019c", home=home, env=NOTHING) == Target("019c")
