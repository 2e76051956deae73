"""What SQLite reports, as one line that says what to do."""

from __future__ import annotations

import sqlite3

from trimtab.errors import StoreError


def refused(path: str, failure: sqlite3.Error | OverflowError, what: str) -> StoreError:
    """The error for a file at `path` that could not be `what` (opened, read, written)."""
    code: int | None = getattr(failure, "sqlite_errorcode", None)
    if code is None or isinstance(failure, OverflowError):  # raised by the module itself
        return StoreError(f"{path}: cannot be {what} ({failure})")
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            reason = "the disk is full; nothing was changed: make room and try again"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            reason = "another process holds the lock; nothing was changed: try again"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            reason = "it may only be read; nothing was changed: name another file"
        case sqlite3.SQLITE_CANTOPEN:
            reason = (
                "the file, or its folder, where SQLite keeps its log, cannot be opened: look at "
                "their permissions"
            )
        case sqlite3.SQLITE_NOTADB:
            reason = "it is no SQLite file, or its first page is damaged; nothing was changed"
        case sqlite3.SQLITE_CORRUPT:
            reason = (
                "the file is damaged; nothing was changed: restore a copy of it, or save each "
                "session that can still be read with `trimtab store export`"
            )
        case sqlite3.SQLITE_IOERR:
            reason = f"the disk reports an error ({failure.sqlite_errorname}); nothing was changed"
        case sqlite3.SQLITE_TOOBIG:
            reason = "one value is larger than SQLite can hold (1 GB); nothing was changed"
        case _:
            reason = str(failure)
    return StoreError(f"{path}: cannot be {what}: {reason}")
