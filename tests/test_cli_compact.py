"""`trimtab compact` and `recall`: smaller, the same form, nothing lost or half written."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import RECORDS, Command, chat, session_with_tools, written
from tests.histories import DIALECTS, requests
from trimtab.context.blocks import block_id
from trimtab.errors import StoreError
from trimtab.formats.wire import read_request
from trimtab.history.rules import validate
from trimtab.store import BlockFolder, block_rows
from trimtab.store.open import open_store

CHARS = ("--unit", "chars")


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path, session_with_tools())


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


# -- what is written -------------------------------------------------------------------------------


def test_records_to_standard_output(command: Command) -> None:
    result = command("compact", RECORDS, *CHARS, "--budget", "50%")
    assert result.exit_code == 0
    kept = lines(result.stdout_bytes)
    texts = [record["content"] for record in kept]
    assert len("\n".join(texts)) == 111
    assert [record["id"] for record in kept] == ["r1", "r3", "r6", "r9", "r12"]
    given = RECORDS.read_bytes().splitlines()
    assert {json.dumps(record) for record in kept} <= {json.dumps(json.loads(g)) for g in given}


def test_a_budget_that_is_met_changes_nothing(command: Command, session: Path) -> None:
    result = command("compact", session, "--budget", "100%")
    assert json.loads(result.stdout_bytes) == session_with_tools()
    assert command.blocks == []


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_request_keeps_its_shape(dialect: str, command: Command, data: st.DataObject) -> None:
    value = data.draw(requests(dialect))
    words = ("compact", "-", *CHARS, "--format", dialect, "--budget")
    whole = command(*words, "100%", input=json.dumps(value))
    assert whole.exit_code == 0, whole.output
    assert json.loads(whole.stdout_bytes) == value
    part = command(*words, "60%", input=json.dumps(value))
    if part.exit_code == 3:
        assert part.stdout_bytes == b""
        return
    assert part.exit_code == 0, part.output
    less = json.loads(part.stdout_bytes)
    assert isinstance(less, type(value))
    if isinstance(value, dict):
        assert less.keys() == value.keys()
    read = read_request(less, dialect)
    assert not validate(read, dialect, tools=read.tools, envelope=read.envelope)


def test_one_message_a_line_or_one_list(command: Command, tmp_path: Path) -> None:
    records = lines(RECORDS.read_bytes())
    as_list = command("compact", written(tmp_path, records), *CHARS, "--budget", "50%")
    assert [r["id"] for r in json.loads(as_list.stdout_bytes)] == ["r1", "r3", "r6", "r9", "r12"]
    from_pipe = command("compact", "-", *CHARS, "--budget", "50%", input=RECORDS.read_bytes())
    assert len(from_pipe.stdout_bytes.splitlines()) == 5
    packed = tmp_path / "records.jsonl.gz"
    packed.write_bytes(gzip.compress(RECORDS.read_bytes()))
    unpacked = command("compact", packed, *CHARS, "--budget", "50%")
    assert unpacked.stdout_bytes == from_pipe.stdout_bytes


@pytest.mark.parametrize("to", ["anthropic", "openai", "responses", "neutral"])
def test_to_another_format(command: Command, session: Path, to: str) -> None:
    result = command("compact", session, "--budget", "60%", "--to", to)
    assert result.exit_code == 0
    value = lines(result.stdout_bytes) if to == "neutral" else json.loads(result.stdout_bytes)
    assert not validate(read_request(value, to), to)
    told = [line for line in result.stderr.splitlines() if line.startswith("not carried over: ")]
    assert bool(told) == (to != "anthropic")


def test_a_transcript_becomes_neutral_lines(command: Command, shared_sessions: Path) -> None:
    path = shared_sessions / "claude-code" / "with-agents.jsonl"
    result = command("compact", path, "--budget", "30k")
    assert result.exit_code == 0
    kept = lines(result.stdout_bytes)
    assert {"role", "content"} <= set(kept[0])
    request = command("compact", path, "--budget", "30k", "--to", "openai")
    assert json.loads(request.stdout_bytes)["messages"][0]["role"] == "user"


def test_lone_surrogates_survive(command: Command, tmp_path: Path) -> None:
    value = chat(("user", "a\ud800b"), ("assistant", "ok"))
    path = written(tmp_path, value)
    for to in ((), ("--to", "openai")):
        result = command("compact", path, "--budget", "100%", *to)
        assert json.loads(result.stdout_bytes)["messages"] == value["messages"]


# -- the budget ------------------------------------------------------------------------------------


def test_percent_reserve_and_model(command: Command, session: Path) -> None:
    whole = command.json("compact", session, "--budget", "100%", "--json")
    half = command.json("compact", session, "--budget", "50%", "--json")
    assert half["before"] == whole["before"] == whole["budget"]
    assert half["budget"] == whole["before"] // 2
    assert half["after"] <= half["budget"]
    kept_free = command.json("compact", session, "--budget", "80%", "--reserve", "100", "--json")
    assert kept_free["after"] <= kept_free["budget"] - 100
    other = command.json("compact", session, "--budget", "100%", "--json", "--model", "gpt-4o")
    assert other["before"] != whole["before"]


@pytest.mark.parametrize("policy", ["slim", "pipeline", "auto:keep=1"])
def test_only_the_named_fields_of_json(command: Command, tmp_path: Path, policy: str) -> None:
    rows = json.dumps([{"id": n, "name": f"n{n}", "note": "words " * 9} for n in range(90)])
    call = {"id": "a", "type": "function", "function": {"name": "rows", "arguments": "{}"}}
    later = {"id": "b", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    session = [
        {"role": "user", "content": "List them."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": rows},
        {"role": "assistant", "content": None, "tool_calls": [later]},
        {"role": "tool", "tool_call_id": "b", "content": "pong"},
    ]
    given = written(tmp_path, {"model": "gpt-5", "messages": session})
    for fields, shown in (("id, note", False), ("[].name", True)):
        words = ("--policy", policy, "--budget", "60%", "--fields", fields)
        result = command("compact", given, *words)
        assert result.exit_code == 0, result.stderr
        text = json.loads(result.stdout_bytes)["messages"][2]["content"]
        assert "[slimmed: JSON" in text
        assert ('"name": "n0"' in text, '"id": 0' in text) == (shown, not shown)


def test_infeasible(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ("compact", RECORDS, *CHARS, "--budget", "25%")
    for more in ((), ("-o", out), ("--explain",), ("--json",)):
        line = command.refused(*words, *more, exit=3)
        assert line.startswith("required-first: needs 92 chars, 64 available; does not fit: ")
        assert "message 8 (required, user): 28 chars" in line
    assert not out.exists()
    assert command.blocks == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "needs a budget"),
        (("--budget", "many"), "size 'many'"),
        (("--budget", "0%"), "must be above 0"),
        (("--budget", "9", "--reserve", "9"), "must be below the limit"),
        (("--budget", "9", "--policy", "frob"), "policy 'frob' is unknown"),
        (("--budget", "9", "--policy", "prune:N=x"), "N='x' is not of the type int"),
        (("--budget", "100%", "--explain", "-o", "-"), "give -o a file"),
        (("--budget", "9", "--policy", "slim", "--fields", " , "), "--fields names no field"),
        (("--budget", "9", "--policy", "cliff", "--fields", "id"), "cliff slims nothing"),
    ],
)
def test_bad_usage(command: Command, words: tuple[str, ...], said: str) -> None:
    assert said in command.refused("compact", RECORDS, *words)


# -- the explanation -------------------------------------------------------------------------------


def test_explained_as_json(command: Command) -> None:
    words = ("compact", RECORDS, *CHARS, "--budget", "50%", "--explain", "--json")
    explained = command.json(*words)
    assert {"edits", "before", "after"} <= explained.keys()
    assert (explained["before"], explained["after"]) == (256, 111)
    keys = ["kind", "target", "reason", "block", "tokens_before", "tokens_after"]
    for edit in explained["edits"]:
        assert list(edit) == keys
        assert edit["kind"] == "drop"
        assert edit["reason"]
    assert [edit["target"] for edit in explained["edits"]][:2] == ["message 1", "message 3"]
    named = {edit["block"] for edit in explained["edits"]}
    assert set(command.blocks) == named  # each id that is named can be recalled


def test_explained_for_people(command: Command) -> None:
    result = command("compact", RECORDS, *CHARS, "--budget", "50%", "--explain")
    assert result.stderr == ""
    assert "256 → 111 chars" in result.stdout
    explained = command.json("compact", RECORDS, *CHARS, "--budget", "50%", "--json")
    for edit in explained["edits"]:
        assert edit["block"] in result.stdout
        assert edit["reason"] in result.stdout
    unchanged = command("compact", RECORDS, *CHARS, "--budget", "100%", "--explain")
    assert "Nothing had to leave." in unchanged.stdout


def test_a_summary_is_no_block(command: Command, session: Path) -> None:
    words = ("compact", session, "--policy", "prune:N=1,W=2", "--budget", "100%", "--json")
    edits = command.json(*words)["edits"]
    summaries = [edit for edit in edits if edit["kind"] == "summarise"]
    assert [edit["block"] for edit in summaries] == [None]
    assert summaries[0]["tokens_after"] > 0


# -- the store -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy",
    ["required-first", "clear-tool-results:trigger=1,keep=1", "prune:N=1", "truncate:messages=3"],
)
def test_what_left_can_be_recalled(
    command: Command, session: Path, tmp_path: Path, policy: str
) -> None:
    out = tmp_path / "less.json"
    budget = "60%" if policy == "required-first" else "100%"
    words = ("compact", session, "--policy", policy, "--budget", budget, "-o", out, "--json")
    edits = command.json(*words)["edits"]
    ids = {edit["block"] for edit in edits if edit["block"]}
    assert ids
    assert set(command.blocks) == ids
    for id in ids:
        result = command("recall", id)
        assert result.exit_code == 0
        assert block_id(result.stdout_bytes) == id
    text = session.read_text("utf-8") + json.dumps(session_with_tools(), separators=(",", ":"))
    if policy.startswith("clear"):
        recalled = [command("recall", id).stdout for id in ids]
        assert all(json.dumps(piece)[1:-1] in text for piece in recalled)
        placeholders = json.dumps(json.loads(out.read_bytes()))
        assert all(id in placeholders for id in ids)


def test_recall_ranges(command: Command, tmp_path: Path) -> None:
    value = session_with_tools()
    text = "one\ntwo\nthree 3\nfo\ud800ur 四\n" + "x yes " * 90
    value["messages"][2]["content"][0]["content"] = text
    path = written(tmp_path, value)
    policy = "clear-tool-results:trigger=1,keep=0"
    words = ("compact", path, "--policy", policy, "--budget", "100%", "-o", tmp_path / "o.json")
    edits = command.json(*words, "--json")["edits"]
    id = next(edit["block"] for edit in edits if "message 3," in edit["target"])
    whole = text.encode("utf-8", "surrogatepass")
    assert command("recall", id).stdout_bytes == whole
    for option, wanted, found in [
        ("--lines", "2:3", b"two\nthree 3\n"),
        ("--lines", "2", b"two\n"),
        ("--lines", "3:", whole[8:]),
        ("--lines", ":1", b"one\n"),
        ("--lines", "4:99", whole[16:]),
        ("--chars", "1:3", b"one"),
        ("--chars", "19:19", "\ud800".encode("utf-8", "surrogatepass")),
        ("--chars", "23:23", "四".encode()),
    ]:
        assert command("recall", id, option, wanted).stdout_bytes == found, (option, wanted)
    for option, wanted, said in [
        ("--lines", "9:", "has 5 lines"),
        ("--lines", "0:2", "starts at 1"),
        ("--lines", "3:2", "does not end before it starts"),
        ("--lines", "x", "write A:B"),
        ("--chars", ":", "write A:B"),
    ]:
        assert said in command.refused("recall", id, option, wanted)


def test_recall_of_what_is_not_there_or_damaged(command: Command) -> None:
    assert "no block blk_000000000000" in command.refused("recall", "blk_000000000000")
    assert "does not begin a block id" in command.refused("recall", "../../etc/passwd")
    assert not command.place.exists()  # reading makes no store
    command("compact", RECORDS, *CHARS, "--budget", "50%")
    with sqlite3.connect(command.place) as db:
        db.execute("UPDATE blocks SET data = x'00ff' WHERE id = ?", [command.blocks[0]])
    db.close()
    assert "damaged" in command.refused("recall", command.blocks[0])
    assert command("recall", command.blocks[1]).exit_code == 0


def test_the_beginning_of_an_id_is_enough(command: Command) -> None:
    command("compact", RECORDS, *CHARS, "--budget", "50%")
    ids = command.blocks
    for id in ids:
        length = next(n for n in range(5, 17) if sum(i.startswith(id[:n]) for i in ids) == 1)
        found = command.json("recall", id[:length].upper().removeprefix("BLK_"), "--json")
        assert found["block"] == id
        assert block_id(found["data"].encode()) == id
    assert "no block here" in command.refused("recall", "blk_000")


def test_blocks_in_the_folder_of_earlier_versions_are_found(command: Command) -> None:
    """They are only read: nothing is written there, and the store comes first."""
    folder = BlockFolder(command.home / "trimtab" / "blocks")
    old = folder.put(b"kept before there was a store")
    files = sorted(folder.path.rglob("*"))
    for typed in (old, old[:10], old.removeprefix("blk_")):
        assert command("recall", typed).stdout == "kept before there was a store"
        assert command("recall", typed, "--chars", "1:4").stdout == "kept"
    command("compact", RECORDS, *CHARS, "--budget", "50%")
    assert command("recall", old).exit_code == 0
    assert old not in command.blocks
    assert sorted(folder.path.rglob("*")) == files
    assert command.json("store", "stats", "--json")["old_blocks"] == 1
    with command.store() as store:
        twin = next(
            data for data in (b"%d" % n for n in range(10_000)) if block_id(data)[4:6] == old[4:6]
        )
        other = store.put_block(twin)
    line = command.refused("recall", old[:6])
    assert "begins the ids of several blocks" in line
    assert old in line
    assert other in line


# -- files -----------------------------------------------------------------------------------------


def test_the_input_is_not_touched_unless_it_is_named(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(RECORDS.read_bytes())
    path.chmod(0o640)
    words = ("compact", path, *CHARS, "--budget", "50%")
    command(*words)
    command(*words, "--explain")
    assert path.read_bytes() == RECORDS.read_bytes()
    result = command(*words, "-o", path)
    assert result.exit_code == 0
    assert len(path.read_bytes().splitlines()) == 5
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "256 → 111 chars" in result.stderr
    assert result.stdout == ""


@pytest.mark.skipif(os.name == "nt", reason="modes and links of Unix")
def test_a_new_file_has_the_usual_mode_and_a_link_stays(command: Command, tmp_path: Path) -> None:
    out, link = tmp_path / "out.jsonl", tmp_path / "link.jsonl"
    old = os.umask(0o027)
    try:
        command("compact", RECORDS, *CHARS, "--budget", "50%", "-o", out)
    finally:
        os.umask(old)
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    link.symlink_to(out)
    command("compact", RECORDS, *CHARS, "--budget", "70%", "-o", link)
    assert link.is_symlink()
    assert len(out.read_bytes().splitlines()) > 5


def test_a_device_is_written_to_and_not_replaced(command: Command) -> None:
    assert command("compact", RECORDS, *CHARS, "--budget", "50%", "-o", os.devnull).exit_code == 0
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "home")


@pytest.mark.parametrize("fails", ["write", "replace", "store"])
def test_a_failure_leaves_everything_as_it_was(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"before")
    real = os.replace

    def full(source: str, target: str) -> None:
        if fails == "replace" and str(target).endswith(out.name):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    def no_sync(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "replace", full)
    if fails == "write":
        monkeypatch.setattr(os, "fsync", no_sync)
    if fails == "store":
        command.home.mkdir()
        (command.home / "trimtab").write_text("a file where the store would be")
    line = command.refused("compact", RECORDS, *CHARS, "--budget", "50%", "-o", out)
    assert ("cannot be opened" if fails == "store" else "cannot be written") in line
    assert out.read_bytes() == b"before"
    assert leftovers(tmp_path) == ["out.jsonl"]
    if fails == "write":
        assert command.blocks == []


def test_the_store_comes_before_the_output(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[list[str]] = []
    real = os.replace

    def watched(source: str, target: str) -> None:
        kept.append(command.blocks)
        real(source, target)

    monkeypatch.setattr(os, "replace", watched)
    command("compact", RECORDS, *CHARS, "--budget", "50%", "-o", tmp_path / "out.jsonl")
    assert [len(blocks) for blocks in kept] == [7]


def test_all_blocks_are_kept_or_none(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the fourth of seven."""
    real, count = block_rows.add_block, []

    def full(*args: Any) -> str:
        count.append(args)
        if len(count) == 4:
            raise StoreError("the disk is full")
        return real(*args)

    monkeypatch.setattr(block_rows, "add_block", full)
    out = tmp_path / "out.jsonl"
    words = ("compact", RECORDS, *CHARS, "--budget", "50%", "-o", out)
    assert "the disk is full" in command.refused(*words)
    assert len(count) == 4
    assert command.blocks == []
    assert not out.exists()


def test_another_store(command: Command, tmp_path: Path) -> None:
    place = tmp_path / "other" / "s.db"
    words = ("compact", RECORDS, *CHARS, "--budget", "50%")
    command(*words, "--store", f"sqlite:///{place}")
    assert command.blocks == []
    with open_store(place) as store:
        ids = list(store.block_ids())
    assert len(ids) == 7
    assert command("recall", ids[0], "--store", place).exit_code == 0
    assert command("recall", ids[0], TRIMTAB_STORE=str(place)).exit_code == 0
    assert "no block" in command.refused("recall", ids[0])
    missing = tmp_path / "no.db"
    line = command.refused("recall", ids[0], "--store", missing)
    assert line == f"{missing}: there is no store here"
    assert not missing.exists()
    assert "is not known" in command.refused(*words, "--store", "mysql://x")


@pytest.mark.parametrize(
    ("place", "said"), [("missing/out.json", "No such file"), (".", "it is a directory")]
)
def test_an_output_that_cannot_be(command: Command, tmp_path: Path, place: str, said: str) -> None:
    words = ("compact", RECORDS, *CHARS, "--budget", "50%", "-o", tmp_path / place)
    line = command.refused(*words)
    assert "cannot be written" in line
    assert said in line
    assert command.blocks == []


def test_in_a_process_of_its_own(command: Command) -> None:
    words = ("compact", "-", *CHARS, "--budget")
    done = command.apart(*words, "50%", input=RECORDS.read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.splitlines()) == 5
    id = command.blocks[0]
    assert block_id(command.apart("recall", id).stdout) == id
    done = command.apart(*words, "25%", input=RECORDS.read_bytes())
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.count(b"\n") == 1
