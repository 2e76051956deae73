"""What a block says in text, for counting: no base64, no ids, no seals."""

from __future__ import annotations

import json
from typing import Any

from trimtab.history.message import (
    Block,
    Document,
    Image,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def arguments_text(call: ToolCall) -> str:
    """A call's arguments as the model wrote them: the string as given, or compact JSON."""
    given = call.input
    if isinstance(given, str):
        return given
    return "" if given is None else json_text(given)


def json_text(value: Any) -> str:
    """A JSON value as compact text; a value nested too deeply for JSON as Python writes it."""
    try:
        return _compact(value)
    except (RecursionError, ValueError, TypeError):
        return str(type(value))


def tool_text(tool: Tool) -> str:
    """A tool definition (name, description, schema) as compact JSON."""
    return json_text({"name": tool.name, "description": tool.description, "schema": tool.schema})


def block_texts(block: Block) -> list[str]:
    """Every text that a block holds, in order. Pictures and binary files have none."""
    if isinstance(block, Text):
        return [block.text]
    if isinstance(block, ToolCall):
        arguments = arguments_text(block)
        return [block.name, arguments] if arguments else [block.name]
    if isinstance(block, ToolResult):
        return [text for part in block.content for text in block_texts(part)]
    if isinstance(block, Thinking):
        return [block.text] if block.text else []
    if isinstance(block, Document):
        return [block.text] if block.text else []
    if isinstance(block, Image):
        return []
    return [json_text(unsealed(block)[0])]


def unsealed(block: Opaque) -> tuple[Any, int]:
    """An unknown block's JSON without its sealed strings, and how long these are.

    Sealed: a long string of base64 characters only (encrypted content, audio, a picture of a
    kind that trimtab does not know). It is not text and must not be counted as text.
    """
    sealed = 0

    def walk(value: Any, depth: int) -> Any:
        nonlocal sealed
        if depth > 200:
            return None
        if isinstance(value, str):
            if is_sealed(value):
                sealed += len(value)
                return ""
            return value
        if isinstance(value, dict):
            return {key: walk(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [walk(item, depth + 1) for item in value]
        return value

    return walk(block.raw, 0), sealed


_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\r\n")


def is_sealed(text: str) -> bool:
    """At least 1,000 characters, all of them base64."""
    if len(text) < 1000:
        return False
    if text.startswith("data:"):
        text = text.partition(",")[2]
    return _BASE64.issuperset(text[:4000]) and _BASE64.issuperset(text)
