"""The pins section: precision and recall of the rules, from `bench.pins`."""

from __future__ import annotations

from bench.pins import measure as measure_pins
from bench.shape import Section


def measure(quick: bool = False) -> Section:
    """One row a split and language; quick or not, the whole set."""
    found = measure_pins()
    return Section(
        title="What is required: precision and recall of the rules",
        about=(
            "The labelled set `pins_labelled.jsonl`; `pins.py` says how it came about and what its "
            "splits are. The rules were not tuned on `held-out`: that figure is to be believed. A "
            "unit is a text, or a part of a message; traps only look like a requirement."
        ),
        rows=[{"split": name, **rates} for name, rates in found["splits"].items()],
        units={"precision": "share", "recall": "share"},
        aims=[],
    )
