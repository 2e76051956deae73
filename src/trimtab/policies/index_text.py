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
    kept = list(lines)
    while True:
        left_out = len(lines) - len(kept)
        more = [f"({left_out} older entries are found by search)"] if left_out else []
        text = "\n".join([heading, *more, *kept, status])
        if not kept or counter.unit != "tokens" or counter.text(text) <= limit:
            return text
        del kept[0]
