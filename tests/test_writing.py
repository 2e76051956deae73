"""`trimtab.write`: what was read is written as it was, from the history and from its context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trimtab

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "sessions"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.name)
def test_a_history_is_written_as_it_was_read(path: Path) -> None:
    history = trimtab.read(path).history
    recorded = json.loads(path.read_text("utf-8"))
    assert trimtab.write(history).value == recorded
    assert trimtab.write(trimtab.project(history, [])).value == recorded


def test_a_history_is_converted_as_its_context_is() -> None:
    history = trimtab.read(EXAMPLES / "ledger-fix.anthropic.json").history
    for to in ("openai", "responses", "neutral"):
        assert trimtab.write(history, to) == trimtab.write(trimtab.project(history, []), to)
