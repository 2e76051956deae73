"""Processes that write to a store and are killed; run apart from pytest, which has threads.

    python -m tests.store_processes kill|race|open|fork NUMBER URL…

Each prints what it saw as one JSON line, or fails with a traceback.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

from trimtab.context.blocks import block_id
from trimtab.errors import SessionConflict, SessionNotFound
from trimtab.store.open import open_store
from trimtab.store.protocol import Indexed, Store
from trimtab.store.sql_store import SqlStore

SESSION = "one"
SPAN = 0.03  # seconds; a child is killed within


def forked(work: Callable[[], None]) -> int:
    """Run `work` in a process of its own."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def joined(children: list[int]) -> None:
    """Wait for processes, all of which must end well."""
    for child in children:
        _, status = os.waitpid(child, 0)
        assert status == 0, f"a child ended with {status}"


# -- killed at random points ----------------------------------------------------------------------


def batch(seq: int) -> tuple[list[tuple[str, bytes]], list[bytes], list[Indexed]]:
    """What is appended at `seq`: the same each time. One to three events, blocks, a text."""
    rng = random.Random(seq)
    events = [
        ("message", b"%d:" % (seq + n) + rng.randbytes(rng.randrange(9_000)))
        for n in range(1 + seq % 3)
    ]
    blocks = [b"block %d " % seq * rng.randrange(1, 900)] if seq % 2 else []
    return events, blocks, [Indexed(SESSION, seq, 0, "", f"ankerwort marke{seq} 予算{seq}")]


def append_for_ever(url: str, acknowledge: int) -> None:
    store = open_store(url, wait=30)
    try:
        seq = store.session(SESSION).events
    except SessionNotFound:
        store.create_session(SESSION, dialect="neutral", model=None)
        seq = 0
        os.write(acknowledge, b"0 ")
    while True:
        events, blocks, texts = batch(seq)
        store.append(SESSION, seq, events, blocks=blocks, texts=texts)
        seq += len(events)
        os.write(acknowledge, b"%d " % seq)


def verified(store: Store, known: int, acknowledged: int) -> int:
    """How many events there are, all whole, each append whole, none doubled, none missing."""
    try:
        events = list(store.events(SESSION))
    except SessionNotFound:
        assert acknowledged < 0, "the session was acknowledged and is not there"
        return -1
    assert len(events) >= max(known, acknowledged), "an acknowledged append is lost"
    at = appends = 0
    while at < len(events):
        wanted, blocks, _ = batch(at)
        got = [(event.kind, event.body) for event in events[at : at + len(wanted)]]
        assert got == wanted, f"half an append at {at}, or other bytes"
        for data in blocks:
            assert store.get_block(block_id(data)) == data
        at += len(wanted)
        appends += 1
        last = f"marke{at - len(wanted)}"
    assert [event.seq for event in events] == list(range(len(events)))
    assert store.session(SESSION).events == len(events)
    assert store.stats()["texts"] == appends
    if appends:
        assert len(store.search(last)) == 1
    assert store.check() == []
    return len(events)


def quiet(store: Store) -> None:
    """Wait until the server has noticed that its client is gone."""
    assert isinstance(store, SqlStore)
    if not store.database.where.startswith("postgresql"):
        return
    for _ in range(1000):
        with store.database.read() as tx:
            others = tx.rows(
                "SELECT 1 FROM pg_stat_activity"
                " WHERE application_name = 'trimtab' AND pid <> pg_backend_pid()"
            )
        if not others:
            return
        time.sleep(0.005)
    raise AssertionError("the server still serves a client that was killed")


def kill(url: str, runs: int, seed: int) -> Iterator[tuple[str, int]]:
    """Kill a writer `runs` times on one store; counts of what was seen.

    Every other time the clock starts with the writer, so that the kill may hit the opening; else
    with its first acknowledgement, so that it hits a writer at work on a slow machine too.
    """
    rng = random.Random(seed)
    known = -1
    for number in range(runs):
        reading, writing = os.pipe()
        child = forked(lambda fd=writing: append_for_ever(url, fd))  # type: ignore[misc]
        os.close(writing)
        if number % 2:
            select.select([reading], [], [], 30)
        time.sleep(rng.uniform(0, SPAN))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert status == signal.SIGKILL, "the writer failed by itself"
        acknowledged = known
        with open(reading, "rb") as pipe:
            for word in pipe.read().split():
                acknowledged = int(word)
        with open_store(url, wait=30) as store:
            quiet(store)
            found = verified(store, known, acknowledged)
        yield "runs", 1
        yield "appended", found - max(known, 0)
        yield "killed after the commit, before the acknowledgement", int(found > acknowledged)
        yield "killed before anything was written", int(found == known)
        known = found


def kill_all(urls: list[str], runs: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    for number, url in enumerate(urls):
        for name, more in kill(url, runs, number):
            seen[name] = seen.get(name, 0) + more
    return seen


# -- two processes, one session -------------------------------------------------------------------


def race(url: str, each: int) -> dict[str, int]:
    """Two processes append to one session as fast as they can, and again after a conflict."""
    with open_store(url) as store:
        store.create_session(SESSION, dialect="neutral", model=None)
    reading, writing = os.pipe()

    def write(name: int) -> None:
        with open_store(url, wait=30) as mine:
            seq = conflicts = 0
            for number in range(each):
                for _ in count():
                    try:
                        mine.append(SESSION, seq, [("message", b"%d %d" % (name, number))])
                        seq += 1
                        break
                    except SessionConflict as conflict:
                        conflicts += 1
                        seq = conflict.found
            os.write(writing, b"%d " % conflicts)

    joined([forked(lambda name=name: write(name)) for name in range(2)])  # type: ignore[misc]
    os.close(writing)
    with open(reading, "rb") as pipe:
        conflicts = sum(map(int, pipe.read().split()))
    with open_store(url) as store:
        found = [tuple(map(int, event.body.split())) for event in store.events(SESSION)]
        assert store.check() == []
    assert sorted(found) == [(name, number) for name in range(2) for number in range(each)]
    for name in range(2):
        assert [number for who, number in found if who == name] == list(range(each))
    return {"events": len(found), "conflicts": conflicts}


# -- opened by many at once, and carried across a fork --------------------------------------------


def open_together(url: str, processes: int) -> dict[str, int]:
    """Many processes open a store that is not there yet; each writes a session of its own."""
    start = time.time() + 0.2

    def first(name: int) -> None:
        time.sleep(max(0, start - time.time()))
        with open_store(url, wait=30) as store:
            store.create_session(f"s{name}", dialect="neutral", model=None)
            store.append(f"s{name}", 0, [("message", b"x")], blocks=[b"shared", b"%d" % name])

    joined([forked(lambda name=name: first(name)) for name in range(processes)])  # type: ignore[misc]
    with open_store(url) as store:
        assert store.check() == []
        return {"sessions": len(store.sessions()), "blocks": int(store.stats()["blocks"])}


def across_fork(url: str) -> dict[str, int]:
    """Both sides of a fork go on with the same store object."""
    with open_store(url, wait=30) as store:
        for name in ("parent", "child"):
            store.create_session(name, dialect="neutral", model=None)
        store.append("parent", 0, [("message", b"before")])

        def write(name: str) -> None:
            for _ in range(20):
                store.append(name, store.session(name).events, [("message", name.encode())])

        child = forked(lambda: write("child"))
        write("parent")
        joined([child])
        assert store.check() == []
        return {info.id: info.events for info in store.sessions()}


if __name__ == "__main__":
    what, number, *given = sys.argv[1:]
    if what == "kill":
        result = kill_all(given, int(number))
    elif what == "race":
        result = race(given[0], int(number))
    elif what == "open":
        result = open_together(given[0], int(number))
    else:
        result = across_fork(given[0])
    print(json.dumps(result))
