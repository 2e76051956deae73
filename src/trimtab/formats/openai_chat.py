"""OpenAI Chat Completions: one message of `messages`, and tool definitions.

Some content lives in keys beside `content`: `refusal`, `audio`, the legacy `function_call`, and the
reasoning keys of compatible servers. The block read from such keys has exactly these keys as its
`raw`. The calls of `function_call` have no id; `function_call:NAME` stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.formats.jsontext import dumps_text
from trimtab.formats.losses import (
    DOCUMENT,
    ERROR_FLAG,
    PICTURE,
    RESULT_PICTURES,
    THINKING,
    Losses,
    opaque,
)
from trimtab.formats.media import data_url, read_image, split_data_url
from trimtab.formats.shape import EMPTIED, kind_of, object_from, parts_of, role_of, text_at
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

NAME = "openai"
PLACE = "messages"
SYSTEM = None

REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where compatible servers put a model's thinking."""

ERROR_MARK = "[error] "
"""Marks the result of a failed tool: this format has no flag for it."""

_BESIDE_CONTENT = frozenset({"tool_calls", "function_call", "refusal", "audio", *REASONING_KEYS})


def read_message(raw: Mapping[str, Any]) -> Message:
    """A message of a request or of a response's choice.

    Raises:
        InputError: the role or content is not understood.
    """
    role = role_of(raw)
    blocks: tuple[Block, ...]
    if role == "tool":
        blocks = (ToolResult(_answered(raw), _read_parts(raw.get("content")), raw=raw),)
    elif role == "assistant":
        blocks = tuple(_read_assistant(raw))
    else:
        blocks = _read_parts(raw.get("content"))
    return Message(
        role,
        blocks,
        id=text_at(raw, "id", "") or None,
        dialect=NAME,
        model=text_at(raw, "model", "") or None,
        raw=raw,
    )


def _answered(raw: Mapping[str, Any]) -> str:
    if raw.get("role") == "function":
        return f"function_call:{text_at(raw, 'name', '')}"
    return text_at(raw, "tool_call_id", "")


def _read_assistant(raw: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    reasoning = {key: raw[key] for key in REASONING_KEYS if raw.get(key)}
    if reasoning:
        blocks.append(_read_reasoning(reasoning))
    blocks += _read_parts(raw.get("content"))
    refusal = raw.get("refusal")
    if refusal is not None:
        blocks.append(Text(text_at(raw, "refusal"), raw={"refusal": refusal}))
    if raw.get("audio") is not None:
        blocks.append(Opaque("audio", raw={"audio": raw["audio"]}))
    if raw.get("tool_calls") is not None:
        blocks += [_read_call(call) for call in parts_of(raw["tool_calls"], "tool_calls")]
    if raw.get("function_call") is not None:
        call = object_from(raw["function_call"], "function_call")
        name = text_at(call, "name", "")
        blocks.append(
            ToolCall(
                f"function_call:{name}",
                name,
                call.get("arguments"),
                raw={"function_call": call},
            )
        )
    return blocks


def _read_reasoning(keys: dict[str, Any]) -> Thinking:
    text = next((v for v in keys.values() if isinstance(v, str)), "")
    details = [
        part
        for value in keys.values()
        if isinstance(value, list)
        for part in value
        if isinstance(part, dict)
    ]
    if not text:
        said = (part.get("thinking") or part.get("text") for part in details)
        text = "\n".join(s for s in said if isinstance(s, str))
    sealed = (part.get("signature") or part.get("data") for part in details)
    signature = next((s for s in sealed if isinstance(s, str)), None)
    return Thinking(text, signature, redacted=not text, bound=signature is not None, raw=keys)


def _read_call(raw: Mapping[str, Any]) -> ToolCall:
    id = text_at(raw, "id", "")
    if isinstance(raw.get("custom"), dict):
        custom = raw["custom"]
        return ToolCall(id, text_at(custom, "name", ""), custom.get("input"), raw=raw)
    function = object_from(raw.get("function"), "function")
    return ToolCall(id, text_at(function, "name", ""), function.get("arguments"), raw=raw)


def _read_parts(content: Any) -> tuple[Content, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_read_part(part) for part in parts_of(content))


def _read_part(raw: Mapping[str, Any]) -> Content:
    kind = kind_of(raw)
    match kind:
        case "text":
            return Text(text_at(raw, "text"), raw=raw)
        case "refusal":
            return Text(text_at(raw, "refusal"), raw=raw)
        case "image_url":
            image = raw.get("image_url")
            url = image if isinstance(image, str) else text_at(object_from(image, kind), "url")
            return read_image(url=url, raw=raw)
        case "file":
            return read_file(object_from(raw.get("file"), kind), raw)
    return Opaque(kind, raw=raw)


def read_file(file: Mapping[str, Any], raw: Any) -> Document:
    """A file part (`filename`, `file_data`, `file_url`); `raw` is the block it came in."""
    data = text_at(file, "file_data", "")
    media_type = ""
    parts = split_data_url(data)
    if parts is not None:
        media_type, data = parts
    title = text_at(file, "filename", "")
    url = text_at(file, "file_url", "")
    return Document(title, media_type=media_type, data=data, url=url, raw=raw)


def write_message(message: Message, losses: Losses | None = None) -> list[dict[str, Any]]:
    """The wire form of a message.

    An unedited message read from OpenAI is its own `raw`, an edited one stays one message. One
    of another origin becomes as many as its results need.
    """
    losses = Losses() if losses is None else losses
    raw = message.raw if message.dialect == NAME else None
    if raw is not None:
        return [raw if not message.edited else _edited(message, raw, losses)]
    if message.role == "assistant":
        return [_assembled({"role": "assistant"}, message, losses, native=False)]
    if message.role == "system":
        return [{"role": "system", "content": message.text}]
    results = list(message.results())
    written = [_result_message(result, losses) for result in results]
    for result in results:
        written += _pictures_of(result, losses)
    rest = [b for b in message.blocks if not isinstance(b, ToolResult)]
    if rest or not results:
        content = _write_content(rest, losses, native=False)
        written.append({"role": "user", "content": content or EMPTIED})
    return written


def _edited(message: Message, raw: Mapping[str, Any], losses: Losses) -> dict[str, Any]:
    if message.role != "tool":
        return _assembled(raw, message, losses, native=True)
    result = next(message.results(), None)
    parts: Sequence[Block] = message.blocks if result is None else result.content
    listed = isinstance(raw.get("content"), list)
    content = _write_content(parts, losses, native=True, listed=listed)
    return {**raw, "content": content or ""}


def _assembled(
    shell: Mapping[str, Any], message: Message, losses: Losses, *, native: bool
) -> dict[str, Any]:
    """A message written from its blocks, with the shell's other keys."""
    written = {k: v for k, v in shell.items() if v is None or k not in _BESIDE_CONTENT}
    inside: list[Block] = []
    calls: list[dict[str, Any]] = []
    beside: dict[str, Any] = {}
    for block in message.blocks:
        keys = block.raw if native and isinstance(block.raw, dict) else {}
        if isinstance(block, ToolCall):
            if "function_call" in keys:
                beside["function_call"] = _write_function(block, keys["function_call"])
            elif not block.server:
                calls.append(_write_call(block, keys))
        elif isinstance(block, Thinking):
            if keys and not block.edited:
                beside.update(keys)
            else:
                losses.add(THINKING)
        elif keys.keys() & _BESIDE_CONTENT and "type" not in keys:
            # An edited refusal is an ordinary text from then on.
            if block.edited:
                inside.append(block)
            else:
                beside.update(keys)
        else:
            inside.append(block)
    listed = native and isinstance(shell.get("content"), list)
    content = _write_content(inside, losses, native=native, listed=listed)
    if content is None and not (calls or beside.keys() - set(REASONING_KEYS)):
        content = EMPTIED
    written["content"] = content
    if calls:
        beside["tool_calls"] = calls
    return {**written, **beside}


def _write_call(block: ToolCall, raw: Mapping[str, Any]) -> dict[str, Any]:
    if raw and not block.edited:
        return dict(raw)
    if isinstance(raw.get("custom"), dict):
        text = block.input if isinstance(block.input, str) else ""
        custom = {**raw["custom"], "name": block.name, "input": text if text != "{}" else ""}
        return {**raw, "id": block.id, "custom": custom}
    function = _write_function(block, raw.get("function", {}))
    return {"type": "function", **raw, "id": block.id, "function": function}


def _write_function(block: ToolCall, raw: Mapping[str, Any]) -> dict[str, Any]:
    return {**raw, "name": block.name, "arguments": as_arguments(block.input)}


def as_arguments(value: Any) -> str:
    """Tool arguments as the JSON string that OpenAI wants."""
    if isinstance(value, str):
        return value
    return dumps_text({} if value is None else value)


def _write_content(
    blocks: Sequence[Block], losses: Losses, *, native: bool, listed: bool = False
) -> str | list[dict[str, Any]] | None:
    """`content` from blocks: a string where one text says it all, `None` where nothing does."""
    parts = [part for b in blocks if (part := _write_part(b, losses, native=native)) is not None]
    if not parts:
        return None
    if len(parts) == 1 and not listed and parts[0].keys() == {"type", "text"}:
        return str(parts[0]["text"])
    return parts


def _write_part(block: Block, losses: Losses, *, native: bool) -> dict[str, Any] | None:
    raw = block.raw if native and isinstance(block.raw, dict) and "type" in block.raw else None
    if raw is not None and not block.edited:
        return raw
    shell = dict(raw or {})
    match block:
        case Text():
            if shell.get("type") == "refusal":
                return {**shell, "refusal": block.text}
            return {**shell, "type": "text", "text": block.text}
        case Image(data="", url=""):
            losses.add(PICTURE)
            return None
        case Image():
            url = block.url or data_url(block.media_type, block.data)
            return {**shell, "type": "image_url", "image_url": {"url": url}}
        case Document():
            return _write_document(block, losses)
    losses.add(opaque(getattr(block, "kind", type(block).__name__)))
    return None


def _write_document(block: Document, losses: Losses) -> dict[str, Any] | None:
    if block.data:
        file_data = data_url(block.media_type, block.data)
        file = {"filename": block.title or "document", "file_data": file_data}
        return {"type": "file", "file": file}
    text = document_text(block)
    if text:
        return {"type": "text", "text": text}
    losses.add(DOCUMENT)
    return None


def document_text(block: Document) -> str:
    """A document as plain text: its title, its address, its text; empty for a binary one."""
    return "\n".join(part for part in (block.title, block.url, block.text) if part)


def result_text(result: ToolResult, losses: Losses) -> str:
    """What a result says in words, with the mark of a failed tool."""
    said = [
        p.text if isinstance(p, Text) else document_text(p) if isinstance(p, Document) else ""
        for p in result.content
    ]
    text = "\n".join(s for s in said if s)
    if not result.is_error:
        return text
    losses.add(ERROR_FLAG)
    return ERROR_MARK + text


def _result_message(result: ToolResult, losses: Losses) -> dict[str, Any]:
    text = result_text(result, losses)
    return {"role": "tool", "tool_call_id": result.call_id, "content": text}


def _pictures_of(result: ToolResult, losses: Losses) -> list[dict[str, Any]]:
    """A user message with what a tool message cannot hold."""
    parts = [
        part
        for block in result.content
        if isinstance(block, Image) or (isinstance(block, Document) and block.data)
        if (part := _write_part(block, losses, native=False)) is not None
    ]
    for block in result.content:
        if isinstance(block, Opaque):
            losses.add(opaque(block.kind))
    if not parts:
        return []
    losses.add(RESULT_PICTURES, len(parts))
    note = {"type": "text", "text": f"[from the result of {result.call_id}]"}
    return [{"role": "user", "content": [note, *parts]}]


def read_messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """All messages of a request, in order."""
    return [read_message(raw) for raw in messages]


def write_messages(messages: Sequence[Message], losses: Losses) -> list[Any]:
    """The `messages` parameter."""
    return [raw for message in messages for raw in write_message(message, losses)]


def read_tool(raw: Mapping[str, Any]) -> Tool:
    """A tool definition, also of the legacy `functions`."""
    function = raw.get("function", raw.get("custom", raw))
    if not isinstance(function, dict):
        function = raw
    schema = function.get("parameters")
    return Tool(
        text_at(function, "name", text_at(raw, "type", "")),
        text_at(function, "description", ""),
        schema if isinstance(schema, dict) else {},
        raw=raw,
    )


def write_tool(tool: Tool) -> dict[str, Any]:
    """A function tool's definition."""
    described = {"description": tool.description} if tool.description else {}
    schema = dict(tool.schema) or {"type": "object", "properties": {}}
    function = {"name": tool.name, **described, "parameters": schema}
    return {"type": "function", "function": function}


def is_client_tool(tool: Tool) -> bool:
    """Whether it is a function, which every provider has."""
    raw = tool.raw
    return not isinstance(raw, dict) or isinstance(raw.get("function"), dict) or "name" in raw
