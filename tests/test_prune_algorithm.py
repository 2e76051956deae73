"""`prune` against a brute-force reading of Algorithm 1 (arXiv 2606.10209).

ConstructContext(H, N, W): P = the call/result pairs of H in order; E = all but the last N of P;
K = H without the messages of E; if W != 0 and E is not empty, one assistant message that tells of
the last W of E (all of E if W = -1) is put at the place of the oldest pair of E.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.history.message import Message, Role, Text, ToolCall, ToolResult
from trimtab.policies.prune import Prune

Unit = tuple[str, list[Message]]
BUDGET = Budget(10**9, "chars")


def generated(pick: Callable[[int, int], int]) -> list[Unit]:
    """A history as a list of pairs (with parallel calls) and plain messages.

    Args:
        pick: gives a whole number between two bounds.
    """
    made: list[Unit] = []
    for number in range(pick(0, 14)):
        kind = ("pair", "pair", "pair", "user", "assistant")[pick(0, 4)]
        if kind != "pair":
            role: Role = "user" if kind == "user" else "assistant"
            made.append((kind, [Message(role, (Text(f"{kind} {number}"),))]))
            continue
        ids = [f"c{number}_{n}" for n in range(pick(1, 3))]
        calls = Message("assistant", tuple(ToolCall(i, f"tool_{i}", {"n": i}) for i in ids))
        results = [ToolResult(i, (Text(f"result of {i}"),)) for i in ids]
        if pick(0, 1):
            answers = [Message("tool", (r,)) for r in results]
        else:
            answers = [Message("user", tuple(results))]
        made.append(("pair", [calls, *answers]))
    if pick(0, 1):
        made.append(("open", [Message("assistant", (ToolCall("open", "tool_open", {}),))]))
    return made


@st.composite
def units(draw: st.DrawFn) -> list[Unit]:
    """`generated`, by Hypothesis, so that a failure is shrunk."""
    return generated(lambda low, high: draw(st.integers(low, high)))


def construct_context(history: list[Unit], n: int, w: int) -> list[Message | set[str]]:
    """The pseudo-code, word by word; the summary is given as the names that it must tell of."""
    pairs = [i for i, (kind, _) in enumerate(history) if kind == "pair"]
    evicted = pairs[: len(pairs) - n] if n < len(pairs) else []
    if n == 0:
        evicted = pairs
    told = evicted if w == -1 else (evicted[-w:] if w > 0 else [])
    context: list[Message | set[str]] = []
    for i, (_, messages) in enumerate(history):
        if told and i == evicted[0]:
            names = set()
            for j in told:
                names |= {call.name for call in history[j][1][0].calls()}
            context.append(names)
        if i not in evicted:
            context += messages
    return context


def same(actual: list[Message], expected: list[Message | set[str]], every: set[str]) -> None:
    assert len(actual) == len(expected)
    for message, wanted in zip(actual, expected, strict=True):
        if isinstance(wanted, Message):
            assert message == wanted
            continue
        assert message.role == "assistant"
        assert message.text.startswith("Summary of previous tool calls: [")
        assert message.text.endswith("]")
        told = {name for name in every if f"{name}:" in message.text or f"{name} " in message.text}
        assert told == wanted


def names(history: list[Unit]) -> set[str]:
    return {call.name for _, messages in history for m in messages for call in m.calls()}


def check(history: list[Unit], n: int, w: int) -> None:
    recorded = History([m for _, messages in history for m in messages])
    before = list(recorded)
    plan = Prune(n, w).plan(recorded, BUDGET)
    actual = list(plan.projection.context().messages)
    same(actual, construct_context(history, n, w), names(history))
    assert list(recorded) == before


@settings(max_examples=200, deadline=None)
@given(units(), st.integers(0, 8), st.integers(-1, 5))
def test_prune_is_algorithm_1(history: list[Unit], n: int, w: int) -> None:
    check(history, n, w)


def test_prune_is_algorithm_1_for_every_n_and_w() -> None:
    """100 generated histories for each of the 63 settings: 6,300 in all."""
    pick = random.Random(2606_10209).randint
    for n in range(9):
        for w in range(-1, 6):
            for _ in range(100):
                check(generated(pick), n, w)


@settings(max_examples=150, deadline=None)
@given(units(), st.integers(0, 8), st.integers(-1, 5))
def test_turn_by_turn_gives_what_a_new_reading_gives(history: list[Unit], n: int, w: int) -> None:
    policy = Prune(n, w)
    growing = History()
    at: Projection | None = None
    for end in range(len(history)):
        growing.extend(history[end][1])
        at = policy.plan(growing, BUDGET, at).projection
        fresh = policy.plan(History(list(growing)), BUDGET).projection
        assert at.context().messages == fresh.context().messages
        assert at.size == fresh.size
