"""A comparison over several sessions: the mean of each policy at each budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trimtab.evaluation.compare import Row


@dataclass(frozen=True, slots=True)
class Mean:
    """One policy at one budget over all sessions.

    Attributes:
        files, met: how many sessions, and at how many of them the budget could be met.
        valid: how many of the contexts break no provider rule.
        reduction, required_retention, verbatim_fidelity: means over those that met the budget;
            `None` where none did.
    """

    budget: str
    policy: str
    files: int
    met: int
    valid: int
    reduction: float | None
    required_retention: float | None
    verbatim_fidelity: float | None


def means(rows: Sequence[Row]) -> list[Mean]:
    """The means, all policies of the first budget first; none where there is one session only."""
    if len({row.file for row in rows}) < 2:
        return []
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.budget, row.policy), []).append(row)
    budgets = list(dict.fromkeys(row.budget for row in rows))
    ordered = sorted(groups.items(), key=lambda item: budgets.index(item[0][0]))
    return [_mean(budget, policy, group) for (budget, policy), group in ordered]


def _mean(budget: str, policy: str, group: Sequence[Row]) -> Mean:
    met = [row for row in group if row.feasible]
    return Mean(
        budget=budget,
        policy=policy,
        files=len(group),
        met=len(met),
        valid=sum(1 for row in met if row.valid),
        reduction=_average([row.reduction for row in met]),
        required_retention=_average([row.required_retention for row in met]),
        verbatim_fidelity=_average([row.verbatim_fidelity for row in met]),
    )


def _average(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) / len(known) if known else None
