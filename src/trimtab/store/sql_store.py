"""The store on either database: each method is one transaction of the functions beside it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Self

from trimtab.store import (
    block_rows,
    memory_rows,
    note_rows,
    search_rows,
    session_rows,
    transfer,
    upkeep,
)
from trimtab.store.database import Database
from trimtab.store.protocol import Event, Hit, Indexed, MemoryFile, Note, SessionInfo
from trimtab.store.search_text import query_of


class SqlStore:
    """A `Store` (see there for what each method does) on an open database."""

    __slots__ = ("database",)

    def __init__(self, database: Database) -> None:
        self.database = database

    # -- sessions and their events ----------------------------------------------------------------

    def create_session(
        self, id: str, *, dialect: str, model: str | None, title: str = "", meta: bytes = b""
    ) -> None:
        with self.database.write() as tx:
            session_rows.create(tx, id, dialect, model, title, meta, time.time())

    def session(self, id: str) -> SessionInfo:
        with self.database.read() as tx:
            return session_rows.info(tx, id)

    def meta(self, id: str) -> bytes:
        with self.database.read() as tx:
            return session_rows.meta_of(tx, self.database.where, id)

    def change_session(
        self,
        id: str,
        *,
        title: str | None = None,
        model: str | None = None,
        meta: bytes | None = None,
    ) -> None:
        with self.database.write() as tx:
            session_rows.change(tx, id, title, model, meta)

    def sessions(self) -> list[SessionInfo]:
        with self.database.read() as tx:
            return session_rows.listed(tx)

    def delete_session(self, id: str) -> None:
        with self.database.write() as tx:
            session_rows.remove(self.database, tx, id)

    def append(
        self,
        session: str,
        seq: int,
        events: Sequence[tuple[str, bytes]],
        *,
        blocks: Sequence[bytes] = (),
        texts: Sequence[Indexed] = (),
        refs: Sequence[str] = (),
    ) -> None:
        with self.database.write() as tx:
            session_rows.append(self.database, tx, session, seq, events, blocks, texts, refs)

    def events(self, session: str, start: int = 0) -> Iterator[Event]:
        return session_rows.read_events(self.database, session, start)

    # -- blocks -----------------------------------------------------------------------------------

    def put_block(self, data: bytes) -> str:
        with self.database.write() as tx:
            return block_rows.add_block(tx, self.database.where, data)

    def put_blocks(self, blocks: Sequence[bytes]) -> list[str]:
        with self.database.write() as tx:
            return block_rows.add_blocks(tx, self.database.where, blocks)

    def prepare(self, data: bytes) -> bytes:
        return data

    def get_block(self, id: str) -> bytes:
        with self.database.read() as tx:
            return block_rows.get_block(tx, self.database.where, id)

    def has_block(self, id: str) -> bool:
        with self.database.read() as tx:
            return block_rows.has_block(tx, id)

    def block_ids(self) -> Iterator[str]:
        return block_rows.block_ids(self.database)

    def resolve_block(self, prefix: str) -> str:
        with self.database.read() as tx:
            return block_rows.resolve_block(tx, prefix)

    # -- search -----------------------------------------------------------------------------------

    def search(self, query: str, *, session: str | None = None, limit: int = 20) -> list[Hit]:
        with self.database.read(snapshot=True) as tx:
            number = None if session is None else session_rows.number_of(tx, session)
            return search_rows.find(self.database, tx, query_of(query), number, limit)

    # -- notes ------------------------------------------------------------------------------------

    def put_note(self, name: str, value: str, session: str | None = None) -> None:
        with self.database.write() as tx:
            note_rows.put_note(tx, name, value, session)

    def note(self, name: str) -> str | None:
        with self.database.read() as tx:
            return note_rows.note(tx, self.database.where, name)

    def notes(self, prefix: str = "") -> list[Note]:
        with self.database.read() as tx:
            return note_rows.notes(tx, self.database.where, prefix)

    def delete_note(self, name: str) -> bool:
        with self.database.write() as tx:
            return note_rows.delete_note(tx, name)

    # -- the files of the memory tool -------------------------------------------------------------

    def memory_get(self, path: str) -> bytes | None:
        with self.database.read() as tx:
            return memory_rows.get(tx, self.database.where, path)

    def memory_put(
        self, path: str, data: bytes, *, new: bool = False, replaces: bytes | None = None
    ) -> bool:
        with self.database.write() as tx:
            return memory_rows.put(tx, path, data, new, replaces)

    def memory_delete(self, path: str) -> int:
        with self.database.write() as tx:
            return memory_rows.delete(tx, path)

    def memory_rename(self, old: str, new: str) -> int:
        with self.database.write() as tx:
            return memory_rows.rename(tx, old, new)

    def memory_list(self, prefix: str = "") -> list[MemoryFile]:
        with self.database.read() as tx:
            return memory_rows.listed(tx, prefix)

    # -- the store itself -------------------------------------------------------------------------

    def stats(self) -> dict[str, int | str]:
        return upkeep.stats(self.database)

    def gc(self, older_than: float) -> dict[str, int]:
        return upkeep.gc(self.database, older_than)

    def export_session(self, id: str) -> Iterator[bytes]:
        return transfer.exported(self.database, id)

    def import_session(self, lines: Iterable[bytes | str], *, id: str | None = None) -> str:
        return transfer.imported(self.database, lines, id)

    def check(self) -> list[str]:
        return upkeep.check(self.database)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
