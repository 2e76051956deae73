"""Numbers in digits and words, English and Japanese, to one form."""

from __future__ import annotations

import re
from fractions import Fraction

from trimtab.summaries.number_words import KANJI_ONES, KANJI_TENS, ONES, SCALES, TENS

_LARGE_JA = {"万": 10**4, "億": 10**8, "兆": 10**12}

_UNIT = "|".join([*ONES, *TENS])
WORDS = rf"(?:{_UNIT})(?:[\s-]+(?:and\s+)?(?:{_UNIT}|{'|'.join(SCALES)}))*"
"""Pattern of a number in English words."""
DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
"""Pattern of a number in digits."""
JAPANESE = (
    r"(?:\d[\d,]*(?:\.\d+)?[十百千]?[万億兆]?(?:\d+[十百千]?万?)*"
    r"|[〇一二三四五六七八九十百千]+[万億兆]?[〇一二三四五六七八九十百千]*)"
)
"""Pattern of a number as Japanese writes it: `50万`, `1万5千`, `十五万`, `八百`."""

_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|.")


def number_of(text: str) -> Fraction | None:
    """The number that `text` writes, or `None`. `5k` and `1.5m` count too."""
    low = text.strip().lower().replace(",", "")
    scale = 1
    if re.fullmatch(r"\d+(?:\.\d+)?[km]", low):
        scale, low = (1000 if low[-1] == "k" else 10**6), low[:-1]
    if re.fullmatch(r"\d{1,40}(?:\.\d{1,40})?", low):
        return Fraction(low) * scale
    if low.isascii():
        return _english(re.split(r"[\s-]+", low))
    return _japanese(low)


def _english(words: list[str]) -> Fraction | None:
    total = part = Fraction(0)
    seen = False
    for word in words:
        if word == "and":
            continue
        if re.fullmatch(r"\d{1,40}(?:\.\d{1,40})?", word):
            part += Fraction(word)
        elif word in ONES or word in TENS:
            part += ONES.get(word) or TENS.get(word, 0)
        elif word == "hundred":
            part = (part or Fraction(1)) * 100
        elif word in SCALES:
            total += (part or Fraction(1)) * SCALES[word]
            part = Fraction(0)
        else:
            return None
        seen = True
    return total + part if seen else None


def _japanese(text: str) -> Fraction | None:
    total = block = Fraction(0)
    digit: Fraction | None = None
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece[0].isdecimal():
            digit = Fraction(piece.replace(",", ""))
        elif piece in KANJI_ONES:
            digit = Fraction(KANJI_ONES[piece]) if digit is None else digit * 10 + KANJI_ONES[piece]
        elif piece in KANJI_TENS:
            block += (Fraction(1) if digit is None else digit) * KANJI_TENS[piece]
            digit = None
        elif piece in _LARGE_JA:
            block += digit or 0
            total += (block or Fraction(1)) * _LARGE_JA[piece]
            block, digit = Fraction(0), None
        else:
            return None
    return total + block + (digit or 0)
