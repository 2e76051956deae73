"""Logs: errors and warnings, each shape once before its repeats; the rest by level and time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from trimtab.slimming.alarms import EXIT, alarming, warning
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Telling
from trimtab.slimming.slimmed import Slimmed

_TIME = re.compile(
    r"[\[(]?(?P<time>(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?\d\d:\d\d:\d\d"
    r"(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)"
)
_LEVEL = re.compile(
    r"\b(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|SEVERE|PANIC"
    r"|trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b(?=[\]:|\s\"])"
)
_ACCESS = re.compile(r"\S+ \S+ \S+ \[[^\]]{10,40}\] \"[^\"]{0,400}\" (?P<status>\d{3}) ")
_NAMES = {
    "warn": "warnings",
    "warning": "warnings",
    "err": "errors",
    "error": "errors",
    "fatal": "errors",
    "critical": "errors",
    "severe": "errors",
    "panic": "errors",
    "info": "info lines",
    "notice": "info lines",
    "debug": "debug lines",
    "trace": "trace lines",
}
_SHAPE = re.compile(r"\b[0-9a-f]{8,}\b|\d+|\"[^\"]{0,100}\"|'[^']{0,100}'")


def log(page: Page) -> Slimmed | None:
    """Lines that begin with a time, or say a level."""
    said = [line for line in page.sample if line.strip()]
    timed = sum(1 for line in said if _TIME.search(line[:48]))
    levelled = sum(1 for line in said if _LEVEL.search(line[:100]))
    visits = sum(1 for line in said if _ACCESS.match(line[:600]))
    if len(said) < 8 or max(timed, levelled, visits) < 0.5 * len(said):
        return None
    sheet = page.sheet(6, "lines")
    seen: Counter[str] = Counter()
    before = 6
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP:
            continue
        short = line[:600]
        level = _level(short)
        if level is None:
            own = _TIME.search(short[:48]) is not None
            bad = alarming(short)
            rank = (2 if bad else 6) if own else (min(before + 1, 8) if not bad else 2)
            sheet.mark(at, 8 if not line.strip() else rank)
            before = rank if own else before
            continue
        if level == "info lines" and alarming(short):
            level = "warnings"
        shape = _SHAPE.sub("0", _TIME.sub("", short[:300], count=1))
        seen[shape] += 1
        first = seen[shape] == 1
        before = {"errors": 1 if first else 4, "warnings": 2 if first else 5}.get(level, 7)
        sheet.mark(at, before, level)
        if level in ("debug lines", "trace lines"):
            sheet.mark(at, 8)
        elif EXIT.search(short):
            sheet.mark(at, 1)
    told = [at for at, line in enumerate(page.lines) if line.strip() and sheet.ranks[at] < DROP]
    for at in (*told[:1], *told[-3:]):
        sheet.mark(at, min(sheet.ranks[at], 1))
    sheet.telling = _span(page.lines, sheet.labels)
    return page.fit(sheet, "log")


def _level(line: str) -> str | None:
    visit = _ACCESS.match(line)
    if visit:
        status = visit["status"]
        return "errors" if status >= "500" else "warnings" if status >= "400" else "info lines"
    match = _LEVEL.search(line[:100])
    if match:
        return _NAMES[match["level"].lower()]
    return "warnings" if warning(line[:60]) else None


def _span(lines: Sequence[str], labels: Sequence[str]) -> Telling:
    def told(gap: Sequence[int]) -> str:
        if len(gap) < 3:
            return ""
        kinds = Counter(labels[at] for at in gap)
        said = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(4))
        first = next((m["time"] for at in gap if (m := _TIME.search(lines[at][:48]))), "")
        last = next((m["time"] for at in reversed(gap) if (m := _TIME.search(lines[at][:48]))), "")
        return f"{said}, {first} to {last}" if first and last and first != last else said

    return told
