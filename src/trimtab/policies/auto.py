"""`auto`: the default. What is required stays word for word; the cheapest loss comes first.

When the budget is reached, layer follows layer until the context is down to `target`, so that many
turns pass before the next rewrite of what the provider has cached: states that were seen again or
changed since give way first; long results are slimmed to what acts; old results give way to
placeholders; and if that is not enough, the older run becomes blocks and one checked summary that
names them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, cleared_block
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import ToolResult
from trimtab.policies.clear_tool_results import ClearToolResults
from trimtab.policies.compact import Compact
from trimtab.policies.eviction import described, kept_required
from trimtab.policies.policy import opened, proposed, reached, unchanged
from trimtab.policies.slim import Slim
from trimtab.policies.supersede import Supersede
from trimtab.resources import DEFAULT, Rules
from trimtab.summaries.request import Summariser

BOUNDLESS = 2**62


@dataclass(frozen=True, slots=True)
class Auto:
    """Supersede, slim, clear, then compact, in one batch when the budget is reached.

    Args:
        target: the share of the budget to come down to, in percent (10 to 100).
        keep: how many of the newest tool results, and of the newest turns, stay as they are.
        exclude_tools: names of tools whose results are neither slimmed nor cleared.
        fields: of JSON results that are slimmed only these: `items[].id+total`.
        summary: the most that the summary may take, in tokens; requirements may exceed it.
        summariser: what makes the summary; the extractive one by default, which asks no model.
        rules: which calls see or change which resource.
    """

    target: int = 70
    keep: int = 5
    exclude_tools: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    summary: int = 2_000
    summariser: Summariser | None = field(
        default=None, compare=False, repr=False, metadata={"spec": False}
    )

    rules: Rules = field(default=DEFAULT, compare=False, repr=False, metadata={"spec": False})

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        if not 10 <= self.target <= 100:
            raise UsageError(f"auto: target must be 10 to 100 percent, not {self.target}")
        if self.keep < 0:
            raise UsageError(f"auto: keep must be 0 or more, not {self.keep}")
        Compact(summary=self.summary)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Nothing while the context fits; then one batch of edits down to the target."""
        at = opened(history, budget, at)
        available = budget.available
        if at.size <= available:
            return unchanged(self, at, budget)
        goal = max(available * self.target // 100, 1)
        wanted = Budget(goal, budget.unit, counter=at.counter)
        edits: list[Edit] = []
        trial = at
        slim = Slim(
            keep=self.keep, exclude_tools=self.exclude_tools, fields=self.fields, rescue=False
        )
        for layer in (Supersede(rules=self.rules), slim):
            plan = reached(layer, history, wanted, trial)
            edits += plan.edits
            trial = plan.projection
            if trial.size <= goal:
                break
        if trial.size > goal:
            cleared = self._clearing(history, trial, goal)
            trial = trial.copy()
            trial.apply(cleared)
            edits += cleared
        if trial.size > goal:
            more, trial = self.compacting.compaction(trial, budget)
            edits += more
        kept = kept_required(history)
        return proposed(self, at, budget, edits, lambda: described(trial, kept))

    @property
    def compacting(self) -> Compact:
        """The last layer."""
        return Compact(
            keep_recent=max(self.keep, 1),
            summary=self.summary,
            target=self.target,
            summariser=self.summariser,
        )

    def _clearing(self, history: History, at: Projection, goal: int) -> list[Edit]:
        """Old tool results, oldest first, until the context is down to the goal."""
        boundless = Budget(BOUNDLESS, at.counter.unit, counter=at.counter)
        policy = ClearToolResults(0, self.keep, exclude_tools=self.exclude_tools)
        excess = at.size - goal
        edits: list[Edit] = []
        for edit in policy.plan(history, boundless, at).edits:
            if excess <= 0:
                break
            if edit.kind != "clear":
                continue
            edits.append(edit)
            block = at.block_now(edit.start, edit.blocks[0])
            if isinstance(block, ToolResult):
                excess -= at.counter.block(block)
                excess += at.counter.block(cleared_block(block, edit.text))
        return edits
