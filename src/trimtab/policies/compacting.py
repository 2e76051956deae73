"""What a compaction takes out of a context, and what its summary must hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trimtab.context.budget import parse_size
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.history.placeholders import holds_summary_only
from trimtab.pins import Pin, find_pins, says_something
from trimtab.policies.eviction import Kept, taking_out
from trimtab.policies.policy import SLOT
from trimtab.summaries.template import one_line

WHOLE = ("marked", "system", "first-task", "summary")
"""Rules whose pins keep their message where it stands; other required spans may be quoted."""

_TURNS = re.compile(r"(\d{1,6})\s*(?:turns?)?")
_TOKENS = re.compile(r"(.+?)\s*tokens?")


@dataclass(frozen=True, slots=True)
class Recent:
    """How much of the newest stays: so many turns, or so many tokens."""

    turns: int | None = None
    tokens: int | None = None

    @classmethod
    def read(cls, text: str | int) -> Recent:
        """Read `5`, `5 turns` or `20k tokens`.

        Raises:
            UsageError: it is none of these.
        """
        given = str(text).strip().lower()
        match = _TURNS.fullmatch(given)
        if match:
            return cls(turns=int(match[1]))
        match = _TOKENS.fullmatch(given)
        if match:
            return cls(tokens=parse_size(match[1]))
        raise UsageError(f"keep_recent {text!r:.60}: write turns (5) or tokens (20k tokens)")

    def smaller(self) -> list[Recent]:
        """This and ever less, down to the newest turn alone: for a context that must fit."""
        steps = [self]
        while (last := steps[-1]).turns not in (None, 0, 1) or (last.tokens or 0) > 1_000:
            if last.turns is not None:
                steps.append(Recent(turns=last.turns // 2))
            else:
                steps.append(Recent(tokens=(last.tokens or 0) // 2))
        if self.turns is None:
            steps.append(Recent(turns=1))
        return steps

    def begins(self, at: Projection) -> int:
        """The first message of what stays for being recent."""
        history = at.history
        exchanges = history.exchanges
        place = len(exchanges)
        floor = 0 if history.dialect == "neutral" else 1
        if self.turns is not None:
            left = max(self.turns, floor)
            while place > 0 and left > 0:
                place -= 1
                left -= _answers(history, exchanges[place])
        else:
            room = self.tokens or 0
            while place > 0:
                exchange = exchanges[place - 1]
                room -= at.range_size(exchange.start, exchange.stop)
                if room < 0 and len(exchanges) - place >= floor:
                    break
                place -= 1
        return exchanges[place].start if place < len(exchanges) else len(history)


def _answers(history: History, exchange: Exchange) -> bool:
    """A turn: the model speaks in it. In neutral records every one counts."""
    if history.dialect == "neutral":
        return True
    return any(history[n].role == "assistant" for n in range(exchange.start, exchange.stop))


@dataclass(frozen=True, slots=True)
class Leaving:
    """What leaves in one compaction.

    Attributes:
        edits: the edits that take it out, oldest first.
        numbers: the messages that leave whole, ascending.
        earlier: those that left before and that the same summary stands for.
        required: the spans of both that the summary must hold word for word.
        size: how large what leaves is now, in the counter's unit.
    """

    edits: tuple[Edit, ...]
    numbers: tuple[int, ...]
    earlier: tuple[int, ...]
    required: tuple[Pin, ...]
    size: int


def leaving(at: Projection, recent: Recent, runs: int, reason: str) -> Leaving | None:
    """What a compaction takes out that keeps `recent`; `None` if nothing can leave.

    The system prompt, the first task, marked messages, open calls and the newest words of the
    user stay where they stand. A message in which a rule found a requirement leaves: the
    requirement is quoted in the summary.

    Args:
        runs: into how many blocks it is cut at the most.
    """
    from trimtab.policies.told_before import told_before
    from trimtab.summaries.corrections import without_corrected

    history = at.history
    pins = find_pins(history)
    first = recent.begins(at)
    whole = {pin.message for pin in pins if stays_whole(history, pin)}
    newest = _newest_words(history)
    kept = Kept(sorted({*whole, *newest}))
    found: list[Edit] = []
    size = 0
    for exchange in at.live_exchanges():
        if exchange.start >= first:
            break
        if exchange.open:
            continue
        taken = taking_out(at, exchange, kept)
        found += taken
        size += sum(at.range_size(e.start, e.stop) for e in taken if not e.blocks)
    if not found:
        return None
    gone = [n for e in found if not e.blocks for n in range(e.start, e.stop) if at.live(n)]
    earlier = [n for n in range(history.head, min(first, len(history))) if not at.live(n)]
    absent = {*gone, *earlier}
    quoted = [pin for pin in pins if pin.message in absent and pin.rule not in WHOLE]
    for number in dict.fromkeys(pin.message for pin in pins if pin.rule == "summary"):
        if number in absent:
            quoted += told_before(history, number)
    edits = [replace(edit, reason=reason) for edit in _in_runs(found, runs)]
    required = tuple(without_corrected(history, quoted))
    return Leaving(tuple(edits), tuple(gone), tuple(earlier), required, size)


def stays_whole(history: History, pin: Pin) -> bool:
    """The pin keeps its message where it stands. A summary of ours that came in as a message does
    not: it is summarised anew from its lines.
    """
    if pin.rule not in WHOLE:
        return not _quotable(pin)
    return pin.rule != "summary" or not holds_summary_only(history[pin.message])


def _quotable(pin: Pin) -> bool:
    """Each line of it can stand in a summary word for word: none looks like a call to make."""
    lines = (line.strip() for line in pin.text.split("\n"))
    return all(one_line(line) == line for line in lines)


def _newest_words(history: History) -> Sequence[int]:
    """The user's newest message: it is never summarised."""
    if history.dialect == "neutral":
        return ()
    for number in range(len(history) - 1, -1, -1):
        if says_something(history[number]):
            return (number,)
    return ()


def _in_runs(edits: Sequence[Edit], runs: int) -> list[Edit]:
    """Whole messages in runs of neighbours, about `runs` of them: a block each."""
    whole = [edit for edit in edits if not edit.blocks]
    share = -(-len(whole) // max(runs, 1))
    made: list[Edit] = []
    taken = 0
    for edit in edits:
        if edit.blocks or not made or made[-1].blocks or made[-1].stop != edit.start:
            made.append(edit)
            taken = 1
        elif taken < share:
            made[-1] = replace(made[-1], stop=edit.stop)
            taken += 1
        else:
            made.append(edit)
            taken = 1
    return made


def standing_size(at: Projection, slot: str = SLOT) -> int:
    """The size of the summary so far; the new one takes its place."""
    text = at.inserted_text(slot)
    return at.counter.text(text) if text else 0
