"""`truncate`: the last N messages, turns or tokens, cut only between exchanges."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.policies.eviction import Kept, described, evict_oldest, removable, with_reason
from trimtab.policies.policy import opened, proposed


@dataclass(frozen=True, slots=True)
class Truncate:
    """Keeps the system prompt and the end of the history.

    Args:
        messages: at most this many messages stay (behind the system prompt).
        turns: at most this many turns (calls of the model) stay.
        tokens: at most this size stays, in the budget's unit.

    Each limit that is given holds, and so does the budget. A cut falls between exchanges, so
    fewer may stay than asked for, but always the newest exchange.
    """

    messages: int | None = None
    turns: int | None = None
    tokens: int | None = None

    name: ClassVar[str] = "truncate"

    def __post_init__(self) -> None:
        for field in ("messages", "turns", "tokens"):
            value = getattr(self, field)
            if value is not None and value < 1:
                raise UsageError(f"truncate: {field} must be at least 1, not {value}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Take out everything older than the limits allow."""
        at = opened(history, budget, at)
        kept = Kept()
        edits = self._over_count(at, kept)
        available = budget.available
        if self.tokens is not None:
            available = min(available, self.tokens)
        reason = f"older than the last {available:,} {budget.unit}"
        edits, trial = evict_oldest(at, available, kept, reason, edits)
        return proposed(self, at, budget, edits, lambda: described(at, kept), trial)

    def _over_count(self, at: Projection, kept: Kept) -> list[Edit]:
        history = at.history
        live = at.sources
        head = bisect_left(live, history.head)
        over_messages = over_turns = 0
        if self.messages is not None:
            over_messages = len(live) - head - self.messages
        if self.turns is not None:
            turns = sum(1 for message in at.items if message.role == "assistant")
            over_turns = turns - self.turns
        edits: list[Edit] = []
        if over_messages <= 0 and over_turns <= 0:
            return edits
        reason = f"older than the last {self._limits()}"
        for exchange, taken in removable(at, kept):
            if over_messages <= 0 and over_turns <= 0:
                break
            edits += with_reason(taken, reason)
            over_messages -= exchange.stop - exchange.start
            over_turns -= sum(
                1 for m in history[exchange.start : exchange.stop] if m.role == "assistant"
            )
        return edits

    def _limits(self) -> str:
        given = (("messages", self.messages), ("turns", self.turns))
        return " and ".join(f"{value:,} {name}" for name, value in given if value is not None)
