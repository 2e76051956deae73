"""What a section of the benchmark returns: figures with their units, ready for JSON."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Aim(TypedDict):
    """A figure that has an aim.

    `figure` and `aim` are in `unit`; `met` says whether the figure is on the right side of it.
    """

    what: str
    figure: float
    unit: str
    aim: str
    met: bool


class Section(TypedDict):
    """One section.

    `rows` are the figures, one dict each with the same keys; `units` gives the unit of each
    column that has one. `skipped` says why there are none.
    """

    title: str
    about: str
    rows: list[dict[str, Any]]
    units: dict[str, str]
    aims: list[Aim]
    skipped: NotRequired[str]


def at_most(what: str, figure: float, limit: float, unit: str) -> Aim:
    """An aim that is met by a figure of `limit` or less."""
    return Aim(
        what=what,
        figure=rounded(figure),
        unit=unit,
        aim=f"at most {limit:g}",
        met=figure <= limit,
    )


def at_least(what: str, figure: float, limit: float, unit: str) -> Aim:
    """An aim that is met by a figure of `limit` or more."""
    return Aim(
        what=what,
        figure=rounded(figure),
        unit=unit,
        aim=f"at least {limit:g}",
        met=figure >= limit,
    )


def rounded(figure: float) -> float:
    """A figure to three significant digits: a timing has no more."""
    return float(f"{figure:.3g}")
