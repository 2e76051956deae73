"""Progress of long work: seen where somebody watches, and in nobody's way elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from trimtab.cli import progress as module
from trimtab.cli.progress import progress


class Watched(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


STEPS = list(range(5))


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0)
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert list(progress(STEPS, str)) == STEPS
    assert stderr.getvalue() == ""


@pytest.mark.parametrize("patience", [0, 60])
def test_somebody_watches(monkeypatch: pytest.MonkeyPatch, patience: float) -> None:
    monkeypatch.setattr(module, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    stderr = Watched()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert list(progress(STEPS, lambda step: f"[step] {step}")) == STEPS
    shown = stderr.getvalue()
    assert bool(shown) == (patience == 0)
    if shown:
        assert "5/5" in shown
        assert "[step] 4" in shown
    assert list(progress([1], str)) == [1]
    assert list(progress([], str)) == []
