"""What every policy keeps, on generated histories of every dialect (the rules of the design)."""

from __future__ import annotations

import copy
import os
from collections import Counter as Tally
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import histories
from trimtab.context.blocks import block_bytes, block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.explain import explain
from trimtab.context.plan import Plan
from trimtab.context.projection import SYNTHETIC, Projection, project
from trimtab.context.writing import write
from trimtab.errors import BudgetInfeasible
from trimtab.formats.wire import read_request, write_request
from trimtab.history.log import History
from trimtab.history.message import Message, Text, Thinking, ToolCall, ToolResult
from trimtab.history.rules import validate
from trimtab.pins import required_messages
from trimtab.policies.registry import fit, parse_policy

SPECS = (
    "append",
    "truncate",
    "truncate:messages=4",
    "truncate:turns=2",
    "recent-first",
    "required-first",
    "prune:N=0,W=0",
    "prune:N=0,W=-1",
    "prune:N=2,W=1",
    "prune:N=1,W=-1",
    "prune:N=1,W=1,category=auto",
    "clear-tool-results:trigger=1,keep=0",
    "clear-tool-results:trigger=tool_uses:1,keep=1,clear_tool_inputs=true",
    "clear-thinking",
    "auto",
    "auto:target=30,keep=1",
    "offload:keep=1,index=50",
    "supersede",
    "cliff",
    "cliff:keep_recent=1,target=100",
    "supersede:always=true,changes=false,keep=2",
    "slim:limit=200,keep=0,least=0",
    "compact",
    "compact:keep_recent=1,target=100,runs=1",
    "compact:keep_recent=200 tokens,summary=100",
    "pipeline",
    "handoff:tokens=200",
)
DIALECTS = ("anthropic", "openai", "responses", "neutral")
SHARES = st.sampled_from([1.0, 0.7, 0.5, 0.25, 0.1])
THOROUGH = bool(os.environ.get("TRIMTAB_THOROUGH"))
"""Four times as many histories: the long tests of make test-slow."""
quick = settings(
    max_examples=60 if THOROUGH else 8, deadline=None, suppress_health_check=list(HealthCheck)
)


def fitted(history: History, spec: str, share: float, unit: str = "chars") -> Plan | None:
    """The plan, or `None` where the budget is infeasible."""
    whole = fit(history, Budget(10**12, unit), "append").before
    try:
        return fit(history, Budget(max(int(whole * share), 1), unit), spec)
    except BudgetInfeasible:
        return None


def broken(messages: Sequence[Message], history: History, plan: Plan | None) -> list[str]:
    envelope = history.envelope if plan is None else plan.projection.context().envelope
    found = validate(messages, history.dialect, tools=history.tools, envelope=envelope)
    return [f"{v.rule} at {v.index}: {v.explanation}" for v in found]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_output_is_valid_whenever_the_input_is(dialect: str, spec: str) -> None:
    @quick
    @given(histories(dialect), SHARES)
    def holds(history: History, share: float) -> None:
        assert broken(list(history), history, None) == []
        before = copy.copy(list(history))
        plan = fitted(history, spec, share)
        assert list(history) == before
        if plan is None:
            return
        context = plan.projection.context()
        assert broken(context.messages, history, plan) == []
        again = fitted(history, spec, share)
        assert again is not None
        assert again.projection.context().messages == context.messages
        written = write(context).value
        read = read_request(written, history.dialect)
        assert broken(list(read), read, plan) == []

    holds()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_turn_by_turn_every_context_is_valid(dialect: str, spec: str) -> None:
    policy = parse_policy(spec)

    @settings(quick, max_examples=25 if THOROUGH else 8)
    @given(histories(dialect), st.integers(300, 3_000))
    def holds(history: History, limit: int) -> None:
        growing = History(
            tools=history.tools, dialect=dialect, envelope=history.envelope, model=history.model
        )
        at: Projection | None = None
        for message in history:
            growing.append(message)
            valid = not broken(list(growing), growing, None)
            try:
                plan = policy.plan(growing, Budget(limit, "chars"), at)
            except BudgetInfeasible:
                continue
            at = plan.projection
            assert plan.after <= limit
            if valid:
                assert broken(at.context().messages, growing, plan) == []

    holds()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_pairs_go_whole_or_not_at_all(dialect: str, spec: str) -> None:
    @quick
    @given(histories(dialect), SHARES)
    def holds(history: History, share: float) -> None:
        plan = fitted(history, spec, share)
        if plan is None:
            return
        calls: Tally[str] = Tally()
        results: Tally[str] = Tally()
        for message in plan.projection.context().messages:
            calls.update(c.id for c in message.calls())
            results.update(r.call_id for r in message.results() if not r.pending)
        open_calls = {id: len(where) for id, where in history.exchanges.open_calls().items()}
        assert calls == results + Tally(open_calls)

    holds()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_leaves_has_an_edit_whose_block_brings_it_back(dialect: str, spec: str) -> None:
    @quick
    @given(histories(dialect), SHARES)
    def holds(history: History, share: float) -> None:
        plan = fitted(history, spec, share)
        if plan is None:
            return
        gone: set[tuple[int, int]] = set()
        for edit in plan.edits:
            if not edit.evicts:
                continue
            assert edit.reason
            data = evicted(history, edit)
            if edit.blocks:
                gone.update((edit.start, n) for n in edit.blocks)
                blocks = history[edit.start].blocks
                assert data == b"\n".join(block_bytes(blocks[n]) for n in edit.blocks)
                if edit.kind == "clear" and edit.text:
                    assert block_id(data) in edit.text
            else:
                for number in range(edit.start, edit.stop):
                    gone.update((number, n) for n in range(len(history[number].blocks)))
        kept = {
            (source, n)
            for source in plan.projection.sources
            for n in range(len(history[source].blocks))
        }
        every = {(m, n) for m in range(len(history)) for n in range(len(history[m].blocks))}
        assert every - kept <= gone
        for row in explain(plan):
            assert (row.block is None) == (row.kind == "summarise")
            if row.block is not None:
                assert block_id(row.data) == row.block

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_required_first_keeps_every_required_message_word_for_word(dialect: str) -> None:
    @quick
    @given(histories(dialect), SHARES)
    def holds(history: History, share: float) -> None:
        plan = fitted(history, "required-first", share)
        if plan is None:
            return
        for number in required_messages(history):
            assert plan.projection.live(number)
            at = plan.projection.position(number)
            assert plan.projection.items[at].text == history[number].text

    holds()


@pytest.mark.parametrize("spec", SPECS)
def test_an_edit_takes_the_bound_thinking_behind_it(spec: str) -> None:
    @quick
    @given(histories("anthropic"), SHARES)
    def holds(history: History, share: float) -> None:
        plan = fitted(history, spec, share)
        if plan is None:
            return
        real = [
            edit
            for edit in plan.edits
            if not edit.blocks
            or not all(isinstance(history[edit.start].blocks[n], Thinking) for n in edit.blocks)
        ]
        if not real:
            return
        first = min(e.start + bool(e.blocks) for e in real)
        for item, source in zip(plan.projection.items, plan.projection.sources, strict=True):
            if source >= first:
                assert not any(isinstance(b, Thinking) and b.bound for b in item.blocks)

    holds()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_a_context_starts_with_the_user_and_ends_where_the_history_ends(
    dialect: str, spec: str
) -> None:
    @quick
    @given(histories(dialect), SHARES)
    def holds(history: History, share: float) -> None:
        plan = fitted(history, spec, share)
        if plan is None or not plan.edits:
            return
        messages = plan.projection.context().messages
        body = [m for n, m in enumerate(messages) if not (n < history.head and m.role == "system")]
        if history[history.head : history.head + 1][0].role == "user":
            assert body[0].role in ("user", "system")
        if messages[-1].role == "assistant":
            assert history[-1].role == "assistant"
        assert all(m.blocks for m, s in zip(messages, plan.projection.sources, strict=False) if s)

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_size_of_the_plan_is_the_size_of_what_is_sent(dialect: str) -> None:
    @quick
    @given(histories(dialect), SHARES, st.sampled_from(SPECS))
    def holds(history: History, share: float, spec: str) -> None:
        plan = fitted(history, spec, share)
        if plan is None:
            return
        context = plan.projection.context()
        counter = plan.projection.counter
        total = sum(counter.message(m) for m in context.messages)
        size = counter.total(total, len(context.messages))
        size += counter.tools(history.tools, history.dialect)
        joined = (
            sum(1 for s in plan.projection.sources)
            + sum(1 for s in context.sources if s == SYNTHETIC)
            - len(context.messages)
        )
        assert size <= plan.after <= size + 8 * max(joined, 0)

    holds()


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_what_no_policy_touched_is_written_as_it_was_read(dialect: str) -> None:
    @quick
    @given(histories(dialect))
    def holds(history: History) -> None:
        plan = fitted(history, "append", 1.0)
        assert plan is not None
        assert write(plan.projection.context()).value == write_request(list(history), history).value

    holds()


def test_a_thousand_tool_rounds_behind_one_user_message_are_a_normal_case() -> None:
    messages = [Message("user", (Text("Repair everything. Do not push."),), dialect="anthropic")]
    for n in range(1000):
        call = (ToolCall(f"c{n}", "run", {"n": n}),)
        messages.append(Message("assistant", call, dialect="anthropic"))
        result = (ToolResult(f"c{n}", (Text("out " * 50),)),)
        messages.append(Message("user", result, dialect="anthropic"))
    history = History(messages, dialect="anthropic", model="claude-sonnet-4-5")
    for spec in ("truncate", "recent-first", "required-first"):
        plan = fitted(history, spec, 0.1)
        assert plan is not None
        assert 0 < len(plan.projection.items) < 250
        assert broken(plan.projection.context().messages, history, plan) == []
    for spec in ("prune", "clear-tool-results:trigger=1"):
        plan = fitted(history, spec, 1.0)
        assert plan is not None
        assert plan.after < plan.before / 2


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_policies_may_follow_one_another_on_one_context(dialect: str) -> None:
    @settings(quick, max_examples=150 if THOROUGH else 40)
    @given(
        histories(dialect),
        st.lists(st.tuples(st.sampled_from(SPECS), SHARES), min_size=2, max_size=5),
    )
    def holds(history: History, steps: list[tuple[str, float]]) -> None:
        at = Projection(history, Budget(1, "chars").counter_of(history))
        whole = at.size
        edits: list[Edit] = []
        for spec, share in steps:
            budget = Budget(max(int(whole * share), 1), "chars")
            try:
                plan = parse_policy(spec).plan(history, budget, at)
            except BudgetInfeasible:
                continue
            at = plan.projection
            edits += plan.edits
            context = at.context()
            assert broken(context.messages, history, plan) == []
            assert at.size <= budget.available
            assert context.messages == project(history, edits).messages

    holds()
