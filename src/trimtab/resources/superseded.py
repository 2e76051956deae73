"""Which observations are stale: seen again, or changed, later.

A newer observation replaces an older one of the same resource that it covers: the whole covers
everything, a range covers what lies in it. A result that was cut short replaces only one that was
cut short too. A change makes all that was seen before stale. Calls of one group count in the
order of the calls. What is stale stays stale: with every new message the list only grows.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.resources.defaults import DEFAULT
from trimtab.resources.observations import Observation, observations
from trimtab.resources.rules import Rules
from trimtab.resources.spans import covers

_SNAPSHOT = 4
"""A view replaces one that is at most so many times as long: an acknowledgement replaces none."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A result whose observations are all stale.

    Attributes:
        message, block: where the result is.
        observations: what it shows.
        by: the observation that made the last of them stale.
    """

    message: int
    block: int
    observations: tuple[Observation, ...]
    by: Observation

    @property
    def what(self) -> str:
        """What it shows, for people."""
        return ", ".join(dict.fromkeys(seen.shown for seen in self.observations))

    @property
    def reason(self) -> str:
        """Why it is stale, in one line."""
        what = self.what if len(self.what) <= 120 else self.what[:119] + "…"
        if self.by.kind == "write":
            return f"{what} was changed by message {self.by.message}"
        return f"{what} was seen again in message {self.by.result[0]}"


def superseded_observations(
    history: History, rules: Rules = DEFAULT, *, keep: int = 1, changes: bool = True
) -> Sequence[Superseded]:
    """The results of `history` that are stale, in the order in which they became so.

    Args:
        rules: as `rules_of` gives them.
        keep: how many later observations or changes it takes.
        changes: a change alone counts; else only what was seen again does.
    """
    key = ("superseded", rules, keep, changes)
    index = history.derived(key, lambda: _Index(rules, keep, changes))
    index.refresh(history)
    return index.found


def replaces(new: Observation, old: Observation, changes: bool = True) -> bool:
    """`old` is stale now that there is `new`, a later observation of the same resource."""
    if (new.message, new.block) == (old.message, old.block):
        return False
    if new.kind == "write":
        return changes or (new.whole and not _acknowledges(new, old))
    if new.kind == "view":
        return not _acknowledges(new, old)
    if not new.whole:
        return (
            not old.whole and old.kind == "read" and new.span == old.span and new.size >= old.size
        )
    if old.kind == "write":
        return new.span is None
    return covers(new.span, old.span)


def _acknowledges(new: Observation, old: Observation) -> bool:
    """It says that something was done and shows nothing."""
    return new.size * _SNAPSHOT < old.size


@dataclass(slots=True)
class _Live:
    seen: Observation
    count: int = 0


@dataclass(slots=True)
class _Index:
    rules: Rules
    keep: int
    changes: bool
    found: list[Superseded] = field(default_factory=list)
    taken: int = 0
    live: dict[str, list[_Live]] = field(default_factory=dict)
    events: dict[str, list[Observation]] = field(default_factory=dict)
    shown: dict[tuple[int, int], list[Observation]] = field(default_factory=dict)
    left: dict[tuple[int, int], int] = field(default_factory=dict)

    def refresh(self, history: History) -> None:
        every = observations(history, self.rules)
        new = every[self.taken :]
        self.taken = len(every)
        for seen in new:
            self.shown.setdefault(seen.result, []).append(seen)
            self.left[seen.result] = self.left.get(seen.result, 0) + 1
        for seen in new:
            self._take(seen)

    def _take(self, new: Observation) -> None:
        key = _key(new)
        live = self.live.setdefault(new.resource, [])
        kept = []
        for old in live:
            if _key(old.seen) < key and replaces(new, old.seen, self.changes):
                old.count += 1
                if old.count >= self.keep:
                    self._dead(old.seen, new)
                    continue
            kept.append(old)
        mine = _Live(new)
        by = None
        events = self.events.setdefault(new.resource, [])
        at = len(events)
        while at and _key(events[at - 1]) > key:  # a late answer: others came after its call
            at -= 1
            if replaces(events[at], new, self.changes):
                mine.count += 1
                by = events[at]
        insort(events, new, key=_key)
        if by is not None and mine.count >= self.keep:
            self._dead(new, by)
        else:
            kept.append(mine)
        self.live[new.resource] = kept

    def _dead(self, old: Observation, by: Observation) -> None:
        place = old.result
        self.left[place] -= 1
        if not self.left[place]:
            self.found.append(Superseded(*place, tuple(self.shown.pop(place)), by))


def _key(seen: Observation) -> tuple[int, int]:
    return seen.message, seen.block
