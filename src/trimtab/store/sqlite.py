"""The store in one SQLite file.

One connection, guarded by a lock: any thread may use it, one at a time. A process that was forked
opens a connection of its own. Other processes may use the same file: readers never wait, writers
wait for each other (up to `wait` seconds).

Durability: WAL with synchronous=FULL. WAL alone keeps what was acknowledged when the process is
killed; FULL adds one fsync a transaction, which keeps it when the machine loses power too.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trimtab.errors import StoreError
from trimtab.store.database import RANKED, Match, Piece, Row, Transaction
from trimtab.store.migrate import missing, newest
from trimtab.store.search_text import Query, Term, words
from trimtab.store.sqlite_errors import refused

MEMORY = ":memory:"
_MARK = 0x7472696D  # application_id: "trim"
_LOG = 16 * 1024 * 1024  # bytes that the log keeps for itself after a large write


class SqliteTransaction:
    """The statements of one `read` or `write`."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> Row | None:
        cursor = self._connection.execute(sql, values)
        found: Row | None = cursor.fetchone()
        cursor.close()  # a cursor left open keeps reading: the WAL could not be reset
        return found

    def do(self, sql: str, *values: object) -> int:
        return self._connection.execute(sql, values).rowcount

    def many(self, sql: str, values: Sequence[Row]) -> None:
        self._connection.executemany(sql, values)


class SqliteDatabase:
    """A SQLite file, made on first use: mode 0600, in a folder of mode 0700.

    Args:
        path: the file, or `:memory:`.
        wait: seconds to wait for another process that writes.

    Raises:
        StoreError: it cannot be opened, is no trimtab store, or is of a newer trimtab.
    """

    def __init__(self, path: str | Path, *, wait: float = 5.0) -> None:
        # Absolute: the process may go to another folder before it opens the file again.
        self._path = MEMORY if str(path) == MEMORY else os.path.abspath(path)
        self._file = 0
        self._wait = wait
        self._lock = threading.RLock()
        self._owner = 0
        self._connection: sqlite3.Connection | None = None
        self._inherited: list[sqlite3.Connection] = []
        self._closed = False
        with self._held():
            pass

    @property
    def where(self) -> str:
        return self._path

    # -- transactions -----------------------------------------------------------------------------

    @contextmanager
    def read(self, snapshot: bool = False) -> Iterator[SqliteTransaction]:
        with self._held() as connection, self._refusing("read"):
            if not snapshot:
                yield SqliteTransaction(connection)
                return
            connection.execute("BEGIN")
            try:
                yield SqliteTransaction(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[SqliteTransaction]:
        with self._held() as connection, self._refusing("written"):
            self._require_file()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite itself undoes it on a full disk
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError) as failure:
            raise refused(self._path, failure, what) from failure

    @contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._path}: the store is closed")
            if self._connection is None or self._owner != os.getpid():
                if self._connection is not None:
                    # A connection must not be used, nor closed, on the other side of a fork.
                    self._inherited.append(self._connection)
                    self._connection = None
                    if self._path == MEMORY:
                        raise StoreError("a store in memory ends at a fork; name a file")
                with self._refusing("opened"):
                    self._connection = self._opened()
                self._owner = os.getpid()
            yield self._connection

    def _require_file(self) -> None:
        """SQLite would go on writing to a file that was deleted, and all of it would be lost."""
        if self._path != MEMORY and self._file != _number(self._path):
            raise StoreError(
                f"{self._path}: the file was removed or replaced while it was open; nothing was "
                "written: put it back, or open the store again"
            )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._connection is not None and self._owner == os.getpid():
                with self._refusing("closed"):
                    self._connection.close()
            self._connection = None

    # -- opening ----------------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        if self._path != MEMORY:
            _make(Path(self._path))
        connection = sqlite3.connect(
            self._path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._file = _number(self._path)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG}")
        version = self._version(connection)
        todo = missing("sqlite", version, self._path)  # before anything is written
        if version and not todo:
            return
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # heeded while the file is empty
        self._switch_to_wal(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done it while this one waited.
            for file in missing("sqlite", self._version(connection), self._path):
                for statement in _statements(file.read_text("utf-8")):
                    connection.execute(statement)
                added = (int(file.name[:4]), time.time())
                connection.execute("INSERT INTO schema_version VALUES (?, ?)", added)
            connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _version(self, connection: sqlite3.Connection) -> int:
        """0 for an empty file."""
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if not tables:
            return 0
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        if mark != _MARK or "schema_version" not in tables:
            raise StoreError(
                f"{self._path}: a SQLite file of another program; nothing was changed: "
                "name another file"
            )
        version: int | None
        (version,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
        return version or newest("sqlite") + 1

    def _switch_to_wal(self, connection: sqlite3.Connection) -> None:
        """SQLite does not wait for others in this one statement, so it is done here."""
        end = time.monotonic() + self._wait
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as failure:
                busy = failure.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > end:
                    raise
                time.sleep(0.01)
            else:
                return

    # -- what SQLite does in its own way ----------------------------------------------------------

    def lock_session(self, tx: Transaction, id: str) -> Row | None:
        # A write transaction is alone in any case.
        return tx.row("SELECT number, events, messages FROM sessions WHERE id = ?", id)

    def lock_refs(self, tx: Transaction) -> None:
        pass

    def add_pieces(self, tx: Transaction, session: int, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            tx.do(
                "INSERT INTO entries (session, seq, turn, block, piece, text)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                session, *piece,
            )  # fmt: skip
            tx.do(
                "INSERT INTO search (rowid, session, words) VALUES (last_insert_rowid(), ?, ?)",
                str(session), " ".join(words(piece[-1])),
            )  # fmt: skip

    def remove_pieces(self, tx: Transaction, session: int) -> None:
        # The index keeps no text: what is to be removed from it must be told to it again.
        for row, piece in tx.rows("SELECT id, text FROM entries WHERE session = ?", session):
            tx.do(
                "INSERT INTO search (search, rowid, session, words) VALUES ('delete', ?, ?, ?)",
                row, str(session), " ".join(words(piece)),
            )  # fmt: skip
        tx.do("DELETE FROM entries WHERE session = ?", session)

    def matches(
        self,
        tx: Transaction,
        query: Query,
        every: bool,
        session: int | None,
        window: slice,
    ) -> list[Match]:
        asked = (" AND " if every else " OR ").join(map(_phrase, query.terms))
        match = f"words : ({asked})"
        if session is not None:
            match = f'(session : "{session}") AND {match}'
        return tx.rows(
            # Only the newest matches are ranked, and texts are read of the best alone.
            "WITH found AS MATERIALIZED ("
            " SELECT row, score FROM (SELECT rowid AS row, rank AS score FROM search"
            f" WHERE search MATCH ? ORDER BY rowid DESC LIMIT {RANKED})"
            " ORDER BY score, row DESC LIMIT ? OFFSET ?)"
            " SELECT s.id, e.seq, e.turn, e.block, e.text, -f.score FROM found AS f"
            " JOIN entries AS e ON e.id = f.row JOIN sessions AS s ON s.number = e.session"
            " ORDER BY f.score, e.id DESC",
            match, window.stop - window.start, window.start,
        )  # fmt: skip

    def size(self, tx: Transaction) -> int:
        (pages,) = tx.row("PRAGMA page_count") or (0,)
        (page,) = tx.row("PRAGMA page_size") or (0,)
        return int(pages * page)

    def tidy(self) -> None:
        with self._held() as connection, self._refusing("written"):
            # As a script: `execute` would let go after the first page.
            connection.executescript("PRAGMA incremental_vacuum")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def problems(self) -> list[str]:
        with self.read() as tx:
            found = "\n".join(str(row[0]) for row in tx.rows("PRAGMA integrity_check"))
        problems = [f"{self._path}: {line}" for line in found.splitlines() if line != "ok"]
        if problems:
            return problems
        with self.write() as tx:
            try:
                tx.do("INSERT INTO search (search) VALUES ('integrity-check')")
            except sqlite3.DatabaseError as failure:
                problems.append(f"{self._path}: the full-text index is damaged ({failure})")
        return problems


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"{" *" if term.begun else ""}'


def _number(path: str) -> int:
    """Which file a path names now; 0 where there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _make(path: Path) -> None:
    """An empty file for its owner only; SQLite gives its companion files the same mode."""
    try:
        _make_folder(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        pass
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise StoreError(
            f"{path}: cannot be made ({reason}); set TRIMTAB_HOME, or name another file"
        ) from failure


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _statements(script: str) -> Iterator[str]:
    """The statements one by one: `executescript` would end the transaction that they belong in."""
    lines = ""
    for line in script.splitlines(keepends=True):
        lines += line
        if sqlite3.complete_statement(lines):
            yield lines
            lines = ""
