"""Edits: decisions about a history, recorded beside it and never in it."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from trimtab.history.message import (
    Block,
    Message,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from trimtab.history.placeholders import call_placeholder, emptied

EditKind: TypeAlias = Literal["drop", "clear", "slim", "summarise"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One decision about H.

    Attributes:
        kind: `drop` takes messages, or some blocks of one, out of the context; `clear` leaves a
            placeholder where the content of a tool result stood, or `{}` for a call's input;
            `slim` leaves a shorter form of it; `summarise` puts a text in front of message
            `start` that stands for `start..stop`.
        start, stop: the messages `start <= i < stop` that it is about.
        blocks: the block numbers inside message `start`; empty for whole messages.
        text: the placeholder, the shorter form or the summary.
        reason: why, in one line.
        slot: a later `summarise` of the same slot replaces this one.
        role: who speaks the summary.
        report: how a summary came about and what the guard found in it, as JSON; else empty.
    """

    kind: EditKind
    start: int
    stop: int
    blocks: tuple[int, ...] = ()
    text: str = ""
    reason: str = ""
    slot: str = ""
    role: Role = "assistant"
    report: str = ""

    @property
    def evicts(self) -> bool:
        """It takes text out of the context, so that there is something to recall."""
        return self.kind != "summarise"

    @property
    def target(self) -> str:
        """What it is about, for people: `messages 3-5`, `message 7, block 1`."""
        if self.stop - self.start > 1:
            return f"messages {self.start}-{self.stop - 1}"
        if not self.blocks:
            return f"message {self.start}"
        numbers = ", ".join(map(str, self.blocks))
        return f"message {self.start}, block{'s' if len(self.blocks) > 1 else ''} {numbers}"


def changed(message: Message, edits: Sequence[Edit]) -> Message:
    """`message` as it stands after block edits; block numbers are those of the original."""
    by_block: dict[int, Edit] = {}
    for edit in edits:
        for number in edit.blocks:
            if number not in by_block or by_block[number].kind != "drop":
                by_block[number] = edit  # what was dropped stays out
    kept: list[Block] = []
    for number, block in enumerate(message.blocks):
        made = by_block.get(number)
        if made is None:
            kept.append(block)
        elif made.kind != "drop":
            kept.append(as_left(block, made))
    if not kept:
        kept.append(Text(emptied(message)))
    return message.with_blocks(tuple(kept))


def as_left(block: Block, edit: Edit) -> Block:
    """A block as a clearing or slimming edit leaves it."""
    clears_call = edit.kind == "clear" and isinstance(block, ToolCall)
    return cleared_block(block, "" if clears_call else edit.text)


def cleared_block(block: Block, placeholder: str) -> Block:
    """A block with its content cleared or shortened.

    A result holds the placeholder or the shorter form; a call an empty input, or the shorter one,
    which is JSON.
    """
    if isinstance(block, ToolResult):
        return ToolResult(
            call_id=block.call_id,
            content=(Text(placeholder),),
            is_error=block.is_error,
            pending=block.pending,
            server=block.server,
            raw=block.raw,
            edited=True,
        )
    if isinstance(block, ToolCall):
        return ToolCall(
            id=block.id,
            name=block.name,
            input=_input(block, placeholder),
            server=block.server,
            raw=block.raw,
            edited=True,
        )
    return Text(placeholder)


def _input(call: ToolCall, shorter: str) -> Any:
    """A shorter input in the provider's form: text where it had text, else a JSON value."""
    if not shorter:
        return call_placeholder(call)
    return shorter if isinstance(call.input, str) else json.loads(shorter)


def coalesced(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted, disjoint ranges that cover the same numbers."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(ranges):
        if merged and start <= merged[-1][1]:
            if stop > merged[-1][1]:
                merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return merged


def without_pointless(edits: Sequence[Edit]) -> list[Edit]:
    """The edits without those whose blocks other edits of the same plan take out anyway."""
    dropped = coalesced((e.start, e.stop) for e in edits if e.kind == "drop" and not e.blocks)
    gone = {(e.start, n) for e in edits if e.kind == "drop" for n in e.blocks}
    last = {(e.start, e.blocks): e for e in edits if e.blocks and e.kind != "drop"}

    def pointless(edit: Edit) -> bool:
        if not edit.blocks:
            return False
        if last.get((edit.start, edit.blocks), edit) is not edit and edit.kind != "drop":
            return True
        before = bisect_left(dropped, (edit.start + 1, -1)) - 1
        if before >= 0 and edit.start < dropped[before][1]:
            return True
        return edit.kind != "drop" and all((edit.start, n) in gone for n in edit.blocks)

    return [edit for edit in edits if not pointless(edit)]
