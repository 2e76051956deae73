"""Text as it is indexed and asked for: the same words for both databases.

All of it happens here, so that neither database cuts words in a way of its own. Text is folded
(NFKC, case, accents), then cut into runs of letters and digits. A run of a script that is written
without spaces becomes its pairs of neighbouring characters and, at its end, its last character
alone: 予算案 is `予算 算案 案`. So a word of two or more characters is a phrase of pairs, and one
character is the beginning of a pair (or the last of a run): both are found wherever they stand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

PIECE = 8_000  # characters; PostgreSQL counts positions to 16,383 and no further
_OVERLAP = 200  # characters that two pieces share, so that a phrase at the cut is found
_LONGEST = 64  # characters of a word; longer ones (hashes, base64) are cut, asked or indexed

# Thai, Lao, Myanmar, Khmer; Hangul; kana and their marks; ideographs.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u1100-\u11ff\uac00-\ud7ff"
    "\u3005-\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"([{_SPACELESS}]+)|[^\W_{_SPACELESS}]+")
_ASCII_RUN = re.compile(r"[a-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')
_QUOTES = str.maketrans("“”„‟″＂", '""""""')


@dataclass(frozen=True, slots=True)
class Term:
    """What must stand side by side: words in order; the last may be only begun."""

    words: tuple[str, ...]
    begun: bool


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a query. None: nothing can be found."""

    terms: tuple[Term, ...]


def fold(text: str) -> str:
    """Full-width and compatibility forms, case and accents made equal."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    # Only accents of the Latin kind: the voicing marks of kana tell words apart.
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)


def words(text: str) -> list[str]:
    """The words under which `text` is indexed, in order."""
    folded = fold(text)
    if folded.isascii():
        found = _ASCII_RUN.findall(folded)
        return [word[:_LONGEST] for word in found] if len(folded) > _LONGEST else found
    result = []
    for run in _RUN.finditer(folded):
        letters = run[0]
        if run[1] is None:
            result.append(letters[:_LONGEST])
        else:
            result += map("".join, pairwise(letters))
            result.append(letters[-1])
    return result


def query_of(text: str) -> Query:
    """Any text as a query. Nothing in it is syntax but double quotes, and those never fail."""
    terms = []
    for quoted, bare in _TERM.findall(text.translate(_QUOTES)):
        term = _term(quoted or bare)
        if term is not None and term not in terms:
            terms.append(term)
    return Query(tuple(terms))


def _term(text: str) -> Term | None:
    found = words(text)
    if not found:
        return None
    spaceless = list(_RUN.finditer(fold(text)))[-1][1]
    if spaceless is None:
        return Term(tuple(found), False)
    if len(spaceless) == 1:
        return Term(tuple(found), True)
    # The run may go on in the text: its last character alone is not to be asked for.
    return Term(tuple(found[:-1]), False)


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most `PIECE` characters, cut between words, overlapping."""
    start = 0
    while len(text) - start > PIECE:
        stop = start + PIECE
        space = max(text.rfind(mark, stop - _OVERLAP, stop) for mark in " \n")
        stop = space if space > 0 else stop
        yield text[start:stop]
        start = stop - _OVERLAP
        space = text.find(" ", start, stop)
        start = space + 1 if space > 0 else start
    yield text[start:]
