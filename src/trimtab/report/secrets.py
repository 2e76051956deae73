"""Keys, tokens and passwords in a session: how many of each kind and where, never what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.formats.jsontext import dumps_text
from trimtab.history.log import History
from trimtab.history.message import Block, Document, Text, Thinking, ToolCall, ToolResult
from trimtab.store.redaction import find_secrets


@dataclass(frozen=True, slots=True)
class Found:
    """Secrets of one kind.

    Attributes:
        kind: such as `github-token`.
        count: how often one stands in the session.
        messages: the numbers of the messages that hold one.
    """

    kind: str
    count: int
    messages: tuple[int, ...]


def secrets_in(history: History) -> tuple[Found, ...]:
    """The secrets of a session by kind, the most frequent first."""
    places: dict[str, list[int]] = {}
    for number, message in enumerate(history):
        for text in _texts(message.blocks):
            for secret in find_secrets(text):
                places.setdefault(secret.kind, []).append(number)
    found = [Found(kind, len(at), tuple(dict.fromkeys(at))) for kind, at in places.items()]
    return tuple(sorted(found, key=lambda f: (-f.count, f.kind)))


def _texts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text() | Thinking() | Document():
                yield block.text
            case ToolCall():
                given = block.input
                yield given if isinstance(given, str) else dumps_text(given)
            case ToolResult():
                yield from _texts(block.content)
