"""Blocks: the exact bytes of what left a context, and the id that they have.

The id is a hash of the bytes: the same text has the same id wherever and whenever it left, and a
block read back can be checked against its id.
"""

from __future__ import annotations

import hashlib

from trimtab.context.edits import Edit
from trimtab.formats.jsontext import dumps
from trimtab.formats.neutral import write_message
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Text, ToolResult

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u to mistype
_LENGTH = 12


def block_id(data: bytes) -> str:
    """The id of `data`: `blk_` and 12 characters (60 bits of its SHA-256)."""
    number = int.from_bytes(hashlib.sha256(data).digest()[:8], "big") >> 4
    digits = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "blk_" + "".join(reversed(digits))


def evicted(history: History, edit: Edit) -> bytes:
    """What `edit` takes out of the context, as bytes.

    Whole messages: one JSON line each, as the provider had it. The content of a tool result or a
    text: the text itself in UTF-8 if it is nothing but text, else JSON. Where the history's store
    redacts, without secrets (`History.prepare`).
    """
    if edit.blocks:
        blocks = history[edit.start].blocks
        data = b"\n".join(block_bytes(blocks[number]) for number in edit.blocks)
    else:
        data = b"\n".join(_message_bytes(m) for m in history[edit.start : edit.stop])
    return history.prepare(data)


def id_alone(history: History, block: Block) -> str:
    """The id that a block of `history` has if it leaves alone."""
    return block_id(history.prepare(block_bytes(block)))


def block_bytes(block: Block) -> bytes:
    """One content block's bytes: plain text where it is that, else its JSON."""
    if isinstance(block, Text):
        return text_bytes(block.text)
    if isinstance(block, ToolResult) and all(isinstance(part, Text) for part in block.content):
        return text_bytes(block.text)
    return dumps(block.raw) if block.raw is not None else _neutral(Message("assistant", (block,)))


def text_bytes(text: str) -> bytes:
    """UTF-8; lone surrogates are kept as they are, so that nothing is lost."""
    return text.encode("utf-8", "surrogatepass")


def prepared_text(history: History, text: str) -> str:
    """The text as it is kept: without secrets where the history's store redacts."""
    data = text_bytes(text)
    kept = history.prepare(data)
    return text if kept is data else kept.decode("utf-8", "surrogatepass")


def _message_bytes(message: Message) -> bytes:
    return dumps(message.raw) if message.raw is not None else _neutral(message)


def _neutral(message: Message) -> bytes:
    return dumps(write_message(message))
