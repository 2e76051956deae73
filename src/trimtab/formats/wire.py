"""Requests in the wire formats: read into a `History`, written back without loss, converted.

A message that no edit touched is written as the very value it was read from, so
`write_request(h, h).value == x` for every `h = read_request(x)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trimtab.errors import InputError, UnknownFormatError, UsageError
from trimtab.formats import anthropic, neutral, openai_chat, openai_responses
from trimtab.formats import losses as lost
from trimtab.formats.convert import adapt, fit_name
from trimtab.formats.detect import detect_dialect
from trimtab.formats.losses import Losses
from trimtab.formats.shape import describe, object_from
from trimtab.history.log import History
from trimtab.history.message import Message, Tool

__all__ = ["DIALECTS", "Written", "detect_dialect", "read_request", "write_request"]


@dataclass(frozen=True, slots=True)
class Written:
    """A request as a JSON value.

    Attributes:
        value: the request body, or a bare list of messages.
        losses: one line for each kind of thing that a conversion left out or changed; empty
            where nothing was converted.
    """

    value: Any
    losses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The functions of one wire format, and the keys where its messages stand."""

    place: str
    system: str | None
    read_messages: Callable[[Any], list[Message]]
    write_messages: Callable[[Sequence[Message], Losses], Any]
    read_tool: Callable[[Mapping[str, Any]], Tool]
    write_tool: Callable[[Tool], dict[str, Any]]
    is_client_tool: Callable[[Tool], bool]
    read_system: Callable[[Any], Message] | None = None
    is_system_parameter: Callable[[Message], bool] | None = None
    write_system: Callable[[Sequence[Message], Losses], Any] | None = None


def _in_messages(module: Any) -> _Dialect:
    return _Dialect(
        module.PLACE,
        None,
        module.read_messages,
        module.write_messages,
        module.read_tool,
        module.write_tool,
        module.is_client_tool,
    )


def _beside_messages(module: Any) -> _Dialect:
    return _Dialect(
        module.PLACE,
        module.SYSTEM,
        module.read_messages,
        module.write_messages,
        module.read_tool,
        module.write_tool,
        module.is_client_tool,
        module.read_system,
        module.is_system_parameter,
        module.write_system,
    )


DIALECTS: Mapping[str, _Dialect] = {
    "anthropic": _beside_messages(anthropic),
    "openai": _in_messages(openai_chat),
    "responses": _beside_messages(openai_responses),
    "neutral": _in_messages(neutral),
}
"""The wire formats by name."""


_WITHOUT_INPUT = ("instructions", "prompt", "conversation", "previous_response_id")
"""Any of these makes a Responses request that needs no input."""


def _dialect(name: str) -> _Dialect:
    if name not in DIALECTS:
        raise UsageError(f"no wire format {name!r}; known are {', '.join(DIALECTS)}")
    return DIALECTS[name]


def read_request(value: Any, dialect: str | None = None) -> History:
    """A request body, or a bare list of messages, as a history.

    In the history's `envelope` the keys of the messages and of the system prompt stand empty:
    they hold the place where the writer puts them back.

    Args:
        value: a JSON value. It is kept, not copied: do not alter it afterwards.
        dialect: `anthropic`, `openai`, `responses` or `neutral`; found by content when `None`.

    Raises:
        UnknownFormatError: the value is in none of the formats.
        InputError: a message is not understood; says which.
        UsageError: no such dialect.
    """
    name = dialect or detect_dialect(value)
    if name is None:
        raise UnknownFormatError(
            "request", f"{describe(value)} that is neither a request nor a list of messages"
        )
    wire = _dialect(name)
    if isinstance(value, list):
        return History(_read_all(wire, value, "message"), dialect=name)
    body = object_from(value, "request")
    given = body.get(wire.place)
    if not isinstance(given, list) and not (
        name == "responses" and (given is None or isinstance(given, str))
    ):
        raise InputError(wire.place, f"a list is expected here, not {describe(given)}")
    if given is None and not any(key in body for key in _WITHOUT_INPUT):
        raise InputError(wire.place, "there is no input")
    envelope = dict(body)
    messages: list[Message] = []
    if wire.read_system is not None and wire.system and body.get(wire.system) is not None:
        messages.append(wire.read_system(body[wire.system]))
        envelope[wire.system] = ""
    if given is not None:
        messages += _read_all(wire, given, wire.place)
        envelope[wire.place] = []
    model = body.get("model")
    return History(
        messages,
        tools=_read_tools(wire, body),
        dialect=name,
        envelope=envelope,
        model=model if isinstance(model, str) else None,
    )


def _read_all(wire: _Dialect, given: Any, place: str) -> list[Message]:
    if isinstance(given, str):
        return wire.read_messages(given)
    messages: list[Message] = []
    for at, raw in enumerate(given):
        try:
            messages += wire.read_messages([object_from(raw, "message")])
        except InputError as error:
            where = place if error.where == "message" else f"{place}[{at}].{error.where}"
            where = f"{place}[{at}]" if error.where == "message" else where
            raise InputError(where, error.reason) from None
    return messages


def _read_tools(wire: _Dialect, body: Mapping[str, Any]) -> list[Tool]:
    tools: list[Tool] = []
    for key in ("tools", "functions"):
        given = body.get(key)
        if isinstance(given, list):
            tools += [
                wire.read_tool(object_from(raw, f"{key}[{n}]")) for n, raw in enumerate(given)
            ]
    return tools


def write_request(
    messages: Sequence[Message], history: History, dialect: str | None = None
) -> Written:
    """Messages as a request body, or as a bare list where a bare list was read.

    Args:
        messages: a context, or the history itself.
        history: gives the rest of the request (settings, tool definitions).
        dialect: the format to write; the history's own when `None`. Another provider's gets a
            request body with messages and tools, and no settings; `neutral` a bare list.

    Returns:
        The JSON value, which shares parts with what was read; and what was lost.

    Raises:
        UsageError: no such dialect.
    """
    name = dialect or history.dialect
    wire = _dialect(name)
    losses = Losses()
    if any(m.dialect not in ("", name) for m in messages):
        messages = adapt(messages, name, losses)
    system, rest = _split_system(wire, messages)
    written = wire.write_messages(rest, losses)
    if name == history.dialect:
        value = _fill(wire, history, system, written, losses)
    else:
        value = _new_body(name, wire, history, system, written, losses)
    return Written(value, losses.lines())


def _split_system(
    wire: _Dialect, messages: Sequence[Message]
) -> tuple[Sequence[Message], Sequence[Message]]:
    """The messages that go into the system parameter, and the others."""
    if wire.is_system_parameter is None:
        return (), messages
    at = 0
    while at < len(messages) and wire.is_system_parameter(messages[at]):
        at += 1
    return messages[:at], messages[at:]


def _fill(
    wire: _Dialect,
    history: History,
    system: Sequence[Message],
    written: Any,
    losses: Losses,
) -> Any:
    """The request that was read, with these messages in their places."""
    envelope = history.envelope
    new_tools = () if "tools" in envelope or "functions" in envelope else history.tools
    if not envelope and not system and not new_tools:
        return written
    return dict(_filled_keys(wire, history, system, written, losses, new_tools))


def _filled_keys(
    wire: _Dialect,
    history: History,
    system: Sequence[Message],
    written: Any,
    losses: Losses,
    new_tools: Sequence[Tool],
) -> Iterator[tuple[str, Any]]:
    envelope = history.envelope
    if system and wire.system and wire.write_system and wire.system not in envelope:
        yield wire.system, wire.write_system(system, losses)
    for key, value in envelope.items():
        if key == wire.place:
            yield key, written
        elif key == wire.system and wire.write_system:
            if system:
                yield key, wire.write_system(system, losses)
            elif value is None:
                yield key, None
        else:
            yield key, value
    if wire.place not in envelope and (written or wire.place == "messages"):
        yield wire.place, written
    if new_tools:
        yield "tools", [t.raw if t.raw is not None else wire.write_tool(t) for t in new_tools]


def _new_body(
    name: str,
    wire: _Dialect,
    history: History,
    system: Sequence[Message],
    written: Any,
    losses: Losses,
) -> Any:
    """A request in another format: no setting carries over, tool definitions do."""
    source = _dialect(history.dialect)
    places = {source.place, source.system, "tools", "functions"}
    for key in history.envelope:
        if key not in places:
            losses.add(lost.setting(key))
    tools: list[dict[str, Any]] = []
    for tool in history.tools:
        if name != "neutral" and source.is_client_tool(tool):
            tools.append(wire.write_tool(replace(tool, name=fit_name(tool.name))))
        else:
            losses.add(lost.TOOL)
    if name == "neutral":
        return written
    body: dict[str, Any] = {}
    if system and wire.system and wire.write_system:
        body[wire.system] = wire.write_system(system, losses)
    body[wire.place] = written
    if tools:
        body["tools"] = tools
    return body
