"""`langchain_core.messages.trim_messages` on the same messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

PACKAGE = "langchain_core.messages"
"""Imported by name: the type checker runs without this extra."""


def available() -> bool:
    """The package (the extra `bench`) is installed."""
    return find_spec("langchain_core") is not None


def converted(messages: Sequence[dict[str, Any]]) -> list[Any]:
    """Chat Completions messages as LangChain's message objects."""
    kinds: Any = import_module(PACKAGE)
    out: list[Any] = []
    for message in messages:
        content = message["content"] or ""
        if message["role"] == "system":
            out.append(kinds.SystemMessage(content))
        elif message["role"] == "user":
            out.append(kinds.HumanMessage(content))
        elif message["role"] == "tool":
            out.append(kinds.ToolMessage(content, tool_call_id=message["tool_call_id"]))
        else:
            calls = [
                {
                    "id": call["id"],
                    "name": call["function"]["name"],
                    "args": json.loads(call["function"]["arguments"]),
                }
                for call in message.get("tool_calls", ())
            ]
            out.append(kinds.AIMessage(content, tool_calls=calls))
    return out


def trimmer(limit: int, start_on: str | None) -> partial[list[Any]]:
    """`trim_messages` with its approximate counter, ready to call with the messages."""
    return partial(
        import_module(PACKAGE).trim_messages,
        max_tokens=limit,
        token_counter="approximate",
        strategy="last",
        include_system=True,
        start_on=start_on,
    )


def as_openai(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """What LangChain would send to OpenAI."""
    value = import_module(PACKAGE).convert_to_openai_messages(list(messages))
    return value if isinstance(value, list) else [value]
