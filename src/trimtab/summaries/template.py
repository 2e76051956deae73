"""The five-section summary: goal, progress, facts, decisions, next steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SECTIONS = ("goal", "progress", "facts", "decisions", "next_steps")
"""The sections in the order in which they are written."""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a summary.

    Attributes:
        text: its words, on one line.
        source: where they stand word for word: message, block, and the span `start <= i < end`
            of the block's text; `None` where a model or a caller wrote them.
    """

    text: str
    source: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary by sections. A section may be empty; all five are always there.

    Attributes:
        goal: what is wanted, with the hard constraints word for word.
        progress: what was done, and what came of it.
        facts: names, numbers, places and states that later work needs.
        decisions: what was decided, with reasons.
        next_steps: what is open.
    """

    goal: tuple[Line, ...] = ()
    progress: tuple[Line, ...] = ()
    facts: tuple[Line, ...] = ()
    decisions: tuple[Line, ...] = ()
    next_steps: tuple[Line, ...] = ()

    def section(self, name: str) -> tuple[Line, ...]:
        """The lines of a section by its name."""
        lines: tuple[Line, ...] = getattr(self, name)
        return lines

    def lines(self) -> Iterator[tuple[str, Line]]:
        """All lines with the section each is in, in order."""
        for name in SECTIONS:
            for line in self.section(name):
                yield name, line

    def __len__(self) -> int:
        return sum(len(self.section(name)) for name in SECTIONS)
