"""Where sentences begin and end, English and Japanese, and their normal form for matching."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator

LONGEST = 600
"""Characters: a longer run without any end of sentence is cut at a comma or a space."""

Span = tuple[int, int]

# --- quotations and inline code ---------------------------------------------------------------

# Each alternative excludes its own opener, so a run of openers fails at once.
_QUOTED = re.compile(
    r"``[^`\n]{1,300}``|`[^`\n]{1,300}`|\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|「[^「」]{1,400}」"
    r"|『[^『』]{1,400}』|«[^«»\n]{1,400}»|‘[^‘’\n]{1,300}’(?!\w)|(?<![\w'])'(?=\S)(?:[^'\n]"
    r"|(?<=\w)'(?=\w)){1,200}'(?!\w)"
)
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "`": "'", "´": "'"})
_URL = re.compile(r"\b(?:https?|ftp|file|ssh|git)://[^\s<>()、。」]+|\bwww\.[^\s<>()、。」]+")
_MARKUP = re.compile(r"</?\w{1,30}>|\*\*|__")
_SPACES = re.compile(r"\s+")


def plain(sentence: str) -> str:
    """A sentence as the rules read it: quotations and code become `◇`, forms are normalised.

    Full-width and half-width forms become one (NFKC), letters lower case, runs of white space
    one space.
    """
    text = _MARKUP.sub(" ", _URL.sub("◇", _QUOTED.sub("◇", sentence))).translate(_APOSTROPHES)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _SPACES.sub(" ", text).strip().lower()


# --- sentences --------------------------------------------------------------------------------

_END = re.compile(
    r"(?<![.!?…])[.!?…]++[)\]\"'”’*_]*+(?=\s|$)|[。！？｡]+[」』）)\]]*"
    r"|(?<![!?])[!?]++(?=[^\x00-\x7f])|\n"
)
_SHORT = frozenset(
    [
        "e.g",
        "i.e",
        "eg",
        "ie",
        "etc",
        "vs",
        "cf",
        "fig",
        "sec",
        "eq",
        "approx",
        "incl",
        "excl",
        "max",
        "min",
        "resp",
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "jr",
        "sr",
        "dept",
        "est",
        "inc",
        "ltd",
        "co",
        "a.m",
        "p.m",
        "u.s",
        "u.k",
        "ca",
        "nr",
        "vol",
        "pp",
        "ed",
        "al",
    ]
)
_LAST_WORD = re.compile(r"[\w.]*$")
BULLET = re.compile(
    r"[ \t　]*(?:[-*+–][ \t]+(?:\[[ xX]\][ \t]+)?|[•・●○■□◆◇▪‣※][ \t　]*|\(?\d{1,3}[.)][ \t]+"
    r"|\d{1,3}[.、．）][ \t　]*(?=[^\x00-\x7f])|[a-z][.)][ \t]+|[①-⑳][ \t　]*)"
)
_SOFT_CUT = re.compile(r".*[,;、，；](?=\s|[^\x00-\x7f])|.*\s", re.S)


def sentences(text: str) -> Iterator[Span]:
    """The sentences of `text`, in order, without surrounding white space and list bullets.

    Ends are `.`, `!`, `?`, `…` before white space, `。！？` anywhere, and a line break, except
    where a line is only wrapped. Abbreviations, decimals, paths, URLs and the inside of
    quotations do not end a sentence. A run longer than `LONGEST` is cut at a comma or a space.

    Yields:
        `(start, end)`, in characters.
    """
    quoted = [m.span() for m in _QUOTED.finditer(text)]
    closes = [end for _, end in quoted]
    start = 0
    for mark in _END.finditer(text):
        at = mark.start()
        if text[at] == "\n":
            if not _wrapped(text, start, at):
                yield from _pieces(text, start, at)
                start = at + 1
            continue
        inside = bisect_left(closes, at + 1)
        if inside < len(quoted) and quoted[inside][0] < at < quoted[inside][1] - 1:
            continue
        if text[at] == "." and mark.group() == "." and _abbreviated(text, start, at):
            continue
        if text.startswith("...", at) and text[mark.end() : mark.end() + 2].strip().islower():
            continue
        yield from _pieces(text, start, mark.end())
        start = mark.end()
    yield from _pieces(text, start, len(text))


def _abbreviated(text: str, start: int, dot: int) -> bool:
    found = _LAST_WORD.search(text, max(start, dot - 8), dot)
    word = found.group().lower() if found else ""
    if word in _SHORT:
        return True
    begins = dot - len(word)
    initial = begins == start or text[begins - 1] in " (\n"
    if len(word) == 1 and word.isalpha() and word != "i" and initial:
        return True
    number_follows = text[dot + 1 : dot + 3].strip()[:1].isdigit()
    bullet = word.isdigit() and not text[start : dot - len(word)].strip()
    return bullet or (word in ("no", "p", "ver") and number_follows)


def _wrapped(text: str, start: int, newline: int) -> bool:
    """Whether the line break at `newline` only wraps a sentence."""
    line_start = max(start, text.rfind("\n", start, newline) + 1)
    length = newline - line_start
    following = text[newline + 1 : newline + 9]
    if newline - start > LONGEST or not following.strip() or BULLET.match(following):
        return False
    last = text[newline - 1 : newline]
    if length >= 10 and last in "はがをに、":
        return not following[0].isspace()
    return length >= 60 and last not in ".!?:;。！？：" and following.lstrip()[0].islower()


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """The span without white space and bullet, cut where it is too long."""
    while end - start > LONGEST:
        cut = _SOFT_CUT.match(text, start, start + LONGEST)
        stop = cut.end() if cut else start + LONGEST
        yield from _pieces(text, start, stop)
        start = stop
    bullet = BULLET.match(text, start, end)
    if bullet:
        start = bullet.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
