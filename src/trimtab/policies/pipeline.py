"""`pipeline`: layers of policies in order, the cheapest loss first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.policies.eviction import described, kept_required
from trimtab.policies.policy import Policy, opened, proposed, reached, unchanged

LAYERS = ("supersede", "slim", "clear-tool-results", "compact")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Runs one policy after another until the context is down to the target.

    Args:
        layers: the names of the policies, in order.
        target: the share of the budget to come down to, in percent (10 to 100).
        policies: the policies themselves, in place of names: for parameters of their own.
    """

    layers: tuple[str, ...] = LAYERS
    target: int = 70
    policies: tuple[Policy, ...] = field(
        default=(), compare=False, repr=False, metadata={"spec": False}
    )

    name: ClassVar[str] = "pipeline"

    def __post_init__(self) -> None:
        from trimtab.policies.registry import policy_class

        if not self.layers and not self.policies:
            raise UsageError("pipeline: there is no layer")
        if not 10 <= self.target <= 100:
            raise UsageError(f"pipeline: target must be 10 to 100 percent, not {self.target}")
        for layer in self.layers:
            if layer == self.name:
                raise UsageError("pipeline: a pipeline is no layer of itself")
            policy_class(layer)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Nothing while the context fits; then layer after layer, down to the target."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        goal = max(budget.available * self.target // 100, 1)
        wanted = Budget(goal, budget.unit, counter=at.counter)
        edits: list[Edit] = []
        trial = at
        for policy in self._policies():
            plan = reached(policy, history, wanted, trial)
            edits += plan.edits
            trial = plan.projection
            if trial.size <= goal:
                break
        kept = kept_required(history)
        return proposed(self, at, budget, edits, lambda: described(trial, kept))

    def _policies(self) -> Iterator[Policy]:
        from trimtab.policies.registry import policy_class

        yield from self.policies or (policy_class(layer)() for layer in self.layers)
