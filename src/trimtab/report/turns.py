"""The window turn by turn: how it grew, and what the provider reported of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trimtab.history.answers import answers
from trimtab.history.log import History
from trimtab.history.message import Message, Usage
from trimtab.report.pieces import PARTS, WHOLE, Piece


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of the model.

    Attributes:
        number: from 1.
        message: the first message of the answer.
        parts: the size of each of `PARTS` in the window that was sent, by the counter.
        answer: the size of the answer.
        reported: what the provider reported for the call.
        compacted: the recorded agent compacted the window before it.
    """

    number: int
    message: int
    parts: tuple[int, ...]
    answer: int
    reported: Usage | None
    compacted: bool

    @property
    def size(self) -> int:
        """The size of the window that was sent, as far as it was recorded."""
        return sum(self.parts)

    @property
    def hidden(self) -> int | None:
        """What the provider reported above what was recorded: a system prompt or tools that are
        not in the file, and the error of an estimate (then it may be negative)."""
        if self.reported is None or not self.reported.context:
            return None
        return self.reported.context - self.size


def turns(history: History, found: Sequence[Piece], boundaries: Sequence[int] = ()) -> list[Turn]:
    """The turns of a history.

    Args:
        found: its pieces.
        boundaries: the messages that stand first after a compaction; the window starts anew
            there, with the system prompt.
    """
    by_message: dict[int, list[Piece]] = {}
    for piece in found:
        by_message.setdefault(piece.message, []).append(piece)
    at_part = {part: n for n, part in enumerate(PARTS)}

    def add(to: list[int], number: int) -> int:
        taken = 0
        for piece in by_message.get(number, ()):
            to[at_part[piece.part]] += piece.size
            taken += piece.size
        return taken

    lasting = [0] * len(PARTS)
    add(lasting, WHOLE)
    for number in range(history.head):
        add(lasting, number)
    window = lasting.copy()
    cuts = {cut for cut in boundaries if cut > history.head}
    cut_since = False
    made: list[Turn] = []
    done = history.head
    for start, stop in answers(history):
        for number in range(done, start + 1):
            if number in cuts:
                window, cut_since = lasting.copy(), True
            if number < start:
                add(window, number)
        before = tuple(window)
        answer = sum(add(window, number) for number in range(start, stop))
        reported = _reported(history[start:stop])
        made.append(Turn(len(made) + 1, start, before, answer, reported, cut_since))
        cut_since, done = False, stop
    return made


def _reported(answer: Sequence[Message]) -> Usage | None:
    return next((m.usage for m in reversed(answer) if m.usage is not None), None)
