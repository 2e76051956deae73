"""Any text: its head, its tail, and the lines of failure between."""

from __future__ import annotations

import re

from trimtab.slimming.alarms import EXIT, alarming
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP
from trimtab.slimming.slimmed import Slimmed

_DIGITS = re.compile(r"\b[0-9a-f]{7,}\b|\d+")
_HEAD, _TAIL = 3, 5
_ALIKE = 6
_BEGINNING = 24  # characters by which lines are alike, their digits aside
"""So many lines of one shape are enough to show the shape."""


def head_tail(page: Page) -> Slimmed | None:
    """The first and the last lines, lines of failure before others, few of each shape."""
    lines = page.lines
    sheet = page.sheet(6)
    ends = _ends(lines)
    shapes: dict[str, int] = {}
    for at, line in enumerate(lines):
        if sheet.ranks[at] == DROP:
            continue
        if not line.strip():
            sheet.mark(at, 8)
            continue
        shape = _DIGITS.sub("0", line[:80].strip())[:_BEGINNING]
        seen = shapes[shape] = shapes.get(shape, 0) + 1
        if at in ends:
            sheet.mark(at, 0 if len(line) < page.limit // 8 else 1)
        elif seen > _ALIKE:
            sheet.mark(at, 8, "alike lines")
        elif EXIT.search(line[:400]):
            sheet.mark(at, 1)
        elif alarming(line):
            sheet.mark(at, 2 if seen <= 2 else 4)
    return page.fit(sheet, "text")


def _ends(lines: list[str]) -> set[int]:
    said = [at for at, line in enumerate(lines) if line.strip()]
    return {*said[:_HEAD], *said[-_TAIL:]}
