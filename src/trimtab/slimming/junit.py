"""JUnit XML: the failing test cases whole, the others counted."""

from __future__ import annotations

import re

from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Sheet
from trimtab.slimming.slimmed import Slimmed

_FAILED = re.compile(r"<(?:failure|error)\b")


def junit(page: Page) -> Slimmed | None:
    """A JUnit report."""
    text = page.text
    if "<testsuite" not in text[:2_000] or "<testcase" not in text:
        return None
    lines: list[str] = []
    marks: list[tuple[int, str]] = []
    head, *cases = text.split("<testcase")
    for line in head.split("\n"):
        if line.strip():
            lines.append(line)
            marks.append((0, "lines"))
    for case in cases:
        failed = _FAILED.search(case) is not None
        skipped = not failed and "<skipped" in case
        label = "lines of failures" if failed else "skipped tests" if skipped else "passing tests"
        for at, line in enumerate(("<testcase" + case).split("\n")):
            if not line.strip():
                continue
            lines.append(line)
            if not failed:
                marks.append((DROP, label if at == 0 else "lines"))
            else:
                marks.append((1 if at == 0 else 3 if at < 8 else 5, label))
    sheet = Sheet(lines)
    for at, (rank, label) in enumerate(marks):
        sheet.mark(at, rank, label)
    return page.fit(sheet, "JUnit report")
