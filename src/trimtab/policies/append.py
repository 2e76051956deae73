"""`append`: everything stays. The baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.policies.policy import opened, proposed


@dataclass(frozen=True, slots=True)
class Append:
    """Everything stays; over the budget it raises `BudgetInfeasible`."""

    name: ClassVar[str] = "append"

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """No edit."""
        at = opened(history, budget, at)
        return proposed(self, at, budget, (), lambda: ["the whole history"])
