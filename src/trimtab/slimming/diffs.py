"""Diffs and histories of git: files, hunks and changed lines; hashes and subjects."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, SILENT, Telling
from trimtab.slimming.slimmed import Slimmed

_FILE = re.compile(r"diff --(?:git|cc|combined) |Index: \S|Only in ")
_HUNK = re.compile(r"@@+ -\d+")
_HEADER = re.compile(
    r"index [0-9a-f]|--- |\+\+\+ |(?:old|new|deleted) (?:file )?mode|similarity index"
)
_MOVED = re.compile(r"(?:rename|copy) (?:from|to) |Binary files |(?:deleted|new) file mode")
_GENERATED = re.compile(
    r"(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|[\w-]+\.lock|go\.sum"
    r"|\.min\.(?:js|css)|\.map|\.snap|_pb2\.pyi?|\.pb\.go|\.generated\.\w+|\.svg|\.ambr"
    r"|mix\.lock|\.ipynb)(?:\s|$|\")|/(?:dist|vendor|node_modules|__snapshots__|generated)/"
)
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b")
_EACH = 6
"""So many changed lines of a hunk come before the further ones."""


def diff(page: Page) -> Slimmed | None:
    """A unified diff."""
    hunks = sum(1 for line in page.sample if _HUNK.match(line))
    files = sum(1 for line in page.sample if _FILE.match(line))
    bare = sum(1 for line in page.sample if line.startswith("+++ "))
    if not hunks or not (files or bare):
        return None
    if sum(1 for line in page.sample if _COMMIT.match(line)) > 2:
        return None
    lines = page.lines
    sheet = page.sheet(6, "lines of context")
    inside = generated = False
    changed = hunk = 0
    for at, line in enumerate(lines):
        if _FILE.match(line) or (not files and line.startswith("--- ") and not _minus(lines, at)):
            generated = _GENERATED.search(line[:600]) is not None
            inside = False
            hunk = 0
            sheet.mark(at, 0)
        elif _HUNK.match(line):
            inside = True
            changed = 0
            hunk += 1
            rank = DROP if generated else 1 if hunk == 1 else 3
            sheet.mark(at, rank, "lines of a generated file" if generated else "hunks")
        elif generated:
            sheet.mark(at, DROP, "lines of a generated file")
        elif inside and line[:1] in "+-" and line:
            changed += 1
            blank = not line[1:].strip()
            first = 2 if hunk <= 2 and changed <= _EACH // 2 else 4
            rank = 6 if blank else first if changed <= _EACH else 5
            sheet.mark(at, rank, "changed lines")
        elif inside and line[:1] in (" ", "\\", ""):
            sheet.mark(at, 7)
        elif _MOVED.match(line):
            sheet.mark(at, 1, "header lines")
        elif _HEADER.match(line):
            sheet.mark(at, 3 if not files else 8, "header lines")
        else:
            inside = False
            sheet.mark(at, 2, "lines")
    sheet.telling = _changes(lines, sheet.labels)
    return page.fit(sheet, "diff")


def _minus(lines: Sequence[str], at: int) -> bool:
    """A `--- ` that is a removed line, not a file's header."""
    return at + 1 >= len(lines) or not lines[at + 1].startswith("+++ ")


def _changes(lines: Sequence[str], labels: Sequence[str]) -> Telling:
    first = next((at for at, label in enumerate(labels) if label == "header lines"), -1)

    def told(gap: Sequence[int]) -> str:
        kinds = {labels[at] for at in gap}
        if kinds == {"header lines"}:
            return f"{len(gap)} header lines, here and below" if first in gap else SILENT
        if "changed lines" not in kinds:
            return ""
        changed = [at for at in gap if labels[at] == "changed lines"]
        added = sum(1 for at in changed if lines[at].startswith("+"))
        said = f"{added:,} added and {len(changed) - added:,} removed lines"
        others = len(gap) - len(changed)
        return said + (f", {others:,} lines beside" if others else "")

    return told


def git_log(page: Page) -> Slimmed | None:
    """A history of commits in git's long form: hash and subject of each."""
    lines = page.lines
    if sum(1 for line in page.sample if _COMMIT.match(line)) < 2:
        return None
    sheet = page.sheet(6, "lines of commits")
    in_commit = subject = False
    for at, line in enumerate(lines):
        if sheet.ranks[at] == DROP:
            continue
        if _COMMIT.match(line):
            in_commit, subject = True, True
            sheet.mark(at, 1, "commits")
        elif in_commit and subject and line.startswith("    ") and line.strip():
            subject = False
            sheet.mark(at, 1, "subjects")
        elif line.startswith(("Author:", "Date:", "Merge:", "AuthorDate:", "Commit:")):
            sheet.mark(at, 5)
        elif line.startswith("    ") and line.strip():
            sheet.mark(at, 4)
        elif not in_commit:
            sheet.mark(at, 2, "lines")
        else:
            sheet.mark(at, 7)
    return page.fit(sheet, "git log")
