"""Writers that are killed, that write against each other, that open together, that fork."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores import Backend, backend, backend_of

__all__ = ["backend"]  # a fixture

ROOT = Path(__file__).resolve().parent.parent


def run(what: str, number: int, *urls: str) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.store_processes", what, str(number), *urls]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize(("kind", "stores", "runs"), [("sqlite", 10, 21), ("postgres", 8, 26)])
def test_what_was_acknowledged_outlives_a_kill(
    kind: str, stores: int, runs: int, tmp_path: Path
) -> None:
    urls = [backend_of(kind, tmp_path / str(number)).url for number in range(stores)]
    seen = run("kill", runs, *urls)
    assert seen["runs"] == stores * runs
    # The kills hit writers at work: else this would show nothing.
    assert seen["appended"] > seen["runs"]
    assert seen["killed before anything was written"] > 0


def test_two_processes_on_one_session(backend: Backend) -> None:
    seen = run("race", 60, backend.url)
    assert seen["events"] == 120
    assert seen["conflicts"] > 0, "they did not meet"


def test_many_processes_open_a_new_store_together(backend: Backend) -> None:
    assert run("open", 6, backend.url) == {"sessions": 6, "blocks": 7}


def test_a_store_is_carried_across_a_fork(backend: Backend) -> None:
    assert run("fork", 0, backend.url) == {"parent": 21, "child": 20}
