"""Short sessions of tool calls, made by hand in the real argument shapes of agents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Call:
    """One call with its result: the tool, its arguments, what came of it."""

    tool: str
    given: Any
    result: str = "done"
    error: bool = False


def session(*turns: Call | Iterable[Call], dialect: str = "anthropic", system: str = "") -> History:
    """A task, then the turns: one call each, or several in parallel; then an answer."""
    history = History(dialect=dialect, model="claude-sonnet-4-5")
    if system:
        history.append(Message("system", (Text(system),), dialect=dialect))
    history.append(Message("user", (Text("Put the ledger in order."),), dialect=dialect))
    for number, turn in enumerate(turns):
        add(history, [turn] if isinstance(turn, Call) else list(turn), f"c{number}")
    history.append(Message("assistant", (Text("Done."),), dialect=dialect))
    return history


def add(history: History, calls: list[Call], id: str) -> None:
    """One more turn of a session."""
    dialect = history.dialect

    def arguments(given: Any) -> Any:
        return json.dumps(given) if dialect == "openai" and isinstance(given, Mapping) else given

    made = tuple(
        ToolCall(f"{id}-{n}", call.tool, arguments(call.given)) for n, call in enumerate(calls)
    )
    results = tuple(
        ToolResult(f"{id}-{n}", (Text(call.result),), is_error=call.error)
        for n, call in enumerate(calls)
    )
    history.append(Message("assistant", made, dialect=dialect))
    if dialect == "anthropic":
        history.append(Message("user", results, dialect=dialect))
    else:
        history.extend(Message("tool", (result,), dialect=dialect) for result in results)
