"""What every store does: the same tests on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

from tests.stores import Backend, backend, store
from trimtab.context.blocks import block_id
from trimtab.errors import (
    BlockNotFound,
    InputError,
    SessionConflict,
    SessionNotFound,
    StoreError,
    UsageError,
)
from trimtab.store.database import Transaction
from trimtab.store.protocol import Indexed, Store
from trimtab.store.sql_store import SqlStore

__all__ = ["backend", "store"]  # fixtures

AWKWARD = [
    "",
    "plain",
    "a\0b",
    "half \ud800 pair",
    "\udfff",
    "予算は200万円",
    "👩‍👩‍👧",
    "\r\n\t\x1b[31m",
    "'; DROP TABLE events; --",
    "%s ? $1 {} \\",
    "\ufeff\ufffe\uffff",
]


def started(store: Store, id: str = "one") -> str:
    store.create_session(id, dialect="neutral", model=None)
    return id


def bodies(store: Store, id: str = "one", start: int = 0) -> list[bytes]:
    return [event.body for event in store.events(id, start)]


# -- sessions -------------------------------------------------------------------------------------


def test_several_blocks_are_kept_at_once(store: Store) -> None:
    blocks = [b"one", b"two", b"one", b"\xff" * 5000]
    ids = store.put_blocks(blocks)
    assert ids == [block_id(data) for data in blocks]
    assert [store.get_block(id) for id in ids] == blocks
    assert list(store.block_ids()) == sorted(set(ids))
    assert store.put_blocks([]) == []
    assert all(store.prepare(data) is data for data in blocks)


def test_all_ids_are_listed_a_page_at_a_time(store: Store) -> None:
    ids = store.put_blocks([b"%d" % n for n in range(2_500)])
    assert list(store.block_ids()) == sorted(ids)


def test_a_session_is_what_was_said_of_it(store: Store) -> None:
    before = time.time()
    store.create_session("one", dialect="anthropic", model="m", title="A \0title", meta=b"\0\xff")
    info = store.session("one")
    assert (info.id, info.dialect, info.model, info.title) == ("one", "anthropic", "m", "A �title")
    assert before - 1 <= info.created <= info.updated <= time.time() + 1
    assert (info.events, info.messages) == (0, 0)
    assert store.meta("one") == b"\0\xff"


def test_the_session_written_to_last_comes_first(store: Store) -> None:
    for id in ("a", "b", "c"):
        started(store, id)
    time.sleep(0.01)
    store.append("b", 0, [("message", b"x")])
    assert [info.id for info in store.sessions()] == ["b", "c", "a"]


def test_a_session_is_made_once(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None, title="first")
    with pytest.raises(SessionConflict, match="already"):
        store.create_session("one", dialect="openai", model=None, title="second")
    assert store.session("one").title == "first"


@pytest.mark.parametrize("id", ["", "a\0b", "\ud800", "x" * 501])
def test_what_cannot_be_an_id(store: Store, id: str) -> None:
    with pytest.raises(UsageError):
        store.create_session(id, dialect="neutral", model=None)
    assert store.sessions() == []


@pytest.mark.parametrize("id", ["予算 会議", "a/../b", "'\"%_?", "x" * 500, "👍"])
def test_what_can_be_an_id(store: Store, id: str) -> None:
    started(store, id)
    store.append(id, 0, [("message", b"x")], texts=[Indexed(id, 0, 0, "", "word")])
    assert bodies(store, id) == [b"x"]
    assert [hit.session for hit in store.search("word", session=id)] == [id]


def test_a_session_that_is_not_there(store: Store) -> None:
    with pytest.raises(SessionNotFound):
        store.session("none")
    with pytest.raises(SessionNotFound):
        store.meta("none")
    with pytest.raises(SessionNotFound):
        store.events("none")
    with pytest.raises(SessionNotFound):
        store.append("none", 0, [("message", b"")])
    with pytest.raises(SessionNotFound):
        store.delete_session("none")
    with pytest.raises(SessionNotFound):
        store.change_session("none", title="x")
    with pytest.raises(SessionNotFound):
        store.export_session("none")
    with pytest.raises(SessionNotFound):
        store.search("x", session="none")


def test_a_session_can_be_described_anew(store: Store) -> None:
    store.create_session("one", dialect="neutral", model="m", title="t", meta=b"1")
    store.change_session("one", title="new")
    store.change_session("one", meta=b"")
    info = store.session("one")
    assert (info.title, info.model, store.meta("one")) == ("new", "m", b"")
    store.change_session("one", model="n")
    assert store.session("one").model == "n"


def test_a_deleted_session_leaves_nothing_but_its_notes(store: Store) -> None:
    for id in ("one", "two"):
        started(store, id)
        store.append(id, 0, [("message", b"x")], texts=[Indexed(id, 0, 0, "", "word")])
    store.put_note("limit", "5", "one")
    store.delete_session("one")
    assert [info.id for info in store.sessions()] == ["two"]
    assert [hit.session for hit in store.search("word")] == ["two"]
    assert store.note("limit") == "5"
    assert store.check() == []
    started(store, "one")
    assert bodies(store) == []
    assert store.search("word", session="one") == []


# -- events ---------------------------------------------------------------------------------------


def test_events_come_back_in_order_byte_for_byte(store: Store) -> None:
    started(store)
    given = [text.encode("utf-8", "surrogatepass") for text in AWKWARD] + [bytes(range(256)) * 9]
    store.append("one", 0, [("message", body) for body in given[:3]])
    store.append("one", 3, [("edit", body) for body in given[3:]])
    events = list(store.events("one"))
    assert [event.body for event in events] == given
    assert [event.seq for event in events] == list(range(len(given)))
    assert [event.kind for event in events] == ["message"] * 3 + ["edit"] * (len(given) - 3)
    assert {event.session for event in events} == {"one"}
    assert all(abs(event.time - time.time()) < 60 for event in events)
    info = store.session("one")
    assert (info.events, info.messages) == (len(given), 3)


def test_events_from_a_number_on(store: Store) -> None:
    started(store)
    count = 1203  # more than two pages
    store.append("one", 0, [("message", b"%d" % n) for n in range(count)])
    assert bodies(store) == [b"%d" % n for n in range(count)]
    assert bodies(store, start=1200) == [b"1200", b"1201", b"1202"]
    assert bodies(store, start=count) == []


def test_an_append_while_events_are_read(store: Store) -> None:
    started(store)
    store.append("one", 0, [("message", b"0")])
    reading = store.events("one")
    next(reading)
    store.append("one", 1, [("message", b"1")])  # nothing is held while a reader waits
    assert bodies(store) == [b"0", b"1"]


@pytest.mark.parametrize("seq", [0, 1, 3, 100])
def test_an_append_at_another_place_is_a_conflict(store: Store, seq: int) -> None:
    started(store)
    store.append("one", 0, [("message", b"a"), ("message", b"b")])
    with pytest.raises(SessionConflict) as caught:
        store.append(
            "one", seq, [("message", b"c")],
            blocks=[b"block"], texts=[Indexed("one", seq, 0, "", "word")],
        )  # fmt: skip
    assert (caught.value.expected, caught.value.found) == (seq, 2)
    assert caught.value.session == "one"
    assert bodies(store) == [b"a", b"b"]
    assert not store.has_block(block_id(b"block"))
    assert store.search("word") == []


def test_an_append_that_fails_has_written_nothing(store: Store) -> None:
    started(store)
    missing = block_id(b"nowhere")
    for refs, text in [([missing], ""), ([], missing)]:
        with pytest.raises(BlockNotFound):
            store.append(
                "one", 0, [("message", b"c")],
                blocks=[b"block"], texts=[Indexed("one", 0, 0, text, "word")], refs=refs,
            )  # fmt: skip
    with pytest.raises(UsageError):
        store.append("one", 0, [("message", b"c")], texts=[Indexed("two", 0, 0, "", "word")])
    with pytest.raises(UsageError):
        store.append("one", 0, [("message", b"c"), ("", b"no kind")])
    assert bodies(store) == []
    assert store.session("one").events == 0
    assert not store.has_block(block_id(b"block"))
    assert store.search("word") == []
    store.append("one", 0, [("message", b"c")])
    assert store.check() == []


def test_what_was_written_is_there_when_opened_again(backend: Backend) -> None:
    with backend.open() as store:
        started(store)
        store.append("one", 0, [("message", b"a")], blocks=[b"block"])
        store.put_note("n", "v")
        store.memory_put("/memories/a", b"x")
    again = backend.open()
    assert bodies(again) == [b"a"]
    assert again.get_block(block_id(b"block")) == b"block"
    assert again.note("n") == "v"
    assert again.memory_get("/memories/a") == b"x"


def test_a_closed_store_says_so(backend: Backend) -> None:
    store = backend.open()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.sessions()


# -- threads --------------------------------------------------------------------------------------


def test_threads_append_to_sessions_of_their_own(store: Store) -> None:
    def write(name: str) -> None:
        started(store, name)
        for seq in range(20):
            store.append(name, seq, [("message", b"%s %d" % (name.encode(), seq))])
            store.put_block(b"shared")

    names = [f"s{n}" for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, names))
    for name in names:
        assert bodies(store, name) == [b"%s %d" % (name.encode(), seq) for seq in range(20)]
    assert store.check() == []


def test_threads_append_to_one_session(backend: Backend) -> None:
    """Two connections and one, four threads: each event once, in the order of its thread."""
    stores = [backend.open(wait=30), backend.open(wait=30)]
    started(stores[0])
    conflicts = []

    def write(thread: int) -> None:
        mine = stores[thread % 2]
        for number in range(15):
            while True:
                try:
                    at = mine.session("one").events
                    mine.append("one", at, [("message", b"%d %d" % (thread, number))])
                    break
                except SessionConflict as conflict:
                    conflicts.append(conflict)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    found = [tuple(map(int, body.split())) for body in bodies(stores[1])]
    assert sorted(found) == [(thread, n) for thread in range(4) for n in range(15)]
    for thread in range(4):
        assert [n for t, n in found if t == thread] == list(range(15))


def test_of_two_at_once_one_wins(backend: Backend) -> None:
    first, second = backend.open(wait=30), backend.open(wait=30)
    started(first)
    for seq in range(10):
        gate = threading.Barrier(2)
        won: list[Store] = []

        def write(
            mine: Store, seq: int = seq, gate: threading.Barrier = gate, won: list[Store] = won
        ) -> None:
            gate.wait()
            try:
                mine.append("one", seq, [("message", b"x")])
                won.append(mine)
            except SessionConflict:
                pass

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, (first, second)))
        assert len(won) == 1
    assert first.session("one").events == 10


# -- blocks ---------------------------------------------------------------------------------------


def test_a_block_comes_back_byte_for_byte(store: Store) -> None:
    for data in (b"", b"\0", b"x" * 100_000, random.Random(1).randbytes(100_000)):
        id = store.put_block(data)
        assert id == block_id(data)
        assert store.get_block(id) == data
        assert store.has_block(id)


def test_the_same_bytes_are_kept_once_and_small(store: Store) -> None:
    data = b"the same line again\n" * 10_000
    assert store.put_block(data) == store.put_block(data)
    stats = store.stats()
    assert stats["blocks"] == 1
    assert stats["block_bytes"] == len(data)
    assert int(stats["block_bytes_kept"]) < len(data) / 100


def test_a_block_of_50_megabytes(store: Store) -> None:
    data = random.Random(2).randbytes(25_000_000) + b"x" * 25_000_000
    started(store)
    store.append("one", 0, [("edit", b"")], blocks=[data])
    assert store.get_block(block_id(data)) == data
    assert store.check() == []


@pytest.mark.parametrize("id", ["", "blk_", "blk_000000000000", "x'; --", "blk_\0", "\ud800"])
def test_a_block_that_is_not_there(store: Store, id: str) -> None:
    assert not store.has_block(id)
    with pytest.raises(BlockNotFound):
        store.get_block(id)
    with pytest.raises(BlockNotFound):
        store.resolve_block(id)


def test_other_bytes_of_the_same_id_are_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trimtab.store import block_rows

    started(store)
    id = store.put_block(b"first")
    # One in 2**60: made here by an id that is the same for everything.
    monkeypatch.setattr(block_rows, "block_id", lambda data: id)
    with pytest.raises(StoreError, match="other bytes"):
        store.put_block(b"second")
    monkeypatch.undo()
    assert store.get_block(id) == b"first"


def test_a_block_is_named_by_its_beginning(store: Store) -> None:
    ids = [store.put_block(b"%d" % n) for n in range(300)]
    for id in ids[:20]:
        assert store.resolve_block(id) == id
        assert store.resolve_block(id[4:]) == id
        assert store.resolve_block(id.upper()) == id
        assert store.resolve_block(f" {id[:13]} ") == id
    with pytest.raises(UsageError, match="several"):
        store.resolve_block("blk_" + ids[0][4])
    mistyped = next(id for id in ids if "0" in id[4:] or "1" in id[4:])
    typed = "blk_" + mistyped[4:].replace("0", "O").replace("1", "l")
    assert store.resolve_block(typed) == mistyped


# -- notes ----------------------------------------------------------------------------------------


def test_a_note_is_word_for_word_and_outlives_its_session(store: Store) -> None:
    started(store)
    for number, value in enumerate(AWKWARD):
        store.put_note(f"n{number}", value, "one")
        assert store.note(f"n{number}") == value
    store.delete_session("one")
    assert [note.value for note in store.notes("n") if note.session == "one"] == [
        value for _, value in sorted(enumerate(AWKWARD), key=lambda pair: f"n{pair[0]}")
    ]


def test_notes_are_replaced_listed_and_removed(store: Store) -> None:
    assert store.note("limit") is None
    store.put_note("limit", "1")
    store.put_note("limit", "2", "elsewhere")
    store.put_note("Limit", "other case")
    store.put_note("lim_t", "not a pattern")
    store.put_note("予算", "200万円")
    assert store.note("limit") == "2"
    assert [note.name for note in store.notes()] == ["Limit", "lim_t", "limit", "予算"]
    assert [note.name for note in store.notes("lim_")] == ["lim_t"]
    assert [(note.value, note.session) for note in store.notes("limit")] == [("2", "elsewhere")]
    assert store.delete_note("limit")
    assert not store.delete_note("limit")
    assert store.note("limit") is None
    with pytest.raises(UsageError):
        store.put_note("", "x")


# -- the files of the memory tool -----------------------------------------------------------------


def test_memory_files(store: Store) -> None:
    assert store.memory_get("/memories/a") is None
    assert store.memory_put("/memories/a", b"\0\xff")
    assert store.memory_put("/memories/a", b"2")
    assert not store.memory_put("/memories/a", b"3", new=True)
    assert not store.memory_put("/memories/a", b"3", replaces=b"1")
    assert not store.memory_put("/memories/none", b"3", replaces=b"")
    assert store.memory_put("/memories/a", b"4", replaces=b"2")
    assert store.memory_put("/memories/b", b"", new=True)
    assert store.memory_get("/memories/a") == b"4"
    assert [(file.path, file.size) for file in store.memory_list()] == [
        ("/memories/a", 1),
        ("/memories/b", 0),
    ]
    assert store.memory_list("/memories/b")[0].updated > 0
    assert store.memory_delete("/memories/a") == 1
    assert store.memory_delete("/memories/a") == 0


def test_a_memory_folder_is_its_files(store: Store) -> None:
    inside = ["/m/d/1", "/m/d/2/x", "/m/d/日本"]
    beside = ["/m/d", "/m/d!", "/m/d0", "/m/d.txt", "/m/dd/1", "/m/D/1", "/m/%", "/m/_/1"]
    for path in inside + beside:
        store.memory_put(path, path.encode())
    assert store.memory_delete("/m/_") == 1
    assert store.memory_rename("/m/d/2", "/m/e") == 1
    assert store.memory_get("/m/e/x") == b"/m/d/2/x"
    assert store.memory_rename("/m/none", "/m/other") == 0
    for taken in ("/m/dd", "/m/e/x", "/m/D"):
        with pytest.raises(UsageError, match="already exists"):
            store.memory_rename("/m/d", taken)
    for inner in ("/m/d", "/m/d/x"):
        with pytest.raises(UsageError):
            store.memory_rename("/m/d", inner)
    assert store.memory_delete("/m/d/") == 2
    assert store.memory_get("/m/d") == b"/m/d"
    assert store.memory_delete("/m/d") == 1
    left = {file.path for file in store.memory_list()}
    assert left == {"/m/d!", "/m/d0", "/m/d.txt", "/m/dd/1", "/m/D/1", "/m/%", "/m/e/x"}


# -- the store itself -----------------------------------------------------------------------------


def test_gc_removes_what_is_old_and_what_nobody_needs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("old", "new"):
        started(store, id)
    store.append("old", 0, [("edit", b"")], blocks=[b"both", b"old alone"])
    store.append("new", 0, [("edit", b"")], blocks=[b"both"])
    lonely = store.put_block(b"lonely")
    used = store.put_block(b"used by name")
    time.sleep(0.2)
    store.append("new", 1, [("edit", b"")], refs=[used], texts=[Indexed("new", 1, 0, "", "word")])
    assert store.gc(3600) == {"sessions": 0, "events": 0, "blocks": 0, "bytes": 0}
    assert store.gc(0.1) == {
        "sessions": 1, "events": 1, "blocks": 2, "bytes": len(b"old alone") + len(b"lonely"),
    }  # fmt: skip
    assert not store.has_block(lonely)
    assert store.get_block(block_id(b"both")) == b"both"
    assert store.get_block(used) == b"used by name"
    assert [info.id for info in store.sessions()] == ["new"]
    assert store.search("word")
    assert store.check() == []


def test_gc_leaves_a_session_that_is_written_to_meanwhile(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = backend.open(), backend.open()
    assert isinstance(store, SqlStore)
    started(store)
    time.sleep(0.2)
    write = store.database.write
    seqs = iter(range(10))

    def written_to_first() -> AbstractContextManager[Transaction]:
        other.append("one", next(seqs), [("message", b"x")])
        return write()

    monkeypatch.setattr(store.database, "write", written_to_first)
    assert store.gc(0.1)["sessions"] == 0
    assert bodies(other)


def test_a_block_put_again_is_new_again(store: Store) -> None:
    id = store.put_block(b"data")
    time.sleep(0.2)
    store.put_block(b"data")
    store.gc(0.1)
    assert store.has_block(id)


def filled(store: Store) -> None:
    store.create_session("one", dialect="openai", model="m", title="T", meta=b"\xff\0meta")
    block = store.put_block(b"\xffbinary")
    store.append(
        "one", 0,
        [("message", b'{"a": 1}'), ("edit", bytes(range(256))), ("message", "予".encode())],
        blocks=[b"text block", b"x" * 5000],
        texts=[Indexed("one", 0, 0, block, "予算案 word " * 2000), Indexed("one", 2, 1, "", "b")],
    )  # fmt: skip


def test_an_exported_session_is_imported_as_it_was(backend: Backend) -> None:
    store = backend.open()
    filled(store)
    lines = list(store.export_session("one"))
    assert all(b"\n" not in line and isinstance(json.loads(line), dict) for line in lines)
    assert store.import_session(lines, id="two") == "two"
    assert list(store.export_session("two"))[1:] == lines[1:]
    one, two = store.session("one"), store.session("two")
    assert (two.title, two.dialect, two.model, two.created) == ("T", "openai", "m", one.created)
    assert (two.events, two.messages) == (3, 2)
    assert store.meta("two") == b"\xff\0meta"
    assert [e.time for e in store.events("two")] == [e.time for e in store.events("one")]
    assert len(store.search("予算", session="two")) == 1
    with pytest.raises(SessionConflict):
        store.import_session(lines)
    store.delete_session("one")
    store.gc(-1)
    assert store.sessions() == []
    assert store.import_session([line.decode() for line in lines]) == "one"
    assert store.get_block(block_id(b"\xffbinary")) == b"\xffbinary"
    assert store.check() == []


def test_an_import_that_fails_has_written_nothing(store: Store) -> None:
    filled(store)
    lines = list(store.export_session("one"))
    store.delete_session("one")
    store.gc(-1)
    wrong: list[list[bytes | str]] = [
        [],
        [b"{}"],
        [b"[1]"],
        [b"not json"],
        [*lines[:-1]],
        [*lines, lines[-1]],
        [*lines[:3], *lines[4:]],
        [line for line in lines if b'"event":1' not in line],
        [line.replace(b"text block", b"text blocc") for line in lines],
        [line.replace(b'"kind"', b'"kin"') for line in lines],
        [line.replace(b'"turn":0', b'"turn":"0"') for line in lines],
        [line.replace(b"base64", b"base65") for line in lines],
        [*lines[:-1], b'{"what": 1}', lines[-1]],
    ]
    for number, given in enumerate(wrong):
        with pytest.raises(InputError):
            store.import_session(given)
        assert store.sessions() == [], number
        assert store.stats()["blocks"] == 0
    store.import_session(lines)
    assert store.check() == []


def test_stats(store: Store) -> None:
    filled(store)
    store.put_note("n", "v")
    store.memory_put("/m", b"123")
    stats = store.stats()
    expected = {
        "sessions": 1, "events": 3, "messages": 2, "blocks": 3, "texts": 2, "notes": 1,
        "memory_files": 1, "memory_bytes": 3, "schema": 1,
    }  # fmt: skip
    assert {name: stats[name] for name in expected} == expected
    assert int(stats["bytes_on_disk"]) > 10_000


def test_check_finds_what_is_wrong(backend: Backend) -> None:
    store = backend.open()
    filled(store)
    assert store.check() == []
    assert isinstance(store, SqlStore)
    block, gone = block_id(b"text block"), block_id(b"x" * 5000)
    with store.database.write() as tx:
        tx.do("UPDATE blocks SET data = ? WHERE id = ?", b"text blocc", block)
        tx.do("DELETE FROM blocks WHERE id = ?", gone)
        tx.do("UPDATE events SET body = ? WHERE seq = 0", b'{"a": 2}')
        tx.do("DELETE FROM events WHERE seq = 1")
    problems = "\n".join(store.check())
    assert f"block {block}: its bytes" in problems
    assert f"session one: its block {gone} is not stored" in problems
    assert "session one: event 0: its bytes are damaged" in problems
    assert "session one: events 1 to 1 are missing" in problems
    with pytest.raises(StoreError, match="event 0 is damaged"):
        bodies(store)
    with pytest.raises(StoreError, match="event 1 is missing"):
        bodies(store, start=1)
    store.put_block(b"text block")  # good bytes take the place of damaged ones
    assert store.get_block(block) == b"text block"
    with store.database.write() as tx:
        tx.do("UPDATE blocks SET data = ? WHERE id = ?", b"text blocc", block)
    with pytest.raises(StoreError):  # the events cannot be exported
        list(store.export_session("one"))
