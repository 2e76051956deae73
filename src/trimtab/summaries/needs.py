"""Names that later work is likely to need: those that the agent itself used, the newer the more.

A name is a path, an identifier, a number of three digits or more, a version, a URL, or code in
backticks: nobody has one by chance. What an agent used a moment ago it uses again soon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult

HALF_LIFE = 15
"""Answers: so much later a use counts half."""
READ = 3_000
"""Characters of each text that are read for names, from its front."""

_NAME = re.compile(
    r"https?://[^\s\"'<>`|\\^{}\[\]（）「」、。]+"
    r"|(?<![\w./~-])(?:~|\.{1,2})?(?:/[\w.@+~-]+)+|(?<![\w./-])[\w.@+-]+(?:/[\w.@+~-]+)+"
    r"|(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}(?![\w/])"
    r"|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]{3,}|(?<!\w)[A-Za-z]\w*_\w+"
    r"|(?<!\w)[a-z]+[A-Z]\w+|(?<!\w)[A-Z][a-z]+[A-Z]\w*|(?<![\w.,])\d[\d,]*\d(?:\.\d+)*(?!\w)"
    r"|(?<=`)[^`\n]{2,60}(?=`)"
)


def names_in(text: str) -> frozenset[str]:
    """The names in a text."""
    found = (match.group().rstrip(".,:;!?)]}'\"") for match in _NAME.finditer(text))
    return frozenset(name for name in found if len(name) > 2)


@dataclass(slots=True)
class _Uses:
    of: list[frozenset[str] | None] = field(default_factory=list)  # None: no answer

    def refresh(self, history: History) -> None:
        for number in range(len(self.of), len(history)):
            message = history[number]
            used = message.role == "assistant"
            self.of.append(names_in("\n".join(_said(message))) if used else None)


def needs(history: History) -> dict[str, float]:
    """How likely each name is to be used again: the sum of its uses, halved with every 15 answers
    since. What each message used is kept with the history."""
    index = history.derived("names used", _Uses)
    index.refresh(history)
    found: dict[str, float] = {}
    worth = 1.0
    fade = 0.5 ** (1 / HALF_LIFE)
    for used in reversed(index.of):
        if used is None:
            continue
        for name in used:
            found[name] = found.get(name, 0.0) + worth
        worth = max(worth * fade, 0.02)
    return found


def names_of(message: Message) -> frozenset[str]:
    """All names of a message: of what it says, calls and results."""
    parts = list(_said(message))
    parts += (b.text[: 10 * READ] for b in message.blocks if isinstance(b, ToolResult))
    return names_in("\n".join(parts))


def _said(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, Text):
            yield block.text[:READ]
        elif isinstance(block, ToolCall):
            yield from _leaves(block.input)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value[:READ]
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value[:50]:
            yield from _leaves(item)


IN_USE = 16
"""So many paths are named bare, that no sentence names."""
_PATH = re.compile(
    r"https?://\S+|(?:~|\.{1,2})?(?:/[\w.@+~-]+)+|(?:[\w.@+-]+/)+[\w.@+-]+\.\w{1,8}"
    r"|[\w-]+\.(?:[chmr]|cc|cpp|cs|css|csv|dart|db|exs?|go|gradle|html?|ini|ipynb|java|jsonl?|jsx?"
    r"|kt|lock|log|lua|md|php|pl|proto|py|rb|rs|rst|scala|sh|sql|svg|swift|toml|tsx?|txt|vue|xml"
    r"|ya?ml|zig)"
)
"""A path, or a file by its ending: not `row.name`, an attribute, nor `and/or`."""
_AMID = re.compile(r"[\w/~@+-]|\.\w")


def paths_in_use(
    history: History, numbers: Sequence[int], needed: Mapping[str, float]
) -> list[tuple[int, int, int, int]]:
    """Where the paths that the agent uses stand in messages: message, block and span.

    The 16 most needed ones, each where it was named last; in no order.
    """
    worth = [n for n in needed if needed[n] >= 0.2 and len(n) < 160 and _PATH.fullmatch(n)]
    wanted = set(sorted(worth, key=lambda name: (-needed[name], name))[:IN_USE])
    found: list[tuple[int, int, int, int]] = []
    for number in reversed(numbers):
        for at, block in enumerate(history[number].blocks):
            if not isinstance(block, Text | ToolResult):
                continue
            text = block.text[: 10 * READ]
            for name in sorted(name for name in wanted if name in text):
                start = _place(text, name)
                if start >= 0:
                    found.append((number, at, start, start + len(name)))
                    wanted.discard(name)
        if not wanted:
            break
    return found


def _place(text: str, name: str) -> int:
    """Where `name` stands by itself in `text`; -1 if nowhere."""
    start = text.find(name)
    while start >= 0:
        before = text[start - 1 : start]
        if not (before and _AMID.match(before)) and not _AMID.match(text, start + len(name)):
            return start
        start = text.find(name, start + 1)
    return -1
