"""Triggers: when a policy runs. What a policy does is not known here, and there is no clock.

`parse_trigger("tokens:70%,stage:detect,pressure,cold")` are four triggers, any of which may fire:
`fires(state)` gives the reason and the size to come down to, `attempt` runs a policy for it and
judges what it proposes. Three rules keep it from looping:

- a compaction that frees less than `least` is not made;
- after an attempt, made or not, there is none before new messages of the size `least` have come;
- one that cannot come down to the goal is an `Outcome` that says so, with what does not fit.

The hard budget holds besides, at every call: a trigger only says when it is wise to be earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.errors import BudgetInfeasible
from trimtab.triggers_cache import cache_lifetime
from trimtab.triggers_kinds import KINDS, Cold, Pressure, Stage, Tokens, Trigger
from trimtab.triggers_overflow import Overflow, is_overflow, overflow_size
from trimtab.triggers_spec import read_triggers, write_trigger
from trimtab.triggers_stage import Boundary, boundaries
from trimtab.triggers_state import (
    Attempt,
    Fired,
    Outcome,
    State,
    context_after,
    context_of_usage,
)

__all__ = [
    "KINDS",
    "Attempt",
    "Boundary",
    "Cold",
    "Fired",
    "Outcome",
    "Overflow",
    "Pressure",
    "Stage",
    "State",
    "Tokens",
    "Tried",
    "Trigger",
    "Triggers",
    "attempt",
    "boundaries",
    "cache_lifetime",
    "context_after",
    "context_of_usage",
    "is_overflow",
    "overflow_size",
    "parse_trigger",
    "spec_of_trigger",
]


@dataclass(frozen=True, slots=True)
class Triggers:
    """Several triggers, any of which fires.

    Args:
        members: the triggers; none: nothing ever fires, only the hard budget holds.
    """

    members: tuple[Trigger, ...] = ()

    @classmethod
    def any(cls, *triggers: Trigger) -> Triggers:
        """The triggers together."""
        return cls(triggers)

    def fires(self, state: State) -> Fired | None:
        """The one with the lowest goal of those that fire, so that one compaction serves all."""
        fired = [found for trigger in self.members if (found := trigger.fires(state)) is not None]
        if not fired:
            return None
        lowest = min(fired, key=lambda found: found.goal)
        must = any(found.must for found in fired)
        return replace(lowest, least=min(f.least for f in fired), must=must)


def parse_trigger(spec: str) -> Triggers:
    """Read triggers: names with parameters, separated by commas; empty or `none`: no trigger.

    What belongs to one trigger follows it: `tokens:70%,margin=15%,least=5k,stage:detect`. Behind
    the colon the first parameter may stand without its name.

    Raises:
        UsageError: a trigger or a parameter is unknown or given twice, or a value is none.
    """
    if spec.strip().lower() in ("", "none"):
        return Triggers()
    return Triggers(tuple(read_triggers(spec)))


def spec_of_trigger(triggers: Triggers) -> str:
    """The text that `parse_trigger` reads back as these triggers."""
    return ",".join(map(write_trigger, triggers.members)) or "none"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of running a policy for a trigger.

    Attributes:
        plan: what the policy proposes; `None` where it found nothing.
        outcome: how that is judged; the plan is to be adopted only if `outcome.adopt`.
        attempt: what the next `State` is to hold as `last`.
    """

    plan: Plan | None
    outcome: Outcome
    attempt: Attempt


def attempt(state: State, fired: Fired, plan: Callable[[Budget], Plan]) -> Tried:
    """Run a policy down to the goal, or as far down as it can, and judge what it proposes.

    Args:
        plan: proposes the edits for a budget, such as
            `lambda budget: policy.plan(history, budget, at)`. The budgets that it is given are in
            the counter's own measure (less what only the provider sees) and have no reserve.

    `plan` may be called twice: where the goal cannot be reached, the second time with the size
    that the policy says it needs.
    """
    found, items = _planned(state, fired, plan)
    after = state.used if found is None else state.used - (found.before - found.after)
    outcome = fired.accepts(state.used, after, items)
    done = after if outcome.adopt else state.used
    last = Attempt(fired.kind, state.used, done, len(state.history), outcome.kind)
    return Tried(found, outcome, last)


def _planned(
    state: State, fired: Fired, plan: Callable[[Budget], Plan]
) -> tuple[Plan | None, tuple[str, ...]]:
    counter = state.projection.counter

    def room(size: int) -> Budget:
        return Budget(max(size, 1), state.budget.unit, counter=counter)

    try:
        return plan(room(fired.goal - state.unseen)), ()
    except BudgetInfeasible as error:
        items = error.items
        needed = error.needed
    if state.projection.size - needed < fired.least:
        return None, items
    try:
        return plan(room(needed)), items
    except BudgetInfeasible as error:
        return None, error.items
