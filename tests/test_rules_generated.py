"""Provider rules on generated histories: valid ones pass, and damage never goes unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Opaque, Thinking, ToolCall, ToolResult
from trimtab.history.rules import RULES, Violation, validate
from trimtab.history.rules.violation import Request

quick = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def found(messages: Sequence[Message], history: History) -> tuple[Violation, ...]:
    return validate(messages, history.dialect, tools=history.tools, envelope=history.envelope)


def places(history: History, kind: type[Block]) -> list[tuple[int, int]]:
    return [
        (at, n)
        for at, message in enumerate(history)
        for n, block in enumerate(message.blocks)
        if isinstance(block, kind) and not getattr(block, "server", False)
    ]


def without_block(history: History, at: int, n: int) -> list[Message]:
    """The history less one block, or less its message where that is all there is."""
    messages = list(history)
    left = messages[at].blocks[:n] + messages[at].blocks[n + 1 :]
    messages[at : at + 1] = [messages[at].with_blocks(left)] if left else []
    return messages


@pytest.mark.parametrize("dialect", DIALECTS)
def test_generated_histories_are_valid(dialect: str) -> None:
    @settings(quick, max_examples=100)
    @given(histories(dialect))
    def holds(history: History) -> None:
        assert found(history, history) == ()
        event(f"{len(history) // 10 * 10}+ messages")

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_generated_histories_hold_what_they_promise(dialect: str) -> None:
    """Each promised feature turns up within a few hundred histories."""
    seen: set[str] = set()

    @settings(quick, max_examples=250, derandomize=True)
    @given(histories(dialect))
    def look(history: History) -> None:
        if history.head:
            seen.add("system prompt")
        else:
            seen.add("no system prompt")
        if history.exchanges.open_calls():
            seen.add("pending call")
        ids = [c.id for m in history for c in m.calls()]
        if len(ids) != len(set(ids)):
            seen.add("id used again")
        for message in history:
            if len(list(message.calls())) > 1:
                seen.add("parallel calls")
            if message.required is not None:
                seen.add("required mark")
            for block in message.blocks:
                if isinstance(block, Thinking):
                    seen.add("thinking")
                    seen.add("sealed" if block.signature else "unsealed")
                if isinstance(block, Opaque):
                    seen.add("opaque")
                if isinstance(block, ToolCall) and block.server:
                    seen.add("server call")
                if isinstance(block, ToolResult) and block.is_error:
                    seen.add("error")
                if isinstance(block, ToolResult) and block.pending:
                    seen.add("interim result")
            if "\ude00" in message.text:
                seen.add("lone surrogate")
            if "テスト" in message.text:
                seen.add("Japanese")
            if any(message.results()) and message.text:
                seen.add("words with results")

    look()
    everywhere = {"system prompt", "no system prompt", "pending call", "thinking", "opaque"}
    everywhere |= {"lone surrogate", "Japanese"}
    promised = {
        "anthropic": {"parallel calls", "sealed", "server call", "error", "words with results"},
        "openai": {"parallel calls", "id used again"},
        "responses": {"sealed", "unsealed", "server call"},
        "neutral": {
            "parallel calls",
            "id used again",
            "required mark",
            "server call",
            "error",
            "interim result",
            "words with results",
        },
    }
    assert everywhere | promised[dialect] <= seen


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_lost_result_is_seen(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.data())
    def holds(history: History, data: Any) -> None:
        results = [p for p in places(history, ToolResult) if not _result(history, p).pending]
        assume(results)
        at, n = data.draw(st.sampled_from(results))
        damaged = without_block(history, at, n)
        if found(damaged, history) == ():
            # At the very end, the call is merely pending again; so it is behind an interim result.
            calls = [c for m in damaged for c in m.calls()]
            pending = {r.call_id for m in damaged for r in m.results() if r.pending}
            open_calls = {c.id for c in calls if c.id == _result(history, (at, n)).call_id}
            last = max((i for i, m in enumerate(damaged) if m.role != "assistant"), default=-1)
            calling = max(i for i, m in enumerate(damaged) for c in m.calls() if c.id in open_calls)
            assert calling > last or open_calls & pending

    holds()


def _result(history: History, place: tuple[int, int]) -> ToolResult:
    block = history[place[0]].blocks[place[1]]
    assert isinstance(block, ToolResult)
    return block


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_lost_call_is_seen(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.data())
    def holds(history: History, data: Any) -> None:
        answered = {r.call_id for m in history for r in m.results()}
        calls = [
            (at, n)
            for at, n in places(history, ToolCall)
            if _call(history, (at, n)).id in answered
            and at not in history.exchanges.open_calls().get(_call(history, (at, n)).id, ())
        ]
        assume(calls)
        at, n = data.draw(st.sampled_from(calls))
        assert found(without_block(history, at, n), history) != ()

    holds()


def _call(history: History, place: tuple[int, int]) -> ToolCall:
    block = history[place[0]].blocks[place[1]]
    assert isinstance(block, ToolCall)
    return block


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_result_said_twice_is_seen(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.data())
    def holds(history: History, data: Any) -> None:
        results = [p for p in places(history, ToolResult) if not _result(history, p).pending]
        assume(results)
        at, n = data.draw(st.sampled_from(results))
        messages = list(history)
        again = replace(messages[at], blocks=(messages[at].blocks[n],), edited=True)
        messages.insert(at + 1, again)
        assert found(messages, history) != ()

    holds()


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_a_message_said_between_call_and_result_is_judged_by_the_dialect(dialect: str) -> None:
    """Responses allows it; the others do not."""

    @quick
    @given(histories(dialect), st.data())
    def holds(history: History, data: Any) -> None:
        results = [at for at, _ in places(history, ToolResult)]
        assume(results)
        at = data.draw(st.sampled_from(results))
        messages = list(history)
        messages.insert(at, Message("user", messages[0].blocks or messages[1].blocks))
        assert (found(messages, history) == ()) == (dialect == "responses")

    holds()


def test_reasoning_without_its_item_is_seen() -> None:
    @quick
    @given(histories("responses"), st.data())
    def holds(history: History, data: Any) -> None:
        thinking = [at for at, _ in places(history, Thinking)]
        assume(thinking)
        at = data.draw(st.sampled_from(thinking))
        messages = list(history)
        stop = next(i for i in range(at + 1, len(messages) + 1) if _ends(messages, i))
        del messages[at + 1 : stop]
        assert "reasoning-without-item" in {v.rule for v in found(messages, history)}

    holds()


def _ends(messages: list[Message], at: int) -> bool:
    return at == len(messages) or messages[at].role != "assistant"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_rule_looks_at_each_message_a_bounded_number_of_times(dialect: str) -> None:
    """Counted, not timed: twice the messages, about twice the looks."""

    class Counted(Sequence[Message]):
        def __init__(self, messages: list[Message]) -> None:
            self.messages = messages
            self.looks = 0

        def __getitem__(self, at: Any) -> Any:
            self.looks += 1
            return self.messages[at]

        def __len__(self) -> int:
            return len(self.messages)

    call = ToolCall("a", "f", "{}" if dialect != "anthropic" else {})
    rounds = []
    for n in range(400):
        rounds.append(Message("assistant", (replace(call, id=f"a{n}"),)))
        rounds.append(Message("tool", (ToolResult(f"a{n}"),)))
    for rule in RULES[dialect]:
        looks = []
        for count in (400, 800):
            messages = Counted([Message("user", rounds[1].blocks[:0]), *rounds[:count]])
            list(rule(Request(dialect, messages, (), {})))
            looks.append(messages.looks)
        assert looks[1] <= 2 * looks[0] + 10, rule.__name__
