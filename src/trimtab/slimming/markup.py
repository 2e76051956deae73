"""Reading HTML: its tags and texts, in one pass and whatever is wrong with it.

The parser of the standard library takes quadratic time on some broken pages, so it is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_NAME = re.compile(r"/?[a-zA-Z][a-zA-Z0-9:-]{0,40}")
_ATTRIBUTE = re.compile(
    r"([^\s=\"'<>/]{1,60})(?:\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?"
)
SKIPPED = ("script", "style", "svg", "noscript", "template", "iframe", "canvas", "math")
"""Elements whose content nobody reads."""
_LONGEST_TAG = 20_000


def pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """The page in order: `("text", words, "")` and `("tag", name, attributes)`; the name of an
    end tag begins with `/`."""
    at = 0
    length = len(text)
    ends: dict[str, bool] = {}
    while at < length:
        start = text.find("<", at)
        if start < 0:
            yield "text", unescape(text[at:]), ""
            return
        if start > at:
            yield "text", unescape(text[at:start]), ""
        if text.startswith("<!--", start):
            stop = text.find("-->", start + 4)
            at = length if stop < 0 else stop + 3
            continue
        name = _NAME.match(text, start + 1)
        if name is None:
            stop = text.find(">", start) if text[start + 1 : start + 2] in ("!", "?") else start
            at = length if stop < 0 else stop + 1
            continue
        stop = _end(text, name.end())
        if stop < 0:
            return
        said = name.group().lower()
        yield "tag", said, text[name.end() : stop]
        at = stop + 1
        if said in SKIPPED and not text.startswith("/", stop - 1) and ends.get(said, True):
            close = re.compile(f"</{said}\\s*>", re.IGNORECASE).search(text, at)
            ends[said] = close is not None
            at = at if close is None else close.end()


def _end(text: str, at: int) -> int:
    """Where the tag ends whose name ends at `at`: a `>` in a quoted value does not end it."""
    stop = text.find(">", at)
    for _ in range(4):
        if stop < 0 or stop - at > _LONGEST_TAG:
            return stop
        inside = text[at:stop]
        if inside.count('"') % 2 == 0:
            return stop
        quote = text.find('"', stop, stop + _LONGEST_TAG)
        if quote < 0:
            return stop
        stop = text.find(">", quote)
    return stop


def attributes(text: str) -> dict[str, str]:
    """The attributes of a tag, by name in lower case."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text[:_LONGEST_TAG]):
        value = match[2] or match[3] or match[4] or ""
        found.setdefault(match[1].lower(), unescape(value))
    return found
