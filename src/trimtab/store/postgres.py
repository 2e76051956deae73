"""The store in a PostgreSQL database, by psycopg 3.

One connection, guarded by a lock: any thread may use it, one at a time. A process that was forked
opens a connection of its own; one that broke is opened anew at the next call. An append locks its
session's row: two writers to one session come one after the other, and the second finds events
that it did not know of. Writers to different sessions do not wait for each other.

Durability: `synchronous_commit = on`, whatever the server's default is. What was acknowledged is
in the server's log on disk.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from trimtab.errors import StoreError, UsageError
from trimtab.store.database import RANKED, Match, Piece, Row, Transaction
from trimtab.store.migrate import missing
from trimtab.store.postgres_errors import refused
from trimtab.store.search_text import Query, Term, words

if TYPE_CHECKING:
    import psycopg

SCHEMA = "trimtab"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_NEWEST = 4_000  # texts among which enough matches are looked for first
_WIDER = 8
_POSITIONS = 255  # of one word that a tsvector keeps
_LAST = 16_383  # the last position that it knows


class PostgresTransaction:
    """The statements of one `read` or `write`."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: psycopg.Cursor[Row]) -> None:
        self._cursor = cursor

    def rows(self, sql: str, *values: object) -> list[Row]:
        return self._cursor.execute(_placed(sql), values).fetchall()

    def row(self, sql: str, *values: object) -> Row | None:
        return self._cursor.execute(_placed(sql), values).fetchone()

    def do(self, sql: str, *values: object) -> int:
        return self._cursor.execute(_placed(sql), values).rowcount

    def many(self, sql: str, values: Sequence[Row]) -> None:
        if values:
            self._cursor.executemany(_placed(sql), values)


class PostgresDatabase:
    """The tables of trimtab in a schema of a PostgreSQL database, made on first use.

    Args:
        url: `postgresql://[user[:password]@][host][:port][/name][?option=value&…]`; all of libpq's
            options, and `schema`.
        wait: seconds to wait for a lock that somebody else holds, and for the server to answer.

    Raises:
        StoreError: psycopg is not installed, the server does not answer or refuses, the database
            is not in UTF-8, the schema is another program's or of a newer trimtab.
        UsageError: the schema's name cannot be one.
    """

    def __init__(self, url: str, *, wait: float = 5.0) -> None:
        try:
            import psycopg
        except ImportError as failure:
            raise StoreError(
                f"PostgreSQL needs psycopg ({failure}): pip install 'trimtab[postgres]'"
            ) from failure
        self._psycopg = psycopg
        self._url, self._schema = _split(url)
        self._wait = wait
        self._lock = threading.RLock()
        self._owner = 0
        self._connection: psycopg.Connection[Row] | None = None
        self._inherited: list[psycopg.Connection[Row]] = []
        self._closed = False
        self._where = "postgresql"
        with self._held():
            pass

    @property
    def where(self) -> str:
        return self._where

    # -- transactions -----------------------------------------------------------------------------

    @contextmanager
    def read(self, snapshot: bool = False) -> Iterator[PostgresTransaction]:
        with self._held() as connection, self._refusing("read"):
            if not snapshot:
                yield _transaction(connection)
                return
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield _transaction(connection)

    @contextmanager
    def write(self) -> Iterator[PostgresTransaction]:
        with self._held() as connection, self._refusing("written"), connection.transaction():
            yield _transaction(connection)

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as failure:
            lost = self._connection is not None and self._connection.closed
            raise refused(self._where, failure, what, lost) from failure

    @contextmanager
    def _held(self) -> Iterator[psycopg.Connection[Row]]:
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._where}: the store is closed")
            if self._connection is not None and self._owner != os.getpid():
                # Not to be used, nor closed, on the other side of a fork.
                self._inherited.append(self._connection)
                self._connection = None
            if self._connection is None or self._connection.closed:
                with self._refusing("opened"):
                    self._connection = self._opened()
                self._owner = os.getpid()
            yield self._connection

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    # -- opening ----------------------------------------------------------------------------------

    def _opened(self) -> psycopg.Connection[Row]:
        given = self._psycopg.conninfo.conninfo_to_dict(self._url)
        self._where = _address(given, self._schema)
        options: dict[str, Any] = {
            "connect_timeout": max(2, round(self._wait)),
            "application_name": "trimtab",
            **given,
            "client_encoding": "utf8",
        }
        connection = self._psycopg.connect("", autocommit=True, **options)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: psycopg.Connection[Row]) -> None:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"{self._where}: the database is in {encoding}, and only UTF8 holds all that is to "
                "be kept: name another database"
            )
        # The schema's name was checked: nothing to quote.
        connection.execute(
            f"SET search_path = {self._schema}; SET synchronous_commit = on;"
            f" SET lock_timeout = {max(1, round(self._wait * 1000))}".encode()
        )
        if not missing("postgres", self._version(connection), self._where):
            return
        with connection.transaction():
            # One maker at a time; whoever waited finds the tables made.
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", ["trimtab tables"])
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}".encode())
            for file in missing("postgres", self._version(connection), self._where):
                connection.execute(file.read_bytes())
                connection.execute(
                    "INSERT INTO schema_version VALUES (%s, %s)", [int(file.name[:4]), time.time()]
                )

    def _version(self, connection: psycopg.Connection[Row]) -> int:
        """0 where the schema is empty or not there."""
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s)"
            " AND relkind IN ('r', 'p', 'v', 'm', 'f')",
            [self._schema],
        ).fetchall()
        if not tables:
            return 0
        if ("schema_version",) not in tables:
            raise StoreError(
                f"{self._where}: the schema {self._schema} is another program's; nothing was "
                "changed: name another one (?schema=NAME)"
            )
        sql = f"SELECT max(version) FROM {self._schema}.schema_version"
        row = connection.execute(sql.encode()).fetchone()
        return int(row[0]) if row and row[0] else 1

    # -- what PostgreSQL does in its own way ------------------------------------------------------

    def lock_session(self, tx: Transaction, id: str) -> Row | None:
        return tx.row("SELECT number, events, messages FROM sessions WHERE id = ? FOR UPDATE", id)

    def lock_refs(self, tx: Transaction) -> None:
        # Whoever adds a reference does so before it looks for the block, and so waits here.
        tx.do("LOCK TABLE refs IN SHARE ROW EXCLUSIVE MODE")

    def add_pieces(self, tx: Transaction, session: int, pieces: Sequence[Piece]) -> None:
        tx.many(
            "INSERT INTO entries (session, seq, turn, block, piece, text, words)"
            " VALUES (?, ?, ?, ?, ?, ?, ?::tsvector)",
            [(session, *piece, _vector(piece[-1])) for piece in pieces],
        )

    def remove_pieces(self, tx: Transaction, session: int) -> None:
        tx.do("DELETE FROM entries WHERE session = ?", session)

    def matches(
        self, tx: Transaction, query: Query, every: bool, session: int | None, window: slice
    ) -> list[Match]:
        asked = (" & " if every else " | ").join(map(_phrase, query.terms))
        here = "words @@ CAST(? AS tsquery) AND id > ?"
        values: Row = (asked,)
        if session is not None:
            here, values = "session = ? AND " + here, (session, asked)
        floor = self._floor(tx, here, values)
        return tx.rows(
            # Only the newest matches are ranked, and texts are read of the best alone.
            "WITH matching AS MATERIALIZED ("
            f" SELECT id FROM entries WHERE {here}),"
            " newest AS MATERIALIZED ("
            f" SELECT id FROM matching ORDER BY id DESC LIMIT {RANKED}),"
            " found AS MATERIALIZED ("
            " SELECT e.id, ts_rank(e.words, CAST(? AS tsquery), 1) AS score"
            " FROM newest JOIN entries AS e USING (id) ORDER BY score DESC, id DESC"
            " LIMIT ? OFFSET ?)"
            " SELECT s.id, e.seq, e.turn, e.block, e.text, f.score FROM found AS f"
            " JOIN entries AS e ON e.id = f.id JOIN sessions AS s ON s.number = e.session"
            " ORDER BY f.score DESC, e.id DESC",
            *values, floor, asked, window.stop - window.start, window.start,
        )  # fmt: skip

    def _floor(self, tx: Transaction, here: str, values: Row) -> int:
        """An id above which enough texts match: the rows of all matches are dear to fetch."""
        (top,) = tx.row("SELECT coalesce(max(id), 0) FROM entries") or (0,)
        width = _NEWEST
        while width < top:
            sql = f"SELECT count(*) FROM (SELECT 1 FROM entries WHERE {here} LIMIT {RANKED}) AS x"
            (count,) = tx.row(sql, *values, top - width) or (0,)
            if count == RANKED:
                return int(top - width)
            width *= _WIDER
        return 0

    def size(self, tx: Transaction) -> int:
        row = tx.row(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
            " WHERE relnamespace = to_regnamespace(?) AND relkind = 'r'",
            self._schema,
        )
        return int(row[0]) if row else 0

    def tidy(self) -> None:
        pass  # the server does it by itself

    def problems(self) -> list[str]:
        return []  # the server's pages are checked by its own tools (pg_amcheck, checksums)


@lru_cache(maxsize=256)
def _placed(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def _transaction(connection: psycopg.Connection[Row]) -> PostgresTransaction:
    return PostgresTransaction(connection.cursor(binary=True))


def _phrase(term: Term) -> str:
    # Words are letters and digits alone: nothing in them to quote.
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.begun else "")


def _vector(text: str) -> str:
    """The words with their positions, as PostgreSQL reads them: its own parser has other ideas."""
    places: dict[str, list[str]] = {}
    for position, word in enumerate(words(text), 1):
        known = places.setdefault(word, [])
        if len(known) < _POSITIONS:
            known.append(str(min(position, _LAST)))
    return " ".join(f"'{word}':{','.join(known)}" for word, known in places.items())


def _split(url: str) -> tuple[str, str]:
    """The URL as libpq knows it, and the schema."""
    base, mark, query = url.partition("?")
    schema = SCHEMA
    kept = []
    for pair in query.split("&") if mark else []:
        name, _, value = pair.partition("=")
        if name == "schema":
            schema = unquote(value)
        else:
            kept.append(pair)
    if not _NAME.fullmatch(schema):
        raise UsageError(f"schema {schema!r}: small letters, digits and _ only, no digit first")
    return base + ("?" + "&".join(kept) if kept else ""), schema


def _address(given: dict[str, Any], schema: str) -> str:
    """For messages: never the password."""
    host = given.get("host") or ""
    user = f"{given['user']}@" if given.get("user") else ""
    port = f":{given['port']}" if given.get("port") else ""
    where = (
        f"postgresql://{user}{'' if host.startswith('/') else host}{port}/{given.get('dbname', '')}"
    )
    return where if schema == SCHEMA else f"{where}?schema={schema}"
