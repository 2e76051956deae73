"""A few words of a text around what was found in it."""

from __future__ import annotations

import re

from trimtab.store.search_text import Query, Term, fold

_BEFORE = 60  # characters
_AFTER = 140
_SPACES = re.compile(r"\s+")


def snippet(text: str, query: Query) -> str:
    """About 200 characters of `text`, on one line, around the first place of the query's terms."""
    at = _place(text, query)
    start = max(0, at - _BEFORE)
    stop = min(len(text), at + _AFTER)
    shown = _SPACES.sub(" ", text[start:stop]).strip()
    return f"{'…' if start else ''}{shown}{'…' if stop < len(text) else ''}"


def _place(text: str, query: Query) -> int:
    """Where the first term stands that can be seen; 0 where none can."""
    folded, places = _folded(text)
    for term in query.terms:
        found = re.search(_pattern(term), folded)
        if found:
            return places[found.start()] if places else found.start()
    return 0


def _folded(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place in `text` that it came from."""
    if text.isascii():
        return text.lower(), []
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        made = fold(letter)
        letters.append(made)
        places += [place] * len(made)
    return "".join(letters), places


def _pattern(term: Term) -> str:
    """The term's words as they stand in a text: pairs that share a character are joined again."""
    pattern = ""
    before = ""
    for word in term.words:
        if (
            len(before) == 2
            and len(word) in (1, 2)
            and before[1] == word[0]
            and before[1] > "\u0dff"
        ):
            pattern += re.escape(word[1:])
        else:
            pattern += (r"[\W_]*" if pattern else "") + re.escape(word)
        before = word
    return pattern
