"""A session as a request body: Anthropic Messages, OpenAI Chat Completions, OpenAI Responses.

Each is the request that the loop would send next: all messages so far. No answer of a provider
is in it, so there are no usage figures.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from examples.record.loop import Session, Turn
from examples.record.steps import Call, User
from examples.record.tools import SCHEMAS, schema


def anthropic(session: Session) -> dict[str, Any]:
    """A request body of Anthropic's Messages API."""
    ids = _ids("toolu_01", 22, session)
    messages: list[dict[str, Any]] = []
    for event in session.events:
        if isinstance(event, User):
            messages.append({"role": "user", "content": event.text})
            continue
        named = [(next(ids), call) for call in event.calls]
        content: list[dict[str, Any]] = []
        if event.text:
            content.append({"type": "text", "text": event.text})
        content += [
            {"type": "tool_use", "id": name, "name": call.tool, "input": call.input}
            for name, call in named
        ]
        messages.append({"role": "assistant", "content": content})
        if event.calls:
            messages.append({"role": "user", "content": _anthropic_results(event, named)})
    return {
        "model": session.model,
        "max_tokens": 8192,
        "system": session.system,
        "tools": [
            {"name": name, "description": text, "input_schema": schema(properties, required)}
            for name, text, properties, required in SCHEMAS
        ],
        "messages": messages,
    }


def _anthropic_results(turn: Turn, named: list[tuple[str, Call]]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for (name, _), outcome in zip(named, turn.outcomes, strict=True):
        block = {"type": "tool_result", "tool_use_id": name, "content": outcome.text}
        content.append({**block, "is_error": True} if outcome.failed else block)
    if turn.beside:
        content.append({"type": "text", "text": turn.beside})
    return content


def openai_chat(session: Session) -> dict[str, Any]:
    """A request body of OpenAI's Chat Completions API."""
    ids = _ids("call_", 24, session)
    messages: list[dict[str, Any]] = [{"role": "system", "content": session.system}]
    for event in session.events:
        if isinstance(event, User):
            messages.append({"role": "user", "content": event.text})
            continue
        named = [(next(ids), call) for call in event.calls]
        message: dict[str, Any] = {"role": "assistant", "content": event.text or None}
        if named:
            message["tool_calls"] = [
                {
                    "id": name,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": _arguments(call)},
                }
                for name, call in named
            ]
        messages.append(message)
        messages += [
            {"role": "tool", "tool_call_id": name, "content": outcome.text}
            for (name, _), outcome in zip(named, event.outcomes, strict=True)
        ]
        if event.beside:
            messages.append({"role": "user", "content": event.beside})
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": text,
                "parameters": schema(properties, required),
            },
        }
        for name, text, properties, required in SCHEMAS
    ]
    return {"model": session.model, "messages": messages, "tools": tools}


def openai_responses(session: Session) -> dict[str, Any]:
    """A request body of OpenAI's Responses API."""
    ids = _ids("call_", 24, session)
    items: list[dict[str, Any]] = []
    for event in session.events:
        if isinstance(event, User):
            items.append(_item("user", "input_text", event.text))
            continue
        if event.text:
            items.append(_item("assistant", "output_text", event.text))
        named = [(next(ids), call) for call in event.calls]
        items += [
            {
                "type": "function_call",
                "call_id": name,
                "name": call.tool,
                "arguments": _arguments(call),
            }
            for name, call in named
        ]
        items += [
            {"type": "function_call_output", "call_id": name, "output": outcome.text}
            for (name, _), outcome in zip(named, event.outcomes, strict=True)
        ]
        if event.beside:
            items.append(_item("user", "input_text", event.beside))
    tools = [
        {
            "type": "function",
            "name": name,
            "description": text,
            "parameters": schema(properties, required),
            "strict": False,
        }
        for name, text, properties, required in SCHEMAS
    ]
    return {
        "model": session.model,
        "instructions": session.system,
        "input": items,
        "tools": tools,
        "store": False,
    }


def _item(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _arguments(call: Call) -> str:
    return json.dumps(call.input, ensure_ascii=False)


def _ids(beginning: str, length: int, session: Session) -> Iterator[str]:
    """Ids that look like the provider's and are the same at each recording."""
    number = 0
    while True:
        number += 1
        digest = hashlib.sha256(f"{session.system}#{number}".encode()).hexdigest()
        yield beginning + digest[:length]
