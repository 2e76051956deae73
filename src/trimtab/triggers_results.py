"""How large the newest tool results were when they came."""

from __future__ import annotations

from dataclasses import dataclass, field

from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.history.message import ToolResult
from trimtab.tokens import Counter


@dataclass(slots=True)
class _Results:
    counter: Counter
    seen: int = 0
    sizes: list[int] = field(default_factory=list)

    def refresh(self, history: History) -> None:
        for number in range(self.seen, len(history)):
            for block in history[number].blocks:
                if isinstance(block, ToolResult) and not block.pending:
                    self.sizes.append(self.counter.block(block))
        self.seen = len(history)


def largest_result(at: Projection, count: int) -> int:
    """The size of the largest of the newest `count` tool results, as they came; 0 if none.

    Each result is measured once.
    """
    counter, history = at.counter, at.history
    index = history.derived(("result sizes", counter), lambda: _Results(counter))
    index.refresh(history)
    return max(index.sizes[-count:], default=0) if count > 0 else 0
