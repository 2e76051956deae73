"""Faults that users of agent frameworks reported, each made impossible here.

The number of the fault is that of the project's list of field reports. What holds for every
generated history (pairs, parallel groups, roles, thinking) is in `test_policies_valid.py`; here
are the very shapes in which the faults were met.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Context
from trimtab.context.writing import write
from trimtab.errors import BudgetInfeasible
from trimtab.formats.wire import read_request, write_request
from trimtab.history.log import History
from trimtab.history.message import ToolCall, ToolResult
from trimtab.history.placeholders import is_slimmed
from trimtab.history.rules import validate
from trimtab.policies.registry import fit

LONG = "word " * 200
CUTTING = ("truncate:messages=1", "truncate:turns=1", "recent-first", "required-first")
SPECS = (
    *CUTTING,
    "prune:N=0,W=-1",
    "prune:N=1,W=0",
    "clear-tool-results:trigger=0,keep=0,clear_tool_inputs=true",
    "clear-thinking",
    "auto:target=10,keep=0",
    "auto",
    "offload:keep=1",
)
BINDING = ("required-first", "prune:N=0,W=-1", "auto:target=10,keep=0", "auto", "offload:keep=1")


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def says(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def use(id: str, given: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "read", "input": given or {}}


def result(id: str, content: Any = LONG, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def anthropic(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": list(messages), **more}


def rounds(count: int, *thinking: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield says([*thinking, use(f"r{n}")])
        yield user([result(f"r{n}")])


def chat_call(*ids: str) -> dict[str, Any]:
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": LONG}


def every_context(
    value: Any, specs: tuple[str, ...] = SPECS
) -> Iterator[tuple[str, Plan, Context]]:
    """Of each policy at each budget that it can meet, checked: inside it, valid, never larger."""
    history = read_request(value)
    before = list(history)
    valid = not _broken(history, None)
    whole = fit(history, Budget(10**9, "chars"), "append").before
    met = 0
    for spec in specs:
        for share in (0.9, 0.6, 0.4, 0.2, 0.05):
            limit = max(int(whole * share), 1)
            try:
                plan = fit(history, Budget(limit, "chars"), spec)
            except BudgetInfeasible:
                continue
            met += 1
            context = plan.projection.context()
            assert plan.after <= limit
            assert plan.after <= plan.before
            if valid:
                assert _broken(history, context) == [], (spec, share)
            yield spec, plan, context
    assert met
    assert list(history) == before


def _broken(history: History, context: Context | None) -> list[str]:
    messages = list(history) if context is None else context.messages
    envelope = history.envelope if context is None else context.envelope
    found = validate(messages, history.dialect, tools=history.tools, envelope=envelope)
    return [f"{v.rule} at {v.index}" for v in found]


def ids(context: Context, kind: type[ToolCall] | type[ToolResult]) -> list[str]:
    blocks = [block for message in context for block in message.blocks]
    if kind is ToolCall:
        return [block.id for block in blocks if isinstance(block, ToolCall)]
    return [block.call_id for block in blocks if isinstance(block, ToolResult)]


def words(context: Context) -> str:
    return "\n".join(message.text for message in context)


# -- A. calls and results ------------------------------------------------------------------


PAIRED: dict[str, Callable[[], Any]] = {
    # 1: results kept, call summarised away
    "call and result in two messages": lambda: anthropic(
        user("TASK"), *rounds(6), says("done"), user("next")
    ),
    # 2: a cut between two results of one parallel call
    "parallel results in messages of their own": lambda: {
        "model": "gpt-4o",
        "messages": [
            user("TASK"),
            *(
                m
                for n in "12"
                for m in (chat_call("a" + n, "b" + n), chat_result("a" + n), chat_result("b" + n))
            ),
            says(LONG),
            user("next"),
        ],
    },
    # 4: a window that counts messages
    "a short list with a call in the middle": lambda: {
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "S"},
            user("TASK"),
            chat_call("a"),
            chat_result("a"),
            user("u"),
            says("a"),
        ],
    },
    # 15: a refusal or an error is a result too
    "errors and empty results": lambda: anthropic(
        user("TASK"),
        says([use("a"), use("b")]),
        user([result("a", is_error=True), result("b", [])]),
        says("done"),
        user("next"),
    ),
    # 21: all messages of the user but the first hold results
    "one autonomous turn": lambda: anthropic(user("TASK"), *rounds(20)),
    # 27, 26: reasoning and the call that it led to
    "reasoning before each call": lambda: {
        "model": "gpt-5",
        "input": [
            user("TASK"),
            *(item for n in range(6) for item in _reasoned(n)),
            says("done"),
            user("next"),
        ],
    },
}


def _reasoned(n: int) -> list[dict[str, Any]]:
    call = {"type": "function_call", "id": f"fc_{n}", "call_id": f"c{n}", "name": "f"}
    return [
        {"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": "z" * 50},
        {**call, "arguments": "{}"},
        {"type": "function_call_output", "call_id": f"c{n}", "output": LONG},
    ]


@pytest.mark.parametrize("shape", PAIRED)
def test_calls_results_and_reasoning_stay_or_go_together(
    shape: str,
) -> None:  # 1-5, 15, 18, 21, 26, 27
    for spec, _, context in every_context(PAIRED[shape]()):
        assert sorted(ids(context, ToolCall)) == sorted(ids(context, ToolResult)), spec
        written = json.dumps(write(context).value)
        for n in range(6):
            assert (f'"rs_{n}"' in written) == (f'"fc_{n}"' in written), spec


@pytest.mark.parametrize(
    "value",
    [
        anthropic(user("TASK"), *rounds(8), says([use("open"), use("other")])),
        [
            user("TASK"),
            says([{"type": "tool_call", "id": "open", "name": "confirm", "input": {}}]),
            *(m for _ in range(8) for m in (says(LONG), user(LONG))),
        ],
        [
            user("TASK"),
            says([{"type": "tool_call", "id": "open", "name": "confirm", "input": {}}]),
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool_result",
                        "call_id": "open",
                        "content": "waiting",
                        "pending": True,
                    }
                ],
            },
            *(m for _ in range(8) for m in (says(LONG), user(LONG))),
        ],
    ],
    ids=["at the end", "in the middle", "with an interim answer"],
)
def test_a_call_without_its_answer_is_never_cut(value: Any) -> None:  # 8, 9, 11
    for spec, _, context in every_context(value):
        assert "open" in ids(context, ToolCall), spec


def test_an_output_whose_call_is_unknown_breaks_nothing() -> None:  # 7, 14, 16
    value = anthropic(
        user("TASK"),
        user([result("nobody")]),
        says([use("a")]),
        user([result("a")]),
        says([use("a")]),
        user("no answer"),
        *rounds(3),
    )
    history = read_request(value)
    assert _broken(history, None) != []
    for _ in every_context(value):
        pass


def test_the_input_of_a_call_gives_way_as_its_result_does() -> None:  # 20
    value = anthropic(
        user("TASK"), says([use("a", {"file": "x" * 20_000})]), user([result("a")]), *rounds(2)
    )
    cleared = "clear-tool-results:trigger=1,keep=1,clear_tool_inputs=true"
    plan = fit(read_request(value), Budget(4_000, "chars"), cleared)
    call = next(c for m in plan.projection.context() for c in m.calls())
    assert (call.id, call.input) == ("a", {})


@pytest.mark.parametrize("stub", ["[Old tool result content cleared]", "[cleared]"])
def test_what_another_layer_has_cleared_is_not_cleared_again(stub: str) -> None:  # 22
    pairs = (m for n in range(9) for m in (says([use(f"c{n}")]), user([result(f"c{n}", stub)])))
    history = read_request(anthropic(user("TASK"), *pairs))
    spec = "clear-tool-results:trigger=0,keep=1,clear_tool_inputs=true"
    assert fit(history, Budget(10**6), spec).edits == ()


# -- C, D. roles, content, system ----------------------------------------------------------


def test_the_task_stays_in_a_long_loop_of_tools() -> None:  # 30
    for spec, _, context in every_context(anthropic(user("TASK"), *rounds(20)), BINDING):
        assert "TASK" in words(context), spec


def test_emptied_messages_keep_a_word_and_the_roles_alternate() -> None:  # 31, 32
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    for spec, _, context in every_context(
        anthropic(user("TASK"), *rounds(6, thinking), says("done"), user("next"))
    ):
        roles = [message["role"] for message in write(context).value["messages"]]
        assert all(a != b for a, b in pairwise(roles)), spec
        assert all(message.blocks for message in context), spec


def test_a_message_that_was_nothing_but_thinking_is_not_left_empty() -> None:  # 31
    thoughts = [says([{"type": "thinking", "text": f"hm {n}"}]) for n in range(4)]
    value = [user("TASK"), *(m for thought in thoughts for m in (thought, user("go on")))]
    plan = fit(read_request(value), Budget(1_000, "chars"), "clear-thinking")
    assert len(plan.edits) == 3
    assert all(message.blocks for message in plan.projection.context())
    assert all(message["content"] for message in write(plan.projection.context()).value)


def test_no_empty_text_stands_beside_calls() -> None:  # 34
    history = read_request(anthropic(user("TASK"), says([use("a")]), user([result("a")])))
    call = write_request(history, history, "openai").value["messages"][1]
    assert call["content"] is None
    assert call["tool_calls"]


def test_the_system_prompt_stays_and_a_later_system_message_is_none() -> None:  # 37-40
    turns = (m for _ in range(5) for m in (user(LONG), says(LONG)))
    system = {"role": "system", "content": "PROMPT"}
    note = {"role": "system", "content": LONG}
    value = {"model": "gpt-4o", "messages": [system, user("TASK"), note, *turns]}
    assert read_request(value).head == 1
    left = False
    for spec, _, context in every_context(value):
        assert context.messages[0].text == "PROMPT", spec
        assert words(context).count("PROMPT") == 1
        left = left or 2 not in context.sources
    assert left  # the note is no system prompt: it could leave


# -- E. progress ---------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_making_small_what_was_made_small_changes_nothing(spec: str) -> None:  # 42, 44, 45
    """What one run wrote is read and made to fit again: no new edit, the same bytes."""
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    value: Any = anthropic(user("TASK"), *rounds(20, thinking), says("done"), user("next"))
    limit = 21_000 if spec == "clear-thinking" else 6_000
    sizes = []
    for _ in range(4):
        plan = fit(read_request(value), Budget(limit, "chars"), spec)
        value = write(plan.projection.context()).value
        sizes.append(len(json.dumps(value)))
    assert len(set(sizes)) == 1


# -- K. huge results -----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["required-first", "recent-first", "truncate:turns=1"])
def test_a_newest_result_larger_than_the_window_is_a_typed_error(spec: str) -> None:  # 43, 82
    value = anthropic(user("TASK"), *rounds(3), says([use("z")]), user([result("z", LONG * 50)]))
    with pytest.raises(BudgetInfeasible) as unmet:
        fit(read_request(value), Budget(1_000, "chars"), spec)
    assert unmet.value.needed > 50_000
    assert "newest exchange" in unmet.value.items[0]


@pytest.mark.parametrize("spec", ["auto", "compact", "slim"])
def test_a_newest_result_larger_than_the_window_is_cut(spec: str) -> None:  # 82
    value = anthropic(user("TASK"), *rounds(3), says([use("z")]), user([result("z", LONG * 50)]))
    plan = fit(read_request(value), Budget(2_500, "chars"), spec)
    newest = next(r for r in plan.projection.items[-1].results())
    assert is_slimmed(newest.text)
    assert plan.after <= 2_500


def test_parallel_results_are_measured_together() -> None:  # 83, 84
    group = [use(id) for id in "abc"]
    answers = user([result(id) for id in "abc"])
    value = anthropic(
        user("TASK"),
        says([use("small")]),
        user([result("small", "ok")]),
        says(group),
        answers,
        *rounds(1),
    )
    plan = fit(read_request(value), Budget(2_500, "chars"), "clear-tool-results:trigger=1,keep=1")
    kept = [r for m in plan.projection.context() for r in m.results() if r.text == LONG]
    assert [r.call_id for r in kept] == ["r0"]
