"""`supersede`: what is stale leaves, the newest stays whole, and nothing is done twice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_resources_superseded import FILE, Op, edit, groups, read
from tests.tool_sessions import Call, add, session
from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolResult
from trimtab.history.placeholders import is_cleared, is_placeholder
from trimtab.history.rules import validate
from trimtab.policies.registry import parse_policy, spec_of
from trimtab.policies.supersede import Supersede
from trimtab.resources import parse_rules, superseded_observations

LONG = FILE * 20
HUGE = Budget(10**9, "chars")


def long(name: str = "/src/ledger.py") -> Call:
    return Call("Read", {"file_path": name}, LONG)


def cleared(at: Projection) -> list[tuple[int, int]]:
    return [
        (source, n)
        for source, item in zip(at.sources, at.items, strict=True)
        for n, block in enumerate(item.blocks)
        if isinstance(block, ToolResult) and is_cleared(block)
    ]


def test_the_placeholder_names_the_resource_and_the_block() -> None:
    history = session(long(), edit("/src/ledger.py"), long(), read("/b.py"))
    plan = Supersede(always=True).plan(history, Budget(10**9))
    [gone] = plan.edits
    assert gone.kind == "clear"
    assert gone.reason == "/src/ledger.py was changed by message 3"
    id = block_id(evicted(history, gone))
    assert gone.text.startswith("[superseded: /src/ledger.py was seen again or changed later, ")
    assert gone.text.endswith(f" tokens; recall {id}]")
    assert is_placeholder(gone.text)
    assert evicted(history, gone).decode() == LONG
    assert plan.after < plan.before
    newest = plan.projection.items[6].blocks[0]
    assert isinstance(newest, ToolResult)
    assert newest.text == LONG


def test_nothing_happens_before_the_budget_is_reached_unless_it_is_asked_for() -> None:
    history = session(long(), long(), read("/b.py"))
    whole = Supersede().plan(history, HUGE)
    assert whole.edits == ()
    assert len(Supersede(always=True).plan(history, HUGE).edits) == 1
    assert len(Supersede().plan(history, Budget(whole.before - 1, "chars")).edits) == 1


def test_a_batch_that_frees_too_little_is_left() -> None:
    history = session(long(), long(), read("/b.py"))
    gain = Supersede(always=True).plan(history, HUGE)
    freed = gain.before - gain.after
    assert Supersede(always=True, least=freed + 1).plan(history, HUGE).edits == ()
    assert Supersede(always=True, least=freed).plan(history, HUGE).edits == gain.edits
    at = Supersede(always=True, least=freed + 1).plan(history, HUGE).projection
    add(history, [long()], "more")
    history.append(Message("assistant", (Text("ok"),), dialect="anthropic"))
    assert len(Supersede(always=True, least=freed + 1).plan(history, HUGE, at).edits) == 2


def test_what_does_not_fit_is_said_and_what_could_go_is_handed_on() -> None:
    history = session(long(), long(), read("/b.py"))
    with pytest.raises(BudgetInfeasible, match="what was not observed again") as raised:
        Supersede().plan(history, Budget(100, "chars"))
    assert isinstance(raised.value.reached, Plan)
    assert raised.value.reached.edits


def test_the_newest_exchange_waits_until_the_model_has_answered_it() -> None:
    history = session()
    add(history, [long(), long()], "both")
    first = Supersede(always=True).plan(history, HUGE)
    assert first.edits == ()
    history.append(Message("assistant", (Text("seen"),), dialect="anthropic"))
    after = Supersede(always=True).plan(history, HUGE, first.projection)
    assert [e.start for e in after.edits] == [3]


def test_required_results_stubs_and_short_results_are_left() -> None:
    history = session(long(), long(), long(), read("/b.py"))
    history.mark(2, True)
    plan = Supersede(always=True).plan(history, HUGE)
    assert cleared(plan.projection) == [(4, 0)]
    short = Call("Read", {"file_path": "/a"}, "x")
    assert Supersede(always=True).plan(session(short, short, read()), HUGE).edits == ()
    other = Call("Read", {"file_path": "/a"}, "[Old tool result content cleared]")
    assert Supersede(always=True).plan(session(other, long("/a"), read()), HUGE).edits == ()


def test_rules_of_the_user_count() -> None:
    book = Call("ledger_show", {"book": "2026"}, LONG)
    history = session(book, book, read())
    assert Supersede(always=True).plan(history, HUGE).edits == ()
    rules = parse_rules([{"tool": "ledger_*", "kind": "view", "resource": "book", "names": "text"}])
    plan = Supersede(always=True, rules=rules).plan(history, HUGE)
    assert [e.reason for e in plan.edits] == ["ledger_show 2026 was seen again in message 4"]


def test_two_sets_of_rules_on_one_context_do_not_share_a_place() -> None:
    book = Call("ledger_show", {"book": "2026"}, LONG)
    history = session(long(), long(), book, book, read())
    first = Supersede(always=True).plan(history, HUGE)
    rules = parse_rules([{"tool": "ledger_*", "kind": "view", "resource": "book", "names": "text"}])
    second = Supersede(always=True, rules=rules).plan(history, HUGE, first.projection)
    assert [e.start for e in (*first.edits, *second.edits)] == [2, 6]


@pytest.mark.parametrize("spec", ["supersede:keep=0", "supersede:least=-1", "supersede:rules=x"])
def test_wrong_parameters_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(spec)


def test_the_name_with_parameters_is_read_back() -> None:
    spec = "supersede:keep=2,least=500,always=true,changes=false"
    assert spec_of(parse_policy(spec)) == spec


# -- by rule ---------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(groups, st.integers(1, 2), st.sampled_from(["anthropic", "openai"]))
def test_turn_by_turn_nothing_stale_stays_the_newest_is_whole_and_nothing_comes_back(
    turns: list[list[Op]], keep: int, dialect: str
) -> None:
    policy = Supersede(keep=keep, always=True)
    history = History(list(session(dialect=dialect))[:1], dialect=dialect)
    at: Projection | None = None
    gone: list[tuple[int, int]] = []
    for n, turn in enumerate(turns):
        calls = [op.call() for op in turn]
        add(history, [Call(c.tool, c.given, c.result * 30, c.error) for c in calls], f"c{n}")
        plan = policy.plan(history, HUGE, at)
        at = plan.projection
        assert policy.plan(history, HUGE, at).edits == ()  # idempotent
        now = cleared(at)
        assert set(gone) <= set(now)  # monotone
        gone = now
        last = history.exchanges[len(history.exchanges) - 1]
        stale = {(s.message, s.block) for s in superseded_observations(history, keep=keep)}
        assert set(now) <= stale
        left = {place for place in stale - set(now) if place[0] < last.start}
        for number, block in left:  # only what a placeholder would not make shorter
            result = history[number].blocks[block]
            assert isinstance(result, ToolResult)
            assert len(result.text) < 200
        context = at.context()
        assert not validate(context.messages, dialect, tools=(), envelope={})
        whole = Supersede(keep=keep, always=True).plan(History(history, dialect=dialect), HUGE)
        assert {e.start for e in whole.edits} == {number for number, _ in now}
