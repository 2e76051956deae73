"""Which lines a summary keeps where there is no room for all: those worth most for their size."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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
    """

    section: str
    line: Line
    weight: int
    required: bool = False


def fitted(
    candidates: Sequence[Candidate], counter: Counter, limit: int
) -> tuple[Summary, list[int]]:
    """The summary of the candidates that fit, and the numbers of those that do not, ascending.

    Required ones first, whether they fit or not; then by weight for the size they take (the weight
    squared, so that many short trifles do not push out what matters), each that still fits. In a
    section they stand in the order given. What says nothing is left out always.

    Args:
        limit: the most that the whole text may take, headings and all, in the counter's unit.
    """
    kept = [number for number, made in enumerate(candidates) if made.required]
    chars = counter.unit == "chars"
    sizes = [
        len(made.line.text) + 1 if chars else counter.text(made.line.text + "\n")
        for made in candidates
    ]
    pad = 8 if chars else 2  # so that a stub of a sentence does not win by being short
    worth = [made.weight**2 / (size + pad) for made, size in zip(candidates, sizes, strict=True)]
    others = [
        number
        for number, made in enumerate(candidates)
        if not made.required and made.weight > BOILERPLATE
    ]
    others.sort(key=lambda number: (-worth[number], number))
    short = limit < TIGHT if chars else None
    room = limit - counter.text(render(Summary(), short=short)) - sum(sizes[n] for n in kept)
    smallest = min((sizes[number] for number in others), default=0)
    for number in others:
        if room < smallest:
            break
        if sizes[number] <= room:
            kept.append(number)
            room -= sizes[number]
    summary = _summary(candidates, kept)
    while kept and not candidates[kept[-1]].required:
        over = counter.text(render(summary)) - limit
        if over <= 0:
            break
        while over > 0 and kept and not candidates[kept[-1]].required:
            over -= sizes[kept.pop()]
        summary = _summary(candidates, kept)
    held = {*kept}
    return summary, [number for number in sorted(others) if number not in held]


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
