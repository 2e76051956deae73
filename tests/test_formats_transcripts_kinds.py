"""What is particular to a format: stores and folders, usage, compactions, calls without results."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.transcripts import GOLDEN, broken_rules, golden, told, written
from trimtab.errors import InputError, UnknownFormatError
from trimtab.formats.folder import sessions_in
from trimtab.formats.recording import Recording, read_recording, read_source
from trimtab.formats.source import Source
from trimtab.formats.wire import write_request
from trimtab.history.message import Usage

Json = dict[str, Any]


def read(rows: Any, **how: Any) -> Recording:
    """A list of rows as a file of one object a line; any other value as one JSON value."""
    if isinstance(rows, list):
        data = b"\n".join(json.dumps(row).encode() for row in rows)
    else:
        data = json.dumps(rows).encode()
    return read_source(Source("f", data, len(data)), **how)


# -- Codex ----------------------------------------------------------------------------------------


def item(**payload: Any) -> Json:
    return {"timestamp": "2026-03-01T11:00:00Z", "type": "response_item", "payload": payload}


def says(role: str, text: str) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}])


def event(**payload: Any) -> Json:
    return {"type": "event_msg", "payload": payload}


def tokens(sent: int, cached: int, output: int, total: int) -> Json:
    last = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": output}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return event(type="token_count", info=info)


def calls(id: str) -> Json:
    return item(type="function_call", name="exec", arguments="{}", call_id=id)


def answers(id: str, text: str = "ok") -> Json:
    return item(type="function_call_output", call_id=id, output=text)


def test_codex_usage_is_that_of_the_last_request_and_the_cached_part_of_it() -> None:
    recording = read(
        [
            says("user", "Go."),
            event(type="token_count", info=None),
            calls("c1"),
            tokens(1_000, 900, 10, 1_010),
            answers("c1"),
            says("assistant", "Done."),
            tokens(1_200, 1_000, 20, 2_230),
            tokens(1_200, 1_000, 20, 2_230),
        ]
    )
    usages = [m.usage for m in recording.history if m.usage]
    assert usages == [Usage(100, 900, 0, 10), Usage(200, 1_000, 0, 20)]
    assert [u.context for u in usages] == [1_000, 1_200]


def test_codex_events_repeat_items_and_are_not_read() -> None:
    rows = [says("user", "Go."), event(type="user_message", message="Go.")]
    rows += [says("assistant", "Done."), event(type="agent_message", message="Done.")]
    assert told(read(rows).history) == ["user*: Go.", "assistant: Done."]


@pytest.mark.parametrize(
    ("kind", "output"),
    [
        ("function_call", "function_call_output"),
        ("custom_tool_call", "custom_tool_call_output"),
        ("local_shell_call", "function_call_output"),
    ],
)
def test_codex_answers_a_call_without_output_as_codex_does(kind: str, output: str) -> None:
    lost = item(type=kind, call_id="c1", name="x", arguments="{}", input="", action={})
    recording = read([says("user", "Go."), lost, says("user", "Go on."), calls("c2")])
    made = recording.history[2]
    assert made.raw == {"type": output, "call_id": "c1", "output": "aborted"}
    assert [p.where for p in recording.problems] == ["f:2"]
    assert list(recording.history.exchanges.open_calls()) == ["c2"]
    assert broken_rules(recording.history) == ()


def test_codex_parallel_calls_keep_together_when_one_is_lost() -> None:
    rows = [says("user", "Go."), calls("c1"), calls("c2"), answers("c2"), says("user", "On.")]
    assert [m.role for m in read(rows).history] == [
        "user",
        "assistant",
        "assistant",
        "tool",
        "tool",
        "user",
    ]


def test_codex_reasoning_that_led_nowhere_is_left_out() -> None:
    thinks = item(type="reasoning", summary=[], encrypted_content="c2VjcmV0")
    recording = read([says("user", "Go."), thinks, says("user", "On."), thinks])
    assert told(recording.history) == ["user*: Go.", "user*: On."]
    assert len(recording.problems) == 2


def test_codex_items_that_are_never_sent() -> None:
    rows = [says("user", "Go."), item(type="ghost_snapshot", ghost_commit={})]
    assert len(read(rows).history) == 1


def test_codex_rollbacks_of_more_turns_than_there_are() -> None:
    rows = [says("user", "One."), says("assistant", "1"), says("user", "Two.")]
    rows += [event(type="thread_rolled_back", num_turns=9), says("user", "Three.")]
    recording = read(rows)
    assert told(recording.history) == ["user*: Three."]
    back = recording.threads["rolled-back-1"]
    assert told(back) == ["user*: One.", "assistant: 1", "user*: Two."]


def test_codex_a_fork_carries_the_lines_of_its_parent() -> None:
    """The first line is its own; the parent's follows with the parent's lines."""
    metas = [{"type": "session_meta", "payload": {"id": id}} for id in ("child", "parent")]
    assert read([*metas, says("user", "Go.")]).session_id == "child"


# -- OpenHands ------------------------------------------------------------------------------------


def test_openhands_a_conversation_is_a_folder(tmp_path: Path) -> None:
    events = tmp_path / "0123abcd" / "events"
    events.mkdir(parents=True)
    (events.parent / "base_state.json").write_text('{"id": "0123abcd"}')
    lines = (GOLDEN / "openhands.jsonl").read_text().splitlines()
    for n, line in enumerate(lines):
        (events / f"event-{n:05d}-aaaaaaaa-{n}.json").write_text(line)
    (events / "event-99999-broken00.json").write_text('{"kind": "Mess')
    recording = read_recording(events.parent)
    expected = golden("openhands.jsonl")
    assert told(recording.history) == told(expected.history)
    assert recording.session_id == "0123abcd"
    assert recording.boundaries == expected.boundaries
    (problem,) = recording.problems
    assert "event-99999" in problem.reason
    assert sessions_in(tmp_path) == [events.parent]
    assert sessions_in(events.parent) == [events.parent]


def test_openhands_a_list_of_events(tmp_path: Path) -> None:
    lines = (GOLDEN / "openhands.jsonl").read_text().splitlines()
    path = tmp_path / "events.json"
    path.write_text(f"[{','.join(lines)}]")
    assert told(read_recording(path).history) == told(golden("openhands.jsonl").history)


def openhands_event(id: str, parent: str | None, role: str, text: str) -> Json:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    source = "user" if role == "user" else "agent"
    made = {"kind": "MessageEvent", "id": id, "source": source, "llm_message": message}
    return {**made, "parent_id": parent}


def test_openhands_a_conversation_that_was_taken_back_is_a_tree(tmp_path: Path) -> None:
    rows = [
        openhands_event("a", None, "user", "Start."),
        openhands_event("b", "a", "assistant", "Reply."),
        openhands_event("c", "b", "user", "Left way."),
        openhands_event("d", "b", "user", "Right way."),
        openhands_event("e", "d", "assistant", "Right."),
        openhands_event("f", "__root__", "user", "Anew."),
    ]
    start = ["user*: Start.", "assistant: Reply."]
    recording = read(rows)
    assert told(recording.history) == ["user*: Anew."]
    assert [told(thread) for thread in recording.threads.values()] == [
        [*start, "user*: Left way."],
        [*start, "user*: Right way.", "assistant: Right."],
    ]
    events = tmp_path / "x" / "events"
    events.mkdir(parents=True)
    for n, row in enumerate(rows):
        (events / f"event-{n:05d}-aaaaaaaa-{n}.json").write_text(json.dumps(row))
    (events.parent / "base_state.json").write_text('{"leaf_event_id": "c"}')
    assert told(read_recording(events.parent).history) == [*start, "user*: Left way."]


@pytest.mark.parametrize("parent", ["a", "b", "lost"])
def test_openhands_parents_that_lead_nowhere(parent: str) -> None:
    rows = [
        openhands_event("a", parent, "user", "Start."),
        openhands_event("b", parent, "assistant", "Reply."),
    ]
    assert told(read(rows).history) == ["user*: Start.", "assistant: Reply."]


def test_openhands_a_state_holds_no_messages() -> None:
    state = {"id": "x", "agent": {}, "execution_status": "idle", "confirmation_policy": {}}
    with pytest.raises(InputError, match="holds no messages; read the events beside it"):
        read(state)


def test_openhands_usage_that_contradicts_itself_is_not_believed() -> None:
    """The sums grew by more than the last call: two calls were made in between."""
    lines = (
        (GOLDEN / "openhands.jsonl")
        .read_text()
        .replace('"per_turn_token":1120', '"per_turn_token":7')
    )
    recording = read_source(Source("f", lines.encode(), 0), whole=True)
    assert [m.usage for m in recording.history if m.usage] == [Usage(1_000, 0, 0, 30)]


# -- SWE-agent, mini-swe-agent ---------------------------------------------------------------------


def test_swe_agent_results_that_were_lost_or_misplaced() -> None:
    function = {"name": "bash", "arguments": {"command": "ls"}}
    history = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": function},
            {"id": "c2", "type": "function", "function": function}]},
        {"role": "user", "content": "Hurry."},
        {"role": "tool", "content": "late", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": "Done."},
        {"role": "tool", "content": "nobody asked", "tool_call_ids": ["c9"]},
    ]  # fmt: skip
    recording = read({"environment": "x", "trajectory": [], "history": history, "info": {}})
    assert [m.role for m in recording.history] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
    ]
    results = [r for m in recording.history for r in m.results()]
    assert [(r.call_id, r.is_error) for r in results] == [("c1", False), ("c2", True)]
    reasons = " / ".join(p.reason for p in recording.problems)
    assert "away from its call" in reasons
    assert "c2 of bash has no recorded result" in reasons
    assert "unknown call c9" in reasons
    assert broken_rules(recording.history) == ()


def test_swe_agent_without_a_history_is_told_by_its_steps() -> None:
    step = {"response": "Listing.\nls", "observation": "a.py", "action": "ls"}
    recording = read({"environment": "x", "trajectory": [step]})
    assert told(recording.history) == ["assistant: Listing.\nls", "user*: a.py"]


def test_mini_swe_agent_sends_neither_its_notes_nor_empty_keys() -> None:
    history = golden("mini_swe_agent.traj.json").history
    value = write_request(history, history).value
    keys = {key for message in value for key in message}
    assert keys == {"role", "content", "tool_calls", "tool_call_id"}


# -- opencode -------------------------------------------------------------------------------------


def export() -> Json:
    value: Json = json.loads((GOLDEN / "opencode.json").read_text())
    return value


def child() -> Json:
    info = {
        "id": "ses_2",
        "parentID": "ses_1",
        "title": "Find",
        "time": {"created": 1, "updated": 2},
    }
    said = {"id": "msg_c", "sessionID": "ses_2", "role": "user", "time": {"created": 1}}
    part = {"id": "prt_c", "messageID": "msg_c", "type": "text", "text": "Find it."}
    return {"info": {**info, "projectID": "p1"}, "messages": [{"info": said, "parts": [part]}]}


def database(path: Path, *sessions: Json) -> Path:
    """As opencode lays it out: ids in columns, the rest in `data`."""
    db = sqlite3.connect(path)
    times = "time_created integer, time_updated integer"
    db.execute(f"create table session (id text, parent_id text, title text, revert text, {times})")
    db.execute(f"create table message (id text, session_id text, {times}, data text)")
    db.execute(f"create table part (id text, message_id text, session_id text, {times}, data text)")
    for session in sessions:
        info = session["info"]
        id, time = info["id"], info["time"]
        revert = json.dumps(info["revert"]) if "revert" in info else None
        row = (id, info.get("parentID"), info["title"], revert, time["created"], time["updated"])
        db.execute("insert into session values (?, ?, ?, ?, ?, ?)", row)
        for message in session["messages"]:
            data = {k: v for k, v in message["info"].items() if k not in ("id", "sessionID")}
            at = message["info"]["time"]["created"]
            ids = (message["info"]["id"], id, at, at)
            db.execute("insert into message values (?, ?, ?, ?, ?)", (*ids, json.dumps(data)))
            for part in message["parts"]:
                ids = (part["id"], message["info"]["id"], id, at, at)  # type: ignore[assignment]
                kept = {k: v for k, v in part.items() if k not in ("id", "messageID", "sessionID")}
                db.execute("insert into part values (?, ?, ?, ?, ?, ?)", (*ids, json.dumps(kept)))
    db.commit()
    db.close()
    return path


def storage(folder: Path, *sessions: Json) -> Path:
    """As opencode laid it out before: one small file for each thing. Gives the first session's."""
    files: list[Path] = []
    for session in sessions:
        info = session["info"]
        file = folder / "session" / info["projectID"] / f"{info['id']}.json"
        files.append(file)
        things = [(file, {**info, "directory": "/src"})]
        for message in session["messages"]:
            id = message["info"]["id"]
            things.append((folder / "message" / info["id"] / f"{id}.json", message["info"]))
            things += [(folder / "part" / id / f"{p['id']}.json", p) for p in message["parts"]]
        for path, value in things:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value))
    return files[0]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("kind", ["database", "storage"])
def test_opencode_tells_the_same_from_each_place(tmp_path: Path, kind: str, whole: bool) -> None:
    if kind == "database":
        path = database(tmp_path / "opencode.db", child(), export())
    else:
        path = storage(tmp_path / "storage", export(), child())
    recording = read_recording(path, whole=whole)
    expected = golden("opencode.json", whole=whole)
    assert told(recording.history) == told(expected.history)
    for same in ("format", "session_id", "title", "boundaries", "started", "ended"):
        assert getattr(recording, same) == getattr(expected, same)
    assert recording.problems == ()
    assert told(recording.threads["ses_2"]) == ["user*: Find it."]
    assert told(read_recording(path, thread="ses_2").history) == ["user*: Find it."]


def test_opencode_the_newest_session_that_is_no_sub_agents(tmp_path: Path) -> None:
    other = child()
    other["info"] |= {"parentID": None, "id": "ses_3", "time": {"created": 1, "updated": 3}}
    path = database(tmp_path / "x", child(), export(), other)
    assert read_recording(path).session_id == "ses_1"
    assert read_recording(path, thread="ses_3").session_id == "ses_3"
    with pytest.raises(InputError, match="no thread 'ses_9'"):
        read_recording(path, thread="ses_9")


def test_opencode_is_only_read(tmp_path: Path) -> None:
    """Also while opencode has it open: the log beside it holds what is newest."""
    path = database(tmp_path / "opencode.db", export())
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode = wal")
    writer.execute("pragma wal_autocheckpoint = 0")
    writer.execute("update session set title = 'Newest'")
    writer.commit()
    before = path.read_bytes()
    assert read_recording(path).title == "Newest"
    assert path.read_bytes() == before
    writer.close()


def test_opencode_at_rest_leaves_no_file_beside_it(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", export())
    with sqlite3.connect(path) as db:
        db.execute("pragma journal_mode = wal")
    db.close()
    names = sorted(os.listdir(tmp_path))
    read_recording(path)
    assert sorted(os.listdir(tmp_path)) == names


def test_opencode_what_the_user_took_back_is_a_thread() -> None:
    value = export()
    value["info"]["revert"] = {"messageID": "msg_7"}
    recording = read(value)
    assert told(recording.history)[-1] == "user*: Go on."
    assert len(recording.threads["reverted"]) == len(golden("opencode.json").history)


def test_opencode_a_compaction_that_kept_a_tail() -> None:
    value = export()
    compaction = next(m for m in value["messages"] if m["info"]["id"] == "msg_4")
    compaction["parts"][0]["tail_start_id"] = "msg_2"
    recording = read(value)
    assert told(recording.history)[0].startswith("assistant: <thinks Look.")
    assert recording.boundaries == (3,)
    assert "Old tool result content cleared" in told(recording.history)[1]


def test_opencode_a_compaction_that_was_never_finished_changes_nothing() -> None:
    value = export()
    summary = next(m for m in value["messages"] if m["info"]["id"] == "msg_5")
    summary["info"]["error"] = {"name": "APIError"}
    assert told(read(value).history)[0].startswith("user*: Sort the imports.")


def test_another_database_is_said_to_be_one(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "x.db")
    db.execute("create table places (id)")
    db.commit()
    db.close()
    with pytest.raises(UnknownFormatError, match=r"not opencode's \(tables: places\)"):
        read_recording(tmp_path / "x.db")
    (tmp_path / "y.db").write_bytes(b"SQLite format 3\0" + b"\1" * 5_000)
    with pytest.raises(InputError, match="cannot be read"):
        read_recording(tmp_path / "y.db")
    with pytest.raises(InputError, match="read from its file"):
        read_source(Source("-", b"SQLite format 3\0", 0))


def test_an_opencode_session_away_from_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "ses_1.json"
    path.write_text('{"id": "ses_1", "projectID": "p", "directory": "/src"}')
    with pytest.raises(InputError, match="without its messages"):
        read_recording(path)


# -- requests and messages, one a line -------------------------------------------------------------


def test_neutral_messages_one_a_line(tmp_path: Path) -> None:
    rows = [{"role": "user", "content": f"記録{n}", "required": n == 0} for n in range(3)]
    recording = read_recording(written(tmp_path, rows))
    assert recording.format == "neutral"
    assert [m.required for m in recording.history] == [True, False, False]
    assert write_request(recording.history, recording.history).value == rows


def test_a_single_message_is_a_file_too(tmp_path: Path) -> None:
    recording = read_recording(written(tmp_path, [{"role": "user", "content": "Only me."}]))
    assert told(recording.history) == ["user*: Only me."]


def test_a_broken_neutral_line_is_reported(tmp_path: Path) -> None:
    rows: list[Any] = [{"role": "user", "content": "One."}, b"{x", {"role": "user", "content": "2"}]
    path = written(tmp_path, rows)
    recording = read_recording(path)
    assert told(recording.history) == ["user*: One.", "user*: 2"]
    assert [p.where for p in recording.problems] == [f"{path}:2"]


def test_conversations_one_a_line_are_threads(tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": f"Line {n}."}]} for n in range(1, 4)]
    path = written(tmp_path, rows)
    recording = read_recording(path)
    assert (recording.format, told(recording.history)) == ("openai", ["user*: Line 1."])
    assert list(recording.threads) == ["line-2", "line-3"]
    assert told(read_recording(path, thread="line-3").history) == ["user*: Line 3."]


@pytest.mark.parametrize("text", ['{"messages": [{"role": "user", "content": "x"}]}', "[\n{\n"])
def test_json_over_many_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "request.json"
    value = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    path.write_text(json.dumps(value, indent=text.count("\n") or None))
    recording = read_recording(path)
    assert recording.format == "openai"
    assert write_request(recording.history, recording.history).value == value


def test_a_message_that_is_not_understood_names_file_and_place(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"messages": [{"role": "user", "content": 7}]}')
    with pytest.raises(InputError, match=r"r\.json: messages\[0\]\.content: .*number"):
        read_recording(path)


# -- folders --------------------------------------------------------------------------------------


def test_the_sessions_of_a_folder(tmp_path: Path) -> None:
    for name in sorted(path.name for path in GOLDEN.iterdir()):
        (tmp_path / name).write_bytes((GOLDEN / name).read_bytes())
    expected = sorted(tmp_path.iterdir())
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1"}')
    (tmp_path / "notes.md").write_text("# notes")
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "broken.json").write_text("{")
    hidden = tmp_path / ".git"
    hidden.mkdir()
    (hidden / "s.jsonl").write_bytes((GOLDEN / "pi.jsonl").read_bytes())
    assert sessions_in(tmp_path) == expected


def test_a_folder_without_sessions_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# notes")
    with pytest.raises(InputError, match="a directory without sessions"):
        sessions_in(tmp_path)
    with pytest.raises(InputError, match="not a directory"):
        sessions_in(tmp_path / "notes.md")


def test_a_long_first_line_hides_no_session(tmp_path: Path) -> None:
    rows = [says("developer", "x" * 200_000), says("user", "Go.")]
    assert sessions_in(written(tmp_path, rows).parent) == [tmp_path / "session.jsonl"]


def test_the_sessions_of_opencodes_storage(tmp_path: Path) -> None:
    first = storage(tmp_path / "storage", export(), child())
    assert sessions_in(tmp_path) == [first, first.with_name("ses_2.json")]


def test_all_shared_sessions_are_found(shared_sessions: Path) -> None:
    found = sessions_in(shared_sessions)
    assert len(found) == 36  # all but the state, the manifest and two files of sub-agents
    assert not any(path.name.startswith("agent-") for path in found)
