"""Names and titles: what may be one, and text that every database can hold."""

from __future__ import annotations

import re

from trimtab.errors import UsageError

_UNFIT = re.compile("[\0\ud800-\udfff]")
_LONGEST = 500


def name_of(value: str, what: str) -> str:
    """`value` if it can be a name. `what` says whose, for the message.

    Raises:
        UsageError: it is empty, too long, or holds NUL or a lone surrogate.
    """
    if not value:
        raise UsageError(f"{what} is empty")
    if len(value) > _LONGEST:
        raise UsageError(f"{what} has {len(value):,} characters; at most {_LONGEST} are allowed")
    if _UNFIT.search(value):
        raise UsageError(f"{what} {value!r} holds a NUL character or half a surrogate pair")
    return value


def storable(text: str) -> str:
    """The text with each NUL and lone surrogate as U+FFFD: for titles and the index alone."""
    return _UNFIT.sub("\ufffd", text)
