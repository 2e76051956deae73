"""`trimtab store`, `memory` and `search`: what is kept, looked after from the command line."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command
from tests.postgres import new_url
from tests.recorded import recorded, tool_loop
from trimtab.store import BlockFolder
from trimtab.store.memory_tool import MemoryTool


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def filled(command: Command) -> None:
    """Two sessions, blocks of no session, notes and memory files."""
    recorded(command)
    recorded(command, "ses_second", messages=tool_loop(10, text="the sluice gate"))
    command("compact", RECORDS, "--unit", "chars", "--budget", "50%")
    with command.store() as store:
        store.put_note("budget limit", "2,000,000 円\n", "ses_second")
        store.put_note("policy id", "P-7")
        store.put_block(b"\xff\xfe no text")
        memory = MemoryTool.in_store(store)
        for path in ("a.md", "team/b.md", "team/c.md"):
            memory.call(
                {"command": "create", "path": f"/memories/{path}", "file_text": f"of {path}"}
            )


# -- store stats, gc, check ------------------------------------------------------------------------


def test_stats(command: Command) -> None:
    empty = command.json("store", "stats", "--json")
    assert (empty["sessions"], empty["blocks"], empty["bytes_on_disk"]) == (0, 0, 0)
    assert empty["store"] == str(command.place)
    assert not command.place.exists()
    filled(command)
    full = command.json("store", "stats", "--json")
    assert (full["sessions"], full["messages"], full["notes"]) == (2, 48, 2)
    assert full["memory_files"] == 3
    assert full["bytes_on_disk"] > 1000
    text = command("store", "stats").stdout
    assert str(command.place) in text
    for what in ("sessions", "events", "blocks", "notes", "memory files"):
        assert what in text


def aged(command: Command, days: float, session: str) -> None:
    """As if it had been written so long ago."""
    with sqlite3.connect(command.place) as db:
        then = time.time() - days * 86_400
        db.execute("UPDATE sessions SET updated = ? WHERE id = ?", [then, session])
        db.execute("UPDATE blocks SET touched = ?", [then])
    db.close()


def test_gc(command: Command) -> None:
    filled(command)
    before = set(command.blocks)
    aged(command, 40, "ses_second")
    line = command.refused("store", "gc", "--older-than", "30")
    assert line == "age '30': a number and s, m, h, d or w, such as 30d"
    assert command("store", "gc").exit_code == 2  # nothing goes without an age
    assert command.json("store", "gc", "--older-than", "6w", "--json")["removed"]["sessions"] == 0
    result = command("store", "gc", "--older-than", "30d")
    assert result.stdout.startswith("removed 1 session (")
    listed = command.json("sessions", "--stored", "--json")["stored"]
    assert [s["session_id"] for s in listed] == ["ses_first0001"]
    assert set(command.blocks) < before
    assert command("store", "check").exit_code == 0
    assert command.json("memory", "ls", "--json")["notes"]
    removed = command.json("store", "gc", "--older-than", "0s", "--json")["removed"]
    assert removed.keys() == {"sessions", "events", "blocks", "bytes"}
    assert removed["sessions"] == 1
    assert command.blocks == []


def test_check(command: Command) -> None:
    assert command("store", "check").stdout == "nothing is stored: all is well\n"
    filled(command)
    result = command("store", "check")
    assert (result.exit_code, result.stdout) == (0, f"{command.place}: all is well\n")
    assert command.json("store", "check", "--json") == {"problems": []}
    id = command.blocks[0]
    with sqlite3.connect(command.place) as db:
        db.execute("UPDATE blocks SET data = x'00ff' WHERE id = ?", [id])
    db.close()
    (problem,) = command.json("store", "check", "--json", exit=1)["problems"]
    assert id in problem
    result = command("store", "check")
    assert result.exit_code == 1
    assert id in result.stdout
    assert result.stdout.endswith("1 problem\n")


def test_check_looks_into_the_folder_of_earlier_versions(command: Command) -> None:
    folder = BlockFolder(command.home / "trimtab" / "blocks")
    id = folder.put(b"kept before")
    assert command("store", "check").exit_code == 0
    (file,) = folder.path.rglob("*.zst")
    file.write_bytes(file.read_bytes()[:-3])
    (problem,) = command.json("store", "check", "--json", exit=1)["problems"]
    assert id in problem


@pytest.mark.parametrize("damage", ["text", "newer"])
def test_a_store_that_cannot_be_used(command: Command, damage: str) -> None:
    filled(command)
    if damage == "text":
        command.place.write_bytes(b"no database" * 1000)
    else:
        with sqlite3.connect(command.place) as db:
            db.execute("UPDATE schema_version SET version = 999")
        db.close()
    before = command.place.read_bytes()
    for words in (
        ["store", "stats"],
        ["store", "check"],
        ["store", "gc", "--older-than", "1d"],
        ["store", "export"],
        ["search", "x"],
        ["memory", "ls"],
        ["session", "show", "ses_second"],
        ["recall", "blk_000000000000"],
        ["compact", RECORDS, "--unit", "chars", "--budget", "50%"],
    ):
        assert str(command.place) in command.refused(*words)
    assert command.place.read_bytes() == before


# -- store export and import -----------------------------------------------------------------------


def exported(command: Command, *words: object) -> list[Any]:
    result = command("store", "export", *words)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout_bytes.splitlines()]


def comparable(lines: list[Any]) -> list[Any]:
    return [{**line, "created": 0} if "created" in line else line for line in lines]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_all_of_a_store_moves_to_another(command: Command, tmp_path: Path, kind: str) -> None:
    filled(command)
    other = str(tmp_path / "other.db") if kind == "sqlite" else new_url()
    out = tmp_path / "all.jsonl"
    assert command("store", "export", "-o", out).stdout == ""
    result = command("store", "import", out, "--store", other)
    assert result.exit_code == 0, result.output
    assert result.stdout == "imported 2 sessions, 8 blocks, 2 notes, 3 memory files\n"
    assert comparable(exported(command, "--store", other)) == comparable(exported(command))
    assert command("store", "check", "--store", other).exit_code == 0
    again = command.json("store", "import", out, "--store", other, "--json")
    assert again == {"sessions": 0, "blocks": 0, "notes": 0, "files": 0, "known": 15, "left": []}
    piped = command("store", "import", "-", "--store", other, input=out.read_bytes())
    assert "15 things here already" in piped.stdout


def test_what_is_here_already_stays(command: Command, tmp_path: Path) -> None:
    filled(command)
    out = tmp_path / "all.jsonl"
    command("store", "export", "-o", out)
    with command.store() as store:
        store.put_note("policy id", "P-8")
        store.memory_put("/memories/a.md", b"newer")
        store.append("ses_second", store.session("ses_second").events, [("stage", b'{"note":""}')])
    result = command("store", "import", out)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "session ses_second: another one of this id is here; left out",
        "note 'policy id': another one of this name is here; left out",
        "memory file /memories/a.md: another one of this name is here; left out",
    ]
    assert command("memory", "cat", "--note", "policy id").stdout == "P-8"
    assert command("memory", "cat", "/memories/a.md").stdout == "newer"


def test_a_damaged_block_is_mended_by_an_import(command: Command, tmp_path: Path) -> None:
    command("compact", RECORDS, "--unit", "chars", "--budget", "50%")
    out = tmp_path / "all.jsonl"
    command("store", "export", "-o", out)
    id = command.blocks[0]
    whole = command("recall", id).stdout_bytes
    with sqlite3.connect(command.place) as db:
        db.execute("UPDATE blocks SET data = 'x' WHERE id = ?", [id])
    db.close()
    lost = [line for line in exported(command) if line.get("lone") == id]
    assert "lost" in lost[0]
    assert command.json("store", "import", out, "--json")["blocks"] == 1
    assert command("recall", id).stdout_bytes == whole
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text(json.dumps(lost[0]))
    left = command.json("store", "import", damaged, "--json", exit=1)["left"]
    assert id in left[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [], "line 1: empty"),
        (lambda lines: lines[:-1], "cut short: the line that ends a store is missing"),
        (lambda lines: lines[:30], "cut short"),
        (lambda lines: ["not JSON", *lines], "line 1: no JSON"),
        (lambda lines: ["[]"], "line 1: not a JSON object"),
        (lambda lines: ['{"a": 1}'], "neither session, block, note nor memory file"),
        (lambda lines: ['{"trimtab_store": 2}'], "no exported store of version 1"),
        (lambda lines: [*lines, '{"note": "x", "value": "y"}'], "there is more after the end"),
        (lambda lines: ['{"lone": "blk_000000000000", "data": "x"}'], "do not have its hash"),
        (lambda lines: ['{"lone": "blk_000000000000", "data": 5}'], "neither text nor base64"),
        (lambda lines: ['{"trimtab_session": 1, "id": 5}'], "session 5, which begins in line 1"),
    ],
)
def test_an_import_of_what_is_none(
    command: Command, tmp_path: Path, change: Any, said: str
) -> None:
    filled(command)
    lines = command("store", "export").stdout.splitlines()
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(change(lines)) + "\n")
    line = command.refused("store", "import", path, "--store", tmp_path / "other.db")
    assert line.startswith(f"{path}: ")
    assert said in line
    assert command("store", "check", "--store", tmp_path / "other.db").exit_code == 0


def test_an_import_of_what_is_not_there(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    assert command.refused("store", "import", path) == f"{path}: no such file or directory"
    assert "is a directory" in command.refused("store", "import", tmp_path)


# -- memory ----------------------------------------------------------------------------------------


def test_memory_ls_and_cat(command: Command) -> None:
    assert command("memory", "ls").stdout == "Nothing is kept.\n"
    filled(command)
    found = command.json("memory", "ls", "--json")
    assert [f["path"] for f in found["files"]] == [
        "/memories/a.md",
        "/memories/team/b.md",
        "/memories/team/c.md",
    ]
    assert found["files"][0]["size"] == len("of a.md")
    assert [(n["name"], n["value"], n["session_id"]) for n in found["notes"]] == [
        ("budget limit", "2,000,000 円\n", "ses_second"),
        ("policy id", "P-7", None),
    ]
    text = command("memory", "ls").stdout
    for said in ("Files", "/memories/team/b.md", "Notes", "budget limit", "2,000,000 円", "P-7"):
        assert said in text
    only = command.json("memory", "ls", "/memories/team", "--json")
    assert [len(only["files"]), len(only["notes"])] == [2, 0]
    assert command("memory", "cat", "/memories/team/b.md").stdout == "of team/b.md"
    assert command("memory", "cat", "--note", "budget limit").stdout == "2,000,000 円\n"
    assert command.json("memory", "cat", "/memories/a.md", "--json") == {
        "path": "/memories/a.md",
        "size": 7,
        "data": "of a.md",
    }
    assert command.json("memory", "cat", "--note", "policy id", "--json")["value"] == "P-7"


def test_memory_rm(command: Command) -> None:
    filled(command)
    assert "is a folder; rm takes it with -r" in command.refused("memory", "rm", "/memories/team")
    assert command("memory", "rm", "/memories/a.md").stdout == "removed 1 file\n"
    assert command.json("memory", "rm", "-r", "/memories/team", "--json") == {"removed": 2}
    assert command("memory", "rm", "--note", "policy id").stdout == "removed 1 note\n"
    left = command.json("memory", "ls", "--json")
    assert left["files"] == []
    assert [n["name"] for n in left["notes"]] == ["budget limit"]


@pytest.mark.parametrize("verb", ["cat", "rm"])
def test_memory_of_what_is_not_there(command: Command, verb: str) -> None:
    line = command.refused("memory", verb, "/memories/none")
    assert line == "there is no memory file /memories/none; `trimtab memory ls` lists them"
    assert "no note named 'none'" in command.refused("memory", verb, "--note", "none")
    for words in ([], ["/memories/a", "--note", "b"]):
        assert "name a path, or a note" in command.refused("memory", verb, *words)
    assert "there is no memory file" in command.refused("memory", "rm", "-r", "/memories/none")


# -- search ----------------------------------------------------------------------------------------


def test_search(command: Command) -> None:
    filled(command)
    for query in (["sluice", "gate"], ['"sluice gate"'], ["SLUICE"]):
        (hit,) = command.json("search", *query, "--json")["hits"]
        assert hit["session"] == "ses_second"
        assert hit["turn"] == 4
        assert "the sluice gate" in command("recall", hit["block"]).stdout
        text = command("search", *query).stdout
        assert hit["block"] in text
        assert "ses_seco" in text
    assert command.json("search", "予算", "--json")["hits"]
    assert len(command.json("search", "many", "--limit", "3", "--json")["hits"]) == 3
    within = command.json("search", "many", "--session", "ses_f", "--json")["hits"]
    assert {hit["session"] for hit in within} == {"ses_first0001"}
    assert command.json("search", "sluice", "--session", "ses_f", "--json")["hits"] == []
    assert command("search", "nothingofthekind").stdout == (
        "Nothing that left a stored session holds these words.\n"
    )


@pytest.mark.parametrize("query", ['"', "'", "AND OR NOT", "NEAR(", "*", "a:b", "-", "%", "\\"])
def test_no_query_is_an_error(command: Command, query: str) -> None:
    recorded(command)
    assert command("search", "--", query).exit_code == 0


def test_search_of_nothing(command: Command) -> None:
    assert command("search").exit_code == 2
    assert command("search", "x", "--limit", "0").exit_code == 2
    assert "no session 'nope'" in command.refused("search", "x", "--session", "nope")
    assert command.json("search", "x", "--json") == {"hits": []}
    assert not command.place.exists()


# -- all of them -----------------------------------------------------------------------------------

READING = [
    ["store", "stats"],
    ["store", "check"],
    ["memory", "ls"],
    ["search", "words"],
    ["sessions"],
    ["session", "show", "ses_second"],
    ["pins", "ses_second"],
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_on_postgresql_as_on_sqlite(command: Command, tmp_path: Path, words: list[str]) -> None:
    filled(command)
    url = new_url()
    out = tmp_path / "all.jsonl"
    command("store", "export", "-o", out)
    command("store", "import", out, "--store", url)
    here = command.json(*words, "--json")
    there = command.json(*words, "--json", "--store", url)
    assert here.keys() == there.keys()
    if words[0] == "pins":
        assert here == there
    assert json.loads(command(*words, "--json", TRIMTAB_STORE=url).stdout) == there
    assert command(*words, "--store", url).exit_code == 0


def test_a_store_that_does_not_answer(command: Command, tmp_path: Path) -> None:
    url = f"postgresql:///none?host={tmp_path}"
    for words in (["store", "stats"], ["search", "x"], ["recall", "blk_000000000000"]):
        line = command.refused(*words, "--store", url)
        assert "cannot" in line
        assert len(line) < 600


@pytest.mark.skipif(os.name == "nt", reason="modes of Unix")
def test_the_store_is_for_its_owner_only(command: Command) -> None:
    filled(command)
    assert command.place.stat().st_mode & 0o077 == 0
    assert command.place.parent.stat().st_mode & 0o077 == 0
