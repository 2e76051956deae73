"""Content blocks of Anthropic Messages: read, and write back.

Source: the Messages API reference. Any `*_tool_use` is a call run by the provider, any
`*_tool_result` its outcome; whatever else is unknown becomes `Opaque`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.formats.jsontext import loads
from trimtab.formats.losses import DOCUMENT, PICTURE, THINKING, Losses, opaque
from trimtab.formats.media import read_image
from trimtab.formats.shape import kind_of, object_from, parts_of, text_at
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Image,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def read_block(raw: Mapping[str, Any]) -> Block:
    """One content block.

    Raises:
        InputError: a known block lacks what makes it one.
    """
    kind = kind_of(raw)
    match kind:
        case "text":
            return Text(text_at(raw, "text"), raw=raw)
        case "thinking":
            text = text_at(raw, "thinking", "")
            signature = text_at(raw, "signature", "") or None
            return Thinking(
                text,
                signature,
                redacted=not text and signature is not None,
                bound=signature is not None,
                raw=raw,
            )
        case "redacted_thinking":
            return Thinking("", text_at(raw, "data", ""), redacted=True, bound=True, raw=raw)
        case "tool_use":
            return ToolCall(
                text_at(raw, "id", ""), text_at(raw, "name", ""), raw.get("input"), raw=raw
            )
        case "tool_result":
            return ToolResult(
                text_at(raw, "tool_use_id", ""),
                read_result_content(raw.get("content")),
                is_error=raw.get("is_error") is True,
                raw=raw,
            )
        case "image":
            return _read_image(raw)
        case "document":
            return _read_document(raw)
        case "search_result":
            return Document(
                text_at(raw, "title", ""),
                _joined_text(raw.get("content")),
                url=text_at(raw, "source", ""),
                raw=raw,
            )
    if kind.endswith("_tool_use") and isinstance(raw.get("id"), str):
        return ToolCall(
            raw["id"], text_at(raw, "name", kind), raw.get("input"), server=True, raw=raw
        )
    if kind.endswith("_tool_result") and isinstance(raw.get("tool_use_id"), str):
        return _read_server_result(raw)
    return Opaque(kind, raw=raw)


def read_result_content(content: Any) -> tuple[Content, ...]:
    """The content of a tool result: a string, a list of blocks, or nothing."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_read_part(part) for part in parts_of(content))


def _read_part(raw: Mapping[str, Any]) -> Content:
    block = read_block(raw)
    if isinstance(block, Text | Image | Document | Opaque):
        return block
    return Opaque(kind_of(raw), raw=raw)


def _read_server_result(raw: Mapping[str, Any]) -> ToolResult:
    content = raw.get("content")
    failed = raw.get("is_error") is True
    parts: tuple[Content, ...]
    if isinstance(content, dict):
        kind = text_at(content, "type", kind_of(raw))
        failed = failed or kind.endswith("_error")
        inner = content.get("content")
        if "stdout" in content:
            said = [content.get("stdout"), content.get("stderr")]
            text = "\n".join(s for s in said if isinstance(s, str) and s)
            parts = (Text(text, raw=content),) if text else ()
        elif "error_code" in content:
            parts = (Text(text_at(content, "error_code", ""), raw=content),)
        elif isinstance(inner, dict) and inner.get("type") == "document":
            parts = (_read_part(inner),)
        else:
            parts = (Opaque(kind, raw=content),)
    else:
        parts = read_result_content(content)
    return ToolResult(raw["tool_use_id"], parts, is_error=failed, server=True, raw=raw)


def _read_image(raw: Mapping[str, Any]) -> Image:
    source = object_from(raw.get("source"), "source")
    return read_image(
        media_type=text_at(source, "media_type", ""),
        data=text_at(source, "data", ""),
        url=text_at(source, "url", ""),
        raw=raw,
    )


def _read_document(raw: Mapping[str, Any]) -> Document:
    source = object_from(raw.get("source"), "source")
    title = text_at(raw, "title", "")
    match source.get("type"):
        case "text":
            return Document(
                title,
                text_at(source, "data", ""),
                text_at(source, "media_type", "text/plain"),
                raw=raw,
            )
        case "content":
            return Document(title, _joined_text(source.get("content")), raw=raw)
    return Document(
        title,
        media_type=text_at(source, "media_type", ""),
        data=text_at(source, "data", ""),
        url=text_at(source, "url", ""),
        raw=raw,
    )


def _joined_text(content: Any) -> str:
    return "\n".join(p.text for p in read_result_content(content) if isinstance(p, Text))


def write_block(block: Block, losses: Losses, *, native: bool) -> dict[str, Any] | None:
    """The wire form of a block; `None` where Anthropic has none for it (said in `losses`).

    Args:
        native: the block's `raw` is Anthropic's; it is written untouched unless the block was
            edited, and an edited block keeps its other keys.
    """
    raw = block.raw if native else None
    if raw is not None and not block.edited:
        return object_from(raw, "raw")
    shell: dict[str, Any] = dict(raw or {})
    match block:
        case Text():
            shell.pop("citations", None)  # they point into the text that was there
            return {**shell, "type": "text", "text": block.text}
        case ToolCall():
            kind = shell.get("type", "server_tool_use" if block.server else "tool_use")
            written = {"type": kind, "id": block.id, "name": block.name}
            return {**shell, **written, "input": as_object(block.input)}
        case ToolResult():
            return _write_result(block, shell, losses, native=native)
        case Image():
            return _write_image(block, shell, losses)
        case Document():
            return _write_document(block, shell, losses)
        case Thinking():
            return _write_thinking(block, losses)
        case Opaque():
            losses.add(opaque(block.kind))
            return None


def as_object(value: Any) -> dict[str, Any]:
    """Tool arguments as the object that Anthropic wants; other values are wrapped."""
    if isinstance(value, str):
        try:
            value = loads(value) if value.strip() else {}
        except ValueError:
            return {"input": value}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"input": value}


def _write_thinking(block: Thinking, losses: Losses) -> dict[str, Any] | None:
    """Sealed thinking only, as it was: an altered text would break its seal."""
    if block.edited or block.signature is None:
        losses.add(THINKING)
        return None
    if block.redacted and not block.text:
        return {"type": "redacted_thinking", "data": block.signature}
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _write_result(
    block: ToolResult, shell: dict[str, Any], losses: Losses, *, native: bool
) -> dict[str, Any]:
    kind = shell.get("type", "tool_result")
    written = {**shell, "type": kind, "tool_use_id": block.call_id}
    if kind in ("tool_result", "mcp_tool_result"):
        written["content"] = _write_parts(block.content, losses, native=native)
        if block.is_error != (shell.get("is_error") is True):
            written["is_error"] = block.is_error
        return written
    content = shell.get("content")
    if isinstance(content, dict) and "stdout" in content:
        emptied = {"stderr": ""} if "stderr" in content else {}
        written["content"] = {**content, **emptied, "stdout": block.text}
    elif isinstance(content, list):
        # Only the provider's own entries may stand here; text cannot.
        written["content"] = [p.raw for p in block.content if isinstance(p, Opaque) and p.raw]
    elif isinstance(content, str) or content is None:
        written["content"] = block.text
    return written


def _write_parts(
    parts: tuple[Content, ...], losses: Losses, *, native: bool
) -> str | list[dict[str, Any]]:
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], Text) and not (native and parts[0].raw):
        return parts[0].text
    written = (write_block(part, losses, native=native) for part in parts)
    return [part for part in written if part is not None]


def _write_image(block: Image, shell: dict[str, Any], losses: Losses) -> dict[str, Any] | None:
    if block.data and block.media_type in IMAGE_TYPES:
        source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    elif block.url:
        source = {"type": "url", "url": block.url}
    else:
        losses.add(PICTURE)
        return None
    return {**shell, "type": "image", "source": source}


def _write_document(
    block: Document, shell: dict[str, Any], losses: Losses
) -> dict[str, Any] | None:
    if shell.get("type") == "search_result":
        return {**shell, "content": [{"type": "text", "text": block.text}]}
    source: dict[str, Any]
    if block.text:
        source = {"type": "text", "media_type": "text/plain", "data": block.text}
    elif block.data and block.media_type == "application/pdf":
        source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    elif block.url:
        source = {"type": "url", "url": block.url}
    else:
        losses.add(DOCUMENT)
        return None
    written = {**shell, "type": "document", "source": source}
    if block.title:
        written["title"] = block.title
    return written
