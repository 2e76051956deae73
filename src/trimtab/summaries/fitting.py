"""The model's input, made to fit the model's window: shorter results first, then several rounds.

What is read is prose (`model_input.py`), so there are no calls without results in it, whatever is
cut. Rounds are cut between exchanges. A round that no window has room for is left to the
extractive summariser; nothing is left out unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.history.log import History
from trimtab.summaries.model_input import Told, cut, told
from trimtab.tokens import Counter

DEFAULT_WINDOW = 32_768
"""Tokens, of a model whose window is neither given nor known."""

_MARGIN = 0.9
"""Of the window, where tokens are only estimated."""


_LONGEST_TOKENS = 20
"""Characters of a token, on average of a text, are never more."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one round reads.

    Attributes:
        numbers: the messages of H that it tells of, ascending.
        prose: these messages as a model reads them; empty where they say nothing.
        read: a model reads it; else it is one too many, and the extractive summariser does.
        whole: nothing was made shorter.
    """

    numbers: tuple[int, ...]
    prose: str
    read: bool = True
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Detail:
    """Characters of each kind of text that are told at the most; `None`: all."""

    said: int | None = None
    thought: int | None = None
    argument: int | None = None
    result: int | None = None

    def halved(self) -> _Detail:
        """Half as much of everything, and no thoughts."""
        return _Detail(
            *(limit and max(limit // 2, 60) for limit in (self.said, 0, self.argument, self.result))
        )

    def of(self, kind: str) -> int | None:
        """The limit of a kind of text."""
        limit: int | None = getattr(self, kind)
        return limit


_DETAILS = (
    _Detail(),
    _Detail(said=12_000, thought=0, argument=1_000, result=2_000),
    _Detail(said=4_000, thought=0, argument=300, result=600),
    _Detail(said=1_000, thought=0, argument=120, result=200),
)


def room_in(window: int, answer: int, fixed: int, counter: Counter) -> int:
    """How much of a window is left for the quoted record, in the counter's unit.

    Args:
        window: the model's, input and answer together.
        answer: what the answer may take.
        fixed: what the instructions and the frame take.
        counter: that of the model; where it only estimates, a tenth is kept free.
    """
    usable = window if counter.exact else int(window * _MARGIN)
    return usable - answer - fixed


def chunks(
    history: History, numbers: Sequence[int], room: int, counter: Counter, rounds: int
) -> list[Chunk]:
    """What each round reads, in order; one round where that is enough.

    All in one round if it fits, else with its results slimmed, else in at most `rounds` rounds
    with as much detail as that allows. Where even the least detail takes more rounds, the first
    and the last ones are read and those in the middle are not (`Chunk.read`).

    Args:
        history: H.
        numbers: the messages to tell of, ascending.
        room: the size that the prose of a round may have, in the counter's unit; at least 1.
        counter: measures it.
        rounds: at least 1.
    """
    exchanges = [
        (group, [one for number in group for one in told(history, number)])
        for group in by_exchange(history, numbers)
    ]
    made: list[Chunk] = []
    length = sum(len(one.text) for _, things in exchanges for one in things)
    for level, detail in enumerate(_DETAILS):
        if level < 1 and length > room * _LONGEST_TOKENS:
            continue  # counting megabytes takes seconds
        made = _cut_up(exchanges, detail, room, counter)
        if len(made) <= (1 if level < 1 else rounds):
            return made
    first = (rounds + 1) // 2
    middle = made[first : len(made) - (rounds - first)]
    unread = Chunk(tuple(n for chunk in middle for n in chunk.numbers), "", False, False)
    return [*made[:first], unread, *made[len(made) - (rounds - first) :]]


def by_exchange(history: History, numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """`numbers` in groups that belong to one exchange each."""
    index = history.exchanges
    group: list[int] = []
    stop = 0
    for number in numbers:
        if group and number >= stop:
            yield tuple(group)
            group = []
        if not group:
            stop = index.holding(number).stop
        group.append(number)
    if group:
        yield tuple(group)


def _cut_up(
    exchanges: Sequence[tuple[tuple[int, ...], list[Told]]],
    detail: _Detail,
    room: int,
    counter: Counter,
) -> list[Chunk]:
    made: list[Chunk] = []
    numbers: list[int] = []
    pieces: list[str] = []
    size, whole = 0, True

    def close() -> None:
        nonlocal numbers, pieces, size, whole
        prose = within("\n".join(pieces), room, counter)
        made.append(Chunk(tuple(numbers), prose, whole=whole and prose == "\n".join(pieces)))
        numbers, pieces, size, whole = [], [], 0, True

    for group, things in exchanges:
        prose, untouched = _prose(things, detail)
        needed = counter.text(prose) + 1
        less = _DETAILS[1] if detail == _DETAILS[0] else detail
        while needed > room and (less.result or 0) > 60:
            prose, untouched = _prose(things, less)[0], False
            needed = counter.text(prose) + 1
            less = less.halved()
        if pieces and size + needed > room:
            close()
        numbers += group
        if prose:
            pieces.append(prose)
            size += needed
        whole = whole and untouched
    if numbers:
        close()
    return made


def _prose(things: Sequence[Told], detail: _Detail) -> tuple[str, bool]:
    """What one exchange tells, and whether nothing of it was made shorter."""
    rows: list[str] = []
    untouched = True
    for one in things:
        limit = detail.of(one.kind)
        if limit == 0:
            untouched = False
        elif limit is None or len(one.text) <= limit:
            rows.append(one.prose())
        else:
            untouched = False
            rows.append(one.with_text(_shorter(one, limit)).prose())
    return "\n".join(rows), untouched


def _shorter(one: Told, limit: int) -> str:
    text = one.text
    if one.kind == "result":
        from trimtab.slimming import slim

        slimmed = slim(text, tool=one.tool, command=one.command, limit=limit)
        if slimmed is not None:
            text = slimmed.text
    return cut(text, limit)


def within(prose: str, room: int, counter: Counter) -> str:
    """`prose`, with lines of its middle left out until it has at most `room`.

    Args:
        prose: of several things told, each with its words quoted below it.
        room: in the counter's unit.
        counter: measures it.
    """
    limit = len(prose)
    size = counter.text(prose)
    shorter = prose
    while size > room and limit > 0:
        limit = max(min(int(limit * room / size * 0.95), limit - 1), 0)
        shorter = _ends(prose, limit)
        size = counter.text(shorter)
    return shorter


_END_OF_A_TEXT = "The end of a text that was left out:\n"


def _ends(prose: str, limit: int) -> str:
    """Head and tail of `prose`; no quoted line loses its mark, or stands below another's name."""
    room = limit - 80
    if room < 80:
        return prose[: max(limit, 0)]
    start, end = room - room // 3, len(prose) - room // 3
    line = prose.rfind("\n", start // 2, start)
    start = line if line > 0 else start
    line = prose.find("\n", end, end + room // 6)
    tail = prose[line + 1 :] if line > 0 else f"> {prose[end:]}"
    end = line + 1 if line > 0 else end
    if tail.startswith(">"):
        tail = _END_OF_A_TEXT + tail
    return f"{prose[:start]}\n[… {end - start:,} characters …]\n{tail}"
