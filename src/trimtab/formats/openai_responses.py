"""OpenAI Responses: the `input` items, `instructions`, tool definitions.

Each item is a message: a call is an assistant message with one `ToolCall`, its output a tool
message with one `ToolResult`, reasoning an assistant message with one `Thinking`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.losses import THINKING, Losses, opaque
from trimtab.formats.openai_items import (
    edited_item,
    read_item,
    read_part,
    write_call,
    write_output,
    write_part,
)
from trimtab.formats.shape import EMPTIED, describe, kind_of, parts_of, role_of, text_at
from trimtab.history.message import (
    Block,
    Message,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

NAME = "responses"
PLACE = "input"
SYSTEM = "instructions"


def read_message(raw: Mapping[str, Any] | str) -> Message:
    """One input item; a string is the whole `input`, said by the user.

    Raises:
        InputError: the item is not understood.
    """
    if isinstance(raw, str):
        return Message("user", (Text(raw),) if raw else (), dialect=NAME, raw=raw)
    if "role" in raw and raw.get("type", "message") == "message":
        return Message(
            role_of(raw),
            _read_content(raw.get("content")),
            id=text_at(raw, "id", "") or None,
            dialect=NAME,
            raw=raw,
        )
    role, blocks = read_item(kind_of(raw), raw)
    return Message(role, blocks, id=text_at(raw, "id", "") or None, dialect=NAME, raw=raw)


def _read_content(content: Any) -> tuple[Block, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(read_part(part) for part in parts_of(content))


def read_messages(value: Any) -> list[Message]:
    """The `input`: a string, or a list of items."""
    if isinstance(value, str):
        return [read_message(value)]
    return [read_message(item) for item in value]


def read_system(value: Any) -> Message:
    """The `instructions`, a string or a list of items, as a system message."""
    blocks: tuple[Block, ...] = ()
    if isinstance(value, str):
        blocks = (Text(value),) if value else ()
    elif isinstance(value, list):
        items = parts_of(value, SYSTEM)
        blocks = tuple(block for item in items for block in read_message(item).blocks)
    else:
        raise InputError(SYSTEM, f"a string is expected here, not {describe(value)}")
    return Message("system", blocks, dialect=NAME, raw={SYSTEM: value})


def is_system_parameter(message: Message) -> bool:
    """Whether a leading system message goes to `instructions`, not into `input`."""
    raw = message.raw if message.dialect == NAME else None
    return message.role == "system" and not (isinstance(raw, dict) and "role" in raw)


def write_system(messages: Sequence[Message], losses: Losses) -> Any:
    """The `instructions` from the leading system messages."""
    if len(messages) == 1 and messages[0].dialect == NAME and not messages[0].edited:
        raw = messages[0].raw
        if isinstance(raw, dict) and SYSTEM in raw:
            return raw[SYSTEM]
    return "\n\n".join(message.text for message in messages)


def write_message(message: Message, losses: Losses | None = None) -> list[Any]:
    """The items of a message: one for one read from Responses, else one for each part."""
    losses = Losses() if losses is None else losses
    raw = message.raw if message.dialect == NAME else None
    if raw is None:
        return _write_anew(message, losses, native=False)
    if not message.edited:
        return [raw]
    if isinstance(raw, str):
        return [message.text or EMPTIED]
    if "role" in raw:
        return [{**raw, "content": _edited_content(message, raw, losses)}]
    kind = kind_of(raw)
    edited = [block for block in message.blocks if block.edited]
    if not all(_belongs(block, raw) for block in message.blocks):
        return _write_anew(message, losses, native=True)
    item: Any = raw
    for block in edited:
        item = edited_item(kind, item, block, losses)
    return [item]


def _belongs(block: Block, raw: Mapping[str, Any]) -> bool:
    """Whether a block can still be written as the item that it came from."""
    return block.raw is raw or isinstance(block, ToolCall | ToolResult)


def _edited_content(message: Message, raw: Mapping[str, Any], losses: Losses) -> Any:
    said_by = "output" if message.role == "assistant" else "input"
    parts = [write_part(b, losses, native=True, said_by=said_by) for b in message.blocks]
    written = [part for part in parts if part is not None]
    if isinstance(raw.get("content"), list):
        return written or [{"type": f"{said_by}_text", "text": EMPTIED}]
    if len(written) == 1 and "text" in written[0]:
        return written[0]["text"]
    return written or EMPTIED


def _write_anew(message: Message, losses: Losses, *, native: bool) -> list[Any]:
    """Items made from the blocks, in their order; a user's parts stay one message."""
    items: list[Any] = []
    said: list[dict[str, Any]] = []
    role = "user" if message.role == "tool" else message.role
    for block in message.blocks:
        match block:
            case ToolCall():
                items.append(write_call(block))
            case ToolResult():
                items.append(
                    {
                        "type": "function_call_output",
                        "call_id": block.call_id,
                        "output": write_output(block, losses, native=False),
                    }
                )
            case Thinking():
                if native and not block.edited and isinstance(block.raw, dict):
                    items.append(block.raw)
                else:
                    losses.add(THINKING)
            case Opaque():
                if native and not block.edited and isinstance(block.raw, dict):
                    items.append(block.raw)
                else:
                    losses.add(opaque(block.kind))
            case Text() if message.role == "assistant":
                items.append({"role": "assistant", "content": block.text})
            case _:
                part = write_part(block, losses, native=False)
                if part is not None:
                    said.append(part)
    if said:
        content: Any = said
        if len(said) == 1 and said[0].get("type") == "input_text":
            content = said[0]["text"]
        items.append({"role": role, "content": content})
    return items or [{"role": role, "content": EMPTIED}]


def write_messages(messages: Sequence[Message], losses: Losses) -> Any:
    """The `input`: the string that was read, where it is still all there is; else a list."""
    items = [item for message in messages for item in write_message(message, losses)]
    if len(items) == 1 and isinstance(items[0], str):
        return items[0]
    return [{"role": "user", "content": i} if isinstance(i, str) else i for i in items]


def read_tool(raw: Mapping[str, Any]) -> Tool:
    """A tool definition; a built-in tool is named by its type."""
    schema = raw.get("parameters")
    return Tool(
        text_at(raw, "name", text_at(raw, "type", "")),
        text_at(raw, "description", ""),
        schema if isinstance(schema, dict) else {},
        raw=raw,
    )


def write_tool(tool: Tool) -> dict[str, Any]:
    """A function tool's definition."""
    described = {"description": tool.description} if tool.description else {}
    schema = dict(tool.schema) or {"type": "object", "properties": {}}
    return {"type": "function", "name": tool.name, **described, "parameters": schema}


def is_client_tool(tool: Tool) -> bool:
    """Whether it is a function, which every provider has."""
    raw = tool.raw
    return not isinstance(raw, dict) or raw.get("type") == "function"
