"""Tool uses: each call with the result that answers it, matched by position, per occurrence."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import ToolCall, ToolResult


@dataclass(slots=True)
class ToolUse:
    """One call of a tool.

    Attributes:
        name: the tool's name.
        message, block: where the call is.
        result: the message and block of its result; `None` while the call is open.
    """

    name: str
    message: int
    block: int
    result: tuple[int, int] | None = None


@dataclass(slots=True)
class _ToolUses:
    uses: list[ToolUse] = field(default_factory=list)
    seen: int = 0
    open: dict[str, list[int]] = field(default_factory=dict)

    def refresh(self, history: History) -> None:
        for number in range(self.seen, len(history)):
            for at, block in enumerate(history[number].blocks):
                if isinstance(block, ToolCall):
                    self.open.setdefault(block.id, []).append(len(self.uses))
                    self.uses.append(ToolUse(block.name, number, at))
                elif isinstance(block, ToolResult) and not block.pending:
                    stack = self.open.get(block.call_id)
                    if stack:
                        self.uses[stack.pop()].result = (number, at)
        self.seen = len(history)


def tool_uses(history: History) -> list[ToolUse]:
    """All calls of `history` so far, in order; kept between calls, so only what is new is read."""
    index = history.derived("tool uses", _ToolUses)
    index.refresh(history)
    return index.uses


def uses_among(history: History, start: int, stop: int) -> list[ToolUse]:
    """The calls in the messages `start <= i < stop`, in order."""
    uses = tool_uses(history)
    first = bisect_left(uses, start, key=_message)
    return uses[first : bisect_left(uses, stop, first, key=_message)]


def _message(use: ToolUse) -> int:
    return use.message
