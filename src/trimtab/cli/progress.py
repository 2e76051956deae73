"""Progress of long work, on standard error, where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Step = TypeVar("Step")

PATIENCE = 1.0
"""Seconds before anything is shown."""


def progress(steps: Sequence[Step], name: Callable[[Step], str]) -> Iterator[Step]:
    """The steps, one after the other; a bar appears if they take long, and goes when they end.

    Args:
        name: what a step is called while it is worked on.
    """
    if not sys.stderr.isatty() or len(steps) < 2:
        yield from steps
        return
    from time import monotonic

    started = monotonic()
    done = 0
    while done < len(steps) and monotonic() - started < PATIENCE:
        yield steps[done]
        done += 1
    if done == len(steps):
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from trimtab.report.plain import one_line

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=len(steps), completed=done)
        for step in steps[done:]:
            shown.update(task, description=one_line(name(step), 60))
            yield step
            shown.advance(task)
