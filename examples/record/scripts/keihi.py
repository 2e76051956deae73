"""The expense session as a whole."""

from __future__ import annotations

from examples.record.scripts.keihi_check import check, twice
from examples.record.scripts.keihi_rules import rules, settle, tokyo
from examples.record.scripts.keihi_start import SYSTEM, amounts, look, rows
from examples.record.steps import Script

__all__ = ["SYSTEM", "session"]


def session() -> Script:
    """The September expenses, from the failing tests to the close."""
    yield from look()
    yield from amounts()
    yield from rows()
    yield from rules()
    yield from settle()
    yield from tokyo()
    yield from twice()
    yield from check()
