"""Taking exchanges out, oldest first, until the context fits: what the windowed policies share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.history.exchanges import Exchange, riders
from trimtab.history.log import History
from trimtab.history.message import Message
from trimtab.pins import required_messages


@dataclass(frozen=True, slots=True)
class Kept:
    """What must stay whatever the budget.

    Attributes:
        messages: ascending numbers of the required messages.
        newest: the newest exchange stays (the model has not answered it yet).
        head: the system prompt stays.
    """

    messages: Sequence[int] = ()
    newest: bool = True
    head: bool = True

    def among(self, start: int, stop: int) -> Sequence[int]:
        """The required messages among `start <= i < stop`."""
        return self.messages[bisect_left(self.messages, start) : bisect_left(self.messages, stop)]


def kept_required(history: History) -> Kept:
    """What is required, by mark or by rule; and the newest exchange of a live session.

    Neutral records are taken as they are: no record is kept for being the newest.
    """
    return Kept(required_messages(history), newest=history.dialect != "neutral")


def removable(at: Projection, kept: Kept) -> Iterator[tuple[Exchange, list[Edit]]]:
    """The exchanges that may go, oldest first, each with the edits that take it out."""
    exchanges = at.history.exchanges
    last = len(exchanges) - 1
    for exchange in at.live_exchanges(head=not kept.head):
        if exchange.open or (kept.newest and exchange.index == last):
            continue
        edits = taking_out(at, exchange, kept)
        if edits:
            yield exchange, edits


def only_words(message: Message) -> bool:
    """Of this required message only the user's words beside its tool results are required."""
    return message.required is not True and bool(riders(message))


def evictable(history: History, exchange: Exchange, kept: Kept) -> bool:
    """Nothing in the exchange is required but, at most, what the user said beside a result."""
    required = kept.among(exchange.start, exchange.stop)
    return all(only_words(history[number]) for number in required)


def taking_out(
    at: Projection, exchange: Exchange, kept: Kept, *, spare_riders: bool = False
) -> list[Edit]:
    """The edits that take out what of an exchange may go: nothing, all, or all but riders.

    Args:
        spare_riders: the user's words beside tool results stay even if not required.
    """
    history = at.history
    if not evictable(history, exchange, kept):
        return []
    required = kept.among(exchange.start, exchange.stop)
    numbers = range(exchange.start, exchange.stop) if spare_riders else required
    spared = {number: words for number in numbers if (words := riders(history[number]))}
    edits: list[Edit] = []
    start = exchange.start
    for number in (*sorted(spared), exchange.stop):
        if start < number and at.any_live(start, number):
            edits.append(Edit("drop", start, number))
        if number < exchange.stop and at.live(number):
            edits_so_far = at.edits_of(number)
            gone = {n for edit in edits_so_far if edit.kind == "drop" for n in edit.blocks}
            results = tuple(
                n
                for n, block in enumerate(history[number].blocks)
                if n not in spared[number] and n not in gone
            )
            if results:
                edits.append(Edit("drop", number, number + 1, blocks=results))
        start = number + 1
    return edits


def freed(at: Projection, edits: list[Edit]) -> int:
    """How much smaller the context gets by such edits, about (a part's overhead aside)."""
    total = 0
    for edit in edits:
        if edit.blocks:
            blocks = at.history[edit.start].blocks
            total += sum(at.counter.block(blocks[n]) for n in edit.blocks)
        else:
            total += at.range_size(edit.start, edit.stop)
    return total


def with_reason(edits: list[Edit], reason: str) -> list[Edit]:
    """The same edits, each with the reason."""
    return [replace(edit, reason=reason) for edit in edits]


def evict_oldest(
    at: Projection, available: int, kept: Kept, reason: str, first: list[Edit] | None = None
) -> tuple[list[Edit], Projection]:
    """Edits that take out the oldest removable exchanges until the context fits, and that context.

    What stays of the others is therefore the newest run that fits: the first exchange that does
    not fit, counted from the newest, and all older ones go.

    Args:
        available: the size to come down to, in the counter's unit.
        first: edits that are made in any case.
    """
    edits = list(first or ())
    trial = at
    if edits:
        trial = at.copy()
        trial.apply(edits)
    while trial.size > available:
        excess = trial.size - available
        new: list[Edit] = []
        for _, taken in removable(trial, kept):
            new += with_reason(taken, reason)
            excess -= freed(trial, taken)
            if excess <= 0:
                break
        if not new:
            break
        if trial is at:
            trial = at.copy()
        trial.apply(new)
        edits += new
    return edits, trial


def described(at: Projection, kept: Kept) -> list[str]:
    """One line for each thing that must stay, largest first: what does not fit."""
    history = at.history
    sizes: list[tuple[int, str]] = []
    if at.sizes.fixed:
        sizes.append((at.sizes.fixed, "tool definitions"))
    exchanges = history.exchanges
    last = len(exchanges) - 1
    head = history.head
    for number in at.sources[: bisect_left(at.sources, head)]:
        sizes.append((at.size_of(number), f"message {number} (system)"))
    for exchange in at.live_exchanges():
        if exchange.open or (kept.newest and exchange.index == last):
            size = at.range_size(exchange.start, exchange.stop)
            what = "open call" if exchange.open else "newest exchange"
            first, end = exchange.start, exchange.stop - 1
            which = f"messages {first}-{end}" if first < end else f"message {end}"
            sizes.append((size, f"{which} ({what})"))
            continue
        for number in kept.among(exchange.start, exchange.stop):
            if at.live(number):
                message = history[number]
                size = at.size_of(number)
                if only_words(message):
                    size = sum(at.counter.block(message.blocks[n]) for n in riders(message))
                sizes.append((size, f"message {number} (required, {message.role})"))
    sizes.sort(key=lambda item: -item[0])
    unit = at.counter.unit
    return [f"{what}: {size:,} {unit}" for size, what in sizes]
