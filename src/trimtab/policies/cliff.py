"""`cliff`: the context grows untouched and falls once, at the budget; no model is asked.

Source: CliffCompaction (arXiv 2609.26779). What is older than the last turns becomes one user
message that tells, by kind of content, what was said and done: short results whole, long ones not,
a line for each call, the assistant's and the user's words. Told again from H at each fall, so
that nothing is a summary of a summary.

Beyond the source: what the user requires stays word for word through every fall, long failures
keep their two ends, what is left out has its block id, and older falls are told again as far as
there is room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from trimtab.context.binding import bound_thinking
from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.pins import find_pins, says_something
from trimtab.policies.cliff_text import (
    Caps,
    Teller,
    is_record,
    record,
    stays_whole,
    taken_apart,
    users_words,
)
from trimtab.policies.compacting import WHOLE, Recent
from trimtab.policies.eviction import Kept, described, kept_required, taking_out, with_reason
from trimtab.policies.index_text import ids_in
from trimtab.policies.policy import opened, proposed, unchanged

REASON = "older than the newest turns; told in the record"
STRICT = 300
"""Characters of a thought where space is short (the source's rung 2)."""
NEWEST = 4_000
"""Characters of the user's newest words that are told however little room there is."""


@dataclass(frozen=True, slots=True)
class Cliff:
    """Nothing until the budget is reached; then all that is old becomes one record.

    Args:
        keep_recent: how many of the newest turns stay as they are.
        result_chars: a longer result is left out; of a failure the two ends stay.
        call_chars: the most that is told of a call.
        thought_chars: the most of each text of the assistant's; 0: all.
        thinking_chars: the most of each thought; 0: all.
        thinking: reasoning is told at all.
        user_chars: the most of each text of the user's.
        target: the share of the budget to come down to, in percent (10 to 100).

    Where that does not fit, in this order: one turn stays, then texts are cut to 300 characters
    and reasoning goes, then only the newest part of the record stays.
    """

    keep_recent: int = 3
    result_chars: int = 500
    call_chars: int = 150
    thought_chars: int = 0
    thinking_chars: int = 0
    thinking: bool = True
    user_chars: int = 20_000
    target: int = 70

    name: ClassVar[str] = "cliff"

    def __post_init__(self) -> None:
        if self.keep_recent < 1:
            raise UsageError(f"cliff: keep_recent must be 1 or more, not {self.keep_recent}")
        for key in ("result_chars", "thought_chars", "thinking_chars", "user_chars"):
            if getattr(self, key) < 0:
                raise UsageError(f"cliff: {key} must be 0 or more, not {getattr(self, key)}")
        if self.call_chars < 20:
            raise UsageError(f"cliff: call_chars must be 20 or more, not {self.call_chars}")
        if not 10 <= self.target <= 100:
            raise UsageError(f"cliff: target must be 10 to 100 percent, not {self.target}")

    def plan(self, history: History, budget: Budget, at: Projection | None = None) -> Plan:
        """The fall, when the budget is reached."""
        at = opened(history, budget, at)
        if at.size <= budget.available:
            return unchanged(self, at, budget)
        goal = max(budget.available * self.target // 100, 1)
        fall: _Fall | None = None
        for keep, caps, cut in self._ladder():
            fall = _Fall(at, keep, caps)
            if fall.reach(goal, cut):
                break
        assert fall is not None
        if fall.trial.size > goal:
            fall.reach(budget.available, cut=True)
        kept = kept_required(history)
        if fall.trial.size >= at.size:  # a record larger than what it stands for
            return proposed(self, at, budget, (), lambda: _stays(at, kept))
        trial = fall.trial
        return proposed(self, at, budget, fall.edits, lambda: _stays(trial, kept), trial)

    def _ladder(self) -> Iterator[tuple[int, Caps, bool]]:
        caps = Caps(
            result=self.result_chars,
            call=self.call_chars,
            thought=self.thought_chars,
            thinking=self.thinking_chars if self.thinking else None,
            human=self.user_chars,
        )
        least = min(self.thought_chars or STRICT, STRICT)
        strict = replace(caps, thought=least, thinking=None)
        yield self.keep_recent, caps, False
        if self.keep_recent > 1:
            yield 1, caps, False
        yield 1, strict, False
        yield 1, strict, True


class _Fall:
    """One fall: what leaves, and the record that stands for all that has left.

    Attributes:
        edits: what it takes, with the record; after `reach`.
        trial: the context with them.
    """

    def __init__(self, at: Projection, keep: int, caps: Caps) -> None:
        self._at = at
        self._history = history = at.history
        self._fresh = Projection(history, at.counter)
        pins = find_pins(history)
        self._pins = [pin for pin in pins if pin.rule not in WHOLE]
        self._records = _records(history)
        again = {number for number, _ in self._records}
        whole = {
            pin.message
            for pin in pins
            if pin.rule in WHOLE and not (pin.rule == "summary" and pin.message in again)
        }
        self._kept = Kept(sorted(whole))
        exchanges = history.exchanges
        first = next(
            (n for n in range(len(exchanges)) if _answers(history, exchanges[n])), len(exchanges)
        )
        stop = Recent(turns=keep).begins(at)
        self._told = [
            exchange
            for n in range(first, len(exchanges))
            if (exchange := exchanges[n]).start < stop and not exchange.open
        ]
        self._leaving = self._taken()
        self._known = frozenset(ids_in(at.inserted_text(Cliff.name)))
        self._bare = at.copy()
        self._bare.apply((*self._leaving, *bound_thinking(at, self._leaving)))
        self._ids: dict[int, list[Edit]] = {}
        for edit in self._leaving:
            for number in range(edit.start, edit.stop):
                self._ids.setdefault(number, []).append(edit)
        live = self._bare.live
        self._teller = Teller(history, caps, lambda n: not live(n), self._id_of)
        self._required = self._spans()
        self.edits: tuple[Edit, ...] = ()
        self.trial = at

    def reach(self, goal: int, cut: bool) -> bool:
        """Tell what has left within `goal`.

        What left in earlier falls gives way first, oldest first.

        Args:
            cut: what leaves now may be told in part too; else all of it must fit.
        """
        if not self._leaving and not self._at.inserted_text(Cliff.name):
            return False
        required, parts = self._stood()
        spans = [span for _, span, _ in self._required]
        self._put(record([*required, *spans], [], complete=False), 0)
        room = goal - self.trial.size
        count = self._at.counter.text
        told: list[tuple[str, bool]] = []  # newest first; whether it leaves now
        covered: list[set[str]] = []
        complete = room >= 0
        for exchange in reversed(self._told):
            part = self._teller.tell(exchange)
            if not part:
                continue
            now = self._at.any_live(exchange.start, exchange.stop)
            room -= count(f"\n\n{part}")
            room += sum(count(f"- {span}\n") for span in self._told_in(exchange, part))
            if room < 0:
                complete = False
                if now and not cut:
                    return False
                break
            told.append((part, now))
            covered.append(set(self._told_in(exchange, part)))
        for part in reversed(parts) if complete else ():
            room -= count(f"\n\n{part}")
            complete = complete and room >= 0
            if not complete:
                break
            told.append((part, False))
        while True:
            texts = [part for part, _ in reversed(told)]
            here = set().union(*covered[: len(told)])
            rest = [span for span in spans if span not in here]
            self._put(record([*required, *rest], texts, complete), len(texts))
            if self.trial.size <= goal or not told or (told[-1][1] and not cut):
                return self.trial.size <= goal
            complete = False
            told.pop()  # the whole is a little more than the sum of its parts

    # -- what leaves -----------------------------------------------------------------------

    def _taken(self) -> list[Edit]:
        """The edits that take out what is told, and records that came in as messages."""
        at, history = self._at, self._history
        taken: list[Edit] = []
        joins = False
        for exchange in self._told:
            if not at.any_live(exchange.start, exchange.stop):
                joins = False
                continue
            edits = taking_out(at, exchange, self._kept)
            alike = stays_whole(exchange, history) and len(edits) == 1 and not edits[0].blocks
            if joins and alike and taken[-1].stop == edits[0].start:
                taken[-1] = replace(taken[-1], stop=edits[0].stop)
            else:
                taken += with_reason(edits, REASON)
            joins = alike
        first = self._told[0].start if self._told else 0
        return [*self._from_head(first), *taken]

    def _from_head(self, first: int) -> list[Edit]:
        """Records in front of the first answer: they are told anew."""
        edits = []
        for number, blocks in self._records:
            gone = {n for edit in self._at.edits_of(number) for n in edit.blocks}
            left = tuple(n for n in blocks if n not in gone)
            if number < first and self._at.live(number) and left:
                every = len(left) == len(self._history[number].blocks)
                told = () if every else left
                edits.append(Edit("drop", number, number + 1, told, reason=REASON))
        return edits

    def _id_of(self, number: int, block: int) -> str:
        """The id of the block that took it; of an earlier fall only one that its record names."""
        for edit in self._ids.get(number, ()):
            if not edit.blocks or block in edit.blocks:
                return block_id(evicted(self._history, edit))
        exchange = self._history.exchanges.holding(number)
        for edit in taking_out(self._fresh, exchange, self._kept):
            if edit.start <= number < edit.stop and (not edit.blocks or block in edit.blocks):
                found = block_id(evicted(self._history, edit))
                if found in self._known:
                    return found
        return ""

    # -- the record ------------------------------------------------------------------------

    def _spans(self) -> list[tuple[int, str, bool]]:
        """The spans that must stand in the record: the message, the words, and whether these very
        words must; of the user's newest message the beginning does where there is no room."""
        history, left = self._history, self._teller.left
        found = [(p.message, p.text, True) for p in self._pins if left(p.message) and p.text]
        newest = next((n for n in reversed(range(len(history))) if says_something(history[n])), -1)
        if newest >= 0 and left(newest):
            texts = [b.text.strip() for b in history[newest].blocks if isinstance(b, Text)]
            there = {span for number, span, _ in found if number == newest}
            found += [(newest, t[:NEWEST], False) for t in texts if t and t not in there]
        return found

    def _told_in(self, exchange: Exchange, part: str) -> Iterator[str]:
        """The required spans that stand in the part that tells of an exchange."""
        for number, span, exactly in self._required:
            if exchange.start <= number < exchange.stop and (not exactly or span in part):
                yield span

    def _stood(self) -> tuple[list[str], list[str]]:
        """What records say that came in as messages; their sources are nowhere else."""
        required: dict[str, None] = {}
        parts: list[str] = []
        for number, blocks in self._records:
            for n in blocks:
                block = self._history[number].blocks[n]
                if isinstance(block, Text):
                    spans, told = taken_apart(block.text)
                    required |= dict.fromkeys(spans)
                    parts += told
        for part in parts:
            words = History([Message("user", (Text(users_words(part)),))])
            required |= dict.fromkeys(pin.text for pin in find_pins(words, {"first-task"}))
        return list(required), parts

    def _put(self, text: str, parts: int) -> None:
        place = self._at.inserted_at(Cliff.name)
        starts = [edit.start for edit in self._leaving] + ([] if place is None else [place])
        start = min(starts)
        stop = max([edit.stop for edit in self._leaving] or [start + 1])
        reason = f"tells what left, in {parts} part{'' if parts == 1 else 's'}"
        made = Edit("summarise", start, stop, (), text, reason, Cliff.name, "user")
        self.trial = self._bare.copy()
        self.trial.apply((made,))
        self.edits = (*self._leaving, made)


def _stays(at: Projection, kept: Kept) -> list[str]:
    """One line for each thing that does not fit; what precedes the first answer stays too."""
    history = at.history
    lines = described(at, kept)
    head = 0
    for number in at.sources:
        if history[number].role == "assistant":
            break
        if number >= history.head and not kept.among(number, number + 1):
            head += at.size_of(number)
    if head:
        lines.append(f"what else precedes the first answer: {head:,} {at.counter.unit}")
    return lines


def _records(history: History) -> list[tuple[int, tuple[int, ...]]]:
    """Records that came in as messages: the message and the blocks."""
    found = []
    for number, message in enumerate(history):
        if message.role == "user":
            blocks = enumerate(message.blocks)
            ours = tuple(n for n, b in blocks if isinstance(b, Text) and is_record(b.text))
            if ours:
                found.append((number, ours))
    return found


def _answers(history: History, exchange: Exchange) -> bool:
    return any(history[n].role == "assistant" for n in range(exchange.start, exchange.stop))
