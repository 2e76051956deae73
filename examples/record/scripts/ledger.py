"""The ledger session as a whole."""

from __future__ import annotations

from examples.record.scripts.ledger_bank import bank, matching
from examples.record.scripts.ledger_close import documents, review, speed
from examples.record.scripts.ledger_dunning import dunning
from examples.record.scripts.ledger_money import money, tax
from examples.record.scripts.ledger_parts import ageing, dates, invoices, store
from examples.record.scripts.ledger_reconcile import reconcile
from examples.record.scripts.ledger_start import SYSTEM, start
from examples.record.scripts.ledger_statement import quarantine, statement
from examples.record.steps import Script

__all__ = ["SYSTEM", "session"]


def session() -> Script:
    """The March close, from the failing tests to the balanced books."""
    yield from start()
    yield from money()
    yield from tax()
    yield from invoices()
    yield from dates()
    yield from store()
    yield from ageing()
    yield from bank()
    yield from matching()
    yield from reconcile()
    yield from quarantine()
    yield from statement()
    yield from dunning()
    yield from speed()
    yield from documents()
    yield from review()
