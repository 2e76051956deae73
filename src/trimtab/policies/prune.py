"""`prune`: Algorithm 1 (ConstructContext) of arXiv 2606.10209.

The last N call/result pairs stay word for word; older pairs are evicted whole, and the last W of
the evicted are told in one assistant message at the place of the oldest evicted pair. Recomputed
from the history at each call and never written back. A pair here is an exchange: an assistant
message with all its parallel calls and their results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.pins import required_messages
from trimtab.policies.call_listing import listing
from trimtab.policies.eviction import Kept, evictable, taking_out, with_reason
from trimtab.policies.policy import opened, proposed
from trimtab.policies.windows import DEFAULT, Windows, category_of, is_decided

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Prune:
    """Keeps the last N call/result pairs and lists the last W evicted ones.

    Args:
        N: how many of the newest pairs stay.
        W: how many of the newest evicted pairs the listing tells of: 0 none, -1 all.
        category: takes N and W from the kind of work: `auto` decides by the first calls, a name
            is one of `[windows]` in `trimtab.toml`; N and W then hold where there is none.
        windows: the kinds of work.

    All other messages stay. A call without a result is no pair yet and stays; so does a pair
    that is required, and what the user said beside a tool result.
    """

    N: int = 5
    W: int = 3
    category: str | None = None
    windows: Windows = field(default=DEFAULT, compare=False, repr=False, metadata={"spec": False})

    name: ClassVar[str] = "prune"

    def __post_init__(self) -> None:
        if self.N < 0:
            raise UsageError(f"prune: N must be 0 or more, not {self.N}")
        if self.W < -1:
            raise UsageError(f"prune: W must be -1 (all) or more, not {self.W}")

    def _of_category(self, history: History) -> Prune:
        """The policy with N and W of the kind of work.

        Until it is decided, as many pairs stay as any kind would keep: so what is evicted early
        would be evicted after the decision as well.
        """
        names = {category.name: category for category in self.windows}
        found = names.get(self.category or "")
        if found is None and self.category != AUTO:
            there = ", ".join((AUTO, *names))
            raise UsageError(f"prune: category {self.category!r:.60} is unknown; there are {there}")
        if found is None and is_decided(history):
            found = category_of(history, self.windows)
        elif found is None:
            most = max([self.N, *(category.N for category in self.windows)])
            return replace(self, N=most, category=None)
        if found is None:
            return replace(self, category=None)
        return replace(self, N=found.N, W=found.W, category=None)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Evict all pairs but the last N, and tell of the last W.

        What an earlier plan evicted is what a new reading of the whole history would evict too,
        so only the pairs since are looked at.
        """
        if self.category is not None:
            return self._of_category(history).plan(history, budget, at)
        at = opened(history, budget, at)
        kept = Kept(required_messages(history), newest=False)
        end = self._first_kept(history)
        evicted, edits = self._evict(at, kept, end)
        if self.W and evicted:
            oldest = at.inserted_at(self.name)
            told = self._told(at, kept, end)
            text = listing(history, told, at.counter)
            reason = f"tells of the newest {len(told)} evicted pairs"
            place = evicted[0].start if oldest is None else oldest
            edits.append(Edit("summarise", place, told[-1].stop, (), text, reason, slot=self.name))
        return proposed(self, at, budget, edits, lambda: ["what is no older call/result pair"])

    def _first_kept(self, history: History) -> int:
        """The place, among the exchanges with calls, of the first of the last N pairs."""
        exchanges = history.exchanges
        at = len(exchanges.with_calls)
        left = self.N
        while at > 0 and left > 0:
            at -= 1
            if not exchanges[exchanges.with_calls[at]].open:
                left -= 1
        return at

    def _evict(self, at: Projection, kept: Kept, end: int) -> tuple[list[Exchange], list[Edit]]:
        exchanges = at.history.exchanges
        reason = f"older than the last {self.N} call/result pairs"
        evicted: list[Exchange] = []
        edits: list[Edit] = []
        cursor = at.cursors.get(self, 0)
        passed = True
        for place in range(cursor, end):
            pair = exchanges[exchanges.with_calls[place]]
            taken = [] if pair.open else taking_out(at, pair, kept, spare_riders=True)
            if taken:
                evicted.append(pair)
                edits += with_reason(taken, reason)
            passed = passed and not taken and not pair.open
            if passed:
                cursor = place + 1
        at.cursors[self] = cursor
        return evicted, edits

    def _told(self, at: Projection, kept: Kept, end: int) -> list[Exchange]:
        """The newest W pairs among the evicted, oldest first."""
        exchanges = at.history.exchanges
        told: list[Exchange] = []
        for place in range(end - 1, -1, -1):
            if len(told) == self.W:
                break
            pair = exchanges[exchanges.with_calls[place]]
            if not pair.open and evictable(at.history, pair, kept):
                told.append(pair)
        return told[::-1]
