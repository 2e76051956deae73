"""Tables: the header, the first and last rows, and the rows that stand out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from trimtab.slimming.alarms import EXIT, alarming
from trimtab.slimming.outliers import outliers
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP
from trimtab.slimming.slimmed import Slimmed

_LEAST = 8
_RULE = re.compile(r"[\s|+:=_─┼├┤┬┴╪═│┌┐└┘╞╡-]+$")
_GAP = re.compile(r" {2,}|\t+")
_FOOT = re.compile(
    r"\(?\d[\d,]* rows?\b.*\)?$|Time: |\d+ rows? in set|total\b|sum\b|合計", re.IGNORECASE
)
Cells = Callable[[str], list[str]]


def table(page: Page) -> Slimmed | None:
    """CSV, TSV, Markdown, psql or ASCII tables, and columns aligned by spaces."""
    lines = page.bare
    said = [
        line[:2_000]
        for line in (lines if len(lines) <= 2_000 else [*lines[:1_500], *lines[-500:]])
        if line.strip() and not _RULE.match(line[:2_000])
    ]
    if len(said) < _LEAST:
        return None
    for name, cells in _WAYS.items():
        counts = Counter(len(cells(line)) for line in said)
        columns, rows = counts.most_common(1)[0]
        if columns < 2 or rows < 0.8 * len(said):
            continue
        if name == "columns" and (columns < 3 or not _aligned(said, cells, columns)):
            continue
        if name == "comma-separated table" and not _tabular(said, cells, columns):
            continue
        return _sampled(page, name, cells, columns)
    return None


def _sampled(page: Page, name: str, cells: Cells, columns: int) -> Slimmed | None:
    sheet = page.sheet(6, "rows")
    rows: list[dict[str, str]] = []
    places: list[int] = []
    header = True
    for at, line in enumerate(page.bare):
        if sheet.ranks[at] == DROP:
            if sheet.labels[at] == "more of the line above":
                sheet.mark(at, 6, "rows")
            continue
        short = line[:2_000]
        if not line.strip() or (_RULE.match(short) and not header):
            sheet.mark(at, 8, "lines")
        elif _RULE.match(short):
            sheet.mark(at, 0)
        elif header:
            header = False
            sheet.mark(at, 0)
        elif len(row := cells(short)) == columns:
            rows.append({str(n): cell for n, cell in enumerate(row)})
            places.append(at)
            if _FOOT.match(row[0].strip()):
                sheet.mark(at, 1)
        else:
            told = alarming(short) or EXIT.search(short) or _FOOT.match(short.strip())
            sheet.mark(at, 1 if told else 2, "lines")
    rules = [at for at, line in enumerate(page.bare[:6]) if line.strip() and _RULE.match(line)]
    for at in rules[:2]:
        sheet.mark(at, 0)
    for standing in outliers(rows):
        if sheet.ranks[places[standing]] > 2:
            sheet.mark(places[standing], 2)
    for at in (*places[:3], *places[-2:]):
        sheet.mark(at, min(sheet.ranks[at], 1))
    return page.fit(sheet, name)


def _split(mark: str) -> Cells:
    def cells(line: str) -> list[str]:
        if '"' not in line:
            return line.split(mark)
        parts: list[str] = []
        held = ""
        for part in line.split(mark):
            held = f"{held}{mark}{part}" if held else part
            if held.count('"') % 2 == 0:
                parts.append(held)
                held = ""
        return [*parts, held] if held else parts

    return cells


def _bars(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"[|│┃]", line.strip().strip("|│┃"))]


def _spaced(line: str) -> list[str]:
    return _GAP.split(line.strip())


_WAYS: dict[str, Cells] = {
    "table": _bars,
    "tab-separated table": lambda line: line.split("\t"),
    "semicolon-separated table": _split(";"),
    "comma-separated table": _split(","),
    "columns": _spaced,
}


def _tabular(said: list[str], cells: Cells, columns: int) -> bool:
    """Lines with commas are prose or code if their cells are long or end in brackets."""
    rows = [row for row in map(cells, said[:200]) if len(row) == columns]
    length = sum(len(cell) for row in rows for cell in row) / max(1, len(rows) * columns)
    code = sum(1 for line in said[:200] if line.rstrip().endswith((",", "{", "}", "(", ";", ")")))
    return length < 60 and code < 0.3 * min(len(said), 200) and (columns > 2 or length < 30)


def _aligned(said: list[str], cells: Cells, columns: int) -> bool:
    """Columns begin or end at the same places in nearly all rows."""
    rows = [line for line in said[:200] if len(cells(line)) == columns]
    ends = Counter(
        place for line in rows for match in _GAP.finditer(line) for place in match.span()
    )
    steady = sum(1 for count in ends.values() if count >= 0.7 * len(rows))
    return steady >= columns - 1
