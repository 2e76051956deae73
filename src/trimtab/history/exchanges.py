"""Exchanges: the smallest runs of messages that a cut may take or leave.

An exchange is an assistant message with all its tool calls, their results and the thinking that
belongs to them; or one plain message. The index follows a history as it grows: a new message
costs work in proportion to itself. Matching is by position, per occurrence: a result answers the
latest open call of its id, so an id used twice makes two pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from trimtab.history.message import Message, Text, Thinking, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange.

    Attributes:
        index: its number in the history, from 0.
        start, stop: the messages `start <= i < stop`.
        has_calls: it holds tool calls (a "call/result pair").
        open: some call in it has no result yet; it is never cut.
    """

    index: int
    start: int
    stop: int
    has_calls: bool
    open: bool


@dataclass(slots=True)
class ExchangeIndex:
    """The exchanges of the first `length` messages of a history.

    Attributes:
        starts: the first message of each exchange.
        with_calls: the numbers of the exchanges that hold client tool calls, ascending.
        orphans: message numbers that hold a result whose call is not open.
    """

    length: int = 0
    starts: list[int] = field(default_factory=list)
    with_calls: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    _open: dict[str, list[int]] = field(default_factory=dict)
    _waiting: list[int] = field(default_factory=list)  # the message of each open call, ascending
    _previous: Message | None = None
    _in_head: bool = True

    def add(self, message: Message) -> None:
        """Take up the next message of the history."""
        at = self.length
        joins = at if not self._joins_previous(message) else self.starts[-1]
        orphan = False
        for block in message.blocks:
            if isinstance(block, ToolResult) and not block.pending:
                stack = self._open.get(block.call_id)
                if stack:
                    call = stack.pop()
                    joins = min(joins, call)
                    del self._waiting[bisect_left(self._waiting, call)]
                    if not stack:
                        del self._open[block.call_id]
                elif not block.server:
                    orphan = True
            elif isinstance(block, ToolCall):
                self._open.setdefault(block.id, []).append(at)
                self._waiting.append(at)
            elif isinstance(block, ToolResult):
                stack = self._open.get(block.call_id)
                if stack:
                    joins = min(joins, stack[-1])
        if joins == at:
            self.starts.append(at)
        else:
            self._merge_from(joins)
        self.length = at + 1
        if any(isinstance(b, ToolCall) for b in message.blocks):
            last = len(self.starts) - 1
            if not self.with_calls or self.with_calls[-1] != last:
                self.with_calls.append(last)
        if orphan:
            self.orphans.append(at)
        self._previous = message

    def _joins_previous(self, message: Message) -> bool:
        """Items of one response, and thinking that precedes its call, belong together.

        Anthropic takes a system message in mid-conversation only between a user's turn and an
        answer, so it belongs to both.
        """
        previous = self._previous
        self._in_head = self._in_head and message.role == "system"
        if previous is None or self._in_head:
            return False
        if message.dialect == "anthropic" and "system" in (message.role, previous.role):
            return message.role == "system" or self.starts[-1] < self.length - 1
        if previous.role != "assistant" or message.role != "assistant":
            return False
        if message.dialect == "responses" and previous.dialect == "responses":
            return True
        if message.id is not None and message.id == previous.id:
            return True
        return bool(previous.blocks) and isinstance(previous.blocks[-1], Thinking)

    def _merge_from(self, message: int) -> None:
        """All exchanges from the one that holds `message` become one."""
        first = bisect_right(self.starts, message) - 1
        del self.starts[first + 1 :]
        had_calls = False
        while self.with_calls and self.with_calls[-1] >= first:
            self.with_calls.pop()
            had_calls = True
        if had_calls:
            self.with_calls.append(first)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Exchange:
        if not 0 <= index < len(self.starts):
            raise IndexError(index)
        start = self.starts[index]
        stop = self.starts[index + 1] if index + 1 < len(self.starts) else self.length
        at = bisect_right(self.with_calls, index) - 1
        return Exchange(
            index=index,
            start=start,
            stop=stop,
            has_calls=at >= 0 and self.with_calls[at] == index,
            open=bisect_left(self._waiting, start) < bisect_left(self._waiting, stop),
        )

    def holding(self, message: int) -> Exchange:
        """The exchange that holds message number `message`."""
        return self[bisect_right(self.starts, message) - 1]

    def open_calls(self) -> dict[str, tuple[int, ...]]:
        """Calls without a result so far: id -> the messages that hold them."""
        return {id: tuple(stack) for id, stack in self._open.items()}


def riders(message: Message) -> tuple[int, ...]:
    """The block numbers of the user's own words in a message that also carries tool results.

    Such text rides along with the results but is not part of the call: a cut that takes the pair
    leaves it.
    """
    if message.role != "user" or not any(isinstance(b, ToolResult) for b in message.blocks):
        return ()
    return tuple(
        n
        for n, b in enumerate(message.blocks)
        if not isinstance(b, ToolResult) and not (isinstance(b, Text) and not b.text.strip())
    )
