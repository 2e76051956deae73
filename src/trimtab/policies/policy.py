"""The shape that all policies share: `plan(history, budget) -> Plan`, pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from trimtab.context.binding import bound_thinking
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, without_pointless
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible
from trimtab.history.log import History

SLOT = "compact"
"""The slot of the one summary that stands for all that was compacted."""


class Policy(Protocol):
    """Decides what stays. A frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Propose the edits that bring the context of `history` within `budget`.

        Args:
            history: H; never changed.
            budget: the limit.
            at: the context so far, of an earlier turn; its edits stay, and only what is new is
                looked at. It is not changed. `None`: no edits so far.

        Raises:
            BudgetInfeasible: what this policy must keep does not fit.
        """
        ...


def opened(history: History, budget: Budget, at: Projection | None) -> Projection:
    """The context that a policy starts from, with all of the history taken up."""
    if at is None:
        return Projection(history, budget.counter_of(history))
    at.refresh()
    return at


def unchanged(policy: Policy, at: Projection, budget: Budget) -> Plan:
    """The plan of no edit."""
    return Plan(policy.name, (), at.size, at.size, budget.unit, at)


def proposed(
    policy: Policy,
    at: Projection,
    budget: Budget,
    edits: Sequence[Edit],
    unfit: Callable[[], Sequence[str]],
    trial: Projection | None = None,
) -> Plan:
    """The plan of `edits` with what they bring with them, checked against the budget.

    Args:
        trial: the context with `edits`, where the policy has it already.
        unfit: gives one line for each thing that had to stay, for the error.

    Raises:
        BudgetInfeasible: the context is still over the budget.
    """
    before = at.size
    brought = bound_thinking(at, edits)
    if trial is None:
        after = at
        if edits or brought:
            after = at.copy()
            after.apply((*edits, *brought))
    else:
        after = trial
        after.apply(brought)
    needed = without_pointless((*edits, *brought))
    ordered = tuple(sorted(needed, key=lambda e: (e.start, e.blocks)))
    plan = Plan(policy.name, ordered, before, after.size, budget.unit, after)
    if after.size > budget.available:
        raise BudgetInfeasible(
            after.size, budget.available, budget.unit, unfit(), policy.name, reached=plan
        )
    return plan


def reached(policy: Policy, history: History, budget: Budget, at: Projection) -> Plan:
    """What `policy` can do towards `budget`, even where that is not enough."""
    try:
        return policy.plan(history, budget, at)
    except BudgetInfeasible as short:
        if isinstance(short.reached, Plan):
            return short.reached
        return unchanged(policy, at, budget)
