"""Which of many alike rows stand out: another shape, extremes, empty or failing cells, the rare."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

Row = Mapping[str, str]
"""A row's cells as text, by column."""

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?")
_EMPTY = frozenset(("", "null", "none", "nan", "n/a", "na", "-", "\\n", "<null>", "(null)"))
_FAILING = re.compile(
    r"\b(?:errors?|fail(?:ed|ure)?|exception|invalid|timeout|denied|rejected|critical|fatal|unknown"
    r"|disputed|overdue|crash\w*|missing|5\d\d)\b|エラー|失敗|不正|異常|期限切れ",
    re.IGNORECASE,
)
_KINDS = 12
"""A column with at most so many different cells is one of kinds."""
_RARE = 0.02


def outliers(rows: Sequence[Row]) -> dict[int, str]:
    """The rows that stand out, each with what it stands out by."""
    found: dict[int, str] = {}
    if len(rows) < 5:
        return found
    columns: dict[str, list[tuple[int, str]]] = defaultdict(list)
    shapes = Counter(frozenset(row) for row in rows)
    usual = shapes.most_common(1)[0]
    for at, row in enumerate(rows):
        if usual[1] > len(rows) * 0.8 and frozenset(row) != usual[0]:
            found.setdefault(at, "shape")
        for name, cell in row.items():
            columns[name].append((at, cell))
    for name, cells in columns.items():
        _of_column(name, cells, len(rows), found)
    return found


def _of_column(name: str, cells: list[tuple[int, str]], count: int, found: dict[int, str]) -> None:
    empty = [at for at, cell in cells if cell.strip().lower() in _EMPTY]
    if 0 < len(empty) <= max(3, count * _RARE):
        for at in empty:
            found.setdefault(at, "empty")
    numbers: list[tuple[float, int]] = []
    others: list[tuple[int, str]] = []
    for at, cell in cells:
        said = cell.strip()
        if _NUMBER.fullmatch(said[:40]) and len(said) < 40:
            numbers.append((float(said.replace(",", "")), at))
        elif said.lower() not in _EMPTY:
            others.append((at, said))
    if len(numbers) > 0.8 * count:
        low, high = min(numbers), max(numbers)
        if low[0] != high[0] and not _counting(numbers):
            found.setdefault(low[1], "lowest")
            found.setdefault(max(numbers, key=lambda n: (n[0], -n[1]))[1], "highest")
        for at, _ in others[:3]:
            found.setdefault(at, "shape")
        return
    kinds = Counter(cell for _, cell in others)
    few = len(kinds) <= _KINDS
    for at, cell in others:
        if few and len(kinds) > 1 and kinds[cell] <= max(1, count * _RARE):
            found.setdefault(at, "rare")
        elif kinds[cell] <= max(3, count * 0.1) and _FAILING.search(cell[:300]):
            found.setdefault(at, "failing")


def _counting(numbers: list[tuple[float, int]]) -> bool:
    """The column only counts the rows, so that its ends are the first and the last."""
    values = [value for value, _ in numbers]
    return values == sorted(values) and len(set(values)) == len(values)
