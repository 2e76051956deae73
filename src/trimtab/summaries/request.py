"""What a summariser is asked for and what it gives back: the same for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from trimtab.history.log import History
from trimtab.history.message import Usage
from trimtab.pins import Pin
from trimtab.summaries.template import Summary
from trimtab.tokens import Counter

NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Request:
    """A run of messages that is to leave, and what the text that stands for it must hold.

    Attributes:
        history: H; read only.
        numbers: the messages that leave now, ascending.
        earlier: the messages that left before and that the same summary stands for, ascending.
            The sources of the whole summary are `earlier` and `numbers`, always read in H.
        standing: the summary so far, that of `earlier`; it was checked against its sources.
        required: the spans of `earlier` and `numbers` that must stand in the summary word for
            word.
        limit: the most that the text may take, in the counter's unit.
        counter: measures it.
    """

    history: History
    numbers: Sequence[int]
    limit: int
    counter: Counter
    earlier: Sequence[int] = ()
    standing: Summary | None = None
    required: Sequence[Pin] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a summariser: what it was, and why it did not do (empty: it did)."""

    summariser: str
    reason: str = ""
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary with how it came about.

    Attributes:
        summary: by sections; checked by the guard.
        summariser: the name of the one that made it.
        attempts: all tries, in order; the last one did.
        usage: what the model reported for all tries together; zeros where none was asked.
        model: the model that was asked; `None` for none.
        guard: the report of the guard, as a JSON value.
    """

    summary: Summary
    summariser: str
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = NOTHING
    model: str | None = None
    guard: object = None


class Summariser(Protocol):
    """Makes a summary. It never raises for what a model or a network did: it falls back."""

    @property
    def name(self) -> str:
        """As in `extractive`, `anthropic/claude-haiku-4-5`."""
        ...

    def summarise(self, request: Request) -> Summarised:
        """The summary of `request`; H is only read."""
        ...
