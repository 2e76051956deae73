"""`handoff`: everything but what is required and the newest exchange becomes one report.

The report is that of `trimtab.summaries.handoff`: for an agent whose work goes on elsewhere, in its
parent or in a new session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.policies.eviction import described, kept_required, removable, with_reason
from trimtab.policies.index_text import ids_in
from trimtab.policies.policy import opened, proposed, unchanged
from trimtab.summaries.handoff import RUNS, TOKENS, checked_tokens, report

_CHARS_A_TOKEN = 4
_FRAME = 12
"""What a message costs besides its text, in tokens or characters, at the most about."""


@dataclass(frozen=True, slots=True)
class Handoff:
    """All but what is required and the newest exchange becomes a report of at most `tokens`.

    Args:
        tokens: the most that the report may take, 200 to 8,000; 1,000 to 2,000 are recommended.

    Nothing happens before the budget is reached. A later report is made anew from the history, and
    takes the place of the one before.
    """

    tokens: int = TOKENS

    name: ClassVar[str] = "handoff"

    def __post_init__(self) -> None:
        checked_tokens(self.tokens)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Nothing while the context fits; then the report takes the place of all that may go."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        kept = kept_required(history)
        taken = [edit for _, edits in removable(at, kept) for edit in edits]
        if not taken:
            return proposed(self, at, budget, [], lambda: described(at, kept))
        edits = with_reason(_in_runs(taken), "neither required nor the newest exchange")
        trial = at.copy()
        trial.apply(edits)
        edits += self._report(at, trial, budget, edits)
        return proposed(self, at, budget, edits, lambda: described(trial, kept))

    def _report(
        self, at: Projection, trial: Projection, budget: Budget, edits: Sequence[Edit]
    ) -> list[Edit]:
        """The edit that puts the report in; none where there is no room for one."""
        history, counter = at.history, at.counter
        standing = at.inserted_text(self.name)
        gone = [n for n in range(history.head, len(history)) if not trial.live(n)]
        before = counter.text(standing)
        source = sum(map(at.sizes.of.__getitem__, gone))
        limit = self.tokens if counter.unit == "tokens" else self.tokens * _CHARS_A_TOKEN
        limit = min(limit, budget.available - trial.size + before - _FRAME, source * 3 // 4)
        if not gone or limit < LEAST[counter.unit]:
            return []
        new = [block_id(evicted(history, edit)) for edit in edits]
        ids = [*ids_in(standing), *new]
        _, text = report(history, gone, counter, limit, ids)
        if counter.text(text) > limit:
            return []
        place = at.inserted_at(self.name)
        start = edits[0].start if place is None else min(place, edits[0].start)
        stop = max(edit.stop for edit in edits)
        reason = f"a report of {len(gone):,} messages, at most {self.tokens:,} tokens"
        return [Edit("summarise", start, stop, (), text, reason, self.name, "user")]


LEAST = {"tokens": 60, "chars": 240}
"""Less room than this is none for a report."""


def _in_runs(edits: Sequence[Edit]) -> list[Edit]:
    """Runs of neighbours, about as many as a report names: a block each."""
    whole = [edit for edit in edits if not edit.blocks]
    share = -(-len(whole) // RUNS) or 1
    made: list[Edit] = []
    taken = 0
    for edit in edits:
        joins = bool(made) and not edit.blocks and not made[-1].blocks
        if joins and made[-1].stop == edit.start and taken < share:
            made[-1] = Edit("drop", made[-1].start, edit.stop)
            taken += 1
        else:
            made.append(edit)
            taken = 1
    return made
