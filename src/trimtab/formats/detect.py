"""Which wire format a JSON value is in, judged by what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MESSAGE_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

_BY_BLOCK = {
    "tool_use": "anthropic",
    "thinking": "anthropic",
    "redacted_thinking": "anthropic",
    "server_tool_use": "anthropic",
    "mcp_tool_use": "anthropic",
    "search_result": "anthropic",
    "container_upload": "anthropic",
    "compaction": "anthropic",
    "image_url": "openai",
    "input_audio": "openai",
    "file": "openai",
    "input_text": "responses",
    "output_text": "responses",
    "input_image": "responses",
    "input_file": "responses",
    "tool_call": "neutral",
}
_ITEMS = ("_call", "_call_output", "_output", "reasoning", "item_reference", "compaction")
_OPENAI_KEYS = (
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "audio",
    "reasoning_content",
)


def detect_dialect(value: Any) -> str | None:
    """`anthropic`, `openai`, `responses` or `neutral`; `None` where the value is none of them.

    Plain messages that fit several formats are `neutral` as a bare list; as a request they are
    `anthropic` where the model is a Claude, else `openai`.
    """
    if isinstance(value, list):
        return _by_messages(value) or ("neutral" if value and _all_messages(value) else None)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("messages"), list):
        messages = value["messages"]
        if not _all_messages(messages):
            return None
        return _by_settings(value) or _by_messages(messages) or "openai"
    if isinstance(value.get("input"), str | list) and "messages" not in value:
        given = value["input"]
        return "responses" if isinstance(given, str) or _all_items(given) else None
    if isinstance(value.get("instructions"), str) and "model" in value:
        return "responses"
    return None


def _all_messages(messages: list[Any]) -> bool:
    return all(isinstance(m, dict) and _has_role(m) for m in messages)


def _has_role(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    return isinstance(role, str) and role in MESSAGE_ROLES


def _all_items(items: list[Any]) -> bool:
    return all(
        isinstance(i, dict) and (_has_role(i) or isinstance(i.get("type"), str)) for i in items
    )


def _by_settings(body: Mapping[str, Any]) -> str | None:
    if "system" in body or "anthropic_version" in body:
        return "anthropic"
    tools = body.get("tools")
    if isinstance(tools, list):
        for tool in tools:
            if isinstance(tool, dict):
                if "input_schema" in tool:
                    return "anthropic"
                if isinstance(tool.get("function"), dict):
                    return "openai"
    model = body.get("model")
    if isinstance(model, str) and "claude" in model.lower():
        # Compatible servers offer Claude in OpenAI's form: what is in the messages decides.
        messages = body["messages"]
        return _by_messages(messages) or (
            "openai" if any(m.get("role") == "system" for m in messages) else "anthropic"
        )
    return None


def _by_messages(messages: list[Any]) -> str | None:
    """The first telling sign in the messages; without one, the first hint."""
    hint = None
    for message in messages:
        if not isinstance(message, dict):
            return None
        for sign in _signs(message):
            return sign
        hint = hint or _hint(message)
    return hint


def _hint(message: Mapping[str, Any]) -> str | None:
    """What is usual in one format, but occurs in others."""
    if message.get("role") in ("developer", "function"):
        return "openai"
    content = message.get("content")
    if isinstance(content, list) and any(
        isinstance(b, dict) and "cache_control" in b for b in content
    ):
        return "anthropic"
    return None


def _signs(message: Mapping[str, Any]) -> Iterator[str]:
    kind = message.get("type")
    if "role" not in message:
        if isinstance(kind, str) and kind.endswith(_ITEMS):
            yield "responses"
        return
    if not _has_role(message):
        return
    if isinstance(message.get("required"), bool):
        yield "neutral"
    if any(message.get(key) is not None for key in _OPENAI_KEYS):
        yield "openai"
    content = message.get("content")
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield from _block_signs(block)
    if kind == "message" and "usage" not in message and "model" not in message:
        yield "responses"
    if message["role"] == "assistant" and content is None and "content" in message:
        yield "openai"


def _block_signs(block: Mapping[str, Any]) -> Iterator[str]:
    kind = block.get("type")
    if kind == "tool_result":
        yield "neutral" if "call_id" in block else "anthropic"
    elif kind in ("image", "document"):
        yield "anthropic" if "source" in block else "neutral"
    elif kind == "thinking" and "thinking" not in block:
        yield "neutral"
    elif isinstance(kind, str) and kind in _BY_BLOCK:
        yield _BY_BLOCK[kind]
    elif isinstance(kind, str) and kind.endswith(("_tool_use", "_tool_result")):
        yield "anthropic"
