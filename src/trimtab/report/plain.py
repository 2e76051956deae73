"""Text and figures as people read them: one way for all reports."""

from __future__ import annotations

import re
from datetime import datetime

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """`text` without what could steer a terminal or cannot be encoded.

    Control characters (but for line ends and tabs) and marks that turn the writing direction
    become `·`, lone surrogates U+FFFD: a session's content must not move the reader's cursor.
    """
    return _SURROGATE.sub(REPLACEMENT, _UNPRINTABLE.sub("·", text))


def one_line(text: str, length: int = 80) -> str:
    """The beginning of `text` as one printable line of at most `length` characters."""
    line = " ".join(printable(text[: length * 8]).split())
    if len(line) <= length and len(text) <= length * 8:
        return line
    return line[: length - 1].rstrip() + "…"


def number(value: int | None) -> str:
    """`12,345`; a dash for nothing."""
    return "–" if value is None else f"{value:,}"


def short(value: float) -> str:
    """`950`, `12.3k`, `128k`, `1.5M`: for axes and narrow places."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}" if abs(value) < 1000 * size else f"{value:.3g}"
    return f"{value:.3g}"


def percent(rate: float | None) -> str:
    """A rate 0..1 as `62 %`; below one and above ninety-nine per cent never rounded to the end."""
    if rate is None:
        return "–"
    shown = f"{rate * 100:.0f}"
    if (shown == "0" and rate > 0) or (shown == "100" and rate < 1):
        shown = f"{rate * 100:.1f}"
        if shown == "0.0":
            return "<0.1 %"
        if shown == "100.0":
            return ">99.9 %"
    return f"{'0' if shown == '-0' else shown} %"


def plural(count: int, thing: str, things: str = "") -> str:
    """`1 message`, `3 messages`."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 20 min`, `4 days`."""
    seconds = max(seconds, 0)
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return plural(round(hours / 24), "day")


def moment(seconds: float) -> str:
    """A time as `2026-01-12 14:05`, in the local time zone."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def age(seconds: float) -> str:
    """How long ago: `3 min ago`."""
    return "now" if seconds < 1 else f"{duration(seconds)} ago"


def file_size(size: int) -> str:
    """Bytes as `12 kB`, `3.4 MB`."""
    for limit, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")):
        if size >= limit:
            value = size / limit
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{size} B"
