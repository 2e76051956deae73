"""The files of the memory tool, as rows. A path is a name: `..` and links mean nothing here."""

from __future__ import annotations

import time

from trimtab.errors import UsageError
from trimtab.store.database import Transaction
from trimtab.store.names import name_of
from trimtab.store.packing import checksum, intact
from trimtab.store.protocol import MemoryFile

# The paths below a folder: from `folder/` to `folder0`, which is the next character. Compared
# byte by byte in both databases.
_BELOW = "path >= ? AND path < ?"


def get(tx: Transaction, where: str, path: str) -> bytes | None:
    """The bytes, or `None`."""
    row = tx.row("SELECT data, crc FROM memory_files WHERE path = ?", _path(path))
    return None if row is None else intact(where, f"the memory file {path}", "", *row)


def put(tx: Transaction, path: str, data: bytes, new: bool, replaces: bytes | None) -> bool:
    """Write, if the condition holds; see `Store.memory_put`."""
    path = _path(path)
    if replaces is not None:
        return not new and tx.do(
            "UPDATE memory_files SET data = ?, crc = ?, updated = ? WHERE path = ? AND data = ?",
            data, checksum("", data), time.time(), path, replaces,
        ) > 0  # fmt: skip
    update = "UPDATE SET data = excluded.data, crc = excluded.crc, updated = excluded.updated"
    clash = "NOTHING" if new else update
    return tx.do(
        "INSERT INTO memory_files (path, data, crc, updated) VALUES (?, ?, ?, ?)"
        f" ON CONFLICT (path) DO {clash}",
        path, data, checksum("", data), time.time(),
    ) > 0  # fmt: skip


def delete(tx: Transaction, path: str) -> int:
    """Remove the file, or all below it; how many."""
    path = _path(path)
    return tx.do(f"DELETE FROM memory_files WHERE path = ? OR ({_BELOW})", path, *_below(path))


def rename(tx: Transaction, old: str, new: str) -> int:
    """Move the file, or all below it; see `Store.memory_rename`."""
    old, new = _path(old), _path(new)
    if new == old or new.startswith(old.rstrip("/") + "/"):
        raise UsageError(f"{old} cannot be renamed to {new}: that is itself, or below it")
    where = f"WHERE path = ? OR ({_BELOW})"
    moved = [row[0] for row in tx.rows(f"SELECT path FROM memory_files {where}", old, *_below(old))]
    if not moved:
        return 0
    if tx.row(f"SELECT 1 FROM memory_files {where}", new, *_below(new)):
        raise UsageError(f"The destination {new} already exists")
    now = time.time()
    for path in moved:
        tx.do(
            "UPDATE memory_files SET path = ?, updated = ? WHERE path = ?",
            _path(new + path[len(old) :]), now, path,
        )  # fmt: skip
    return len(moved)


def listed(tx: Transaction, prefix: str) -> list[MemoryFile]:
    """Those whose path begins with `prefix`, by path."""
    rows = tx.rows("SELECT path, length(data), updated FROM memory_files")
    return [MemoryFile(*row) for row in sorted(rows) if row[0].startswith(prefix)]


def _path(path: str) -> str:
    return name_of(path, "the path")


def _below(path: str) -> tuple[str, str]:
    folder = path.rstrip("/")
    return folder + "/", folder + "0"
