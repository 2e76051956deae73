"""Anthropic Messages: one message of `messages`, the `system` parameter, tool definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from trimtab.formats.anthropic_blocks import read_block, write_block
from trimtab.formats.losses import SYSTEM_NOTE, Losses
from trimtab.formats.shape import EMPTIED, object_from, parts_of, role_of, text_at
from trimtab.history.message import Block, Message, Text, Tool, ToolResult, Usage
from trimtab.history.placeholders import is_summary

NAME = "anthropic"
PLACE = "messages"
SYSTEM = "system"

NOTE = "[system] "
"""Marks a system message in mid-conversation, which the target has no role for."""


def read_message(raw: Mapping[str, Any]) -> Message:
    """A message of a request, or a whole response: then with its id, model and usage.

    Raises:
        InputError: the role or content is not understood.
    """
    usage = raw.get("usage")
    return Message(
        role_of(raw),
        read_content(raw.get("content")),
        id=text_at(raw, "id", "") or None,
        dialect=NAME,
        model=text_at(raw, "model", "") or None,
        usage=read_usage(usage) if isinstance(usage, dict) else None,
        raw=raw,
    )


def read_content(content: Any) -> tuple[Block, ...]:
    """String or list content."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(read_block(block) for block in parts_of(content))


def read_usage(raw: Mapping[str, Any]) -> Usage:
    """The token counts that a response reports."""

    def count(key: str, place: Mapping[str, Any] = raw) -> int:
        value = place.get(key)
        return value if isinstance(value, int) else 0

    written = raw.get("cache_creation")

    return Usage(
        count("input_tokens"),
        count("cache_read_input_tokens"),
        count("cache_creation_input_tokens"),
        count("output_tokens"),
        count("ephemeral_1h_input_tokens", written if isinstance(written, dict) else {}),
    )


def as_request_message(response: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a response that a later request repeats: its role and content.

    The API refuses the other keys (`id`, `usage`, `stop_reason`, ...) in a request.
    """
    return {"role": response.get("role", "assistant"), "content": response.get("content")}


def read_messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """All messages of a request, in order.

    A summary of ours that was joined with what the user says beside it is a message of its own
    again: it can be told anew, and what the user says cannot.
    """
    return [read_message(part) for raw in messages for part in _parted(raw)]


class Joined(dict[str, Any]):
    """The later part of a message that was read as several; it is written as one again."""


def _parted(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = raw.get("content")
    ours = []
    if raw.get("role") == "user" and isinstance(content, list) and len(content) > 1:
        ours = [n for n, block in enumerate(content) if _is_summary(block)]
    after = content[ours[0] :] if ours and isinstance(content, list) else []
    if not ours or any(isinstance(b, dict) and b.get("type") == "tool_result" for b in after):
        yield raw
        return
    cuts = sorted({0, *ours, *(n + 1 for n in ours), len(content or ())})
    for start, stop in pairwise(cuts):
        part = {**raw, "content": (content or [])[start:stop]}
        yield Joined(part) if start else part


def _is_summary(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return isinstance(text, str) and is_summary(text)


def read_system(value: Any) -> Message:
    """The `system` parameter, a string or a list of text blocks, as a system message."""
    return Message("system", read_content(value), dialect=NAME, raw={SYSTEM: value})


def is_system_parameter(message: Message) -> bool:
    """Whether a leading system message goes to `system`, not into `messages`."""
    raw = message.raw if message.dialect == NAME else None
    return message.role == "system" and not (isinstance(raw, dict) and "role" in raw)


def write_system(messages: Sequence[Message], losses: Losses) -> Any:
    """The `system` parameter from the leading system messages."""
    if len(messages) == 1 and messages[0].dialect == NAME and not messages[0].edited:
        raw = messages[0].raw
        if isinstance(raw, dict) and SYSTEM in raw:
            return raw[SYSTEM]
    blocks: list[dict[str, Any]] = []
    for message in messages:
        blocks += _write_blocks(message, losses)
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        first = messages[0].raw if messages[0].dialect == NAME else None
        if not (isinstance(first, dict) and isinstance(first.get(SYSTEM), list)):
            return blocks[0]["text"]
    return blocks


def write_message(message: Message, losses: Losses | None = None) -> dict[str, Any]:
    """The wire form of a message.

    An unedited message read from Anthropic is its own `raw`.
    """
    losses = Losses() if losses is None else losses
    raw = message.raw if message.dialect == NAME else None
    if raw is not None and not message.edited:
        return object_from(raw, "raw")
    shell: dict[str, Any] = dict(raw or {})
    content: list[dict[str, Any]] = _write_blocks(message, losses)
    if raw is None and message.role == "system":
        losses.add(SYSTEM_NOTE)
        content = [{"type": "text", "text": NOTE + message.text}]
    if not content:
        content = [{"type": "text", "text": EMPTIED}]
    role = shell.get("role", "assistant" if message.role == "assistant" else "user")
    as_string = (
        len(content) == 1
        and content[0].keys() == {"type", "text"}
        and not isinstance(shell.get("content"), list)
    )
    return {**shell, "role": role, "content": content[0]["text"] if as_string else content}


def _write_blocks(message: Message, losses: Losses) -> list[dict[str, Any]]:
    native = message.dialect == NAME
    blocks: Sequence[Block] = message.blocks
    if not native:  # results must come first
        blocks = sorted(blocks, key=lambda b: not isinstance(b, ToolResult))
    written = (write_block(block, losses, native=native) for block in blocks)
    return [block for block in written if block is not None]


def write_messages(messages: Sequence[Message], losses: Losses) -> list[Any]:
    """The `messages` parameter."""
    written: list[Any] = []
    for message in messages:
        raw = write_message(message, losses)
        if isinstance(message.raw, Joined) and written and written[-1]["role"] == raw["role"]:
            written[-1] = {**written[-1], "content": _list(written[-1]) + _list(raw)}
        else:
            written.append(dict(raw) if isinstance(raw, Joined) else raw)
    return written


def _list(raw: Mapping[str, Any]) -> list[Any]:
    content = raw["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def read_tool(raw: Mapping[str, Any]) -> Tool:
    """A tool definition; a provider's own tool without a schema keeps only its name."""
    schema = raw.get("input_schema")
    return Tool(
        text_at(raw, "name", text_at(raw, "type", "")),
        text_at(raw, "description", ""),
        schema if isinstance(schema, dict) else {},
        raw=raw,
    )


def write_tool(tool: Tool) -> dict[str, Any]:
    """A client tool's definition."""
    schema = dict(tool.schema) or {"type": "object", "properties": {}}
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": schema}


def is_client_tool(tool: Tool) -> bool:
    """Whether the definition says what another provider needs, too: it is no built-in tool."""
    raw = tool.raw
    return not isinstance(raw, dict) or "input_schema" in raw
