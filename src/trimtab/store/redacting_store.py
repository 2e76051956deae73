"""A store that no key, token or password gets into.

Everything is redacted before it is written: events, blocks, texts for the search, titles, notes,
memory files, imported sessions. What is read comes from the store as it is. The caller's own
context stays unaltered: only what is written down has placeholders.

Ids of blocks. A block's id is the hash of its bytes, and what is kept are the redacted bytes; so
the id must be theirs, in the context too. `prepare` gives the bytes as they will be kept; who names
a block (`History.prepare`, applied by `context.blocks.evicted`) takes the id of these. An id of
the unredacted bytes is never written down: where a caller did not prepare a block, its id is
replaced by the right one in the same append, in events and index alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from trimtab.context.blocks import block_id
from trimtab.formats.jsontext import dumps, loads
from trimtab.formats.record import REDACTED
from trimtab.store.json_bytes import from_json, to_json
from trimtab.store.protocol import (
    MESSAGE,
    Event,
    Hit,
    Indexed,
    MemoryFile,
    Note,
    SessionInfo,
    Store,
)
from trimtab.store.redaction import redacted, redacted_bytes


class RedactingStore:
    """Another store, with secrets replaced in all that is written. See `Store` for the methods.

    Args:
        store: where it is kept; closed with this one.
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    # -- what is written --------------------------------------------------------------------------

    def prepare(self, data: bytes) -> bytes:
        return self._store.prepare(redacted_bytes(data))

    def create_session(
        self, id: str, *, dialect: str, model: str | None, title: str = "", meta: bytes = b""
    ) -> None:
        title, meta = redacted(title), redacted_bytes(meta)
        self._store.create_session(id, dialect=dialect, model=model, title=title, meta=meta)

    def change_session(
        self,
        id: str,
        *,
        title: str | None = None,
        model: str | None = None,
        meta: bytes | None = None,
    ) -> None:
        self._store.change_session(
            id,
            title=None if title is None else redacted(title),
            model=model,
            meta=None if meta is None else redacted_bytes(meta),
        )

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
        kept = [self.prepare(data) for data in blocks]
        ids = {
            block_id(data): block_id(less)
            for data, less in zip(blocks, kept, strict=True)
            if data != less
        }
        self._store.append(
            session,
            seq,
            [(kind, _event(kind, body, ids)) for kind, body in events],
            blocks=kept,
            texts=[
                replace(text, text=redacted(text.text), block=ids.get(text.block, text.block))
                for text in texts
            ],
            refs=[ids.get(id, id) for id in refs],
        )

    def put_block(self, data: bytes) -> str:
        return self._store.put_block(self.prepare(data))

    def put_blocks(self, blocks: Sequence[bytes]) -> list[str]:
        return self._store.put_blocks([self.prepare(data) for data in blocks])

    def put_note(self, name: str, value: str, session: str | None = None) -> None:
        self._store.put_note(name, redacted(value), session)

    def memory_put(
        self, path: str, data: bytes, *, new: bool = False, replaces: bytes | None = None
    ) -> bool:
        return self._store.memory_put(path, redacted_bytes(data), new=new, replaces=replaces)

    def import_session(self, lines: Iterable[bytes | str], *, id: str | None = None) -> str:
        return self._store.import_session(_imported(lines), id=id)

    # -- what is read, moved and removed ----------------------------------------------------------

    def session(self, id: str) -> SessionInfo:
        return self._store.session(id)

    def meta(self, id: str) -> bytes:
        return self._store.meta(id)

    def sessions(self) -> list[SessionInfo]:
        return self._store.sessions()

    def delete_session(self, id: str) -> None:
        self._store.delete_session(id)

    def events(self, session: str, start: int = 0) -> Iterator[Event]:
        return self._store.events(session, start)

    def get_block(self, id: str) -> bytes:
        return self._store.get_block(id)

    def has_block(self, id: str) -> bool:
        return self._store.has_block(id)

    def block_ids(self) -> Iterator[str]:
        return self._store.block_ids()

    def resolve_block(self, prefix: str) -> str:
        return self._store.resolve_block(prefix)

    def search(self, query: str, *, session: str | None = None, limit: int = 20) -> list[Hit]:
        return self._store.search(query, session=session, limit=limit)

    def note(self, name: str) -> str | None:
        return self._store.note(name)

    def notes(self, prefix: str = "") -> list[Note]:
        return self._store.notes(prefix)

    def delete_note(self, name: str) -> bool:
        return self._store.delete_note(name)

    def memory_get(self, path: str) -> bytes | None:
        return self._store.memory_get(path)

    def memory_delete(self, path: str) -> int:
        return self._store.memory_delete(path)

    def memory_rename(self, old: str, new: str) -> int:
        return self._store.memory_rename(old, new)

    def memory_list(self, prefix: str = "") -> list[MemoryFile]:
        return self._store.memory_list(prefix)

    def stats(self) -> dict[str, int | str]:
        return self._store.stats()

    def gc(self, older_than: float) -> dict[str, int]:
        return self._store.gc(older_than)

    def export_session(self, id: str) -> Iterator[bytes]:
        return self._store.export_session(id)

    def check(self) -> list[str]:
        return self._store.check()

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _event(kind: str, body: bytes, ids: Mapping[str, str]) -> bytes:
    """The body without secrets, naming blocks by the ids that they are kept under."""
    less = redacted_bytes(body)
    if less is not body and kind == MESSAGE:
        less = _marked(less)
    for old, new in ids.items():
        less = less.replace(old.encode(), new.encode())
    return less


def _marked(body: bytes) -> bytes:
    """Who reads the message back must know: thinking that was signed behind it is void."""
    try:
        record = loads(body)
    except ValueError:
        return body
    return dumps({**record, REDACTED: True}) if isinstance(record, dict) else body


def _imported(lines: Iterable[bytes | str]) -> Iterator[bytes | str]:
    """The lines of an exported session, without secrets. Blocks come before what names them."""
    ids: dict[str, str] = {}
    for line in lines:
        try:
            record = loads(line)
        except ValueError:
            yield line  # the importer says what is wrong with it
            continue
        yield _line(record, ids) if isinstance(record, dict) else line


def _line(record: dict[str, Any], ids: dict[str, str]) -> bytes:
    changed = dict(record)
    for key in ("data", "body", "meta"):
        data = from_json(record.get(key))
        less = data and redacted_bytes(data)
        if not data or not less or less == data:
            continue
        if key == "data":
            ids[block_id(data)] = changed["block"] = block_id(less)
        elif record.get("kind") == MESSAGE:
            less = _marked(less)
        changed[key] = to_json(less)
    for key in ("title", "is"):
        if isinstance(record.get(key), str):
            changed[key] = redacted(record[key])
    line = dumps(changed)
    if "data" not in record:
        for old, new in ids.items():
            line = line.replace(old.encode(), new.encode())
    return line
