"""The scenarios of the guard's benchmark, and how their marks are read.

`[[kind|text]]` marks a value of a statement; the generator changes it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

SCENARIOS = Path(__file__).with_name("guarding_scenarios.jsonl")
CONSTRAINTS = Path(__file__).with_name("guarding_constraints.jsonl")
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


def scenarios(half: str) -> list[Scenario]:
    """The scenarios of `develop` or `held-out`."""
    found = []
    for line in SCENARIOS.read_text("utf-8").splitlines():
        read = json.loads(line)
        if read["half"] == half:
            found.append(Scenario(**{f.name: _frozen(read[f.name]) for f in fields(Scenario)}))
    return found


def constraints(half: str) -> list[dict[str, Any]]:
    """Constraints, each with honest other wordings and with wordings that turn it round."""
    read = map(json.loads, CONSTRAINTS.read_text("utf-8").splitlines())
    return [line for line in read if line["half"] == half]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
