"""A session as JSON lines, and back: to move it, to keep it, to read it without trimtab.

Line 1 says what it is and what is known of the session; then its blocks, events and index
entries, one a line; the last line counts them, so that a file cut short is noticed. Bytes are
text where they are UTF-8, else base64.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

from trimtab.errors import BlockDamaged, BlockNotFound, InputError
from trimtab.formats.jsontext import dumps, loads
from trimtab.store import session_rows
from trimtab.store.block_rows import add_block, add_refs, get_block, is_id
from trimtab.store.database import Database, Piece, Transaction
from trimtab.store.json_bytes import from_json, to_json
from trimtab.store.names import storable
from trimtab.store.protocol import MESSAGE

_VERSION = 1
_PAGE = 500


def exported(database: Database, id: str) -> Iterator[bytes]:
    """See `Store.export_session`."""
    with database.read(snapshot=True) as tx:
        info = session_rows.info(tx, id)
        number = session_rows.number_of(tx, id)
        meta = session_rows.meta_of(tx, database.where, id)
        rows = tx.rows("SELECT block FROM refs WHERE session = ? ORDER BY block", number)
    head = {
        "trimtab_session": _VERSION,
        "id": info.id,
        "title": info.title,
        "dialect": info.dialect,
        "model": info.model,
        "created": info.created,
        "meta": to_json(meta),
    }
    return _lines(database, number, id, info.events, head, [row[0] for row in rows])


def _lines(
    database: Database, number: int, id: str, events: int, head: dict[str, Any], blocks: list[str]
) -> Iterator[bytes]:
    yield dumps(head)
    for block in blocks:
        with database.read() as tx:
            try:
                yield dumps({"block": block, "data": to_json(get_block(tx, database.where, block))})
            except (BlockNotFound, BlockDamaged) as failure:
                yield dumps({"block": block, "lost": str(failure)})
    for event in session_rows.read_events(database, id, 0):
        if event.seq >= events:  # written since we began
            break
        kept = {"event": event.seq, "kind": event.kind, "time": event.time}
        yield dumps({**kept, "body": to_json(event.body)})
    texts = last_row = 0
    while True:
        with database.read() as tx:
            rows = tx.rows(
                "SELECT id, seq, turn, block, piece, text FROM entries"
                f" WHERE session = ? AND id > ? AND seq < ? ORDER BY id LIMIT {_PAGE}",
                number, last_row, events,
            )  # fmt: skip
        for row, seq, turn, block, piece, text in rows:
            last_row = row
            yield dumps({"text": seq, "turn": turn, "block": block, "piece": piece, "is": text})
        texts += len(rows)
        if len(rows) < _PAGE:
            break
    yield dumps({"end": True, "blocks": len(blocks), "events": events, "texts": texts})


def imported(database: Database, lines: Iterable[bytes | str], id: str | None) -> str:
    """See `Store.import_session`."""
    records = _records(lines)
    at, head = next(records, (1, {}))
    if head.get("trimtab_session") != _VERSION:
        raise InputError(
            f"line {at}", f"no exported session of version {_VERSION}: its first line must say so"
        )
    name = id if id is not None else _of(at, head, "id", str)
    with database.write() as tx:
        number = session_rows.create(
            tx,
            name,
            dialect=_of(at, head, "dialect", str),
            model=None if head.get("model") is None else _of(at, head, "model", str),
            title=_of(at, head, "title", str),
            meta=_read(at, head, "meta"),
            created=_time(at, head, "created"),
        )
        _rows(database, tx, number, records)
    return name


def _rows(
    database: Database, tx: Transaction, number: int, records: Iterator[tuple[int, dict[str, Any]]]
) -> None:
    blocks = events = messages = texts = 0
    at, end = 1, False
    for at, record in records:
        if end:
            raise InputError(f"line {at}", "there is more after the end")
        if "block" in record and "text" not in record:
            _add_block(database, tx, number, at, record)
            blocks += 1
        elif "event" in record:
            if _of(at, record, "event", int) != events:
                raise InputError(f"line {at}", f"event {events} is missing or out of order")
            kind = _of(at, record, "kind", str)
            body = _read(at, record, "body")
            session_rows.add_events(tx, number, [(events, kind, body, _time(at, record, "time"))])
            events += 1
            messages += kind == MESSAGE
        elif "text" in record:
            database.add_pieces(tx, number, [_piece(at, record)])
            texts += 1
        elif record.get("end") is True:
            end = True
            if [record.get(key) for key in ("blocks", "events", "texts")] != [
                blocks,
                events,
                texts,
            ]:
                raise InputError(f"line {at}", "the counts at the end are not those of the lines")
        else:
            raise InputError(f"line {at}", "neither block, event, text nor end")
    if not end:
        raise InputError(f"line {at}", "cut short: the line that ends a session is missing")
    tx.do(
        "UPDATE sessions SET events = ?, messages = ?, updated = ? WHERE number = ?",
        events, messages, time.time(), number,
    )  # fmt: skip


def _add_block(
    database: Database, tx: Transaction, number: int, at: int, record: dict[str, Any]
) -> None:
    block = _of(at, record, "block", str)
    if not is_id(block):
        raise InputError(f"line {at}", f"{block!r} is no block id")
    add_refs(tx, number, [block])
    if "lost" not in record and add_block(tx, database.where, _read(at, record, "data")) != block:
        raise InputError(f"line {at}", f"the bytes of {block} do not have its hash")


def _piece(at: int, record: dict[str, Any]) -> Piece:
    return (
        _of(at, record, "text", int),
        _of(at, record, "turn", int),
        _of(at, record, "block", str),
        _of(at, record, "piece", int),
        storable(_of(at, record, "is", str)),
    )


def _records(lines: Iterable[bytes | str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except ValueError as failure:
            raise InputError(f"line {at}", f"no JSON ({failure})") from None
        if not isinstance(record, dict):
            raise InputError(f"line {at}", "not a JSON object")
        yield at, record


def _read(at: int, record: dict[str, Any], key: str) -> bytes:
    data = from_json(record.get(key))
    if data is None:
        raise InputError(f"line {at}", f"{key!r} is neither text nor base64")
    return data


def _of(at: int, record: dict[str, Any], key: str, kind: type[Any]) -> Any:
    value = record.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"line {at}", f"{key!r} is missing or not of its type")
    return value


def _time(at: int, record: dict[str, Any], key: str) -> float:
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"line {at}", f"{key!r} is missing or not a time")
    return float(value)
