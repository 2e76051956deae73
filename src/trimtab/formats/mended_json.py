"""JSON as agents leave it on disk: decoded where it can be, and told what was mended.

The fast decoder is strict. What it refuses goes through the slow path: lone surrogates (a
provider refuses a request that holds one), NUL blocks and stray bytes of a crash, raw control
characters, and a torn line with the next record glued to it.
"""

from __future__ import annotations

import json
import re
from typing import Any

BOM = b"\xef\xbb\xbf"

_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_RECORD_START = re.compile(
    rb'\{"(?:type|parentUuid|uuid|timestamp|id|sessionId|role|message|messages|kind|payload)"'
)
_GLUE_WORK = 64_000_000
"""Bytes that the search for glued records may decode before it gives up."""


def decode(data: bytes) -> Any:
    """A JSON value, exactly as written.

    Raises:
        ValueError: not JSON (also: nested too deep, a lone surrogate, an endless number).
    """
    from msgspec.json import decode as fast

    try:
        return fast(data)
    except RecursionError:
        raise ValueError("nested too deep") from None


def decode_mended(data: bytes, glued: bool = True) -> tuple[list[Any], list[str]]:
    """The JSON values of one line, and one short note for each thing that was mended.

    Args:
        glued: also look for whole records on a line that is not one JSON value.

    Several values come of a line to which a later record was glued; none of one that holds only
    NUL bytes.

    Raises:
        ValueError: nothing in it is JSON.
    """
    notes: list[str] = []
    try:
        return [decode(data)], notes
    except ValueError as e:
        refusal = e
    if b"\0" in data:
        notes.append(f"{data.count(0)} NUL bytes removed")
        data = data.replace(b"\0", b"").strip()
    if BOM in data[:3]:
        notes.append("byte order mark skipped")
        data = data[3:]
    if not data:
        return [], notes
    try:
        return [_decode_slowly(data, notes)], notes
    except ValueError as e:
        refusal = e
    values = _glued(data, notes) if glued else []
    if not values:
        raise refusal
    return values, notes


def _decode_slowly(data: bytes, notes: list[str]) -> Any:
    """What the standard library can read: it takes lone surrogates, NaN and huge numbers."""
    found: list[str] = []
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        found.append("bytes that are not UTF-8 replaced by U+FFFD")
    try:
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            value = json.loads(text, strict=False)
            found.append("raw control characters kept")
        if _ESCAPED.search(text):
            value, replaced = without_lone_surrogates(value)
            if replaced:
                found.append(f"{replaced} lone surrogates replaced by U+FFFD")
    except RecursionError:
        raise ValueError("nested too deep") from None
    notes.extend(found)
    return value


def without_lone_surrogates(value: Any) -> tuple[Any, int]:
    """The value with each lone surrogate replaced by U+FFFD, and how many there were.

    Raises:
        RecursionError: nested too deep.
    """
    if isinstance(value, str):
        return _LONE.subn("�", value)
    if isinstance(value, list):
        pairs = [without_lone_surrogates(item) for item in value]
        return [item for item, _ in pairs], sum(n for _, n in pairs)
    if isinstance(value, dict):
        total = 0
        made = {}
        for key, item in value.items():
            key, in_key = _LONE.subn("�", key)
            made[key], in_item = without_lone_surrogates(item)
            total += in_key + in_item
        return made, total
    return value, 0


def _is_inner(data: bytes, start: int) -> bool:
    """Whether the object at `start` stands where JSON has a value inside another."""
    return data[max(start - 64, 0) : start].rstrip()[-1:] in (b":", b"[", b",")


def _glued(data: bytes, notes: list[str]) -> list[Any]:
    """The whole records in a line that a crash tore and the next append ran on."""
    values: list[Any] = []
    at = 0
    work = 0
    lost = 0
    for start in (m.start() for m in _RECORD_START.finditer(data)):
        # After `:`, `[` or `,` it is a part of the torn record, not a record of its own.
        if start < at or _is_inner(data, start):
            continue
        work += len(data) - start
        if work > _GLUE_WORK:
            break
        try:
            value = decode(data[start:])
            end = len(data)
        except ValueError:
            # Two whole records on one line end where the next one starts.
            split = data.find(b'}{"', start)
            if split < 0:
                continue
            try:
                value = decode(data[start : split + 1])
                end = split + 1
            except ValueError:
                continue
        if not isinstance(value, dict):
            continue
        lost += start - at
        values.append(value)
        at = end
    if values:
        lost += len(data) - at
        notes.append(
            f"{len(values)} whole records found on a torn line, {lost} bytes of it lost"
            if lost
            else f"{len(values)} records on one line read apart"
        )
    return values
