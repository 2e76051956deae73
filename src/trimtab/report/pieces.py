"""A window in pieces: what each block of a history takes, and what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trimtab.context.sizes import sizes_of
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.history.tool_uses import tool_uses
from trimtab.tokens import Counter

PARTS = (
    "instructions",
    "user",
    "assistant",
    "thinking",
    "tool calls",
    "tool results",
    "pictures and files",
    "other",
)
"""What the charts tell apart, from the bottom of a stack to its top. `instructions`: system
prompt, tool definitions and what a harness says in the user's name. `other`: overhead of
messages, blocks of unknown kind."""

OVERHEAD = "overhead"
TOOLS = "tool definitions"
WHOLE = -1
"""The message number of what belongs to no message."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One block's share of the window.

    Attributes:
        message, block: where it is; `block` is -1 for a message's own overhead, `message` too
            for what belongs to the request as a whole.
        role: `system`, `user`, `harness` (said in the user's name), `assistant`, `tool`,
            `tool definitions` or `overhead`.
        kind: the block's kind.
        part: one of `PARTS`.
        tool: the tool's name for calls and results, else empty.
        size: in the counter's unit.
    """

    message: int
    block: int
    role: str
    kind: str
    part: str
    tool: str
    size: int


def pieces(history: History, counter: Counter) -> list[Piece]:
    """Everything that takes room, in order; the sizes sum up to that of the whole context."""
    sizes = sizes_of(history, counter)
    tools = _tool_names(history)
    found: list[Piece] = []
    definitions = counter.tools(history.tools, history.dialect)
    if definitions:
        found.append(Piece(WHOLE, -1, TOOLS, TOOLS, "instructions", "", definitions))
    for number, message in enumerate(history):
        left = sizes.of[number]
        for at, block in enumerate(message.blocks):
            for kind, part, size in _split(block, message, counter):
                role = _role(block, message)
                found.append(Piece(number, at, role, kind, part, tools.get((number, at), ""), size))
                left -= size
        if left:
            found.append(Piece(number, -1, OVERHEAD, OVERHEAD, "other", "", left))
    rest = sizes.total(sum(sizes.of), len(history)) - sum(piece.size for piece in found)
    if rest:
        found.append(Piece(WHOLE, -1, OVERHEAD, OVERHEAD, "other", "", rest))
    return found


def _tool_names(history: History) -> dict[tuple[int, int], str]:
    names: dict[tuple[int, int], str] = {}
    for use in tool_uses(history):
        names[use.message, use.block] = use.name
        if use.result is not None:
            names[use.result] = use.name
    return names


def _role(block: Block, message: Message) -> str:
    if isinstance(block, ToolResult):
        return "tool"
    if message.role == "user" and not message.typed:
        return "harness"
    return message.role


def _split(block: Block, message: Message, counter: Counter) -> Iterator[tuple[str, str, int]]:
    """Kind, part and size of a block; the pictures of a tool result apart from its text."""
    size = counter.block(block)
    if isinstance(block, ToolResult):
        for inner in block.content:
            if isinstance(inner, Image | Document):
                taken = counter.block(inner)
                size -= taken
                yield kind_of(inner), "pictures and files", taken
        yield "tool result", "tool results", size
        return
    yield kind_of(block), _part(block, message), size


def kind_of(block: Block) -> str:
    """The kind of a block, in a word or two."""
    match block:
        case Text():
            return "text"
        case Thinking():
            return "thinking"
        case ToolCall():
            return "tool call"
        case ToolResult():
            return "tool result"
        case Image():
            return "image"
        case Document():
            return "document"
        case Opaque():
            return block.kind


def _part(block: Block, message: Message) -> str:
    match block:
        case Text():
            if message.role == "assistant":
                return "assistant"
            return "user" if message.role == "user" and message.typed else "instructions"
        case Thinking():
            return "thinking"
        case ToolCall():
            return "tool calls"
        case Image() | Document():
            return "pictures and files"
    return "other"
