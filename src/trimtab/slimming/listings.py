"""Directory listings: folders and the unusual, counts by folder and extension."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from trimtab.slimming.alarms import alarming
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Telling
from trimtab.slimming.slimmed import Slimmed

_LONG = re.compile(
    r"(?P<kind>[-dlbcpsD])[rwxsStT-]{9}[.+@]? +\d+ +\S+ +\S+ +(?P<size>[\d.,]+[KMGTP]?) +"
    r"(?:\S+ +\d+ +[\d:]+|\d{4}-\d\d-\d\d \d\d:\d\d(?::[\d.]+ [+-]\d+)?) +(?P<name>\S.*)"
)
_PATH = re.compile(r"(?:[A-Za-z]:)?[^\s:|<>\"'=;,(){}\[\]]*[/\\][^:|<>\"=;{}]*")
_BRANCH = re.compile(r"(?:[│|] {1,4}|\xa0| )*(?:[├└|`]──? ?|[|`+\\]-- ?)(?P<name>\S.*)")
_FOLDER = re.compile(r"\S[^:]{0,400}:$")
_TOTAL = re.compile(r"total [\d.,]+[KMGT]?$|\d+ director(?:y|ies)(?:, \d+ files?)?$")
_NAMED = (
    "README",
    "LICENSE",
    "Makefile",
    "Dockerfile",
    "pyproject.toml",
    "package.json",
    "go.mod",
    "Cargo.toml",
    "mix.exs",
    "CHANGELOG",
    "AGENTS.md",
    "CLAUDE.md",
    ".env",
)


def listing(page: Page) -> Slimmed | None:
    """The output of `ls -l`, `ls -R`, `find`, a glob, or `tree`."""
    said = [line for line in page.sample if line.strip()]
    if len(said) < 8:
        return None
    for found in (_long, _tree, _paths):
        made = found(page, said)
        if made is not None:
            return made
    return None


def _long(page: Page, said: list[str]) -> Slimmed | None:
    if sum(1 for line in said if _LONG.match(line[:600])) < 0.7 * len(said):
        return None
    sheet = page.sheet(6, "entries")
    names: dict[int, str] = {}
    sizes: dict[int, float] = {}
    folder = ""
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP:
            continue
        match = _LONG.match(line[:600])
        if match is None:
            if _FOLDER.match(line):
                folder = line[:-1]
                sheet.mark(at, 2, "folders")
            else:
                blank = not line.strip()
                sheet.mark(at, 8 if blank else 0 if alarming(line) else 3, "lines")
            continue
        name = match["name"].rstrip("*/")
        names[at] = f"{folder}/{name}" if folder else name
        sizes[at] = _size(match["size"])
        kind = match["kind"]
        plain = name in (".", "..")
        sheet.mark(at, 8 if plain else 3 if kind == "d" else 2 if kind != "-" else 6)
        if name.startswith(_NAMED):
            sheet.mark(at, 3)
    files = [at for at in sizes if sheet.ranks[at] >= 6]
    for at in sorted(files, key=lambda at: (-sizes[at], at))[:3]:
        sheet.mark(at, 2)  # the largest
    _rare(sheet.ranks, names)
    sheet.telling = _kinds(names, len(page.lines))
    return page.fit(sheet, "directory listing")


def _tree(page: Page, said: list[str]) -> Slimmed | None:
    if sum(1 for line in said if _BRANCH.match(line[:600])) < 0.7 * len(said):
        return None
    sheet = page.sheet(6, "entries")
    names: dict[int, str] = {}
    depths: list[int] = []
    for at, line in enumerate(page.lines):
        match = _BRANCH.match(line[:600])
        depths.append(match.start("name") if match else 0)
        if sheet.ranks[at] == DROP:
            continue
        if match is None:
            blank = not line.strip()
            sheet.mark(at, 8 if blank else 0 if _TOTAL.match(line.strip()) else 1, "lines")
        else:
            names[at] = match["name"]
    steps = sorted({depth for depth in depths if depth})
    rank = {depth: place for place, depth in enumerate(steps)}
    for at in names:
        parent = at + 1 < len(depths) and depths[at + 1] > depths[at]
        level = rank[depths[at]]
        known = names[at].startswith(_NAMED) and level == 0
        sheet.mark(at, min(2 + level, 5) if parent or known else min(4 + level, 7))
    sheet.telling = _kinds(names, len(page.lines))
    return page.fit(sheet, "directory tree")


def _paths(page: Page, said: list[str]) -> Slimmed | None:
    if sum(1 for line in said if _is_path(line)) < 0.85 * len(said):
        return None
    sheet = page.sheet(6, "paths")
    names = {
        at: line.strip()
        for at, line in enumerate(page.lines)
        if sheet.ranks[at] != DROP and _is_path(line)
    }
    common = _common(list(names.values()))
    folders: Counter[str] = Counter()
    for at, line in enumerate(page.lines):
        if at not in names:
            if sheet.ranks[at] != DROP:
                sheet.mark(at, 8 if not line.strip() else 1 if alarming(line) else 2, "lines")
            continue
        folder = _folder(names[at][common:])
        folders[folder] += 1
        shallow = not folder and folders[folder] <= 20
        sheet.mark(at, 2 if shallow else 3 if folders[folder] == 1 else 6)
    _rare(sheet.ranks, names)
    sheet.telling = _kinds(names, len(page.lines), common)
    return page.fit(sheet, "list of paths")


def _is_path(line: str) -> bool:
    line = line.strip()
    return 0 < len(line) <= 500 and _PATH.fullmatch(line) is not None and "://" not in line


def _common(paths: Sequence[str]) -> int:
    """How long the folder is that all paths share."""
    first, last = min(paths), max(paths)
    length = 0
    for a, b in zip(first, last, strict=False):
        if a != b:
            break
        length += 1
    return first.rfind("/", 0, length) + 1


def _folder(path: str) -> str:
    """The first folder of a path; empty for a file that is in none."""
    return path.partition("/")[0] if "/" in path else ""


def _extension(path: str) -> str:
    name = path.rstrip("/").rpartition("/")[2]
    stem, dot, end = name.rpartition(".")
    return "." + end if dot and stem and len(end) <= 10 and " " not in end else "others"


def _size(said: str) -> float:
    unit = "KMGTP".find(said[-1]) + 1
    digits = said.rstrip("KMGTP").replace(",", "")
    return float(digits) * 1024**unit if digits.replace(".", "", 1).isdecimal() else 0.0


def _rare(ranks: list[int], names: dict[int, str]) -> None:
    """Files of a kind that there is hardly another of come before the many."""
    kinds = Counter(map(_extension, names.values()))
    if len(names) < 20:
        return
    for at, name in names.items():
        if ranks[at] == 6 and kinds[_extension(name)] <= max(1, len(names) // 100):
            ranks[at] = 4


def _kinds(names: dict[int, str], count: int, common: int = 0) -> Telling:
    def told(gap: Sequence[int]) -> str:
        inside = [names[at] for at in gap if at in names]
        if len(inside) < 2:
            return ""
        said = f"{len(inside):,} entries: " + _most(Counter(map(_extension, inside)), 4)
        folders = Counter(_folder(name[common:]) for name in inside)
        del folders[""]
        if len(folders) > 1 or (folders and len(inside) > 50):
            said += "; in " + _most(folders, 6)
        return said

    return told


def _most(amounts: Counter[str], most: int) -> str:
    ordered = sorted(amounts.items(), key=lambda item: (-item[1], item[0]))
    said = ", ".join(f"{name[:40]} {count:,}" for name, count in ordered[:most])
    rest = len(ordered) - most
    return said + (f", {rest:,} further kinds" if rest > 0 else "")
