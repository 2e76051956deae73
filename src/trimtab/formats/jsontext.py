"""JSON text in and out, without ever changing a value.

msgspec is fast but refuses lone surrogates and huge exponents, and writes NaN as `null`; for
those the standard library takes over.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: bytes | str) -> Any:
    """Read one JSON value. A byte order mark at the front is skipped.

    Raises:
        ValueError: the text is no JSON value, or is nested too deeply.
    """
    import msgspec

    try:
        return msgspec.json.decode(text)
    except ValueError:
        # Not always an error: surrogates, NaN and 1e400 are read by the standard library.
        pass
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if isinstance(text, str):
        text = text.removeprefix("\ufeff")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dumps(value: Any) -> bytes:
    """Write a JSON value as compact UTF-8; lone surrogates become `\\uXXXX` escapes.

    Raises:
        ValueError: the value is nested too deeply.
        TypeError: the value is not made of JSON types.
    """
    import msgspec

    try:
        written = msgspec.json.encode(value)
        if b"null" not in written or not _has_unwritable_float(value):
            return written
    except UnicodeEncodeError:
        pass
    except RecursionError:
        raise ValueError("nested too deeply") from None
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _escape_surrogates(text).encode()


def dumps_text(value: Any) -> str:
    """As `dumps`, as a string (a tool call's `arguments`)."""
    return dumps(value).decode()


def _escape_surrogates(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _has_unwritable_float(value: Any) -> bool:
    """Whether a NaN or an infinity is inside; without recursion, so depth does not matter."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float):
            if not math.isfinite(item):
                return True
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return False
