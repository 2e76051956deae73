"""Repairs of what whole requests ask for: who begins, where system messages stand, thinking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trimtab.history.message import Message, Opaque, Text, Thinking, ToolCall, ToolResult
from trimtab.history.repair_order import turns_of
from trimtab.history.repair_work import Item, Part, Work, note, told
from trimtab.history.rules.anthropic import few_cache_breakpoints, thinking_leads_loop
from trimtab.history.rules.turns import thinks
from trimtab.history.rules.violation import Request

BEFORE = "[removed: what came before this message]"
"""The user's-side note in front of a history that begins with an answer, or is nothing."""
SYSTEM = "[system] "
"""Marks a system message that stands on the user's side now."""
_MOST_BREAKPOINTS = 4


def system_in_place(work: Work) -> None:
    """Anthropic: a system message stands behind a user turn and before an assistant's."""
    _one_system(work)
    turns = turns_of(work.items)
    for n, turn in enumerate(turns):
        item = turn[0]
        if item.role != "system":
            continue
        after = turns[n + 1][0].side if n + 1 < len(turns) else "assistant"
        if _may_precede_system(turns[n - 1]) and after == "assistant":
            continue
        work.tell(item, "a system message stands where none may", "it is a note of the user's side")
        texts = [Part(Text(SYSTEM + told(part.block))) for part in item.parts]
        item.message = replace(item.message, role="user", typed=False, raw=None)
        item.parts = texts
        item.changed = True


def _one_system(work: Work) -> None:
    """System messages in a row are one."""
    items: list[Item] = []
    started = False
    for item in work.items:
        started = started or item.role != "system"
        if started and items and item.role == "system" == items[-1].role:
            work.tell(item, "two system messages stand in a row", "they are one now")
            items[-1].parts += item.parts
            items[-1].changed = True
        else:
            items.append(item)
    work.items = items


def _may_precede_system(turn: Sequence[Item]) -> bool:
    if turn[0].side != "assistant":
        return turn[0].side == "user"
    last = next((item.parts[-1].block for item in reversed(turn) if item.parts), None)
    return isinstance(last, ToolCall | ToolResult) and last.server


def user_begins(work: Work) -> None:
    """Anthropic: the first message is the user's. Everywhere: there is a message."""
    first = next((item for item in work.items if item.role != "system"), None)
    if first is None:
        if work.dialect == "anthropic" or (work.dialect == "openai" and not work.items):
            work.items.append(work.new("user", Text(BEFORE)))
            work.tell(-1, "there is no message", "a note says that there was one")
    elif work.dialect == "anthropic" and first.role == "assistant":
        block = first.parts[0].block if first.parts else None
        if not (isinstance(block, Opaque) and block.kind == "compaction"):
            work.items.insert(work.items.index(first), work.new("user", Text(BEFORE)))
            work.tell(first, "the first message is the assistant's", "a note stands before it")


def server_pairs(work: Work) -> None:
    """Anthropic: calls that the provider ran have their results before the user's next words."""
    open_calls: dict[str, tuple[Item, Part]] = {}
    for turn in turns_of(work.items):
        parts = [(item, part) for item in turn for part in item.parts]
        if turn[0].side == "user" and not all(isinstance(p.block, ToolResult) for _, p in parts):
            for item, part in open_calls.values():
                _server_note(work, item, part, "has no result")
            open_calls.clear()
        for item, part in parts:
            block = part.block
            if isinstance(block, ToolCall) and block.server:
                open_calls[block.id] = (item, part)
            elif isinstance(block, ToolResult) and block.server:
                called = open_calls.pop(block.call_id, None)
                if called is None:
                    _server_note(work, item, part, "has no call")


def _server_note(work: Work, item: Item, part: Part, what: str) -> None:
    block = part.block
    if isinstance(block, ToolCall):
        said = f"the provider's call of {block.name}"
    else:
        said = "the provider's tool result"
    work.tell(item, f"{said} {what}", "it was kept as text")
    item.swap(part, note(f"{said} {what}", told(block)))


# -- thinking -------------------------------------------------------------------------------------


def thinking_followed(work: Work) -> None:
    """Thinking stands before what it led to; without that it goes."""
    if work.dialect == "anthropic":
        for turn in turns_of(work.items):
            parts = [(item, part) for item in turn for part in item.parts]
            while turn[0].side == "assistant" and parts and thinks(parts[-1][1].block):
                item, part = parts.pop()
                _forget(work, item, part)
    elif work.dialect == "responses":
        kept: list[Item] = []
        for item in reversed(work.items):
            after = kept[-1] if kept else None
            alone = bool(item.parts) and all(thinks(part.block) for part in item.parts)
            if alone and (after is None or after.role != "assistant"):
                work.tell(item, "no item follows the reasoning", "it was left out")
            else:
                kept.append(item)
        work.items = kept[::-1]


def _forget(work: Work, item: Item, part: Part) -> None:
    work.tell(item, "the assistant's turn ends in thinking", "the thinking was left out")
    item.take(part)


def unbound(work: Work, original: Sequence[Message]) -> None:
    """Signed thinking is bound to what precedes it: behind the first change it goes."""
    start = _first_change(work.items, original)
    for item in work.items[start:]:
        bound = [p for p in item.parts if isinstance(p.block, Thinking) and p.block.bound]
        for part in bound:
            item.take(part)
        if bound:
            what = "signed thinking is bound to what precedes it, and that was repaired"
            work.tell(item, what, "the thinking was left out")


def _first_change(items: Sequence[Item], original: Sequence[Message]) -> int:
    """The first message whose thinking has a change before it."""
    for at, item in enumerate(items):
        if item.number != at:
            return at
        message = item.built()
        if message is original[at]:
            continue
        left = [b for b in message.blocks if not thinks(b)]
        if left != [b for b in original[at].blocks if not thinks(b)]:
            return at + 1
    return len(items)


# -- the request as a whole -----------------------------------------------------------------------


def thinking_setting(work: Work) -> None:
    """Anthropic: where the running tool loop lost its thinking, thinking is switched off."""
    if work.dialect != "anthropic":
        return
    messages = [item.built() for item in work.items]
    if any(thinking_leads_loop(Request(work.dialect, messages, (), work.envelope))):
        work.envelope = {**work.envelope, "thinking": {"type": "disabled"}}
        work.tell(
            -1, "the running tool loop does not start with thinking", "thinking was switched off"
        )


def no_white_space_at_end(work: Work) -> None:
    """Anthropic: a prefill does not end in white space."""
    if not work.items or work.dialect != "anthropic" or work.items[-1].role != "assistant":
        return
    item = work.items[-1]
    last = item.parts[-1] if item.parts else None
    if last is not None and isinstance(last.block, Text):
        text = last.block.text
        if text != text.rstrip():
            work.tell(item, "the final assistant text ends in white space", "it was cut off")
            item.swap(last, replace(last.block, text=text.rstrip(), edited=True))


def few_breakpoints(work: Work, tools: Sequence[Any]) -> None:
    """Anthropic: of too many cache breakpoints the last ones stay."""
    if work.dialect != "anthropic":
        return
    for item in work.items:
        messages = [item.built() for item in work.items]
        request = Request(work.dialect, messages, tuple(tools), work.envelope)
        if not any(few_cache_breakpoints(request)):
            return
        for part in item.parts:
            raw = part.block.raw
            if isinstance(raw, Mapping) and raw.get("cache_control") is not None:
                bare = {key: value for key, value in raw.items() if key != "cache_control"}
                item.swap(part, replace(part.block, raw=bare))
                work.tell(item, "too many cache breakpoints", "this one was left out")
