"""A part of a block: lines or characters, counted from 1, both ends included."""

from __future__ import annotations

import re

from trimtab.errors import UsageError


def part(
    data: bytes,
    *,
    lines: str | tuple[int, int] | None = None,
    chars: str | tuple[int, int] | None = None,
) -> bytes:
    """The bytes of a range of `data`; all of it without a range.

    Args:
        lines, chars: `(first, last)`, or as text `a:b`, `a:`, `:b` or `a`. Not both.

    Raises:
        UsageError: the range is none, starts behind the end, or characters of what is no text.
    """
    if lines is not None and chars is not None:
        raise UsageError("a range is of lines or of characters, not of both")
    if lines is not None:
        pieces = re.split(rb"(?<=\n)", data)
        if pieces and not pieces[-1]:
            pieces.pop()
        start, stop = _bounds(lines, len(pieces), "lines")
        return b"".join(pieces[start:stop])
    if chars is not None:
        try:
            text = data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise UsageError("characters: the block is no text; recall it whole") from None
        start, stop = _bounds(chars, len(text), "characters")
        return text[start:stop].encode("utf-8", "surrogatepass")
    return data


def _bounds(wanted: str | tuple[int, int], length: int, what: str) -> tuple[int, int]:
    """The range as `start <= i < stop`."""
    if isinstance(wanted, tuple):
        first, last = wanted
    else:
        match = re.fullmatch(r"(\d*)(:?)(\d*)", wanted.strip())
        if match is None or not (match[1] or match[3]):
            raise UsageError(f"range {wanted!r}: write A:B, A: or :B, counted from 1")
        first = int(match[1] or 1)
        last = int(match[3]) if match[3] else max(length, first) if match[2] else first
    if first < 1 or last < first:
        raise UsageError(f"range {wanted!r}: starts at 1, and does not end before it starts")
    if first > length:
        raise UsageError(f"range {wanted!r}: the block has {length:,} {what}")
    return first - 1, last
