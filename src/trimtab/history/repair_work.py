"""What a repair works on: the messages taken apart, so that blocks can be moved and told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trimtab.history.message import (
    Block,
    Message,
    Opaque,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

NEW = -1
"""The number of a message that a repair put in."""
_ID_KEYS = ("id", "tool_use_id", "tool_call_id", "call_id")


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was broken, and what was done about it.

    Attributes:
        message: the number of the message in the history that was repaired, from 0; -1 where it
            is the request as a whole.
        what: what was broken.
        done: what was done.
    """

    message: int
    what: str
    done: str


@dataclass(slots=True, eq=False)
class Part:
    """A block; `mate` is the result of a call, the call of a result, an interim result's too."""

    block: Block
    mate: Part | None = None

    @property
    def calls(self) -> bool:
        """It is a call that the client answers."""
        return isinstance(self.block, ToolCall) and not self.block.server

    @property
    def answers(self) -> bool:
        """It is a client's result."""
        return isinstance(self.block, ToolResult) and not self.block.server


@dataclass(slots=True, eq=False)
class Item:
    """A message in parts.

    Attributes:
        message: as it was read.
        number: its number in the history; `NEW` for one that a repair put in.
        parts: its blocks as they stand now.
        changed: it is to be written from its parts.
    """

    message: Message
    number: int
    parts: list[Part]
    changed: bool = False

    @property
    def role(self) -> Role:
        """Who speaks."""
        return self.message.role

    @property
    def side(self) -> str:
        """Who speaks, as Anthropic sees it."""
        return "user" if self.role == "tool" else self.role

    @property
    def only_results(self) -> bool:
        """It says nothing but tool results."""
        return bool(self.parts) and all(isinstance(p.block, ToolResult) for p in self.parts)

    def swap(self, part: Part, block: Block) -> None:
        """Another block in the place of this one."""
        part.block = block
        self.changed = True

    def take(self, part: Part) -> None:
        """Take a part out."""
        self.parts.remove(part)
        self.changed = True

    def reshape(self, raw: Any) -> None:
        """Another shell: the JSON value that the message is written with."""
        self.message = replace(self.message, raw=raw)

    def built(self) -> Message:
        """The message as it stands; the very one that was read where nothing changed."""
        blocks = tuple(part.block for part in self.parts)
        return self.message.with_blocks(blocks) if self.changed else self.message


@dataclass(slots=True, eq=False)
class Work:
    """A history under repair."""

    dialect: str
    items: list[Item]
    envelope: Mapping[str, Any]
    repairs: list[Repair] = field(default_factory=list)

    def tell(self, at: Item | int, what: str, done: str) -> None:
        """List a repair."""
        self.repairs.append(Repair(at if isinstance(at, int) else at.number, what, done))

    def new(self, role: Role, *blocks: Block, number: int = NEW) -> Item:
        """A message that a repair puts in; nobody typed it."""
        parts = [Part(block) for block in blocks]
        message = Message(role, blocks, typed=False, dialect=self.dialect)
        return Item(message, number, parts, changed=True)

    def placed(self) -> Iterator[tuple[Item, Part]]:
        """All parts in order, with their messages."""
        for item in self.items:
            for part in item.parts:
                yield item, part

    def holder(self) -> dict[Part, Item]:
        """Which message holds a part."""
        return {part: item for item, part in self.placed()}


def shown_json(value: Any) -> str:
    """A JSON value as text; what is text stays as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def told(block: Block) -> str:
    """What a block says, as text, so that a note can keep it."""
    if isinstance(block, ToolResult):
        parts = [p.text if isinstance(p, Text) else told(p) for p in block.content]
        return "\n".join(part for part in parts if part)
    if isinstance(block, ToolCall):
        return shown_json(block.input) if block.input is not None else ""
    if isinstance(block, Opaque) and block.raw is not None:
        return shown_json(block.raw)
    for name in ("text", "url", "title"):
        text = getattr(block, name, "")
        if text:
            return str(text)
    return ""


def note(about: str, text: str) -> Text:
    """A note that keeps a text whose place is gone; it is quoted, not said."""
    return Text(f"[{about}]\n{text}" if text.strip() else f"[{about}]")


def set_id(item: Item, part: Part, id: str) -> None:
    """Give a call or a result another id, in its raw form too."""
    block = part.block
    if isinstance(block, ToolCall):
        old = block.id
        made: Block = replace(block, id=id, raw=_renamed(block.raw, old, id))
    elif isinstance(block, ToolResult):
        old = block.call_id
        made = replace(block, call_id=id, raw=_renamed(block.raw, old, id))
    else:
        return
    raw = item.message.raw
    if isinstance(raw, dict) and raw is block.raw:
        item.reshape(made.raw)
    elif isinstance(raw, dict) and item.role == "tool":
        item.reshape(_renamed(raw, old, id))
    item.swap(part, made)


def _renamed(raw: Any, old: str, new: str) -> Any:
    if not isinstance(raw, dict):
        return raw
    keys = [key for key in _ID_KEYS if raw.get(key) == old]
    if not keys and not old:  # no id at all: the key that this kind of thing has
        keys = [k for k in _ID_KEYS if k in raw] or ["id"]
    return {**raw, **dict.fromkeys(keys, new)}
