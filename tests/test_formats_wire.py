"""Wire formats: what is read is written back, and what is converted is valid."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories, requests
from trimtab.errors import InputError, UnknownFormatError, UsageError
from trimtab.formats.jsontext import dumps
from trimtab.formats.wire import detect_dialect, read_request, write_request
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.history.rules import validate

GOLDEN = Path(__file__).parent / "golden"
PAIRS = [(one, other) for one in DIALECTS for other in DIALECTS if one != other]
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


def broken(history: History) -> list[str]:
    found = validate(history, history.dialect, tools=history.tools, envelope=history.envelope)
    return [f"{v.rule} at {v.index}: {v.explanation}" for v in found]


def blocks(history: History, kind: type[Block]) -> list[Any]:
    return [block for message in history for block in message.blocks if isinstance(block, kind)]


# -- what is read is written back -----------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_request_is_written_back_as_it_was(dialect: str) -> None:
    @quick
    @given(requests(dialect))
    def holds(request: Any) -> None:
        before = copy.deepcopy(request)
        history = read_request(request, dialect)
        written = write_request(history, history)
        assert written.value == before
        assert written.losses == ()
        assert dumps(written.value) == dumps(before), "the order of keys counts, too"
        assert request == before, "what was read is not altered"

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_known_kind_is_written_back_as_it_was(dialect: str) -> None:
    request = golden(dialect)
    history = read_request(request)
    assert history.dialect == dialect
    assert write_request(history, history).value == golden(dialect)
    assert dumps(write_request(history, history).value) == dumps(golden(dialect))
    assert broken(history) == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["\ud800", "a\udfff", "日本"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_unknown_keys_and_kinds_survive_anywhere(dialect: str) -> None:
    """An unknown key in every object, an unknown block in every list of blocks."""

    def strewn(value: Any, extra: Any, *, blocks: bool) -> Any:
        if isinstance(value, dict):
            inside = {k: strewn(v, extra, blocks=k == "content") for k, v in value.items()}
            return inside | {"x_strewn": extra}
        if isinstance(value, list):
            found = [strewn(v, extra, blocks=False) for v in value]
            return [*found, {"type": "x_kind", "n": extra}] if blocks else found
        return value

    @settings(max_examples=40, deadline=None)
    @given(JSON)
    def holds(extra: Any) -> None:
        request = strewn(golden(dialect), extra, blocks=False)
        history = read_request(request, dialect)
        assert write_request(history, history).value == request

    holds()


@pytest.mark.parametrize("value", [None, "", [], [{"type": "text", "text": "x"}]])
@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("dialect", ["anthropic", "openai", "neutral"])
def test_any_form_of_content_is_written_back(dialect: str, role: str, value: Any) -> None:
    request = {"model": "m", "messages": [{"role": role, "content": value}, {"role": role}]}
    history = read_request(request, dialect)
    assert write_request(history, history).value == request
    assert all(isinstance(block, Text) for m in history for block in m.blocks)


@pytest.mark.parametrize("system", ["x", "", [], [{"type": "text", "text": "x"}], None])
def test_any_form_of_system_is_written_back(system: Any) -> None:
    request = {"system": system, "messages": [{"role": "user", "content": "x"}]}
    history = read_request(request)
    assert history.dialect == "anthropic"
    assert history.head == (0 if system is None else 1)
    assert write_request(history, history).value == request
    without = write_request(history[history.head :], history).value
    assert without.get("system") is None


@pytest.mark.parametrize("given", ["do it", "", []])
@pytest.mark.parametrize("instructions", ["x", "", None])
def test_any_form_of_input_is_written_back(given: Any, instructions: Any) -> None:
    request = {"model": "m", "instructions": instructions, "input": given}
    history = read_request(request)
    assert history.dialect == "responses"
    assert write_request(history, history).value == request


def test_a_string_input_becomes_an_item_when_it_is_no_longer_alone() -> None:
    history = read_request({"model": "m", "input": "do it"})
    history.append(Message("assistant", (Text("done"),)))
    assert write_request(history, history).value["input"] == [
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": "done"},
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_bare_list_comes_back_as_a_bare_list(dialect: str) -> None:
    history = read_request([{"role": "user", "content": "x"}], dialect)
    assert write_request(history, history).value == [{"role": "user", "content": "x"}]
    assert write_request([], history).value == []


# -- what is read is understood -------------------------------------------------------------------


def test_anthropic_blocks_are_understood() -> None:
    history = read_request(golden("anthropic"))
    assert history.model == "claude-sonnet-4-5"
    assert [tool.name for tool in history.tools] == ["read", "shot", "web_search"]
    signed, redacted = blocks(history, Thinking)
    assert (signed.text, signed.signature, signed.bound) == (
        "I should look it up.",
        "EqQBCgIYAhIM",
        True,
    )
    assert (redacted.redacted, redacted.bound) == (True, True)
    calls = {call.id: call for call in blocks(history, ToolCall)}
    assert calls["toolu_1"].input == {"path": "a.py", "ratio": 1.0}
    assert not calls["toolu_1"].server
    assert calls["srvtoolu_1"].server
    assert calls["mcptoolu_1"].server
    results = {result.call_id: result for result in blocks(history, ToolResult)}
    assert results["toolu_1"].is_error
    assert results["toolu_1"].text == "half a pair: \ud800"
    assert results["toolu_3"].content == ()
    assert [type(p) for p in results["toolu_2"].content] == [Text, Image, Opaque]
    assert results["srvtoolu_2"].is_error
    assert results["srvtoolu_2"].server
    assert results["srvtoolu_3"].text == "a\nb\n"
    assert results["mcptoolu_1"].text == "echoed"
    pixel, by_url, by_id = blocks(history, Image)
    assert (pixel.width, pixel.height) == (1, 1)
    assert by_url.url == "https://example.com/a.png"
    assert (by_id.data, by_id.url) == ("", "")
    documents = blocks(history, Document)
    assert [d.text for d in documents] == ["First line\n二行目", "", "", "a chunk", "Known."]
    assert [block.kind for block in blocks(history, Opaque)] == ["container_upload", "compaction"]


def test_openai_messages_are_understood() -> None:
    history = read_request(golden("openai"))
    assert history.head == 2
    assert [tool.name for tool in history.tools] == ["read", "run", "legacy"]
    calls = blocks(history, ToolCall)
    assert [call.id for call in calls] == [
        "call_1",
        "call_2",
        "call_3",
        "call_1",
        "function_call:legacy",
    ]
    assert calls[0].input == '{"path": "a.py"}'
    assert calls[1].input == "print(1)"
    assert [m.role for m in history][4:7] == ["tool", "tool", "tool"]
    assert history.exchanges.open_calls() == {}
    assert blocks(history, Thinking)[0].text == "I should read it."
    assert history[9].text == "Part one.\nNot part two."
    assert history[13].text == "I cannot do that."
    assert [block.kind for block in blocks(history, Opaque)] == ["input_audio", "audio"]


def test_responses_items_are_understood() -> None:
    history = read_request(golden("responses"))
    assert history[0].role == "system"
    assert history[0].text == "Answer briefly."
    seen, hidden = blocks(history, Thinking)
    assert (seen.text, seen.signature, seen.bound) == ("Look it up.", "gAAAAAB", False)
    assert hidden.redacted
    assert history.exchanges.open_calls() == {}
    assert history.exchanges.orphans == []
    results = {result.call_id: result for result in blocks(history, ToolResult)}
    assert results["mcp_1"].text == "echoed"
    assert results["mcp_1"].server
    assert results["ci_1"].text == "42"
    assert isinstance(results["ig_1"].content[0], Image)
    assert isinstance(results["call_4"].content[0], Image)
    assert results["call_6"].text == "a\n"
    assert results["call_7"].is_error
    assert not results["call_7"].server
    roles = {m.raw.get("type"): m.role for m in history if isinstance(m.raw, dict)}
    assert (
        roles["function_call"] == roles["reasoning"] == roles["a_kind_of_tomorrow"] == "assistant"
    )
    assert roles["function_call_output"] == roles["mcp_approval_response"] == "tool"


def test_neutral_lines_are_understood() -> None:
    history = read_request(golden("neutral"))
    assert [m.id for m in history][:2] == ["0", "u1"]
    assert [m.required for m in history][1:5] == [True, None, None, False]
    assert [call.server for call in blocks(history, ToolCall)] == [True, False, False, False]
    assert [result.pending for result in blocks(history, ToolResult)][1] is True
    assert set(history.exchanges.open_calls()) == {"c2"}


# -- what is not understood is refused ------------------------------------------------------------

USER = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "x",
        [],
        {},
        [3],
        [{"no": "role"}],
        {"messages": "x"},
        {"messages": [{"role": "robot"}]},
        {"input": [3]},
        [{"role": "user"}, "x"],
        {"data": [USER]},
    ],
)
def test_a_value_of_no_known_shape_is_refused(value: Any) -> None:
    with pytest.raises(UnknownFormatError, match="request"):
        read_request(value)


@pytest.mark.parametrize(
    ("dialect", "message", "where"),
    [
        ("anthropic", {"role": "robot", "content": "x"}, "messages[1].role"),
        ("anthropic", {"content": "x"}, "messages[1].role"),
        ("anthropic", {"role": "user", "content": 3}, "messages[1].content"),
        ("anthropic", {"role": "user", "content": ["x"]}, "messages[1].content[0]"),
        ("anthropic", {"role": "user", "content": [{"text": "x"}]}, "messages[1].type"),
        ("anthropic", {"role": "user", "content": [{"type": "text"}]}, "messages[1].text"),
        ("anthropic", "x", "messages[1]"),
        ("openai", {"role": "assistant", "tool_calls": {}}, "messages[1].tool_calls"),
        ("openai", {"role": "assistant", "tool_calls": [{"id": "a"}]}, "messages[1].function"),
        ("openai", {"role": "user", "content": [{"type": "text", "text": 3}]}, "messages[1].text"),
        ("responses", {"no": "type"}, "input[1].type"),
        ("responses", {"type": "reasoning", "summary": "x"}, "input[1].summary"),
        ("neutral", {"role": "user", "content": "x", "required": "yes"}, "messages[1].required"),
        ("neutral", {"role": "user", "content": [{"type": "tool_call"}]}, "messages[1].id"),
    ],
)
def test_a_message_that_is_not_understood_is_named(dialect: str, message: Any, where: str) -> None:
    place = "input" if dialect == "responses" else "messages"
    with pytest.raises(InputError) as refused:
        read_request({place: [USER, message]}, dialect)
    assert refused.value.where == where


def test_one_format_taken_for_another_is_no_clean_report() -> None:
    for real in ("anthropic", "openai", "responses"):
        request = golden(real)
        messages = request.get("messages") or request["input"]
        for taken in DIALECTS:
            if taken == real:
                continue
            place = "input" if taken == "responses" else "messages"
            try:
                history = read_request({place: messages}, taken)
            except InputError:
                continue
            assert broken(history) != []


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(UsageError, match="gemini"):
        read_request([USER], "gemini")
    with pytest.raises(UsageError, match="gemini"):
        write_request([], History(), "gemini")
    with pytest.raises(InputError, match="no input"):
        read_request({"messages": [USER]}, "responses")


# -- detection ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_dialect_is_found_by_content(dialect: str) -> None:
    @quick
    @given(requests(dialect))
    def holds(request: Any) -> None:
        found = detect_dialect(request)
        if found != dialect:
            # Plain messages fit several formats; then nothing is lost by the choice.
            assert isinstance(request, list)
            assert found in ("neutral", "openai")
            assert not any(block for m in read_request(request, dialect) for block in m.calls())

    holds()


@pytest.mark.parametrize(
    ("value", "dialect"),
    [
        ({"messages": [USER]}, "openai"),
        ({"model": "gpt-4o", "messages": [USER]}, "openai"),
        ({"model": "claude-x", "messages": [USER]}, "anthropic"),
        ({"model": "anthropic/claude-x", "messages": [{"role": "system"}, USER]}, "openai"),
        ({"messages": [USER], "system": "x"}, "anthropic"),
        ({"messages": [USER], "tools": [{"name": "f", "input_schema": {}}]}, "anthropic"),
        ({"messages": []}, "openai"),
        ({"input": "x"}, "responses"),
        ({"input": [USER]}, "responses"),
        ({"model": "m", "instructions": "x", "previous_response_id": "r"}, "responses"),
        ([USER], "neutral"),
        ([{"role": "user", "content": "x", "required": True}], "neutral"),
        ([USER, {"type": "function_call", "call_id": "a"}], "responses"),
        ([USER, {"role": "developer", "content": "x"}], "openai"),
    ],
)
def test_signs_of_a_dialect(value: Any, dialect: str) -> None:
    assert detect_dialect(value) == dialect


# -- conversions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_converted_valid_history_is_valid(source: str, target: str) -> None:
    @quick
    @given(histories(source))
    def holds(history: History) -> None:
        converted = read_request(write_request(history, history, target).value, target)
        assert broken(converted) == []
        calls = [c for c in blocks(history, ToolCall) if not c.server]
        kept = [c for c in blocks(converted, ToolCall) if not c.server]
        assert len(kept) == len(calls), "no client call is lost"
        for before, after in zip(calls, kept, strict=True):
            assert _open(history, before) == _open(converted, after)

    holds()


def _open(history: History, call: ToolCall) -> bool:
    at = next(n for n, m in enumerate(history) if any(b is call for b in m.blocks))
    return at in history.exchanges.open_calls().get(call.id, ())


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_words_and_results_survive_a_conversion_in_their_order(source: str, target: str) -> None:
    @settings(quick, max_examples=30)
    @given(histories(source))
    def holds(history: History) -> None:
        converted = read_request(write_request(history, history, target).value, target)
        for role in ("user", "assistant"):
            remaining = iter(_said(converted, role))
            for text in _said(history, role):
                assert text in remaining, "a text is gone or out of order"
        answers = sorted(r.text.strip() for r in blocks(history, ToolResult) if _answers(r))
        kept = sorted(
            r.text.removeprefix("[error] ").strip()
            for r in blocks(converted, ToolResult)
            if _answers(r)
        )
        assert kept == answers

    holds()


def _said(history: History, role: str) -> list[str]:
    return [
        block.text
        for message in history
        if message.role == role
        for block in message.blocks
        if isinstance(block, Text) and block.text.strip()
    ]


def _answers(result: ToolResult) -> bool:
    return not result.server and not result.pending


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_only_one_provider_can_read_does_not_move(source: str, target: str) -> None:
    history = read_request(golden(source), source)
    written = write_request(history, history, target)
    text = json.dumps(written.value)
    for sealed in ("EqQBCgIYAhIM", "EmwKAhgBEgy3va3p", "gAAAAA", "c2ln", "encrypted_content"):
        assert sealed not in text
    for kind in ("server_tool_use", "container_upload", "compaction", "item_reference", "mcp_call"):
        assert kind not in text
    assert written.losses


GOLDEN_CONVERSIONS = sorted(path.stem for path in GOLDEN.glob("convert_*.json"))


@pytest.mark.parametrize("name", GOLDEN_CONVERSIONS)
def test_conversions_as_written_by_hand(name: str) -> None:
    case = golden(name)
    history = read_request(case["request"], case["dialect"])
    for target, expected in case["to"].items():
        written = write_request(history, history, target)
        assert written.value == expected["value"]
        assert list(written.losses) == expected["losses"]


def test_there_are_conversions_written_by_hand() -> None:
    assert len(GOLDEN_CONVERSIONS) >= 3
