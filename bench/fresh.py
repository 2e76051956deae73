"""Requests whose texts nobody has counted yet."""

from __future__ import annotations

from itertools import count
from typing import Any

_numbers = count(1)


def unseen(request: dict[str, Any]) -> dict[str, Any]:
    """A copy of a request with a new first word in each text, so that no cache knows it."""
    word = f"r{next(_numbers)}"
    return {**request, "messages": [_marked(message, word) for message in request["messages"]]}


def _marked(message: dict[str, Any], word: str) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return {**message, "content": f"{word} {content}"}
    if isinstance(content, list):
        return {**message, "content": [_marked_block(block, word) for block in content]}
    return message


def _marked_block(block: dict[str, Any], word: str) -> dict[str, Any]:
    for key in ("text", "content", "thinking"):
        if isinstance(block.get(key), str):
            return {**block, key: f"{word} {block[key]}"}
    return block
