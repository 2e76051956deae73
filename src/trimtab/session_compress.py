"""Compression that the model or the caller writes: an index with blocks, all or nothing.

Source: Memex (arXiv 2603.04257), CompressExperience: the summary is an index of blocks; a block is
a text given by the caller, or a span of the conversation named by three anchors in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.context.binding import bound_thinking
from trimtab.context.blocks import block_id, text_bytes
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.message import Text, Thinking, ToolCall, ToolResult
from trimtab.policies.eviction import kept_required, removable
from trimtab.policies.index_text import ids_in, lines_of

SLOT = "offload"
INDEX_TOKENS = 300


@dataclass(frozen=True, slots=True)
class Compression:
    """What a call of `compress` comes to.

    Attributes:
        plan: what leaves, and the index that stays.
        blocks: name as given -> the id of its block.
        data: name as given -> the block's bytes.
    """

    plan: Plan
    blocks: Mapping[str, str]
    data: Mapping[str, bytes]


def compression(
    at: Projection, summary: str, blocks: Sequence[Mapping[str, Any]], *, keep: int
) -> Compression:
    """The edits for a summary with its blocks; nothing is changed here.

    Args:
        at: the context.
        summary: the index with status and next step. It names each block by its name or id.
        blocks: `{"name", "content"}`, or `{"name", "start", "middle", "end"}`: three passages
            word for word, in this order, that mark a span of the conversation.
        keep: how many of the newest exchanges stay.

    Raises:
        UsageError: no summary, no block, a name twice, an anchor that is not there or not
            unique, an index over 300 tokens, or nothing that could leave.
    """
    if not isinstance(summary, str) or not summary.strip():
        raise UsageError("compress: the summary is empty")
    if not blocks:
        raise UsageError("compress: there is no block; the summary is an index of blocks")
    spoken: str | None = None
    ids: dict[str, str] = {}
    data: dict[str, bytes] = {}
    for number, block in enumerate(blocks):
        name = block.get("name") if isinstance(block, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"compress: block {number} has no name")
        if name in ids:
            raise UsageError(f"compress: the name {name!r} is given twice")
        if isinstance(block.get("content"), str) and block["content"]:
            text = block["content"]
        else:
            spoken = _spoken(at) if spoken is None else spoken
            text = _span(spoken, name, block)
        data[name] = at.history.prepare(text_bytes(text))
        ids[name] = block_id(data[name])
    text = _index(at, summary, ids)
    edits = _leaving(at, keep)
    if not edits:
        raise UsageError("compress: nothing can leave yet; all is required or among the newest")
    start, stop = edits[0].start, edits[-1].stop
    place = at.inserted_at(SLOT)
    start = start if place is None else min(place, start)
    reason = "an index that was written for what left"
    edits.append(Edit("summarise", start, stop, (), text, reason, SLOT))
    edits += bound_thinking(at, edits)
    after = at.copy()
    after.apply(edits)
    unit = at.counter.unit
    plan = Plan("compress", tuple(edits), at.size, after.size, unit, after)
    return Compression(plan, ids, data)


def _index(at: Projection, summary: str, ids: Mapping[str, str]) -> str:
    """The summary with an id for each name; a block that it does not name is added to it."""
    lines = [summary.strip()]
    named = set(ids_in(summary))
    for name, id in ids.items():
        if id not in named:
            lines.append(f"{id} - {name}")
    for line in lines_of(at.inserted_text(SLOT)):
        if line.partition(" ")[0] not in named:
            lines.append(line)  # an earlier block that the new index has forgotten
    text = "\n".join(lines)
    size = at.counter.text(text)
    if at.counter.unit == "tokens" and size > INDEX_TOKENS:
        raise UsageError(
            f"compress: the index takes {size} tokens, at most {INDEX_TOKENS}: shorten the summary"
        )
    return text


def _leaving(at: Projection, keep: int) -> list[Edit]:
    newest = len(at.history.exchanges) - keep
    reason = "compressed into the index"
    edits: list[Edit] = []
    for exchange, taken in removable(at, kept_required(at.history)):
        if exchange.index >= newest:
            break
        edits += [Edit(e.kind, e.start, e.stop, e.blocks, "", reason) for e in taken]
    return edits


def _spoken(at: Projection) -> str:
    """The conversation's words, message by message, as anchors are looked for in them."""
    return "\n".join(_words(block) for message in at.items for block in message.blocks)


def _words(block: Any) -> str:
    match block:
        case Text() | Thinking() | ToolResult():
            return block.text
        case ToolCall():
            return block.input if isinstance(block.input, str) else ""
    return ""


def _span(spoken: str, name: str, block: Mapping[str, Any]) -> str:
    """The span that three anchors mark, from the first character to the last."""
    anchors = [block.get(key) for key in ("start", "middle", "end")]
    if not all(isinstance(anchor, str) and anchor for anchor in anchors):
        raise UsageError(
            f"compress: block {name!r} needs content, or the anchors start, middle and end"
        )
    start, middle, end = (str(anchor) for anchor in anchors)
    first = spoken.find(start)
    if first < 0:
        raise UsageError(f"compress: block {name!r}: its start anchor is not in the conversation")
    if spoken.find(start, first + 1) >= 0:
        raise UsageError(
            f"compress: block {name!r}: its start anchor is there twice; make it longer"
        )
    at = spoken.find(middle, first)
    if at < 0:
        raise UsageError(f"compress: block {name!r}: its middle anchor does not follow its start")
    last = spoken.find(end, at)
    if last < 0:
        raise UsageError(f"compress: block {name!r}: its end anchor does not follow its middle")
    return spoken[first : last + len(end)]
