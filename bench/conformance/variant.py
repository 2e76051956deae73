"""The variant: five rounds over sessions of our own, with the measures of the public suite.

Each round sees the text that the round before put out, and what was said since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.conformance.adapter import compacted, read, written
from bench.conformance.sessions import Session, session
from trimtab.history.log import History
from trimtab.history.message import Message

Compaction = Callable[[Sequence[Message], str, int], str]
"""The messages that are new, the text so far (empty at first) and the budget in characters -> the
text that follows."""


@dataclass(slots=True)
class Figures:
    """What came of a compactor at one budget, over all sessions."""

    items: int = 0
    survived: int = 0
    changed: int = 0
    resolved: int = 0
    stale: int = 0
    pairs: int = 0
    held: int = 0
    within: bool = True
    characters: int = 0
    of: int = 0

    @property
    def survival(self) -> float:
        """The share of the items that are known at the end."""
        return self.survived / max(self.items, 1)

    @property
    def resolution(self) -> float:
        """The share of the changed items of which the newer value alone is held."""
        return self.resolved / max(self.changed, 1)

    @property
    def distinct(self) -> float:
        """The share of the pairs that look alike of which both are known."""
        return self.held / max(self.pairs, 1)


def trimtab(new: Sequence[Message], text: str, budget: int) -> str:
    """One round of trimtab's `compact`."""
    so_far = list(read([_AsTurn("system", text)])) if text else []
    return compacted(History([*so_far, *new]), budget)[0]


@dataclass(frozen=True, slots=True)
class _AsTurn:
    role: str
    text: str


def measured(compaction: Compaction, seeds: Sequence[int], share: float) -> Figures:
    """All rounds over the sessions of `seeds`.

    Args:
        share: the budget as a share of the first text of each session.
    """
    figures = Figures()
    for seed in seeds:
        made = session(seed)
        whole = len(written(made.first))
        budget = int(whole * share)
        text = ""
        for new in (made.first, *made.later):
            text = compaction(new, text, budget)
            figures.within = figures.within and len(text) <= budget
        _judge(figures, made, text.lower())
        figures.characters += len(text)
        figures.of += whole
    return figures


def missing(made: Session, text: str) -> list[str]:
    """What is lost or stale in a text, one line each: for people who look into a run."""
    low = text.lower()
    rows = [f"lost: {item.text}" for item in made.items if not _known(item.needs, low)]
    rows += [f"stale: {i.before}" for i in made.items if any(word in low for word in i.stale)]
    return rows


def _known(needs: Sequence[str], text: str) -> bool:
    return all(word in text for word in needs)


def _judge(figures: Figures, made: Session, text: str) -> None:
    known = {item.key: _known(item.needs, text) for item in made.items}
    figures.items += len(known)
    figures.survived += sum(known.values())
    for item in made.items:
        if item.stale:
            stale = any(word in text for word in item.stale)
            figures.changed += 1
            figures.stale += stale
            figures.resolved += known[item.key] and not stale
        if item.twin:
            figures.pairs += 1
            figures.held += known[item.key] and known[item.twin]
