"""mini-swe-agent trajectories (`.traj.json`): chat messages, or responses of the Responses API,
each with the agent's own `extra`; early versions wrote the bare list of messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.chat_rows import add_row, completion_usage, no_result
from trimtab.formats.openai_responses import read_message as read_item
from trimtab.formats.pairs import NO_RESULT, Draft, with_items, with_tool_messages
from trimtab.formats.source import Source
from trimtab.formats.transcript import Recording, finished, seconds, usage_with_cached
from trimtab.history.log import History
from trimtab.history.message import Message, ToolCall, Usage

NAME = "mini-swe-agent"


def read(
    source: Source, value: Any, *, thread: str | None = None, whole: bool = False
) -> Recording:
    """Read a trajectory.

    Args:
        value: the whole file, an object or the bare list of messages.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    rows = value if isinstance(value, list) else value.get("messages")
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    info = value.get("info") if isinstance(value, dict) else None
    items = any("type" in row or row.get("object") == "response" for row in rows)
    draft = Draft(source)
    task_seen = False
    for row in rows:
        if row.get("role") == "exit":
            # How the run ended; the model never saw it.
            continue
        before = len(draft)
        if items:
            _add_items(draft, row)
        else:
            _add_chat(draft, row)
        for at in range(before, len(draft)):
            message = draft.messages[at]
            if message.role == "user":
                draft.messages[at] = replace(message, typed=not task_seen)
                task_seen = True
    mended = (with_items if items else with_tool_messages)(
        draft, _no_output if items else no_result
    )
    return finished(
        source,
        NAME,
        History(
            mended.messages,
            dialect="responses" if items else "openai",
            model=_model(info),
        ),
        thread=thread,
        session_id=_instance(value),
    )


def _add_chat(draft: Draft, row: Mapping[str, Any]) -> None:
    # The client library fills in every key; the provider refuses some of them as null.
    raw = {k: v for k, v in row.items() if k != "extra" and (v is not None or k == "content")}
    raw.pop("provider_specific_fields", None)
    if not add_row(draft, raw):
        return
    extra = row.get("extra")
    if not isinstance(extra, Mapping):
        return
    response = extra.get("response")
    usage = completion_usage(response.get("usage")) if isinstance(response, Mapping) else None
    message = draft.messages[-1]
    if message.role != "assistant":
        usage = None
    draft.messages[-1] = replace(message, time=seconds(extra.get("timestamp")), usage=usage)


def _add_items(draft: Draft, row: Mapping[str, Any]) -> None:
    output = row.get("output") if row.get("object") == "response" else None
    items = output if isinstance(output, list) else [row]
    extra = row.get("extra")
    time = seconds(extra.get("timestamp")) if isinstance(extra, Mapping) else None
    for item in items:
        if not isinstance(item, Mapping):
            continue
        try:
            message = read_item({k: v for k, v in item.items() if k != "extra"})
        except InputError as e:
            reason = f"an item that is not understood ({e})"
            draft.source.report(None, reason, "skipped it")
            continue
        draft.add(replace(message, time=time))
    if output and draft.messages and draft.messages[-1].role == "assistant":
        usage = _response_usage(row.get("usage"))
        draft.messages[-1] = replace(draft.messages[-1], usage=usage)


def _response_usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    details = value.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    return usage_with_cached(value.get("input_tokens"), cached, value.get("output_tokens"))


def _no_output(call: ToolCall, message: Message) -> Message:
    return read_item({"type": "function_call_output", "call_id": call.id, "output": NO_RESULT})


def _model(info: object) -> str | None:
    config = info.get("config") if isinstance(info, Mapping) else None
    model = config.get("model") if isinstance(config, Mapping) else None
    name = model.get("model_name") if isinstance(model, Mapping) else None
    return name if isinstance(name, str) else None


def _instance(value: object) -> str | None:
    id = value.get("instance_id") if isinstance(value, Mapping) else None
    return id if isinstance(id, str) else None
