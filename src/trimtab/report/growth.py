"""The growth of a window as a chart of characters: for the terminal, as wide as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trimtab.report.pieces import PARTS
from trimtab.report.plain import short
from trimtab.report.turns import Turn

HEIGHT = 10
WIDEST = 6
"""Columns of a turn where there are few."""
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_REPORTED = "·"
_EMPTY = -1


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of one look: `part` fills them from below, `behind` is above it in the cell.

    Both are numbers in `PARTS`; -1 is nothing.
    """

    text: str
    part: int = _EMPTY
    behind: int = _EMPTY


def growth(
    turns: Sequence[Turn], width: int, *, stacked: bool, height: int = HEIGHT
) -> list[list[Span]]:
    """The window at each call of the model, from the first turn to the last.

    Args:
        width: columns that the chart may take.
        stacked: tell the parts apart by colour; without it, one area.
        height: rows of the plot.

    Returns:
        Rows of spans, from the top: the plot with its scale, the axis, the marks.
    """
    if not turns:
        return []
    top = max(max(t.size, t.reported.context if t.reported else 0) for t in turns) or 1
    margin = max(len(short(top)), len(short(top / 2))) + 1
    columns = max(min(width - margin - 1, max(len(turns) * WIDEST, 24)), 8)
    shown = [turns[at * len(turns) // columns] for at in range(columns)]
    scale = height * 8 / top
    cells = [_column(turn, scale, height, stacked) for turn in shown]
    rows = []
    for row in range(height - 1, -1, -1):
        label = (
            short(top) if row == height - 1 else short(top / 2) if row == height // 2 - 1 else ""
        )
        axis = "┤" if label else "│"
        rows.append([Span(f"{label:>{margin}}{axis}"), *_merged([c[row] for c in cells])])
    rows.append([Span(" " * (margin - 1) + "0└" + "─" * columns)])
    rows.append([Span(" " * (margin + 1) + _ends(len(turns), columns))])
    marks = _marks(turns, columns)
    if marks:
        rows.append([Span(" " * (margin + 1) + marks)])
    return rows


def _column(turn: Turn, scale: float, height: int, stacked: bool) -> list[Span]:
    """The cells of one column, from the bottom."""
    levels: list[int] = []
    for part, size in enumerate(turn.parts) if stacked else ((_EMPTY, turn.size),):
        total = sum(turn.parts[: part + 1]) if stacked else size
        levels += [part if stacked else 0] * (round(total * scale) - len(levels))
    if not levels and turn.size:
        levels = [0]
    reported = -1
    if turn.reported is not None and turn.reported.context:
        reported = min(int(turn.reported.context * scale) // 8, height - 1)
    return [_cell(levels[8 * row : 8 * row + 8], stacked, row == reported) for row in range(height)]


def _cell(levels: list[int], stacked: bool, reported: bool) -> Span:
    if not levels:
        return Span(_REPORTED if reported else " ")
    if not stacked:
        return Span(_EIGHTHS[len(levels)], 0)
    low = levels[0]
    run = next((n for n, part in enumerate(levels) if part != low), len(levels))
    above = levels[run:]
    if not above:
        return Span(_EIGHTHS[run], low)
    most = max(set(above), key=above.count)
    if len(levels) < 8:
        # Two parts and nothing above them: only two looks fit in a cell, so the larger one has it.
        return Span(_EIGHTHS[len(levels)], most if len(above) > run else low)
    return Span(_EIGHTHS[run], low, most)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if last is not None and (last.part, last.behind) == (span.part, span.behind):
            merged[-1] = Span(last.text + span.text, last.part, last.behind)
        else:
            merged.append(span)
    return merged


def _ends(turns: int, columns: int) -> str:
    left, right = "turn 1", f"{turns:,}"
    if turns < 2 or len(left) + len(right) + 1 > columns:
        return left
    return left + " " * (columns - len(left) - len(right)) + right


def _marks(turns: Sequence[Turn], columns: int) -> str:
    """A row that shows where the recorded agent compacted; empty where it never did."""
    row = [" "] * columns
    for at, turn in enumerate(turns):
        if turn.compacted:
            row[min(at * columns // len(turns), columns - 1)] = "▲"
    line = "".join(row).rstrip()
    return f"{line} compacted" if line else ""


def part_name(part: int) -> str:
    """The name of a part by its number."""
    return PARTS[part]
