"""`slim`, and the table of detectors that it asks, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trimtab.history.placeholders import is_placeholder, is_slimmed
from trimtab.slimming.blobs import blob
from trimtab.slimming.cutting import cut, note
from trimtab.slimming.diagnostics import diagnostics
from trimtab.slimming.diffs import diff, git_log
from trimtab.slimming.head_tail import head_tail
from trimtab.slimming.html_pages import html_page
from trimtab.slimming.json_values import json_lines, json_value
from trimtab.slimming.junit import junit
from trimtab.slimming.listings import listing
from trimtab.slimming.logs import log
from trimtab.slimming.matches import matches
from trimtab.slimming.page import Page, plain
from trimtab.slimming.slimmed import Slimmed
from trimtab.slimming.snapshots import snapshot
from trimtab.slimming.source import document, source
from trimtab.slimming.tables import table
from trimtab.slimming.test_runs import test_run
from trimtab.slimming.tracebacks import traceback

Detector = Callable[[Page], Slimmed | None]

DETECTORS: dict[str, Detector] = {
    "json": json_value,
    "json lines": json_lines,
    "blob": blob,
    "junit": junit,
    "html": html_page,
    "snapshot": snapshot,
    "diff": diff,
    "git log": git_log,
    "tests": test_run,
    "traceback": traceback,
    "diagnostics": diagnostics,
    "matches": matches,
    "log": log,
    "listing": listing,
    "table": table,
    "source": source,
    "document": document,
    "text": head_tail,
}
"""Name -> detector; the first that recognises a text and makes it fit is taken."""

LEAST = 200
"""The smallest limit, in characters: less holds no line of an error."""


def slim(
    text: str,
    *,
    tool: str = "",
    command: str = "",
    limit: int = 2_000,
    fields: Sequence[str] = (),
) -> Slimmed | None:
    """A shorter form of `text` that keeps what acts.

    Args:
        text: what a tool put out, or any other long text.
        tool: the tool's name, a hint only.
        command: what it was asked, a hint only.
        limit: the most characters that the form may have (at least 200).
        fields: of a JSON value only these dotted paths are wanted: `items[].id`, `total`.

    Returns:
        The form, always shorter than `text` and at most `limit` characters; `None` where nothing
        is worth dropping: the text is short enough, or stands for a longer one already.
    """
    limit = max(limit, LEAST)
    if (len(text) <= limit and not fields) or is_slimmed(text) or is_placeholder(text):
        return None
    page = Page(text, plain(text), limit, tool, command, tuple(fields))
    if not page.text.strip():
        nothing = Slimmed(
            note(f"{len(text):,} characters, none of them to be seen"), "blank text", 0
        )
        return nothing if len(nothing.text) < len(text) else None
    if fields and len(text) <= limit:
        chosen = json_value(page)
        return chosen if chosen is not None and len(chosen.text) < len(text) else None
    whole = _noiseless(page)
    if whole is not None:
        return whole
    for detector in DETECTORS.values():
        made = detector(page)
        if made is not None and len(made.text) <= limit:
            return made
    return Slimmed(cut(page.text, limit), "text", max(len(page.lines) - 2, 0))


def _noiseless(page: Page) -> Slimmed | None:
    """The text without escapes, progress and repeats, where that is short enough."""
    if page.fields or (len(page.text) - page.limit > len(page.source) * 0.98 and not page.noise):
        return None
    made = page.sheet(0).fitted(page.limit)
    said = sum(len(line) + 1 for at, line in enumerate(page.lines) if at not in page.noise)
    if made is None or said > page.limit or made[1] > len(page.noise):
        return None
    return Slimmed(made[0], "terminal output", made[1])
