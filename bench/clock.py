"""Timing: what a run takes, and what is made of several runs.

Times are processor time of the whole process, all threads summed up: what else the machine does
meanwhile plays little part, and work spread over cores is not made to look cheaper.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import process_time


@contextmanager
def settled() -> Iterator[None]:
    """The collector runs as usual, but does not look again and again at what the benchmark itself
    holds: garbage is collected first, and all that is alive is set aside."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def seconds(run: Callable[[], object]) -> float:
    """The time of one run, `settled`."""
    with settled():
        start = process_time()
        run()
        return process_time() - start


def typical(runs: Sequence[float]) -> float:
    """The median: one slow run on a shared machine does not count."""
    return median(runs)
