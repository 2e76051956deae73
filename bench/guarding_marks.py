"""How a scenario of the guard's benchmark is written down, and how its marks are read.

`[[kind|text]]` marks a value of a statement; the generator changes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MARK = re.compile(r"\[\[(?P<kind>\w+)\|(?P<text>[^\]]+)\]\]")


@dataclass(frozen=True)
class Scenario:
    """Sources, what is required of them, and statements about them.

    Attributes:
        sources: what happened; the first is the user's task.
        required: pieces of the sources that a summary must hold.
        rules: each required piece in other words, with wordings that turn it round.
        facts: true statements, with their values marked.
        units: a value and the same number with another unit.
        dates: a date and another date.
        inventions: kind and a statement with a value that stands in no source.
        honest: summaries in other words that invent nothing and hold all that is required.
    """

    name: str
    sources: tuple[str, ...]
    required: tuple[str, ...]
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    facts: tuple[str, ...]
    units: tuple[tuple[str, str], ...]
    dates: tuple[tuple[str, str], ...]
    inventions: tuple[tuple[str, str], ...]
    honest: tuple[str, ...]


def shown(statement: str) -> str:
    """A statement without its marks."""
    return MARK.sub(lambda mark: mark["text"], statement)
