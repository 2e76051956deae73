"""What slimming gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slimmed:
    """A shorter form of a text.

    Attributes:
        text: the shorter form, with a line for each part that is missing.
        what: what the whole was, such as `pytest output`.
        dropped_lines: how many lines of the whole are missing.
    """

    text: str
    what: str
    dropped_lines: int
