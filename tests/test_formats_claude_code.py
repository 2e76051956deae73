"""Claude Code files: the graph of lines, the parts of one response, what is context."""

from __future__ import annotations

import cProfile
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transcripts import broken_rules, told, written
from trimtab.errors import InputError
from trimtab.formats.recording import read_recording, read_source
from trimtab.formats.source import Source
from trimtab.formats.transcript import spoken
from trimtab.history.message import ToolResult, Usage

Row = dict[str, Any]


def row(kind: str, uuid: str, parent: str | None, **more: Any) -> Row:
    base = {"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": False}
    return {**base, "sessionId": "s1", **more}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> Row:
    return row("user", uuid, parent, message={"role": "user", "content": content}, **more)


def model(uuid: str, parent: str | None, *blocks: Any, id: str = "", **more: Any) -> Row:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    usage = more.pop("usage", None)
    message: Row = {"role": "assistant", "id": id or f"m-{uuid}", "content": content}
    if usage is not None:
        message["usage"] = usage
    return row("assistant", uuid, parent, message=message, **more)


def call(id: str) -> Row:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": id}}


def result(id: str, text: str = "ok") -> Row:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def read(*rows: Row, **how: Any) -> Any:
    data = b"\n".join(json.dumps(r).encode() for r in rows)
    return read_source(Source("s.jsonl", data, len(data)), **how)


def lines(*rows: Row, **how: Any) -> list[str]:
    return told(read(*rows, **how).history)


# -- the parts of one response ------------------------------------------------------------------


def spent(output: int) -> Row:
    return {
        "input_tokens": 3,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 50,
        "output_tokens": output,
    }


def test_usage_is_that_of_the_last_line_of_a_response_and_counted_once() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", "First.", id="m1", usage=spent(1)),
        model("c", "b", "Second.", id="m1", usage=spent(1)),
        model("d", "c", call("t1"), id="m1", usage=spent(77)),
        user("e", "d", [result("t1")]),
    )
    usages = [m.usage for m in recording.history if m.usage is not None]
    assert usages == [Usage(input=3, cache_read=1000, cache_write=50, output=77)]
    assert usages[0].context == 1053


def test_a_later_line_with_less_output_does_not_undercount() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", "First.", id="m1", usage=spent(90)),
        model("c", "b", "Second.", id="m1", usage=spent(2)),
    )
    assert [m.usage.output for m in recording.history if m.usage] == [90]


def test_lines_that_repeat_the_blocks_so_far_are_one_message() -> None:
    assert lines(
        user("a", None, "Go."),
        model("b", "a", "First.", id="m1"),
        model("c", "b", "First.", "Second.", id="m1"),
        model("d", "c", "First.", "Second.", call("t1"), id="m1"),
        user("e", "d", [result("t1")]),
    )[1].startswith("assistant: First. | Second. | <calls Bash t1")


def test_a_call_that_is_written_twice_is_one_call() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", call("t1"), id="m1"),
        model("c", "b", call("t1"), id="m1"),
        user("d", "c", [result("t1")]),
    )
    assert [c.id for c in recording.history[1].calls()] == ["t1"]
    assert broken_rules(recording.history) == ()


def test_results_between_the_lines_of_one_response_follow_it() -> None:
    """Tools that run while the response still streams."""
    recording = read(
        user("a", None, "Go."),
        model("b", "a", call("t1"), id="m1"),
        user("c", "b", [result("t1", "one")]),
        model("d", "c", call("t2"), id="m1"),
        user("e", "d", [result("t2", "two")]),
        model("f", "e", "Done."),
    )
    assert told(recording.history)[1:3] == [
        'assistant: <calls Bash t1 {"command": "t1"}> | <calls Bash t2 {"command": "t2"}>',
        "user: <result t1 one> | <result t2 two>",
    ]
    assert recording.problems == ()


@pytest.mark.parametrize("last", ["e", "f"])
def test_parallel_results_that_fork_the_graph_all_count(last: str) -> None:
    """Only one of them is on the path to the newest line, whichever that is."""
    recording = read(
        user("a", None, "Go."),
        model("b", "a", "Both.", id="m1"),
        model("c", "b", call("t1"), id="m1"),
        model("d", "c", call("t2"), id="m1"),
        user("e", "d", [result("t2")]),
        user("f", "c", [result("t1")]),
        model("g", last, "Done."),
    )
    assert [b.call_id for b in recording.history[2].results()] == ["t2", "t1"]
    assert len(recording.history) == 4
    assert recording.problems == ()
    assert dict(recording.threads) == {}


def test_what_the_user_says_with_results_stands_behind_them() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", call("t1"), call("t2")),
        user("c", "b", [{"type": "text", "text": "Only t1."}, result("t1")]),
        user("d", "c", [result("t2")]),
        model("e", "d", "Done."),
    )
    assert told(recording.history)[2] == "user*: <result t1 ok> | <result t2 ok> | Only t1."
    assert broken_rules(recording.history) == ()


def test_what_tools_told_the_harness_is_not_counted() -> None:
    for extra in ({"stdout": "ok" * 1000, "stderr": ""}, "Error: x"):
        recording = read(
            user("a", None, "Go."),
            model("b", "a", call("t1")),
            user("c", "b", [result("t1")], toolUseResult=extra),
        )
        assert told(recording.history)[2] == "user: <result t1 ok>"


def test_a_block_that_is_not_understood_costs_the_others_nothing() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", "Reading.", {"text": "no type"}, {"type": "new_kind"}, call("t1")),
        user("c", "b", [result("t1")]),
    )
    assert told(recording.history)[1].startswith("assistant: Reading. | <new_kind> | <calls")
    assert [p.where for p in recording.problems] == ["s.jsonl:2"]


# -- interrupts -----------------------------------------------------------------------------------


def test_an_unanswered_call_in_the_middle_gets_an_error_result() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", call("t1"), call("t2")),
        user("c", "b", [result("t2")]),
        user("d", "c", "[Request interrupted by user]"),
        user("e", "d", "Go on."),
    )
    results = list(recording.history[2].results())
    assert [(r.call_id, r.is_error) for r in results] == [("t2", False), ("t1", True)]
    (problem,) = recording.problems
    assert problem.where == "s.jsonl:2"
    assert "t1" in problem.reason


def test_a_call_at_the_end_stays_open() -> None:
    recording = read(user("a", None, "Go."), model("b", "a", call("t1")))
    assert recording.problems == ()
    assert list(recording.history.exchanges.open_calls()) == ["t1"]


def test_a_result_without_its_call_is_left_out() -> None:
    recording = read(
        user("a", None, "Go."),
        user("b", "a", [result("t9"), {"type": "text", "text": "And this."}]),
        model("c", "b", "Done."),
    )
    assert told(recording.history) == ["user*: Go.", "user*: And this.", "assistant: Done."]
    assert "t9" in recording.problems[0].reason


def test_a_result_that_comes_twice_counts_once() -> None:
    recording = read(
        user("a", None, "Go."),
        model("b", "a", call("t1")),
        user("c", "b", [result("t1", "first")]),
        user("d", "c", [result("t1", "again")]),
        model("e", "d", "Done."),
    )
    assert [b.text for m in recording.history for b in m.results()] == ["first"]
    assert broken_rules(recording.history) == ()


def test_an_answer_that_broke_off_in_its_thinking() -> None:
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "c2VhbA=="}
    recording = read(
        user("a", None, "Go."),
        model("b", "a", thinking),
        user("c", "b", "[Request interrupted by user]"),
    )
    assert told(recording.history) == ["user*: Go.", "user: [Request interrupted by user]"]
    assert len(recording.problems) == 1


# -- whose words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("Do not touch main.py.", True),
        ("<system-reminder>x</system-reminder>", False),
        ("<system-reminder>x</system-reminder>\nDo it.", True),
        ("<local-command-stdout>x</local-command-stdout>", False),
        ("<local-command-caveat>Caveat: The messages below</local-command-caveat>", False),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", False),
        ("<command-message>fix</command-message>\n<command-args>only a</command-args>", True),
        ("<bash-input>ls</bash-input>", False),
        ("[Request interrupted by user for tool use]", False),
        (
            "Caveat: The messages below were generated by the user while running local commands",
            False,
        ),
        ("<task-notification>done</task-notification>", False),
        ("  \n", False),
        ("<p>is HTML of my own</p>", True),
    ],
)
def test_the_users_own_words_are_told_from_the_harness(content: str, typed: bool) -> None:
    assert spoken([content]) is typed
    if content.strip():
        recording = read(user("a", None, content), model("b", "a", "Ok."))
        assert recording.history[0].typed is typed


def test_harness_lines_are_never_context() -> None:
    assert lines(
        {"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": "s1"},
        {"type": "file-history-snapshot", "messageId": "a", "snapshot": {}},
        user("a", None, "Go."),
        row("progress", "p", "a", data={"type": "agent_progress", "message": {"role": "user"}}),
        row("system", "q", "p", subtype="turn_duration", durationMs=1),
        model("b", "q", "API Error: overloaded", isApiErrorMessage=True),
        model("c", "q", "Done."),
        {"type": "last-prompt", "lastPrompt": "Go.", "sessionId": "s1"},
    ) == ["user*: Go.", "assistant: Done."]


def test_meta_lines_and_notices_are_the_harness_words() -> None:
    queued = {"type": "queued_command", "prompt": "done", "commandMode": "task-notification"}
    recording = read(
        user("a", None, "Go."),
        user("b", "a", "Base directory for this skill: x", isMeta=True),
        row("attachment", "c", "b", attachment=queued),
        row("attachment", "d", "c", attachment={"type": "todo_reminder", "content": []}),
        model("e", "d", "Done."),
    )
    assert told(recording.history) == [
        "user*: Go.",
        "user: Base directory for this skill: x",
        "user: done",
        "assistant: Done.",
    ]


# -- the graph ------------------------------------------------------------------------------------


def test_a_fork_is_a_branch_and_the_newest_leaf_is_the_session() -> None:
    rows = [
        user("a", None, "Start."),
        model("b", "a", "Reply."),
        user("c", "b", "Left way."),
        model("d", "c", "Left."),
        user("e", "b", "Right way."),
        model("f", "e", "Right."),
    ]
    recording = read(*rows)
    start = ["user*: Start.", "assistant: Reply."]
    assert told(recording.history) == [*start, "user*: Right way.", "assistant: Right."]
    assert list(recording.threads) == ["branch-1"]
    left = [*start, "user*: Left way.", "assistant: Left."]
    assert told(recording.threads["branch-1"]) == left
    assert lines(*rows, thread="branch-1") == left
    assert lines(*rows, thread="br") == left
    with pytest.raises(InputError, match="no thread 'x'; threads here: branch-1"):
        read(*rows, thread="x")


def test_a_resumed_session_is_one_thread() -> None:
    recording = read(
        user("a", None, "Start."),
        model("b", "a", "Reply."),
        user("c", "b", "Resumed.", sessionId="s2"),
        model("d", "c", "Again.", sessionId="s2"),
    )
    assert len(recording.history) == 4
    assert recording.session_id == "s2"


def test_a_line_that_a_resumed_session_wrote_again_counts_once() -> None:
    first = user("a", None, "Start.")
    assert lines(first, model("b", "a", "Reply."), first, user("c", "b", "More.")) == [
        "user*: Start.",
        "assistant: Reply.",
        "user*: More.",
    ]


@pytest.mark.parametrize("parent", ["a", "b", "c"])
def test_parents_in_a_circle_end(parent: str) -> None:
    recording = read(user("a", parent, "One."), model("b", "a", "Two."), user("c", "b", "Three."))
    assert told(recording.history) == ["user*: One.", "assistant: Two.", "user*: Three."]
    assert "circle" in recording.problems[0].reason


def test_a_lost_parent_falls_back_to_the_line_before() -> None:
    recording = read(
        user("a", None, "One."),
        model("b", "a", "Two."),
        user("c", "lost", "Three."),
        model("d", "c", "Four."),
    )
    assert len(recording.history) == 4
    (problem,) = recording.problems
    assert problem.where == "s.jsonl:3"
    assert "lost" in problem.reason


def test_a_thread_that_starts_with_the_model_gets_a_note_in_front() -> None:
    recording = read(model("a", None, "Ready."), user("b", "a", "Go."))
    assert recording.history[0].role == "user"
    assert not recording.history[0].typed
    assert broken_rules(recording.history) == ()
    assert len(recording.problems) == 1


@st.composite
def graphs(draw: st.DrawFn) -> list[Row]:
    """Lines with any parents: earlier, later, their own, lost; with calls, forks and boundaries."""
    size = draw(st.integers(1, 14))
    ids = [f"u{n}" for n in range(size)]
    rows: list[Row] = []
    calls: list[str] = []
    for n, id in enumerate(ids):
        parent = draw(st.sampled_from([None, "lost", *ids[: n + 2], *([ids[n - 1]] * 8)]))
        side = draw(st.sampled_from([False] * 5 + [True]))
        kind = draw(st.sampled_from("uuaaarrpbs"))
        if kind == "u":
            rows.append(user(id, parent, f"Said {n}.", isSidechain=side))
        elif kind == "a":
            names = draw(st.lists(st.integers(0, 3), max_size=3, unique=True))
            blocks: list[Any] = [f"Answer {n}.", *(call(f"c{n}-{x}") for x in names)]
            calls += [f"c{n}-{x}" for x in names]
            response = draw(st.sampled_from([f"m{n}", f"m{max(n - 1, 0)}"]))
            rows.append(model(id, parent, *blocks, id=response, isSidechain=side))
        elif kind == "r":
            answered = draw(st.lists(st.sampled_from([*calls, "nobody"]), max_size=3))
            content = [result(c) for c in answered] or [{"type": "text", "text": "none"}]
            rows.append(user(id, parent, content, isSidechain=side))
        elif kind == "p":
            rows.append(row("progress", id, parent, data={}))
        elif kind == "b":
            logical = draw(st.sampled_from(["lost", *ids]))
            more = {"subtype": "compact_boundary", "logicalParentUuid": logical}
            rows.append(row("system", id, None, **more))
        else:
            rows.append(user(id, parent, f"Summary {n}.", isCompactSummary=True))
    return rows


@settings(max_examples=150, deadline=None)
@given(graphs(), st.booleans())
def test_any_graph_is_read_to_the_end_and_fit_to_be_sent(rows: list[Row], whole: bool) -> None:
    try:
        recording = read(*rows, whole=whole)
    except InputError:
        return
    assert broken_rules(recording.history) == ()
    for thread in recording.threads.values():
        assert len(thread) == 0 or broken_rules(thread) == ()


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_what_the_user_said_is_in_some_thread(rows: list[Row]) -> None:
    """No fork, circle or lost parent hides a line."""
    own = [r for r in rows if r["type"] == "user" and isinstance(r["message"]["content"], str)]
    own = [r for r in own if not r.get("isCompactSummary")]
    if not own:
        return
    recording = read(*rows, whole=True)
    everywhere = [recording.history, *recording.threads.values()]
    heard = {message.text for history in everywhere for message in history}
    for r in own:
        assert any(r["message"]["content"] in text for text in heard), r


def test_reading_costs_work_in_proportion_to_the_file() -> None:
    """Also where every line forks. Counted in calls of functions, not in time."""

    def work(size: int) -> int:
        rows = []
        for n in range(size):
            parent = f"r{n - 1}" if n else None
            rows += [
                user(f"u{n}", parent, f"Said {n}."),
                model(f"x{n}", f"u{n}", "An answer that was taken back."),
                model(f"a{n}", f"u{n}", call(f"t{n}")),
                user(f"r{n}", f"a{n}", [result(f"t{n}")]),
            ]
        data = b"\n".join(json.dumps(r).encode() for r in rows)
        profile = cProfile.Profile()
        recording = profile.runcall(read_source, Source("s", data, len(data)))
        assert len(recording.history) == 3 * size
        assert len(profile.runcall(lambda: recording.threads)) == size
        return sum(entry.callcount for entry in profile.getstats())

    assert work(1_600) < 8.5 * work(200)


# -- compactions ----------------------------------------------------------------------------------


def boundary(uuid: str, **more: Any) -> Row:
    return row("system", uuid, None, subtype="compact_boundary", **more)


def compacted(**more: Any) -> list[Row]:
    return [
        user("a", None, "Rename it."),
        model("b", "a", call("t1")),
        user("c", "b", [result("t1")]),
        boundary("k", **more),
        user("s", "k", "Summary: renaming.", isCompactSummary=True),
        model("d", "s", "Going on."),
    ]


@pytest.mark.parametrize("logical", ["c", "lost", "k", "d", None])
def test_a_compaction_leaves_the_whole_history_reachable(logical: str | None) -> None:
    rows = compacted(logicalParentUuid=logical)
    live = read(*rows)
    assert told(live.history) == ["user: Summary: renaming.", "assistant: Going on."]
    assert live.boundaries == (0,)
    whole = read(*rows, whole=True)
    assert told(whole.history)[::3] == ["user*: Rename it.", "assistant: Going on."]
    assert len(whole.history) == 4
    assert whole.boundaries == (3,)


def test_two_compactions() -> None:
    rows = [
        *compacted(logicalParentUuid="c"),
        user("e", "d", "More."),
        boundary("k2", logicalParentUuid="k"),  # the second names the first, not its last line
        user("s2", "k2", "Summary of all.", isCompactSummary=True),
        user("f", "s2", "And now?"),
    ]
    assert lines(*rows) == ["user: Summary of all.", "user*: And now?"]
    whole = read(*rows, whole=True)
    assert told(whole.history)[0] == "user*: Rename it."
    assert told(whole.history)[-1] == "user*: And now?"


def test_a_summary_without_a_boundary_line_is_one() -> None:
    rows = compacted(logicalParentUuid="c")
    del rows[3]
    rows[3]["parentUuid"] = None
    recording = read(*rows)
    assert told(recording.history) == ["user: Summary: renaming.", "assistant: Going on."]
    assert len(read(*rows, whole=True).history) == 4


@pytest.mark.parametrize(
    "meta",
    [
        {"preservedMessages": {"anchorUuid": "s", "uuids": ["b", "c"]}},
        {"preservedSegment": {"anchorUuid": "s", "headUuid": "b", "tailUuid": "c"}},
    ],
)
def test_what_a_compaction_kept_stands_behind_its_summary(meta: Row) -> None:
    recording = read(*compacted(logicalParentUuid="c", compactMetadata=meta))
    assert told(recording.history) == [
        "user: Summary: renaming.",
        'assistant: <calls Bash t1 {"command": "t1"}>',
        "user: <result t1 ok>",
        "assistant: Going on.",
    ]


# -- sidechains -----------------------------------------------------------------------------------


def side(uuid: str, parent: str | None, text: str, agent: str, kind: str = "user") -> Row:
    made = user(uuid, parent, text) if kind == "user" else model(uuid, parent, text)
    return {**made, "isSidechain": True, "agentId": agent}


def test_sidechains_share_the_session_id_but_not_the_thread() -> None:
    recording = read(
        user("a", None, "Main."),
        side("x1", None, "Task of x.", "x"),
        side("y1", None, "Task of y.", "y"),
        side("x2", "x1", "X is done.", "x", "assistant"),
        model("b", "a", "Main is done."),
        side("y2", "y1", "Y is done.", "y", "assistant"),
    )
    assert told(recording.history) == ["user*: Main.", "assistant: Main is done."]
    assert {name: told(thread)[0] for name, thread in recording.threads.items()} == {
        "agent-x": "user*: Task of x.",
        "agent-y": "user*: Task of y.",
    }


def test_files_of_sub_agents_are_threads_of_their_session(tmp_path: Path) -> None:
    main = written(tmp_path, [user("a", None, "Main."), model("b", "a", "Done.")], "s1.jsonl")
    rows = [side("x1", "elsewhere", "Task.", "x"), side("x2", "x1", "Found.", "x", "assistant")]
    inside = tmp_path / "s1" / "subagents"
    inside.mkdir(parents=True)
    written(inside, rows, "agent-x.jsonl")
    written(tmp_path, rows, "agent-beside.jsonl")
    others = [{**r, "sessionId": "s2"} for r in rows]
    written(tmp_path, others, "agent-other.jsonl")
    recording = read_recording(main)
    assert told(recording.history) == ["user*: Main.", "assistant: Done."]
    assert sorted(recording.threads) == ["agent-beside", "agent-x"]
    assert told(recording.threads["agent-x"]) == ["user*: Task.", "assistant: Found."]
    alone = read_recording(inside / "agent-x.jsonl")
    assert told(alone.history) == ["user*: Task.", "assistant: Found."]
    assert dict(alone.threads) == {}


# -- size -----------------------------------------------------------------------------------------


def test_a_large_file_is_found_and_read_at_once(tmp_path: Path) -> None:
    """Over 5 MiB, half of it progress."""
    draw = random.Random(1)
    rows: list[Row] = [user("0", None, "Go.")]
    for n in range(1, 2_500):
        noise = f"{draw.getrandbits(4_000):x}"
        rows.append(row("progress", f"p{n}", str(n - 1), data={"output": noise}))
        rows.append(model(f"a{n}", f"p{n}", call(f"t{n}")))
        rows.append(user(str(n), f"a{n}", [result(f"t{n}", noise)]))
    path = written(tmp_path, rows)
    assert path.stat().st_size > 5 << 20
    recording = read_recording(path)
    assert len(recording.history) == 2 * 2_500 - 1
    last = recording.history[-1].blocks[0]
    assert isinstance(last, ToolResult)
    assert last.call_id == "t2499"
