"""`required-first`: all required records, then the newest others.

Source: the retention experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.policies.eviction import described, evict_oldest, kept_required
from trimtab.policies.policy import opened, proposed, unchanged


@dataclass(frozen=True, slots=True)
class RequiredFirst:
    """Reserves room for every required message first, then adds the newest others that fit.

    Required: the system prompt, the first task, what is marked, and what the rules of
    `trimtab.pins` find; in a live session the newest exchange too. Stops at the first other
    record that does not fit.
    """

    name: ClassVar[str] = "required-first"

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Take out the oldest exchanges that are not required until the rest fits."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        kept = kept_required(history)
        edits, trial = evict_oldest(
            at, budget.available, kept, "not required, and older than the newest that fit"
        )
        return proposed(self, at, budget, edits, lambda: described(at, kept), trial)
