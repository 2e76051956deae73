"""`python -m bench.reopen ours|theirs FILE`: from a stored session to what is sent, in seconds."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from time import process_time

OURS, THEIRS = "ours", "theirs"


def ours(file: Path) -> float:
    """`Session.restore` and the context."""
    from bench.filled import ID
    from trimtab.session import Session
    from trimtab.tokens import counter_for

    counter_for("gpt-4o").text("load the vocabulary")
    start = process_time()
    with Session.restore(ID, store=file) as session:
        session.context()
        return process_time() - start


def theirs(file: Path) -> float:
    """A new `SQLiteSession` and all of its items."""
    from bench.agents_session import Peer

    import_module("agents")

    async def opened() -> float:
        start = process_time()
        peer = Peer(file)
        await peer.read()
        return process_time() - start

    return asyncio.run(opened())


if __name__ == "__main__":
    print({OURS: ours, THEIRS: theirs}[sys.argv[1]](Path(sys.argv[2])))
