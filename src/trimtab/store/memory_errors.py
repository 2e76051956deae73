"""What the memory tool refuses, and text made fit to be sent to a model."""

from __future__ import annotations

import re
import unicodedata

from trimtab.errors import TrimtabError

_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LONGEST_SHOWN = 1_000


class MemoryToolError(TrimtabError):
    """What the model asked of its memory cannot be done; nothing was changed.

    `str(error)` is the text to answer it with, as a tool result with `is_error`. It names paths as
    the model knows them, never a folder of this machine.
    """

    def __init__(self, answer: str) -> None:
        super().__init__(well_formed(answer))


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined, and each lone surrogate as U+FFFD.

    A request that holds a lone surrogate is refused by every provider, as is each one after it.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shown(path: str) -> str:
    """A path as it may stand in an answer: of bounded length, nothing unseen, all on one line."""
    if len(path) > _LONGEST_SHOWN:
        path = path[:_LONGEST_SHOWN] + "…"
    return "".join(
        character.encode("unicode_escape").decode() if unseen(character) else character
        for character in path
    )


def unseen(character: str) -> bool:
    """Control characters, line separators, lone surrogates, and what reorders text around it."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _BIDI
