"""Provider rules: each by the smallest request that breaks it, next to one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from trimtab.errors import UsageError
from trimtab.formats.wire import read_request
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.history.rules import RULES, validate

Json = dict[str, Any]


def broken(value: Any, dialect: str) -> list[tuple[str, int]]:
    history = read_request(value, dialect)
    found = validate(history, dialect, tools=history.tools, envelope=history.envelope)
    assert all("\n" not in v.explanation and v.explanation for v in found)
    return [(v.rule, v.index) for v in found]


# -- Anthropic ------------------------------------------------------------------------------------


def plain(content: tuple[Any, ...]) -> Any:
    return content[0] if isinstance(content[0], str) else [*content]


def user(*content: Any) -> Json:
    return {"role": "user", "content": plain(content)}


def says(*content: Any) -> Json:
    return {
        "role": "assistant",
        "content": content[0] if isinstance(content[0], str) else [*content],
    }


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def use(id: str, **keys: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **keys}


def result(id: str) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": "r"}


def server_use(id: str) -> Json:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def server_result(id: str) -> Json:
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


HI, THINK = user("hi"), {"type": "thinking", "thinking": "t", "signature": "s"}
SYSTEM = {"role": "system", "content": "note"}
COMPACTED = says({"type": "compaction", "content": "so far"})
MARK = {"cache_control": {"type": "ephemeral"}}

ANTHROPIC_VALID: list[list[Json]] = [
    [HI],
    [HI, HI, says("a"), says("b"), HI],
    [HI, says(use("a"))],
    [HI, says(use("a"), use("b"))],
    [HI, says(use("a"), use("b")), user(result("b"), result("a"), text("x"))],
    [HI, says(use("a"), use("b")), user(result("b")), user(result("a")), HI],
    [HI, says("x"), says(use("a")), user(result("a")), says("y")],
    [HI, says(use("a")), says(use("b")), user(result("a"), result("b"))],
    [HI, says(THINK, use("a")), user(result("a"))],
    [HI, says(THINK), says(use("a")), user(result("a"))],
    [HI, says({"type": "redacted_thinking", "data": "d"}, text("x")), HI],
    [HI, says(server_use("s"), server_result("s"), text("x")), HI],
    [HI, says(server_use("s"))],
    [HI, says(server_use("s")), says(server_result("s"), text("x"))],
    [HI, says(server_use("s"), use("a")), user(result("a")), says(server_result("s"), text("x"))],
    [COMPACTED, HI],
    [HI, SYSTEM, says("x")],
    [HI, says("x"), HI, SYSTEM],
    [HI, says(use("a")), user(result("a")), SYSTEM],
    [HI, says(server_use("s"), server_result("s")), SYSTEM],
    [HI, {"role": "assistant", "content": []}],
    [HI, {"role": "assistant", "content": ""}],
    [HI, says("ends in white space \n"), HI],
    [HI, says(use("a")), user({"type": "tool_result", "tool_use_id": "a", "content": ""})],
    [HI, says(use("a")), user({"type": "tool_result", "tool_use_id": "a"})],
]


@pytest.mark.parametrize("messages", ANTHROPIC_VALID)
def test_valid_for_anthropic(messages: list[Json]) -> None:
    assert broken({"messages": messages}, "anthropic") == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], [("no-messages", -1)]),
        ([says("x")], [("first-message-not-user", 0)]),
        ([HI, {"role": "tool", "content": "x"}], [("role-unknown", 1)]),
        ([HI, {"role": "user", "content": ""}], [("empty-content", 1)]),
        ([HI, {"role": "user", "content": []}, HI], [("empty-content", 1)]),
        ([HI, {"role": "assistant", "content": []}, HI], [("empty-content", 1)]),
        ([HI, {"role": "user"}, HI], [("empty-content", 1)]),
        ([HI, user(" \n")], [("blank-text", 1)]),
        ([HI, says(text(""), use("a"))], [("blank-text", 1)]),
        # pairs
        ([HI, says(use("a")), HI], [("call-without-result", 1)]),
        ([HI, says(use("a")), HI, user(result("a"))], [("result-not-first", 3)]),
        ([HI, says(use("a")), says("x"), HI], [("call-without-result", 1)]),
        (
            [HI, says(use("a"), use("b")), user(result("a"))],
            [("call-without-result", 1)],
        ),
        (
            [HI, says(use("a")), HI, says("x"), user(result("a"))],
            [("call-without-result", 1), ("result-not-next", 4)],
        ),
        ([user(result("a"))], [("result-without-call", 0)]),
        ([HI, says("x"), user(result("a"))], [("result-without-call", 2)]),
        (
            [HI, says(use("a")), user(result("a"), result("b"))],
            [("result-without-call", 2)],
        ),
        (
            [HI, says(use("a")), user(result("a"), result("a"))],
            [("duplicate-result", 2)],
        ),
        (
            [HI, says(use("a")), user(result("a")), says("x"), user(result("a"))],
            [("result-not-next", 4)],
        ),
        (
            [HI, says(use("a")), user(text("x"), result("a"))],
            [("result-not-first", 2)],
        ),
        (
            [HI, says(use("a")), SYSTEM, user(result("a"))],
            [("call-without-result", 1), ("system-misplaced", 2), ("result-not-next", 3)],
        ),
        (
            [HI, says(use("a")), user(result("a")), says(use("a")), user(result("a"))],
            [("duplicate-call-id", 3)],
        ),
        ([HI, says(use("a"), use("a"))], [("duplicate-call-id", 1)]),
        # server tools
        (
            [HI, says(server_use("s"), text("x")), HI],
            [("server-call-without-result", 1)],
        ),
        ([HI, says(server_result("s"), text("x"))], [("server-result-without-call", 1)]),
        (
            [HI, says(server_use("s"), use("a")), user(result("a"), text("x"))],
            [("server-call-without-result", 1)],
        ),
        # thinking
        ([HI, says(THINK)], [("thinking-last", 1)]),
        ([HI, says(text("x"), THINK), HI], [("thinking-last", 1)]),
        # places
        ([HI, user(use("a"))], [("block-not-allowed", 1)]),
        ([HI, says(use("a"), result("a"))], [("block-not-allowed", 1)]),
        ([HI, user(THINK, text("x"))], [("block-not-allowed", 1)]),
        ([HI, says("x"), SYSTEM, says("y")], [("system-misplaced", 2)]),
        ([HI, SYSTEM, HI], [("system-misplaced", 1)]),
        ([HI, SYSTEM, SYSTEM], [("system-misplaced", 1), ("system-misplaced", 2)]),
        # the rest
        ([HI, says("x \n")], [("ends-with-assistant-whitespace", 1)]),
        ([HI, says(use("a.b"))], [("bad-id", 1)]),
        ([HI, says(use(""))], [("bad-id", 1)]),
        ([HI, says(use("a", name="fs.read"))], [("bad-tool-name", 1)]),
        ([HI, says(use("a", input="{}"))], [("invalid-arguments", 1)]),
        ([HI, says(use("a", input=None))], [("invalid-arguments", 1)]),
        ([user(*[text("x") | MARK] * 5)], [("too-many-cache-breakpoints", -1)]),
        ([HI, says({"type": "image_url", "image_url": {"url": "u"}})], [("foreign-block", 1)]),
        ([HI, says("x") | {"tool_calls": [{}]}], [("foreign-block", 1)]),
    ],
)
def test_broken_for_anthropic(messages: list[Json], expected: list[tuple[str, int]]) -> None:
    assert broken({"messages": messages}, "anthropic") == expected


def test_breakpoints_are_counted_everywhere() -> None:
    marked = {
        "system": [text("s") | MARK],
        "tools": [{"name": "f", "input_schema": {}} | MARK],
        "messages": [
            user(text("x") | MARK),
            says(use("a")),
            user(result("a") | {"content": [text("y") | MARK]}),
        ],
    }
    assert broken(marked, "anthropic") == []
    assert broken(marked | MARK, "anthropic") == [("too-many-cache-breakpoints", -1)]


def test_thinking_enabled_by_budget_wants_the_running_loop_to_start_with_it() -> None:
    enabled = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    loop = [says(use("a")), user(result("a"))]
    thought = [says(THINK, use("a")), user(result("a"))]
    again = [says(use("b")), user(result("b"))]
    bad = [("thinking-not-first", 1)]
    assert broken({"messages": [HI, *loop], **enabled}, "anthropic") == bad
    assert broken({"messages": [HI, *loop, *again], **enabled}, "anthropic") == bad
    assert broken({"messages": [HI, *thought, *again], **enabled}, "anthropic") == []
    assert broken({"messages": [HI, *loop, says("done"), HI], **enabled}, "anthropic") == []
    assert broken({"messages": [HI, *loop]}, "anthropic") == []
    adaptive = {"thinking": {"type": "adaptive"}}
    assert broken({"messages": [HI, *loop], **adaptive}, "anthropic") == []


@pytest.mark.parametrize("dialect", ["anthropic", "openai"])
def test_tool_names(dialect: str) -> None:
    def named(*names: str) -> list[tuple[str, int]]:
        key = "input_schema" if dialect == "anthropic" else "parameters"
        tools: list[Json] = [{"name": name, key: {}} for name in names]
        if dialect == "openai":
            tools = [{"type": "function", "function": tool} for tool in tools]
        return broken({"messages": [HI], "tools": tools}, dialect)

    assert named("a", "b-c", "mcp__x") == []
    assert named("a", "a") == [("duplicate-tool-name", -1)]
    assert named("a.b") == [("bad-tool-name", -1)]
    assert named("") == [("bad-tool-name", -1)]


# -- OpenAI Chat Completions ----------------------------------------------------------------------


def calls(*ids: str, **keys: Any) -> Json:
    listed = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed, **keys}


def tool(id: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": "r"}


OLD_CALL = {"role": "assistant", "content": None, "function_call": {"name": "g", "arguments": "{}"}}
OLD_RESULT = {"role": "function", "name": "g", "content": "r"}


@pytest.mark.parametrize(
    "messages",
    [
        [HI],
        [says("x")],
        [SYSTEM, HI, SYSTEM, says("x"), SYSTEM],
        [HI, calls("a", "b")],
        [HI, calls("a", "b"), tool("b"), tool("a"), HI],
        [HI, calls("a"), tool("a"), calls("a"), tool("a")],
        [HI, OLD_CALL, OLD_RESULT, OLD_CALL, OLD_RESULT],
        [HI, OLD_CALL],
        [HI, {"role": "assistant", "content": None, "refusal": "no"}],
        [HI, {"role": "assistant", "content": None, "audio": {"id": "x"}}],
        [HI, {"role": "assistant", "content": ""}],
        [HI, calls("a", content=""), tool("a") | {"content": ""}],
        [{"role": "developer", "content": "x"}, HI],
    ],
)
def test_valid_for_openai(messages: list[Json]) -> None:
    assert broken({"messages": messages}, "openai") == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], [("no-messages", -1)]),
        ([HI, calls("a"), HI], [("call-without-result", 1)]),
        ([HI, calls("a", "b"), tool("a")], [("call-without-result", 1)]),
        ([HI, calls("a", "b"), tool("a"), HI], [("call-without-result", 1)]),
        (
            [HI, calls("a", "b"), tool("a"), HI, tool("b")],
            [("call-without-result", 1), ("result-not-next", 4)],
        ),
        (
            [HI, calls("a"), HI, tool("a")],
            [("call-without-result", 1), ("result-not-next", 3)],
        ),
        (
            [HI, calls("a"), calls("b"), tool("a"), tool("b")],
            [("call-without-result", 1), ("result-not-next", 3)],
        ),
        ([tool("a")], [("result-without-call", 0)]),
        ([HI, says("x"), tool("a")], [("result-without-call", 2)]),
        ([HI, calls("a"), tool("a"), tool("a")], [("duplicate-result", 3)]),
        ([HI, calls("a", "a"), tool("a")], [("duplicate-call-id", 1)]),
        ([HI, {"role": "tool", "content": "x"}], [("result-without-call", 1)]),
        ([HI, OLD_RESULT], [("result-without-call", 1)]),
        ([HI, OLD_CALL, HI], [("call-without-result", 1)]),
        ([{"role": "user", "content": None}], [("empty-content", 0)]),
        ([{"role": "user", "content": []}], [("empty-content", 0)]),
        ([{"role": "user"}], [("empty-content", 0)]),
        ([HI, {"role": "assistant", "content": None}], [("empty-content", 1)]),
        ([HI, {"role": "assistant", "content": "x", "tool_calls": []}], [("empty-content", 1)]),
        ([HI, calls("a"), tool("a") | {"content": None}], [("empty-content", 2)]),
        ([HI, calls("")], [("bad-id", 1)]),
        ([HI, says(use("a"))], [("foreign-block", 1)]),
        ([HI, user(result("a"))], [("foreign-block", 1)]),
        (
            [HI, {"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": {}}}]}],
            [("invalid-arguments", 1)],
        ),
    ],
)
def test_broken_for_openai(messages: list[Json], expected: list[tuple[str, int]]) -> None:
    assert broken({"messages": messages}, "openai") == expected


def test_an_edit_must_leave_arguments_json() -> None:
    call = ToolCall("a", "f", '{"path": "very long', edited=True)
    for dialect in ("openai", "responses"):
        found = validate([Message("user", (Text("x"),)), Message("assistant", (call,))], dialect)
        assert [(v.rule, v.index) for v in found] == [("invalid-arguments", 1)]
    unedited = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{bad"}}
    own = {"role": "assistant", "content": None, "tool_calls": [unedited]}
    assert broken({"messages": [HI, own]}, "openai") == [], "what the model wrote may go back"


# -- OpenAI Responses -----------------------------------------------------------------------------


def call(id: str, **keys: Any) -> Json:
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}", **keys}


def output(id: str) -> Json:
    return {"type": "function_call_output", "call_id": id, "output": "r"}


REASONING = {"type": "reasoning", "summary": [], "encrypted_content": "x"}
SHELL_CALL = {"type": "local_shell_call", "id": "l", "call_id": "a", "action": {}}
REFERENCE = {"type": "item_reference", "id": "fc_0"}
ASKED = {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}"}
ALLOWED = {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True}


@pytest.mark.parametrize(
    "items",
    [
        [],
        [HI],
        [HI, call("a"), call("b")],
        [HI, call("a"), HI, call("b"), output("b"), output("a")],
        [HI, call("a"), output("a"), call("a"), output("a")],
        [HI, REASONING, call("a"), output("a"), REASONING, says("x")],
        [HI, REASONING, REASONING, says("x")],
        [HI, REFERENCE, output("a")],
        [HI, REASONING, REFERENCE],
        [HI, {"type": "web_search_call", "id": "w"}, {"type": "web_search_call"}, says("x")],
        [HI, ASKED, ALLOWED, {"type": "mcp_call", "id": "c", "output": "x"}],
        [HI, ASKED, HI],
        [HI, SHELL_CALL, {"type": "local_shell_call_output", "id": "a", "output": "x"}],
    ],
)
def test_valid_for_responses(items: list[Json]) -> None:
    assert broken({"model": "m", "input": items}, "responses") == []


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([HI, call("a"), HI], [("call-without-result", 1)]),
        ([HI, call("a"), call("b"), output("a")], [("call-without-result", 2)]),
        ([HI, output("a")], [("result-without-call", 1)]),
        ([HI, output("a"), call("a")], [("result-without-call", 1)]),
        ([HI, call("a"), output("a"), output("a")], [("result-without-call", 3)]),
        ([HI, ALLOWED], [("result-without-call", 1)]),
        ([HI, call("a"), call("a"), output("a"), output("a")], [("duplicate-call-id", 2)]),
        ([HI, REASONING], [("reasoning-without-item", 1)]),
        ([HI, REASONING, HI], [("reasoning-without-item", 1)]),
        (
            [HI, REASONING, output("a")],
            [("reasoning-without-item", 1), ("result-without-call", 2)],
        ),
        ([HI, says("x") | {"id": "i"}, says("y") | {"id": "i"}], [("duplicate-item-id", 2)]),
        ([{"role": "tool", "content": "x"}], [("role-unknown", 0)]),
        ([{"role": "user", "content": []}], [("empty-content", 0)]),
        ([{"role": "user", "content": None}], [("empty-content", 0)]),
        ([HI, call("")], [("bad-id", 1)]),
        ([HI, call("a", arguments={})], [("invalid-arguments", 1)]),
        ([HI, says(use("a"))], [("foreign-block", 1)]),
        ([HI, calls("a") | {"content": "x"}], [("foreign-block", 1)]),
    ],
)
def test_broken_for_responses(items: list[Json], expected: list[tuple[str, int]]) -> None:
    assert broken({"model": "m", "input": items}, "responses") == expected


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_outputs_may_answer_what_only_the_provider_has(key: str) -> None:
    assert broken({"model": "m", "input": [output("a")], key: "x"}, "responses") == []
    assert broken({"model": "m", "input": [output("a")], key: None}, "responses") != []


# -- neutral --------------------------------------------------------------------------------------


def asks(*ids: str) -> Json:
    return says(*({"type": "tool_call", "id": id, "name": "f", "input": {}} for id in ids))


def answers(*ids: str, **keys: Any) -> Json:
    return user(*({"type": "tool_result", "call_id": id, "content": "r", **keys} for id in ids))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [says("x"), asks("a")],
        [HI, asks("a", "b"), HI, answers("b"), HI, answers("a")],
        [HI, asks("a", "a"), answers("a"), answers("a")],
        [HI, asks("a"), answers("a"), asks("a"), answers("a")],
        [HI, asks("a"), answers("a", pending=True), HI, answers("a")],
        [HI, asks("a"), answers("a", pending=True), HI],
        [HI, says({"type": "tool_call", "id": "s", "name": "f", "server": True}), HI],
        [{"role": "user", "content": ""}, {"role": "system", "content": " "}],
    ],
)
def test_valid_for_neutral(lines: list[Json]) -> None:
    assert broken(lines, "neutral") == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([HI, asks("a"), HI], [("call-without-result", 1)]),
        ([HI, asks("a", "a"), answers("a")], [("call-without-result", 1)]),
        ([HI, answers("a")], [("result-without-call", 1)]),
        ([HI, answers("a"), asks("a")], [("result-without-call", 1)]),
        ([HI, asks("a"), answers("a"), answers("a")], [("result-without-call", 3)]),
        ([HI, answers("a", pending=True)], [("result-without-call", 1)]),
        ([HI, asks("a"), answers("a"), answers("a", pending=True)], [("result-without-call", 3)]),
        ([HI, says(use("a"))], [("foreign-block", 1)]),
        ([HI, calls("a")], [("foreign-block", 1)]),
    ],
)
def test_broken_for_neutral(lines: list[Json], expected: list[tuple[str, int]]) -> None:
    assert broken(lines, "neutral") == expected


# -- all ------------------------------------------------------------------------------------------


def test_a_dialect_without_rules_is_no_clean_report() -> None:
    with pytest.raises(UsageError, match="gemini"):
        validate([], "gemini")


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_messages_made_in_code_are_judged_too(dialect: str) -> None:
    orphan = Message("tool", (ToolResult("a", (Text("r"),)),))
    found = validate([Message("user", (Text("x"),)), orphan], dialect)
    assert ("result-without-call", 1) in [(v.rule, v.index) for v in found]
    found = validate([Message("user"), Message("user", (Text("x"),))], dialect)
    assert [(v.rule, v.index) for v in found] == [("empty-content", 0)]


def test_every_rule_says_what_it_wants() -> None:
    for rules in RULES.values():
        assert all(rule.__doc__ for rule in rules)
        assert len({rule.__name__ for rule in rules}) == len(rules)


@pytest.mark.parametrize("kind", ["image", "document", "thinking"])
def test_an_anthropic_block_in_another_request_is_foreign(kind: str) -> None:
    content = [{"type": "text", "text": "see"}, {"type": kind, "source": {}}]
    for dialect in ("openai", "responses"):
        request = [{"role": "user", "content": content}]
        history = read_request(request, dialect)
        assert "foreign-block" in [v.rule for v in validate(list(history), dialect)]
