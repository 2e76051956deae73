"""SWE-agent trajectories (`.traj`): one JSON object with `history` and `trajectory`.

`history` is what the model was sent, with keys of the agent's own beside each message; tool rows
name their call in the list `tool_call_ids`. Demonstrations recorded by early versions have no
tool calls: action and observation are plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.chat_rows import add_row, no_result
from trimtab.formats.pairs import Draft, with_tool_messages
from trimtab.formats.source import Source
from trimtab.formats.transcript import Recording, finished, text_of
from trimtab.history.log import History

NAME = "swe-agent"


def read(
    source: Source, value: Mapping[str, Any], *, thread: str | None = None, whole: bool = False
) -> Recording:
    """Read a trajectory.

    Args:
        value: the whole file.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    draft = Draft(source)
    task_seen = False
    for row in _rows(value):
        raw = _as_chat(row)
        if not add_row(draft, raw):
            continue
        message = draft.messages[-1]
        if message.role != "user":
            continue
        # The first message is the task; the later ones are what commands printed.
        own = not task_seen and not row.get("is_demo")
        task_seen = task_seen or own
        draft.messages[-1] = replace(message, typed=own)
    if not draft.messages:
        raise InputError(source.where(), f"holds no messages ({NAME})")
    mended = with_tool_messages(draft, no_result)
    model = _model(value)
    return finished(
        source,
        NAME,
        History(mended.messages, dialect="openai", model=model),
        thread=thread,
        session_id=_instance(value),
        title=_instance(value) or "",
    )


def _rows(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    history = value.get("history")
    if isinstance(history, list) and history:
        return [row for row in history if isinstance(row, Mapping)]
    rows: list[Mapping[str, Any]] = []
    steps = value.get("trajectory")
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, Mapping):
            rows.append({"role": "assistant", "content": text_of(step.get("response"))})
            rows.append({"role": "user", "content": text_of(step.get("observation"))})
    return rows


def _as_chat(row: Mapping[str, Any]) -> dict[str, Any]:
    """The message that SWE-agent sends for a row of its history."""
    role = row.get("role")
    raw: dict[str, Any] = {"role": role, "content": row.get("content")}
    if role == "tool":
        ids = row.get("tool_call_ids")
        given = ids[0] if isinstance(ids, list) and ids else row.get("tool_call_id")
        raw["tool_call_id"] = given
    elif isinstance(row.get("tool_calls"), list) and row["tool_calls"]:
        raw["tool_calls"] = [_call(call) for call in row["tool_calls"]]
    if row.get("thinking_blocks"):
        raw["thinking_blocks"] = row["thinking_blocks"]
    if row.get("cache_control"):
        raw["cache_control"] = row["cache_control"]
    return raw


def _call(call: Any) -> Any:
    """A call with its arguments as text, as the provider wants them."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or isinstance(function.get("arguments"), str):
        return call
    arguments = text_of(function.get("arguments") or {})
    return {**call, "function": {**function, "arguments": arguments}}


def _replay(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The run's configuration, which some versions wrote as JSON text."""
    from trimtab.formats.jsontext import loads

    replay = value.get("replay_config")
    if isinstance(replay, str):
        try:
            replay = loads(replay)
        except ValueError:
            return {}
    return replay if isinstance(replay, Mapping) else {}


def _model(value: Mapping[str, Any]) -> str | None:
    agent = _replay(value).get("agent")
    model = agent.get("model") if isinstance(agent, Mapping) else None
    name = model.get("name") if isinstance(model, Mapping) else None
    return name if isinstance(name, str) else None


def _instance(value: Mapping[str, Any]) -> str | None:
    statement = _replay(value).get("problem_statement")
    id = statement.get("id") if isinstance(statement, Mapping) else None
    return id if isinstance(id, str) else None
