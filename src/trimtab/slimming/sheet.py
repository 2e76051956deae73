"""A sheet: lines with a rank each, and the choice of whole lines that fits a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from trimtab.slimming.cutting import cut, note

Telling = Callable[[Sequence[int]], str]
"""Names the missing lines of a gap; empty: by their labels."""

SILENT = "-"
"""What a `Telling` says of a gap that an earlier one has told of."""

DROP = 9
"""The rank of what is not kept, however much room there is."""
_NOTE = 34  # about what a note takes
_TRIES = 12


class Sheet:
    """The lines of a text, from which a choice is made.

    Attributes:
        lines: the text's lines.
        ranks: for each, how early it is taken: 0 first, `DROP` never.
        labels: for each, what it is called where it is missing, in the plural.
        telling: names the missing lines of a gap in other words than their labels.
    """

    __slots__ = ("labels", "lines", "ranks", "telling")

    def __init__(self, lines: Sequence[str], rank: int = 5, label: str = "lines") -> None:
        self.lines = lines
        self.ranks = [rank] * len(lines)
        self.labels = [label] * len(lines)
        self.telling: Telling | None = None

    def mark(self, at: int, rank: int, label: str = "") -> None:
        """Give line `at` its rank, and what it is called where it is missing."""
        self.ranks[at] = rank
        if label:
            self.labels[at] = label

    def fitted(self, limit: int) -> tuple[str, int] | None:
        """The lines that fit `limit` characters, and how many are missing; `None` if no choice
        does."""
        shown = self._shown(limit)
        order = self._order()
        room = limit
        for _ in range(_TRIES):
            kept = self._chosen(shown, order, room)
            text, dropped = self._written(shown, kept)
            if len(text) <= limit:
                return text, dropped
            over = len(text) - limit
            room = max(min(room - over - 8, room * 9 // 10), room // 2)
        return None

    def _shown(self, limit: int) -> list[str]:
        """The lines as they are shown: over-long ones with their head and tail."""
        most = max(120, limit // max(1, min(len(self.lines), 5)) - _NOTE)
        return [line if len(line) <= most else cut(line, most) for line in self.lines]

    def _order(self) -> list[int]:
        """Rank by rank; within a rank two from the front for each from the back."""
        by_rank: dict[int, list[int]] = {}
        for at, rank in enumerate(self.ranks):
            if rank < DROP:
                by_rank.setdefault(rank, []).append(at)
        order: list[int] = []
        for rank in sorted(by_rank):
            places = by_rank[rank]
            first, last = 0, len(places)
            while first < last:
                order += places[first : min(first + 2, last)]
                first = min(first + 2, last)
                if first < last:
                    last -= 1
                    order.append(places[last])
        return order

    def _chosen(self, shown: list[str], order: list[int], room: int) -> bytearray:
        count = len(shown)
        kept = bytearray(count + 2)  # one more at either end, where no gap can be
        kept[0] = kept[-1] = 1
        used = _NOTE
        for at in order:
            beside = kept[at] + kept[at + 2]
            cost = len(shown[at]) + 1 + (1 - beside) * _NOTE
            if used + cost > room:
                if self.ranks[at] < 2 and cost > room // 8:
                    continue  # a long line does not keep the next ones out
                break
            kept[at + 1] = 1
            used += cost
        return kept[1:-1]

    def _written(self, shown: list[str], kept: bytearray) -> tuple[str, int]:
        out: list[str] = []
        dropped = 0
        at = 0
        count = len(shown)
        while at < count:
            if kept[at]:
                out.append(shown[at])
                at += 1
                continue
            stop = kept.find(1, at)
            stop = count if stop < 0 else stop
            told = self._told(range(at, stop))
            gap = note(told)
            if sum(map(len, self.lines[at:stop])) + stop - at - 1 <= len(gap):
                out += self.lines[at:stop]  # shorter than its note
            else:
                if told != SILENT:
                    out.append(gap)
                dropped += stop - at
            at = stop
        return "\n".join(out), dropped

    def _told(self, gap: Sequence[int]) -> str:
        told = self.telling(gap) if self.telling is not None else ""
        return told or counted(Counter(self.labels[at] for at in gap))


def counted(amounts: Counter[str], most: int = 4) -> str:
    """`214 passing tests, 3 lines`: the most frequent first."""
    ordered = sorted(amounts.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{count:,} {_one(label) if count == 1 else label}" for label, count in ordered[:most]]
    rest = sum(count for _, count in ordered[most:])
    if rest:
        told.append(f"{rest:,} more")
    return ", ".join(told)


def _one(label: str) -> str:
    head, of, rest = label.partition(" of ")
    if of:
        return f"{_one(head)} of {rest}"
    if label.endswith("ies"):
        return label[:-3] + "y"
    if label.endswith(("ches", "sses", "xes")):
        return label[:-2]
    return label.removesuffix("s")
