"""`slim`, and the table of detectors that it asks, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trimtab.history.placeholders import is_placeholder, is_slimmed
from trimtab.slimming.cutting import cut, note
from trimtab.slimming.head_tail import head_tail
from trimtab.slimming.page import Page, plain
from trimtab.slimming.slimmed import Slimmed

Detector = Callable[[Page], Slimmed | None]

DETECTORS: dict[str, Detector] = {
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
    for detector in DETECTORS.values() if len(text) > limit else ():
        made = detector(page)
        if made is not None and len(made.text) <= limit:
            return made
    if len(text) <= limit:
        return None
    return Slimmed(cut(page.text, limit), "text", max(len(page.lines) - 2, 0))
