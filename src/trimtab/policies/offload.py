"""`offload`: indexed memory. Details become blocks; an index of their ids stays in the context.

Source: Memex (arXiv 2603.04257). There the model writes the index; here it is made from the calls
themselves, without a model. `Session.compress` is the form in which a model writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.tool_uses import tool_uses, uses_among
from trimtab.policies.call_listing import clipped, told_in_short
from trimtab.policies.eviction import described, kept_required, removable
from trimtab.policies.index_text import HEADING, fitted, lines_of
from trimtab.policies.policy import opened, proposed, unchanged

MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Offload:
    """Older exchanges leave as blocks; an index of at most `index` tokens names them.

    Args:
        keep: how many of the newest exchanges stay.
        index: the most that the index may take, in tokens (50 or more).
        runs: into how many blocks a batch is cut at the most (1 to 8), a line of the index each.

    Nothing happens before the budget is reached; then all older exchanges that are not required
    leave in one batch. Each further batch puts its lines into the same index; lines that no
    longer fit leave it, oldest first, and are found by search.
    """

    keep: int = 5
    index: int = 300
    runs: int = 4

    name: ClassVar[str] = "offload"

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise UsageError(f"offload: keep must be 1 or more, not {self.keep}")
        if self.index < 50:
            raise UsageError(f"offload: index must be 50 tokens or more, not {self.index}")
        if not 1 <= self.runs <= MOST_LINES:
            raise UsageError(f"offload: runs must be 1 to {MOST_LINES}, not {self.runs}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """All older exchanges leave at once, when the budget is reached."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        kept = kept_required(history)
        newest = len(history.exchanges) - self.keep
        leaving: list[Edit] = []
        for exchange, taken in removable(at, kept):
            if exchange.index >= newest:
                break
            leaving += taken
        partial = [edit for edit in leaving if edit.blocks]
        edits = [*self._blocks([edit for edit in leaving if not edit.blocks]), *partial]
        edits.sort(key=lambda edit: edit.start)
        edits = [_because(e, f"older than the newest {self.keep} exchanges") for e in edits]
        if edits:
            edits.append(self._index(history, at, edits))
        return proposed(self, at, budget, edits, lambda: described(at, kept))

    def _blocks(self, leaving: Sequence[Edit]) -> list[Edit]:
        """Runs of neighbours, cut so that a batch makes about `runs` blocks."""
        if not leaving:
            return []
        share = -(-len(leaving) // self.runs)
        made: list[Edit] = []
        taken = 0
        for edit in leaving:
            if made and made[-1].stop == edit.start and taken < share:
                made[-1] = Edit("drop", made[-1].start, edit.stop)
                taken += 1
            else:
                made.append(edit)
                taken = 1
        return made

    def _index(self, history: History, at: Projection, edits: Sequence[Edit]) -> Edit:
        earlier = lines_of(at.inserted_text(self.name))
        new = [
            f"{block_id(evicted(history, edit))} - {_holds(history, edit)}"
            for edit in edits
            if edit.evicts
        ]
        status = f"Status: {_status(history)}"
        text = fitted(HEADING, [*earlier, *new], status, at.counter, self.index)
        place = at.inserted_at(self.name)
        start = edits[0].start if place is None else min(place, edits[0].start)
        reason = f"an index of what left, at most {self.index} tokens"
        stop = max(edit.stop for edit in edits)
        return Edit("summarise", start, stop, (), text, reason, self.name)


def _because(edit: Edit, reason: str) -> Edit:
    return replace(edit, reason=reason)


def _holds(history: History, edit: Edit) -> str:
    """What a block holds, in a few words: its calls, else its first words."""
    if edit.blocks:
        places = {(edit.start, number) for number in edit.blocks}
        uses = [use for use in tool_uses(history) if use.result in places]
    else:
        uses = uses_among(history, edit.start, edit.stop)
    if uses:
        return clipped(told_in_short(history, uses), 110)
    words = " ".join(m.text for m in history[edit.start : edit.stop])
    return clipped(words, 80) or "content without text"


def _status(history: History) -> str:
    """The last words of the model."""
    for number in range(len(history) - 1, -1, -1):
        if history[number].role == "assistant" and history[number].text.strip():
            return clipped(history[number].text, 160)
    return "in progress"
