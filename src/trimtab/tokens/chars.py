"""Sizes in characters (Unicode code points): the unit of the retention experiment."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.history.message import Block, Message, Tool
from trimtab.tokens.content import block_texts, tool_text


class CharCounter:
    """Counts characters. The whole is all texts joined by one newline each.

    A message's text is all that it says in text: its text blocks, thinking, calls (name and
    arguments), results and text documents, and blocks of unknown kind as their JSON, joined by
    newlines. Pictures and binary files have no characters.
    """

    unit = "chars"
    name = "chars"
    exact = True

    __slots__ = ()

    def text(self, text: str) -> int:
        """The number of code points."""
        return len(text)

    def block(self, block: Block) -> int:
        """Characters of the block's texts, joined by newlines."""
        texts = block_texts(block)
        return sum(map(len, texts)) + max(0, len(texts) - 1)

    def message(self, message: Message) -> int:
        """Characters of the message's texts, joined by newlines, and the newline after it."""
        texts = [text for block in message.blocks for text in block_texts(block)]
        return sum(map(len, texts)) + max(1, len(texts))

    def tools(self, tools: Sequence[Tool], dialect: str) -> int:
        """Characters of the definitions as compact JSON, each with a newline."""
        return sum(len(tool_text(tool)) + 1 for tool in tools)

    def total(self, message_sizes_sum: int, messages: int) -> int:
        """The size of the whole: the last message needs no newline."""
        return max(0, message_sizes_sum - 1)
