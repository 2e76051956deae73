"""Results of grep and ripgrep: the first hits of each file, and how many each has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Sheet, Telling
from trimtab.slimming.slimmed import Slimmed

_HIT = re.compile(r"(?P<path>(?:[A-Za-z]:)?[^\s:][^:\n]{0,300}):(?P<line>\d{1,7}):(?:\d{1,6}:)?")
_NEAR = re.compile(r"(?P<path>[^\s:-][^:\n]{0,300}?)-(?P<line>\d{1,7})-")
_UNNUMBERED = re.compile(r"(?P<path>[^\s:]{0,200}[/.][^\s:]{1,100}):(?=\S|\s+\S)")
_COUNTS = re.compile(r"[^\s:][^:\n]{0,300}:\d+$")
_UNDER = re.compile(r"\s{0,6}\d{1,7}[:-]")
_FIRST = 3


def matches(page: Page) -> Slimmed | None:
    """Hits of a search, each with its file."""
    said = [line for line in page.sample if line.strip() and line != "--"]
    if len(said) < 8:
        return None
    for words in (_HIT, _UNNUMBERED):
        hits = [match["path"] for line in said if (match := words.match(line[:400]))]
        paths = {path for path in hits if "/" in path or "." in path}
        if len(hits) >= 0.6 * len(said) and len(paths) >= 0.5 * len(set(hits)):
            return _by_prefix(page, words)
        near = sum(1 for line in said if _NEAR.match(line[:400])) if words is _HIT else 0
        if hits and paths and len(hits) + near >= 0.8 * len(said):
            return _by_prefix(page, words)
    under = sum(1 for line in said if _UNDER.match(line))
    if under >= 0.6 * len(said) and under < len(said) and not page.numbered:
        return _by_heading(page)
    return None


def _by_prefix(page: Page, words: re.Pattern[str]) -> Slimmed | None:
    sheet = page.sheet(7, "lines beside")
    files: dict[int, str] = {}
    seen: Counter[str] = Counter()
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP:
            continue
        match = words.match(line[:400])
        if match is None:
            near = _NEAR.match(line[:400])
            if line == "--":
                sheet.mark(at, DROP)
            elif not near and line.strip():
                sheet.mark(at, 2, "lines")
            continue
        files[at] = match["path"]
        _count(sheet, at, seen, match["path"])
    sheet.telling = _files(files)
    return page.fit(sheet, "search results")


def _by_heading(page: Page) -> Slimmed | None:
    sheet = page.sheet(7, "lines beside")
    files: dict[int, str] = {}
    seen: Counter[str] = Counter()
    heading = ""
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP:
            continue
        if not _UNDER.match(line):
            if line.strip() and line != "--":
                heading = line.strip()[:120]
                sheet.mark(at, 0, "files")
        elif re.match(r"\s*\d+:", line[:20]):
            files[at] = heading
            _count(sheet, at, seen, heading)
    sheet.telling = _files(files)
    return page.fit(sheet, "search results")


def _count(sheet: Sheet, at: int, seen: Counter[str], path: str) -> None:
    seen[path] += 1
    rank = 1 if seen[path] == 1 else 3 if seen[path] <= _FIRST else 6
    sheet.mark(at, rank, "matches")


def _files(files: dict[int, str]) -> Telling:
    def told(gap: Sequence[int]) -> str:
        amounts = Counter(files[at] for at in gap if at in files)
        total = sum(amounts.values())
        if total < 2:
            return ""
        ordered = sorted(amounts.items(), key=lambda item: (-item[1], item[0]))
        said = ", ".join(f"{count:,} in {path[-60:]}" for path, count in ordered[:5])
        rest = len(ordered) - 5
        return f"{total:,} matches: {said}" + (f", and in {rest:,} more files" if rest > 0 else "")

    return told
