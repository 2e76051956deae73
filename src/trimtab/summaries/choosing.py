"""Which lines a summary keeps where there is no room for all: those worth most for their size."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from trimtab.summaries.cues import BOILERPLATE
from trimtab.summaries.template import SECTIONS, TIGHT, Line, Summary, render, summary_of
from trimtab.tokens import Counter


@dataclass(slots=True)
class Candidate:
    """A line that a summary may keep.

    Attributes:
        section: where it would stand.
        line: it.
        weight: how much later work needs it; see `cues.py`.
        required: it stays, whatever the limit.
        names: what it names that later work may need; see `needs.py`.
        share: for its age, 0..1.
        by_names: it is worth more for names that no other line has, and less without any.
        sentence: lines of the same sentence, where it has several, come together.
        bare: it is nothing but its names, and stands only where no other line has them.
    """

    section: str
    line: Line
    weight: int
    required: bool = False
    names: frozenset[str] = frozenset()
    share: float = 1.0
    by_names: bool = False
    sentence: Hashable = None
    bare: bool = False


PLAIN = 0.5
"""The share of its worth that a line has without any name."""
MOST = 2.5
"""Names add no more to a line than this share of its worth."""


def fitted(
    candidates: Sequence[Candidate],
    counter: Counter,
    limit: int,
    needs: Mapping[str, float] | None = None,
) -> tuple[Summary, list[int]]:
    """The summary of the candidates that fit, and the numbers of those that do not, ascending.

    Required ones first, whether they fit or not; then by weight for the size they take (the weight
    squared, so that many short trifles do not push out what matters), each that still fits. In a
    section they stand in the order given. What says nothing is left out always.

    Args:
        limit: the most that the whole text may take, headings and all, in the counter's unit.
        needs: how likely a name is needed. A name that a line has which is taken counts for no
            other line.
    """
    chars = counter.unit == "chars"
    exact: dict[int, int] = {}

    def size(number: int) -> int:
        if number not in exact:
            text = candidates[number].line.text
            exact[number] = len(text) + 1 if chars else counter.text(text + "\n")
        return exact[number]

    kept = [number for number, made in enumerate(candidates) if made.required]
    short = limit < TIGHT if chars else None
    room = limit - counter.text(render(Summary(), short=short)) - sum(map(size, kept))
    covered = {name for number in kept for name in candidates[number].names}
    for unit in _best_first(candidates, chars, needs or {}, covered):
        if room < (2 if chars else 3):
            break
        taken = sum(map(size, unit)) if _least(candidates, unit, chars) <= room else room + 1
        if taken <= room:
            kept += unit
            room -= taken
            covered.update(name for number in unit for name in candidates[number].names)
    kept = _without_named(candidates, kept)
    summary = _summary(candidates, kept)
    while kept and not candidates[kept[-1]].required:
        over = counter.text(render(summary)) - limit
        if over <= 0:
            break
        while over > 0 and kept and not candidates[kept[-1]].required:
            over -= size(kept.pop())
        summary = _summary(candidates, kept)
    held = {*kept}
    return summary, [
        number
        for number, made in enumerate(candidates)
        if number not in held and made.weight > BOILERPLATE
    ]


def _without_named(candidates: Sequence[Candidate], kept: Sequence[int]) -> list[int]:
    """Without bare names that a sentence has which was taken after them."""
    told = {name for n in kept if not candidates[n].bare for name in candidates[n].names}
    return [n for n in kept if not (candidates[n].bare and candidates[n].names <= told)]


def _best_first(
    candidates: Sequence[Candidate], chars: bool, needs: Mapping[str, float], covered: set[str]
) -> Iterator[list[int]]:
    """Lines that may stand, those of one sentence together, best first.

    What a line is worth only falls as names are covered, so that the best one is known as soon as
    it has been reckoned anew: few are, each time.
    """
    units: dict[Hashable, list[int]] = {}
    for number, made in enumerate(candidates):
        if not made.required and made.weight > BOILERPLATE:
            key = (number,) if made.sentence is None else (made.sentence,)
            units.setdefault(key, []).append(number)
    heap: list[tuple[float, int, list[int]]] = []

    def worth(unit: list[int]) -> float:
        made = candidates[unit[0]]
        # a pad, so that a stub of a sentence does not win by being short
        size = sum(_about(candidates[number].line.text, chars) for number in unit)
        base = made.weight**2 * made.share / (size + (8 if chars else 2))
        if not made.by_names:
            return base
        new = {name for number in unit for name in candidates[number].names} - covered
        return base * (PLAIN + min(sum(needs.get(name, 0.0) for name in new), MOST))

    for unit in units.values():
        heap.append((-worth(unit), unit[0], unit))
    heapify(heap)
    while heap:
        before, first, unit = heappop(heap)
        if candidates[first].bare and candidates[first].names <= covered:
            continue
        now = -worth(unit) if candidates[first].by_names else before
        if now > before and heap and now > heap[0][0]:
            heappush(heap, (now, first, unit))
        else:
            yield unit


def _about(text: str, chars: bool) -> float:
    """What a line takes, near enough for a comparison."""
    if chars:
        return len(text) + 1
    return (len(text) if text.isascii() else len(text.encode("utf-8", "replace"))) / 4 + 1


def _least(candidates: Sequence[Candidate], unit: Sequence[int], chars: bool) -> float:
    """What the lines take at the least, without counting."""
    length = sum(len(candidates[number].line.text) + 1 for number in unit)
    return length if chars else length / 12


def _summary(candidates: Sequence[Candidate], kept: Sequence[int]) -> Summary:
    sections: dict[str, list[Line]] = {name: [] for name in SECTIONS}
    for number in sorted(kept):
        sections[candidates[number].section].append(candidates[number].line)
    return summary_of(sections)


_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def alike(text: str) -> str:
    """The same for texts that differ in case, form, spaces and marks at the ends alone."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _EDGES.sub("", " ".join(plain.casefold().split())) or text
