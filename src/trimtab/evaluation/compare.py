"""Policies side by side on one session: every policy at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trimtab.context.budget import Budget, parse_size
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible
from trimtab.evaluation.metrics import (
    reduction,
    required_retention,
    validity,
    verbatim_fidelity,
)
from trimtab.history.log import History
from trimtab.policies.policy import Policy
from trimtab.policies.registry import parse_policy
from trimtab.tokens import counter_for


@dataclass(frozen=True, slots=True)
class Row:
    """What one policy made of one session at one budget.

    Attributes:
        file: the session's name, as the caller gave it.
        policy: the policy as it was asked for, parameters and all.
        budget: the budget as it was asked for: `50k`, `70%`.
        capacity: the budget in the unit asked for.
        used: the size of the context; `None` where infeasible, as all figures below.
        reduction, required_retention, verbatim_fidelity: see `metrics`; rates from 0 to 1.
        valid: the context breaks no provider rule.
        feasible: the policy could meet the budget.
        needed: where infeasible: the size that would have been needed, else `None`.
    """

    file: str
    policy: str
    budget: str
    capacity: int
    used: int | None
    reduction: float | None
    required_retention: float | None
    verbatim_fidelity: float | None
    valid: bool | None
    feasible: bool
    needed: int | None


def compare(
    history: History,
    file: str,
    policies: Sequence[str],
    budgets: Sequence[str],
    unit: str = "tokens",
    model: str | None = None,
) -> list[Row]:
    """Run every policy on `history` at every budget; the history is not changed.

    Args:
        history: H.
        file: names the session in the rows.
        policies: names with parameters, such as `prune:N=5,W=3`.
        budgets: sizes such as `50k`, or shares of the session's own size such as `70%`.
        unit: `tokens` or `chars`.
        model: counts for this model; by default the history's own.

    Returns:
        One row for each policy and budget: all budgets of the first policy, then the next.

    Raises:
        UsageError: a policy, budget or unit cannot be meant as given; nothing was run.
    """
    parsed = [(spec, parse_policy(spec)) for spec in policies]
    counter = counter_for(model or history.model, unit)
    whole = Projection(history, counter).size
    sizes = [(text, parse_size(text, whole=whole)) for text in budgets]
    return [
        _row(history, file, (spec, policy), text, Budget(size, unit, counter=counter), whole)
        for spec, policy in parsed
        for text, size in sizes
    ]


def _row(
    history: History,
    file: str,
    named: tuple[str, Policy],
    text: str,
    budget: Budget,
    whole: int,
) -> Row:
    spec, policy = named
    try:
        plan = policy.plan(history, budget)
    except BudgetInfeasible as unmet:
        return Row(
            file=file,
            policy=spec,
            budget=text,
            capacity=budget.limit,
            used=None,
            reduction=None,
            required_retention=None,
            verbatim_fidelity=None,
            valid=None,
            feasible=False,
            needed=unmet.needed,
        )
    kept = plan.projection
    return Row(
        file=file,
        policy=spec,
        budget=text,
        capacity=budget.limit,
        used=plan.after,
        reduction=reduction(whole, plan.after),
        required_retention=required_retention(history, kept),
        verbatim_fidelity=verbatim_fidelity(kept),
        valid=not validity(history, kept.context()),
        feasible=True,
        needed=None,
    )
