"""What a summary is checked against: the values of its sources, and what is required of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from trimtab.context.blocks import id_alone
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
from trimtab.pins import Pin
from trimtab.summaries.guard_bounds import bounds_of
from trimtab.summaries.guard_polarity import Statement, statements_of
from trimtab.summaries.values import Value, folded, scanned
from trimtab.summaries.values_quotes import squeezed
from trimtab.summaries.values_units import lone_units

_NOT_LISTED = ("count", "negation", "quote")


@dataclass(frozen=True, slots=True)
class Required:
    """A span that must stand in the summary.

    Attributes:
        text: its words.
        source: message, block and span; `None` where it is of no history.
        number: the number of the message or text.
    """

    text: str
    source: tuple[int, int, int, int] | None = None
    number: int = -1


Said = tuple[int, Statement]
"""The number of a source and a statement in it."""


@dataclass(slots=True)
class _Index:
    """Which source supports which key; grows with the sources that are asked for."""

    seen: set[int] = field(default_factory=set)
    places: dict[str, list[int]] = field(default_factory=dict)
    listed: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    said: dict[str, list[Said]] = field(default_factory=dict)
    answered: dict[int, tuple[Statement, ...]] = field(default_factory=dict)

    def add(self, number: int, text: str, prose: str) -> None:
        """Take up one source: all its text, and the part of it that binds the agent."""
        self.seen.add(number)
        read = folded(text)
        found = list(scanned(read))
        keys = {key for value in found for key in value.gives}
        keys |= lone_units(read)
        keys |= bounds_of(read, found)
        for key in keys:
            self.places.setdefault(key, []).append(number)
        by_norm = {(v.kind, v.norm): v for v in found if v.kind not in _NOT_LISTED}
        self.listed[number] = tuple(by_norm.values())
        for statement in statements_of(prose):
            said = (number, statement)
            for stem in statement.stems:
                self.said.setdefault(stem, []).append(said)


@dataclass(slots=True)
class Evidence:
    """The sources of a summary. Made by `of` or `of_texts`.

    Attributes:
        numbers: the numbers of the sources.
        required: what must stand in the summary.
    """

    numbers: Container[int]
    required: tuple[Required, ...]
    _index: _Index
    _order: Sequence[int]
    _history: History | None = None
    _texts: Sequence[str] = ()
    _whole: _Haystack | None = None
    _ids: frozenset[str] | None = None

    @classmethod
    def of(cls, history: History, numbers: Sequence[int], required: Sequence[Pin] = ()) -> Evidence:
        """The evidence of some messages of a history.

        What was read of a message is kept with the history, so asking again costs nothing.

        Args:
            history: H; read only.
            numbers: the messages that the summary stands for.
            required: the spans that the summary must hold. What stays in the context besides it
                is not among them.
        """
        index = history.derived("guard", _Index)
        for number in numbers:
            if number not in index.seen:
                message = history[number]
                binds = message.role == "system" or (message.role == "user" and message.typed)
                index.add(number, text_of(message), _prose(message) if binds else "")
        spans = tuple(
            Required(pin.text, (pin.message, pin.block, pin.start, pin.end), pin.message)
            for pin in required
            if pin.text.strip()
        )
        among: Container[int] = numbers if isinstance(numbers, range) else frozenset(numbers)
        return cls(among, spans, index, numbers, _history=history)

    @classmethod
    def of_texts(cls, texts: Iterable[str], required: Iterable[str] = ()) -> Evidence:
        """The evidence of plain texts; the required spans are among its sources.

        Args:
            texts: the sources.
            required: the spans that the summary must hold.
        """
        spans = [text for text in required if text.strip()]
        sources = [*texts, *spans]
        index = _Index()
        for number, text in enumerate(sources):
            index.add(number, text, text)
        first = len(sources) - len(spans)
        wanted = tuple(Required(text, None, first + at) for at, text in enumerate(spans))
        numbers = range(len(sources))
        return cls(numbers, wanted, index, numbers, _texts=sources)

    def place(self, value: Value) -> int | None:
        """The number of a source that supports a value of the summary; `None` for none."""
        for need in value.needs:
            places = [self._place(key) for key in need]
            if places and None not in places:
                if need[0].startswith("bare:"):  # the unit must stand in the number's own text
                    shared = self._shared(need)
                    if shared is None:
                        continue
                    return shared
                return places[0]
        if value.norm.startswith("blk_") and value.norm in self._block_ids():
            return next(iter(self._order), 0)
        return None

    def has(self, key: str) -> bool:
        """Whether a source gives the key."""
        return self._place(key) is not None

    def number_of(self, key: str) -> int:
        """The number of the first source that gives the key; -1 for none."""
        place = self._place(key)
        return -1 if place is None else place

    def about(self, stems: Iterable[str]) -> Iterator[Said]:
        """What the user or the system said that shares a content word with `stems`."""
        given: set[int] = set()
        for stem in sorted(stems):
            for said in self._index.said.get(stem, ()):
                if said[0] in self.numbers and id(said) not in given:
                    given.add(id(said))
                    yield said

    def answers(self) -> Iterator[Said]:
        """What the agent itself said; read when it is first asked for."""
        history = self._history
        if history is None:
            return
        read = self._index.answered
        for number in self._order:
            if history[number].role == "assistant":
                if number not in read:
                    read[number] = statements_of(_prose(history[number]))
                for statement in read[number]:
                    yield number, statement

    def values(self) -> Iterator[tuple[int, Value]]:
        """The values of the sources, each norm once, with the number of its first source."""
        given = set()
        for number in self._order:
            for value in self._index.listed.get(number, ()):
                if (value.kind, value.norm) not in given:
                    given.add((value.kind, value.norm))
                    yield number, value

    def _place(self, key: str) -> int | None:
        for number in self._index.places.get(key, ()):
            if number in self.numbers:
                return number
        what, _, sought = key.partition(":")
        if what in _SOUGHT:
            return self._haystack().find(what, sought)
        return None

    def _shared(self, need: Sequence[str]) -> int | None:
        lists = [self._index.places.get(key, ()) for key in need]
        both = set(lists[0]).intersection(*lists[1:])
        return min((number for number in both if number in self.numbers), default=None)

    def _haystack(self) -> _Haystack:
        if self._whole is None:
            if self._history is not None:
                texts = [text_of(self._history[number]) for number in self._order]
            else:
                texts = list(self._texts)
            self._whole = _Haystack(texts, self._order)
        return self._whole

    def _block_ids(self) -> frozenset[str]:
        if self._ids is None:
            history = self._history
            self._ids = (
                frozenset()
                if history is None
                else frozenset(
                    id_alone(history, block)
                    for number in self._order
                    for block in history[number].blocks
                )
            )
        return self._ids


# --- looking for words ---------------------------------------------------------------------------

_SOUGHT = ("quote", "text", "path", "word", "prefix", "said")


_ENDS = "\n.!?:;。！？「『（("


class _Haystack:
    """All sources as one text, for what is compared as words: quotations, parts of paths."""

    def __init__(self, texts: Sequence[str], numbers: Sequence[int]) -> None:
        self._numbers = list(numbers)
        self._texts = [folded(text) for text in texts]
        self._joined: dict[str, tuple[str, list[int]]] = {}
        self._found: dict[tuple[str, str], int | None] = {}

    def find(self, what: str, sought: str) -> int | None:
        """The number of the first source that holds the words."""
        key = (what, sought)
        if key not in self._found:
            self._found[key] = self._search(what, sought)
        return self._found[key]

    def _search(self, what: str, sought: str) -> int | None:
        if not sought:
            return None
        form = (
            "squeezed"
            if what == "quote"
            else "lower"
            if what in ("word", "prefix", "said")
            else "plain"
        )
        text, starts = self._text(form)
        at = text.find(sought)
        while at >= 0:
            before, after = text[at - 1 : at] if at else "", text[at + len(sought)]
            if what == "said":  # a sentence of its own, not the rest of one that forbids it
                before = text[max(0, at - 8) : at].rstrip(" \t-*")[-1:]
                if (not before or before in _ENDS) and not after.isalnum():
                    return self._numbers[bisect_right(starts, at) - 1]
            elif _apart(what, before, after, sought):
                return self._numbers[bisect_right(starts, at) - 1]
            at = text.find(sought, at + 1)
        return None

    def _text(self, form: str) -> tuple[str, list[int]]:
        if form not in self._joined:
            forms: dict[str, Callable[[str], str]]
            forms = {"squeezed": squeezed, "lower": str.lower, "plain": str}
            change = forms[form]
            parts, starts, at = [], [], 0
            for text in self._texts:
                part = change(text) + "\n"
                starts.append(at)
                parts.append(part)
                at += len(part)
            self._joined[form] = ("".join(parts), starts)
        return self._joined[form]


def _apart(what: str, before: str, after: str, sought: str) -> bool:
    """Whether what was found is bounded as a value, and no piece of one."""
    if what in ("quote", "text"):
        return not (_joins(before, sought[0]) or _joins(after, sought[-1]))
    if what == "prefix":  # a short form of a longer hash
        return not (before.isalnum() and before.isascii())
    if what == "path":
        return not (_in_name(before) or before == "~" or _in_name(after))
    return not (_in_word(before) or _in_word(after))


def _joins(neighbour: str, edge: str) -> bool:
    return neighbour.isascii() and neighbour.isalnum() and edge.isascii() and edge.isalnum()


def _in_word(neighbour: str) -> bool:
    return neighbour.isascii() and (neighbour.isalnum() or neighbour == "_")


def _in_name(neighbour: str) -> bool:
    return _in_word(neighbour) or neighbour == "-"


# --- the text of a message -----------------------------------------------------------------------


def text_of(message: Message) -> str:
    """All that a message says, as text: words, thinking, calls with their input, results."""
    return "\n".join(part for block in message.blocks for part in _parts(block))


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Text | Thinking):
        yield block.text
    elif isinstance(block, ToolCall):
        yield block.name
        yield from _leaves(block.input)
        if block.id:
            yield block.id
    elif isinstance(block, ToolResult):
        for part in block.content:
            yield from _parts(part)
    elif isinstance(block, Document):
        yield from filter(None, (block.title, block.text, block.url))
    elif isinstance(block, Image):
        yield block.url
    elif isinstance(block, Opaque):
        yield from _leaves(block.raw)


def _leaves(value: Any) -> Iterator[str]:
    """The strings and numbers of a JSON value, each behind its key."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        key, item = stack.pop()
        if isinstance(item, dict):
            stack += ((str(name), inner) for name, inner in reversed(item.items()))
        elif isinstance(item, list | tuple):
            stack += ((key, inner) for inner in reversed(item))
        elif item is not None and not isinstance(item, bool):
            yield f"{key}: {item}" if key else str(item)
        elif key:
            yield f"{key}: {item}"


def _prose(message: Message) -> str:
    """What was said in words; tool results are not."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))
