"""Tracebacks: the exception and its causes, and the frames of the program's own code."""

from __future__ import annotations

import re

from trimtab.slimming.alarms import EXIT, alarming
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP
from trimtab.slimming.slimmed import Slimmed

_NAMES = {
    "Python traceback": re.compile(
        r"Traceback \(most recent call last\):|  File \"[^\"]+\", line \d"
    ),
    "Java stack trace": re.compile(r"\s+at [\w.$/<>@-]+\([^()]*\)$|Caused by: "),
    "JavaScript stack trace": re.compile(r"\s+at (?:async )?.*:\d+:\d+\)?$"),
    "Rust panic": re.compile(r"thread '.*' panicked|stack backtrace:"),
    "Go panic": re.compile(r"panic: |goroutine \d+ \["),
}
_FRAME = re.compile(
    r"\s*(?:\| )?\s*File \"([^\"]+)\", line \d+"
    r"|\s+at (.+)$"
    r"|\t(\S+\.go:\d+)"
    r"|\s+\d+: +(?:0x[0-9a-f]+ - )?(\S.*)$"
)
_LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib/python\d|<frozen |node_modules|node:internal|\(node:"
    r"|(?:^|/)(?:java|javax|jdk|sun|kotlin|scala|groovy)\.|org\.(?:junit|springframework|apache|"
    r"hibernate|gradle)\.|com\.sun\.|/usr/(?:local/)?(?:lib|go/src)/|/rustc/|\b(?:std|core|alloc)::"
    r"|rust_begin_unwind|/go/pkg/mod/|runtime/|importlib"
)
_CAUSE = re.compile(
    r"\s*(?:\[cause\]|Caused by:|Suppressed:|During handling of|The above exception was"
    r"|\+ Exception Group|\s*\|.*Exception Group|\.\.\. \d+ (?:more|common))"
)
_RAISED = re.compile(
    r"\s*(?:\| )*(?:Uncaught )?[\w.$]*(?:Error|Exception|Exit|Interrupt|Warning|Fault"
    r"|Failure|Iteration|Group)\b(?:[:\s(\[]|$)"
    r"|thread '.*' panicked|panic: |\[signal |fatal error: |goroutine \d+ \[running"
    r"|note: run with|\S+:\d+:\d*:?$"
)
_ALIKE = 3


def traceback(page: Page) -> Slimmed | None:
    """Output that holds a traceback."""
    name = _kind(page)
    if name is None:
        return None
    sheet = page.sheet(5)
    seen: dict[str, int] = {}
    after = 0  # what the line before was: 0 other, 1 a user's frame, 2 a library's frame
    for at, whole in enumerate(page.lines):
        line = whole[:1_000]
        if sheet.ranks[at] == DROP:
            continue
        frame = _FRAME.match(line)
        if frame:
            count = seen[line] = seen.get(line, 0) + 1
            if _LIBRARY.search(line):
                sheet.mark(at, 7, "lines of library frames")
                after = 2
            elif count > _ALIKE:
                sheet.mark(at, 8, "lines of repeated frames")
                after = 3
            else:
                sheet.mark(at, 2, "lines of frames")
                after = 1
        elif _CAUSE.match(line) or "Traceback (most recent" in line:
            sheet.mark(at, 1)
            after = 0
        elif _RAISED.match(line):
            sheet.mark(at, 0)
            after = 4
        elif after and after < 4 and line[:1] in (" ", "\t", "|") and line.strip():
            rank, label = {1: (3, "lines of frames"), 2: (7, "lines of library frames")}.get(
                after, (8, "lines of repeated frames")
            )
            sheet.mark(at, rank, label)
        elif after == 4 and line.strip():
            sheet.mark(at, 2)  # a message of several lines
        else:
            after = 0
            near_end = at >= len(page.lines) - 5
            told = alarming(line) or EXIT.search(line) is not None
            sheet.mark(at, 1 if told and near_end else 3 if told or near_end or at < 3 else 6)
    return page.fit(sheet, name)


def _kind(page: Page) -> str | None:
    best, most = None, 1
    for name, words in _NAMES.items():
        count = sum(1 for line in page.sample if line[:1] and words.match(line[:400]))
        if count > most:
            best, most = name, count
    return best
