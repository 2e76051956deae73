"""The observations of a history: which call saw or changed which resource, in order.

The index lives with the history: a new message costs work in proportion to itself. A call counts
once its result is there and is no error. Names are relative to the directory that the system
prompt or the first messages state; where a shell stands after a `cd` is not known for every
agent, so that relative names after one are held apart from those before it.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from trimtab.history.log import History
from trimtab.history.message import Message, ToolCall, ToolResult
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.resources import naming, outcome
from trimtab.resources.defaults import DEFAULT
from trimtab.resources.patches import patched
from trimtab.resources.rules import Rule, Rules
from trimtab.resources.shell import read_command
from trimtab.resources.spans import END, Span, span_of

ObservationKind: TypeAlias = Literal["read", "write", "view"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that a call saw or changed.

    Attributes:
        resource: what, as `kind:name`: `file:/src/a.py`, `page:https://example.com/`.
        kind: `read`, `view` (a snapshot), or `write`; a query is a read of its answer.
        message, block: where the call is.
        result: the message and block of its result.
        span: the lines that were asked for; `None` for the whole.
        whole: the result shows all of what was asked for: it was not cut short, and is not the
            mere answer to a change.
        size: how much the result shows, in characters.
    """

    resource: str
    kind: ObservationKind
    message: int
    block: int
    result: tuple[int, int]
    span: Span | None = None
    whole: bool = True
    size: int = 0

    @property
    def shown(self) -> str:
        """The resource for people: `src/a.py lines 1-50`."""
        kind, _, name = self.resource.partition(":")
        told = name if kind in ("file", "query", "url") or not name else f"{kind} {name}"
        if self.span is None:
            return told or kind
        first, last = self.span
        if first < 0:
            return f"{told} last {-first} lines"
        return f"{told} lines {first}-" + ("" if last == END else str(last))


def observations(history: History, rules: Rules = DEFAULT) -> Sequence[Observation]:
    """What the calls of `history` saw and changed so far, in the order of their results.

    Args:
        rules: as `rules_of` gives them.
    """
    index = history.derived(("observations", rules), lambda: _Index(rules))
    index.refresh(history)
    return index.found


_STATED = re.compile(
    r"(?:<cwd>|working directory(?: is)?:?\s{0,3}|\bcwd:?\s{0,3})[`'\"]?(/[^\s<`'\",]+)", re.I
)
_STANDS = re.compile(r"\[Current working directory: (/[^\]\n]+)\]")
_WINDOW = re.compile(r"\[File: (.+?) \((\d+) lines total\)\]")
_ABOVE_OR_BELOW = re.compile(r"\(\d+ more lines? (?:above|below)\)")
_NUMBERED = re.compile(r"^\s*(\d+):", re.MULTILINE)
_HEAD = 20_000


@dataclass(slots=True)
class _Index:
    rules: Rules
    found: list[Observation] = field(default_factory=list)
    seen: int = 0
    waiting: list[int] = field(default_factory=list)
    by_tool: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    directory: str | None = None
    shell: str = ""
    moves: int = 0

    def refresh(self, history: History) -> None:
        uses = tool_uses(history)
        due = [*self.waiting, *range(self.seen, len(uses))]
        self.seen = len(uses)
        self.waiting = []
        for number in due:
            use = uses[number]
            if use.result is None:
                self.waiting.append(number)
                continue
            call = history[use.message].blocks[use.block]
            result = history[use.result[0]].blocks[use.result[1]]
            if isinstance(call, ToolCall) and isinstance(result, ToolResult) and not result.server:
                if self.directory is None:
                    self.directory = self.shell = _stated(history, use.message)
                self.found += self._observed(use, call, result)

    def _fitting(self, tool: str) -> tuple[Rule, ...]:
        rules = self.by_tool.get(tool)
        if rules is None:
            names = {
                tool.lower(),
                tool.lower().rpartition("__")[2],
                tool.lower().rpartition(".")[2],
            }
            rules = self.by_tool[tool] = tuple(
                rule
                for rule in self.rules
                if any(fnmatch.fnmatchcase(n, p.lower()) for p in rule.tool for n in names)
            )
        return rules

    def _observed(self, use: ToolUse, call: ToolCall, result: ToolResult) -> list[Observation]:
        rules = self._fitting(use.name)
        if not rules:
            return []
        given = _arguments(call.input)
        for rule in rules:
            if any(str(given.get(key)) not in values for key, values in rule.when):
                continue
            if rule.kind == "none":
                return []
            seen = list(self._by(rule, use, given, result))
            if seen:
                return seen
        return []

    # -- by the kind of the rule -----------------------------------------------------------

    def _by(
        self, rule: Rule, use: ToolUse, given: Mapping[str, Any], result: ToolResult
    ) -> Iterator[Observation]:
        assert use.result is not None
        at = (use.message, use.block, use.result)
        size = outcome.size(result)
        if rule.kind == "shell":
            yield from self._shell(rule, at, given, result, size)
            return
        if outcome.failed(result):
            return
        if rule.kind == "patch":
            for name in patched("\n".join(_texts(given))):
                yield Observation(self._file(name), "write", *at, whole=False, size=size)
            return
        empty = outcome.stub(result)
        if rule.kind in ("write", "both"):
            whole = rule.kind == "both" and not empty
            for resource, _ in self._named(rule, use.name, given, result):
                yield Observation(resource, "write", *at, whole=whole, size=size)
            return
        if empty or (rule.shows and not re.search(rule.shows, result.text)):
            return
        if rule.kind == "window":
            yield from self._window(at, result, size)
            return
        whole = not outcome.cut_short(result, rule.lines)
        kind: ObservationKind = "view" if rule.kind == "view" else "read"
        if rule.kind == "query":
            told = naming.arguments(given, rule.resource, lambda name: self._form(rule, name))
            name = naming.short(f"{use.name} {told}".strip())
            yield Observation(f"query:{name}", kind, *at, whole=whole, size=size)
            return
        for resource, span in self._named(rule, use.name, given, result):
            yield Observation(resource, kind, *at, span=span, whole=whole, size=size)

    def _shell(
        self,
        rule: Rule,
        at: tuple[int, int, tuple[int, int]],
        given: Mapping[str, Any],
        result: ToolResult,
        size: int,
    ) -> Iterator[Observation]:
        stated = given.get("workdir") or given.get("cwd")
        start = self.directory or "" if rule.fresh else self.shell
        if isinstance(stated, str):
            start = naming.path(stated, start)
        failed = outcome.failed(result, shell=True)
        whole = not outcome.cut_short(result)
        silent = outcome.stub(result)
        commands = _commands(given)
        directory: str | None = start
        for command in commands:
            if "*** Begin Patch" in command:
                if not failed:
                    for name in patched(command):
                        yield Observation(self._file(name), "write", *at, whole=False, size=size)
                continue
            read = read_command(command, start)
            directory = read.directory
            for act in () if failed else read.acts:
                if act.kind == "write":
                    yield Observation(f"file:{act.name}", "write", *at, whole=False, size=size)
                elif not silent:
                    kind = "query" if act.kind == "query" else "file"
                    name = naming.short(act.name) if kind == "query" else act.name
                    yield Observation(
                        f"{kind}:{name}", "read", *at, span=act.span, whole=whole, size=size
                    )
        if not rule.fresh:
            self._stands(result, directory, start)

    def _stands(self, result: ToolResult, directory: str | None, start: str) -> None:
        """Where the shell stands now; after a `cd` it is known only if the result says so."""
        said = _STANDS.findall(result.text[-2_000:])
        if said:
            self.shell = naming.path(said[-1])
        elif directory != start:
            self.moves += 1
            self.shell = f"?{self.moves}"

    def _window(
        self, at: tuple[int, int, tuple[int, int]], result: ToolResult, size: int
    ) -> Iterator[Observation]:
        for found in _WINDOW.finditer(result.text):
            lines = [int(number) for number in _NUMBERED.findall(result.text)]
            span = None
            if _ABOVE_OR_BELOW.search(result.text):
                span = (min(lines), max(lines)) if lines else (0, 0)
            yield Observation(self._file(found[1]), "read", *at, span=span, size=size)
            return

    # -- names -----------------------------------------------------------------------------

    def _file(self, name: str) -> str:
        return f"file:{naming.path(name, self.directory or '')}"

    def _named(
        self, rule: Rule, tool: str, given: Mapping[str, Any], result: ToolResult
    ) -> Iterator[tuple[str, Span | None]]:
        """The resources that a call names, each with its range."""
        kind = rule.name or {"path": "file", "url": "url"}.get(rule.names, "") or tool
        if rule.found:
            found = re.search(rule.found, result.text)
            if found and found[1]:
                yield self._resource(rule, kind, found[1]), None
                return
        if rule.items:
            items = given.get(rule.items)
            for item in items if isinstance(items, list) else ():
                inner = item if isinstance(item, Mapping) else {"path": item}
                for name in _values(rule, inner):
                    yield (
                        self._resource(rule, kind, name),
                        span_of(inner, rule.range or ("start_line..end_line",)),
                    )
            return
        if not rule.resource:
            yield f"{rule.name or tool}:", span_of(given, rule.range)
            return
        names = _values(rule, given)
        for name in names:
            yield self._resource(rule, kind, name), span_of(given, rule.range)
        if not names and rule.kind == "view":
            yield f"{kind}:", None

    def _resource(self, rule: Rule, kind: str, name: str) -> str:
        return f"{kind}:{self._form(rule, name)}"

    def _form(self, rule: Rule, name: str) -> str:
        if rule.names == "path":
            return naming.path(name, self.directory or "")
        return naming.url(name) if rule.names == "url" else naming.short(name)


# -- arguments -------------------------------------------------------------------------------------


def _arguments(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        text = value
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {"input": text}
        if not isinstance(value, Mapping):
            return {"input": text}
    return value if isinstance(value, Mapping) else {}


def _texts(given: Mapping[str, Any]) -> list[str]:
    return [value for value in given.values() if isinstance(value, str)]


def _values(rule: Rule, given: Mapping[str, Any]) -> list[str]:
    """The names under the first argument that a call has; patterns name no one thing."""
    for argument in rule.resource:
        value = given.get(argument)
        values = value if isinstance(value, list) else [value]
        names = [str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool)]
        if names and all(name.strip() for name in names):
            patterns = rule.names == "path" and any("*" in name for name in names)
            return [] if patterns else names
    return []


def _commands(given: Mapping[str, Any]) -> list[str]:
    """The shell commands of a call, as text."""
    for key in ("command", "cmd", "commands", "script"):
        value = given.get(key)
        if isinstance(value, str):
            return [value]
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            if key == "commands":
                return list(value)
            if len(value) == 3 and value[1] in ("-c", "-lc") and value[0].endswith("sh"):
                return [value[2]]
            if value[0] == "apply_patch":
                return value[1:]
            return [shlex.join(value)]
    return []


def _stated(history: History, before: int) -> str:
    """The working directory that the first messages state; empty where they state none."""
    for message in history[: min(before, 6)]:
        if message.role in ("system", "user"):
            found = _STATED.search(_plain(message))
            if found:
                return naming.path(found[1].rstrip(".,;)"))
    return ""


def _plain(message: Message) -> str:
    return message.text[:_HEAD]
