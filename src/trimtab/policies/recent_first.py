"""`recent-first`: the newest records that fit, in their order.

Source: the retention experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.policies.eviction import Kept, described, evict_oldest
from trimtab.policies.policy import opened, proposed, unchanged


@dataclass(frozen=True, slots=True)
class RecentFirst:
    """Newest first, stopping at the first that does not fit; the original order is kept.

    A record is an exchange. Nothing is protected but the system prompt of a provider request
    and the newest exchange: what the user required may be lost.
    """

    name: ClassVar[str] = "recent-first"

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Take out the oldest exchanges until the rest fits."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        kept = Kept(head=history.dialect != "neutral")
        edits, trial = evict_oldest(
            at, budget.available, kept, "older than the newest records that fit"
        )
        return proposed(self, at, budget, edits, lambda: described(at, kept), trial)
