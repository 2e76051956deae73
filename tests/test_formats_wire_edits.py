"""Edited messages: what an edit changed is written anew, all else as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.formats import anthropic, neutral, openai_chat, openai_responses
from trimtab.formats.wire import read_request, write_request
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Text, Thinking, ToolCall, ToolResult
from trimtab.history.rules import validate

GOLDEN = Path(__file__).parent / "golden"
CLEARED = "[cleared]"
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def cleared(block: Block) -> Block:
    """The block with its result or its input cleared, as policies do it."""
    if isinstance(block, ToolResult):
        return replace(block, content=(Text(CLEARED),), edited=True)
    if isinstance(block, ToolCall):
        return replace(block, input="{}" if isinstance(block.input, str) else {}, edited=True)
    return block


def shortened(block: Block) -> Block:
    assert isinstance(block, Text | Thinking)
    return replace(block, text="short", edited=True)


def all_cleared(message: Message) -> Message:
    return message.with_blocks(tuple(map(cleared, message.blocks)))


def without(message: Message, kind: type[Block]) -> Message:
    return message.with_blocks(tuple(b for b in message.blocks if not isinstance(b, kind)))


def write(message: Message) -> list[Any]:
    written = write_request([message], History([message], dialect=message.dialect)).value
    return list(written)


# -- Anthropic ------------------------------------------------------------------------------------


def test_a_cleared_anthropic_result_keeps_its_other_keys() -> None:
    raw = {
        "role": "user",
        "x_message": 1,
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "a",
                "content": [{"type": "text", "text": "long"}],
                "is_error": True,
                "cache_control": {"type": "ephemeral"},
                "x_block": 2,
            },
            {"type": "text", "text": "go on", "x_block": 3},
        ],
    }
    (written,) = write(all_cleared(anthropic.read_message(raw)))
    assert written == {
        **raw,
        "content": [{**raw["content"][0], "content": CLEARED}, raw["content"][1]],  # type: ignore[index]
    }


def test_a_cleared_anthropic_input_is_an_empty_object() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}, "cache_control": {}}
    message = anthropic.read_message({"role": "assistant", "content": [use]})
    assert write(all_cleared(message))[0]["content"] == [{**use, "input": {}}]


def test_an_emptied_anthropic_message_is_no_empty_list() -> None:
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    message = anthropic.read_message({"role": "assistant", "content": [thinking]})
    assert write(without(message, Thinking)) == [
        {"role": "assistant", "content": [{"type": "text", "text": "[removed]"}]}
    ]
    message = anthropic.read_message({"role": "user", "content": "x"})
    assert write(without(message, Text)) == [{"role": "user", "content": "[removed]"}]


def test_edited_text_loses_the_citations_that_point_into_it() -> None:
    text = {"type": "text", "text": "long", "citations": [{"start": 3}], "x": 1}
    message = anthropic.read_message({"role": "assistant", "content": [text]})
    block = shortened(message.blocks[0])
    assert write(message.with_blocks((block,)))[0]["content"] == [
        {"type": "text", "text": "short", "x": 1}
    ]


def test_edited_thinking_is_left_out_never_sent_with_its_old_seal() -> None:
    thinking = {"type": "thinking", "thinking": "long", "signature": "s"}
    raw = {"role": "assistant", "content": [thinking, {"type": "text", "text": "x"}]}
    message = anthropic.read_message(raw)
    block = shortened(message.blocks[0])
    edited = message.with_blocks((block, *message.blocks[1:]))
    written = write_request([edited], History(dialect="anthropic"))
    assert written.value[0]["content"] == [raw["content"][1]]
    assert written.losses


def test_an_edited_system_prompt_keeps_its_form() -> None:
    for system in ("long", [{"type": "text", "text": "long"}]):
        history = read_request({"system": system, "messages": []})
        edited = history[0].with_blocks((Text("short"),))
        written = write_request([edited], history).value
        expected = "short" if isinstance(system, str) else [{"type": "text", "text": "short"}]
        assert written == {"system": expected, "messages": []}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"type": "web_search_result", "url": "u"}], []),
        ("text", CLEARED),
        (
            {"type": "r", "stdout": "s", "stderr": "e"},
            {"type": "r", "stdout": CLEARED, "stderr": ""},
        ),
        ({"type": "other", "file": 1}, {"type": "other", "file": 1}),
    ],
)
def test_a_cleared_server_result_keeps_the_form_that_its_provider_wants(
    content: Any, expected: Any
) -> None:
    result = {"type": "x_tool_result", "tool_use_id": "a", "content": content}
    message = anthropic.read_message({"role": "assistant", "content": [result]})
    assert write(all_cleared(message))[0]["content"] == [{**result, "content": expected}]


def test_a_response_is_trimmed_to_what_a_request_may_hold() -> None:
    response = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": "x"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 5, "output_tokens": 7},
    }
    message = anthropic.read_message(response)
    assert (message.id, message.model) == ("msg_1", "claude-x")
    assert message.usage is not None
    assert (message.usage.context, message.usage.output) == (8, 7)
    assert anthropic.as_request_message(response).keys() == {"role", "content"}


# -- OpenAI ---------------------------------------------------------------------------------------


def test_a_cleared_openai_result_keeps_its_other_keys() -> None:
    for content in ("long", [{"type": "text", "text": "long"}]):
        raw = {"role": "tool", "tool_call_id": "a", "content": content, "name": "f", "x": 1}
        (written,) = write(all_cleared(openai_chat.read_message(raw)))
        expected = CLEARED if isinstance(content, str) else [{"type": "text", "text": CLEARED}]
        assert written == {**raw, "content": expected}


def test_cleared_openai_calls_keep_their_other_keys() -> None:
    function = {"name": "f", "arguments": '{"x": 1}', "x_function": 1}
    custom = {"name": "g", "input": "long"}
    raw = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": function, "x_call": 2},
            {"id": "b", "type": "custom", "custom": custom},
        ],
        "reasoning_content": "why",
        "x_message": 3,
    }
    (written,) = write(all_cleared(openai_chat.read_message(raw)))
    calls = [
        {"id": "a", "type": "function", "function": {**function, "arguments": "{}"}, "x_call": 2},
        {"id": "b", "type": "custom", "custom": {**custom, "input": ""}},
    ]
    assert written == {**raw, "tool_calls": calls}


def test_a_cleared_function_call_of_old() -> None:
    raw = {"role": "assistant", "function_call": {"name": "f", "arguments": "{x}"}}
    (written,) = write(all_cleared(openai_chat.read_message(raw)))
    assert written["function_call"] == {"name": "f", "arguments": "{}"}


def test_openai_thinking_goes_with_all_its_keys() -> None:
    raw = {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "long",
        "thinking_blocks": [{"type": "thinking", "thinking": "long", "signature": "s"}],
    }
    message = openai_chat.read_message(raw)
    assert isinstance(message.blocks[0], Thinking)
    assert message.blocks[0].bound
    assert write(without(message, Thinking)) == [{"role": "assistant", "content": "x"}]
    assert write(message.with_blocks(message.blocks)) == [raw]


def test_an_edited_refusal_is_an_ordinary_text() -> None:
    raw = {"role": "assistant", "content": None, "refusal": "long"}
    message = openai_chat.read_message(raw)
    edited = message.with_blocks((shortened(message.blocks[0]),))
    assert write(edited) == [{"role": "assistant", "content": "short"}]


def test_an_emptied_openai_message_says_so() -> None:
    message = openai_chat.read_message({"role": "assistant", "content": "x"})
    assert write(without(message, Text)) == [{"role": "assistant", "content": "[removed]"}]
    refused = openai_chat.read_message({"role": "assistant", "content": None, "refusal": "no"})
    assert write(without(refused, Text)) == [{"role": "assistant", "content": "[removed]"}]


# -- Responses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "changed"),
    [
        (
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"x":1}'},
            {"arguments": "{}"},
        ),
        ({"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "long"}, {"input": ""}),
        ({"type": "computer_call", "call_id": "a", "action": {"type": "click"}}, {}),
        ({"type": "function_call_output", "call_id": "a", "output": "long"}, {"output": CLEARED}),
        (
            {
                "type": "function_call_output",
                "call_id": "a",
                "output": [{"type": "input_text", "text": "long"}],
            },
            {"output": CLEARED},
        ),
        ({"type": "local_shell_call_output", "id": "a", "output": "long"}, {"output": CLEARED}),
        (
            {"type": "shell_call_output", "call_id": "a", "output": [{"stdout": "long"}]},
            {
                "output": [
                    {"stdout": CLEARED, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
                ]
            },
        ),
        (
            {
                "type": "computer_call_output",
                "call_id": "a",
                "output": {"type": "computer_screenshot", "image_url": "u"},
            },
            {},
        ),
        (
            {"type": "mcp_call", "id": "a", "name": "f", "arguments": '{"x":1}', "output": "long"},
            {"arguments": "{}", "output": CLEARED},
        ),
        (
            {
                "type": "code_interpreter_call",
                "id": "a",
                "code": "long",
                "outputs": [{"type": "logs", "logs": "long"}],
            },
            {"code": "", "outputs": [{"type": "logs", "logs": CLEARED}]},
        ),
        ({"type": "image_generation_call", "id": "a", "result": "AAAA"}, {"result": None}),
    ],
)
def test_a_cleared_item_keeps_its_other_keys(item: dict[str, Any], changed: Any) -> None:
    item |= {"status": "completed", "x": 1}
    message = all_cleared(openai_responses.read_message(item))
    assert write(message) == [{**item, **changed}]


def test_an_edited_message_item_keeps_its_form() -> None:
    part = {"type": "output_text", "text": "long", "annotations": [{"start_index": 1}]}
    raw = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part], "x": 1}
    message = openai_responses.read_message(raw)
    block = shortened(message.blocks[0])
    assert write(message.with_blocks((block,))) == [
        {**raw, "content": [{"type": "output_text", "text": "short", "annotations": []}]}
    ]
    assert write(message.with_blocks(()))[0]["content"] == [
        {"type": "output_text", "text": "[removed]"}
    ]
    plain = openai_responses.read_message({"role": "user", "content": "long"})
    assert write(plain.with_blocks((Text("short"),))) == [{"role": "user", "content": "short"}]
    whole = openai_responses.read_message("long")
    assert (
        write_request([whole.with_blocks((Text("short"),))], History(dialect="responses")).value
        == "short"
    )


def test_an_item_replaced_by_text_becomes_a_message() -> None:
    item = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    message = openai_responses.read_message(item).with_blocks((Text("it read a file"),))
    assert write(message) == [{"role": "assistant", "content": "it read a file"}]


# -- neutral, and all -----------------------------------------------------------------------------


def test_a_cleared_neutral_message_keeps_its_other_keys() -> None:
    call = {"type": "tool_call", "id": "a", "name": "f", "input": {"x": 1}, "x_block": 1}
    result = {"type": "tool_result", "call_id": "a", "content": "long", "pending": False}
    raw = {"role": "assistant", "content": [call, result], "id": 3, "required": False, "x": 1}
    (written,) = write(all_cleared(neutral.read_message(raw)))
    content = [{**call, "input": {}}, {**result, "content": CLEARED}]
    assert written == {**raw, "content": content}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_edit_that_changes_nothing_writes_the_same(dialect: str) -> None:
    """For the golden request and for generated ones, up to how an empty content is said."""

    def check(history: History) -> None:
        plain = write_request(history, history).value
        touched = [m.with_blocks(m.blocks) if m.blocks else m for m in history]
        again = write_request(touched, history).value
        assert _normal(again) == _normal(plain)

    check(read_request(json.loads((GOLDEN / f"{dialect}.json").read_text("utf-8"))))
    quick(given(histories(dialect))(check))()


def _normal(value: Any) -> Any:
    """Without the empty `content` of OpenAI, which can be said in several ways."""
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, dict):
        empty = (None, "")
        return {
            key: _normal(item)
            for key, item in value.items()
            if not (key == "content" and item in empty)
        }
    return value


@pytest.mark.parametrize("dialect", DIALECTS)
def test_clearing_everything_stays_valid_and_is_read_back(dialect: str) -> None:
    @quick
    @given(histories(dialect))
    def holds(history: History) -> None:
        context = [all_cleared(m) if any(m.results()) or any(m.calls()) else m for m in history]
        assert validate(context, dialect, envelope=history.envelope) == ()
        again = read_request(write_request(context, history).value, dialect)
        assert validate(again, dialect, envelope=again.envelope) == ()
        for message in again:
            for result in message.results():
                assert result.server or result.text in (CLEARED, "")
            for call in message.calls():
                assert (
                    call.server
                    or call.raw.get("type", "").endswith("shell_call")
                    or not (call.input and call.input != "{}")
                )

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_messages_made_in_code_are_written(dialect: str) -> None:
    messages = [
        Message("system", (Text("Be brief."),)),
        Message("user", (Text("Read it."),)),
        Message("assistant", (Text("Reading."), ToolCall("a", "read", {"path": "x"}))),
        Message("tool", (ToolResult("a", (Text("contents"),), is_error=True),)),
        Message("assistant", (Text("Done."),)),
    ]
    history = History(messages, dialect=dialect)
    read = read_request(write_request(messages, history).value, dialect)
    assert validate(read, dialect) == ()
    assert [m.text for m in read if m.text] == ["Be brief.", "Read it.", "Reading.", "Done."]
    (call,) = [c for m in read for c in m.calls()]
    (result,) = [r for m in read for r in m.results()]
    assert call.id == result.call_id == "a"
    assert result.text.removeprefix("[error] ") == "contents"


@given(st.sampled_from(DIALECTS), st.sampled_from(DIALECTS))
def test_tools_made_in_code_or_read_are_written(source: str, target: str) -> None:
    history = read_request(json.loads((GOLDEN / f"{source}.json").read_text("utf-8")), source)
    value = write_request(history, history, target).value
    if target == "neutral" or source == "neutral":
        return
    tools = read_request(value, target).tools
    assert "read" in [tool.name for tool in tools]
    assert next(t for t in tools if t.name == "read").schema["type"] == "object"
    fresh = History(history[:2], tools=tools, dialect=target)
    assert [
        t.name for t in read_request(write_request(fresh, fresh, target).value, target).tools
    ] == [t.name for t in tools]
