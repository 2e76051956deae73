"""How a summary came about and what the guard found in it, told in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trimtab.report.plain import one_line

SHOWN = 12
"""So many values of a state are named; all of them are in the JSON form."""


def told(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines that tell a summary's report.

    Args:
        report: the JSON value that is stored with the edit (`Edit.report`).
    """
    asked = report.get("model")
    wrote = asked and report["summariser"].endswith(asked)
    model = f"; the model {asked} was asked" if asked and not wrote else ""
    yield f"Summary by {report['summariser']}{model}"
    for attempt in report.get("attempts", ()):
        if attempt["reason"]:
            yield f"  tried {attempt['summariser']}: {attempt['reason']}"
    usage = report.get("usage", {})
    if any(usage.values()):
        took = usage["input"] + usage["cache_read"] + usage["cache_write"]
        yield f"  it took {took:,} tokens in and {usage['output']:,} out"
    guard = report.get("guard")
    if isinstance(guard, Mapping):
        yield from _guard(guard)


def _guard(guard: Mapping[str, Any]) -> Iterator[str]:
    counts = guard.get("counts", {})
    states = ", ".join(f"{number:,} {state}" for state, number in counts.items())
    verdict = "nothing invented, nothing lost" if guard.get("ok") else "it does not hold"
    yield f"  guard: {verdict}; values: {states or 'none'}"
    of: dict[str, list[Mapping[str, Any]]] = {}
    for value in guard.get("values", ()):
        of.setdefault(value["state"], []).append(value)
    of.pop("recallable", None)  # only counted: the blocks hold them
    for state, values in of.items():
        for value in values[:SHOWN]:
            why = f" ({value['reason']})" if value.get("reason") else ""
            where = f", message {value['source']}" if "source" in value else ""
            yield f"    {state}: {value['kind']} {one_line(value['text'], 100)}{where}{why}"
        left = len(values) - SHOWN
        if left > 0:
            yield f"    and {left:,} more {state}; --json names them"
