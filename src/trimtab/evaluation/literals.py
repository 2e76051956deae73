"""Literals: what an answer can only use if it has it word for word; where they stand in a context.

Literals are paths, ids, numbers of three digits or more, URLs, hashes, quoted strings. A literal
occurs in a text if it is a literal there too: `src/a.py` occurs in `see src/a.py:12`, `120` does
not occur in `1200`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from trimtab.context.blocks import block_id, evicted
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.history.message import Block, Document, Message, Text, ToolCall, ToolResult

_LITERAL = re.compile(
    r"(?P<url>https?://[^\s\"'<>`|\\^{}\[\]（）「」、。]+)"
    r"|(?P<path>(?<![\w./~-])(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@+~-]+)+/?"
    r"|(?<![\w./-])[\w.@+-]+(?:/[\w.@+~-]+)+/?"
    r"|(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/]))"
    r"|(?P<id>(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]{4,}(?![\w-])"
    r"|(?<!\w)[A-Za-z]\w*(?:_\w+)+(?!\w))"
    r"|(?P<number>(?<![\w.,])\d[\d,]*\d(?:\.\d+)?(?![\w]))"
    r"|(?P<quoted>\"[^\"\n]{3,80}\"|'(?<!\w')[^'\n]{3,80}'(?!\w)|`[^`\n]{2,80}`|「[^」\n]{2,80}」)"
)
_SENTENCE_END = ".,:;!?)]}'\""
_DIGITS = 3
"""Digits of a number from which on nobody has it by chance."""
_LONGEST = 400_000
"""Characters of one text that are looked at; the two halves of this from its ends."""


def literals(text: str) -> frozenset[str]:
    """The literals of a text: paths, ids, numbers of three digits or more, URLs, hashes, quotes.

    Quoted strings are taken without their quotes, and what is a literal inside them too. Full
    stops and brackets at the end belong to the sentence; commas in numbers are left out. Of a
    text of more than 400,000 characters the two ends are read.
    """
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        return _found(text[:half]) | _found(text[-half:])
    return _found(text)


def _found(text: str) -> frozenset[str]:
    return frozenset(_each(text))


def _each(text: str) -> Iterator[str]:
    for match in _LITERAL.finditer(text):
        kind = match.lastgroup
        word = match.group()
        if kind == "quoted":
            inner = word[1:-1].strip()
            if len(inner) > 2:
                yield inner
                yield from _each(inner)
        elif kind == "number":
            digits = word.replace(",", "")
            if sum(map(str.isdigit, digits)) >= _DIGITS:
                yield digits
        else:
            word = word.rstrip(_SENTENCE_END)
            if len(word) > 2:
                yield word


def block_literals(block: Block) -> frozenset[str]:
    """The literals of a block: of its text, its result, its call's arguments; not of thinking."""
    if isinstance(block, Text | Document):
        return literals(block.text)
    if isinstance(block, ToolResult):
        return frozenset().union(*(block_literals(part) for part in block.content))
    if isinstance(block, ToolCall):
        return frozenset().union(*map(literals, _strings(block.input)))
    return frozenset()


def _strings(value: Any) -> Iterator[str]:
    """The texts in a call's arguments; a short one as a whole counts as quoted."""
    if isinstance(value, str):
        if len(value) <= 80 and "\n" not in value and '"' not in value:
            yield f'"{value}"'
        else:
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


@dataclass(slots=True)
class MessageLiterals:
    """The literals of each block of a recorded history, read once for all runs over it."""

    of: list[tuple[frozenset[str], ...]] = field(default_factory=list)

    def message(self, number: int) -> frozenset[str]:
        """Those of a whole message."""
        return frozenset().union(*self.of[number])


def literals_of(history: History) -> MessageLiterals:
    """The literals of all messages of `history` so far; only what is new is read."""
    index = history.derived("literals", MessageLiterals)
    for message in history[len(index.of) :]:
        index.of.append(tuple(map(block_literals, message.blocks)))
    return index


@dataclass(slots=True)
class Occurrences:
    """Which literals occur in a growing history, in its context, and behind its block ids.

    Kept up to date by what is appended and by edits, never by reading the context again.

    Args:
        known: the literals of the recorded history that is played.
    """

    known: MessageLiterals
    in_history: set[str] = field(default_factory=set)
    in_context: dict[str, int] = field(default_factory=dict)
    behind: dict[str, list[str]] = field(default_factory=dict)
    _of: dict[int, frozenset[str]] = field(default_factory=dict)
    _inserted: dict[str, frozenset[str]] = field(default_factory=dict)

    def append(self, number: int) -> None:
        """Message `number` was appended to the history, and so to the context."""
        found = self.known.message(number)
        self.in_history |= found
        self._of[number] = found
        self._count(found, 1)

    def edit(self, edits: Iterable[Edit], after: Projection) -> None:
        """Edits were made; `after` is the context with them."""
        history = after.history
        for edit in edits:
            if edit.kind == "summarise":
                slot = edit.slot or f"at {edit.start}"
                self._count(self._inserted.pop(slot, frozenset()), -1)
                self._inserted[slot] = found = literals(edit.text)
                self._count(found, 1)
                continue
            self._evict(edit, history)
            for number in range(edit.start, edit.stop):
                if number in self._of:
                    self._count(self._of.pop(number), -1)
                    if after.live(number):
                        now = self._now(after, number)
                        self._of[number] = now
                        self._count(now, 1)

    def _now(self, after: Projection, number: int) -> frozenset[str]:
        message: Message = after.items[after.position(number)]
        original = {id(b): n for n, b in enumerate(after.history[number].blocks)}
        found: set[str] = set()
        for block in message.blocks:
            at = original.get(id(block))
            found |= block_literals(block) if at is None else self.known.of[number][at]
        return frozenset(found)

    def _evict(self, edit: Edit, history: History) -> None:
        """What leaves is behind the id of its block from now on."""
        if edit.blocks:
            of = self.known.of[edit.start]
            gone = frozenset().union(*(of[n] for n in edit.blocks))
        else:
            gone = frozenset().union(*map(self.known.message, range(edit.start, edit.stop)))
        if gone:
            id = block_id(evicted(history, edit))
            for literal in gone:
                self.behind.setdefault(literal, []).append(id)

    def _count(self, found: Iterable[str], change: int) -> None:
        for literal in found:
            left = self.in_context.get(literal, 0) + change
            if left:
                self.in_context[literal] = left
            else:
                self.in_context.pop(literal, None)

    def use(self, used: Iterable[str]) -> Availability:
        """What of the literals that an answer uses is at hand."""
        asked = [literal for literal in used if literal in self.in_history]
        here = [literal for literal in asked if literal in self.in_context]
        away = [literal for literal in asked if literal not in self.in_context]
        recallable = [
            literal
            for literal in away
            if any(id in self.in_context for id in self.behind.get(literal, ()))
        ]
        return Availability(len(asked), len(here), len(recallable))


@dataclass(frozen=True, slots=True)
class Availability:
    """Literals of an answer that occur earlier in H.

    Attributes:
        used: how many there are, each counted once an answer.
        here: of these, how many occur in K.
        recallable: of the others, how many are behind a block id that stands in K.
    """

    used: int = 0
    here: int = 0
    recallable: int = 0
