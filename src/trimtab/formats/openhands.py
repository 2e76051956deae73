"""OpenHands event logs: one event a line, a list of events, or a conversation's folder with one
file an event (`events/event-00000-<id>.json`) beside its `base_state.json`.

Source: the events of the OpenHands SDK and how it turns them into messages. The calls of one
response are several `ActionEvent`s with one `llm_response_id`. A `Condensation` names the events
that are forgotten from then on, and a summary that stands for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from trimtab.errors import InputError
from trimtab.formats.chat_rows import add_row, failed, no_result
from trimtab.formats.openhands_tree import Placed, branches
from trimtab.formats.pairs import Draft, moved, with_tool_messages
from trimtab.formats.source import Source, open_source
from trimtab.formats.transcript import (
    Recording,
    count,
    finished,
    listed,
    own_texts,
    seconds,
    spoken,
    text_of,
    word,
)
from trimtab.history.log import History
from trimtab.history.message import Tool, Usage

NAME = "openhands"

_RESULTS = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
_SAID = frozenset({"SystemPromptEvent", "MessageEvent", "ActionEvent"}) | _RESULTS

Event: TypeAlias = Mapping[str, Any]


def read(source: Source, *, thread: str | None = None, whole: bool = False) -> Recording:
    """Read a log of one event a line.

    Args:
        whole: keep the events that a condensation forgot, and leave its summary out.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    return read_events(source, source.records(), thread=thread, whole=whole)


def read_folder(folder: Path, *, thread: str | None = None, whole: bool = False) -> Recording:
    """Read a conversation's folder.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    source = Source(str(folder), b"", 0)
    events: list[Placed] = []
    for file in event_files(folder):
        try:
            one = open_source(file)
            value = one.document()
        except (InputError, ValueError) as e:
            source.report(None, f"{file.name} cannot be read ({e})", "skipped it")
            continue
        source.problems += one.problems
        if isinstance(value, Mapping):
            events.append((None, value))
    recording = read_events(source, events, thread=thread, whole=whole, leaf=_leaf(folder))
    return replace(recording, session_id=folder.name)


def _leaf(folder: Path) -> str:
    """The event where the conversation stands, as its state tells; empty where it does not."""
    try:
        state = open_source(folder / "base_state.json").document()
    except (InputError, ValueError):
        return ""
    return word(state.get("leaf_event_id")) if isinstance(state, Mapping) else ""


def event_files(folder: Path) -> list[Path]:
    """The files of a conversation's events, in order; empty if the folder is none."""
    return sorted((folder / "events").glob("event-*.json"))


def is_conversation(folder: Path) -> bool:
    """Whether a folder is one conversation."""
    return next((folder / "events").glob("event-*.json"), None) is not None


def read_events(
    source: Source,
    events: Iterable[Placed],
    *,
    thread: str | None = None,
    whole: bool = False,
    leaf: str = "",
) -> Recording:
    """Read events in the order that they happened.

    Args:
        thread: a branch that was left (`branch-1`).
        leaf: the id of the event where the conversation stands; empty for the last one.

    Raises:
        InputError: they hold no messages, or no such thread.
    """
    active, left = branches(list(events), leaf, lambda e: word(e.get("kind")) in _SAID)
    history, boundaries = _tell(source, active, whole)
    silent = Source(source.name, b"", 0)

    def teller(events: list[Placed]) -> Callable[[], History]:
        return lambda: _tell(silent, events, whole)[0]

    return finished(
        source,
        NAME,
        history,
        thread=thread,
        threads=lambda: {f"branch-{n}": teller(branch) for n, branch in enumerate(left, 1)},
        boundaries=boundaries,
    )


def _tell(source: Source, events: Iterable[Placed], whole: bool) -> tuple[History, tuple[int, ...]]:
    log = _Log()
    for line, event in events:
        log.take(line, event)
    draft = Draft(source)
    marks: list[int] = []
    tools: list[Tool] = []
    for line, event in log.told(whole):
        kind = event.get("kind")
        if kind == "Condensation":
            marks.append(len(draft))
            if whole:
                continue
        if kind == "SystemPromptEvent":
            tools = tools or _tools(event.get("tools"))
        _add(draft, line, event, log)
    mended = with_tool_messages(draft, no_result)
    history = History(mended.messages, tools=tools, dialect="openai", model=log.model)
    return history, moved(marks, draft, mended)


@dataclass(slots=True)
class _Log:
    """The events that matter, in order, with what was learnt from the others."""

    events: list[Placed] = field(default_factory=list)
    responses: dict[str, list[Event]] = field(default_factory=dict)
    usages: dict[str, Usage] = field(default_factory=dict)
    model: str | None = None
    _spent: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    _last: Usage | None = None

    def take(self, line: int | None, event: Event) -> None:
        """One more event."""
        kind = word(event.get("kind"))
        if kind == "ConversationStateUpdateEvent" and event.get("key") == "stats":
            self._stats(event.get("value"))
        elif kind == "Condensation":
            self.events.append((line, event))
        elif kind in _SAID:
            id = event.get("llm_response_id")
            if kind == "ActionEvent" and isinstance(id, str):
                parts = self.responses.setdefault(id, [])
                parts.append(event)
                if len(parts) > 1:
                    return
            if self._last is not None and event.get("source") == "agent":
                self.usages[text_of(event.get("id"))] = self._last
                self._last = None
            self.events.append((line, event))

    def _stats(self, value: object) -> None:
        """The usage of the call that was just made: what the sums grew by.

        Believed only where it agrees with the size that the log gives for the last call.
        """
        metrics = value.get("usage_to_metrics") if isinstance(value, Mapping) else None
        for name, told in metrics.items() if isinstance(metrics, Mapping) else ():
            if not isinstance(told, Mapping) or name == "condenser":
                continue
            if isinstance(told.get("model_name"), str):
                self.model = told["model_name"]
            spent = told.get("accumulated_token_usage")
            if not isinstance(spent, Mapping):
                continue
            now = (
                count(spent.get("prompt_tokens")),
                count(spent.get("cache_read_tokens")),
                count(spent.get("completion_tokens")),
            )
            before = self._spent.get(name, (0, 0, 0))
            self._spent[name] = now
            sent, cached, output = (n - b for n, b in zip(now, before, strict=True))
            if sent > 0 and sent + output == count(spent.get("per_turn_token")):
                cached = min(max(cached, 0), sent)
                self._last = Usage(sent - cached, cached, 0, output)

    def told(self, whole: bool) -> list[Placed]:
        """The events that the model is told of."""
        if whole:
            return self.events
        told: list[Placed] = []
        for line, event in self.events:
            if event.get("kind") != "Condensation":
                told.append((line, event))
                continue
            forgotten = {word(id) for id in listed(event.get("forgotten_event_ids"))} - {""}
            # The calls of one response are one event here: they are forgotten together.
            told = [e for e in told if word(e[1].get("id")) not in forgotten]
            offset = event.get("summary_offset")
            if event.get("summary") and isinstance(offset, int):
                told.insert(offset, (line, event))
        return told


def _add(draft: Draft, line: int | None, event: Event, log: _Log) -> None:
    kind = event.get("kind")
    raw: dict[str, Any]
    if kind == "SystemPromptEvent":
        parts = [event.get("system_prompt"), event.get("dynamic_context")]
        raw = {"role": "system", "content": _content([p for p in parts if p])}
    elif kind == "MessageEvent":
        raw = _message(event)
    elif kind == "ActionEvent":
        raw = _response(event, log)
    elif kind == "Condensation":
        raw = {"role": "user", "content": text_of(event.get("summary"))}
    else:
        raw = _result(event)
    if not raw.get("content") and not raw.get("tool_calls") and raw["role"] != "tool":
        return
    if not add_row(draft, raw, line):
        return
    message = replace(draft.messages[-1], time=seconds(event.get("timestamp")))
    if message.role == "user":
        own = event.get("source") == "user" and kind == "MessageEvent"
        typed = own and spoken(own_texts(message))
        message = replace(message, typed=typed, summary=kind == "Condensation")
    elif message.role == "assistant":
        id = event.get("llm_response_id")
        message = replace(
            message,
            id=id if isinstance(id, str) else None,
            model=log.model,
            usage=log.usages.get(text_of(event.get("id"))),
        )
    elif message.role == "tool" and _is_failed(event):
        message = failed(message)
    draft.messages[-1] = message


def _content(parts: Iterable[Any]) -> list[dict[str, Any]]:
    """Content parts without the keys that OpenHands keeps for itself."""
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif not isinstance(part, Mapping):
            continue
        elif part.get("type") == "image" or "image_urls" in part:
            urls = part.get("image_urls")
            for url in urls if isinstance(urls, list) else []:
                content.append({"type": "image_url", "image_url": {"url": text_of(url)}})
        elif part.get("text"):
            content.append({"type": "text", "text": text_of(part["text"])})
    return content


def _message(event: Event) -> dict[str, Any]:
    told = event.get("llm_message")
    if not isinstance(told, Mapping):
        return {"role": "user"}
    content = told.get("content")
    parts = [content] if isinstance(content, str) else listed(content)
    raw: dict[str, Any] = {
        "role": told.get("role"),
        "content": _content([*parts, *listed(event.get("extended_content"))]),
    }
    calls = [_call(c) for c in listed(told.get("tool_calls")) if isinstance(c, Mapping)]
    if calls:
        raw["tool_calls"] = calls
    for key in ("tool_call_id", "name"):
        if told.get(key):
            raw[key] = told[key]
    return raw | _reasoning(told)


def _response(event: Event, log: _Log) -> dict[str, Any]:
    """The assistant message of all actions of one response."""
    id = event.get("llm_response_id")
    events = log.responses[id] if isinstance(id, str) else [event]
    calls = [_call(e.get("tool_call"), e) for e in events]
    content = _content(listed(event.get("thought")))
    raw = {"role": "assistant", "content": content or None, "tool_calls": calls}
    return raw | _reasoning(event)


def _reasoning(told: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("reasoning_content", "thinking_blocks")
    return {key: told[key] for key in keys if told.get(key)}


def _call(call: object, event: Event | None = None) -> dict[str, Any]:
    told = call if isinstance(call, Mapping) else {}
    function = told.get("function")
    inner = function if isinstance(function, Mapping) else told
    id = told.get("id") or (event or {}).get("tool_call_id")
    name = inner.get("name") or (event or {}).get("tool_name")
    arguments = inner.get("arguments")
    if not isinstance(arguments, str):
        arguments = text_of(arguments if arguments is not None else {})
    return {
        "id": text_of(id),
        "type": "function",
        "function": {"name": text_of(name), "arguments": arguments},
    }


def _result(event: Event) -> dict[str, Any]:
    observation = event.get("observation")
    if isinstance(observation, Mapping):
        content = observation.get("content")
        parts = [content] if isinstance(content, str) else listed(content)
        if not parts and observation.get("output"):
            parts = [text_of(observation["output"])]
        parts = [*parts, *listed(event.get("extended_content"))]
    elif event.get("kind") == "UserRejectObservation":
        parts = [f"Action rejected: {text_of(event.get('rejection_reason'))}"]
    else:
        parts = [text_of(event.get("error"))]
    raw = {"role": "tool", "content": _content(parts) or ""}
    raw["tool_call_id"] = text_of(event.get("tool_call_id"))
    return raw


def _is_failed(event: Event) -> bool:
    observation = event.get("observation")
    if isinstance(observation, Mapping):
        return observation.get("is_error") is True
    return event.get("kind") in ("UserRejectObservation", "AgentErrorEvent")


def _tools(value: object) -> list[Tool]:
    tools: list[Tool] = []
    for told in listed(value):
        if not isinstance(told, Mapping):
            continue
        name = told.get("name") or told.get("title") or told.get("kind")
        schema = told.get("input_schema") or told.get("parameters")
        tools.append(
            Tool(
                text_of(name),
                text_of(told.get("description")),
                schema if isinstance(schema, Mapping) else {},
            )
        )
    return tools
