"""Notes: named values that outlive a session."""

from __future__ import annotations

import time

from trimtab.store.database import Transaction
from trimtab.store.names import name_of
from trimtab.store.packing import checksum, intact
from trimtab.store.protocol import Note

_KEEP = "surrogatepass"  # a value comes back word for word, whatever is in it


def put_note(tx: Transaction, name: str, value: str, session: str | None) -> None:
    """Add or replace."""
    if session is not None:
        name_of(session, "the session id")
    name = name_of(name, "the name of a note")
    data = value.encode("utf-8", _KEEP)
    tx.do(
        "INSERT INTO notes (name, value, crc, session, updated) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value, crc = excluded.crc,"
        " session = excluded.session, updated = excluded.updated",
        name, data, checksum(name, data), session, time.time(),
    )  # fmt: skip


def note(tx: Transaction, where: str, name: str) -> str | None:
    """The value, or `None`."""
    name = name_of(name, "the name of a note")
    row = tx.row("SELECT value, crc FROM notes WHERE name = ?", name)
    return None if row is None else _value(where, name, *row)


def notes(tx: Transaction, where: str, prefix: str) -> list[Note]:
    """Those whose name begins with `prefix`, by name."""
    rows = tx.rows("SELECT name, value, crc, session, updated FROM notes")
    return [
        Note(name, _value(where, name, value, crc), session, updated)
        for name, value, crc, session, updated in sorted(rows, key=lambda row: row[0])
        if name.startswith(prefix)
    ]


def delete_note(tx: Transaction, name: str) -> bool:
    """Remove; says whether there was one."""
    return tx.do("DELETE FROM notes WHERE name = ?", name_of(name, "the name of a note")) > 0


def _value(where: str, name: str, value: object, crc: object) -> str:
    return intact(where, f"the note {name}", name, value, crc).decode("utf-8", _KEEP)
