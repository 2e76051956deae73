"""What the readers of agents that record OpenAI chat messages share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.openai_chat import read_message
from trimtab.formats.pairs import NO_RESULT, Draft
from trimtab.formats.transcript import usage_with_cached
from trimtab.history.message import Message, ToolCall, ToolResult, Usage


def add_row(draft: Draft, raw: Mapping[str, Any], line: int | None = None) -> bool:
    """Put a chat message at the end of a draft, unless nothing is said in it.

    One that is not understood is reported.
    """
    if raw.get("role") == "tool" and raw.get("content") is None:
        raw = {**raw, "content": ""}
    try:
        message = read_message(raw)
    except InputError as e:
        draft.source.report(line, f"a message that is not understood ({e})", "skipped it")
        return False
    if not message.blocks and raw.get("content") in (None, []):
        return False
    draft.add(message, line)
    return True


def no_result(call: ToolCall, message: Message) -> Message:
    """The tool message for a call whose result was not recorded."""
    raw = {"role": "tool", "tool_call_id": call.id, "content": NO_RESULT}
    return failed(replace(read_message(raw), time=message.time))


def failed(message: Message) -> Message:
    """A tool message whose tool failed, which the wire form has no flag for."""
    blocks = tuple(
        replace(b, is_error=True) if isinstance(b, ToolResult) else b for b in message.blocks
    )
    return replace(message, blocks=blocks)


def completion_usage(value: object) -> Usage | None:
    """Usage as the chat API reports it: the prompt count contains the cached tokens."""
    if not isinstance(value, Mapping):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    if not cached:
        cached = value.get("cache_read_input_tokens")
    return usage_with_cached(value.get("prompt_tokens"), cached, value.get("completion_tokens"))
