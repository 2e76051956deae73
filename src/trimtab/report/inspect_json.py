"""`trimtab inspect --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trimtab.report.fill import Fill
from trimtab.report.pieces import PARTS
from trimtab.report.turns import Turn


def fills_json(fills: Sequence[Fill]) -> dict[str, Any]:
    """All sessions, and their sums."""
    return {
        "sessions": [fill_json(fill) for fill in fills],
        "total": {
            "sessions": len(fills),
            "messages": sum(fill.messages for fill in fills),
            "turns": sum(len(fill.turns) for fill in fills),
            "size": sum(fill.size for fill in fills),
            "observed_again": sum(fill.stale for fill in fills),
        },
    }


def fill_json(fill: Fill) -> dict[str, Any]:
    """One session; sizes in its `unit`."""
    return {
        "file": fill.name,
        "format": fill.format,
        "session_id": fill.session_id,
        "title": fill.title,
        "model": fill.model,
        "unit": fill.unit,
        "counter": fill.counter,
        "exact": fill.exact,
        "size": fill.size,
        "window": fill.window,
        "messages": fill.messages,
        "compactions": fill.compactions,
        "threads": fill.threads,
        "started": fill.started,
        "ended": fill.ended,
        "by_role": dict(fill.roles),
        "by_kind": dict(fill.kinds),
        "by_part": dict(fill.parts),
        "by_tool": [
            {
                "tool": tool.name,
                "calls": tool.calls,
                "results": tool.results,
                "errors": tool.errors,
                "call_size": tool.call_size,
                "result_size": tool.result_size,
                "size": tool.size,
            }
            for tool in fill.tools
        ],
        "by_turn": [_turn_json(turn) for turn in fill.turns],
        "largest": [
            {
                "block": large.id,
                "message": large.message,
                "index": large.block,
                "role": large.role,
                "kind": large.kind,
                "tool": large.tool or None,
                "size": large.size,
                "begins": large.excerpt,
            }
            for large in fill.largest
        ],
        "repeated": [
            {
                "resource": repeat.resource,
                "tools": list(repeat.tools),
                "count": repeat.count,
                "size": repeat.size,
                "stale": repeat.stale,
                "messages": list(repeat.messages),
            }
            for repeat in fill.repeats
        ],
        "secrets": [
            {"kind": found.kind, "count": found.count, "messages": list(found.messages)}
            for found in fill.secrets
        ],
        "usage": _usage_json(fill),
        "problems": list(fill.problems),
    }


def _turn_json(turn: Turn) -> dict[str, Any]:
    reported = turn.reported
    return {
        "turn": turn.number,
        "message": turn.message,
        "window": turn.size,
        "parts": dict(zip(PARTS, turn.parts, strict=True)),
        "answer": turn.answer,
        "reported": None if reported is None else reported.context,
        "hidden": turn.hidden,
        "compacted": turn.compacted,
    }


def _usage_json(fill: Fill) -> dict[str, Any] | None:
    """Reported usage over all calls, and of the last one what the recording shows."""
    usage, last = fill.usage, fill.reported
    if usage is None:
        return None
    of_last = last.reported if last is not None else None
    return {
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "output": usage.output,
        "last_turn": last.number if last is not None else None,
        "last_context": of_last.context if of_last is not None else None,
        "last_visible": last.size if last is not None else None,
        "last_hidden": last.hidden if last is not None else None,
    }
