"""Quoted words, and the words that turn or bound a constraint."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.summaries.values_kinds import Value

# Each alternative excludes its own opener, so a run of openers fails at once.
_QUOTED = re.compile(
    r"``[^`\n]{1,400}+``|`[^`\n]{1,400}+`|\"[^\"\n]{1,400}+\"|“[^“”\n]{1,400}+”"
    r"|「[^「」\n]{1,400}+」"
    r"|『[^『』\n]{1,400}+』|‘[^‘’\n]{1,300}+’(?!\w)|(?<![\w'])'(?=\S)(?:[^'\n]"
    r"|(?<=\w)'(?=\w)){1,200}"
    r"(?<=\S)'(?!\w)"
)
_SPACES = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:\.\.\.|…)\]?)\s*")
_NEGATION = re.compile(
    r"\b(?:do(?:es)? not|don't|must not|mustn't|may not|should not|shouldn't|cannot|can't|never|"
    r"shall not|forbidden|prohibited|not allowed|off[- ]limits|without|unless|only|at most|"
    r"at least|no (?:more|fewer|less|later|earlier) than)\b"
    r"|禁止|厳禁|不可|しない(?:こと|で)|[わらさかたばまがえれけせてめみい]ない(?:こと|で)"
    r"|ないように"
    r"|してはいけない|してはならない|ず(?:に)|のみ|だけ|以内|以上|以下|未満|限定",
    re.I,
)


def quotes(text: str) -> Iterator[Value]:
    """The quoted strings of a folded text; what they hold are values besides."""
    for found in _QUOTED.finditer(text):
        inner = found.group().strip("`\"“”「」『』‘’'")
        words = squeezed(inner).strip(" .,;:!?。、")
        if len(words) < 2 or not any(c.isalnum() for c in words):
            continue
        parts = tuple(f"quote:{part}" for part in _ELLIPSIS.split(words) if part)
        if not parts:
            continue
        bare = words.removesuffix("()")
        needs = (parts, (f"quote:{bare}",)) if bare != words else (parts,)
        yield Value("quote", found.group(), *found.span(), words, needs, ())


def squeezed(text: str) -> str:
    """A text as quotations are compared: lower case, white space as one space, plain quotes."""
    return " ".join(text.translate(_PLAIN).split()).lower()


_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})


def negations(text: str) -> Iterator[Value]:
    """What turns or bounds a constraint."""
    for found in _NEGATION.finditer(text):
        norm = _SPACES.sub(" ", found.group().lower())
        yield Value("negation", found.group(), *found.span(), norm)
