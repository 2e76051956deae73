"""Repairs of pairs: which result answers which call, and what becomes of those without the other.

A result answers the latest open call of its id that stands before it; within one answer of the
model the first open one. Where there is none, it answers an open call that stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from trimtab.history.message import Opaque, Text, ToolCall, ToolResult
from trimtab.history.repair_work import Item, Part, Work, note, set_id, told
from trimtab.history.rules.violation import shown

NO_RESULT = "[no result was recorded]"
"""What stands in the result that a call gets which has none."""
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]+")

Open = dict[str, list[tuple[int, list[Part]]]]
"""The open calls of an id, by the model's answers that hold them."""


def doubled(work: Work) -> None:
    """A message with calls that stands there twice in a row, or an item that does, goes once."""
    kept: list[Item] = []
    seen: dict[str, Item] = {}
    for item in work.items:
        before = kept[-1] if kept else None
        again = (
            before is not None
            and before.message == item.message
            and any(part.calls for part in item.parts)
            and before.message.blocks == item.message.blocks
        )
        raw = item.message.raw
        if work.dialect == "responses" and isinstance(raw, dict) and not item.changed:
            id = raw.get("id")
            if isinstance(id, str) and id and not str(raw.get("type")).endswith("_output"):
                first = seen.setdefault(id, item)
                if first is not item and first.message.raw == raw:
                    again = True
                elif first is not item:
                    item.reshape({key: value for key, value in raw.items() if key != "id"})
                    for part in item.parts:
                        if part.block.raw is raw:
                            part.block = replace(part.block, raw=item.message.raw)
                    work.tell(item, f"the item id {shown(id)} is used again", "it was left out")
        if again:
            work.tell(item, "the message stands there twice", "the second one was left out")
        else:
            kept.append(item)
    work.items = kept


def match(work: Work) -> None:
    """Find the mates; results without one become notes, or go where they repeat another."""
    open_calls: Open = {}
    run = 0
    previous: Item | None = None
    strays: list[tuple[int, Item, Part]] = []
    elsewhere = work.dialect == "responses" and any(
        work.envelope.get(key) for key in ("previous_response_id", "conversation")
    )
    for at, item in enumerate(work.items):
        if previous is None or item.role != "assistant" or previous.role != "assistant":
            run += 1
        previous = item
        for part in item.parts:
            block = part.block
            if isinstance(block, Opaque) and block.kind == "item_reference":
                elsewhere = elsewhere or work.dialect == "responses"
            elif isinstance(block, ToolCall) and not (block.server and work.dialect == "openai"):
                entries = open_calls.setdefault(_key(work, block.id, block.server), [])
                if entries and entries[-1][0] == run:
                    entries[-1][1].append(part)
                else:
                    entries.append((run, [part]))
            elif isinstance(block, ToolResult):
                entries = open_calls.get(_key(work, block.call_id, block.server), [])
                if not _answer(work, entries, part) and not elsewhere:
                    strays.append((at, item, part))
    _match_backwards(work, strays)


def _key(work: Work, id: str, server: bool) -> str:
    """Where the provider's own calls and the client's are told apart, each has ids of its own."""
    return f"server {id}" if server and work.dialect == "anthropic" else f"client {id}"


def _answer(work: Work, entries: list[tuple[int, list[Part]]], result: Part) -> bool:
    if not entries:
        return False
    calls = entries[-1][1]
    call = calls[0]
    result.mate = call
    if is_interim(work, result):
        return True
    call.mate = result
    del calls[0]
    if not calls:
        entries.pop()
    return True


def is_interim(work: Work, result: Part) -> bool:
    """An interim answer, which only the neutral form knows, leaves the call open."""
    block = result.block
    return work.dialect == "neutral" and isinstance(block, ToolResult) and block.pending


def _match_backwards(work: Work, strays: list[tuple[int, Item, Part]]) -> None:
    """Results that stand before their call find it; the others become notes."""
    if not strays:
        return
    later: dict[str, list[tuple[int, Part]]] = {}
    answers: dict[str, list[Part]] = {}
    for at, item in enumerate(work.items):
        for part in item.parts:
            block = part.block
            if isinstance(block, ToolCall) and part.mate is None:
                later.setdefault(_key(work, block.id, block.server), []).append((at, part))
            elif isinstance(block, ToolResult) and part.mate is not None:
                answers.setdefault(block.call_id, []).append(part)
    notes: dict[Item, list[Item]] = {}
    for at, item, part in strays:
        result = part.block
        assert isinstance(result, ToolResult)
        waiting = later.get(_key(work, result.call_id, result.server), [])
        n = next((n for n, (place, _) in enumerate(waiting) if place >= at), -1)
        if n >= 0:
            part.mate = waiting[n][1]
            answers.setdefault(result.call_id, []).append(part)
            if not is_interim(work, part):
                waiting[n][1].mate = part
                del waiting[n]
        elif not (result.server and work.dialect == "anthropic"):  # those are judged by turns
            same = answers.get(result.call_id, ())
            note_of_it = _unpair(work, item, part, result, same)
            if note_of_it is not None:
                notes.setdefault(item, []).append(note_of_it)
    items: list[Item] = []
    for item in work.items:
        if item.parts or not item.changed:
            items.append(item)
        items += notes.get(item, ())
    work.items = items


def _unpair(
    work: Work, item: Item, part: Part, result: ToolResult, answers: Sequence[Part]
) -> Item | None:
    """A result without a call: its text stays as a note, unless another result says the same.

    Returns:
        The message that holds the note, where it cannot stand in the result's own.
    """
    id = shown(result.call_id)
    if any(getattr(other.block, "content", None) == result.content for other in answers):
        work.tell(item, f"the result of {id} is there twice", "it was left out")
        item.take(part)
        return None
    quoted = note(f"a tool result whose call is not recorded, {id}", told(result))
    pictures = [Part(p) for p in result.content if not isinstance(p, Text) and told(p) == ""]
    work.tell(
        item,
        f"no call {id} is open for this result",
        "its text was kept as a note on the user's side",
    )
    if item.role == "user":
        at = item.parts.index(part)
        item.parts[at : at + 1] = [Part(quoted), *pictures]
        item.changed = True
        return None
    item.take(part)
    made = work.new("user", quoted, number=item.number)
    made.parts += pictures
    return made


def no_result(work: Work, call: Part) -> Part:
    """The result that a call gets which has none: an error in the provider's own shape."""
    block = call.block
    assert isinstance(block, ToolCall)
    result = Part(ToolResult(block.id, (Text(NO_RESULT),), is_error=True), call)
    call.mate = result
    return result


# -- ids ------------------------------------------------------------------------------------------


def ids(work: Work) -> None:
    """Ids that the provider takes and that name one call; a result follows its call's."""
    used: set[str] = {p.block.id for _, p in work.placed() if isinstance(p.block, ToolCall)}
    seen: set[str] = set()
    waiting: dict[str, int] = {}
    holders = work.holder()
    for item in work.items:
        group: set[str] = set()
        for part in item.parts:
            block = part.block
            if (
                isinstance(block, ToolResult)
                and not item_alone(item)
                and waiting.get(block.call_id)
            ):
                waiting[block.call_id] -= 1
            if not isinstance(block, ToolCall):
                continue
            why = _unusable(work, block, item, seen, group, waiting)
            id = block.id
            if why:
                id = _free(block.id, used)
                used.add(id)
                work.tell(item, why, f"the call's id is {id!r} now")
                set_id(item, part, id)
            mate = part.mate
            if mate is not None and getattr(mate.block, "call_id", id) != id:
                work.tell(holders[mate], f"its call has the id {id!r} now", "so has the result")
                set_id(holders[mate], mate, id)
            made = part.block
            assert isinstance(made, ToolCall)
            seen.add(made.id)
            if not made.server:
                group.add(made.id)
            if not item_alone(item):
                waiting[made.id] = waiting.get(made.id, 0) + 1


def item_alone(item: Item) -> bool:
    """Call and result in one item, run by the provider (Responses)."""
    return len(item.parts) > 1 and any(getattr(part.block, "server", False) for part in item.parts)


def _unusable(
    work: Work,
    call: ToolCall,
    item: Item,
    seen: set[str],
    group: set[str],
    waiting: dict[str, int],
) -> str:
    if work.dialect == "anthropic":
        if call.id in seen:
            return f"the call id {shown(call.id)} is used again"
        if not call.id or _UNFIT.search(call.id):
            return f"the call id {shown(call.id)} is not allowed"
    elif work.dialect == "openai":
        if not call.id:
            return "a call has no id"
        if call.id in group and not call.server:
            return f"the call id {shown(call.id)} is used twice in one message"
    elif work.dialect == "responses" and not item_alone(item):
        if not call.id and not call.server:
            return "a call has no id"
        if waiting.get(call.id):
            return f"the call id {shown(call.id)} is that of another open call"
    return ""


def _free(id: str, used: set[str]) -> str:
    stem = _UNFIT.sub("_", id)[:50] or "call"
    if stem != id and stem not in used:
        return stem
    n = 2
    while f"{stem}_{n}" in used:
        n += 1
    return f"{stem}_{n}"
