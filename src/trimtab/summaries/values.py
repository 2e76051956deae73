"""The values in a text: what a summary may neither invent nor lose.

`values(text)` finds them and gives each the form in which it is compared. Only that form is
normalised (full-width digits, separators, spellings of units and dates); a value's own text is
always a piece of the text it was found in.

A longer value contains shorter ones: `1,204 tokens` gives its source `1204` too, a path its last
name, a time stamp its date. A unit belongs to its number: `30 s` is not `30 min`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from trimtab.summaries.values_dates import dates
from trimtab.summaries.values_kinds import KINDS, Value
from trimtab.summaries.values_names import (
    addresses,
    errors,
    hashes,
    identifiers,
    paths,
    urls,
    versions,
)
from trimtab.summaries.values_numbers import number_words, numbers
from trimtab.summaries.values_quotes import negations, quotes

__all__ = ["KINDS", "Value", "folded", "values"]

_ORDER = (urls, addresses, paths, hashes, errors, dates, versions, identifiers, numbers)
"""What is looked for first wins a span; the rest is looked for in what is left."""

_LINE = re.compile(
    r"\n[ \t>*-]{0,12}(?:\(?[0-9]{1,3}[.)](?=\s)|[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.?(?= +[A-Z])"
    r"|#{1,6} [0-9]{1,2}(?:\.[0-9]{1,2}){0,3}\.?(?=\s))"
)
_STEP = re.compile(  # spelled out both ways: a pattern that begins with letters is passed over fast
    r"(?:step|Step|phase|Phase|section|Section|chapter|Chapter|part|Part|figure|Figure|fig\.|Fig\."
    r"|table|Table|option|Option|stage|Stage|turn|Turn|item|Item|task|Task|round|Round|messages"
    r"|Messages|message|Message) [0-9]{1,3}(?:\.[0-9]{1,2}){0,3}(?:[-–][0-9]{1,3})?"
    r"(?![0-9%]|[.,][0-9])|§ ?[0-9.]{1,8}"
    r"|(?:ステップ|手順|フェーズ|章|節|図|表) ?[0-9]{1,3}(?![0-9])|第[0-9]{1,3}[章節項部]"
)
"""Numbering: it orders the text it stands in and says nothing of the world."""


def values(text: str) -> list[Value]:
    """The values of `text`, in order of their start.

    Quoted strings and the words of a negation may hold, or lie in, other values; all others are
    apart from each other. Numbering of lists, steps and sections is none.

    Args:
        text: any text; lone surrogates and control characters too.
    """
    read = folded(text)
    found = [*scanned(read), *quotes(read), *negations(read)]
    found.sort(key=lambda value: (value.start, -value.end))
    if read is text:
        return found
    return [
        Value(v.kind, text[v.start : v.end], v.start, v.end, v.norm, v.needs, v.gives)
        for v in found
    ]


def scanned(text: str) -> Iterator[Value]:
    """The values of a folded text without quotations and negations; in no order."""
    rest = text
    busy = bytearray(len(text))
    for look in _ORDER:
        taken: list[tuple[int, int]] = []
        if look is identifiers:
            rest = _STEP.sub(_blank, _LINE.sub(_blank, "\n" + rest)[1:])
        for value in look(rest):
            start, end = value.start, value.end
            if busy.find(1, start, end) < 0:
                busy[start:end] = b"\1" * (end - start)
                taken.append((start, end))
                yield value
        if taken:
            rest = _without(rest, taken)
    yield from number_words(rest)


def folded(text: str) -> str:
    """`text` with full-width forms as plain ones, each character in its place."""
    return text if text.isascii() else text.translate(_NARROW)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with the spans blanked out, as long as before."""
    spans.sort()
    parts = []
    at = 0
    for start, end in spans:
        parts.append(text[at:start])
        parts.append("\0" * (end - start))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _blank(found: re.Match[str]) -> str:
    return "\0" * len(found.group())


def _narrow() -> dict[int, str]:
    forms = {0x3000: " ", 0x2212: "-", 0x2010: "-", 0x2011: "-", 0xFFE5: "¥", 0x00A0: " "}
    forms |= {0x202F: "\u202f"}
    for code in (*range(0xFF01, 0xFF5F), *range(0xFF61, 0xFF66), 0xFFE0, 0xFFE1, 0xFFE6):
        form = unicodedata.normalize("NFKC", chr(code))
        if len(form) == 1:
            forms[code] = form
    for first in (0x0660, 0x06F0, 0x0966):  # Arabic-Indic, Persian, Devanagari digits
        forms |= {first + digit: str(digit) for digit in range(10)}
    return forms


_NARROW = _narrow()
