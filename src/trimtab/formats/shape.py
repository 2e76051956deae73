"""Reading JSON of which nothing is taken for granted: each surprise is an `InputError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.errors import InputError
from trimtab.history.message import Role

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}

EMPTIED = "[removed]"
"""Stands where an edit left a message without content: providers refuse an empty one."""


def text_at(raw: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """The string at `key`; `default` where it is absent or null, if one is given."""
    value = raw.get(key)
    if isinstance(value, str):
        return value
    if value is None and default is not None:
        return default
    raise InputError(key, f"a string is expected here, not {describe(value)}")


def object_from(value: Any, where: str) -> dict[str, Any]:
    """The value, if it is a JSON object."""
    if isinstance(value, dict):
        return value
    raise InputError(where, f"an object is expected here, not {describe(value)}")


def kind_of(block: Mapping[str, Any]) -> str:
    """The `type` of a content block or item."""
    return text_at(block, "type")


def role_of(raw: Mapping[str, Any]) -> Role:
    """The role, with the provider variants folded: developer is system, function is tool."""
    role = raw.get("role")
    if isinstance(role, str) and role in _ROLES:
        return _ROLES[role]
    raise InputError("role", f"no known role: {role!r:.60}")


def parts_of(content: Any, where: str = "content") -> list[dict[str, Any]]:
    """The blocks of a list content; each must be an object."""
    if not isinstance(content, list):
        raise InputError(
            where, f"a string or a list of blocks is expected here, not {describe(content)}"
        )
    for at, block in enumerate(content):
        object_from(block, f"{where}[{at}]")
    return content


def describe(value: Any) -> str:
    """What a JSON value is, in a word or two."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "an object"
    return f"a {type(value).__name__}"
