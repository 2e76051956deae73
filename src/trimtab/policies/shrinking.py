"""The last resort: results that are too large even where nothing older is left to leave.

The newest result may be larger than the window, or several of one answer together. They keep
head, tail and what acts in them; the whole is a block.
"""

from __future__ import annotations

from trimtab.context.blocks import id_alone
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.history.message import Text, ToolResult
from trimtab.history.placeholders import slimmed
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.pins import required_messages
from trimtab.policies.eviction import only_words

LIMITS = (16_000, 8_000, 4_000, 2_000, 1_000, 400)
"""Characters that a result may keep, tried in turn."""
REASON = "even alone it does not fit the budget"


def shrunk(at: Projection, available: int) -> list[Edit]:
    """Edits that shorten the largest results of the context until it fits, as far as they can.

    Args:
        available: the size to come down to, in the counter's unit.
    """
    uses = _large(at)
    best: dict[tuple[int, int], Edit] = {}
    excess = at.size - available
    for limit in LIMITS:
        for use, block, size in uses:
            if excess <= 0:
                break
            assert use.result is not None
            made = _shorter(at, use, block, limit)
            if made is None:
                continue
            edit, now = made
            before = best.get(use.result)
            taken = size if before is None else _size(at, block, before.text)
            if now < taken:
                best[use.result] = edit
                excess -= taken - now
    return [best[place] for place in sorted(best)]


def _large(at: Projection) -> list[tuple[ToolUse, ToolResult, int]]:
    """The whole results of the context that may be cut, largest first."""
    history = at.history
    required = set(required_messages(history))
    found = []
    for use in tool_uses(history):
        if use.result is None or not at.live(use.result[0]):
            continue
        number, place = use.result
        block = history[number].blocks[place]
        if not isinstance(block, ToolResult) or block.server:
            continue
        if at.block_now(number, place) is not block:
            continue  # cleared or shortened before
        if number in required and not only_words(history[number]):
            continue
        if not all(isinstance(part, Text) for part in block.content):
            continue
        found.append((use, block, at.counter.block(block)))
    return sorted(found, key=lambda item: -item[2])


def _shorter(
    at: Projection, use: ToolUse, block: ToolResult, limit: int
) -> tuple[Edit, int] | None:
    from trimtab.slimming import slim

    assert use.result is not None
    made = slim(block.text, tool=use.name, limit=limit)
    if made is None:
        return None
    number, place = use.result
    size = f"{at.counter.block(block):,} {at.counter.unit}"
    text = slimmed(made.text, made.what, size, id_alone(at.history, block))
    return Edit("slim", number, number + 1, (place,), text, REASON), _size(at, block, text)


def _size(at: Projection, block: ToolResult, text: str) -> int:
    from trimtab.context.edits import cleared_block

    return at.counter.block(cleared_block(block, text))
