"""Tables and consoles for people: `rich`, loaded when something is printed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from trimtab.report.fitted import Column, Fitted
from trimtab.report.plain import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

UNBOUNDED = 10_000
"""Columns where nobody's terminal is in the way: nothing is wrapped or cut off."""
PLAIN_WIDTH = 100
"""Columns of charts and bars there."""
_BARS = " ▏▎▍▌▋▊▉█"


def console(file: TextIO | None = None) -> Console:
    """Where people read: as wide as the terminal, or without limit where it is none.

    Colours only in a terminal, and not with `NO_COLOR` (https://no-color.org).
    """
    from rich.console import Console

    made = Console(file=file or sys.stdout, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made = Console(
            file=file or sys.stdout,
            highlight=False,
            markup=False,
            emoji=False,
            width=UNBOUNDED,
            no_color=True,
        )
    return made


def show(to: Console, *parts: RenderableType) -> None:
    """Print each part; where there is no terminal, without the blanks that pad tables."""
    for part in parts:
        if to.is_terminal:
            to.print(part)
            continue
        with to.capture() as captured:
            to.print(part)
        lines = captured.get().splitlines()
        to.file.write("".join(line.rstrip() + "\n" for line in lines))


def room(to: Console) -> int:
    """Columns for charts, bars and layouts."""
    if to.width < UNBOUNDED:
        return to.width
    import os

    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdigit() and int(given) >= 20 else PLAIN_WIDTH


def coloured(to: Console) -> bool:
    """Whether colours can be told apart there."""
    return to.is_terminal and not to.no_color and to.color_system is not None


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[object]],
    *,
    title: str = "",
    ends: Sequence[int] = (),
) -> RenderableType:
    """A table without frames; cells are plain text, figures, or what `cell` made.

    Args:
        title: stands above it.
        ends: the numbers of the rows that end a group.
    """
    from rich.console import Group

    made = Fitted(columns, [[cell(value) for value in row] for row in rows], ends)
    if not title:
        return made
    return Group(cell(title, "bold"), made)


def cell(value: object, style: str = "") -> Text:
    """Text as it is, without markup; figures with their commas; what `rich` made stays."""
    from rich.text import Text

    if isinstance(value, Text):
        return value
    if isinstance(value, int):
        return Text(f"{value:,}", style=style)
    return Text("" if value is None else printable(str(value)), style=style)


def beside(left: RenderableType, right: RenderableType, width: int, needs: int) -> RenderableType:
    """Two things side by side where there is room for both, else one below the other."""
    from rich.console import Group
    from rich.table import Table

    if width < needs:
        return Group(left, "", right)
    grid = Table.grid(padding=(0, 4, 0, 0))
    grid.add_row(left, right)
    return grid


def flow(entries: Iterable[Text], between: str, width: int) -> Iterator[Text]:
    """Entries one after the other, on as many lines as they need; none is broken in two."""
    from rich.text import Text

    line = Text()
    for entry in entries:
        if line and line.cell_len + len(between) + entry.cell_len > width:
            yield line
            line = Text()
        line += Text(between, "dim") + entry if line else entry
    if line:
        yield line


def bar(rate: float, width: int, colour: str = "") -> Text:
    """A bar of `rate` (0..1) of `width` columns."""
    from rich.text import Text

    eighths = max(round(min(max(rate, 0.0), 1.0) * width * 8), 1 if rate > 0 else 0)
    full, part = divmod(eighths, 8)
    return Text("█" * full + (_BARS[part] if part else ""), style=colour)
