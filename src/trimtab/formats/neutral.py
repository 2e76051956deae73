"""The neutral form, one message a line: `role`, `content`, optional `id` and `required`.

Content is a string or a list of blocks:

    {"type": "text", "text"}
    {"type": "thinking", "text", "signature"?, "redacted"?, "bound"?}
    {"type": "tool_call", "id", "name", "input", "server"?}
    {"type": "tool_result", "call_id", "content", "is_error"?, "pending"?, "server"?}
    {"type": "image", "media_type", "data" or "url", "width"?, "height"?}
    {"type": "document", "title"?, "text" or "data" or "url", "media_type"?}

Unknown keys are kept; a block of another type becomes `Opaque`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.losses import Losses, opaque
from trimtab.formats.media import pixel_size
from trimtab.formats.shape import describe, kind_of, object_from, parts_of, role_of, text_at
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

NAME = "neutral"
PLACE = "messages"
SYSTEM = None


def read_message(raw: Mapping[str, Any]) -> Message:
    """One line.

    Raises:
        InputError: role, content, `id` or `required` is not understood.
    """
    required = raw.get("required")
    if required is not None and not isinstance(required, bool):
        raise InputError("required", f"true or false is expected, not {describe(required)}")
    id = raw.get("id")
    if id is not None and (isinstance(id, bool) or not isinstance(id, str | int)):
        raise InputError("id", f"a string is expected, not {describe(id)}")
    return Message(
        role_of(raw),
        read_content(raw.get("content")),
        id=None if id is None else str(id),
        required=required,
        dialect=NAME,
        model=text_at(raw, "model", "") or None,
        raw=raw,
    )


def read_content(content: Any) -> tuple[Block, ...]:
    """String or list content."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(read_block(block) for block in parts_of(content))


def read_block(raw: Mapping[str, Any]) -> Block:
    """One content block."""
    kind = kind_of(raw)
    match kind:
        case "text":
            return Text(text_at(raw, "text"), raw=raw)
        case "thinking":
            return Thinking(
                text_at(raw, "text", text_at(raw, "thinking", "")),
                text_at(raw, "signature", "") or None,
                redacted=raw.get("redacted") is True,
                bound=raw.get("bound") is True,
                raw=raw,
            )
        case "tool_call":
            return ToolCall(
                text_at(raw, "id"),
                text_at(raw, "name", ""),
                raw.get("input"),
                server=raw.get("server") is True,
                raw=raw,
            )
        case "tool_result":
            return ToolResult(
                text_at(raw, "call_id"),
                _read_parts(raw.get("content")),
                is_error=raw.get("is_error") is True,
                pending=raw.get("pending") is True,
                server=raw.get("server") is True,
                raw=raw,
            )
        case "image":
            return _read_image(raw)
        case "document":
            return Document(
                text_at(raw, "title", ""),
                text_at(raw, "text", ""),
                text_at(raw, "media_type", ""),
                text_at(raw, "data", ""),
                text_at(raw, "url", ""),
                raw=raw,
            )
    return Opaque(kind, raw=raw)


def _read_parts(content: Any) -> tuple[Content, ...]:
    parts: list[Content] = []
    for block in read_content(content):
        if isinstance(block, Text | Image | Document | Opaque):
            parts.append(block)
        else:
            parts.append(Opaque(block.raw["type"], raw=block.raw))
    return tuple(parts)


def _read_image(raw: Mapping[str, Any]) -> Image:
    data = text_at(raw, "data", "")
    given = raw.get("width"), raw.get("height")
    match given:
        case int() as width, int() as height:
            pass
        case _:
            width, height = pixel_size(data) if data else (0, 0)
    return Image(
        text_at(raw, "media_type", ""), data, text_at(raw, "url", ""), width, height, raw=raw
    )


def write_message(message: Message, losses: Losses | None = None) -> dict[str, Any]:
    """The wire form of a message; one read from neutral and not edited is its own `raw`."""
    losses = Losses() if losses is None else losses
    raw = message.raw if message.dialect == NAME else None
    if raw is not None and not message.edited:
        return object_from(raw, "raw")
    shell: dict[str, Any] = dict(raw or {})
    native = message.dialect == NAME
    listed = isinstance(shell.get("content"), list)
    content = _write_content(message.blocks, losses, native=native, listed=listed)
    written: dict[str, Any] = {**shell, "role": shell.get("role", message.role)}
    written["content"] = content
    if raw is None:
        if message.id is not None:
            written["id"] = message.id
        if message.model is not None:
            written["model"] = message.model
        if message.required is not None:
            written["required"] = message.required
    return written


def _write_content(
    blocks: Sequence[Block], losses: Losses, *, native: bool, listed: bool = False
) -> str | list[dict[str, Any]]:
    written = (write_block(block, losses, native=native) for block in blocks)
    parts = [part for part in written if part is not None]
    if not parts and not listed:
        return ""
    if len(parts) == 1 and not listed and parts[0].keys() == {"type", "text"}:
        text = parts[0]["text"]
        if parts[0]["type"] == "text" and isinstance(text, str):
            return text
    return parts


def write_block(
    block: Block, losses: Losses | None = None, *, native: bool = False
) -> dict[str, Any] | None:
    """The wire form of a block; `None` for an opaque one of another dialect.

    Args:
        losses: is told what could not be written.
        native: the block's `raw` is neutral; it is written untouched where no edit changed it.
    """
    losses = Losses() if losses is None else losses
    raw = block.raw if native and isinstance(block.raw, dict) else None
    if raw is not None and not block.edited:
        return raw
    written: dict[str, Any] = dict(raw or {})
    match block:
        case Text():
            written |= {"type": "text", "text": block.text}
        case Thinking():
            written |= {"type": "thinking", "text": block.text}
            if block.signature is not None:
                written["signature"] = block.signature
            _flag(written, "redacted", block.redacted)
            _flag(written, "bound", block.bound)
        case ToolCall():
            written |= {
                "type": "tool_call",
                "id": block.id,
                "name": block.name,
                "input": block.input,
            }
            _flag(written, "server", block.server)
        case ToolResult():
            content = _write_content(block.content, losses, native=native)
            written |= {"type": "tool_result", "call_id": block.call_id, "content": content}
            _flag(written, "is_error", block.is_error)
            _flag(written, "pending", block.pending)
            _flag(written, "server", block.server)
        case Image():
            written |= {"type": "image", "media_type": block.media_type}
            written |= {"data": block.data} if block.data else {"url": block.url}
            if block.width and block.height:
                written |= {"width": block.width, "height": block.height}
        case Document():
            fields = ("title", "text", "media_type", "data", "url")
            said = {key: getattr(block, key) for key in fields}
            written |= {"type": "document", **{k: v for k, v in said.items() if v}}
        case Opaque():
            losses.add(opaque(block.kind))
            return None
    return written


def _flag(written: dict[str, Any], key: str, value: bool) -> None:
    """Say a flag where it is set, or where it was said before."""
    if value or key in written:
        written[key] = value


def read_messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """All messages, in order."""
    return [read_message(raw) for raw in messages]


def write_messages(messages: Sequence[Message], losses: Losses) -> list[Any]:
    """All messages as they stand, one a line."""
    return [write_message(message, losses) for message in messages]


def read_tool(raw: Mapping[str, Any]) -> Tool:
    """A tool definition: `name`, `description`, `schema`."""
    schema = raw.get("schema")
    return Tool(
        text_at(raw, "name", ""),
        text_at(raw, "description", ""),
        schema if isinstance(schema, dict) else {},
        raw=raw,
    )


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition."""
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "schema": dict(tool.schema)}


def is_client_tool(tool: Tool) -> bool:
    """Whether the definition can be told to a provider."""
    return bool(tool.name)
