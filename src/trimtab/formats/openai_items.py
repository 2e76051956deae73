"""Items of the OpenAI Responses API that are not plain messages: calls, outputs, reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.formats.losses import ERROR_FLAG, PICTURE, Losses, opaque
from trimtab.formats.media import data_url, read_image
from trimtab.formats.openai_chat import (
    ERROR_MARK,
    as_arguments,
    document_text,
    read_file,
)
from trimtab.formats.shape import kind_of, object_from, parts_of, text_at
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Image,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

RUN_BY_PROVIDER = {
    "mcp_call": "output",
    "web_search_call": "results",
    "file_search_call": "results",
    "code_interpreter_call": "outputs",
    "image_generation_call": "result",
}
"""Items that hold a call and its outcome, with the key of the outcome."""

_INPUT_KEYS = ("arguments", "input", "action", "operation", "queries", "code")


def read_item(kind: str, raw: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...]]:
    """Role and blocks of an item that is no message.

    `*_call` items with a `call_id` are calls and `*_output` items their results, whichever
    tool it is; an item of an unknown kind becomes `Opaque`.
    """
    match kind:
        case "reasoning":
            return "assistant", (_read_reasoning(raw),)
        case "mcp_approval_request":
            # A call that the user answers: it must not be cut while it is open.
            return "assistant", (
                ToolCall(
                    text_at(raw, "id", ""),
                    text_at(raw, "name", kind),
                    raw.get("arguments"),
                    server=True,
                    raw=raw,
                ),
            )
        case "mcp_approval_response":
            said = () if raw.get("reason") is None else (Text(text_at(raw, "reason")),)
            id = text_at(raw, "approval_request_id", "")
            refused = raw.get("approve") is False
            return "tool", (ToolResult(id, said, is_error=refused, server=True, raw=raw),)
    if kind in RUN_BY_PROVIDER:
        return "assistant", _read_run_by_provider(kind, raw)
    if kind.endswith("_call") and isinstance(raw.get("call_id"), str):
        tool = kind.removesuffix("_call")
        return "assistant", (
            ToolCall(raw["call_id"], text_at(raw, "name", tool), _input_of(raw), raw=raw),
        )
    if kind.endswith("_output"):
        # The output of a local shell call may name its call by `id`.
        answered = raw.get("call_id") if "call_id" in raw else raw.get("id")
        if isinstance(answered, str):
            failed = raw.get("status") == "failed"
            content = read_output(raw.get("output"))
            return "tool", (ToolResult(answered, content, is_error=failed, raw=raw),)
    return "assistant", (Opaque(kind, raw=raw),)


def _input_of(raw: Mapping[str, Any]) -> Any:
    return next((raw[key] for key in _INPUT_KEYS if key in raw), None)


def _read_reasoning(raw: Mapping[str, Any]) -> Thinking:
    said = [
        text_at(part, "text", "")
        for key in ("summary", "content")
        if raw.get(key) is not None
        for part in parts_of(raw[key], key)
    ]
    text = "\n".join(s for s in said if s)
    signature = text_at(raw, "encrypted_content", "") or None
    return Thinking(text, signature, redacted=not text, raw=raw)


def _read_run_by_provider(kind: str, raw: Mapping[str, Any]) -> tuple[Block, ...]:
    id = text_at(raw, "id", "")
    tool = text_at(raw, "name", kind.removesuffix("_call"))
    outcome = raw.get(RUN_BY_PROVIDER[kind])
    content: tuple[Content, ...] = ()
    if kind == "image_generation_call" and isinstance(outcome, str):
        content = (read_image(media_type="image/png", data=outcome, raw=None),)
    elif isinstance(outcome, str):
        content = (Text(outcome),) if outcome else ()
    elif isinstance(outcome, list):
        content = tuple(_read_outcome(kind, part) for part in outcome)
    elif outcome is not None:
        content = (Opaque(kind, raw=outcome),)
    failed = raw.get("error") is not None or raw.get("status") == "failed"
    if raw.get("error") is not None:
        error = raw["error"]
        content += (Text(error) if isinstance(error, str) else Opaque("error", raw=error),)
    return (
        ToolCall(id, tool, _input_of(raw), server=True),
        ToolResult(id, content, is_error=failed, server=True),
    )


def _read_outcome(kind: str, part: Any) -> Content:
    if isinstance(part, dict):
        for key in ("logs", "text"):
            if isinstance(part.get(key), str):
                return Text(part[key], raw=part)
    return Opaque(kind, raw=part)


def read_output(output: Any) -> tuple[Content, ...]:
    """What a call came to: a string, a list of parts, or an object such as a screenshot."""
    if output is None or output == "":
        return ()
    if isinstance(output, str):
        return (Text(output),)
    if isinstance(output, dict):
        return (read_part(output),)
    return tuple(
        _read_shell_part(part) if "type" not in part else read_part(part)
        for part in parts_of(output, "output")
    )


def _read_shell_part(raw: Mapping[str, Any]) -> Content:
    said = [raw.get("stdout"), raw.get("stderr")]
    text = "\n".join(s for s in said if isinstance(s, str) and s)
    return Text(text, raw=raw) if text else Opaque("shell_output", raw=raw)


def read_part(raw: Mapping[str, Any]) -> Content:
    """A part of a message's content or of an output."""
    kind = kind_of(raw)
    match kind:
        case "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text":
            return Text(text_at(raw, "text"), raw=raw)
        case "refusal":
            return Text(text_at(raw, "refusal"), raw=raw)
        case "input_image" | "computer_screenshot":
            image = raw.get("image_url")
            url = image if isinstance(image, str) else ""
            return read_image(url=url, raw=raw)
        case "input_file":
            return read_file(raw, raw)
    return Opaque(kind, raw=raw)


def write_part(
    block: Block, losses: Losses, *, native: bool, said_by: str = "input"
) -> dict[str, Any] | None:
    """The wire form of a content part; `None` where there is none (said in `losses`)."""
    raw = block.raw if native and isinstance(block.raw, dict) else None
    if raw is not None and not block.edited:
        return raw
    shell = dict(raw or {})
    match block:
        case Text():
            if shell.get("type") == "refusal":
                return {**shell, "refusal": block.text}
            for key in ("annotations", "logprobs"):  # they point into the text that was there
                if shell.get(key):
                    shell[key] = []
            return {"type": f"{said_by}_text", **shell, "text": block.text}
        case Image(data="", url=""):
            losses.add(PICTURE)
            return None
        case Image():
            url = block.url or data_url(block.media_type, block.data)
            return {"type": "input_image", "detail": "auto", **shell, "image_url": url}
        case Document():
            return _write_document(block)
    losses.add(opaque(getattr(block, "kind", type(block).__name__)))
    return None


def _write_document(block: Document) -> dict[str, Any]:
    if block.data:
        data = data_url(block.media_type, block.data)
        name = block.title or "document"
        return {"type": "input_file", "filename": name, "file_data": data}
    if block.url and not block.text:
        return {"type": "input_file", "file_url": block.url}
    return {"type": "input_text", "text": document_text(block)}


def write_call(block: ToolCall) -> dict[str, Any]:
    """A function call written anew."""
    return {
        "type": "function_call",
        "call_id": block.id,
        "name": block.name,
        "arguments": as_arguments(block.input),
    }


def write_output(block: ToolResult, losses: Losses, *, native: bool) -> Any:
    """The `output` of a result: a string where text says it all, else a list of parts."""
    only_text = all(isinstance(p, Text) and not (native and p.raw) for p in block.content)
    mark = ""
    if block.is_error and not native:
        losses.add(ERROR_FLAG)
        mark = ERROR_MARK
    if only_text:
        return mark + block.text
    parts = [write_part(part, losses, native=native) for part in block.content]
    written = [part for part in parts if part is not None]
    if mark:
        written.insert(0, {"type": "input_text", "text": mark.strip()})
    return written if written else ""


def edited_item(kind: str, raw: Mapping[str, Any], block: Block, losses: Losses) -> Any:
    """An item of which an edit changed the call or the result; its other keys stay."""
    if isinstance(block, ToolCall):
        return {**raw, **_emptied_input(raw, block)}
    if isinstance(block, ToolResult):
        if kind in RUN_BY_PROVIDER:
            key = RUN_BY_PROVIDER[kind]
            if kind == "mcp_call":
                return {**raw, key: block.text}
            logs = [{"type": "logs", "logs": block.text}] if key == "outputs" else None
            return {**raw, key: logs} if key in raw else dict(raw)
        if kind == "mcp_approval_response":
            return {**raw, "reason": block.text}
        if kind == "computer_call_output":  # only a screenshot may stand there
            images = [p for p in block.content if isinstance(p, Image)]
            written = [write_part(p, losses, native=True) for p in images]
            return {**raw, "output": written[0] if written else raw.get("output")}
        if kind == "shell_call_output":
            entry = {
                "stdout": block.text,
                "stderr": "",
                "outcome": {"type": "exit", "exit_code": int(block.is_error)},
            }
            return {**raw, "output": [entry]}
        return {**raw, "output": write_output(block, losses, native=True)}
    return object_from(raw, kind)


def _emptied_input(raw: Mapping[str, Any], block: ToolCall) -> dict[str, Any]:
    key = next((key for key in _INPUT_KEYS if key in raw), None)
    if key is None:
        return {}
    value = block.input
    if key == "arguments":
        value = as_arguments(value)
    elif key in ("input", "code"):
        value = value if isinstance(value, str) and value != "{}" else ""
    elif not value or value == "{}":
        return {}  # an action without its kind would be refused
    return {key: value}
