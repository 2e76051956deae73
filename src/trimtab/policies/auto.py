"""`auto`: the default. What is required stays word for word; the cheapest loss comes first.

Old tool results give way to placeholders, all at once and only when the budget is reached; if
that is not enough, the oldest exchanges leave. Either brings the context down to `target`, so that
many turns pass before the next rewrite of what the provider has cached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, cleared_block
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.history.log import History
from trimtab.policies.clear_tool_results import ClearToolResults
from trimtab.policies.eviction import described, evict_oldest, kept_required
from trimtab.policies.policy import opened, proposed, unchanged

BOUNDLESS = 2**62


@dataclass(frozen=True, slots=True)
class Auto:
    """Required first, with batched clearing of old tool results.

    Args:
        target: the share of the budget to come down to, in percent (10 to 100).
        keep: how many of the newest tool results are not cleared.
        exclude_tools: names of tools whose results are never cleared.
    """

    target: int = 70
    keep: int = 5
    exclude_tools: tuple[str, ...] = ()

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        if not 10 <= self.target <= 100:
            raise UsageError(f"auto: target must be 10 to 100 percent, not {self.target}")
        if self.keep < 0:
            raise UsageError(f"auto: keep must be 0 or more, not {self.keep}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Nothing while the context fits; then one batch of edits down to the target."""
        at = opened(history, budget, at)
        available = budget.available
        if at.size <= available:
            return unchanged(self, at, budget)
        goal = max(available * self.target // 100, 1)
        edits = self._clearing(history, at, goal)
        trial = at
        if edits:
            trial = at.copy()
            trial.apply(edits)
        kept = kept_required(history)
        reason = "not required, and older than what fits"
        if trial.size > goal:
            more, trial = evict_oldest(trial, goal, kept, reason)
            edits += more
        if trial.size > available:
            unfit = described(trial, kept)
            raise BudgetInfeasible(trial.size, available, budget.unit, unfit, self.name)
        if trial is at:
            return unchanged(self, at, budget)
        return proposed(self, at, budget, edits, lambda: described(at, kept))

    def _clearing(self, history: History, at: Projection, goal: int) -> list[Edit]:
        """Old tool results, oldest first, until the context is down to the goal."""
        boundless = Budget(BOUNDLESS, at.counter.unit, counter=at.counter)
        policy = ClearToolResults(0, self.keep, exclude_tools=self.exclude_tools)
        excess = at.size - goal
        edits: list[Edit] = []
        for edit in policy.plan(history, boundless, at).edits:
            if excess <= 0:
                break
            edits.append(edit)
            if edit.kind == "clear":
                block = history[edit.start].blocks[edit.blocks[0]]
                excess -= at.counter.block(block)
                excess += at.counter.block(cleared_block(block, edit.text))
        return [edit for edit in edits if edit.kind == "clear"]
