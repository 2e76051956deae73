"""Cuts that split no character: surrogate pairs, combining marks and joined emoji stay whole."""

from __future__ import annotations

from unicodedata import category

_FARTHEST = 64
"""Code points that a cut moves at most: a longer cluster is no writing."""
_JOINER = "\u200d"


def note(what: str) -> str:
    """The line that stands where a part is missing: `[... 214 passing tests ...]`."""
    return f"[... {what} ...]"


def boundary(text: str, at: int) -> int:
    """The nearest place at or before `at` where `text` may be cut."""
    if not 0 < at < len(text):
        return max(0, min(at, len(text)))
    place = at
    while place > 0 and at - place < _FARTHEST:
        if not _joined(text, place):
            return place
        place -= 1
    return at if place else 0


def _joined(text: str, at: int) -> bool:
    """The characters on both sides of `at` are parts of one."""
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left == "\r" and right == "\n"
    if left == _JOINER or right == _JOINER or "\ufe00" <= right <= "\ufe0f":
        return True
    if "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff":
        return True
    if "\U0001f3fb" <= right <= "\U0001f3ff" or "\U000e0020" <= right <= "\U000e007f":
        return True
    if _is_flag(left) and _is_flag(right):
        start = at
        while start > 0 and at - start < _FARTHEST and _is_flag(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 1
    if "\u1160" <= right <= "\u11ff" and "\u1100" <= left <= "\u11ff":  # Hangul by letters
        return True
    return category(right) in ("Mn", "Mc", "Me")


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def cut(text: str, most: int, what: str = "characters") -> str:
    """The head and the tail of `text` in about `most` characters, the note between in a line of
    its own; `text` itself if it is no longer."""
    if len(text) <= most:
        return text
    room = max(most - len(note(f"{len(text):,} {what}")) - 2, 0)
    head = boundary(text, room * 2 // 3)
    tail = boundary(text, len(text) - (room - room * 2 // 3)) if room else len(text)
    if tail < len(text) and tail - head <= 0:
        return text
    middle = note(f"{tail - head:,} {what}")
    return "\n".join(part for part in (text[:head], middle, text[tail:]) if part)
