"""A call in a thread of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextvars import ContextVar

import pytest

from trimtab.summaries.apart import Apart


def test_what_it_returns_and_raises() -> None:
    assert Apart(lambda: 7).result() == 7
    failed: Apart[int] = Apart(lambda: int("x"))
    assert isinstance(failed.error(), ValueError)
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_the_wish_to_end_is_not_lost(end: type[BaseException]) -> None:
    def call() -> None:
        raise end

    assert isinstance(Apart(call).error(), end)


def test_it_goes_on_after_one_stops_waiting() -> None:
    gate = threading.Event()
    apart = Apart(gate.wait)
    with pytest.raises(TimeoutError):
        apart.error(0.01)
    assert not apart.done()
    gate.set()
    assert apart.result() is True
    assert apart.done()


def test_it_sees_the_context_of_its_caller() -> None:
    name: ContextVar[str] = ContextVar("name")
    name.set("caller")
    assert Apart(name.get).result() == "caller"


def test_no_exit_waits_for_it() -> None:
    program = (
        "import threading\n"
        "from trimtab.summaries.apart import Apart\n"
        "Apart(threading.Event().wait)\n"
        "print('out')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "out\n"
    assert done.stderr == ""
