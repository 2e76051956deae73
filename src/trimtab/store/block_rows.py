"""Blocks as rows: under the id that their hash gives them, once, compressed, checked when read."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Iterator, Sequence

from trimtab.context.blocks import block_id
from trimtab.errors import BlockDamaged, BlockNotFound, StoreError, UsageError
from trimtab.store.database import Database, Transaction
from trimtab.store.packing import pack, unpack

_ID = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{12}")
_PREFIX = re.compile(r"[0-9a-hjkmnp-tv-z]{1,12}")
_MISTYPED = str.maketrans("oil", "011")
_SHOWN = 5
_PAGE = 1_000


def add_block(tx: Transaction, where: str, data: bytes, id: str | None = None) -> str:
    """Keep `data`; its id (given where it is known: a hash of much takes its time).

    A kept copy that is damaged is replaced by the good bytes.
    """
    id = id or block_id(data)
    sha = hashlib.sha256(data).digest()
    now = time.time()
    packed, kept = pack(data)
    added = tx.do(
        "INSERT INTO blocks (id, sha256, size, packed, touched, data) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO NOTHING",
        id, sha, len(data), packed, now, kept,
    )  # fmt: skip
    if added:
        return id
    row = tx.row("SELECT sha256, packed, data FROM blocks WHERE id = ?", id)
    here = None if row is None else unpack(row[1], row[2])
    if here is not None and here != data and block_id(here) == id:
        raise StoreError(f"{where}: {id}: other bytes with the same id are kept here")
    if here == data and row is not None and row[0] == sha:
        tx.do("UPDATE blocks SET touched = ? WHERE id = ?", now, id)
    else:
        tx.do(
            "UPDATE blocks SET sha256 = ?, size = ?, packed = ?, touched = ?, data = ?"
            " WHERE id = ?",
            sha, len(data), packed, now, kept, id,
        )  # fmt: skip
    return id


def add_blocks(tx: Transaction, where: str, blocks: Sequence[bytes]) -> list[str]:
    """Keep several; their ids, in order."""
    ids = [block_id(data) for data in blocks]
    # All in one order, so that no two writers wait for each other.
    for id, data in sorted(dict(zip(ids, blocks, strict=True)).items()):
        add_block(tx, where, data, id)
    return ids


def block_ids(database: Database) -> Iterator[str]:
    """The ids of all blocks, sorted, a page at a time; none holds the database in between."""
    last = ""
    while True:
        with database.read() as tx:
            rows = tx.rows(f"SELECT id FROM blocks WHERE id > ? ORDER BY id LIMIT {_PAGE}", last)
        for (last,) in rows:
            yield last
        if len(rows) < _PAGE:
            return


def add_refs(tx: Transaction, session: int, ids: Collection[str]) -> None:
    """Say that a session needs these blocks, so that `gc` leaves them."""
    tx.many(
        "INSERT INTO refs (session, block) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(session, id) for id in sorted(set(ids))],
    )


def need_blocks(tx: Transaction, ids: Collection[str]) -> None:
    """Raise `BlockNotFound` unless all are stored."""
    for id in ids:
        if not has_block(tx, id):
            raise not_found(id)


def get_block(tx: Transaction, where: str, id: str) -> bytes:
    """The exact bytes, or `BlockNotFound`, or `BlockDamaged`."""
    row = tx.row("SELECT sha256, packed, data FROM blocks WHERE id = ?", id) if is_id(id) else None
    if row is None:
        raise not_found(id)
    data = unpack(row[1], row[2])
    if data is None or hashlib.sha256(data).digest() != row[0] or block_id(data) != id:
        raise BlockDamaged(f"{where}: {id} is damaged: its bytes do not have the hash of the id")
    return data


def has_block(tx: Transaction, id: str) -> bool:
    """A block of this id is a row."""
    return is_id(id) and tx.row("SELECT 1 FROM blocks WHERE id = ?", id) is not None


def resolve_block(tx: Transaction, prefix: str) -> str:
    """The one id that begins so; see `Store.resolve_block`."""
    start = beginning(prefix)
    rows = tx.rows(
        f"SELECT id FROM blocks WHERE id >= ? AND id < ? ORDER BY id LIMIT {_SHOWN + 1}",
        start, start + "~",
    )  # fmt: skip
    found: Sequence[str] = [row[0] for row in rows]
    if not found:
        raise BlockNotFound(f"no block here has an id that begins with {start}")
    if len(found) > 1:
        shown = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        raise UsageError(f"{start} begins the ids of several blocks: {shown}; type more of it")
    return found[0]


def beginning(typed: str) -> str:
    """How the id begins that somebody typed, as ids are written.

    Raises:
        BlockNotFound: no id can begin so.
    """
    rest = typed.strip().lower().removeprefix("blk_").translate(_MISTYPED)
    if not _PREFIX.fullmatch(rest):
        raise BlockNotFound(f"{typed!r} does not begin a block id (blk_ and 12 letters or digits)")
    return "blk_" + rest


def is_id(id: str) -> bool:
    """It has the form of a block id."""
    return _ID.fullmatch(id) is not None


def not_found(id: str) -> BlockNotFound:
    """The error for a block that is not here."""
    return BlockNotFound(f"no block {id} is stored here")
