"""PostgreSQL's own troubles: one clear error each time, and the data left alone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.postgres import new_url
from trimtab.errors import SessionNotFound, StoreError, UsageError
from trimtab.store.open import open_store
from trimtab.store.protocol import Store
from trimtab.store.sql_store import SqlStore


@pytest.fixture
def url() -> str:
    return new_url()


@pytest.fixture
def server(url: str) -> Iterator[Any]:
    """A connection of the tests' own, in the store's schema."""
    import psycopg

    base, _, schema = url.partition("&schema=")
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}".encode())
        yield connection


def filled(url: str) -> None:
    with open_store(url) as store:
        store.create_session("one", dialect="neutral", model=None)
        store.append("one", 0, [("message", b"x")])


def bodies(store: Store) -> list[bytes]:
    return [event.body for event in store.events("one")]


def test_the_tables_are_in_a_schema_of_their_own(url: str, server: Any) -> None:
    filled(url)
    (tables,) = server.execute(
        "SELECT array_agg(tablename::text ORDER BY tablename) FROM pg_tables"
        " WHERE schemaname = current_schema()"
    ).fetchone()
    names = "blocks entries events memory_files notes refs schema_version sessions"
    assert tables == names.split()


def test_what_is_acknowledged_is_in_the_servers_log(url: str) -> None:
    with open_store(url) as store:
        assert isinstance(store, SqlStore)
        with store.database.read() as tx:
            assert tx.row("SHOW synchronous_commit") == ("on",)


def test_a_store_of_a_newer_version(url: str, server: Any) -> None:
    filled(url)
    server.execute("INSERT INTO schema_version VALUES (99, 0)")
    with pytest.raises(
        StoreError, match=r"newer trimtab \(tables of version 99, this one knows 1\)"
    ):
        open_store(url)
    server.execute("DELETE FROM schema_version WHERE version = 99")
    with open_store(url) as store:
        assert bodies(store) == [b"x"]


def test_the_schema_of_another_program(url: str, server: Any) -> None:
    schema = url.partition("&schema=")[2]
    server.execute(f"CREATE SCHEMA {schema}")
    server.execute("CREATE TABLE sessions (mine text)")
    with pytest.raises(StoreError, match="another program"):
        open_store(url)
    assert server.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_a_session_that_somebody_has_locked(url: str, server: Any) -> None:
    filled(url)
    with open_store(url, wait=0.1) as store:
        with server.transaction():
            server.execute("SELECT 1 FROM sessions FOR UPDATE")
            with pytest.raises(StoreError, match="somebody else holds the lock"):
                store.append("one", 1, [("message", b"y")])
            assert bodies(store) == [b"x"]  # reading goes on
            store.create_session("two", dialect="neutral", model=None)  # and so do others
        store.append("one", 1, [("message", b"y")])
        assert store.check() == []


def test_a_connection_that_broke_is_opened_anew(url: str, server: Any) -> None:
    filled(url)

    def end_all() -> None:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'trimtab'"
        )

    with open_store(url) as store:
        end_all()
        with pytest.raises(StoreError, match="read the session again before it is repeated"):
            store.append("one", 1, [("message", b"y")])
        assert bodies(store) == [b"x"]
        store.append("one", 1, [("message", b"y")])
        end_all()
        with pytest.raises(StoreError, match="cannot be read") as caught:
            store.sessions()
        assert "\n" not in str(caught.value)
        assert bodies(store) == [b"x", b"y"]


def test_a_server_that_may_only_be_read(url: str, server: Any) -> None:
    filled(url)
    name = server.execute("SELECT current_user").fetchone()[0]
    server.execute(f'ALTER ROLE "{name}" SET default_transaction_read_only = on')
    try:
        with open_store(url) as store:
            assert bodies(store) == [b"x"]
            with pytest.raises(StoreError, match="may only be read; nothing was changed"):
                store.append("one", 1, [("message", b"y")])
            assert bodies(store) == [b"x"]
        with pytest.raises(StoreError, match="may only be read"):
            open_store(new_url())
    finally:
        server.execute(f'ALTER ROLE "{name}" RESET default_transaction_read_only')


def test_a_user_without_the_right(url: str, server: Any) -> None:
    filled(url)
    server.execute("DROP ROLE IF EXISTS stranger")
    server.execute("CREATE ROLE stranger LOGIN")
    with pytest.raises(StoreError, match="name a schema that is yours"):
        open_store(new_url().replace("trimtab@", "stranger@"))
    with pytest.raises(StoreError, match="permission denied"):
        open_store(url.replace("trimtab@", "stranger@"))


def test_a_database_that_is_not_in_utf8(url: str, server: Any) -> None:
    server.execute("DROP DATABASE IF EXISTS latin")
    server.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="LATIN1, and only UTF8"):
        open_store(url.replace("/postgres?", "/latin?"))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hushhush@127.0.0.1:9/name",
        "postgresql://me:hushhush@/name?host=/nowhere",
        "postgresql://me:hushhush@nowhere.invalid/name",
        "postgresql://me:hushhush@127.0.0.1:nonsense/name",
        "postgresql://me:hushhush@127.0.0.1:9/name?nonsense=1",
        "postgresql://me@127.0.0.1:9/name?password=hushhush",
    ],
)
def test_a_server_that_is_not_there(address: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        open_store(address, wait=1)
    assert "hushhush" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("schema", ["", "A", "a b", "1a", "x;DROP", "x" * 64, "a%22"])
def test_what_cannot_be_a_schema(schema: str) -> None:
    with pytest.raises(UsageError, match="schema"):
        open_store(f"postgresql:///name?schema={schema}")


def test_psycopg_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'trimtab\[postgres\]'"):
        open_store("postgresql:///name")


def test_psycopg_is_loaded_for_postgresql_alone() -> None:
    script = (
        "import sys; from trimtab.store.open import open_store;"
        "open_store(':memory:').close(); print('psycopg' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_writers_of_the_same_blocks_never_wait_for_each_other_for_ever(url: str) -> None:
    """Two transactions that insert the same keys in another order would deadlock."""
    blocks = [b"%d" % n for n in range(30)]
    with open_store(url) as store:
        for name in ("a", "b", "c"):
            store.create_session(name, dialect="neutral", model=None)

    def write(name: str) -> None:
        with open_store(url, wait=30) as mine:
            for seq in range(15):
                given = [data + b" %d" % seq for data in blocks]
                given = given if name == "a" else given[::-1] if name == "b" else given[::7] + given
                mine.append(name, seq, [("edit", b"")], blocks=given)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, ("a", "b", "c")))
    with open_store(url) as store:
        assert store.stats()["blocks"] == 30 * 15
        assert store.check() == []


def test_gc_waits_for_whoever_refers_to_a_block(url: str) -> None:
    """Named by its id alone, the block itself is not locked: the references are."""
    from trimtab.store.block_rows import add_refs, need_blocks

    with open_store(url) as store, open_store(url, wait=30) as other:
        assert isinstance(store, SqlStore)
        store.create_session("one", dialect="neutral", model=None)
        id = store.put_block(b"data")
        time.sleep(0.3)
        store.change_session("one", title="in use")
        collector = threading.Thread(target=other.gc, args=[0.2])
        with store.database.write() as tx:
            add_refs(tx, 1, [id])
            need_blocks(tx, [id])
            collector.start()
            collector.join(0.5)
            assert collector.is_alive()
        collector.join()
        assert store.get_block(id) == b"data"
        assert store.check() == []


def test_gc_never_takes_a_block_that_is_being_referred_to(url: str) -> None:
    with open_store(url) as store:
        store.create_session("one", dialect="neutral", model=None)
    stop = threading.Event()

    def collect() -> None:
        with open_store(url, wait=30) as mine:
            while not stop.is_set():
                mine.gc(0.0)

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        with open_store(url, wait=30) as store:
            end = time.monotonic() + 1.5
            seq = 0
            while time.monotonic() < end:
                data = b"%d" % (seq % 7)
                store.put_block(data)
                try:
                    seq = store.session("one").events
                    store.append("one", seq, [("edit", b"")], blocks=[data])
                except SessionNotFound:  # gc took the session: it is as old as can be
                    store.create_session("one", dialect="neutral", model=None)
                    continue
                seq += 1
            stop.set()
            collector.join()
            assert store.check() == []
    finally:
        stop.set()
        collector.join()


def test_the_search_looks_among_the_newest_first(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With narrow steps, so that few texts are enough: the answers are the same."""
    from trimtab.store import postgres
    from trimtab.store.protocol import Indexed

    with open_store(url) as store:
        store.create_session("one", dialect="neutral", model=None)
        texts = [
            f"everywhere {'half' if n % 2 else ''} {'seldom' if n % 400 == 0 else ''} w{n}"
            for n in range(2_000)
        ]
        store.append(
            "one", 0, [("message", b"")] * len(texts),
            texts=[Indexed("one", n, n, "", text) for n, text in enumerate(texts)],
        )  # fmt: skip
        queries = ("everywhere", "half", "seldom", "w17", "everywhere w3", "half seldom")
        wide = {query: store.search(query) for query in queries}
        monkeypatch.setattr(postgres, "RANKED", 100)
        monkeypatch.setattr(postgres, "_NEWEST", 10)
        monkeypatch.setattr(postgres, "_WIDER", 3)
        narrow = {query: store.search(query) for query in queries}
        for query in ("seldom", "w17", "everywhere w3"):
            assert narrow[query] == wide[query]
        for query, least in (("everywhere", 1_900), ("half", 1_800)):
            assert len(narrow[query]) == 20
            assert all(hit.seq >= least for hit in narrow[query])
