"""Tool definitions count: OpenAI's cookbook formula, carried on into nested schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trimtab.history.message import Tool
from trimtab.tokens.content import json_text

PROPERTIES = 3
PROPERTY = 3
ENUM = -3
ENUM_ITEM = 3
END = 12
DEEPEST = 50


def function_tokens(tools: Sequence[Tool], function: int, text: Callable[[str], int]) -> int:
    """Tokens of tool definitions, by `num_tokens_for_tools` of the OpenAI cookbook.

    A function costs `function` (7 since gpt-4o, 10 before) and its `name:description`; its
    properties cost 3 once and 3 each, with `key:type:description`; an enum costs -3 and then 3
    an item, with the item; all definitions together 12. The cookbook's formula stops at the top
    level; here nested objects, array items, alternatives and definitions count by the same
    rule, since the model is shown them too.

    Args:
        function: tokens that open a function.
        text: counts a text.
    """
    if not tools:
        return 0
    size = END
    for tool in tools:
        size += function + text(f"{tool.name}:{tool.description.removesuffix('.')}")
        size += _object(tool.schema, text, 0)
    return size


def _object(schema: Any, text: Callable[[str], int], depth: int) -> int:
    """The properties of an object schema, and what is nested in it."""
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return 0
    size = 0
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and properties:
        size += PROPERTIES
        for key, value in properties.items():
            size += PROPERTY + _property(str(key), value, text, depth)
    for key in ("$defs", "definitions"):
        definitions = schema.get(key)
        if isinstance(definitions, Mapping):
            for name, value in definitions.items():
                size += PROPERTY + _property(str(name), value, text, depth)
    return size + _nested(schema, text, depth)


def _property(name: str, schema: Any, text: Callable[[str], int], depth: int) -> int:
    if not isinstance(schema, Mapping):
        return text(name)
    kind = schema.get("type", "")
    kind = kind if isinstance(kind, str) else json_text(kind)
    said = schema.get("description")
    said = said.removesuffix(".") if isinstance(said, str) else ""
    return (
        text(f"{name}:{kind}:{said}")
        + _enum(schema.get("enum"), text)
        + _object(schema, text, depth + 1)
    )


def _enum(items: Any, text: Callable[[str], int]) -> int:
    if not isinstance(items, Sequence) or isinstance(items, str):
        return 0
    return ENUM + sum(
        ENUM_ITEM + text(item if isinstance(item, str) else json_text(item)) for item in items
    )


def _nested(schema: Mapping[str, Any], text: Callable[[str], int], depth: int) -> int:
    """Array items and alternatives: an unnamed property each."""
    inner: list[Any] = []
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        found = schema.get(key)
        if isinstance(found, Sequence) and not isinstance(found, str):
            inner.extend(found)
    for key in ("items", "additionalProperties"):
        found = schema.get(key)
        if isinstance(found, Mapping) and found:
            inner.append(found)
    return sum(_property("", each, text, depth) for each in inner)
