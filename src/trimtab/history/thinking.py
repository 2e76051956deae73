"""Where a history holds thinking, and which of it is bound to what precedes it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import Thinking


@dataclass(slots=True)
class ThinkingIndex:
    """The messages that hold thinking, ascending; grows with the history.

    Attributes:
        messages: their numbers.
        blocks: for each, the numbers of its thinking blocks.
        bound: for each, the numbers of those that are bound (signed or redacted).
    """

    messages: list[int] = field(default_factory=list)
    blocks: list[tuple[int, ...]] = field(default_factory=list)
    bound: list[tuple[int, ...]] = field(default_factory=list)
    _seen: int = 0

    def refresh(self, history: History) -> None:
        """Take up the messages that were appended since."""
        for number in range(self._seen, len(history)):
            found = [
                (n, b.bound)
                for n, b in enumerate(history[number].blocks)
                if isinstance(b, Thinking)
            ]
            if found:
                self.messages.append(number)
                self.blocks.append(tuple(n for n, _ in found))
                self.bound.append(tuple(n for n, bound in found if bound))
        self._seen = len(history)

    def first_from(self, message: int) -> int:
        """The place in the lists of the first message numbered `message` or higher."""
        return bisect_left(self.messages, message)


def thinking_of(history: History) -> ThinkingIndex:
    """The thinking of all messages of `history` so far; only what is new is read."""
    index = history.derived("thinking", ThinkingIndex)
    index.refresh(history)
    return index
