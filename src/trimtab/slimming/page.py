"""A text made ready for the detectors: escapes gone, overwritten states gone, noise marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from trimtab.slimming.progress import progressing
from trimtab.slimming.sheet import DROP, Sheet
from trimtab.slimming.slimmed import Slimmed

_ESCAPE = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    "|\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)"  # titles and links
    "|\x1b[PX^_][^\x1b\n]*\x1b\\\\"
    "|\x1b[ -/]*[0-~]"
    "|\x1b|\x9b[0-?]*[ -/]*[@-~]"
)
_NUMBERED = re.compile(r"\s{0,8}\d{1,7}(?:\t|→|│|:\t?|\| ?)")

_SAMPLE = 3_000
_MOST = 60_000
"""More lines than this are not read one by one: those in the middle leave unseen."""


def plain(text: str) -> str:
    """`text` without terminal escapes and overstrikes, and with plain line ends."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\b" in text:
        text = re.sub(r"[^\n\x08]\x08", "", text)
    return text


@dataclass(frozen=True)
class Page:
    """What a detector looks at.

    Attributes:
        source: the text as it was given.
        text: the same without escapes, with plain line ends.
        limit: the most characters to keep.
        tool, command: hints, empty where unknown.
        fields: dotted paths that are wanted of a JSON value.
    """

    source: str
    text: str
    limit: int
    tool: str = ""
    command: str = ""
    fields: Sequence[str] = field(default=())

    @cached_property
    def _read(self) -> tuple[list[str], dict[int, str]]:
        """The lines, and of those that say nothing what they are called."""
        lines: list[str] = []
        noise: dict[int, str] = {}
        for line in self.text.split("\n"):
            if "\r" in line:  # a terminal shows the last state of such a line
                states = [state for state in line.split("\r") if state.strip()]
                for state in states[:-1]:
                    noise[len(lines)] = "progress updates"
                    lines.append(state)
                line = states[-1] if states else ""
            lines.append(line)
        previous = ""
        unseen = range(_MOST * 3 // 4, len(lines) - _MOST // 4)
        noise.update((at, "lines in the middle") for at in unseen)
        for at, line in enumerate(lines):
            if at in noise:
                continue
            if line == previous and line.strip():
                noise[at] = "more of the line above"
            elif progressing(line):
                noise[at] = "progress lines"
            previous = line
        return lines, noise

    @property
    def lines(self) -> list[str]:
        """The lines; overwritten states of a line are lines of their own, marked as noise."""
        return self._read[0]

    @property
    def noise(self) -> dict[int, str]:
        """Of the lines that say nothing: what they are called."""
        return self._read[1]

    @cached_property
    def sample(self) -> list[str]:
        """Up to some 3,000 lines by which a kind is recognised: the first, the last, and some
        between."""
        lines, third = self.lines, _SAMPLE // 3
        if len(lines) <= _SAMPLE:
            return lines
        between = range(third, len(lines) - third, max(1, (len(lines) - 2 * third) // third))
        return [*lines[:third], *(lines[at] for at in between), *lines[-third:]]

    @cached_property
    def bare(self) -> list[str]:
        """The lines without the line numbers that a file viewer put in front."""
        if not self.numbered:
            return self.lines
        return [_NUMBERED.sub("", line, count=1) for line in self.lines]

    @cached_property
    def numbered(self) -> bool:
        """A file viewer put a line number in front of nearly every line."""
        sample = self.lines[:200]
        hits = sum(1 for line in sample if _NUMBERED.match(line))
        if hits < 3 or hits < 0.8 * len(sample):
            return False
        numbers = [int(m.group()) for line in sample if (m := re.match(r"\s*\d+", line[:20]))]
        steps = sum(1 for a, b in pairwise(numbers) if b == a + 1)
        return steps >= 0.8 * (len(numbers) - 1)

    def sheet(self, rank: int = 5, label: str = "lines") -> Sheet:
        """A sheet of the lines, the noise marked as such."""
        sheet = Sheet(self.lines, rank, label)
        for at, called in self.noise.items():
            sheet.mark(at, DROP, called)
        return sheet

    def fit(self, sheet: Sheet, what: str) -> Slimmed | None:
        """The form that a sheet gives."""
        made = sheet.fitted(self.limit)
        return None if made is None else Slimmed(made[0], what, made[1])
