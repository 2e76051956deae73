"""`clear-thinking`: the reasoning of all but the newest turns leaves.

The fields and their meaning are those of Anthropic's `clear_thinking_20251015`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.thinking import thinking_of
from trimtab.policies.policy import opened, proposed


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Removes thinking, whole, from all turns but the newest that have some.

    Args:
        keep: `thinking_turns:N` or a bare number (how many of the newest turns with thinking
            keep it; at least 1), or `all`.

    OpenAI's reasoning items stay: the provider refuses an item that has lost its reasoning, and
    leaves older reasoning out by itself.
    """

    keep: str | int = 1

    name: ClassVar[str] = "clear-thinking"

    def __post_init__(self) -> None:
        self._turns()

    def _turns(self) -> int | None:
        text = str(self.keep)
        if text == "all":
            return None
        kind, _, value = text.rpartition(":")
        if kind not in ("", "thinking_turns") or not re.fullmatch(r"0*[1-9]\d{0,17}", value):
            raise UsageError(
                f"{self.name}: keep {self.keep!r:.60}: write thinking_turns:N (1 or more) or all"
            )
        return int(value)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Remove the thinking of all but the last `keep` turns that have some."""
        at = opened(history, budget, at)
        turns = self._turns()
        edits: list[Edit] = []
        if turns is not None:
            reason = f"thinking older than the newest {turns} turn{'s' if turns > 1 else ''}"
            edits = [
                Edit("drop", number, number + 1, blocks, reason=reason)
                for number, blocks in self._thinking(at)[:-turns]
            ]
        return proposed(self, at, budget, edits, lambda: ["everything but older thinking"])

    def _thinking(self, at: Projection) -> list[tuple[int, tuple[int, ...]]]:
        """The messages that still have thinking, oldest first, with its block numbers."""
        history = at.history
        index = thinking_of(history)
        found = []
        cursor = at.cursors.get(self, 0)
        for place in range(cursor, len(index.messages)):
            number = index.messages[place]
            gone = {n for edit in at.edits_of(number) for n in edit.blocks}
            blocks = tuple(n for n in index.blocks[place] if n not in gone)
            if blocks and history[number].dialect != "responses" and at.live(number):
                found.append((number, blocks))
            elif not found:
                cursor = place + 1
        at.cursors[self] = cursor
        return found
