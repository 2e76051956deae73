"""Counting, removing what is old, and finding what is wrong."""

from __future__ import annotations

import hashlib
import time

from trimtab.context.blocks import block_id
from trimtab.store import session_rows
from trimtab.store.database import Database
from trimtab.store.packing import checksum, event_label, unpack

_PAGE = 200  # rows whose bytes are looked at in one go

_COUNTS = {
    "sessions": "SELECT count(*) FROM sessions",
    "events": "SELECT coalesce(sum(events), 0) FROM sessions",
    "messages": "SELECT coalesce(sum(messages), 0) FROM sessions",
    "blocks": "SELECT count(*) FROM blocks",
    "block_bytes": "SELECT coalesce(sum(size), 0) FROM blocks",
    "block_bytes_kept": "SELECT coalesce(sum(length(data)), 0) FROM blocks",
    "texts": "SELECT count(*) FROM entries WHERE piece = 0",
    "notes": "SELECT count(*) FROM notes",
    "memory_files": "SELECT count(*) FROM memory_files",
    "memory_bytes": "SELECT coalesce(sum(length(data)), 0) FROM memory_files",
    "schema": "SELECT max(version) FROM schema_version",
}

_NAMED = {
    "what is kept with session": "SELECT id, id, meta, meta_crc FROM sessions ORDER BY id",
    "note": "SELECT name, name, value, crc FROM notes ORDER BY name",
    "memory file": "SELECT path, '', data, crc FROM memory_files ORDER BY path",
}


def stats(database: Database) -> dict[str, int | str]:
    """See `Store.stats`."""
    result: dict[str, int | str] = {"store": database.where}
    with database.read(snapshot=True) as tx:
        for name, sql in _COUNTS.items():
            (count,) = tx.row(sql) or (0,)
            result[name] = int(count)
        result["bytes_on_disk"] = database.size(tx)
    return result


def gc(database: Database, older_than: float) -> dict[str, int]:
    """See `Store.gc`. One transaction a session, so that nobody waits long for the lock."""
    limit = time.time() - older_than
    removed = {"sessions": 0, "events": 0, "blocks": 0, "bytes": 0}
    with database.read() as tx:
        old = [row[0] for row in tx.rows("SELECT id FROM sessions WHERE updated < ?", limit)]
    for id in old:
        with database.write() as tx:
            # Somebody may have removed it, or written to it, in between.
            locked = database.lock_session(tx, id)
            still = tx.row("SELECT 1 FROM sessions WHERE id = ? AND updated < ?", id, limit)
            if locked and still:
                removed["events"] += session_rows.remove(database, tx, id)
                removed["sessions"] += 1
    lonely = "touched < ? AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.block = blocks.id)"
    with database.write() as tx:
        database.lock_refs(tx)
        row = tx.row(f"SELECT coalesce(sum(size), 0) FROM blocks WHERE {lonely}", limit)
        removed["bytes"] = int(row[0]) if row else 0
        removed["blocks"] = tx.do(f"DELETE FROM blocks WHERE {lonely}", limit)
    if removed["sessions"] or removed["blocks"]:
        database.tidy()
    return removed


def check(database: Database) -> list[str]:
    """See `Store.check`. Where the database itself is damaged, nothing more is looked at."""
    problems = database.problems()
    if problems:
        return problems
    return [
        *_check_blocks(database),
        *_check_refs(database),
        *_check_events(database),
        *_check_named(database),
    ]


def _check_blocks(database: Database) -> list[str]:
    problems = []
    last = ""
    while True:
        with database.read() as tx:
            rows = tx.rows(
                "SELECT id, sha256, size, packed, data FROM blocks"
                f" WHERE id > ? ORDER BY id LIMIT {_PAGE}",
                last,
            )
        for id, sha, size, packed, kept in rows:
            last = id
            data = unpack(packed, kept)
            if data is None or hashlib.sha256(data).digest() != sha:
                problems.append(f"block {id}: its bytes do not have the hash kept with it")
            elif block_id(data) != id or len(data) != size:
                problems.append(f"block {id}: its id or size is not that of its bytes")
        if len(rows) < _PAGE:
            return problems


def _check_named(database: Database) -> list[str]:
    problems = []
    for what, sql in _NAMED.items():
        with database.read() as tx:
            for name, label, data, crc in tx.rows(sql):
                if not isinstance(data, bytes) or checksum(label, data) != crc:
                    problems.append(f"{what} {name}: its bytes are damaged")
    return problems


def _check_refs(database: Database) -> list[str]:
    with database.read() as tx:
        rows = tx.rows(
            "SELECT s.id, r.block FROM refs AS r JOIN sessions AS s ON s.number = r.session"
            " WHERE NOT EXISTS (SELECT 1 FROM blocks AS b WHERE b.id = r.block)"
            " ORDER BY s.id, r.block"
        )
    return [f"session {session}: its block {block} is not stored" for session, block in rows]


def _check_events(database: Database) -> list[str]:
    problems = []
    with database.read() as tx:
        sessions = tx.rows("SELECT number, id FROM sessions ORDER BY number")
    for number, id in sessions:
        expected = 0
        while True:
            with database.read(snapshot=True) as tx:
                row = tx.row("SELECT events FROM sessions WHERE number = ?", number)
                rows = tx.rows(
                    "SELECT seq, kind, time, packed, crc, body FROM events"
                    f" WHERE session = ? AND seq >= ? ORDER BY seq LIMIT {_PAGE}",
                    number, expected,
                )  # fmt: skip
            for seq, kind, when, packed, crc, kept in rows:
                if seq != expected:
                    problems.append(f"session {id}: events {expected} to {seq - 1} are missing")
                body = unpack(packed, kept)
                if body is None or checksum(event_label(seq, kind, when), body) != crc:
                    problems.append(f"session {id}: event {seq}: its bytes are damaged")
                expected = seq + 1
            if len(rows) < _PAGE:
                break
        if row is not None and row[0] != expected:  # None: removed while we looked
            problems.append(f"session {id}: it has {expected} events and says {row[0]}")
    return problems
