"""Test runs: failures with their assertion and place, and the summary; passes are counted."""

from __future__ import annotations

import re
from collections import Counter

from trimtab.slimming.alarms import EXIT, alarming
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Sheet
from trimtab.slimming.slimmed import Slimmed

_SUMMARY = re.compile(
    r"=+ .*\b\d+ (?:passed|failed|errors?|skipped|deselected)\b.* =*$"
    r"|(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?),? ?)+in \d"
    r"|Ran \d+ tests? in |FAILED \((?:failures|errors)=|OK(?: \(skipped=\d+\))?$"
    r"|(?:Tests|Test Suites|Test Files|Snapshots|Time|Duration):? +.*\d"
    r"|\s+\d+ (?:passing|failing|pending)\b"
    r"|test result: |(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)|(?:FAIL|PASS|exit status \d+)$"
    r"|\d+ (?:doctests?, )?.*tests?, \d+ failures?|\d+ examples?, \d+ failures?"
    r"|Tests: \d+, Assertions: \d+|# (?:tests|pass|fail) \d+|1\.\.\d+$"
    r"|TOTAL +\d+ +\d+|FAIL Required test coverage"
)
_NAMES = {
    "pytest": re.compile(
        r"=+ (?:test session starts|FAILURES|ERRORS|short test summary) |"
        r"=+ .*\d (?:passed|failed|error).* in [\d.]+s|"
        r"\d+ (?:passed|failed).* in [\d.]+s"
    ),
    "unittest": re.compile(r"Ran \d+ tests? in "),
    "jest": re.compile(r"Tests: +.*\d+ (?:passed|failed|total)|Test Suites: "),
    "vitest": re.compile(r"\s*Test Files +\d+ (?:passed|failed)"),
    "mocha": re.compile(r"\s+\d+ passing(?: \(|$)"),
    "go test": re.compile(r"--- (?:FAIL|PASS|SKIP): |=== RUN |(?:ok|FAIL)\s+\S+\s+[\d.]+s"),
    "cargo test": re.compile(r"test result: |running \d+ tests?$"),
    "ExUnit": re.compile(r"(?:\d+ doctests?, )?\d+ tests?, \d+ failures?"),
    "RSpec": re.compile(r"\d+ examples?, \d+ failures?"),
    "PHPUnit": re.compile(r"Tests: \d+, Assertions: \d+"),
    "TAP": re.compile(r"TAP version \d+|(?:not )?ok \d+ - "),
}
_PASSING = re.compile(
    r"\S+ (?:PASSED|SKIPPED|XFAIL)\b|(?:PASSED|SKIPPED) |\s*(?:✓|✔|√|○|↓) |ok \d+\b|PASS\s+\S"
    r"|\s*--- (?:PASS|SKIP)|\s*=== (?:RUN|PAUSE|CONT|NAME)|test \S.* \.\.\. (?:ok|ignored)"
    r"|\S.* \.\.\. (?:ok|skipped\b.*)$|\? +\S+\s+\[no test files\]"
    r"|ok\s+\S+\s+(?:[\d.]+s|\(cached\))"
)
_DOTS = re.compile(r"[.sxXFE]+ *(?:\[ *\d+%\])?$|\S+\.py [.sxX]+ *(?:\[ *\d+%\])?$")
_FAILING = re.compile(
    r"(?:FAILED|ERROR) \S|_{3,} .+ _{3,}$|(?:FAIL|ERROR): |\s*--- FAIL|FAIL\s+\S|not ok \d"
    r"|\s*(?:✕|✗|✘|×|✖|❌|●) |\s+\d+\) \S|test \S.* \.\.\. FAILED|---- \S+ stdout ----"
    r"|\S.* \.\.\. (?:FAIL|ERROR)$|[ -]*(?:FAILED|failures?:)\s*$"
)
_SAID = re.compile(
    r"E   |\s*[\w.]*(?:Error|Exception|Failure)\b|\s*(?:Expected|Received|expected|received"
    r"|actual|assertion|Assertion|left|right|got|want|code|match \(=\) failed|rhs|lhs)\b.*[:=]"
    r"|\s*[+-] ?\S.{0,3}(?:expected|actual)|thread '.*' panicked|panicked at"
    r"|\s*\S+_test\.go:\d+: |\s*#\d+ .*\(\d+\): "
)
_PLACE = re.compile(
    r"\S+\.\w{1,5}:\d+:|\s+at .*[:(]\S*\d+|  File \"|\s+(?:❯|→) \S+:\d+|\s*\S+\.exs?:\d+"
)
_FIRST = 12
"""So many failing functions are named before what the first of them say."""
_RULE = re.compile(r"[=_\- ⎯]*$")
_SECTION = re.compile(r"=+ ?(.*?) ?=+$")


def test_run(page: Page) -> Slimmed | None:
    """The output of a test runner."""
    name = _runner(page)
    if name is None:
        return None
    sheet = page.sheet(4, "lines of failures")
    if name == "pytest":
        _pytest(page, sheet)
    else:
        _others(page, sheet)
    return page.fit(sheet, f"{name} output")


def _runner(page: Page) -> str | None:
    """The runner whose words the text has; the one that speaks most where there are several."""
    best, most = None, 0
    for name, words in _NAMES.items():
        count = sum(1 for line in page.sample if line[:1] != "" and words.match(line[:300]))
        if count > most:
            best, most = name, count
    return best


def _mark_common(sheet: Sheet, at: int, line: str) -> bool:
    """Mark what all runners say alike; whether it was such a line."""
    if sheet.ranks[at] == DROP:
        return True
    if not line or _RULE.match(line):
        sheet.mark(at, 7, "lines")
    elif _SUMMARY.match(line):
        sheet.mark(at, 0)
    elif _PASSING.match(line) and "FAILED" not in line and "ERROR" not in line:
        sheet.mark(at, DROP, "passing tests")
    elif _DOTS.match(line):
        sheet.mark(at, DROP, "progress lines")
    else:
        return False
    return True


def _pytest(page: Page, sheet: Sheet) -> None:
    section = "top"
    later = 0  # the ranks of further failures are lower by so much
    verbose = "short test summary info" in page.text
    said = placed = 0
    failures: Counter[str] = Counter()  # by test function: one of a function's cases stands for it
    named: Counter[str] = Counter()
    for at, whole in enumerate(page.lines):
        line = whole[:400].rstrip()
        titled = _SECTION.match(line) if line.startswith("==") else None
        if titled and not _SUMMARY.match(line):
            section = titled.group(1) or section
            sheet.mark(at, 3, "lines")
            continue
        if _mark_common(sheet, at, line):
            continue
        if section.startswith("short test summary"):
            if line.startswith(("FAILED ", "ERROR ")):
                function = line.partition("[")[0].partition(" - ")[0]
                named[function] += 1
                first = named[function] == 1 and len(named) <= _FIRST
                sheet.mark(at, 1 if first else 3, "failing tests")
            else:  # what ran the tests, after their summary
                sheet.mark(at, 1 if alarming(line) or EXIT.search(line) else 4, "lines")
        elif section in ("FAILURES", "ERRORS"):
            if _FAILING.match(line) and line.startswith("_"):
                said = placed = 0
                function = line.strip("_ ").partition("[")[0]
                failures[function] += 1
                later = 0 if failures[function] == 1 and len(failures) <= _FIRST // 2 else 2
                sheet.mark(at, 2 + later, "lines of failures")
            elif line.startswith("E  "):
                said += 1
                sheet.mark(at, 2 + later if said <= 2 else 3 + later if said <= 6 else 6)
            elif _PLACE.match(line):
                placed += 1
                sheet.mark(at, 2 + later if placed <= 2 else 5)
            elif line.startswith(">"):
                sheet.mark(at, 3 + later)
            else:
                sheet.mark(at, 6)
        elif section.startswith("warnings summary"):
            sheet.mark(at, 7, "lines of warnings")
        elif " FAILED" in line or " ERROR" in line:
            sheet.mark(at, 6 if verbose else 1, "failing tests")
        elif section == "test session starts":
            sheet.mark(at, 8, "lines")
        else:
            sheet.mark(at, 1 if alarming(line) or EXIT.search(line) else 6, "lines")


def _others(page: Page, sheet: Sheet) -> None:
    failing = passed = False
    said = placed = 0
    for at, whole in enumerate(page.lines):
        line = whole[:400].rstrip()
        if _FAILING.match(line):
            failing = True
            said = placed = 0
            sheet.mark(at, 1, "failing tests")
        elif _mark_common(sheet, at, line):
            failing = failing and sheet.labels[at] != "passing tests"
            passed = passed or sheet.labels[at] == "passing tests"
        elif _SAID.match(line):
            said += 1
            sheet.mark(at, 2 if said <= 4 else 4)
        elif _PLACE.match(line):
            library = "node_modules" in line or "node:internal" in line or "/rustc/" in line
            placed += 0 if library else 1
            sheet.mark(at, 7 if library else 2 if placed <= 2 else 5)
        else:
            # What is set in, or told ahead, belongs to the passing test beside it.
            passing = not failing and passed and (line[:1] == " " or line.startswith("# Subtest"))
            rank = 4 if failing else DROP if passing else 7
            sheet.mark(at, rank, "lines of failures" if failing else "lines")
