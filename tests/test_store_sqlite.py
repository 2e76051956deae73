"""A SQLite store in trouble: one clear error each time, and the data left alone."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from trimtab.context.blocks import block_id
from trimtab.errors import StoreError, TrimtabError
from trimtab.store import migrate
from trimtab.store.open import open_store
from trimtab.store.protocol import Indexed, Store

BLOCKS = [b"a block of text\n" * 400, random.Random(1).randbytes(3_000), b"short"]
# Long ones are kept compressed, short ones as they are.
EXPECTED = [b"event %d " % seq * (200 if seq == 1 else 60) for seq in range(5)]


def filled(path: Path) -> None:
    """A store with a session, closed: all of it is in one file."""
    with open_store(path) as store:
        store.create_session("one", dialect="neutral", model=None, meta=b"what is kept")
        for seq, body in enumerate(EXPECTED):
            store.append(
                "one", seq, [("message", body)],
                blocks=[*BLOCKS, b"block %d" % seq],
                texts=[Indexed("one", seq, seq, "", f"text {seq}")],
            )  # fmt: skip
        store.put_note("limit", "5")
        store.memory_put("/memories/a", b"file")


def bodies(store: Store) -> list[bytes]:
    return [event.body for event in store.events("one")]


# -- the file -------------------------------------------------------------------------------------


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        path = tmp_path / "new" / "folder" / "trimtab.db"
        with open_store(path) as store:
            store.create_session("one", dialect="neutral", model=None)
            modes = {
                name: stat.S_IMODE((path.parent / name).stat().st_mode)
                for name in os.listdir(path.parent)
            }
        folders = [stat.S_IMODE(p.stat().st_mode) for p in (path.parent, path.parent.parent)]
    finally:
        os.umask(mask)
    assert modes == {"trimtab.db": 0o600, "trimtab.db-wal": 0o600, "trimtab.db-shm": 0o600}
    assert folders == [0o700, 0o700]
    assert os.listdir(path.parent) == ["trimtab.db"]  # closed: nothing beside it


def test_a_write_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    """FULL: without it a power cut could take acknowledged appends. WAL: readers never wait."""
    with open_store(tmp_path / "a.db") as store, store.database.read() as tx:  # type: ignore[attr-defined]
        assert tx.row("PRAGMA synchronous") == (2,)
        assert tx.row("PRAGMA journal_mode") == ("wal",)
        assert tx.row("PRAGMA foreign_keys") == (1,)


def test_the_file_shrinks_when_sessions_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_store(path) as store:
        store.create_session("one", dialect="neutral", model=None)
        store.append("one", 0, [("message", os.urandom(3_000_000))])
        before = store.stats()["bytes_on_disk"]
        store.gc(-1)
        after = store.stats()["bytes_on_disk"]
    assert int(after) < int(before) / 10
    assert path.stat().st_size == after


# -- a full disk ----------------------------------------------------------------------------------


def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own that is soon full. Only root may mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "none", str(folder)]
    if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    yield from small_disk(tmp_path / "disk", "2m")


def fill_up(store: Store) -> tuple[int, StoreError]:
    """Append until it fails; how many appends were acknowledged."""
    for seq in range(1000):
        try:
            store.append(
                "one", seq, [("message", b"%d " % seq + os.urandom(20_000))],
                blocks=[os.urandom(20_000)], texts=[Indexed("one", seq, 0, "", f"text {seq}")],
            )  # fmt: skip
        except StoreError as failure:
            return seq, failure
    raise AssertionError("the disk did not fill up")


def test_a_full_disk(disk: Path) -> None:
    path = disk / "trimtab.db"
    with open_store(path) as store:
        store.create_session("one", dialect="neutral", model=None)
        written, failure = fill_up(store)
        assert "the disk is full; nothing was changed" in str(failure)
        assert "\n" not in str(failure)
        assert written > 5
        # What was acknowledged is still there, and can be read on the full disk.
        assert [body.split()[0] for body in bodies(store)] == [b"%d" % n for n in range(written)]
        assert store.session("one").events == written
        with pytest.raises(StoreError, match="full"):
            store.append("one", written, [("message", os.urandom(2_000_000))])
    with open_store(path) as store:
        assert len(bodies(store)) == written
        assert len(store.search("text", limit=1000)) == written
        assert store.check() == []
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
    with open_store(path) as store:  # there is room again
        store.append("one", written, [("message", b"more")])
        assert store.check() == []


def test_no_room_for_a_new_store(disk: Path) -> None:
    (disk / "ballast").write_bytes(b"x" * (2 * 1024 * 1024 - 8192))
    path = disk / "trimtab.db"
    with pytest.raises(StoreError, match="full"):
        open_store(path)
    (disk / "ballast").unlink()
    with open_store(path) as store:
        store.create_session("one", dialect="neutral", model=None)


def test_a_store_that_may_grow_no_more(tmp_path: Path) -> None:
    """The same error where nobody may mount a disk: a limit of SQLite's own."""
    with open_store(tmp_path / "a.db") as store:
        store.create_session("one", dialect="neutral", model=None)
        with store.database.read() as tx:  # type: ignore[attr-defined]
            tx.row("PRAGMA max_page_count = 150")
        written, failure = fill_up(store)
        assert "the disk is full; nothing was changed" in str(failure)
        assert len(bodies(store)) == written > 2
        assert store.check() == []
    with open_store(tmp_path / "a.db") as store:
        store.append("one", written, [("message", b"more")])
        assert store.check() == []


# -- no permission --------------------------------------------------------------------------------


def test_a_file_system_that_may_only_be_read(disk: Path) -> None:
    path = disk / "trimtab.db"
    filled(path)
    before = path.read_bytes()
    store = open_store(path)
    assert bodies(store) == EXPECTED
    store.close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        with pytest.raises(StoreError) as caught, open_store(path) as store:
            store.append("one", 5, [("message", b"x")])
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert path.read_bytes() == before
        with pytest.raises(StoreError, match="cannot be made"):
            open_store(disk / "other" / "new.db")
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    with open_store(path) as store:
        store.append("one", 5, [("message", b"x")])
        assert store.check() == []


AS_NOBODY = """
import os, sys
import trimtab.store.sqlite, zstandard
from trimtab.errors import StoreError
from trimtab.store.open import open_store
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
    os.environ["HOME"] = "/nonexistent"  # root's settings are not nobody's
try:
    with open_store(sys.argv[1]) as store:
        store.append("one", 5, [("message", b"x")])
except StoreError as failure:
    print(failure)
"""


@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o777), (0o444, 0o555), (0o000, 0o777)])
def test_a_file_that_is_not_ours_to_write(tmp_path: Path, file: int, folder: int) -> None:
    # Not below pytest's own folder, which nobody else may enter.
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "in"
        place.mkdir()
        path = place / "trimtab.db"
        filled(path)
        before = path.read_bytes()
        path.chmod(file)
        place.chmod(folder)
        Path(name).chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(path)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        place.chmod(0o700)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert len(lines) == 1, done.stdout
        assert str(path) in lines[0]
        path.chmod(0o600)
        assert path.read_bytes() == before
        with open_store(path) as store:
            assert bodies(store) == EXPECTED


@pytest.mark.parametrize("path", ["folder", "file/below", "folder/."])
def test_a_place_where_no_file_can_be(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError) as caught:
        open_store(tmp_path / path)
    assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_text() == "not a folder"


# -- somebody else --------------------------------------------------------------------------------


def test_a_locked_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    with open_store(path, wait=0.1) as store:
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        with pytest.raises(StoreError, match="another process holds the lock"):
            store.append("one", 5, [("message", b"x")])
        assert time.monotonic() - started < 5
        assert bodies(store) == EXPECTED  # reading goes on
        other.execute("ROLLBACK")
        store.append("one", 5, [("message", b"x")])
    other.close()


def test_a_lock_that_is_let_go_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with open_store(path, wait=20) as store:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        timer.start()
        store.append("one", 5, [("message", b"x")])
        timer.join()
        assert len(bodies(store)) == 6
    other.close()


def test_a_new_store_while_its_file_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another process holds the lock"):
        open_store(path, wait=0.1)
    other.execute("ROLLBACK")
    other.close()
    open_store(path).close()


def test_a_store_of_a_newer_version(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path)
    other = sqlite3.connect(path)
    other.execute("INSERT INTO schema_version VALUES (99, 0)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"newer trimtab \(tables of version 99, this one knows 1\)"
    ):
        open_store(path)
    assert path.read_bytes() == before


def test_a_store_of_an_older_version_is_brought_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    filled(path)
    newer = tmp_path / "migrations"
    shutil.copytree(migrate._FOLDER, newer)
    (newer / "sqlite" / "0002_more.sql").write_text(
        "CREATE TABLE more (a TEXT); -- a comment; with semicolons\n"
        "INSERT INTO more VALUES ('one; two');\n"
    )
    monkeypatch.setattr(migrate, "_FOLDER", newer)
    migrate.migrations.cache_clear()
    try:
        with open_store(path) as store:
            assert store.stats()["schema"] == 2
            assert bodies(store) == EXPECTED
        # One that fails is undone as a whole.
        (newer / "sqlite" / "0003_wrong.sql").write_text("CREATE TABLE x (a);\nNONSENSE;\n")
        migrate.migrations.cache_clear()
        with pytest.raises(StoreError, match="NONSENSE"):
            open_store(path)
    finally:
        monkeypatch.undo()
        migrate.migrations.cache_clear()
    other = sqlite3.connect(path)
    tables = {row[0] for row in other.execute("SELECT name FROM sqlite_master")}
    other.close()
    assert "more" in tables
    assert "x" not in tables


def test_the_file_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE sessions (mine TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"This is not a database.\n" * 100, b"\0" * 5000, b"SQLite"])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="no SQLite file"):
        open_store(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_removed_while_it_was_open(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "a.db"
    filled(path)
    kept = tmp_path / "kept.db"
    shutil.copy(path, kept)
    with open_store(path) as store:
        path.unlink()
        if replaced:
            shutil.copy(kept, path)
        with pytest.raises(StoreError, match="removed or replaced while it was open"):
            store.append("one", 5, [("message", b"into nowhere")])
    shutil.copy(kept, path)
    with open_store(path) as store:
        store.append("one", 5, [("message", b"x")])
        assert store.check() == []


def test_a_store_is_the_same_file_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_store("a.db") as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        store.create_session("one", dialect="neutral", model=None)
    assert os.listdir(tmp_path / "elsewhere") == []


# -- damage ---------------------------------------------------------------------------------------


def every_answer(path: Path) -> tuple[bool, list[str]]:
    """Whether the search was right, if there was an answer; and what was said to be wrong.

    All else is right or an error.
    """
    said: list[str] = []
    right = True

    def ask(question: str) -> None:
        nonlocal right
        try:
            with open_store(path, wait=0.1) as store:
                match question:
                    case "events":
                        assert bodies(store) == EXPECTED
                    case "block":
                        for data in BLOCKS:
                            try:
                                assert store.get_block(block_id(data)) == data
                            except TrimtabError as failure:
                                said.append(str(failure))
                    case "search":
                        right &= [hit.seq for hit in store.search("3")] == [3]
                    case "note":
                        assert store.note("limit") in ("5", None)
                    case "file":
                        assert store.memory_get("/memories/a") in (b"file", None)
                    case "meta":
                        assert store.meta("one") == b"what is kept"
                    case "check":
                        said.extend(store.check())
        except TrimtabError as failure:
            said.append(str(failure))

    for question in ("events", "block", "search", "note", "file", "meta", "check"):
        ask(question)
    assert not any("\n" in line for line in said)
    return right, said


@pytest.mark.parametrize("how", ["noise", "zeros", "one byte"])
def test_a_damaged_page_is_said_and_never_read_as_something_else(tmp_path: Path, how: str) -> None:
    whole = tmp_path / "whole.db"
    filled(whole)
    original = whole.read_bytes()
    assert every_answer(whole) == (True, [])
    rng = random.Random(2)
    silent = []
    for page in range(0, len(original), 4096):
        for number in range(6 if how == "one byte" else 1):
            damaged = bytearray(original)
            if how == "noise":
                damaged[page : page + 4096] = rng.randbytes(4096)
            elif how == "zeros":
                damaged[page : page + 4096] = bytes(4096)
            else:  # SQLite checks the structure of a page, and not what is stored in it
                damaged[page + rng.randrange(4096)] ^= 1 << rng.randrange(8)
            path = tmp_path / f"{page}-{number}.db"
            path.write_bytes(damaged)
            right, said = every_answer(path)
            if not said and not right:
                silent.append(page)
            path.unlink()
    assert silent == []


def test_a_file_cut_short(tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    filled(whole)
    original = whole.read_bytes()
    for size in range(0, len(original), 4096 * 5):
        path = tmp_path / "cut.db"
        path.write_bytes(original[: size + 100])
        right, said = every_answer(path)
        assert said or right
        path.unlink()


def test_a_damaged_log_loses_nothing_that_it_should_not(tmp_path: Path) -> None:
    """A WAL with a torn tail, as after a power cut: what precedes the tear is there."""
    path = tmp_path / "a.db"
    filled(path)
    store = open_store(path)
    later = [b"event %d " % seq * 200 for seq in range(5, 15)]
    for seq, body in enumerate(later, 5):
        store.append("one", seq, [("message", body)])
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    log = (tmp_path / "a.db-wal").read_bytes()
    store.close()
    for keep in range(len(log), 0, -3000):
        (tmp_path / "copy.db-shm").unlink(missing_ok=True)
        shutil.copy(copy, tmp_path / "try.db")
        (tmp_path / "try.db-wal").write_bytes(log[:keep] + b"\xff" * 500)
        with open_store(tmp_path / "try.db") as torn:
            found = bodies(torn)
            assert found == (EXPECTED + later)[: len(found)]
            assert 5 <= len(found) <= 15
            assert torn.check() == []
        for name in ("try.db", "try.db-wal", "try.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
