"""Stored sessions on the command line: listed, shown, exported, restored, named like files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command, chat, written
from tests.recorded import TASK, recorded, tool_loop
from tests.test_cli_files import claude_code
from trimtab import Session
from trimtab.context.blocks import block_id
from trimtab.context.writing import write
from trimtab.formats.wire import read_request
from trimtab.history.rules import validate


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


@pytest.fixture
def id(command: Command) -> str:
    return recorded(command)


def context_of(command: Command, id: str) -> Any:
    with command.store() as store, Session.restore(id, store=store) as session:
        return write(session.view).value


FOUND = "0aa11bb2-1111-4222-8333-444455556666"


def left_by_an_agent(command: Command, id: str = FOUND) -> None:
    folder = command.home / ".claude" / "projects" / "-home-me"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{id}.jsonl").write_text(claude_code("Who left this?"))


# -- sessions --------------------------------------------------------------------------------------


def test_stored_and_found_sessions_are_listed_apart(command: Command, id: str) -> None:
    recorded(command, "ses_second", title="The second")
    left_by_an_agent(command)
    text = command("sessions").stdout
    stored, found = text.index("Stored by trimtab"), text.index("Left by agents on this machine")
    assert stored < text.index("The second") < text.index("Read the files") < found
    assert found < text.index("Who left this?")
    both = command.json("sessions", "--json")
    assert [s["session_id"] for s in both["stored"]] == ["ses_second", id]
    assert both["stored"][1] == {
        "session_id": id,
        "format": "anthropic",
        "model": "claude-sonnet-4-5",
        "created": both["stored"][1]["created"],
        "updated": both["stored"][1]["updated"],
        "messages": 26,
        "events": both["stored"][1]["events"],
        "title": TASK,
    }
    assert [s["session_id"] for s in both["sessions"]] == [FOUND]
    assert command.json("sessions", "--stored", "--json").keys() == {"stored"}
    assert command.json("sessions", "--found", "--json").keys() == {"sessions"}
    assert "Who left this?" not in command("sessions", "--stored").stdout
    assert "Stored" not in command("sessions", "--found").stdout
    assert command("inspect").stdout == text  # without FILE


def test_only_the_newest_stored_sessions_are_listed(command: Command) -> None:
    with command.store() as store:
        for n in range(25):
            store.create_session(f"ses_{n:05}", dialect="neutral", model=None, title=f"number {n}")
    assert "and 5 older ones: trimtab sessions --stored --all" in command("sessions").stdout
    listed = command.json("sessions", "--json")["stored"]
    assert [s["title"] for s in listed] == [f"number {n}" for n in range(24, 4, -1)]
    assert len(command.json("sessions", "--all", "--json")["stored"]) == 25


def test_without_any_session(command: Command) -> None:
    assert command.refused("sessions", "--stored") == "no session is stored here"
    line = command.refused("sessions", "--found")
    assert line == "no agent has left a session in its usual place here"
    assert not command.place.exists()


def test_a_broken_store_hides_no_found_session(command: Command) -> None:
    left_by_an_agent(command)
    command.place.parent.mkdir()
    command.place.write_bytes(b"no database" * 100)
    for words in (["sessions"], ["inspect", FOUND[:6]]):
        result = command(*words)
        assert result.exit_code == 0
        assert "Who left this?" in result.stdout
        (line,) = result.stderr.splitlines()
        assert str(command.place) in line
    command.refused("sessions", "--stored")
    assert str(command.place) in command.refused("inspect", FOUND, "--store", command.place)


# -- a stored session as a FILE --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ses_first0001", "ses_f", "SES_FIRST"])
def test_every_command_takes_its_id(command: Command, id: str, name: str) -> None:
    context = context_of(command, id)
    assert json.loads(command("convert", name, "--to", "anthropic").stdout_bytes) == context
    inspected = command.json("inspect", name, "--json")["sessions"][0]
    assert (inspected["file"], inspected["format"]) == (id, "anthropic")
    assert inspected["messages"] == 26
    whole = command.json("inspect", name, "--whole", "--json")["sessions"][0]
    assert whole["size"] > inspected["size"]
    assert command.json("validate", name, "--json")["files"][0]["valid"]
    assert command.json("compare", name, "--policies", "append", "--json")["rows"]
    small = json.loads(command("compact", name, "--budget", "60%").stdout_bytes)
    assert len(small["messages"]) < len(context["messages"])
    assert small["system"] == context["system"]
    history = read_request(small)
    assert not validate(history, "anthropic", tools=history.tools, envelope=history.envelope)
    rules = {p["rule"] for p in command.json("pins", name, "--json")["files"][0]["pins"]}
    assert {"system", "first-task"} <= rules


def test_what_compact_takes_from_it_can_be_recalled(
    command: Command, id: str, tmp_path: Path
) -> None:
    words = ("compact", id, "--budget", "50%", "-o", tmp_path / "o.json", "--json")
    for edit in command.json(*words)["edits"]:
        assert edit["block"] is None or command("recall", edit["block"]).exit_code == 0


def test_a_file_comes_before_an_id_and_an_ambiguous_beginning_is_told(
    command: Command, id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(command, "ses_first0002")
    line = command.refused("inspect", "ses_first")
    assert line == ("'ses_first' is the beginning of 2 session ids: ses_first0002, ses_first0001")
    assert command("inspect", id).exit_code == 0
    recorded(command, "0aa11bb2-stored")
    left_by_an_agent(command)
    assert "is the beginning of 2 session ids" in command.refused("inspect", "0aa11bb2")
    assert "Who left this?" in command("inspect", "0aa11bb2-1").stdout
    monkeypatch.chdir(tmp_path)
    written(tmp_path, chat(("user", "from the file")), id)
    assert "from the file" in command("pins", id).stdout


def test_what_a_stored_session_has_not(command: Command, id: str) -> None:
    assert "has no threads" in command.refused("inspect", id, "--thread", "x")
    line = command.refused("inspect", "ses_nothing")
    assert line.startswith("ses_nothing: no such file, and no session")


def test_a_session_of_another_program(command: Command) -> None:
    with command.store() as store:
        store.create_session("theirs_01", dialect="neutral", model=None)
        store.append("theirs_01", 0, [("message", b"[1, 2]"), ("odd", b"\xff")])
    assert command("sessions").exit_code == 0
    for words in (["inspect"], ["session", "show"], ["session", "restore"]):
        assert "was not recorded by trimtab.Session" in command.refused(*words, "theirs_01")
    assert command("session", "export", "theirs_01").exit_code == 0


# -- session show ----------------------------------------------------------------------------------


def test_show_tells_what_happened(command: Command, id: str) -> None:
    with command.store() as store, Session.restore(id, store=store) as session:
        session.finish_stage("all files are read")
        change = session.events[0]
        session.undo(change)
        session.pin("Never write")
        session.unpin(1)
        size, live = session.size, len(session.view)
        history = session.history
    told = command.json("session", "show", id, "--json")
    assert (told["session_id"], told["messages"]) == (id, 26)
    assert told["context"]["messages"] == live
    assert abs(told["context"]["size"] - size) < size // 10
    assert told["size"] > told["context"]["size"]
    assert told["policy"] == "clear-tool-results:trigger=2000,keep=2"
    kinds = [event["kind"] for event in told["events"]]
    assert [event["event"] for event in told["events"]] == list(range(len(kinds)))
    assert kinds.count("message") == 26
    assert kinds[-3:] == ["undo", "mark", "mark"]
    assert "stage" in kinds[-5:-3]
    messages = [event for event in told["events"] if event["kind"] == "message"]
    assert [event["message"] for event in messages] == list(range(26))
    assert [event["turn"] for event in messages] == [0, 0, *(n for n in range(1, 13) for _ in "ab")]
    assert {event["context"] for event in messages} == {"whole", "changed"}
    assert [event["role"] for event in messages] == [message.role for message in history]
    assert [event["holds"] for event in messages][2:4] == [["text", "call of read"], ["result"]]
    edits = [
        edit for event in told["events"] if event["kind"] == "edits" for edit in event["edits"]
    ]
    assert edits
    for edit in edits:
        assert edit["reason"]
        assert block_id(command("recall", edit["block"]).stdout_bytes) == edit["block"]
    text = " ".join(command("session", "show", id, "--all").stdout.split())  # however it folds
    for said in (
        "all files are read",
        "takes back the edits of event",
        "edits by clear-tool-results",
        "need not stay",
        edits[0]["block"],
        "What must stay",
    ):
        assert said in text, said


def test_show_of_a_long_session_ends_with_the_newest(command: Command) -> None:
    id = recorded(command, budget=8_000, messages=tool_loop(40))
    text = command("session", "show", id).stdout
    assert "earlier events: trimtab session show" in text
    assert "Now file 39." in text
    assert "Now file 1." not in text
    assert "Now file 1." in command("session", "show", id, "--all").stdout


def test_show_of_what_is_not_there(command: Command) -> None:
    for verb in ("show", "export", "restore"):
        line = command.refused("session", verb, "ses_nothing")
        assert line == "no session 'ses_nothing' is stored here; `trimtab sessions` lists them"
    assert not command.place.exists()


# -- export and restore ----------------------------------------------------------------------------


def test_an_exported_session_is_read_elsewhere(command: Command, id: str, tmp_path: Path) -> None:
    before = context_of(command, id)
    out, other = tmp_path / "s.jsonl", tmp_path / "other.db"
    assert command("session", "export", id, "-o", out).stdout == ""
    assert command("session", "export", id[:6]).stdout_bytes == out.read_bytes()
    assert all(isinstance(json.loads(line), dict) for line in out.read_bytes().splitlines())
    result = command("store", "import", out, "--store", other)
    assert result.stdout == "imported 1 session, 0 blocks, 0 notes, 0 memory files\n"
    again = json.loads(command("session", "restore", id, "--store", other).stdout_bytes)
    assert again == before
    ids = set(re.findall("blk_[0-9a-z]{12}", json.dumps(again)))
    assert ids
    for block in ids:
        assert command("recall", block, "--store", other).stdout_bytes == (
            command("recall", block).stdout_bytes
        )


@pytest.mark.parametrize("to", [None, "anthropic", "openai", "responses", "neutral"])
def test_restore_writes_what_would_be_sent(
    command: Command, id: str, tmp_path: Path, to: str | None
) -> None:
    words = ["session", "restore", id, *(["--to", to] if to else [])]
    result = command(*words)
    assert result.exit_code == 0
    if to == "neutral":
        value: Any = [json.loads(line) for line in result.stdout_bytes.splitlines()]
    else:
        value = json.loads(result.stdout_bytes)
    if to in (None, "anthropic"):
        assert value == context_of(command, id)
    assert not validate(read_request(value, to), to or "anthropic")
    out = tmp_path / "request.json"
    assert command(*words, "-o", out).stdout == ""
    assert out.read_bytes() == result.stdout_bytes


def test_an_export_that_cannot_be_written(command: Command, id: str, tmp_path: Path) -> None:
    out = tmp_path / "no" / "s.jsonl"
    assert "cannot be written" in command.refused("session", "export", id, "-o", out)
    assert not out.exists()


# -- pin and unpin ---------------------------------------------------------------------------------


def test_pin_and_unpin(command: Command, id: str) -> None:
    def pinned() -> dict[int, str]:
        (file,) = command.json("pins", id, "--json")["files"]
        return {pin["message"]: pin["rule"] for pin in file["pins"]}

    assert pinned() == {0: "system", 1: "first-task"}
    result = command("pin", id[:6], "Now file 11")
    assert result.stdout == "message 24 (assistant) stays word for word: Now file 11.\n"
    assert command.json("pin", id, "-1", "--json") == {
        "session_id": id,
        "message": 25,
        "required": True,
        "text": "",
    }
    assert command("pin", id, 22).exit_code == 0
    assert pinned() == {0: "system", 1: "first-task", 22: "marked", 24: "marked", 25: "marked"}
    result = command("unpin", id, "Never write to the archive")
    assert result.stdout.startswith("message 1 (user) need not stay: Read the files.")
    command("unpin", id, 24)
    assert pinned() == {0: "system", 22: "marked", 25: "marked"}
    with command.store() as store, Session.restore(id, store=store) as session:
        assert dict(session.history.marks) == {24: False, 25: True, 22: True, 1: False}


def test_pins_of_what_cannot_be_pinned(command: Command, id: str) -> None:
    assert "there is no message 99" in command.refused("pin", id, 99)
    assert "no message holds the words" in command.refused("pin", id, "never said")
    assert "no session 'nothing'" in command.refused("pin", "nothing", 1)
    assert command("pin", id).exit_code == 2
    assert command.json("pins", RECORDS, "--json")["files"]  # a file, as before


def test_an_agent_that_holds_the_session_learns_of_a_pin(command: Command, id: str) -> None:
    with command.store() as store, Session.restore(id, store=store) as session:
        assert command("pin", id, 22).exit_code == 0
        session.refresh()
        assert session.history.marks[22]
        session.append({"role": "user", "content": "Go on."})
