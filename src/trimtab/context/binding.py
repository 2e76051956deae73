"""What an edit brings with it: signed thinking is bound to everything that precedes it.

A provider that checks the binding answers an edited history with an error, so an edit takes the
signed thinking behind it out as well, and the plan says so. Taking out thinking alone is not such
an edit: providers leave earlier thinking out of what they check.
Source: Anthropic, "Preserved thinking" (block binding).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from trimtab.context.edits import Edit, coalesced
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.history.message import Thinking
from trimtab.history.thinking import thinking_of

REASON = "signed thinking is bound to what precedes it, and that was edited"


def bound_thinking(at: Projection, edits: Sequence[Edit]) -> list[Edit]:
    """The further edits that `edits` make necessary: the bound thinking behind the first one.

    Args:
        at: the context before the edits.
        edits: the new edits.
    """
    history = at.history
    first = min((_affects_from(history, e) for e in edits), default=-1)
    if first < 0 or first >= len(history):
        return []
    index = thinking_of(history)
    start = index.first_from(first)
    if start == len(index.messages):
        return []
    dropped = coalesced((e.start, e.stop) for e in edits if e.kind == "drop" and not e.blocks)
    taken = {(e.start, n) for e in edits if e.kind == "drop" for n in e.blocks}
    found = []
    for number, blocks in zip(index.messages[start:], index.bound[start:], strict=True):
        before = bisect_left(dropped, (number + 1, -1)) - 1
        if before >= 0 and number < dropped[before][1]:
            continue
        gone = {n for edit in at.edits_of(number) for n in edit.blocks}
        left = tuple(n for n in blocks if n not in gone and (number, n) not in taken)
        if left and at.live(number):
            found.append(Edit("drop", number, number + 1, blocks=left, reason=REASON))
    return found


def _affects_from(history: History, edit: Edit) -> int:
    """The first message whose thinking has the edit before it; past the end for none."""
    if edit.kind == "summarise":
        return edit.start
    if not edit.blocks:
        return edit.start
    blocks = history[edit.start].blocks
    if edit.kind == "drop" and all(isinstance(blocks[n], Thinking) for n in edit.blocks):
        return len(history)
    return edit.start + 1
