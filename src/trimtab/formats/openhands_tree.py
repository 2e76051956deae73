"""The tree of an OpenHands log: since 2026 an event may name its parent, and a conversation that
was taken back goes on from an earlier event in the same log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from trimtab.formats.transcript import word

ROOT = "__root__"
"""The parent of an event that starts anew."""

Placed: TypeAlias = tuple[int | None, Mapping[str, Any]]


def branches(
    events: Sequence[Placed], leaf: str, told: Callable[[Mapping[str, Any]], bool]
) -> tuple[list[Placed], list[list[Placed]]]:
    """The events of the active branch, and those of each branch that was left, root first.

    Args:
        leaf: the id of the active branch's last event; empty for the last of the log.
        told: whether an event says something; a branch that says nothing is none.
    """
    parents = _parents(events)
    if parents is None and not leaf:
        return list(events), []
    above = parents or [n - 1 for n in range(len(events))]
    places = {word(event.get("id")): n for n, (_, event) in enumerate(events)}
    active = _path(above, places.get(leaf, len(events) - 1))
    covered = set(active)
    ends: list[int] = []
    for n in range(len(events) - 1, -1, -1):
        if n in covered or not told(events[n][1]):
            continue
        ends.append(n)
        at = n
        while at >= 0 and at not in covered:
            covered.add(at)
            at = above[at]
    left = [[events[n] for n in _path(above, end)] for end in reversed(ends)]
    return [events[n] for n in active], left


def _parents(events: Sequence[Placed]) -> list[int] | None:
    """The place of each event's parent, -1 for none; `None` where no event names one.

    An event that names none, or one that is not here, follows the one before it.
    """
    if not any(word(event.get("parent_id")) for _, event in events):
        return None
    places = {word(event.get("id")): n for n, (_, event) in enumerate(events)}
    found: list[int] = []
    for n, (_, event) in enumerate(events):
        parent = word(event.get("parent_id"))
        if parent == ROOT:
            found.append(-1)
        else:
            # A parent that comes later would lead in a circle.
            at = places.get(parent, n - 1)
            found.append(at if at < n else n - 1)
    return found


def _path(above: Sequence[int], end: int) -> list[int]:
    path: list[int] = []
    while end >= 0:
        path.append(end)
        end = above[end]
    return path[::-1]
