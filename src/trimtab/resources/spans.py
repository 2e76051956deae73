"""Which range of a resource was seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Span = tuple[int, int]
"""The first and the last line, from 1. Below 0: counted from the end. `(n, END)`: all from `n`."""

END = 1_000_000_000


def covers(new: Span | None, old: Span | None) -> bool:
    """All that `old` shows, `new` shows too. `None` is the whole."""
    if new is None:
        return True
    if old is None or (new[0] < 0) != (old[0] < 0):
        return False
    return new[0] <= old[0] and old[1] <= new[1]


def span_of(given: Mapping[str, Any], ranges: tuple[str, ...]) -> Span | None:
    """The range that the arguments `ranges` of a call say; `None` where they say none.

    A form is `first..last`, `start+count`, `count+` (from the start), `count-` (from the end), or
    one argument that holds both: `[3, 9]`, `"3-9"`.
    """
    for form in ranges:
        span = _span(given, form)
        if span is not None:
            return span
    return None


def _span(given: Mapping[str, Any], form: str) -> Span | None:
    if ".." in form:
        first, last = (_number(given.get(key)) for key in form.split("..", 1))
        if first is None and last is None:
            return None
        return first or 1, END if last is None or last < 0 else last
    if form.endswith("-"):
        count = _number(given.get(form[:-1]))
        return None if count is None else (-abs(count), -1)
    if "+" in form:
        at, of = form.split("+", 1)
        start, count = (None, _number(given.get(at))) if not of else _numbers(given, at, of)
        if start is None and count is None:
            return None
        if start is not None and start < 0:
            return start, -1
        start = 1 if start is None else start
        return start, END if count is None else max(start, 1) + count - 1
    return _both(given.get(form))


def _numbers(given: Mapping[str, Any], at: str, of: str) -> tuple[int | None, int | None]:
    return _number(given.get(at)), _number(given.get(of))


def _both(value: Any) -> Span | None:
    if isinstance(value, str):
        found = re.fullmatch(r"\s*\[?\s*(\d+)\s*(?:[-,:]\s*(-?\d+)\s*)?\]?\s*", value)
        if not found:
            return None
        value = [int(found[1]), int(found[2] or found[1])]
    if isinstance(value, list | tuple) and len(value) == 2:
        first, last = _number(value[0]), _number(value[1])
        if first is not None and last is not None:
            return first, END if last < 0 else last
    return None


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,9}\s*", value):
        return int(value)
    return None
