"""`clear-tool-results`: old tool results give way to placeholders.

The fields and their meaning are those of Anthropic's `clear_tool_uses_20250919`. What the
provider does on its side is done here for every provider, with these edge rules (measured on the
provider's API by LiteLLM, 2026-10):

- `keep` counts only uses that may be cleared; excluded tools count neither there nor in a
  `tool_uses` trigger;
- text results of up to 46 bytes are never cleared nor counted, unless the tool's input is cleared;
- clearing goes in batches that each free at least `clear_at_least`, and leaves an incomplete last
  batch, so the cleared front only grows;
- the latest completed result is never cleared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from trimtab.context.blocks import id_alone
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit, cleared_block
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Text, ToolCall, ToolResult
from trimtab.history.placeholders import cleared, is_cleared
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.pins import required_messages
from trimtab.policies.eviction import Kept, only_words
from trimtab.policies.policy import opened, proposed

DEFAULT_TRIGGER = 100_000
SMALLEST = 46
"""Bytes of text up to which a result is left alone."""


@dataclass(frozen=True, slots=True)
class ClearToolResults:
    """Clears all tool results but the newest.

    Args:
        trigger: the context's size from which on it clears: `input_tokens:100000` (the default;
            a smaller budget is then the trigger), or `tool_uses:30`; a bare number is input
            tokens.
        keep: how many of the newest clearable tool uses stay whole.
        clear_at_least: the least that a batch must free, in the budget's unit.
        exclude_tools: names of tools that are never cleared.
        clear_tool_inputs: clear the calls' inputs too: `True`, or the names of the tools.
    """

    trigger: str | int | None = None
    keep: int = 3
    clear_at_least: int | None = None
    exclude_tools: tuple[str, ...] = ()
    clear_tool_inputs: bool | tuple[str, ...] = False

    name: ClassVar[str] = "clear-tool-results"

    def __post_init__(self) -> None:
        if self.keep < 0:
            raise UsageError(f"{self.name}: keep must be 0 or more, not {self.keep}")
        if self.clear_at_least is not None and self.clear_at_least < 0:
            raise UsageError(f"{self.name}: clear_at_least must be 0 or more")
        self._trigger(None)

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """Clear what the fields say, once the trigger is reached."""
        at = opened(history, budget, at)
        kind, value = self._trigger(budget)
        edits: list[Edit] = []
        if kind == "tool_uses" or at.size > value:
            clearable = self._clearable(at)
            if kind == "input_tokens" or len(clearable) > value:
                edits = self._batches(at, clearable)
        return proposed(
            self, at, budget, edits, lambda: ["what is no tool result, or kept by a field"]
        )

    # -- the trigger -----------------------------------------------------------------------

    def _trigger(self, budget: Budget | None) -> tuple[str, int]:
        if self.trigger is None:
            limit = DEFAULT_TRIGGER if budget is None else budget.available
            return "input_tokens", min(DEFAULT_TRIGGER, limit)
        kind, _, value = str(self.trigger).rpartition(":")
        if kind not in ("", "input_tokens", "tool_uses") or not re.fullmatch(r"\d{1,18}", value):
            raise UsageError(
                f"{self.name}: trigger {self.trigger!r:.60}: write input_tokens:N or tool_uses:N"
            )
        return kind or "input_tokens", int(value)

    # -- what may be cleared ---------------------------------------------------------------

    def _clears_input(self, tool: str) -> bool:
        names = self.clear_tool_inputs
        return names if isinstance(names, bool) else tool in names

    def _clearable(self, at: Projection) -> list[tuple[ToolUse, ToolResult]]:
        """The uses that may be cleared, oldest first; those settled before are passed over."""
        history = at.history
        kept = Kept(required_messages(history))
        uses = tool_uses(history)
        found = []
        cursor = at.cursors.get(self, 0)
        passed = True
        for place in range(cursor, len(uses)):
            use = uses[place]
            result = self._result(at, use, kept)
            if result is not None:
                found.append((use, result))
            passed = passed and result is None and use.result is not None
            if passed:
                cursor = place + 1
        at.cursors[self] = cursor
        return found

    def _result(self, at: Projection, use: ToolUse, kept: Kept) -> ToolResult | None:
        """The result of a use that may be cleared, as it stands."""
        if use.result is None or use.name in self.exclude_tools:
            return None
        number, place = use.result
        block = at.history[number].blocks[place]
        if not isinstance(block, ToolResult) or block.server or is_cleared(block):
            return None
        if not at.live(number):
            return None
        now = at.block_now(number, place)
        if not isinstance(now, ToolResult) or is_cleared(now):
            return None
        message = at.history[number]
        if kept.among(number, number + 1) and not only_words(message):
            return None
        if kept.among(use.message, use.message + 1):
            return None
        if not self._clears_input(use.name) and _is_small(now):
            return None
        return now

    # -- clearing --------------------------------------------------------------------------

    def _batches(self, at: Projection, clearable: list[tuple[ToolUse, ToolResult]]) -> list[Edit]:
        count = len(clearable) - max(self.keep, 1)
        edits: list[Edit] = []
        batch: list[Edit] = []
        gain = 0
        for use, result in clearable[: max(count, 0)]:
            new, saved = self._clear(at, use, result)
            batch += new
            gain += saved
            if batch and gain >= (self.clear_at_least or 0):
                edits += batch
                batch, gain = [], 0
        return edits

    def _clear(self, at: Projection, use: ToolUse, result: ToolResult) -> tuple[list[Edit], int]:
        assert use.result is not None
        counter = at.counter
        edits = []
        saved = 0
        size = counter.block(result)
        number, block_number = use.result
        id = id_alone(at.history, at.history[number].blocks[block_number])
        text = cleared(use.name, f"{size:,} {counter.unit}", id)
        gain = size - counter.block(cleared_block(result, text))
        reason = f"tool result older than the newest {self.keep}"
        if gain > 0:
            edits.append(Edit("clear", number, number + 1, (block_number,), text, reason))
            saved += gain
        call = at.history[use.message].blocks[use.block]
        if self._clears_input(use.name) and isinstance(call, ToolCall) and call.input:
            before = counter.block(call) - counter.block(cleared_block(call, ""))
            edits.append(Edit("clear", use.message, use.message + 1, (use.block,), "", reason))
            saved += before
        return edits, saved


def _is_small(result: ToolResult) -> bool:
    """Nothing, or text of so few bytes that it is left alone."""
    if not all(isinstance(part, Text) for part in result.content):
        return False
    return len(result.text.encode("utf-8", "replace")) <= SMALLEST
