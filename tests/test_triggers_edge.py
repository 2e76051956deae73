"""At the trigger's edge: as few compactions as there can be, and none without new content.

The number is compared with the least that any schedule needs. Let a compaction at turn `t` leave
`A(t)`: what the policy leaves there, whatever was compacted before. The context at turn `t`, last
compacted at `i`, is then `A(i)` plus what came since, and must not exceed the trigger when it is
sent. To compact as late as possible is best. What is left at `j > i` is never more than what was
left at `i` and what came in between, `A(j) <= A(i) + new(i, j)`: where that is within the goal, the
same things are left at both; where it is not, `A(j)` is within the goal and so the smaller. Hence
in any schedule that keeps within the trigger, the first compaction can be moved to the turn at
which the context would be too large, and all contexts behind it are as small or smaller; by
induction the greedy schedule has the least number. `least_of_all` knows nothing of this and tries
every schedule; on short runs the two agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.policies.policy import Policy
from trimtab.policies.registry import parse_policy
from trimtab.tokens import counter_for
from trimtab.triggers import Attempt, Outcome, State, Tokens, Triggers, attempt

WINDOW = 20_000
BUDGET = Budget(WINDOW, "chars")
COUNTER = counter_for(None, "chars")


@dataclass
class Run:
    """What a driver saw: a row for each attempt, and the size that was sent at each turn."""

    tried: list[tuple[int, Attempt, Outcome, int]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)

    @property
    def made(self) -> list[int]:
        """The turns at which the context was compacted."""
        return [turn for turn, _, outcome, _ in self.tried if outcome.adopt]


def _begun(dialect: str) -> list[Message]:
    system = Message("system", (Text("You mend parsers." + "." * 300),))
    return [system, Message("user", (Text("Mend this one. Do not touch the API."),))]


def _turn(n: int, size: int) -> list[Message]:
    """One call with its result; the two together have `size` characters, about."""
    call = ToolCall(f"call_{n}", "bash", {"command": f"run {n}"})
    result = ToolResult(f"call_{n}", (Text((f"{n} " * size)[: max(size - 30, 1)]),))
    return [Message("assistant", (call,)), Message("tool", (result,))]


def drive(sizes: Sequence[int], policy: Policy, triggers: Triggers, dialect: str = "openai") -> Run:
    """A session of one tool call a turn, asked before each call of the model."""
    history = History(_begun(dialect), dialect=dialect)
    at, last, run = Projection(history, COUNTER), None, Run()
    for n, size in enumerate(sizes):
        history.extend(_turn(n, size))
        at.refresh()
        state = State(at, BUDGET, last=last)
        fired = triggers.fires(state)
        if fired is not None:
            new = WINDOW if state.new is None else state.new

            def plan(budget: Budget, at: Projection = at) -> Plan:
                return policy.plan(history, budget, at)

            tried = attempt(state, fired, plan)
            last = tried.attempt
            run.tried.append((n, last, tried.outcome, new))
            if tried.outcome.adopt:
                assert tried.plan is not None
                assert tried.plan.projection.size == tried.outcome.after
                at = tried.plan.projection
        run.sent.append(at.size)
    return run


# -- the oracle: arithmetic on sizes, nothing of the triggers --------------------------------------


def best_left(sizes: Sequence[int], policy: Policy, goal: int, dialect: str) -> list[int]:
    """`A(t)`: what the policy leaves of the whole history at each turn, from scratch."""
    history, left = History(_begun(dialect), dialect=dialect), []
    for n, size in enumerate(sizes):
        history.extend(_turn(n, size))
        left.append(policy.plan(history, Budget(goal, "chars", counter=COUNTER)).after)
    return left


def grown(sizes: Sequence[int], dialect: str) -> tuple[int, list[int]]:
    """The size of the beginning, and what each turn adds: texts and the newlines between them."""

    def size(messages: Sequence[Message]) -> int:
        return sum(COUNTER.message(message) for message in messages)

    return size(_begun(dialect)) - 1, [size(_turn(n, s)) for n, s in enumerate(sizes)]


def greedy(start: int, new: Sequence[int], left: Sequence[int], edge: int) -> int:
    """The number of compactions if each is put off until the context would be too large."""
    size, count = start, 0
    for turn, more in enumerate(new):
        size += more
        if size > edge:
            size, count = left[turn], count + 1
            assert size <= edge, "the session cannot be kept below the trigger at all"
    return count


def least_of_all(start: int, new: Sequence[int], left: Sequence[int], edge: int) -> int:
    """The least number of compactions of all schedules, by trying each."""

    def fits(schedule: tuple[int, ...]) -> bool:
        size = start
        for turn, more in enumerate(new):
            size = left[turn] if turn in schedule else size + more
            if size > edge:
                return False
        return True

    turns = range(len(new))
    return next(k for k in range(len(new) + 1) if any(map(fits, combinations(turns, k))))


def kept_by_truncate(sizes: Sequence[int], goal: int, dialect: str) -> list[int]:
    """`A(t)` of `truncate` by arithmetic: the system prompt and the longest end that fits."""
    first, *_ = (COUNTER.message(message) for message in _begun(dialect))
    task = COUNTER.message(_begun(dialect)[1])
    _, new = grown(sizes, dialect)
    left = []
    for turn in range(len(new)):
        size = first - 1 + new[turn]
        for older in (*reversed(new[:turn]), task):
            if size + older > goal:
                break
            size += older
        left.append(size)
    return left


# -- 100 turns at the edge ------------------------------------------------------------------------


def _edge_sizes(seed: int, turns: int) -> list[int]:
    """Sizes that come to the trigger's edge in many ways: steps that just fit, that overstep by
    one, tiny ones, and some as large as the whole margin."""
    rng = random.Random(seed)
    step = (40, 150, 800, 1_599, 1_600, 1_601, 2_400)
    if seed % 4 == 0:
        return [rng.choice(step) for _ in range(turns)]
    if seed % 4 == 1:
        return [step[seed % len(step)]] * turns
    if seed % 4 == 2:
        return [40 if n % 7 else 3_000 for n in range(turns)]
    return [rng.randint(31, 1_000) for _ in range(turns)]


TRIGGER = Tokens("80%", margin="10%", least="5%")
EDGE, GOAL, LEAST = 16_000, 14_400, 1_000


@pytest.mark.parametrize("seed", range(24))
def test_truncate_at_the_edge_needs_the_least_number(seed: int) -> None:
    sizes = _edge_sizes(seed, 100 + seed)
    run = drive(sizes, parse_policy("truncate"), Triggers.any(TRIGGER), "neutral")
    start, new = grown(sizes, "neutral")
    left = kept_by_truncate(sizes, GOAL, "neutral")
    assert len(run.made) == greedy(start, new, left, EDGE)
    assert len(run.tried) == len(run.made)
    assert max(run.sent) <= EDGE
    assert all(outcome.kind == "done" for _, _, outcome, _ in run.tried)


@pytest.mark.parametrize("spec", ["clear-tool-results:trigger=0,keep=2", "truncate"])
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5])
def test_policies_at_the_edge_need_the_least_number(spec: str, seed: int) -> None:
    sizes, policy = _edge_sizes(seed, 110), parse_policy(spec)
    run = drive(sizes, policy, Triggers.any(TRIGGER))
    start, new = grown(sizes, "openai")
    left = best_left(sizes, policy, GOAL, "openai")
    assert len(run.made) == greedy(start, new, left, EDGE) >= 1
    assert len(run.tried) == len(run.made)
    assert max(run.sent) <= EDGE


@pytest.mark.parametrize("spec", ["auto", "auto:target=100,keep=2", "truncate:turns=30"])
@pytest.mark.parametrize("seed", range(4))
def test_no_compaction_before_it_is_forced(spec: str, seed: int) -> None:
    """Whatever a policy leaves, the context grows untouched from there to the very edge."""
    sizes = _edge_sizes(seed, 110)
    run = drive(sizes, parse_policy(spec), Triggers.any(TRIGGER))
    size, new = grown(sizes, "openai")
    for turn, more in enumerate(new):
        size += more
        assert (size > EDGE) == (turn in run.made)
        if turn in run.made:
            size = run.sent[turn]
            assert size <= GOAL
        assert run.sent[turn] == size


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(31, 6_000), min_size=1, max_size=11))
def test_the_greedy_oracle_is_the_least_of_all_schedules(sizes: list[int]) -> None:
    start, new = grown(sizes, "neutral")
    left = kept_by_truncate(sizes, GOAL, "neutral")
    assert greedy(start, new, left, EDGE) == least_of_all(start, new, left, EDGE)
    assert left == [
        min(at, total) if total > GOAL else total
        for at, total in zip(
            best_left(sizes, parse_policy("truncate"), GOAL, "neutral"),
            (start + sum(new[: n + 1]) for n in range(len(new))),
            strict=True,
        )
    ]
    run = drive(sizes, parse_policy("truncate"), Triggers.any(TRIGGER), "neutral")
    assert len(run.made) == least_of_all(start, new, left, EDGE)


def test_auto_has_no_better_schedule_on_short_runs() -> None:
    """With the real policy at every turn of every schedule: no fewer compactions will do."""
    policy = parse_policy("auto:target=100,keep=2")
    for seed in range(4):
        rng = random.Random(seed)
        sizes = [rng.choice((900, 2_000, 3_500)) for _ in range(12)]
        made = drive(sizes, policy, Triggers.any(TRIGGER)).made
        if len(made) < 2:
            continue
        for schedule in combinations(range(len(sizes)), len(made) - 1):
            assert any(size > EDGE for size in _on_schedule(sizes, policy, schedule))


def _on_schedule(sizes: Sequence[int], policy: Policy, schedule: Sequence[int]) -> Iterator[int]:
    history = History(_begun("openai"), dialect="openai")
    at = Projection(history, COUNTER)
    for n, size in enumerate(sizes):
        history.extend(_turn(n, size))
        at.refresh()
        if n in schedule:
            at = policy.plan(history, Budget(GOAL, "chars", counter=COUNTER), at).projection
        yield at.size


# -- the rules, on anything -----------------------------------------------------------------------

SIZES = st.lists(
    st.one_of(st.integers(31, 500), st.integers(500, 4_000), st.sampled_from((9_000, 17_000))),
    min_size=1,
    max_size=60,
)
POLICIES = st.sampled_from(
    ("auto", "auto:target=100,keep=0", "truncate", "clear-tool-results:trigger=0,keep=2", "append")
)


@settings(max_examples=120, deadline=None)
@given(
    SIZES,
    POLICIES,
    st.sampled_from(("2%", "10%", "40%")),
    st.sampled_from(("1%", "5%", "20%", "0")),
)
def test_never_one_after_another_without_content_worth_it(
    sizes: list[int], spec: str, margin: str, least: str
) -> None:
    trigger = Tokens("80%", margin=margin, least=least)
    run = drive(sizes, parse_policy(spec), Triggers.any(trigger))
    worth = max(WINDOW * int(least.rstrip("%")) // 100, 1)
    goal = EDGE - EDGE * int(margin.rstrip("%")) // 100
    for turn, last, outcome, new in run.tried:
        assert new >= worth
        assert last.before > EDGE
        assert outcome.goal == goal
        if outcome.kind == "done":
            assert outcome.after <= goal
        if outcome.kind == "above the goal":
            assert outcome.after > goal
        if outcome.adopt:
            assert last.before - last.after >= worth
            assert run.sent[turn] == last.after
        else:
            assert last.after == last.before == run.sent[turn]
    # Above the trigger only where an attempt has said why, or too little came since.
    attempts = {turn: outcome for turn, _, outcome, _ in run.tried}
    for turn, size in enumerate(run.sent):
        if size > EDGE:
            before = [t for t in attempts if t <= turn]
            assert before
            ended = attempts[max(before)]
            assert ended.kind != "done" or margin == "2%" or least == "20%"


@settings(max_examples=60, deadline=None)
@given(SIZES, POLICIES)
def test_the_same_session_gives_the_same_attempts(sizes: list[int], spec: str) -> None:
    def once() -> Run:
        return drive(sizes, parse_policy(spec), Triggers.any(TRIGGER))

    assert once() == once()


def test_where_nothing_can_go_attempts_are_as_rare_as_content() -> None:
    """A floor above the trigger (fault 42): typed outcomes, one for each `least` of new content."""
    run = drive([17_000, *[100] * 200], parse_policy("append"), Triggers.any(TRIGGER))
    assert run.made == []
    assert {outcome.kind for _, _, outcome, _ in run.tried} == {"too little"}
    assert 15 <= len(run.tried) <= 1 + 200 * 100 // LEAST
    assert run.tried[0][2].reason == "it would free 0, less than 1,000"


def test_a_policy_that_cannot_reach_the_goal_goes_as_far_as_it_can() -> None:
    """The infeasible floor is a typed outcome with what does not fit, and no error."""
    run = drive([3_000, 3_000, 15_000, 40], parse_policy("truncate"), Triggers.any(TRIGGER))
    (turn, last, outcome, _), *more = run.tried
    assert (turn, outcome.kind, outcome.adopt) == (2, "above the goal", True)
    assert outcome.items
    assert "newest exchange" in outcome.items[0]
    assert last.after == outcome.after < last.before
    assert more == []


Planner = Callable[[Budget], Plan]


def test_a_planner_that_always_refuses_is_asked_twice_at_most() -> None:
    history = History([*_begun("openai"), *_turn(0, 17_000)], dialect="openai")
    asked: list[int] = []

    needed = 9_000

    def plan(budget: Budget) -> Plan:
        asked.append(budget.available)
        raise BudgetInfeasible(needed, budget.available, "chars", ["the system prompt"])

    state = State(Projection(history, COUNTER), BUDGET)
    fired = Triggers.any(TRIGGER).fires(state)
    assert fired is not None
    tried = attempt(state, fired, plan)
    assert asked == [GOAL, 9_000]
    assert (tried.plan, tried.outcome.kind) == (None, "too little")
    assert tried.outcome.items == ("the system prompt",)
    asked.clear()
    needed = 16_900  # all that could be freed is not worth it: not asked again
    assert attempt(state, fired, plan).outcome.kind == "too little"
    assert asked == [GOAL]
