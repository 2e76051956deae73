"""Cline sessions (`<session>.messages.json`): Anthropic messages and the system prompt.

Its results may be lists of its own objects (`{query, result, success}`), which it sends as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.anthropic import read_message, read_system
from trimtab.formats.anthropic_fit import fitted
from trimtab.formats.pairs import Draft
from trimtab.formats.source import Source
from trimtab.formats.transcript import (
    Recording,
    count,
    finished,
    listed,
    own_texts,
    seconds,
    spoken,
    text_of,
)
from trimtab.history.log import History
from trimtab.history.message import Usage

NAME = "cline"


def read(
    source: Source, value: Mapping[str, Any], *, thread: str | None = None, whole: bool = False
) -> Recording:
    """Read a session.

    Args:
        value: the whole file.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    draft = Draft(source)
    for row in listed(value.get("messages")):
        if isinstance(row, Mapping):
            _add(draft, row)
    messages = fitted(draft).messages
    models = [m.model for m in messages if m.model]
    system = value.get("system_prompt")
    if messages and isinstance(system, str) and system:
        messages = [read_system(system), *messages]
    id = value.get("sessionId")
    return finished(
        source,
        NAME,
        History(messages, dialect="anthropic", model=models[-1] if models else None),
        thread=thread,
        session_id=id if isinstance(id, str) else None,
    )


def _add(draft: Draft, row: Mapping[str, Any]) -> None:
    content = row.get("content")
    if isinstance(content, list):
        content = [_block(block) for block in content if isinstance(block, Mapping)]
        content.sort(key=lambda b: row.get("role") == "user" and b["type"] != "tool_result")
    if not content:
        return
    try:
        message = read_message({"role": row.get("role"), "content": content})
    except InputError as e:
        draft.source.report(None, f"a message that is not understood ({e})", "skipped it")
        return
    id = row.get("id")
    message = replace(message, id=id if isinstance(id, str) else None, time=seconds(row.get("ts")))
    if message.role == "user":
        message = replace(message, typed=spoken(own_texts(message)))
    else:
        model = row.get("modelInfo")
        name = model.get("id") if isinstance(model, Mapping) else None
        message = replace(message, model=name if isinstance(name, str) else None)
        message = replace(message, usage=_usage(row.get("metrics")))
    draft.add(message)


def _usage(metrics: object) -> Usage | None:
    """The input count contains the cached tokens; where it cannot, it stands beside them."""
    if not isinstance(metrics, Mapping):
        return None
    told, read = count(metrics.get("inputTokens")), count(metrics.get("cacheReadTokens"))
    write = count(metrics.get("cacheWriteTokens"))
    fresh = told - read - write
    return Usage(
        input=fresh if fresh >= 0 else told,
        cache_read=read,
        cache_write=write,
        output=count(metrics.get("outputTokens")),
    )


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block as the Messages API takes it."""
    made = dict(block)
    made.setdefault("type", "text")
    if made["type"] == "text":
        made["text"] = text_of(made.get("text"))
    if made["type"] == "file":
        text = {"type": "text", "media_type": "text/plain", "data": text_of(made.get("content"))}
        return {"type": "document", "source": text, "title": text_of(made.get("path"))}
    if made["type"] == "tool_result":
        made.pop("name", None)
        content = made.get("content")
        if isinstance(content, list):
            made["content"] = [
                part
                if isinstance(part, Mapping) and isinstance(part.get("type"), str)
                else {"type": "text", "text": text_of(part)}
                for part in content
            ]
        elif content is not None and not isinstance(content, str):
            made["content"] = text_of(content)
    return made
