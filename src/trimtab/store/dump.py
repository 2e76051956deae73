"""A whole store as JSON lines, and back: every session, block, note and memory file.

Line 1 says what it is; then the sessions, each as `export_session` writes it; then the blocks of no
session, the notes and the memory files, one a line; the last line says that this is all. A single
exported session can be read back too.

What is there already stays: an import never overwrites. It says what it left out because something
else is here in its place; what is here alike is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from trimtab.errors import BlockDamaged, InputError, SessionNotFound
from trimtab.formats.jsontext import dumps, loads
from trimtab.store.json_bytes import from_json, to_json
from trimtab.store.protocol import Store

_VERSION = 1


@dataclass(slots=True)
class Imported:
    """What an import did.

    Attributes:
        sessions, blocks, notes, files: how many were new. Blocks are those of no session.
        known: how many things were here already, alike.
        left: one line for each thing that was left out.
    """

    sessions: int
    blocks: int
    notes: int
    files: int
    known: int
    left: list[str]


def exported_store(store: Store) -> Iterator[bytes]:
    """All that a store holds, as lines without their ends. A damaged block is named in its line."""
    yield dumps({"trimtab_store": _VERSION})
    named: set[str] = set()
    for info in reversed(store.sessions()):  # the oldest first: an import keeps their order
        for line in store.export_session(info.id):
            if line.startswith(b'{"block":'):
                named.add(loads(line)["block"])
            yield line
    for id in store.block_ids():
        if id not in named:
            try:
                yield dumps({"lone": id, "data": to_json(store.get_block(id))})
            except BlockDamaged as failure:
                yield dumps({"lone": id, "lost": str(failure)})
    for note in store.notes():
        yield dumps({"note": note.name, "value": note.value, "session": note.session})
    for file in store.memory_list():
        data = store.memory_get(file.path)
        if data is not None:
            yield dumps({"file": file.path, "data": to_json(data)})
    yield dumps({"trimtab_store": "end"})


def imported_store(store: Store, lines: Iterable[bytes]) -> Imported:
    """Read back what `exported_store` or `export_session` wrote. Sessions come whole or not at all.

    Raises:
        InputError: a line is not what it should be, or the end is missing. What was read before
            it is here.
    """
    done = Imported(0, 0, 0, 0, 0, [])
    numbered = enumerate(lines, 1)
    whole = ended = False
    last = at = 0
    for at, line in numbered:
        record = _record(at, line)
        if record is None:
            continue
        last = at
        if ended:
            raise InputError(f"line {at}", "there is more after the end")
        if record.get("trimtab_store") == "end":
            ended = True
        elif "trimtab_store" in record:
            if record["trimtab_store"] != _VERSION:
                raise InputError(f"line {at}", f"no exported store of version {_VERSION}")
            whole = True
        elif "trimtab_session" in record:
            _session(store, at, record, _section(line, numbered), done)
        else:
            _single(store, at, record, done)
    if not last:
        raise InputError("line 1", "empty")
    if whole and not ended:
        raise InputError(f"line {last}", "cut short: the line that ends a store is missing")
    return done


def _record(at: int, line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        record = loads(line)
    except ValueError as failure:
        raise InputError(f"line {at}", f"no JSON ({failure})") from None
    if not isinstance(record, dict):
        raise InputError(f"line {at}", "not a JSON object")
    return record


def _section(first: bytes, numbered: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    """The lines of one session: up to the one that ends it."""
    yield first
    for at, line in numbered:
        yield line
        if b'"end"' in line[:40]:
            record = _record(at, line)
            if record is not None and record.get("end") is True:
                return


def _session(
    store: Store, at: int, head: dict[str, Any], lines: Iterator[bytes], done: Imported
) -> None:
    id = head.get("id")
    try:
        if not isinstance(id, str) or not _has_session(store, id):
            store.import_session(lines)
            done.sessions += 1
        elif _alike(lines, store.export_session(id)):
            done.known += 1
        else:
            done.left.append(f"session {id}: another one of this id is here")
    except InputError as failure:
        where = f"session {id}, which begins in line {at}"
        raise InputError(where, f"{failure.where} of it: {failure.reason}") from None


def _has_session(store: Store, id: str) -> bool:
    try:
        store.session(id)
    except SessionNotFound:
        return False
    return True


def _alike(lines: Iterator[bytes], here: Iterator[bytes]) -> bool:
    """The same session, whatever its title: read to its end in any case."""
    alike = True
    next(lines, None)  # the heads: when it was begun here may differ
    next(here, None)
    for line in lines:
        try:
            alike = alike and loads(line) == loads(next(here, b"null"))
        except ValueError:
            alike = False
    return alike and next(here, None) is None


def _single(store: Store, at: int, record: dict[str, Any], done: Imported) -> None:
    if isinstance(record.get("lone"), str):
        _block(store, at, record, done)
    elif isinstance(record.get("note"), str) and isinstance(record.get("value"), str):
        name, value, session = record["note"], record["value"], record.get("session")
        here = store.note(name)
        if here is None:
            store.put_note(name, value, session if isinstance(session, str) else None)
            done.notes += 1
        else:
            _already(here == value, f"note {name!r}", done)
    elif isinstance(record.get("file"), str):
        path, data = record["file"], _data(at, record)
        if store.memory_put(path, data, new=True):
            done.files += 1
        else:
            _already(store.memory_get(path) == data, f"memory file {path}", done)
    else:
        raise InputError(f"line {at}", "neither session, block, note nor memory file")


def _block(store: Store, at: int, record: dict[str, Any], done: Imported) -> None:
    id = record["lone"]
    if "lost" in record:
        done.left.append(f"block {id}: its bytes are not in the file ({record['lost']})")
        return
    data = _data(at, record)
    if store.has_block(id):
        try:
            _already(store.get_block(id) == data, f"block {id}", done)
            return
        except BlockDamaged:
            pass  # the good bytes come in its place
    kept = store.put_block(data)
    if kept != id and store.prepare(data) == data:
        raise InputError(f"line {at}", f"the bytes of {id} do not have its hash")
    done.blocks += 1


def _data(at: int, record: dict[str, Any]) -> bytes:
    data = from_json(record.get("data"))
    if data is None:
        raise InputError(f"line {at}", "'data' is neither text nor base64")
    return data


def _already(alike: bool, what: str, done: Imported) -> None:
    if alike:
        done.known += 1
    else:
        done.left.append(f"{what}: another one of this name is here")
