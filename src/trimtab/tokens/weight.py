"""The make-up of a context: how much of each class it holds, before any factor is applied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.errors import UsageError
from trimtab.history.message import Document, Image, Message, Thinking, Tool, ToolResult
from trimtab.tokens.classes import CLASSES
from trimtab.tokens.counter import Counter
from trimtab.tokens.estimate import measure
from trimtab.tokens.token_counter import TokenCounter, estimated_frame

SCALED = (*CLASSES, "frame")
"""The classes that a learned factor scales: texts by class, and what stands around them."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Amounts by class; weights add up, so a context's is kept up to date message by message.

    Attributes:
        scaled: an amount for each of `SCALED`: o200k tokens (`run`: characters; `frame`:
            tokens).
        fixed: tokens that no factor scales: pictures, binary files; for an exact counter, all.
    """

    scaled: tuple[int, ...] = (0,) * len(SCALED)
    fixed: int = 0

    def __add__(self, other: Weight) -> Weight:
        pairs = zip(self.scaled, other.scaled, strict=True)
        return Weight(tuple(a + b for a, b in pairs), self.fixed + other.fixed)

    def __sub__(self, other: Weight) -> Weight:
        pairs = zip(self.scaled, other.scaled, strict=True)
        return Weight(tuple(a - b for a, b in pairs), self.fixed - other.fixed)


def weigh(
    counter: Counter,
    messages: Iterable[Message],
    tools: Sequence[Tool] = (),
    dialect: str = "",
) -> Weight:
    """The weight of messages, and of tool definitions where given, as `counter` sees them.

    Raises:
        UsageError: the counter does not count tokens.
    """
    if not isinstance(counter, TokenCounter):
        raise UsageError("only token counts can be compared with reported usage, not chars")
    if counter.exact:
        sizes = sum(map(counter.message, messages))
        return Weight(fixed=sizes + counter.tools(tools, dialect))
    amounts = [0] * len(CLASSES)

    def add(text: str) -> int:
        at, basis, run = measure(text)
        amounts[at] += basis
        amounts[-1] += run
        return 0

    # A counter whose texts cost nothing returns what is left: the frame and the files.
    probe = TokenCounter(counter.family, "probe", False, add, estimated_frame(counter.family))
    other = files = 0
    for message in messages:
        other += probe.message(message)
        files += sum(probe.block(block) for block in _binary(message.blocks))
    other += probe.tools(tools, dialect)
    return Weight((*amounts, other - files), files)


def _binary(blocks: Iterable[Any]) -> Iterable[Any]:
    """What is counted by its size and not as text; texts in it have been counted already."""
    for block in blocks:
        if isinstance(block, ToolResult):
            yield from _binary(block.content)
        elif isinstance(block, Image) or (isinstance(block, Thinking) and not block.text):
            yield block
        elif isinstance(block, Document) and not block.text:
            yield Document(media_type=block.media_type, data=block.data, url=block.url)
