"""`supersede`: of repeated observations of one resource only the newest stays whole.

The same file by whatever tool, the same page or form, the same query, a file before a change of
it: the older result gives way to a placeholder that names its block. Which call sees or changes
which resource is said by rules (`trimtab.resources`), those of `trimtab.toml` among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from trimtab.context.blocks import id_alone
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, cleared_block
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import ToolResult
from trimtab.history.placeholders import is_cleared, is_slimmed, superseded
from trimtab.pins import required_messages
from trimtab.policies.eviction import Kept, described, only_words
from trimtab.policies.policy import opened, proposed, unchanged
from trimtab.resources import DEFAULT, Rules, Superseded, superseded_observations


@dataclass(frozen=True, slots=True)
class Supersede:
    """Clears results that a newer observation of the same resource has replaced.

    Args:
        keep: how many of the newest observations of one resource stay whole.
        least: the least that a batch must free, in the budget's unit; below it nothing is done.
        always: act whenever something is stale; else only when the budget is reached.
        changes: a change makes what was seen before it stale; with `false` only what was seen
            again is.

    Nothing happens before the budget is reached; then everything that is stale gives way in one
    batch, so that the prompt cache is rewritten once.
    """

    keep: int = 1
    least: int = 0
    always: bool = False
    changes: bool = True
    rules: Rules = field(default=DEFAULT, compare=False, repr=False, metadata={"spec": False})

    name: ClassVar[str] = "supersede"

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise UsageError(f"supersede: keep must be 1 or more, not {self.keep}")
        if self.least < 0:
            raise UsageError(f"supersede: least must be 0 or more, not {self.least}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Clear what is stale, when the budget is reached."""
        at = opened(history, budget, at)
        if at.size <= budget.available and not self.always:
            return unchanged(self, at, budget)
        stale = superseded_observations(history, self.rules, keep=self.keep, changes=self.changes)
        kept = Kept(required_messages(history))
        mine = (self, self.rules)
        cursor = at.cursors.get(mine, 0)
        passed = True
        edits: list[Edit] = []
        freed = 0
        for place in range(cursor, len(stale)):
            wait, edit, gain = self._clear(at, kept, stale[place])
            if edit is not None:
                edits.append(edit)
                freed += gain
            passed = passed and not wait
            if passed:
                cursor = place + 1
        if freed < self.least:
            edits = []
        else:
            at.cursors[mine] = cursor
        return proposed(self, at, budget, edits, lambda: list(self._stays(at, kept)))

    def _clear(
        self, at: Projection, kept: Kept, stale: Superseded
    ) -> tuple[bool, Edit | None, int]:
        """Whether a later call must look again, the edit, and what it frees."""
        history, number, block = at.history, stale.message, stale.block
        result = history[number].blocks[block]
        exchange = history.exchanges.holding(number)
        if exchange.open or exchange.index == len(history.exchanges) - 1:
            return True, None, 0  # the model has not answered it yet
        if not isinstance(result, ToolResult) or is_cleared(result) or is_slimmed(result.text):
            return False, None, 0
        if not at.live(number) or any(block in edit.blocks for edit in at.edits_of(number)):
            return False, None, 0
        if kept.among(number, number + 1) and not only_words(history[number]):
            return False, None, 0
        if kept.among(stale.observations[0].message, stale.observations[0].message + 1):
            return False, None, 0
        counter = at.counter
        size = counter.block(result)
        text = superseded(stale.what, f"{size:,} {counter.unit}", id_alone(history, result))
        gain = size - counter.block(cleared_block(result, text))
        if gain <= 0:
            return False, None, 0
        return False, Edit("clear", number, number + 1, (block,), text, stale.reason), gain

    def _stays(self, at: Projection, kept: Kept) -> Iterator[str]:
        yield "what was not observed again"
        yield from described(at, kept)
