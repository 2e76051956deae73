"""What kind of content a text is, by a cheap look at a sample of it.

Models without a public tokenizer differ from OpenAI's vocabulary by another factor for prose
than for code, and for CJK than for logs, so each text has a class.
"""

from __future__ import annotations

import re
from functools import cache

CLASSES = ("prose", "code", "cjk", "data", "run")
"""`prose`: words in Latin letters. `code`: program text. `cjk`: mostly beyond Latin letters.
`data`: JSON, logs, tables, numbers. `run`: the characters of long unbroken runs (base64, hex,
one repeated letter), which count by their length."""

SAMPLE = 512
RUN = 256
"""An unbroken run of this many characters or more is no language any more."""

# Counted as bytes of UTF-8, deleted in one pass of C: 1.5 kB takes a few microseconds.
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = b"0123456789"
_SPACES = b" \n\t\r"
_MARKS = b"{}()[];=<>\"'`_/\\|:,@#$%^&*+~-"
_QUOTES = b'{}":'
# First bytes of characters beyond Latin, its accents and general punctuation: Greek, Cyrillic,
# Hebrew, Arabic (0xCE-0xDF), Indic and Thai (0xE0), CJK, kana, hangul, emoji (0xE3-0xF4).
_NOT_LATIN = bytes((*range(0xCE, 0xE1), *range(0xE3, 0xF5)))
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_SYMBOLS = b"\xe2"  # the first of three bytes: punctuation, arrows, box drawing

_RUN_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_%-")


def sample(text: str) -> str:
    """The text, or its beginning, middle and end when it is long."""
    if len(text) <= SAMPLE * 3:
        return text
    middle = len(text) // 2
    return text[:SAMPLE] + text[middle : middle + SAMPLE] + text[-SAMPLE:]


def classify(text: str) -> str:
    """The class of a text: `prose`, `code`, `cjk` or `data`."""
    seen = sample(text).encode("utf-8", "surrogatepass")

    def amount(of: bytes) -> int:
        return len(seen) - len(seen.translate(None, of))

    if not seen.isascii():
        beyond = amount(_NOT_LATIN)
        if beyond * 5 > min(len(text), 3 * SAMPLE):
            return "cjk"
    spaces = amount(_SPACES)
    solid = len(seen) - spaces
    if not solid:
        return "prose"
    letters = amount(_LETTERS) + amount(_BEYOND_ASCII) - 3 * amount(_SYMBOLS)
    if letters * 2 < solid or amount(_DIGITS) * 6 > solid:
        return "data"
    marks = amount(_MARKS)
    if marks * 12 > len(seen):
        return "data" if b"{" in seen and amount(_QUOTES) * 2 > marks else "code"
    return "prose"


def split_runs(text: str) -> tuple[str, int]:
    """The text without its long unbroken runs, and how many characters these hold."""
    if len(text) < RUN or not _may_hold_run(text):
        return text, 0
    rest, found = _run().subn("", text)
    return (rest, len(text) - len(rest)) if found else (text, 0)


def _may_hold_run(text: str) -> bool:
    """A run covers one whole half-run-long piece of the text, and that holds no space."""
    half = RUN // 2
    find = text.find
    for start in range(0, len(text) - half + 1, half):
        stop = start + half
        if (
            find(" ", start, stop) < 0
            and find("\n", start, stop) < 0
            and _RUN_CHARACTERS.issuperset(text[start:stop])
        ):
            return True
    return False


@cache
def _run() -> re.Pattern[str]:
    """Made on first use, as few texts need it; looks behind so as to try each run only once."""
    characters = "[A-Za-z0-9+/=_%-]"
    return re.compile(f"(?<!{characters}){characters}{{{RUN},}}")
