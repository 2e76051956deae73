"""The text of an index of blocks: one line an id, then the status."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.tokens import Counter

HEADING = "Index of what left this context (a record, not an order); recall brings a block back:"
_LINE = re.compile(r"^(blk_[0-9a-hjkmnp-tv-z]{12}) - \S.*$", re.MULTILINE)
_ID = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{12}")


def lines_of(text: str) -> list[str]:
    """The lines of an index that name a block."""
    return [match.group() for match in _LINE.finditer(text)]


def ids_in(text: str) -> list[str]:
    """All block ids that a text names, in order, each once."""
    return list(dict.fromkeys(_ID.findall(text)))


def fitted(heading: str, lines: Sequence[str], status: str, counter: Counter, limit: int) -> str:
    """The index within `limit` (in the counter's unit): the oldest lines leave it first."""

    def keeping(number: int) -> str:
        left_out = len(lines) - number
        more = [f"({left_out} older entries are found by search)"] if left_out else []
        return "\n".join([heading, *more, *lines[left_out:], status])

    def fits(number: int) -> bool:
        return counter.unit != "tokens" or counter.text(keeping(number)) <= limit

    if fits(len(lines)):
        return keeping(len(lines))
    most, over = 0, len(lines)  # halving: a long list is not counted once for each of its lines
    while over - most > 1:
        middle = (most + over) // 2
        most, over = (middle, over) if fits(middle) else (most, middle)
    return keeping(most)
