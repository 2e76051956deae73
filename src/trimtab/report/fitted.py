"""Tables that fit the terminal: text is shortened, then columns are left out; figures and ids are
never cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.measure import Measurement
    from rich.text import Text

FOLDED = 100
"""Columns of text that goes on in a further line."""
_BETWEEN = 3
_LEAST = 10
"""Columns of a shortened text; with fewer it says nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        right: figures stand flush right.
        style: as `rich` names it.
        yields: its text is shortened where the terminal is narrow.
        folds: its text goes on in a further line there.
        spare: left out where nothing else helps; the highest number first. 0 is never left out.
    """

    title: str
    right: bool = False
    style: str = ""
    yields: bool = False
    folds: bool = False
    spare: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table for `rich` to print, laid out when it is known how much room there is.

    Attributes:
        rows: the cells as `rich` text.
        ends: the numbers of the rows that end a group.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]
    ends: Sequence[int] = ()

    def widths(self) -> list[int]:
        """The columns' own widths."""
        from rich.cells import cell_len

        found = []
        for at, column in enumerate(self.columns):
            lines = column.title.splitlines()
            for row in self.rows:
                lines += row[at].plain.splitlines()
            widest = max(map(cell_len, lines), default=0)
            found.append(min(widest, FOLDED) if column.folds else widest)
        return found

    def fit(self, room: int) -> dict[int, int]:
        """The columns that are shown, by number, and their widths."""
        own = dict(enumerate(self.widths()))
        least = {
            at: min(width, _LEAST) if self.columns[at].yields or self.columns[at].folds else width
            for at, width in own.items()
        }
        while _total(least) > room:
            spare = max(least, key=lambda at: (self.columns[at].spare, at))
            if not self.columns[spare].spare:
                break
            del least[spare]
        left = room - _total(least)
        for at in least:  # those that were held short get what is left, the first one first
            more = min(own[at] - least[at], max(left, 0))
            least[at] += more
            left -= more
        return least

    @property
    def width(self) -> int:
        """The room that all of it needs."""
        return _total(dict(enumerate(self.widths())))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        width = min(self.width, options.max_width)
        return Measurement(width, width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.box import Box
        from rich.table import Table
        from rich.text import Text

        rule = Box("    \n    \n ── \n    \n    \n ── \n    \n    \n")
        made = Table(box=rule, pad_edge=False, show_edge=False, header_style="dim")
        shown = self.fit(options.max_width)
        for at, width in shown.items():
            column = self.columns[at]
            made.add_column(
                Text(column.title),
                justify="right" if column.right else "left",
                style=column.style,
                no_wrap=not column.folds,
                overflow="fold" if column.folds else "ellipsis",
                width=width,
            )
        for number, row in enumerate(self.rows):
            cells: list[Any] = [row[at] for at in shown]
            made.add_row(*cells, end_section=number in self.ends)
        yield made


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + _BETWEEN * max(len(widths) - 1, 0)
