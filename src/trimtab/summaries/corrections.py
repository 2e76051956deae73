"""Requirements that the user has since replaced by others."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.history.log import History
from trimtab.history.message import Text, ToolResult
from trimtab.pins import Pin
from trimtab.summaries.cues import label_end
from trimtab.summaries.replaced import replaced


def without_corrected(history: History, pins: Sequence[Pin]) -> list[Pin]:
    """The required spans that still hold; marked ones hold whatever was said since.

    A span no longer holds if one of the user's statements that a later one of the user's replaces
    covers all of it (but for a label in front).
    """
    if not pins:
        return []
    gone: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for message, block, start, end in replaced(history):
        if history[message].role == "user":
            gone.setdefault((message, block), []).append((start, end))
    return [
        pin
        for pin in pins
        if pin.rule == "marked"
        or not any(
            start <= _begins(history, pin) and pin.end <= end
            for start, end in gone.get((pin.message, pin.block), ())
        )
    ]


def _begins(history: History, pin: Pin) -> int:
    block = history[pin.message].blocks[pin.block]
    if not isinstance(block, Text | ToolResult):
        return pin.start
    return pin.start + label_end(block.text[pin.start : pin.end])
