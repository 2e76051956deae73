"""Repeated observations: one resource looked at more than once, all of it still in the window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from trimtab.formats.jsontext import dumps, loads
from trimtab.history.log import History
from trimtab.history.message import ToolCall
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.tokens import Counter

_PATHS = ("file_path", "filepath", "path", "file", "filename", "notebook_path", "target_file")
"""Names of an argument that says which file."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READS = frozenset({"read", "view", "cat", "open", "show", "get", "fetch", "load", "ls", "list"})
_WRITES = frozenset(
    {"write", "edit", "create", "update", "delete", "insert", "replace", "apply", "patch"}
    | {"str_replace", "undo_edit", "move", "rename", "append"}
)


@dataclass(frozen=True, slots=True)
class Repeat:
    """One resource that was observed several times.

    Attributes:
        resource: the file, or the tool with its arguments.
        tools: the tools that looked.
        count: how often.
        size: what all the observations take.
        stale: what all but the newest take.
        messages: where the results are.
    """

    resource: str
    tools: tuple[str, ...]
    count: int
    size: int
    stale: int
    messages: tuple[int, ...]


def repeats(history: History, counter: Counter) -> list[Repeat]:
    """Resources observed more than once, those with the most stale content first.

    One resource: the file that any reading tool was given, else the same tool with the same
    arguments.
    """
    groups: dict[tuple[str, str], list[ToolUse]] = {}
    for use in tool_uses(history):
        call = history[use.message].blocks[use.block]
        if use.result is not None and isinstance(call, ToolCall):
            groups.setdefault(_resource(call), []).append(use)
    found = []
    for (_, resource), uses in groups.items():
        if len(uses) < 2:
            continue
        places = [use.result for use in uses if use.result is not None]
        sizes = [counter.block(history[message].blocks[block]) for message, block in places]
        newest = max(range(len(places)), key=lambda n: places[n])
        found.append(
            Repeat(
                resource=resource,
                tools=tuple(dict.fromkeys(use.name for use in uses)),
                count=len(uses),
                size=sum(sizes),
                stale=sum(sizes) - sizes[newest],
                messages=tuple(message for message, _ in places),
            )
        )
    return sorted(found, key=lambda repeat: -repeat.stale)


def _resource(call: ToolCall) -> tuple[str, str]:
    """What a call looks at: a key for grouping, and a name for people."""
    given = arguments(call)
    if isinstance(given, Mapping):
        file = next((given[k] for k in _PATHS if isinstance(given.get(k), str)), "")
        if file and _reads(call.name, given):
            return "file", file
    spelt = given if isinstance(given, str) else _canonical(given)
    return "call", f"{call.name} {spelt}".strip()


def arguments(call: ToolCall) -> object:
    """A call's arguments as a JSON value, also where the provider gave them as a string."""
    if isinstance(call.input, str):
        try:
            return loads(call.input)
        except ValueError:
            return call.input
    return call.input


def _reads(tool: str, given: Mapping[str, object]) -> bool:
    """The tool looks at the file and does not change it; an editor says so in `command`."""
    command = given.get("command")
    said = f"{tool} {command}" if isinstance(command, str) else tool
    words = {word.lower() for word in _WORDS.findall(said)}
    if isinstance(command, str) and command in ("view", "read", "cat"):
        return True
    return bool(words & _READS) and not words & _WRITES


def _canonical(value: object) -> str:
    """JSON with sorted keys, so that the order of arguments makes no difference."""
    if not value:
        return ""
    if isinstance(value, Mapping):
        value = {key: value[key] for key in sorted(value)}
    try:
        return dumps(value).decode()
    except (ValueError, TypeError):
        return repr(type(value))
