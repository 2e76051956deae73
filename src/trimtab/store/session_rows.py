"""Sessions and their events, as rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from trimtab.context.blocks import block_id
from trimtab.errors import SessionConflict, SessionNotFound, StoreError, UsageError
from trimtab.store.block_rows import add_block, add_refs, need_blocks
from trimtab.store.database import Database, Piece, Row, Transaction
from trimtab.store.names import name_of, storable
from trimtab.store.packing import checksum, event_label, intact, pack, unpack
from trimtab.store.protocol import MESSAGE, Event, Indexed, SessionInfo
from trimtab.store.search_text import pieces

_PAGE = 500  # events read at a time
_COLUMNS = "id, title, dialect, model, created, updated, events, messages"


def create(
    tx: Transaction, id: str, dialect: str, model: str | None, title: str, meta: bytes,
    created: float,
) -> int:  # fmt: skip
    """Add a session and return its number."""
    name_of(id, "the session id")
    name_of(dialect, "the dialect")
    now = time.time()
    added = tx.do(
        "INSERT INTO sessions (id, title, dialect, model, meta, meta_crc, created, updated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        id, storable(title), dialect, None if model is None else storable(model), meta,
        checksum(id, meta), created, now,
    )  # fmt: skip
    if not added:
        raise SessionConflict(id, "there is a session of this id already; nothing was written")
    return number_of(tx, id)


def info(tx: Transaction, id: str) -> SessionInfo:
    """One session, or `SessionNotFound`."""
    row = tx.row(f"SELECT {_COLUMNS} FROM sessions WHERE id = ?", id)
    if row is None:
        raise not_found(id)
    return SessionInfo(*row)


def listed(tx: Transaction) -> list[SessionInfo]:
    """All sessions, newest first."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM sessions ORDER BY updated DESC, number DESC")
    return [SessionInfo(*row) for row in rows]


def meta_of(tx: Transaction, where: str, id: str) -> bytes:
    """The bytes kept with a session, or `SessionNotFound`."""
    row = tx.row("SELECT meta, meta_crc FROM sessions WHERE id = ?", id)
    if row is None:
        raise not_found(id)
    return intact(where, f"what is kept with session {id}", id, *row)


def number_of(tx: Transaction, id: str) -> int:
    """The number of a session, or `SessionNotFound`."""
    row = tx.row("SELECT number FROM sessions WHERE id = ?", id)
    if row is None:
        raise not_found(id)
    return int(row[0])


def change(
    tx: Transaction, id: str, title: str | None, model: str | None, meta: bytes | None
) -> None:
    """Set what is not `None`."""
    changed = tx.do(
        "UPDATE sessions SET title = coalesce(?, title), model = coalesce(?, model),"
        " meta = coalesce(?, meta), meta_crc = coalesce(?, meta_crc), updated = ? WHERE id = ?",
        None if title is None else storable(title),
        None if model is None else storable(model),
        meta, None if meta is None else checksum(id, meta), time.time(), id,
    )  # fmt: skip
    if not changed:
        raise not_found(id)


def remove(database: Database, tx: Transaction, id: str) -> int:
    """Remove a session with all of its rows; how many events it had."""
    row = database.lock_session(tx, id)
    if row is None:
        raise not_found(id)
    database.remove_pieces(tx, row[0])
    tx.do("DELETE FROM sessions WHERE number = ?", row[0])
    return int(row[1])


def append(
    database: Database,
    tx: Transaction,
    session: str,
    seq: int,
    events: Sequence[tuple[str, bytes]],
    blocks: Sequence[bytes],
    texts: Sequence[Indexed],
    refs: Sequence[str],
) -> None:
    """One append, within one transaction; see `Store.append`."""
    row = database.lock_session(tx, session)
    if row is None:
        raise not_found(session)
    number, count, messages = row
    if seq != count:
        raise SessionConflict(
            session,
            f"event {seq} was to be written, but the session has {count}; nothing was written: "
            "read the new events and append again",
            expected=seq,
            found=count,
        )
    for text in texts:
        if text.session != session:
            raise UsageError(f"a text of session {text.session} in an append to {session}")
    now = time.time()
    add_events(tx, number, [(seq + n, kind, body, now) for n, (kind, body) in enumerate(events)])
    # The references first: in PostgreSQL this keeps `gc` away from the blocks until we are done.
    named = {*refs, *(text.block for text in texts if text.block)}
    given = {block_id(data): data for data in blocks}
    add_refs(tx, number, {*given, *named})
    for id in sorted(given):  # all in one order, so that no two writers wait for each other
        add_block(tx, database.where, given[id], id)
    need_blocks(tx, named)
    database.add_pieces(tx, number, [piece for text in texts for piece in _pieces(text)])
    added = sum(kind == MESSAGE for kind, _ in events)
    tx.do(
        "UPDATE sessions SET events = ?, messages = ?, updated = ? WHERE number = ?",
        count + len(events), messages + added, now, number,
    )  # fmt: skip


def _pieces(text: Indexed) -> Iterator[Piece]:
    for number, piece in enumerate(pieces(storable(text.text))):
        yield text.seq, text.turn, text.block, number, piece


def add_events(
    tx: Transaction, number: int, events: Sequence[tuple[int, str, bytes, float]]
) -> None:
    """Rows of (seq, kind, body, time)."""
    rows = []
    for seq, kind, body, when in events:
        packed, kept = pack(body)
        crc = checksum(event_label(seq, name_of(kind, "the kind"), when), body)
        rows.append((number, seq, kind, when, packed, crc, kept))
    tx.many(
        "INSERT INTO events (session, seq, kind, time, packed, crc, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def read_events(database: Database, session: str, start: int) -> Iterator[Event]:
    """The events from `start` on, a page at a time; none holds the database in between."""
    with database.read() as tx:
        number = number_of(tx, session)
    return _pages(database, session, number, start)


def _pages(database: Database, session: str, number: int, start: int) -> Iterator[Event]:
    page: list[Row] = []
    while True:
        with database.read() as tx:
            page = tx.rows(
                "SELECT seq, kind, time, packed, crc, body FROM events"
                f" WHERE session = ? AND seq >= ? ORDER BY seq LIMIT {_PAGE}",
                number, start,
            )  # fmt: skip
        for seq, kind, when, packed, crc, kept in page:
            body = unpack(packed, kept)
            if seq != start or body is None or checksum(event_label(seq, kind, when), body) != crc:
                what = "damaged" if seq == start else "missing"
                raise StoreError(
                    f"{database.where}: session {session}: event {start} is {what}; "
                    "`trimtab store check` lists all that is wrong"
                )
            yield Event(session, seq, kind, body, when)
            start += 1
        if len(page) < _PAGE:
            return


def not_found(id: str) -> SessionNotFound:
    """The error for a session that is not here."""
    return SessionNotFound(f"no session {id!r} is stored here; `trimtab sessions` lists them")
