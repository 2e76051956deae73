"""What kind of content a text is, by a cheap look at a sample of it.

Models without a public tokenizer differ from OpenAI's vocabulary by another factor for prose
than for code, and for CJK than for logs, so each text has a class.
"""

from __future__ import annotations

import re

CLASSES = ("prose", "code", "cjk", "data", "run")
"""`prose`: words in Latin letters. `code`: program text. `cjk`: mostly beyond Latin letters.
`data`: JSON, logs, tables, numbers. `run`: the characters of long unbroken runs (base64, hex,
one repeated letter), which count by their length."""

SAMPLE = 512
RUN = 256
"""An unbroken run of this many characters or more is no language any more."""

_NOT_LATIN = re.compile(r"[^\x00-\u024f\u1e00-\u1eff\u2000-\u206f\u20a0-\u2bff]")
_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
_DIGIT = re.compile(r"[0-9]")
_MARK = re.compile(r"[{}()\[\];=<>\"'`_/\\|:,@#$%^&*+~-]")
_QUOTED = re.compile(r"[\"{}:]")
_RUN = re.compile(rf"[A-Za-z0-9+/=_%-]{{{RUN},}}")


def sample(text: str) -> str:
    """The text, or its beginning, middle and end when it is long."""
    if len(text) <= SAMPLE * 3:
        return text
    middle = len(text) // 2
    return text[:SAMPLE] + text[middle : middle + SAMPLE] + text[-SAMPLE:]


def classify(text: str) -> str:
    """The class of a text: `prose`, `code`, `cjk` or `data`."""
    seen = sample(text)
    size = len(seen)
    if not size:
        return "prose"
    if not seen.isascii() and len(_NOT_LATIN.findall(seen)) * 5 > size:
        return "cjk"
    letters = len(_LETTER.findall(seen))
    digits = len(_DIGIT.findall(seen))
    marks = len(_MARK.findall(seen))
    if digits * 6 > size or letters * 2 < size - seen.count(" ") - seen.count("\n"):
        return "data"
    if marks * 12 > size:
        return "data" if len(_QUOTED.findall(seen)) * 2 > marks and "{" in seen else "code"
    return "prose"


def split_runs(text: str) -> tuple[str, int]:
    """The text without its long unbroken runs, and how many characters these hold."""
    if len(text) < RUN:
        return text, 0
    words = text.split()
    if max(map(len, words), default=0) < RUN:
        return text, 0
    rest, found = _RUN.subn("", text)
    return (rest, len(text) - len(rest)) if found else (text, 0)
