"""Requirements that the user has since replaced by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import Text
from trimtab.pins import Pin, says_something, sentences


@dataclass(slots=True)
class _Said:
    """What the user said, sentence by sentence; grows with its history."""

    read: int = 0
    places: list[tuple[int, int, int, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def refresh(self, history: History) -> None:
        for number in range(self.read, len(history)):
            message = history[number]
            if not says_something(message):
                continue
            for at, block in enumerate(message.blocks):
                if isinstance(block, Text):
                    for start, end in sentences(block.text):
                        self.places.append((number, at, start, end))
                        self.texts.append(block.text[start:end])
        self.read = len(history)


def corrected(history: History) -> dict[tuple[int, int, int, int], tuple[int, int, int, int]]:
    """The user's sentences that a later one of the user's replaces: place -> place of the later.

    A place is message, block, and the span of the block's text. Only the user replaces what the
    user said.
    """
    from trimtab.summaries.subjects import superseded

    said = history.derived("said", _Said)
    said.refresh(history)
    found = superseded(said.texts)
    return {said.places[earlier]: said.places[later] for earlier, later in found.items()}


def without_corrected(history: History, pins: Sequence[Pin]) -> list[Pin]:
    """The required spans that still hold; marked ones hold whatever was said since."""
    if not pins:
        return []
    gone: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for message, block, start, end in corrected(history):
        gone.setdefault((message, block), []).append((start, end))
    return [
        pin
        for pin in pins
        if pin.rule == "marked"
        or not any(
            start <= pin.start and pin.end <= end
            for start, end in gone.get((pin.message, pin.block), ())
        )
    ]
