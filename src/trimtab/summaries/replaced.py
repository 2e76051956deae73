"""Statements that a later statement of the history replaces: same subject, another value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.summaries.choosing import alike
from trimtab.summaries.cues import OTHER, REPEATED
from trimtab.summaries.statements import Statement, statements

Place = tuple[int, int, int, int]

_RANK = {"user": 2, "summary": 2, "assistant": 1}
"""Who may correct whom: nobody but the user corrects what the user said. A summary counts as the
user: it holds what the user said."""


@dataclass(slots=True)
class _Replaced:
    length: int = -1
    places: dict[Place, Place] = field(default_factory=dict)


def replaced(history: History) -> dict[Place, Place]:
    """The place of each statement that a later one replaces -> the place of that one.

    A place is message, block and the span of the block's text. Read anew only when the history
    has grown.
    """
    index = history.derived("replaced statements", _Replaced)
    if index.length != len(history):
        known = [s for s in statements(history) if _states(s)]
        index.places = {
            _place(known[earlier]): _place(known[later])
            for earlier, later in replacing(known).items()
        }
        index.length = len(history)
    return index.places


def _states(statement: Statement) -> bool:
    """It may say how something is: not what a tool put out, nor a model's account of its work."""
    if statement.role == "assistant":
        return statement.weight > OTHER and statement.section != "progress"
    return statement.role in _RANK and statement.weight > REPEATED


def replacing(known: Sequence[Statement]) -> dict[int, int]:
    """The number of each statement that a later one replaces -> the number of that one.

    Lines of one summary never replace each other: they held together when it was made, and their
    order in it is not the order in which they were said. Nor does the same said again.
    """
    from trimtab.summaries.subjects import superseded

    found = superseded(
        [s.text for s in known],
        roles=["user" if s.role == "summary" else s.role for s in known],
    )
    result: dict[int, int] = {}
    for earlier in found:
        later = found[earlier]
        while _together(known[earlier], known[later]) and later in found:
            later = found[later]
        if _together(known[earlier], known[later]):
            continue
        if _RANK[known[later].role] >= _RANK[known[earlier].role]:
            result[earlier] = later
    return result


def _together(one: Statement, other: Statement) -> bool:
    if alike(one.text) == alike(other.text):
        return True  # said again; whichever stays says the same
    return (
        one.role == other.role == "summary"
        and one.message == other.message
        and one.block == other.block
    )


def _place(statement: Statement) -> Place:
    return statement.message, statement.block, statement.start, statement.end
