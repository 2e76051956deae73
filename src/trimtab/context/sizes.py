"""Measured sizes: how large each message of a history is, counted once."""

from __future__ import annotations

from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.tokens import Counter


@dataclass(slots=True)
class Sizes:
    """The size of each message of a history, in the counter's unit; grows with the history."""

    history: History
    counter: Counter
    of: list[int] = field(default_factory=list)
    fixed: int = 0

    def refresh(self) -> None:
        """Count the messages that were appended since."""
        count = self.counter.message
        self.of.extend(count(message) for message in self.history[len(self.of) :])

    def total(self, messages_sum: int, messages: int) -> int:
        """The size of a context whose messages sum up to `messages_sum`, tools and all."""
        return self.counter.total(messages_sum, messages) + self.fixed


def sizes_of(history: History, counter: Counter) -> Sizes:
    """The sizes of all messages of `history` so far, by `counter`."""

    def make() -> Sizes:
        return Sizes(history, counter, fixed=counter.tools(history.tools, history.dialect))

    sizes = history.derived(("sizes", counter), make)
    sizes.refresh()
    return sizes
