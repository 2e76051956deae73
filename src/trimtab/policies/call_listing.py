"""A plain listing of calls: what was called, with which arguments, and what came of it.

No model is asked. The wording is not that of a call, which a model would imitate instead of
calling.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.context.sizes import sizes_of
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.history.message import Image, ToolCall, ToolResult
from trimtab.history.tool_uses import ToolUse, uses_among
from trimtab.tokens import Counter


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is told of each call, in characters: of its arguments and of its outcome."""

    arguments: int
    outcome: int


LEVELS = (Detail(160, 200), Detail(80, 80), Detail(40, 40), Detail(24, 16), Detail(0, 0))


def listing(history: History, pairs: Sequence[Exchange], counter: Counter) -> str:
    """`Summary of previous tool calls: [...]`, with as much detail as is shorter than the pairs.

    Args:
        pairs: the evicted exchanges that it tells of, oldest first.
    """
    sizes = sizes_of(history, counter).of
    size = sum(sum(sizes[pair.start : pair.stop]) for pair in pairs)
    uses = [use for pair in pairs for use in uses_among(history, pair.start, pair.stop)]
    for level in LEVELS:
        entries = [_entry(history, use, level) for use in uses]
        text = f"Summary of previous tool calls: [{'; '.join(entries)}]"
        if counter.text(text) < size:
            break
    return text


def told_in_short(history: History, uses: Sequence[ToolUse]) -> str:
    """Which tools were used on what, each once: `read a.py, b.py; run make (1 failed)`."""
    objects: dict[str, dict[str, None]] = {}
    failed = 0
    for use in uses:
        call = history[use.message].blocks[use.block]
        if isinstance(call, ToolCall):
            objects.setdefault(use.name, {})[clipped(_first_argument(call.input), 30)] = None
        if use.result is not None:
            result = history[use.result[0]].blocks[use.result[1]]
            failed += isinstance(result, ToolResult) and result.is_error
    told = [f"{name} {', '.join(filter(None, seen))}".strip() for name, seen in objects.items()]
    return "; ".join(told) + (f" ({failed} failed)" if failed else "")


def _first_argument(value: Any) -> str:
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text)
        except ValueError:
            return text
    if isinstance(value, dict):
        return _shown(next(iter(value.values()), ""))
    return "" if value is None else _shown(value)


def _entry(history: History, use: ToolUse, detail: Detail) -> str:
    call = history[use.message].blocks[use.block]
    told = use.name
    if detail.arguments and isinstance(call, ToolCall):
        arguments = arguments_of(call.input)
        if arguments:
            told += f" with {clipped(arguments, detail.arguments)}"
    if use.result is not None:
        number, at = use.result
        result = history[number].blocks[at]
        if isinstance(result, ToolResult):
            told += f": {_outcome(result, detail.outcome)}"
    return told


def arguments_of(value: Any) -> str:
    """The arguments of a call on one line, as `key=value`, whatever the provider's form."""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
    if isinstance(value, dict):
        return ", ".join(f"{key}={_shown(item)}" for key, item in value.items())
    return "" if value is None else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(json.dumps(value, ensure_ascii=False))


def _outcome(result: ToolResult, length: int) -> str:
    """The first and the last line that say something; most tools put the result in one."""
    kind = "error" if result.is_error else "ok"
    lines = [line.strip() for line in result.text.splitlines() if line.strip()]
    images = sum(isinstance(part, Image) for part in result.content)
    if images:
        kind += f", {images} image{'s' if images > 1 else ''}"
    if not lines:
        return f"{kind}, no text" if not images else kind
    if not length:
        return kind
    if len(lines) == 1:
        return f"{kind}, {clipped(lines[0], length)}"
    half = length // 2
    return f"{kind}, {len(lines)} lines, {clipped(lines[0], half)} ... {clipped(lines[-1], half)}"


def clipped(text: str, length: int) -> str:
    """`text` on one line, cut to `length` characters; a cut is shown."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    return line[: max(length - 1, 0)] + "…"
