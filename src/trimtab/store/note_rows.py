"""Notes: named values that outlive a session."""

from __future__ import annotations

import time

from trimtab.store.database import Transaction
from trimtab.store.names import name_of
from trimtab.store.protocol import Note

_KEEP = "surrogatepass"  # a value comes back word for word, whatever is in it


def put_note(tx: Transaction, name: str, value: str, session: str | None) -> None:
    """Add or replace."""
    if session is not None:
        name_of(session, "the session id")
    tx.do(
        "INSERT INTO notes (name, value, session, updated) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
        " session = excluded.session, updated = excluded.updated",
        name_of(name, "the name of a note"), value.encode("utf-8", _KEEP), session, time.time(),
    )  # fmt: skip


def note(tx: Transaction, name: str) -> str | None:
    """The value, or `None`."""
    name = name_of(name, "the name of a note")
    row = tx.row("SELECT value FROM notes WHERE name = ?", name)
    return None if row is None else bytes(row[0]).decode("utf-8", _KEEP)


def notes(tx: Transaction, prefix: str) -> list[Note]:
    """Those whose name begins with `prefix`, by name."""
    rows = tx.rows("SELECT name, value, session, updated FROM notes")
    return [
        Note(name, bytes(value).decode("utf-8", _KEEP), session, updated)
        for name, value, session, updated in sorted(rows, key=lambda row: row[0])
        if name.startswith(prefix)
    ]


def delete_note(tx: Transaction, name: str) -> bool:
    """Remove; says whether there was one."""
    return tx.do("DELETE FROM notes WHERE name = ?", name_of(name, "the name of a note")) > 0
