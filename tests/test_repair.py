"""Broken histories repaired: on generated ones broken at random, and each kind of fault by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.context.writing import write
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Text, ToolCall, ToolResult
from trimtab.history.repair import Repaired, repair
from trimtab.history.repair_pairs import NO_RESULT
from trimtab.history.rules import Violation, validate

THOROUGH = bool(os.environ.get("TRIMTAB_THOROUGH"))
quick = settings(
    max_examples=150 if THOROUGH else 50, deadline=None, suppress_health_check=list(HealthCheck)
)


def broken(history: History) -> tuple[Violation, ...]:
    return validate(history, history.dialect, tools=history.tools, envelope=history.envelope)


def like(history: History, messages: list[Message]) -> History:
    return History(
        messages,
        tools=history.tools,
        dialect=history.dialect,
        envelope=history.envelope,
        model=history.model,
    )


# -- any damage ------------------------------------------------------------------------------------


def _delete(messages: list[Message], data: Any) -> None:
    del messages[data.draw(st.integers(0, len(messages) - 1))]


def _cut(messages: list[Message], data: Any) -> None:
    del messages[: data.draw(st.integers(0, len(messages)))]


def _double(messages: list[Message], data: Any) -> None:
    at = data.draw(st.integers(0, len(messages) - 1))
    messages.insert(data.draw(st.integers(at, len(messages))), messages[at])


def _swap(messages: list[Message], data: Any) -> None:
    a, b = (data.draw(st.integers(0, len(messages) - 1)) for _ in range(2))
    messages[a], messages[b] = messages[b], messages[a]


def _empty(messages: list[Message], data: Any) -> None:
    at = data.draw(st.integers(0, len(messages) - 1))
    messages[at] = messages[at].with_blocks(data.draw(st.sampled_from([(), (Text(" "),)])))


def _lose_block(messages: list[Message], data: Any) -> None:
    at = data.draw(st.integers(0, len(messages) - 1))
    blocks = list(messages[at].blocks)
    if blocks:
        del blocks[data.draw(st.integers(0, len(blocks) - 1))]
        messages[at] = messages[at].with_blocks(tuple(blocks))


def _move_block(messages: list[Message], data: Any) -> None:
    """To another message, or a second time into it: of the same side where that has meaning."""
    a, b = (data.draw(st.integers(0, len(messages) - 1)) for _ in range(2))
    sides = {messages[a].role, messages[b].role}
    if not messages[a].blocks or "system" in sides:
        return
    if messages[a].dialect == "openai" and "tool" in sides:
        return  # on the wire such a message holds one result and nothing else
    blocks = list(messages[a].blocks)
    block: Block = blocks.pop(data.draw(st.integers(0, len(blocks) - 1)))
    if data.draw(st.booleans()):
        messages[a] = messages[a].with_blocks(tuple(blocks))
    there = list(messages[b].blocks)
    there.insert(data.draw(st.integers(0, len(there))), block)
    messages[b] = messages[b].with_blocks(tuple(there))


def _same_id(messages: list[Message], data: Any) -> None:
    """Every call and result has one id."""
    for at, message in enumerate(messages):
        blocks: list[Block] = []
        for block in message.blocks:
            if isinstance(block, ToolCall) and not block.server:
                block = replace(block, id="same", raw=None)
            elif isinstance(block, ToolResult) and not block.server:
                block = replace(block, call_id="same", raw=None)
            blocks.append(block)
        if tuple(blocks) != message.blocks:
            raw = message.raw if message.role == "assistant" else None
            if message.dialect == "responses":
                raw = None
            messages[at] = replace(message.with_blocks(tuple(blocks)), raw=raw)


BREAKS: tuple[Callable[[list[Message], Any], None], ...] = (
    _delete,
    _cut,
    _double,
    _swap,
    _empty,
    _lose_block,
    _move_block,
    _same_id,
)


@st.composite
def damaged(draw: st.DrawFn, dialect: str, breaks: int = 4) -> History:
    history = draw(histories(dialect))
    head = history.head  # a parameter of the request, not a message that can be elsewhere
    messages = history[head:]
    data = draw(st.data())
    for _ in range(draw(st.integers(1, breaks))):
        if messages:
            chosen = [b for b in BREAKS if not (b is _move_block and dialect == "responses")]
            draw(st.sampled_from(chosen))(messages, data)
    return like(history, [*history[:head], *messages])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whatever_broke_is_valid_after_the_repair(dialect: str) -> None:
    @quick
    @given(damaged(dialect))
    def holds(history: History) -> None:
        was = list(history)
        faults = broken(history)
        made = repair(history)
        event(f"{min(len(faults), 5)} faults, {min(len(made.repairs), 5)} repairs")
        assert broken(made.history) == ()
        assert made.left == ()
        assert bool(faults) == bool(made.repairs) == (made.history is not history)
        assert list(history) == was
        again = repair(made.history)
        assert again.history is made.history
        assert again.repairs == ()

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_is_valid_when_it_was_written_and_read_again(dialect: str) -> None:
    @quick
    @given(damaged(dialect))
    def holds(history: History) -> None:
        made = repair(history).history
        value = json.loads(json.dumps(write(made).value))
        assert broken(read_request(value, dialect)) == ()

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_valid_history_comes_back_as_it_is(dialect: str) -> None:
    @quick
    @given(histories(dialect))
    def holds(history: History) -> None:
        made = repair(history)
        assert made.history is history
        assert made.repairs == ()
        assert made.sources == tuple(range(len(history)))

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_text_is_lost(dialect: str) -> None:
    """Every text that was said or answered is in the repaired history."""

    @quick
    @given(damaged(dialect))
    def holds(history: History) -> None:
        made = repair(history).history
        words = "\n".join(_all_text(m) for m in made)
        for message in history:
            for block in message.blocks:
                if isinstance(block, Text | ToolResult):
                    for line in block.text.splitlines():
                        assert line.rstrip() in words

    holds()


def _all_text(message: Message) -> str:
    return "\n".join(b.text for b in message.blocks if isinstance(b, Text | ToolResult))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_messages_that_are_not_concerned_stay_the_same_objects(dialect: str) -> None:
    @quick
    @given(damaged(dialect, breaks=1))
    def holds(history: History) -> None:
        made = repair(history)
        named = {r.message for r in made.repairs}
        for at, source in enumerate(made.sources):
            if source >= 0 and source not in named:
                assert made.history[at] is history[source]

    holds()


# -- each kind of fault ----------------------------------------------------------------------------


def use(*ids: str, text: str = "") -> dict[str, Any]:
    said = [{"type": "text", "text": text}] if text else []
    calls = [{"type": "tool_use", "id": id, "name": "read", "input": {"path": id}} for id in ids]
    return {"role": "assistant", "content": [*said, *calls]}


def answer(*ids: str, text: str = "", said: str = "found {id}") -> dict[str, Any]:
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": said.format(id=id)} for id in ids
    ]
    words = [{"type": "text", "text": text}] if text else []
    return {"role": "user", "content": [*results, *words]}


def says(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


TASK = says("user", "Read the files.")


def mended(dialect: str, *messages: Any, **envelope: Any) -> tuple[list[Any], Repaired]:
    """The messages as they are written after the repair."""
    value: Any = {"model": "m", "messages": list(messages), **envelope}
    before = json.dumps(value)
    history = read_request(value, dialect)
    assert broken(history), "the test is about a broken history"
    made = repair(history)
    assert json.dumps(value) == before
    assert broken(made.history) == ()
    written: list[Any] = write(made.history).value["messages"]
    return written, made


def shape(written: list[Any]) -> list[str]:
    """Roles, with what the blocks are: `A:call a`, `U:result a,text`."""
    lines = []
    for message in written:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text"}] if content else []
        told = []
        for block in [*blocks, *message.get("tool_calls", ())]:
            name = block.get("tool_use_id") or block.get("id") or ""
            kinds = {"tool_use": "call", "tool_result": "result", "function": "call"}
            told.append(f"{kinds.get(block['type'], block['type'])} {name}".strip())
        if message["role"] == "tool":
            told = [f"result {message['tool_call_id']}"]
        lines.append(f"{message['role'][0].upper()}:{','.join(told)}")
    return lines


def test_a_result_without_its_call_stays_as_a_note() -> None:
    written, made = mended("anthropic", TASK, answer("a", text="and go on"))
    assert shape(written) == ["U:text", "U:text,text"]
    assert written[1]["content"][0]["text"] == (
        "[a tool result whose call is not recorded, 'a']\nfound a"
    )
    assert [(r.message, r.done) for r in made.repairs] == [
        (1, "its text was kept as a note on the user's side")
    ]


def test_a_parallel_group_that_was_cut_in_two() -> None:
    """The call of one is gone with the assistant's message, the results are there."""
    tool = {"role": "tool", "tool_call_id": "b", "content": "found b"}
    written, _ = mended("openai", TASK, tool, says("assistant", "Done."))
    assert shape(written) == ["U:text", "U:text", "A:text"]
    assert "found b" in written[1]["content"]


def test_a_call_without_a_result_gets_an_error_in_the_providers_shape() -> None:
    written, _ = mended("anthropic", TASK, use("a", "b"), answer("b"), says("assistant", "Done."))
    assert shape(written) == ["U:text", "A:call a,call b", "U:result a", "U:result b", "A:text"]
    assert written[2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "a",
        "content": NO_RESULT,
        "is_error": True,
    }


def test_thinking_beside_an_orphaned_call_stays_with_it() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    call = use("a")
    call["content"].insert(0, thinking)
    written, _ = mended("anthropic", TASK, call, says("assistant", "Done."), TASK)
    assert shape(written) == ["U:text", "A:thinking,call a", "U:result a", "A:text", "U:text"]
    assert written[1] is call


def test_the_newest_open_call_stays_open() -> None:
    written, made = mended("anthropic", TASK, use("a"), answer("a", "x"), use("b"))
    assert shape(written) == ["U:text", "A:call a", "U:result a,text", "A:call b"]
    assert len(made.repairs) == 1


def test_a_result_goes_behind_its_call() -> None:
    for messages in (
        (TASK, answer("a"), use("a"), says("user", "Well?")),
        (TASK, use("a"), says("user", "Well?"), says("assistant", "Hm."), answer("a")),
        (TASK, use("a"), says("user", "Well?"), answer("a")),
    ):
        written, made = mended("anthropic", *messages)
        assert shape(written)[:4] == ["U:text", "A:call a", "U:result a", "U:text"]
        assert answer("a") in written
        assert len(made.repairs) == 1


def test_results_and_words_of_one_message_change_places() -> None:
    late = answer("a", text="words")
    late["content"].reverse()
    written, _ = mended("anthropic", TASK, use("a"), late)
    assert shape(written) == ["U:text", "A:call a", "U:result a,text"]


def test_an_id_used_again_is_renamed_in_call_and_result() -> None:
    written, made = mended(
        "anthropic", TASK, use("a"), answer("a"), use("a"), answer("a", said="second")
    )
    assert shape(written) == ["U:text", "A:call a", "U:result a", "A:call a_2", "U:result a_2"]
    assert written[4]["content"][0]["content"] == "second"
    assert written[1] == use("a")
    assert [r.message for r in made.repairs] == [3, 4]


def test_ids_doubled_in_one_message_pair_by_position() -> None:
    calls = [
        {"id": "x", "type": "function", "function": {"name": "f", "arguments": str(n)}}
        for n in range(2)
    ]
    results = [{"role": "tool", "tool_call_id": "x", "content": f"of {n}"} for n in range(2)]
    written, _ = mended(
        "openai", TASK, {"role": "assistant", "content": None, "tool_calls": calls}, *results
    )
    assert [call["id"] for call in written[1]["tool_calls"]] == ["x", "x_2"]
    assert [(m["tool_call_id"], m["content"]) for m in written[2:]] == [
        ("x", "of 0"),
        ("x_2", "of 1"),
    ]


def test_the_same_result_twice_is_kept_once_and_another_is_not_lost() -> None:
    written, _ = mended("anthropic", TASK, use("a"), answer("a"), answer("a"))
    assert shape(written) == ["U:text", "A:call a", "U:result a"]
    other = answer("a", said="other")
    written, _ = mended("anthropic", TASK, use("a"), answer("a"), other)
    assert shape(written) == ["U:text", "A:call a", "U:result a", "U:text"]
    assert "other" in json.dumps(written[3])


def test_a_call_that_stands_twice_in_a_row_is_kept_once() -> None:
    written, _ = mended("anthropic", TASK, use("a"), use("a"), answer("a"))
    assert shape(written) == ["U:text", "A:call a", "U:result a"]


def test_empty_content_says_so() -> None:
    written, _ = mended(
        "anthropic",
        TASK,
        {"role": "assistant", "content": []},
        says("user", ""),
        {"role": "assistant", "content": [{"type": "text", "text": ""}, use("a")["content"][0]]},
    )
    assert shape(written) == ["U:text", "A:text", "U:text", "A:call a"]
    assert written[1]["content"] == [
        {"type": "text", "text": "[removed: the assistant message's content]"}
    ]
    empty: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": []}
    written, _ = mended("openai", TASK, empty, {"role": "user", "content": None})
    assert [m["content"] for m in written[1:]] == [
        "[removed: the assistant message's content]",
        "[removed: the user message's content]",
    ]
    assert "tool_calls" not in written[1]


def test_a_history_that_begins_with_an_answer_has_a_note_before_it() -> None:
    written, made = mended("anthropic", says("assistant", "Hello."), TASK)
    assert shape(written) == ["U:text", "A:text", "U:text"]
    assert made.sources == (-1, 0, 1)
    assert not made.history[0].typed


def test_a_system_message_between_call_and_result() -> None:
    written, _ = mended("anthropic", TASK, use("a"), says("system", "Be brief."), answer("a"))
    assert shape(written) == ["U:text", "A:call a", "U:result a", "S:text"]


def test_thinking_without_what_it_led_to_goes() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    written, _ = mended(
        "anthropic", TASK, {"role": "assistant", "content": [thinking]}, says("user", "Well?")
    )
    assert shape(written) == ["U:text", "A:text", "U:text"]
    items = [
        {"role": "user", "content": "Go."},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"role": "user", "content": "Well?"},
    ]
    history = read_request({"model": "m", "input": items}, "responses")
    assert write(repair(history).history).value["input"] == [items[0], items[2]]


def test_signed_thinking_behind_a_change_goes_and_thinking_is_switched_off() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    call = use("b")
    call["content"].insert(0, thinking)
    messages = (TASK, answer("lost"), call, answer("b"))
    setting = {"type": "enabled", "budget_tokens": 2000}
    written, made = mended("anthropic", *messages, thinking=setting)
    assert shape(written) == ["U:text", "U:text", "A:call b", "U:result b"]
    assert made.history.envelope["thinking"] == {"type": "disabled"}


def test_a_prefill_at_the_end_stays() -> None:
    written, _ = mended("anthropic", TASK, answer("x"), says("assistant", "It is "))
    assert written[2]["content"] == "It is"
    written, _ = mended("anthropic", TASK, answer("x"), says("assistant", "It is"))
    assert written[2] == says("assistant", "It is")


def test_a_server_call_without_its_result_is_kept_as_text() -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
    written, _ = mended(
        "anthropic", TASK, {"role": "assistant", "content": [call]}, says("user", "Well?")
    )
    assert shape(written) == ["U:text", "A:text", "U:text"]
    assert '"query": "q"' in json.dumps(written[1]).replace('\\"', '"')


def test_responses_pairs_both_ways() -> None:
    def call(id: str) -> dict[str, Any]:
        return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}

    def output(id: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": id, "output": f"found {id}"}

    go = {"role": "user", "content": "Go."}
    items = [go, output("b"), call("a"), go, call("b"), output("lost"), call("c")]
    made = repair(read_request({"model": "m", "input": items}, "responses"))
    assert broken(made.history) == ()
    written = write(made.history).value["input"]
    kinds = [i.get("call_id", i.get("role")) for i in written]
    assert kinds == ["user", "a", "a", "user", "b", "b", "user", "c"]
    assert NO_RESULT in written[2]["output"]
    assert written[5] is items[1]
    elsewhere = {"model": "m", "input": [output("b")], "previous_response_id": "r"}
    history = read_request(elsewhere, "responses")
    assert repair(history).history is history


def test_marks_go_with_their_messages() -> None:
    history = read_request({"messages": [says("assistant", "Hi."), TASK]}, "anthropic")
    history.mark(1, True)
    assert repair(history).history.marks == {2: True}


def test_tool_definitions_are_named_and_left() -> None:
    tool = {"name": "a b", "input_schema": {"type": "object"}}
    history = read_request({"messages": [TASK], "tools": [tool]}, "anthropic")
    made = repair(history)
    assert made.history is history
    assert [v.rule for v in made.left] == ["bad-tool-name"]


def test_a_long_broken_history_is_no_trouble() -> None:
    """Cost grows with the messages; a thousand orphans of one id are no square."""
    messages = [TASK]
    for n in range(1500):
        messages += [use("a", text=f"step {n}"), answer("b"), answer(f"c{n}")]
    written, made = mended("anthropic", *messages)
    assert len(made.repairs) >= 3 * 1500
    assert len(written) == 1 + 4 * 1500


@pytest.mark.parametrize("lost", [3, 7])
def test_recorded_sessions_that_lost_messages_are_mended(shared_sessions: Path, lost: int) -> None:
    """Every so-manieth message is gone, and every so-manieth stands there twice."""
    from trimtab.formats.folder import sessions_in
    from trimtab.formats.recording import read_recording

    faults = 0
    for folder in ("claude-code", "codex", "pi", "swe-agent", "openhands", "cline"):
        for path in sessions_in(str(shared_sessions / folder)):
            history = read_recording(path, whole=True).history
            assert repair(history).history is history
            head = history.head
            messages = history[:head]
            for number, message in enumerate(history[head:]):
                if number % lost:
                    messages += [message] * (2 if number % (lost + 2) == 0 else 1)
            damaged_one = like(history, messages)
            faults += len(broken(damaged_one))
            made = repair(damaged_one)
            assert broken(made.history) == ()
            assert repair(made.history).history is made.history
    assert faults > 500
