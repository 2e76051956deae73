"""Outcomes that a later one of the same kind made old: of every check the newest holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.summaries.results import CHECKS, count_of, fails, trouble
from trimtab.summaries.statements import Statement, statements

Place = tuple[int, int, int, int]


@dataclass(slots=True)
class _Stale:
    length: int = -1
    places: set[Place] = field(default_factory=set)


def stale_outcomes(history: History) -> set[Place]:
    """Places of statements whose outcome is no longer how it is.

    Read anew only when the history has grown.
    """
    index = history.derived("stale outcomes", _Stale)
    if index.length != len(history):
        index.places = _stale([s for s in statements(history) if s.topic])
        index.length = len(history)
    return index.places


def _stale(known: list[Statement]) -> set[Place]:
    """From the newest to the oldest.

    A run of tests is old when a later one had at least as many cases, so that a run of one file
    does not hide that of all. Details of a failure hold as long as the outcome that they are of;
    where there is none, until anything newer is known.
    """
    places: set[Place] = set()
    widest: dict[str, int] = {}
    seen: dict[str, int] = {}  # the newest message that tells of a topic
    standing: dict[tuple[int, int], bool] = {}  # results with an outcome that holds: it failed
    details_of = -1
    clean = False
    for statement in reversed(known):
        topic, at = statement.topic, statement.message
        place = (at, statement.block, statement.start, statement.end)
        if statement.role == "summary":
            if seen.get(topic, at) > at:
                places.add(place)
        elif statement.role == "assistant":
            if seen.setdefault(f"said {topic}", at) > at:
                places.add(place)
            seen.setdefault(topic, at)
        elif topic in CHECKS:
            count = count_of(statement.text) if topic == "tests" else 0
            if topic in widest and count <= widest[topic]:
                places.add(place)
            else:
                widest[topic] = count
                standing[at, statement.block] = fails(statement.text)
            clean = clean or not fails(statement.text)
            seen.setdefault(topic, at)
        elif topic == "acts":
            if clean and trouble(statement.text):
                places.add(place)  # all passed since
        elif topic.startswith("changed ") and seen.setdefault(topic, at) > at:
            places.add(place)
    checked = {(s.message, s.block) for s in known if s.role == "tool" and s.topic in CHECKS}
    newest = max(seen.values(), default=-1)
    for statement in reversed(known):
        if statement.topic != "detail":
            continue
        result = (statement.message, statement.block)
        if result in checked:
            holds = standing.get(result, False)
        else:
            details_of = details_of if details_of >= 0 else statement.message
            holds = statement.message == details_of and newest <= details_of
        if not holds:
            places.add((*result, statement.start, statement.end))
    return places
