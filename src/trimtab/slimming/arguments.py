"""The arguments of a call: long strings keep head and tail, and nothing else changes.

What is shortened is the JSON text itself, string by string: keys, their order, numbers as they are
written and all strings that are short enough stay character for character.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from trimtab.slimming.cutting import boundary, note

_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"(\s*+:)?', re.DOTALL)
_OURS = re.compile(
    r"^\[\.\.\. [\d,]+ of [\d,]+ characters left out; recall blk_[0-9a-hjkmnp-tv-z]{12} \.\.\.\]$",
    re.MULTILINE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Shortened:
    """The shorter form of a call's arguments.

    Attributes:
        text: JSON of the same shape, or plain text where the whole was that.
        dropped: how many characters of the strings are missing.
    """

    text: str
    dropped: int


def shorter_arguments(
    source: str, most: int, block: str, *, free_form: bool = False
) -> Shortened | None:
    """The arguments with each long string shortened; `None` where there is nothing to shorten.

    Args:
        source: JSON text; or plain text, where the tool takes that.
        most: about how many characters a string may keep, the line in its middle among them.
        block: the id that brings the whole call back.
        free_form: the tool takes plain text: what is no JSON object is shortened as one string.
    """
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        value = None
    if free_form and not isinstance(value, dict | list):
        text, dropped = _shorter(source, most, block)
        return Shortened(text, dropped) if dropped else None
    if value is None:
        return None
    total = 0

    def shorter_string(found: re.Match[str]) -> str:
        nonlocal total
        whole, inside, key = found[0], found[1], found[2]
        if key or len(inside) <= most:
            return whole
        text, dropped = _shorter(json.loads(f'"{inside}"'), most, block)
        if not dropped:
            return whole
        total += dropped
        return as_json(text)

    text = _STRING.sub(shorter_string, source)
    return Shortened(text, total) if total else None


def as_json(value: object) -> str:
    """JSON text in which only lone surrogates are escaped.

    Raises:
        TypeError, ValueError, RecursionError: it is no JSON value, or nested too deeply.
    """
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _shorter(text: str, most: int, block: str) -> tuple[str, int]:
    """Head and tail of one string, in whole lines where they are near, and how much is missing."""
    if len(text) <= most or _OURS.search(text):
        return text, 0
    told = f"of {len(text):,} characters left out; recall {block}"
    room = most - len(note(f"{len(text):,} {told}")) - 2
    head = max(room * 2 // 3, 0)
    tail = len(text) - max(room - head, 0)
    line = text.rfind("\n", head - head // 4, head)
    head = line if line > 0 else boundary(text, head)
    line = text.find("\n", tail, tail + (len(text) - tail) // 4)
    tail = line + 1 if line > 0 else boundary(text, tail)
    if tail <= head:
        return text, 0
    middle = note(f"{tail - head:,} {told}")
    short = "\n".join(part for part in (text[:head], middle, text[tail:]) if part)
    return (short, tail - head) if len(short) < len(text) else (text, 0)
