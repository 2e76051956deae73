"""The rules of the neutral form: calls and results pair up, both ways, per occurrence."""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.message import ToolCall, ToolResult
from trimtab.history.rules.foreign import no_foreign_blocks
from trimtab.history.rules.violation import Request, Rule, Violation, shown


def calls_answered(request: Request) -> Iterator[Violation]:
    """Every result has its call before it, every call a result; at the end calls may be open.

    A result answers the latest open call of its id. An interim result leaves the call open, and
    excuses it: the final one may come at any time.
    """
    waiting: dict[str, list[tuple[int, bool]]] = {}
    last_other = -1
    for at, message in enumerate(request.messages):
        if message.role != "assistant":
            last_other = at
        for block in message.blocks:
            if isinstance(block, ToolCall):
                waiting.setdefault(block.id, []).append((at, block.server))
            elif isinstance(block, ToolResult):
                stack = waiting.get(block.call_id)
                if not stack:
                    yield Violation(
                        "result-without-call",
                        at,
                        f"no open call {shown(block.call_id)} precedes its result",
                    )
                elif block.pending:
                    stack[-1] = (stack[-1][0], True)
                else:
                    stack.pop()
    for id, stack in waiting.items():
        for at, excused in stack:
            if not excused and at < last_other:
                yield Violation("call-without-result", at, f"the call {shown(id)} has no result")


RULES: tuple[Rule, ...] = (calls_answered, no_foreign_blocks)
