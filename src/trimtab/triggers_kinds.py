"""The four triggers. Each is a frozen dataclass whose fields are the parameters of its spec."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import ClassVar, Protocol

from trimtab.context.budget import parse_size
from trimtab.errors import UsageError
from trimtab.triggers_cache import cache_lifetime
from trimtab.triggers_overflow import Overflow, is_overflow, overflow_size
from trimtab.triggers_results import largest_result
from trimtab.triggers_stage import boundary_at_end
from trimtab.triggers_state import Fired, State, TriggerKind

Size = str | int
"""A size as people write it: `100k`, or `70%` of the window."""

MARGIN = "10%"
LEAST = "5%"


class Trigger(Protocol):
    """Says when a policy runs."""

    name: ClassVar[str]

    def fires(self, state: State) -> Fired | None:
        """The reason to run the policy now, with the size to come down to; `None`: not now."""
        ...


@dataclass(frozen=True, slots=True)
class Tokens:
    """The context has grown above a size.

    Args:
        at: the size, or a share of the window (the budget's limit). What the hard budget leaves
            is the most: a trigger above it is that.
        margin: how far below `at` the context must be afterwards: a share of `at`, or a size.
        least: a compaction that frees less than this is not done, and none is tried before so
            much new content has come: a share of the window, or a size.
    """

    at: Size = field(default="80%", metadata={"bare": True})
    margin: Size = MARGIN
    least: Size = LEAST

    name: ClassVar[str] = "tokens"

    def __post_init__(self) -> None:
        _check(self)

    def fires(self, state: State) -> Fired | None:
        """Fires above the size."""
        return _above(self, state, self.at, "tokens", "the context holds")


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the work is finished: the best moment to make room.

    Args:
        detect: not only where `finish_stage` says so, but also where the history shows it: tests
            pass after edits, a commit, an item of the plan ticked off.
        at: below this size there is nothing worth doing: a size, or a share of the window.
        margin, least: as for `tokens`.
    """

    detect: bool = field(default=False, metadata={"bare": True})
    at: Size = "50%"
    margin: Size = MARGIN
    least: Size = LEAST

    name: ClassVar[str] = "stage"

    def __post_init__(self) -> None:
        _check(self)

    def fires(self, state: State) -> Fired | None:
        """Fires at the end of a stage, if the context is large enough."""
        if state.stage is not None:
            note = " ".join(state.stage.split())
            why = f"a stage is finished: {note:.120}" if note else "a stage is finished"
        elif self.detect and (found := boundary_at_end(state.history)) is not None:
            why = found.reason
        else:
            return None
        return _above(self, state, self.at, "stage", f"{why}; the context holds")


@dataclass(frozen=True, slots=True)
class Pressure:
    """The window is about to be full, or the provider has said that it is.

    Fires when what is left of the window does not hold another tool result as large as the
    largest of the last ones, and the answer; and after an error of the provider that means the
    context is too long.

    Args:
        results: how many of the newest tool results are looked at. A result counts as at most
            half of what the budget leaves: for a larger one no room can be kept.
        answer: room for the answer: a size, or a share of the window; `None`: the budget's
            reserve.
        margin: how far below that the context must be afterwards: a share of it, or a size.
        least: as for `tokens`.
    """

    results: int = 5
    answer: Size | None = None
    margin: Size = MARGIN
    least: Size = LEAST

    name: ClassVar[str] = "pressure"

    def __post_init__(self) -> None:
        _check(self)
        if self.results < 0:
            raise UsageError(f"trigger pressure: results must be 0 or more, not {self.results}")

    def fires(self, state: State) -> Fired | None:
        """Fires when the room is not there."""
        if state.overflow is not None and is_overflow(state.overflow):
            return self._refused(state, overflow_size(state.overflow))
        window = state.budget.limit
        answer = self._answer(state)
        room = max(window - answer, 1)
        largest = min(largest_result(state.projection, self.results), room // 2)
        at = max(room - largest, 1)
        least = _amount(self.least, window)
        if state.used <= at or _too_soon(state, least):
            return None
        reason = (
            f"{window - state.used:,} of the window left, less than the largest of the last "
            f"{self.results} results ({largest:,}) and the answer ({answer:,})"
        )
        return Fired("pressure", reason, _goal(at, self.margin), max(least, 1))

    def _answer(self, state: State) -> int:
        window, reserve = state.budget.limit, state.budget.reserve
        if self.answer is None:
            return reserve
        return min(max(_amount(self.answer, window), reserve), window - 1)

    def _refused(self, state: State, said: Overflow | None) -> Fired | None:
        """What the provider refused must shrink; each further refusal halves what is aimed at.

        Without new content, and after an attempt that did not come down to its goal, there is
        nothing left to try.
        """
        window, last = state.budget.limit, state.last
        least = _amount(self.least, window)
        goal = min(state.used, max(window - self._answer(state), 1))
        reason = "the provider refused the context as too long"
        if said is not None and said.limit > 0:
            room = max(said.limit - max(said.answer, self._answer(state)), said.limit // 4, 1)
            # The provider counts otherwise than we do: its own figures give the share to keep.
            share = state.used * room // said.size if said.size > 0 else room
            goal = min(goal, share)
            reason += f": {said.size:,} of {said.limit:,}" if said.size else f" for {said.limit:,}"
        if last is not None and last.kind == "overflow" and last.messages == len(state.history):
            if last.outcome != "done":
                return None
            goal = min(goal, last.after // 2)
        return Fired("overflow", reason, _goal(max(goal, 1), self.margin), max(least, 1), must=True)


@dataclass(frozen=True, slots=True)
class Cold:
    """The prompt cache has expired, so that rewriting the context costs nothing extra.

    Args:
        at: below this size there is nothing worth doing: a size, or a share of the window.
        after: the cache's life in minutes; `None`: the provider's (5 minutes for Anthropic, an
            hour where that was asked for; 10 minutes for others, or what was asked for).
        margin, least: as for `tokens`.
    """

    at: Size = field(default="30%", metadata={"bare": True})
    after: float | None = None
    margin: Size = MARGIN
    least: Size = LEAST

    name: ClassVar[str] = "cold"

    def __post_init__(self) -> None:
        _check(self)
        if self.after is not None and not 0 <= self.after < float("inf"):
            raise UsageError(f"trigger cold: after must be minutes, 0 or more, not {self.after}")

    def fires(self, state: State) -> Fired | None:
        """Fires when the last call is longer ago than the cache lives."""
        if state.now is None or state.last_call is None:
            return None
        life = cache_lifetime(state.history) if self.after is None else self.after * 60
        idle = state.now - state.last_call
        if idle <= life:
            return None
        why = f"the prompt cache is cold ({_minutes(idle)} since the last call, it lives "
        why += f"{_minutes(life)}); the context holds"
        return _above(self, state, self.at, "cold", why)


KINDS: dict[str, type[Tokens | Stage | Pressure | Cold]] = {
    "tokens": Tokens,
    "stage": Stage,
    "pressure": Pressure,
    "cold": Cold,
}
"""All triggers by name."""


def _above(
    trigger: Tokens | Stage | Cold, state: State, at: Size, kind: TriggerKind, why: str
) -> Fired | None:
    """Fires if the context is larger than `at` and enough came since the last attempt."""
    window = state.budget.limit
    size = min(_amount(at, window), state.budget.available)
    least = _amount(trigger.least, window)
    if state.used <= size or _too_soon(state, least):
        return None
    reason = f"{why} {state.used:,} {state.budget.unit}, more than {size:,}"
    return Fired(kind, reason, _goal(size, trigger.margin), max(least, 1))


def _too_soon(state: State, least: int) -> bool:
    """Since the last attempt too little has come to make another one worth it."""
    new = state.new
    return new is not None and new < max(least, 1)


def _goal(at: int, margin: Size) -> int:
    return max(at - _amount(margin, at), 1)


def _amount(value: Size, whole: int) -> int:
    """A size in numbers; a share is of `whole`, rounded down."""
    text = str(value)
    if re.fullmatch(r"\s*0+(?:\.0+)?\s*[%％]?\s*", text):
        return 0
    if text.rstrip().endswith(("%", "％")):
        return parse_size(text, whole=whole * 1_000_000) // 1_000_000
    return parse_size(text)


def _check(trigger: Tokens | Stage | Pressure | Cold) -> None:
    """Each size is one, and each share at most the whole.

    Raises:
        UsageError: one is not.
    """
    for f in fields(trigger):
        if f.name not in ("at", "margin", "least", "answer"):
            continue
        value = getattr(trigger, f.name)
        if value is None and f.name == "answer":
            continue
        where = f"trigger {trigger.name}: {f.name}"
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise UsageError(f"{where} must be a size such as 100k or 70%, not {value!r:.60}")
        try:
            share = _amount(value, 100)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from error
        if "%" in str(value) or "％" in str(value):
            most = 100 if f.name == "at" else 99
            if share > most:
                raise UsageError(f"{where} must be a share of at most {most}%, not {value}")
        if f.name == "at" and share == 0:
            raise UsageError(f"{where} must be above 0, not {value}")


def _minutes(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
