"""Bytes in exported JSON lines: text where they are UTF-8, else base64."""

from __future__ import annotations

import base64
import binascii


def to_json(data: bytes) -> str | dict[str, str]:
    """A string, or `{"base64": "…"}`."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def from_json(value: object) -> bytes | None:
    """The bytes that `to_json` was given; `None` for what it never gives."""
    try:
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, dict) and isinstance(value.get("base64"), str):
            return base64.b64decode(value["base64"], validate=True)
    except (UnicodeEncodeError, binascii.Error):
        pass
    return None
