"""A history as prose for a model to read: who said what, what was called, what came of it.

Nothing in it looks like a call that a model would imitate, and what was said is quoted line by
line, so that no text can pass itself off as another speaker's: only the lines that begin with no
`>` are ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.history.tool_uses import tool_uses

Kind = Literal["said", "thought", "argument", "result"]

_SHORT = 160
"""Characters of an argument that still stands in the line of its call."""
_THOUGHT = 400
"""Characters that are told of a thought at the most."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened.

    Attributes:
        line: who or what, on one line.
        text: the words, to be quoted below it; may be empty.
        kind: `said` (by the user or the model), `thought`, `argument` (long, of a call) or
            `result`.
        message: the number of the message in H.
        tool, command: of a result: the tool and what it was given, where known.
    """

    line: str
    text: str
    kind: Kind
    message: int
    tool: str = ""
    command: str = ""

    def with_text(self, text: str) -> Told:
        """The same with other words."""
        return replace(self, text=text)

    def prose(self) -> str:
        """The line, and the words below it with `> ` in front of each line."""
        if not self.text:
            return self.line
        quoted = "\n".join(f"> {line}" for line in self.text.splitlines())
        return f"{self.line}\n{quoted}" if quoted else self.line


def told(history: History, number: int) -> list[Told]:
    """What message `number` of `history` tells, in order.

    Lone surrogates are replaced, and secrets where the history's store redacts
    (`History.prepare`): before anything is cut, so that no half of one is left.
    """
    message = history[number]
    found = []
    for at, block in enumerate(message.blocks):
        for one in _block(history, message, number, at, block):
            line, text = _prepared(history, one.line), _prepared(history, one.text)
            if one.kind == "thought":
                text = cut(text.strip(), _THOUGHT)
            found.append(replace(one, line=line, text=text))
    return found


def _prepared(history: History, text: str) -> str:
    return history.prepare(clean(text).encode()).decode("utf-8", "replace")


def clean(text: str) -> str:
    """`text` without lone surrogates, which no provider accepts; other text is untouched."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _block(
    history: History, message: Message, number: int, at: int, block: Block
) -> Iterator[Told]:
    speaker = _speaker(message)
    if isinstance(block, Text):
        if block.text.strip():
            yield Told(f"{speaker} said:", block.text, "said", number)
    elif isinstance(block, Thinking):
        if block.text.strip() and not block.redacted:
            yield Told(f"{speaker} thought, in short:", block.text, "thought", number)
    elif isinstance(block, ToolCall):
        yield from _call(speaker, block, number)
    elif isinstance(block, ToolResult):
        yield _result(block, number, *_asked(history).get((number, at), ("", "")))
    else:
        yield Told(f"{speaker} gave {_named(block)}", _words(block), "result", number)


def _speaker(message: Message) -> str:
    if message.summary:
        return "A record of earlier work"
    if message.role == "user":
        return "The user" if message.typed else "The harness"
    return {"system": "The system", "tool": "A tool"}.get(message.role, "The assistant")


# -- calls and results -----------------------------------------------------------------------------


def _call(speaker: str, call: ToolCall, number: int) -> Iterator[Told]:
    """`The assistant called read_file with path=src/a.py`, with long arguments quoted below."""
    given = _arguments(call.input)
    short = [f"{name}={text}" for name, text in given if _is_short(text)]
    line = f"{speaker} called {_one_line(call.name)}"
    if short:
        line += f" with {', '.join(short)}"
    yield Told(line, "", "argument", number)
    for name, text in given:
        if not _is_short(text):
            yield Told(f"with this as {name}:", text, "argument", number)


def _is_short(text: str) -> bool:
    return len(text) <= _SHORT and "\n" not in text and "\r" not in text


def _arguments(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [("input", value)] if value.strip() else []
    if isinstance(value, dict):
        return [(_one_line(str(key)), _shown(item)) for key, item in value.items()]
    return [] if value is None else [("input", _shown(value))]


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "[deeply nested]"


def _result(result: ToolResult, number: int, tool: str, command: str) -> Told:
    of = f" of {_one_line(tool)}" if tool else ""
    state = "error" if result.is_error else "interim result" if result.pending else "result"
    parts = [_part(part) for part in result.content]
    text = "\n".join(part for part in parts if part)
    line = f"The {state}{of}:" if text.strip() else f"The {state}{of} was empty."
    return Told(line, text if text.strip() else "", "result", number, tool, command)


def _part(part: Text | Image | Document | Opaque) -> str:
    if isinstance(part, Text):
        return part.text
    words = _words(part)
    return f"{_named(part)}\n{words}" if words else _named(part)


def _named(block: Image | Document | Opaque) -> str:
    if isinstance(block, Image):
        size = f", {block.width}x{block.height}" if block.width and block.height else ""
        return f"[image{size}]"
    if isinstance(block, Document):
        title = _one_line(block.title)
        return f"[document, {title}]" if title else "[document]"
    return f"[{_one_line(block.kind)}]"


def _words(block: Image | Document | Opaque) -> str:
    """What can be read of it: never base64, never the notation of a list of blocks."""
    if isinstance(block, Image):
        return ""
    if isinstance(block, Document):
        return block.text
    return "\n".join(_strings(block.raw, 0))


_NO_WORDS = ("type", "id", "tool_use_id", "call_id", "data", "signature", "encrypted_content")


def _strings(value: Any, depth: int) -> Iterator[str]:
    from trimtab.tokens.content import is_sealed

    if depth > 20:
        return
    if isinstance(value, str):
        if value.strip() and not is_sealed(value):
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _NO_WORDS:
                yield from _strings(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item, depth + 1)


@dataclass(slots=True)
class _Asked:
    """For each result of a history: the tool, and the command or path that it was given."""

    by_result: dict[tuple[int, int], tuple[str, str]]
    seen: int = 0


def _asked(history: History) -> dict[tuple[int, int], tuple[str, str]]:
    index = history.derived("asked by result", lambda: _Asked({}))
    if index.seen != len(history):
        for use in tool_uses(history):
            if use.result is None or use.result in index.by_result:
                continue
            call = history[use.message].blocks[use.block]
            if isinstance(call, ToolCall):
                index.by_result[use.result] = (use.name, _command(call.input))
        index.seen = len(history)
    return index.by_result


def _command(value: Any) -> str:
    given = dict(_arguments(value))
    for name in ("command", "cmd", "script", "input"):
        if name in given:
            return given[name]
    return ""


# -- shorter -------------------------------------------------------------------------------------


def cut(text: str, limit: int) -> str:
    """Head and tail of `text` within `limit` characters, with a line that says what is missing.

    Cuts at line ends where one is near, else between characters; never inside one.

    Args:
        limit: at least 40; a text no longer than that stays as it is.
    """
    if len(text) <= limit:
        return text
    room = max(limit - 32, 8)
    start, end = room - room // 3, len(text) - room // 3
    line = text.rfind("\n", start // 2, start)
    start = line if line > 0 else _boundary(text, start)
    line = text.find("\n", end, end + room // 6)
    end = line + 1 if line > 0 else _boundary(text, end)
    return f"{text[:start]}\n[… {end - start:,} characters …]\n{text[end:]}"


_JOINED = re.compile("[\u0300-\u036f\u200d\ufe0e\ufe0f\u3099\u309a\U0001f3fb-\U0001f3ff]")


def _boundary(text: str, at: int) -> int:
    """`at`, or a little before it: accents and joined emoji stay with what they belong to."""
    for back in range(min(at, 8)):
        here = at - back
        if not _JOINED.match(text[here]) and text[here - 1] != "\u200d":
            return here
    return at


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
