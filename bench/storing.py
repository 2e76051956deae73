"""A stored session, turn by turn, beside `SQLiteSession` of `openai-agents`.

Both have the same items on the same disk, in one process, and take each further item in turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from io import BufferedWriter
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time
from typing import Any

from bench.agents_session import available
from bench.clock import settled, typical
from bench.filled import QUICK, Filled, budget, filled, models_turn, sizes
from bench.reopen import OURS, THEIRS
from bench.shape import Aim, Section, at_most, rounded

ROOT = Path(__file__).resolve().parent.parent
GROWTH = 2.5
"""How much more a turn of the longest session may cost than one of a ten times shorter one."""
READS = 11


@dataclass(slots=True)
class Times:
    """Runs of one thing: milliseconds on the clock, and of processor time."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def take(self, run: Callable[[], object]) -> None:
        """Time one run."""
        clock, processor = perf_counter(), process_time()
        run()
        self._add(clock, processor)

    async def wait_for(self, run: Callable[[], Awaitable[object]]) -> None:
        """Time one run of a coroutine, in a loop that is running."""
        clock, processor = perf_counter(), process_time()
        await run()
        self._add(clock, processor)

    def _add(self, clock: float, processor: float) -> None:
        self.clock.append((perf_counter() - clock) * 1e3)
        self.processor.append((process_time() - processor) * 1e3)


@dataclass(slots=True)
class Turns:
    """What was measured in a session of one length."""

    append: Times = field(default_factory=Times)
    add: Times = field(default_factory=Times)
    context: Times = field(default_factory=Times)
    whole: Times = field(default_factory=Times)
    limited: Times = field(default_factory=Times)
    sync: Times = field(default_factory=Times)
    sent: int = 0


async def turns(all_made: Sequence[Filled]) -> dict[int, Turns]:
    """Each further item is appended to both, and the context taken where the model is called.

    The sessions of all lengths take turns, so that the disk's moods are the same for all.
    """
    measured = {made.size: Turns() for made in all_made}
    with settled(), (all_made[0].folder / "sync").open("wb") as file:
        for at in range(len(all_made[0].following)):
            for made in all_made:
                await _turn(made, made.following[at], measured[made.size], file)
        for made in all_made:
            await _reads(made, measured[made.size])
    return measured


async def _turn(made: Filled, item: dict[str, Any], found: Turns, file: BufferedWriter) -> None:
    found.sync.take(partial(_sync, file))
    found.append.take(partial(made.ours.append, item))
    if models_turn(item):
        found.context.take(made.ours.context)
    if made.theirs is not None:
        await found.add.wait_for(partial(made.theirs.add, [item]))


async def _reads(made: Filled, found: Turns) -> None:
    found.sent = len(made.ours.view)
    if made.theirs is not None:
        for _ in range(READS):
            await found.whole.wait_for(made.theirs.read)
            await found.limited.wait_for(partial(made.theirs.read, found.sent))


def measure(quick: bool = False) -> Section:
    """Appending, reading, opening again and room on disk, at three lengths."""
    all_made = [filled(size, quick) for size in sizes(quick)]
    measured = asyncio.run(turns(all_made))
    said = ""
    if all_made[0].theirs is not None:
        said = (
            f"`SQLiteSession` as it is: {all_made[0].theirs.durability()}, one transaction an "
            "`add_items`; it counts nothing and hands out what was put in, all of it or the newest."
        )
    if not available():
        said = "`openai-agents` was not installed."
    last = all_made[0].following
    synced = [time for found in measured.values() for time in found.sync.clock]
    return Section(
        title="A stored session",
        about=(
            "A tool loop of that many Responses items (calls, results, what the user and the model "
            "say; a quarter of the texts Japanese), then "
            f"{len(last)} more, one at a time, into both in turn. trimtab: journal_mode=wal, "
            "synchronous=FULL, one transaction an append, durable when it returns; policy `auto` "
            f"at {budget(quick):,} tokens, counted exactly; what left is kept as blocks and "
            f"indexed. {said} Times are processor time where they are not said to be on the clock "
            f"(where one fsync behind 4 KB, taken in turn with them, is {rounded(typical(synced))} "
            "ms). The *limit* is the number of messages in trimtab's context. *Opened again*: in a "
            "new process, up to what is sent. *times*: theirs by ours."
        ),
        rows=[row for made in all_made for row in _rows(made, measured[made.size])],
        units={},
        aims=_aims(measured),
    )


def _rows(made: Filled, found: Turns) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    append, add, context = found.append, found.add, found.context

    def row(what: str, ours: float, theirs: float | None = None, unit: str = "ms") -> None:
        figures: dict[str, Any] = {"trimtab": rounded(ours)}
        if theirs is not None:
            figures |= {"SQLiteSession": rounded(theirs), "times": rounded(theirs / ours)}
        rows.append({"messages": made.size, "what": what, **figures, "unit": unit})

    row("append one, on the clock", typical(append.clock), _typical(add.clock))
    row("append one, processor time", typical(append.processor), _typical(add.processor))
    usual = typical(context.processor)
    row("context(); get_items()", usual, _typical(found.whole.processor))
    limit = f"limit={found.sent:,}"
    row(f"context(); get_items({limit})", usual, _typical(found.limited.processor))
    row("context(), mean with its edits", mean(context.processor))
    row("context(), longest, on the clock", max(context.clock))
    if made.size not in QUICK[1:]:
        ours = reopened(OURS, made.our_file)
        theirs = None if made.theirs is None else reopened(THEIRS, made.their_file)
        row("opened again, and read", ours, theirs, "s")
    their_size = None if made.theirs is None else _megabytes(made.their_file)
    row("on disk", _megabytes(made.our_file), their_size, "MB")
    return rows


def _typical(times: list[float]) -> float | None:
    return typical(times) if times else None


def _aims(measured: dict[int, Turns]) -> list[Aim]:
    """Nothing is linear in the history: a turn of the longest costs as one of a shorter."""
    _, short, long = measured
    append = {size: typical(measured[size].append.processor) for size in (short, long)}
    context = {size: typical(measured[size].context.processor) for size in (short, long)}
    where = f"at {long:,} messages against {short:,}"
    return [
        at_most(f"stored session, {what} {where}", figure[long] / figure[short], GROWTH, "times")
        for what, figure in (("append", append), ("context", context))
    ]


def reopened(whose: str, file: Path) -> float:
    """Seconds of processor time that a new process takes from the file to what is sent."""
    command = [sys.executable, "-m", "bench.reopen", whose, str(file)]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(json.loads(ran.stdout))


def _megabytes(file: Path) -> float:
    """The pages of a database, those that still stand in its log too."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages * page) / 1e6


def _sync(file: BufferedWriter) -> None:
    """What every durable write waits for, alone: 4 KB, down to the disk."""
    file.write(b"x" * 4096)
    file.flush()
    os.fsync(file.fileno())
