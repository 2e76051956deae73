"""The projection: a history and its edits, folded into the context that is sent.

`project(H, edits)` is a pure function. `Projection` is the same fold kept between turns: a new
message costs work in proportion to itself, a new edit in proportion to what it touches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trimtab.context.edits import Edit, as_left, changed, coalesced
from trimtab.context.sizes import Sizes, sizes_of
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Role, Text, Thinking
from trimtab.history.placeholders import CONTINUE, left_out
from trimtab.tokens import Counter

SYNTHETIC = -1
"""The source of a message that comes from an edit, not from the history."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the model is sent (K).

    Attributes:
        messages: the messages, in order.
        sources: for each, the number of the message in the history that it is; `SYNTHETIC` for
            a summary or a note. A message joined from several has the first one's.
        history: the history that it is a view of.
        envelope: the rest of the request.
    """

    messages: tuple[Message, ...]
    sources: tuple[int, ...]
    history: History = field(repr=False, compare=False)
    envelope: Mapping[str, Any] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


class Projection:
    """The context of a growing history, kept up to date.

    Args:
        history: H; it may grow, and `refresh` takes up what is new.
        counter: measures sizes.

    `cursors` are notes of the policies, by policy: up to where they need not look again. They
    save work and change no outcome.
    """

    __slots__ = (
        "_changes",
        "_dropped",
        "_inserts",
        "_resized",
        "_seams",
        "_sum",
        "_taken",
        "counter",
        "cursors",
        "history",
        "items",
        "sizes",
        "sources",
        "thinking_removed",
    )

    def __init__(self, history: History, counter: Counter) -> None:
        self.history = history
        self.counter = counter
        self.sizes: Sizes = sizes_of(history, counter)
        self.items: list[Message] = list(history)
        self.sources: list[int] = list(range(len(history)))
        self.thinking_removed = False
        self.cursors: dict[Hashable, int] = {}
        self._taken = len(history)
        self._sum = sum(self.sizes.of)
        self._changes: dict[int, tuple[Edit, ...]] = {}
        self._resized: dict[int, int] = {}
        self._inserts: dict[str, tuple[int, Message, int]] = {}
        self._seams: set[int] = set()
        self._dropped = 0

    def copy(self) -> Projection:
        """An independent projection in the same state."""
        twin = object.__new__(Projection)
        twin.history, twin.counter, twin.sizes = self.history, self.counter, self.sizes
        twin.items, twin.sources = self.items.copy(), self.sources.copy()
        twin.thinking_removed, twin.cursors = self.thinking_removed, self.cursors.copy()
        twin._taken, twin._sum, twin._dropped = self._taken, self._sum, self._dropped
        twin._changes, twin._resized = self._changes.copy(), self._resized.copy()
        twin._inserts, twin._seams = self._inserts.copy(), self._seams.copy()
        return twin

    def refresh(self) -> None:
        """Take up the messages that were appended to the history."""
        history, taken = self.history, self._taken
        if taken == len(history):
            return
        self.sizes.refresh()
        self.items.extend(history[taken:])
        self.sources.extend(range(taken, len(history)))
        self._sum += sum(self.sizes.of[taken:])
        self._taken = len(history)

    # -- what is in the context ------------------------------------------------------------

    def position(self, message: int) -> int:
        """Where message number `message` stands in `items`, or -1 if it is not there."""
        at = bisect_left(self.sources, message)
        return at if at < len(self.sources) and self.sources[at] == message else -1

    def live(self, message: int) -> bool:
        """Message number `message` is in the context, whole or changed."""
        return self.position(message) >= 0

    def size_of(self, message: int) -> int:
        """The present size of a live message, in the counter's unit."""
        size = self._resized.get(message)
        return self.sizes.of[message] if size is None else size

    def inserted_at(self, slot: str) -> int | None:
        """The message in front of which the summary of `slot` stands, if there is one."""
        found = self._inserts.get(slot)
        return None if found is None else found[0]

    def inserted_text(self, slot: str) -> str:
        """The text of the summary of `slot`; empty if there is none."""
        found = self._inserts.get(slot)
        return "" if found is None else found[1].text

    def edits_of(self, message: int) -> tuple[Edit, ...]:
        """The block edits of a message so far."""
        return self._changes.get(message, ())

    def block_now(self, message: int, block: int) -> Block | None:
        """Block `block` of a live message as it stands; `None` where it was taken out."""
        edits = [edit for edit in self.edits_of(message) if block in edit.blocks]
        if any(edit.kind == "drop" for edit in edits):
            return None
        original = self.history[message].blocks[block]
        return as_left(original, edits[-1]) if edits else original

    def any_live(self, start: int, stop: int) -> bool:
        """Some message of `start <= i < stop` is in the context."""
        at = bisect_left(self.sources, start)
        return at < len(self.sources) and self.sources[at] < stop

    def live_exchanges(self, *, head: bool = False) -> Iterator[Exchange]:
        """The exchanges that still have a message here, oldest first.

        Args:
            head: those of the system prompt as well.
        """
        exchanges, sources = self.history.exchanges, self.sources
        at = 0 if head else bisect_left(sources, self.history.head)
        while at < len(sources):
            exchange = exchanges.holding(sources[at])
            yield exchange
            at = bisect_left(sources, exchange.stop, at)

    def range_size(self, start: int, stop: int) -> int:
        """The present size of the live messages among `start <= i < stop`."""
        first, last = bisect_left(self.sources, start), bisect_left(self.sources, stop)
        return sum(map(self.size_of, self.sources[first:last]))

    @property
    def size(self) -> int:
        """The size of the whole context: messages, notes, tools and overhead."""
        total, messages = self._sum, len(self.items)
        for _, _, size in self._inserts.values():
            total, messages = total + size, messages + 1
        for note in self._notes():
            if note is not None:
                total, messages = total + self.counter.message(note), messages + 1
        return self.sizes.total(total, messages)

    # -- changing it -----------------------------------------------------------------------

    def apply(self, edits: Iterable[Edit]) -> None:
        """Fold in further edits. What an earlier edit took out stays out."""
        drops: list[tuple[int, int]] = []
        touched: dict[int, list[Edit]] = {}
        for edit in edits:
            if edit.kind == "summarise":
                message = self._note(edit.role, edit.text)
                slot = edit.slot or f"at {edit.start}"
                self._inserts[slot] = (edit.start, message, self.counter.message(message))
            elif edit.blocks:
                touched.setdefault(edit.start, []).append(edit)
            else:
                drops.append((edit.start, edit.stop))
        for number, new in touched.items():
            self._change(number, new)
        self._drop(coalesced(drops))

    def _change(self, number: int, new: list[Edit]) -> None:
        at = self.position(number)
        if at < 0:
            return
        original = self.history[number]
        edits = self._changes.get(number, ()) + tuple(new)
        self._changes[number] = edits
        before = self.size_of(number)
        self.items[at] = message = changed(original, edits)
        self._resized[number] = size = self.counter.message(message)
        self._sum += size - before
        if not self.thinking_removed:
            self.thinking_removed = any(
                edit.kind == "drop"
                and any(isinstance(original.blocks[n], Thinking) for n in edit.blocks)
                for edit in new
            )

    def _drop(self, ranges: list[tuple[int, int]]) -> None:
        if not ranges:
            return
        sources, items = self.sources, self.items
        kept_sources: list[int] = []
        kept_items: list[Message] = []
        done = 0
        for start, stop in ranges:
            first, last = bisect_left(sources, start, done), bisect_left(sources, stop, done)
            if first == last:
                continue
            gone = sources[first:last]
            self._sum -= sum(map(self.size_of, gone))
            self._dropped += len(gone)
            for number in gone:
                self._resized.pop(number, None)
                self._changes.pop(number, None)
                self._seams.discard(number)
            self._seams.add(sources[last] if last < len(sources) else self._taken)
            kept_sources += sources[done:first]
            kept_items += items[done:first]
            done = last
        if done:
            self.sources = kept_sources + sources[done:]
            self.items = kept_items + items[done:]

    # -- handing it out --------------------------------------------------------------------

    def _note(self, role: Role, text: str) -> Message:
        return Message(role, (Text(text),), typed=False, dialect=self.history.dialect)

    def _notes(self) -> tuple[Message | None, Message | None]:
        """The notes that keep the roles legal: in front of a leading answer, behind a closing
        answer that the history does not end in."""
        if self.history.dialect == "neutral":
            return None, None
        head = bisect_left(self.sources, self.history.head)
        leading: Message | None = None
        inserted = min(self._inserts.values(), key=lambda i: i[0], default=None)
        first = self.items[head] if head < len(self.items) else None
        if inserted is not None and (first is None or inserted[0] <= self.sources[head]):
            first = inserted[1]
        if self._dropped and first is not None and first.role != "user":
            leading = self._note("user", left_out(self._dropped))
        closing: Message | None = None
        last = max(self._inserts.values(), key=lambda i: i[0], default=None)
        if last is not None and (not self.sources or last[0] > self.sources[-1]):
            ending: Message | None = last[1]
            ours = True
        else:
            ending = self.items[-1] if self.items else None
            ours = bool(self.sources) and self.sources[-1] != self._taken - 1
        if ours and ending is not None and ending.role == "assistant":
            closing = self._note("user", CONTINUE)
        return leading, closing

    def context(self) -> Context:
        """The context as it stands."""
        items, sources = self.items.copy(), self.sources.copy()
        inserts: dict[int, list[Message]] = {}
        for start, message, _ in sorted(self._inserts.values(), key=lambda i: i[0]):
            inserts.setdefault(bisect_left(self.sources, start), []).append(message)
        seams = set(inserts)
        joins = self.history.dialect == "anthropic"
        if joins:
            seams.update(bisect_left(self.sources, number) for number in self._seams)
        for at in sorted(seams, reverse=True):
            first = max(at - 1, 0)
            segment = list(zip(items[first:at], sources[first:at], strict=True))
            segment += [(message, SYNTHETIC) for message in inserts.get(at, ())]
            segment += zip(items[at : at + 1], sources[at : at + 1], strict=True)
            if joins:
                segment = _joined(segment)
            items[first : at + 1] = [message for message, _ in segment]
            sources[first : at + 1] = [source for _, source in segment]
        leading, closing = self._notes()
        if leading is not None:
            at = bisect_left(self.sources, self.history.head)
            items.insert(at, leading)
            sources.insert(at, SYNTHETIC)
        if closing is not None:
            items.append(closing)
            sources.append(SYNTHETIC)
        return Context(tuple(items), tuple(sources), self.history, self._envelope())

    def _envelope(self) -> Mapping[str, Any]:
        """Thinking is switched off where the open tool round lost its thinking: the provider
        refuses such a round with thinking on."""
        envelope = self.history.envelope
        thinking = envelope.get("thinking")
        if (
            self.thinking_removed
            and self.history.dialect == "anthropic"
            and isinstance(thinking, Mapping)
            and thinking.get("type") not in (None, "disabled")
            and _open_round_without_thinking(self.items)
        ):
            return {**envelope, "thinking": {"type": "disabled"}}
        return envelope


def _joined(segment: list[tuple[Message, int]]) -> list[tuple[Message, int]]:
    """Neighbours of one role become one message, so that roles go on alternating."""
    joined: list[tuple[Message, int]] = []
    for message, source in segment:
        if joined and joined[-1][0].role == message.role != "system":
            left, left_source = joined[-1]
            both = left.with_blocks(left.blocks + message.blocks)
            joined[-1] = (both, left_source if left_source != SYNTHETIC else source)
        else:
            joined.append((message, source))
    return joined


def _open_round_without_thinking(items: list[Message]) -> bool:
    for message in reversed(items):
        if message.role == "assistant":
            blocks = message.blocks
            return any(True for _ in message.calls()) and not isinstance(blocks[0], Thinking)
        if not any(True for _ in message.results()):
            return False
    return False


def project(history: History, edits: Iterable[Edit], counter: Counter | None = None) -> Context:
    """The context that `history` with `edits` gives. Pure: the same arguments, the same bytes.

    Args:
        history: H, not changed.
        edits: in any order.
        counter: only for callers that measure as well; characters by default.
    """
    if counter is None:
        from trimtab.tokens import counter_for

        counter = counter_for(None, "chars")
    projection = Projection(history, counter)
    projection.apply(edits)
    return projection.context()
