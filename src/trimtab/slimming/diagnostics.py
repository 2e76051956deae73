"""Compilers and linters: each distinct message once with its place, and how many more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from trimtab.slimming.alarms import EXIT
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Telling, counted
from trimtab.slimming.slimmed import Slimmed

_PLACED = re.compile(
    r"(?P<path>(?:[A-Za-z]:)?[^\s:()][^:()\n]{0,300}?)"
    r"(?::(?P<line>\d+)(?::\d+)?(?:-\d+(?::\d+)?)?:?|\(\d+(?:,\d+)*\):) +"
    r"(?:(?P<level>fatal error|error|warning|note|info|remark|hint|E|W|C|R|F)\b:? ?)?"
    r"(?P<code>\[?[A-Z]{1,5}\d{2,5}\]?\b:?)?(?P<message>.*)"
)
_HEADED = re.compile(r"(?P<level>error|warning)(?P<code>\[\w+\])?: (?P<message>.+)")
_CODED = re.compile(r"(?P<code>[A-Z]{1,5}\d{2,5}) (?:\[\*\] )?(?P<message>\S.*)")
_STYLISH = re.compile(r"\s+\d+:\d+\s+(?P<level>error|warning)\s+(?P<message>\S.*)")
_ARROW = re.compile(r"\s*--> \S+:\d+|\s*╭─\[|\s*::: ")
_SUMMARY = re.compile(
    r"Found \d+ |\d+ (?:errors?|warnings?|problems?)\b|Success: "
    r"|error: (?:could not compile|aborting)"
    r"|✖ \d+ problems|make(?:\[\d+\])?: \*\*\*|(?:error|warning): `\S+` \(.*generated \d+"
    r"|\[\*\] \d+ fixable|BUILD |compilation terminated|ld: |collect2: |For more information"
)
_ERROR = re.compile(r"fatal error|error|E|F")
_VARIABLE = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`|\d+|‘[^’]{0,200}’")


def diagnostics(page: Page) -> Slimmed | None:
    """The output of a compiler or linter."""
    if sum(1 for line in page.sample if _read(line[:600]) is not None) < 3:
        return None
    found: dict[int, tuple[str, str]] = {}  # line -> (level, message's shape)
    for at, whole in enumerate(page.lines):
        read = _read(whole[:600])
        if read is not None:
            found[at] = read
    said = sum(1 for line in page.lines if line.strip())
    if len(found) < 3 or len(found) < 0.03 * said:
        return None
    sheet = page.sheet(7, "lines of source")
    seen: Counter[str] = Counter()
    files: Counter[str] = Counter()
    first_of_kind = False
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP:
            continue
        if at in found:
            level, shape = found[at]
            seen[shape] += 1
            files[level] += 1
            serious = _ERROR.fullmatch(level) is not None or not level
            first_of_kind = seen[shape] == 1
            rank = (1 if serious else 3) if first_of_kind else 5 if serious else 6
            sheet.mark(at, 6 if level == "note" else rank, shape)
        elif _SUMMARY.match(line) or EXIT.search(line[:400]):
            sheet.mark(at, 0, "lines")
        elif _ARROW.match(line):
            sheet.mark(at, 2 if first_of_kind else 5, "lines of source")
        elif line[:1] not in ("", " ", "\t", "|"):
            sheet.mark(at, 4, "lines")  # a file that messages follow, or what else was said
    sheet.telling = _telling(sheet.labels, found)
    return page.fit(sheet, "compiler or linter output")


def _read(line: str) -> tuple[str, str] | None:
    """Level and shape of a message; `None` if the line is none."""
    for words in (_HEADED, _STYLISH, _CODED):
        match = words.match(line)
        if match:
            parts = match.groupdict()
            return parts.get("level") or "", _shape(parts.get("code"), parts["message"])
    match = _PLACED.match(line)
    if match and (match["level"] or match["code"]):
        return match["level"] or "", _shape(match["code"], match["message"])
    return None


def _shape(code: str | None, message: str) -> str:
    if code:
        return code.strip("[]:")
    return _VARIABLE.sub("…", message)[:60].strip() or "messages"


def _telling(labels: list[str], found: dict[int, tuple[str, str]]) -> Telling:
    def told(gap: Sequence[int]) -> str:
        shapes = Counter(found[at][1] for at in gap if at in found)
        rest = Counter(labels[at] for at in gap if at not in found)
        parts = [f"{count:,} more like: {shape[:40]}" for shape, count in shapes.most_common(2)]
        others = sum(shapes.values()) - sum(count for _, count in shapes.most_common(2))
        if others:
            parts.append(f"{others:,} other messages")
        if rest:
            parts.append(counted(rest, 2))
        return "; ".join(parts)

    return told
