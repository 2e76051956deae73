"""`compact`: the older run becomes one five-section summary, checked against its sources.

System prompt, first task, marked messages, the newest turns and the user's newest words stay as
they are; the user's own constraints are quoted in the summary word for word. A later compaction
goes back to the sources in H, never to an older summary's text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from trimtab.context.blocks import block_id, evicted, prepared_text
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolResult
from trimtab.pins import find_pins
from trimtab.policies.compacting import Leaving, Recent, leaving, standing_size, stays_whole
from trimtab.policies.eviction import described, kept_required
from trimtab.policies.index_text import ids_in
from trimtab.policies.policy import SLOT, opened, proposed, unchanged
from trimtab.policies.shrinking import shrunk
from trimtab.summaries.request import Request, Summarised, Summariser
from trimtab.summaries.template import parse, render

REASON = "older than the newest turns; in the summary"
MOST_IDS = 12
LEAST = {"tokens": 120, "chars": 240}
"""Less room than this is none for a summary."""
CHARS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Compact:
    """Summarises all that is older than the newest turns.

    Args:
        keep_recent: what stays for being recent: turns (`5`), or tokens (`20k tokens`).
        summary: the most that the summary may take, in tokens; requirements may exceed it.
        target: the share of the budget to come down to, in percent (10 to 100).
        runs: into how many blocks a batch is cut, each named in the summary (0 names none).
        summariser: what makes the summary; the extractive one by default, which asks no model.
    """

    keep_recent: int | str = 5
    summary: int = 2_000
    target: int = 70
    runs: int = 4
    summariser: Summariser | None = field(
        default=None, compare=False, repr=False, metadata={"spec": False}
    )

    name: ClassVar[str] = "compact"

    def __post_init__(self) -> None:
        Recent.read(self.keep_recent)
        if self.summary < 100:
            raise UsageError(f"compact: summary must be 100 tokens or more, not {self.summary}")
        if not 10 <= self.target <= 100:
            raise UsageError(f"compact: target must be 10 to 100 percent, not {self.target}")
        if not 0 <= self.runs <= 8:
            raise UsageError(f"compact: runs must be 0 to 8, not {self.runs}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Nothing while the context fits; then one summary for all that is old."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        edits, trial = self.compaction(at, budget)
        kept = kept_required(history)
        return proposed(self, at, budget, edits, lambda: described(trial, kept))

    def prepare(self, at: Projection, budget: Budget) -> Prepared | None:
        """What would leave and what the summary must hold; `None` if nothing can leave.

        The same however large the context is now: for a summary that is made in advance.
        """
        goal = max(budget.available * self.target // 100, 1)
        chosen: Leaving | None = None
        room = 0
        for available in (goal, budget.available):
            for recent in Recent.read(self.keep_recent).smaller():
                found = leaving(at, recent, self.runs, REASON)
                if found is None:
                    continue
                chosen, room = found, self._room(at, found, available)
                if room >= LEAST[at.counter.unit]:
                    return self._prepared(at, chosen, room)
        return None if chosen is None else self._prepared(at, chosen, room)

    def finish(self, at: Projection, budget: Budget, prepared: Prepared, made: Summarised) -> Plan:
        """The plan that puts the summary in.

        Args:
            at: the context now; it may have grown since `prepare`.
        """
        edits, trial = self._put_in(at, budget, prepared, made)
        kept = kept_required(at.history)
        return proposed(self, at, budget, edits, lambda: described(trial, kept))

    def compaction(self, at: Projection, budget: Budget) -> tuple[list[Edit], Projection]:
        """The edits of a compaction now, as far as it gets, and the context with them."""
        prepared = self.prepare(at, budget)
        if prepared is None:
            return self._cut(at, budget, [], at)
        from trimtab.summaries.checked import checked  # loads all that asks a model
        from trimtab.summaries.extractive import Extractive

        enough = prepared.request.limit >= LEAST[at.counter.unit] // 2
        summariser = self.writer if enough else Extractive()  # no model writes so little
        made = checked(summariser.summarise, prepared.request)
        return self._put_in(at, budget, prepared, made)

    @property
    def writer(self) -> Summariser:
        """What makes the summary: the summariser that was given, or the extractive one."""
        if self.summariser is not None:
            return self.summariser
        from trimtab.summaries.extractive import Extractive

        return Extractive()

    # -- the parts ----------------------------------------------------------------------------

    def _put_in(
        self, at: Projection, budget: Budget, prepared: Prepared, made: Summarised
    ) -> tuple[list[Edit], Projection]:
        text = render(made.summary, ids=prepared.ids)
        edits = [*prepared.leaving.edits, self._summarise(at, prepared, text, made)]
        trial = at.copy()
        trial.apply(edits)
        return self._cut(at, budget, edits, trial)

    def _cut(
        self, at: Projection, budget: Budget, edits: list[Edit], trial: Projection
    ) -> tuple[list[Edit], Projection]:
        """Where even so it does not fit, the largest results are cut."""
        more = shrunk(trial, budget.available) if trial.size > budget.available else []
        if more:
            trial = trial.copy() if trial is at else trial
            trial.apply(more)
        return [*edits, *more], trial

    def _room(self, at: Projection, found: Leaving, available: int) -> int:
        """What a summary of `found` may take."""
        trial = at.copy()
        trial.apply(found.edits)
        unit = at.counter.unit
        limit = self.summary if unit == "tokens" else self.summary * CHARS_A_TOKEN
        rest = trial.size - standing_size(at)
        overhead = 8 if unit == "tokens" else 1
        source = found.size + standing_size(at)
        return min(limit, available - rest - overhead, max(source * 3 // 4, LEAST[unit]))

    def _prepared(self, at: Projection, found: Leaving, room: int) -> Prepared:
        history, counter = at.history, at.counter
        standing = at.inserted_text(SLOT)
        earlier = ids_in(standing)
        new = [block_id(evicted(history, edit)) for edit in found.edits] if self.runs else []
        ids = tuple(dict.fromkeys([*earlier, *new]))[-MOST_IDS:]
        named = counter.text(" ".join(ids)) + 4 if ids else 0
        request = Request(
            history=history,
            numbers=found.numbers,
            limit=max(room - named, 1),
            counter=counter,
            earlier=found.earlier,
            standing=parse(standing).summary if standing else None,
            required=found.required,
        )
        return Prepared(found, request, ids, standing)

    def _summarise(self, at: Projection, prepared: Prepared, text: str, made: Summarised) -> Edit:
        edits = prepared.leaving.edits
        place = at.inserted_at(SLOT)
        start = edits[0].start if place is None else min(place, edits[0].start)
        stop = max(edit.stop for edit in edits)
        count = len(prepared.request.numbers) + len(prepared.request.earlier)
        reason = f"a summary of {count:,} messages, by {made.summariser}"
        report = json.dumps(_kept_of(at.history, text, report_of(made)), ensure_ascii=False)
        return Edit("summarise", start, stop, (), text, reason, SLOT, "user", report)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A compaction whose summary is still to be made.

    Attributes:
        leaving: what leaves.
        request: what the summariser is asked for.
        ids: the block ids that the summary names.
        standing: the text of the summary that it replaces; empty if there is none.
    """

    leaving: Leaving
    request: Request
    ids: tuple[str, ...]
    standing: str = ""

    def stands(self, at: Projection) -> bool:
        """It can still be put in: all that leaves is in the context, nothing of it was pinned, and
        what left before is as it was.
        """
        history = at.history
        now = {*self.request.numbers}
        if not all(map(at.live, now)) or any(map(at.live, self.request.earlier)):
            return False
        if at.inserted_text(SLOT) != self.standing:
            return False
        return not any(
            pin.message in now and stays_whole(history, pin) for pin in find_pins(history)
        )


def report_of(made: Summarised) -> dict[str, object]:
    """How a summary came about, as a JSON value: what is stored with the edit."""
    usage = made.usage
    return {
        "summariser": made.summariser,
        "model": made.model,
        "attempts": [
            {"summariser": attempt.summariser, "reason": attempt.reason}
            for attempt in made.attempts
        ],
        "usage": {
            "input": usage.input,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "output": usage.output,
        },
        "guard": made.guard,
    }


def _kept_of(history: History, text: str, report: dict[str, object]) -> dict[str, object]:
    """The report as it is kept: a value alone does not show that it is a secret, so where the
    store redacts, one that is gone from its text is redacted here too."""
    guard = report["guard"]
    if not isinstance(guard, dict) or not history.redacts:
        return report
    kept = {-1: prepared_text(history, text)}
    values = []
    for value in guard.get("values", ()):
        place = -1 if "start" in value else value.get("source", -1)
        if place not in kept:
            kept[place] = prepared_text(history, "\n".join(_texts(history[place])))
        gone = value["text"] not in kept[place]
        values.append({**value, "text": "[redacted]"} if gone else value)
    return {**report, "guard": {**guard, "values": values}}


def _texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, Text | ToolResult):
            yield block.text
