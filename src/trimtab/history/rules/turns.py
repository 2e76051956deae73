"""Turns, as Anthropic sees a conversation: messages of one side in a row are one turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.history.message import Block, Message, Text, Thinking, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive messages of one side.

    Attributes:
        side: `user` (tool messages too), `assistant` or `system`.
        blocks: their blocks in order, each with its message number.
        last: the number of its last message.
    """

    side: str
    blocks: list[tuple[int, Block]]
    last: int

    def calls(self) -> Iterator[tuple[int, ToolCall]]:
        """The calls that the client must answer."""
        for at, block in self.blocks:
            if isinstance(block, ToolCall) and not block.server:
                yield at, block

    def results(self) -> Iterator[tuple[int, ToolResult]]:
        """The results of such calls."""
        for at, block in self.blocks:
            if isinstance(block, ToolResult) and not block.server:
                yield at, block

    def only_results(self) -> bool:
        """It says nothing but tool results."""
        return all(isinstance(block, ToolResult) for _, block in self.blocks)


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns behind the leading system messages."""
    turns: list[Turn] = []
    started = False
    side = ""
    for at, message in enumerate(messages):
        if message.role == "system" and not started:
            continue
        started = True
        now = "user" if message.role == "tool" else message.role
        placed = [(at, block) for block in message.blocks]
        if now == side and now != "system":
            last = turns[-1]
            last.blocks.extend(placed)
            turns[-1] = Turn(side, last.blocks, at)
        else:
            turns.append(Turn(now, placed, at))
            side = now
    return turns


def blank(block: Block) -> bool:
    """A text block without a visible character."""
    return isinstance(block, Text) and not block.text.strip()


def thinks(block: Block) -> bool:
    """A thinking block."""
    return isinstance(block, Thinking)
