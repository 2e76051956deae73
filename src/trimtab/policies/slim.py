"""`slim`: long tool results keep what acts; the rest leaves as a block.

A result that is slimmed says so in its last line, with the id that brings the whole back. Only
results that are text and nothing else are slimmed: a picture has no shorter form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.blocks import id_alone
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, cleared_block
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Text, ToolCall, ToolResult
from trimtab.history.placeholders import is_cleared, is_slimmed, slimmed
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.pins import required_messages
from trimtab.policies.eviction import Kept, only_words
from trimtab.policies.policy import opened, proposed, unchanged
from trimtab.slimming import Slimmed
from trimtab.slimming import slim as shorter

SMALLEST = 200
"""The least that `limit` may be, in characters."""
_ASKED = ("command", "cmd", "query", "pattern", "path", "file_path", "url")


@dataclass(frozen=True, slots=True)
class Slim:
    """Keeps of old long results what acts.

    Args:
        limit: the most characters that a slimmed result keeps (200 or more).
        keep: how many of the newest results stay whole, while the rest is enough.
        least: only results that get smaller by at least this much, in the budget's unit.
        tools: only results of these tools; all where none is named.
        exclude_tools: names of tools whose results are never slimmed.
        fields: of JSON results only these: `items[].id+total`.
        trigger: the context's size from which on it acts; the budget where it says nothing.
        rescue: where that is not enough, the newest results too, and less of each, down to an
            eighth of `limit`.
    """

    limit: int = 2_000
    keep: int = 3
    least: int = 100
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    trigger: str | int | None = None
    rescue: bool = True

    name: ClassVar[str] = "slim"

    def __post_init__(self) -> None:
        if self.limit < SMALLEST:
            raise UsageError(f"slim: limit must be {SMALLEST} characters or more, not {self.limit}")
        if self.keep < 0 or self.least < 0:
            raise UsageError("slim: keep and least must be 0 or more")
        self._trigger(None)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Slim the old results in one batch, once the trigger is reached; more if it must be."""
        at = opened(history, budget, at)
        if at.size <= self._trigger(budget):
            return unchanged(self, at, budget)
        kept = Kept(required_messages(history))
        newest = self._newest(history)
        edits = list(self._old(at, kept, newest))
        trial = at
        if edits:
            trial = at.copy()
            trial.apply(edits)
        if self.rescue and trial.size > budget.available:
            more = self._rescued(at, trial, kept, newest, edits, budget.available)
            if more is not edits:
                edits = more
                trial = at.copy()
                trial.apply(edits)
        return proposed(self, at, budget, edits, lambda: _largest(trial), trial if edits else None)

    def _trigger(self, budget: Budget | None) -> int:
        if self.trigger is None:
            return 0 if budget is None else budget.available
        kind, _, value = str(self.trigger).rpartition(":")
        if kind not in ("", "input_tokens") or not re.fullmatch(r"\d{1,18}", value):
            raise UsageError(
                f"slim: trigger {self.trigger!r:.60}: write a number, or input_tokens:N"
            )
        return int(value)

    # -- which results -----------------------------------------------------------------------

    def _newest(self, history: History) -> set[tuple[int, int]]:
        """Where the newest `keep` results are; the newest of all in any case."""
        found: set[tuple[int, int]] = set()
        for use in reversed(tool_uses(history)):
            if use.result is not None:
                found.add(use.result)
                if len(found) >= max(self.keep, 1):
                    break
        return found

    def _old(self, at: Projection, kept: Kept, newest: set[tuple[int, int]]) -> Iterator[Edit]:
        """The edits of the results that are not among the newest; settled ones are passed over."""
        uses = tool_uses(at.history)
        cursor = at.cursors.get(self, 0)
        passed = True
        for place in range(cursor, len(uses)):
            use = uses[place]
            edit = None
            settled = use.result is not None and use.result not in newest
            if settled:
                edit = self._slimmed(at, use, kept, self.limit)
                if edit is not None:
                    yield edit
            passed = passed and settled and edit is None
            if passed:
                cursor = place + 1
        at.cursors[self] = cursor

    def _rescued(
        self,
        at: Projection,
        trial: Projection,
        kept: Kept,
        newest: set[tuple[int, int]],
        edits: list[Edit],
        available: int,
    ) -> list[Edit]:
        """Further results and shorter forms, until the context fits: the old ones before the
        newest, and all of them at one limit before a smaller one. `edits` itself if there is
        nothing more."""
        chosen = {(edit.start, edit.blocks[0]): edit for edit in edits}
        uses = [use for use in tool_uses(at.history) if use.result is not None]
        uses.sort(key=lambda use: (use.result in newest, use.result))
        counter = at.counter
        excess = trial.size - available
        before = dict(chosen)
        for part in (1, 2, 4, 8):
            limit = max(self.limit // part, SMALLEST)
            for use in uses:
                edit = self._slimmed(at, use, kept, limit)
                if edit is None or use.result is None:
                    continue
                block = at.history[use.result[0]].blocks[use.result[1]]
                earlier = chosen.get(use.result)
                now = block if earlier is None else cleared_block(block, earlier.text)
                gain = counter.block(now) - counter.block(cleared_block(block, edit.text))
                if gain <= 0:
                    continue
                chosen[use.result] = edit
                excess -= gain
                if excess <= 0:
                    return list(chosen.values())
            if limit == SMALLEST:
                break
        return edits if chosen == before else list(chosen.values())

    def _slimmed(self, at: Projection, use: ToolUse, kept: Kept, limit: int) -> Edit | None:
        """The edit that slims the result of a use; `None` where it stays as it is."""
        if use.result is None or use.name in self.exclude_tools:
            return None
        if self.tools and use.name not in self.tools:
            return None
        number, place = use.result
        history = at.history
        block = history[number].blocks[place]
        if not isinstance(block, ToolResult) or block.server or not block.content:
            return None
        if not all(isinstance(part, Text) for part in block.content):
            return None
        if not at.live(number) or any(place in edit.blocks for edit in at.edits_of(number)):
            return None
        if kept.among(number, number + 1) and not only_words(history[number]):
            return None
        if kept.among(use.message, use.message + 1):
            return None
        return self._edit(at, use, block, limit)

    # -- slimming ----------------------------------------------------------------------------

    def _edit(self, at: Projection, use: ToolUse, block: ToolResult, limit: int) -> Edit | None:
        """The edit for one result, worked out once for each limit."""
        assert use.result is not None
        number, place = use.result
        made: dict[tuple[int, int], tuple[Slimmed, str, int] | None]
        key = ("slim", limit, self.fields, at.counter)
        made = at.history.derived(key, dict)
        if use.result not in made:
            made[use.result] = self._form(at, use, block, limit)
        found = made[use.result]
        if found is None or found[2] < max(self.least, 1):
            return None
        form, text, _ = found
        reason = f"{form.what}: {form.dropped_lines:,} lines left out"
        return Edit("slim", number, number + 1, (place,), text, reason)

    def _form(
        self, at: Projection, use: ToolUse, block: ToolResult, limit: int
    ) -> tuple[Slimmed, str, int] | None:
        """The shorter form, the text with its marker, and what it saves."""
        text = block.text
        if (len(text) <= limit and not self.fields) or is_cleared(block) or is_slimmed(text):
            return None
        call = at.history[use.message].blocks[use.block]
        form = shorter(text, tool=use.name, command=_asked(call), limit=limit, fields=self.fields)
        if form is None:
            return None
        counter = at.counter
        size = counter.block(block)
        whole = f"{size:,} {counter.unit}"
        stands = slimmed(form.text, form.what, whole, id_alone(at.history, block))
        return form, stands, size - counter.block(cleared_block(block, stands))


def _asked(call: object) -> str:
    """What a call asked for: its command, query or path."""
    given = call.input if isinstance(call, ToolCall) else None
    if isinstance(given, str):
        return given[:1_000]
    if isinstance(given, Mapping):
        found = (given.get(key) for key in _ASKED)
        return next((value[:1_000] for value in found if isinstance(value, str)), "")
    return ""


def _largest(at: Projection) -> Sequence[str]:
    """What is in the context, the largest first."""
    history, unit = at.history, at.counter.unit
    ordered = sorted(at.sources, key=lambda number: (-at.size_of(number), number))
    return [f"message {n} ({history[n].role}): {at.size_of(n):,} {unit}" for n in ordered]
