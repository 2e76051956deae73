"""`slim`: long tool results keep what acts, long arguments head and tail; the rest is a block.

A result that is slimmed says so in its last line, with the id that brings the whole back. Only
results that are text and nothing else are slimmed: a picture has no shorter form. The arguments of
a call stay JSON of the same shape; each string that was shortened says so in its middle.

Where the store redacts, the shorter form is made of the redacted whole: half a key, or some lines
of one, would be known as a secret by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.blocks import id_alone, prepared_text
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
from trimtab.resources.outcome import failed
from trimtab.slimming import slim as shorter
from trimtab.slimming.arguments import as_json, shorter_arguments

SMALLEST = 200
"""The least that `limit` and `inputs` may be, in characters."""
_FREE_FORM = ("custom", "custom_tool_call")
"""Kinds of calls whose input is plain text."""
_ASKED = ("command", "cmd", "query", "pattern", "path", "file_path", "url")


@dataclass(frozen=True, slots=True)
class Slim:
    """Shortens old long results to what matters: failures, locations, changes, outliers.

    Args:
        limit: the most characters that a slimmed result keeps (200 or more).
        keep: how many of the newest results stay whole, while the rest is enough.
        least: only results that get smaller by at least this much, in the budget's unit.
        tools: only results and calls of these tools; all where none is named.
        exclude_tools: names of tools whose results and calls are left alone.
        fields: of JSON results only these: `items[].id+total`.
        trigger: the context's size from which on it acts; the budget where it says nothing.
        rescue: where that is not enough, the newest results too, and less of each, down to an
            eighth of `limit` and of `inputs`.
        inputs: about how many characters each string in the arguments of an old call may keep
            (200 or more); 0 leaves arguments alone.
    """

    limit: int = 2_000
    keep: int = 3
    least: int = 100
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    trigger: str | int | None = None
    rescue: bool = True
    inputs: int = 4_000

    name: ClassVar[str] = "slim"

    def __post_init__(self) -> None:
        if self.limit < SMALLEST:
            raise UsageError(f"slim: limit must be {SMALLEST} characters or more, not {self.limit}")
        if self.inputs and self.inputs < SMALLEST:
            raise UsageError(
                f"slim: inputs must be 0, or {SMALLEST} characters or more, not {self.inputs}"
            )
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
        """The edits of the uses that are not among the newest; settled ones are passed over."""
        uses = tool_uses(at.history)
        cursor = at.cursors.get(self, 0)
        passed = True
        for place in range(cursor, len(uses)):
            use = uses[place]
            edits: list[Edit] = []
            settled = use.result is not None and use.result not in newest
            if settled:
                edits = self._edits(at, use, kept)
                yield from edits
            passed = passed and settled and not edits
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
            for use in uses:
                for edit in self._edits(at, use, kept, part, newest=use.result in newest):
                    where = edit.start, edit.blocks[0]
                    block = at.history[where[0]].blocks[where[1]]
                    earlier = chosen.get(where)
                    now = block if earlier is None else cleared_block(block, earlier.text)
                    gain = counter.block(now) - counter.block(cleared_block(block, edit.text))
                    if gain <= 0:
                        continue
                    chosen[where] = edit
                    excess -= gain
                    if excess <= 0:
                        return list(chosen.values())
        return edits if chosen == before else list(chosen.values())

    def _edits(
        self, at: Projection, use: ToolUse, kept: Kept, part: int = 1, *, newest: bool = False
    ) -> list[Edit]:
        """The edits that shorten the call and the result of a use.

        Args:
            part: the fraction of `limit` and `inputs` that may stay: 2 for a half.
            newest: it is among the newest; then its call stays whole if it may have failed.
        """
        if use.result is None or use.name in self.exclude_tools:
            return []
        if self.tools and use.name not in self.tools:
            return []
        if kept.among(use.message, use.message + 1):
            return []
        found = []
        if self.inputs:
            most = max(self.inputs // part, SMALLEST)
            found.append(self._shortened(at, use, most, newest=newest))
        found.append(self._slimmed(at, use, kept, max(self.limit // part, SMALLEST)))
        return [edit for edit in found if edit is not None]

    def _shortened(self, at: Projection, use: ToolUse, most: int, *, newest: bool) -> Edit | None:
        """The edit that shortens the arguments of a call; `None` where they stay as they are."""
        number, place = use.message, use.block
        call = at.history[number].blocks[place]
        if not isinstance(call, ToolCall) or call.server or not _touchable(at, number, place):
            return None
        if newest and not _succeeded(at.history, use):
            return None

        def make() -> _Form | None:
            return _shorter_call(at, call, most)

        return self._edit(at, ("slim inputs", most, at.counter), (number, place), make)

    def _slimmed(self, at: Projection, use: ToolUse, kept: Kept, limit: int) -> Edit | None:
        """The edit that slims the result of a use; `None` where it stays as it is."""
        assert use.result is not None
        number, place = use.result
        history = at.history
        block = history[number].blocks[place]
        if not isinstance(block, ToolResult) or block.server or not block.content:
            return None
        if not all(isinstance(part, Text) for part in block.content):
            return None
        if not _touchable(at, number, place):
            return None
        if kept.among(number, number + 1) and not only_words(history[number]):
            return None

        def make() -> _Form | None:
            return self._shorter_result(at, use, block, limit)

        return self._edit(at, ("slim", limit, self.fields, at.counter), use.result, make)

    # -- slimming ----------------------------------------------------------------------------

    def _edit(
        self,
        at: Projection,
        key: Hashable,
        where: tuple[int, int],
        make: Callable[[], _Form | None],
    ) -> Edit | None:
        """The edit for one block, its shorter form worked out once for each key."""
        made: dict[tuple[int, int], _Form | None] = at.history.derived(key, dict)
        if where not in made:
            made[where] = make()
        form = made[where]
        if form is None or form.saved < max(self.least, 1):
            return None
        number, place = where
        return Edit("slim", number, number + 1, (place,), form.text, form.reason)

    def _shorter_result(
        self, at: Projection, use: ToolUse, block: ToolResult, limit: int
    ) -> _Form | None:
        text = block.text
        if (len(text) <= limit and not self.fields) or is_cleared(block) or is_slimmed(text):
            return None
        text = prepared_text(at.history, text)
        call = at.history[use.message].blocks[use.block]
        form = shorter(text, tool=use.name, command=_asked(call), limit=limit, fields=self.fields)
        if form is None:
            return None
        counter = at.counter
        size = counter.block(block)
        whole = f"{size:,} {counter.unit}"
        stands = slimmed(form.text, form.what, whole, id_alone(at.history, block))
        saved = size - counter.block(cleared_block(block, stands))
        return _Form(stands, f"{form.what}: {form.dropped_lines:,} lines left out", saved)


@dataclass(frozen=True, slots=True)
class _Form:
    """A shorter form: the text that stands, why, and what it saves in the counter's unit."""

    text: str
    reason: str
    saved: int


def _shorter_call(at: Projection, call: ToolCall, most: int) -> _Form | None:
    given = call.input
    try:
        source = given if isinstance(given, str) else as_json(given)
    except (TypeError, ValueError, RecursionError):  # a caller's own value, no JSON
        return None
    if len(source) <= most:
        return None
    history, counter = at.history, at.counter
    free_form = _is_free_form(call)
    id = id_alone(history, call)
    form = shorter_arguments(prepared_text(history, source), most, id, free_form=free_form)
    if form is None:
        return None
    saved = counter.block(call) - counter.block(cleared_block(call, form.text))
    return _Form(form.text, f"arguments: {form.dropped:,} characters left out", saved)


def _touchable(at: Projection, number: int, place: int) -> bool:
    """The block is in the context as it was."""
    return at.live(number) and not any(place in edit.blocks for edit in at.edits_of(number))


def _succeeded(history: History, use: ToolUse) -> bool:
    """The result does not say otherwise."""
    if use.result is None:
        return False
    result = history[use.result[0]].blocks[use.result[1]]
    return isinstance(result, ToolResult) and not is_cleared(result) and not failed(result, True)


def _is_free_form(call: ToolCall) -> bool:
    """Its tool takes plain text, by the kind of the call."""
    return isinstance(call.raw, Mapping) and call.raw.get("type") in _FREE_FORM


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
