"""Stored sessions of a given length, ours and theirs, which the sections on the store share.

They are filled as a loop fills them: items are appended, and when it is the model's turn the
context is asked for, so that what does not fit has left and been indexed. Only here several rounds
are appended at a time, in one transaction, for both.
"""

from __future__ import annotations

import asyncio
import atexit
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.agents_session import Peer, available
from bench.histories import SYSTEM, responses_items
from bench.japanese import with_japanese
from trimtab.session import Session
from trimtab.store.open import open_store
from trimtab.store.protocol import Store

SIZES = (1_000, 10_000, 100_000)
QUICK = (60, 120, 240)
STEPS = 400
"""Further items, for the figures of one turn."""
AT_ONCE = 50
ID = "bench"
MODEL = "gpt-4o"


@dataclass(frozen=True, slots=True)
class Filled:
    """Both sessions with the same items in them, and the items that come next."""

    size: int
    folder: Path
    ours: Session
    store: Store
    theirs: Peer | None
    following: list[dict[str, Any]]

    @property
    def our_file(self) -> Path:
        """The file of our store."""
        return self.folder / "trimtab.db"

    @property
    def their_file(self) -> Path:
        """The file of their session."""
        return self.folder / "agents.db"


def sizes(quick: bool) -> tuple[int, ...]:
    """The lengths that are measured."""
    return QUICK if quick else SIZES


def budget(quick: bool) -> int:
    """What a context may take, in tokens."""
    return 5_000 if quick else 100_000


@cache
def filled(size: int, quick: bool) -> Filled:
    """Sessions of `size` items, on the disk that holds this machine's temporary files."""
    steps = STEPS // 10 if quick else STEPS
    items = responses_items(size + steps, seed=11)
    with_japanese(items, seed=12)
    place = tempfile.TemporaryDirectory(prefix="trimtab-bench-")
    atexit.register(place.cleanup)
    folder = Path(place.name)
    store = open_store(folder / "trimtab.db")
    atexit.register(store.close)
    ours = Session(
        model=MODEL, dialect="responses", budget=budget(quick), store=store, system=SYSTEM, id=ID
    )
    theirs = Peer(folder / "agents.db") if available() else None
    if theirs is not None:
        atexit.register(theirs.close)
    made = Filled(size, folder, ours, store, theirs, items[size:])
    asyncio.run(_fill(made, items[:size]))
    return made


async def _fill(made: Filled, items: list[dict[str, Any]]) -> None:
    for start in range(0, len(items), AT_ONCE):
        batch = items[start : start + AT_ONCE]
        made.ours.append(batch)
        if models_turn(batch[-1]):
            made.ours.context()
        if made.theirs is not None:
            await made.theirs.add(batch)


def models_turn(item: dict[str, Any]) -> bool:
    """After this item the model is called: it is no call, and not the model's own words."""
    return item["type"] == "function_call_output" or item.get("role") == "user"
