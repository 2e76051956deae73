"""The memory tool's files in a folder: who may read them, what a kill or another writer leaves."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory_calls import create, delete, insert, rename, swap, view
from trimtab.errors import StoreError
from trimtab.store import memory_dirs
from trimtab.store.memory_dirs import Directory
from trimtab.store.memory_errors import MemoryToolError
from trimtab.store.memory_folder import FolderFiles
from trimtab.store.memory_tool import MemoryTool

N = "/memories/notes.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "memories"


@pytest.fixture
def tool(root: Path) -> MemoryTool:
    return MemoryTool.on_folder(root.parent)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# -- who may read them ----------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_files_and_folders_are_their_owners_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        tool = MemoryTool.on_folder(tmp_path / "new" / "agent")
        tool.call(create("/memories/d/e/f.md", "a"))
        tool.call(create(N, "a"))
        tool.call(swap(N, "a", "b"))
        tool.call(rename("/memories/d/e/f.md", "/memories/g/h.md"))
    finally:
        os.umask(before)
    for path in (tmp_path / "new", *(tmp_path / "new").rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        # The umask takes bits from a file's mode too, but never gives any.
        assert stat.S_IMODE(path.stat().st_mode) & ~umask == wanted & ~umask, path
        assert stat.S_IMODE(path.stat().st_mode) | wanted == wanted, path


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir(mode=0o755)
    MemoryTool.on_folder(tmp_path).call(create("/memories/d/f.md"))
    assert stat.S_IMODE((tmp_path / "memories").stat().st_mode) == 0o755


def test_the_users_home_may_be_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    MemoryTool.on_folder("~/agent").call(create(N))
    assert (tmp_path / "agent" / "memories" / "notes.md").is_file()


# -- whole or not at all --------------------------------------------------------------------------


def test_a_write_that_fails_leaves_all_as_it_was(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.call(create(N, "before"))

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for given in create("/memories/new", "x"), swap(N, "before", "after"), insert(N, 0, "x"):
        with pytest.raises(StoreError, match="the disk is full"):
            tool.call(given)
    assert names(root) == {"notes.md"}
    assert (root / "notes.md").read_text() == "before"


def test_a_file_system_without_hard_links(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*args: object, **options: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    tool.call(create(N, "x"))
    tool.call(rename(N, "/memories/d/other.md"))
    tool.call(create(N, "y"))
    for given in create(N), rename(N, "/memories/d/other.md"):
        with pytest.raises(MemoryToolError, match="already exists"):
            tool.call(given)
    assert names(root) == {"notes.md", "d", "d/other.md"}


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who does not know of the lock writes while our bytes are on their way to disk."""
    tool.call(create("/memories/old.md", "old"))
    fsync = os.fsync

    def meanwhile(file: int) -> None:
        fsync(file)
        (root / "notes.md").write_text("theirs")

    monkeypatch.setattr(os, "fsync", meanwhile)
    assert tool.answer(create(N, "ours")) == (f"File {N} already exists", True)
    monkeypatch.setattr(os, "fsync", fsync)
    assert tool.answer(rename("/memories/old.md", N))[0] == f"The destination {N} already exists"
    assert (root / "notes.md").read_text() == "theirs"
    assert names(root) == {"notes.md", "old.md"}


def test_temporary_files_that_a_kill_left_go_after_an_hour(tool: MemoryTool, root: Path) -> None:
    tool.call(create("/memories/d/f.md"))
    old, new = ".trimtab-0123456789abcdef.new", ".trimtab-fedcba9876543210.new"
    for name in old, f"d/{old}", new:
        (root / name).write_bytes(b"x" * 9_000)
    for name in old, f"d/{old}":
        os.utime(root / name, (time.time() - 4_000,) * 2)
    small = MemoryTool(FolderFiles(root), max_total=1_000)
    small.call(create(N))  # and they are not counted
    assert names(root) == {"notes.md", "d", "d/f.md", new}
    assert ".trimtab" not in tool.call(view("/memories"))


WRITER = """
import os, sys
from trimtab.store.memory_tool import MemoryTool
tool = MemoryTool.on_folder(sys.argv[1])
path, number = "/memories/notes.md", 0
print("ready", flush=True)
while True:
    number += 1
    size = number % 7 * 1000 + 1
    old = tool.call({"command": "view", "path": path}).split("\\t")[1]
    new = chr(ord("a") + number % 26) * size
    tool.call({"command": "str_replace", "path": path, "old_str": old, "new_str": new})
    tool.call({"command": "create", "path": f"/memories/{os.getpid()}-{number}", "file_text": new})
    tool.call({"command": "delete", "path": f"/memories/{os.getpid()}-{number}"})
"""


def test_a_killed_writer_leaves_whole_files(tool: MemoryTool, root: Path) -> None:
    tool.call(create(N, "a"))
    for number in range(8):
        command = [sys.executable, "-c", WRITER, str(root.parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(0.01 + 0.017 * number)
            writer.kill()
            assert writer.wait() == -signal.SIGKILL
        for path in root.iterdir():
            if not path.name.startswith(".trimtab-"):
                data = path.read_bytes()
                assert len(data) % 1_000 == 1, path
                assert len(set(data)) == 1, path
        tool.call(view(N))
        tool.call(create("/memories/free", ""))  # the lock went with the process
        tool.call(delete("/memories/free"))


# -- others who write -----------------------------------------------------------------------------

APPENDER = """
import sys
from trimtab.store.memory_tool import MemoryTool
tool = MemoryTool.on_folder(sys.argv[1])
for number in range(int(sys.argv[3])):
    text, error = tool.answer({"command": "str_replace", "path": "/memories/notes.md",
                               "old_str": "(end)", "new_str": f"{sys.argv[2]}{number}\\n(end)"})
    assert not error, text
    text, error = tool.answer({"command": "insert", "path": "/memories/notes.md",
                               "insert_line": 0, "insert_text": f"+{sys.argv[2]}{number}"})
    assert not error, text
"""


def test_two_processes_lose_no_edit(tool: MemoryTool, root: Path) -> None:
    tool.call(create(N, "(end)"))
    writers = [
        subprocess.Popen([sys.executable, "-c", APPENDER, str(root.parent), name, "40"])
        for name in ("one-", "two-")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    lines = (root / "notes.md").read_text().split("\n")
    for name in "one-", "two-":
        for sign in "+", "":
            mine = [line for line in lines if line.startswith(sign + name)]
            expected = [f"{sign}{name}{number}" for number in range(40)]
            assert mine == (expected[::-1] if sign else expected)


@pytest.mark.parametrize("descriptors", [True, False])
def test_threads_lose_no_edit(root: Path, descriptors: bool) -> None:
    tool = MemoryTool(FolderFiles(root, descriptors=descriptors))
    tool.call(create(N, "(end)"))
    wrong: list[str] = []

    def run(name: str) -> None:
        for number in range(15):
            text, error = tool.answer(swap(N, "(end)", f"{name}{number}\n(end)"))
            if error:
                wrong.append(text)
            tool.answer(create(f"/memories/shared-{number}", name))

    threads = [threading.Thread(target=run, args=(f"{name}-",)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    lines = (root / "notes.md").read_text().split("\n")
    for name in range(4):
        assert [line for line in lines if line.startswith(f"{name}-")] == [
            f"{name}-{number}" for number in range(15)
        ]


def test_an_edit_by_somebody_without_the_lock_is_kept(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.call(create(N, "one\ntwo\n"))
    fsync = os.fsync
    theirs = iter(["zero\none\ntwo\n"])

    def meanwhile(file: int) -> None:
        fsync(file)
        for text in theirs:
            (root / "notes.md").write_text(text)
            return

    monkeypatch.setattr(os, "fsync", meanwhile)
    assert tool.answer(swap(N, "two", "2"))[1] is False  # made again, on what they wrote
    assert (root / "notes.md").read_text() == "zero\none\n2\n"


def test_somebody_who_never_stops_is_reported(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.call(create(N, "one\n"))
    numbers = iter(range(1_000))

    def meanwhile(file: int) -> None:
        (root / "notes.md").write_text(f"one\n{next(numbers)}")

    monkeypatch.setattr(os, "fsync", meanwhile)
    text, error = tool.answer(insert(N, 0, "ours"))
    assert error
    assert text.startswith(f"Somebody else changed {N} at the same time; nothing was written.")
    assert names(root) == {"notes.md"}


def test_a_lock_that_is_held_too_long(root: Path) -> None:
    tool = MemoryTool(FolderFiles(root, wait=0.05))
    tool.call(create(N, "x"))
    held = os.open(root, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match="writing there too long"):
        tool.call(swap(N, "x", "y"))
    assert tool.call(view(N)).endswith("\tx")  # readers do not wait
    os.close(held)
    tool.call(swap(N, "x", "y"))


def test_a_file_system_without_locks(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    tool.call(create(N, "x"))
    assert names(root) == {"notes.md"}


def test_a_root_that_was_removed_is_made_again(tool: MemoryTool, root: Path) -> None:
    root.rmdir()
    assert tool.call(view("/memories")).endswith("\t/memories")
    root.rmdir()
    tool.call(create(N, "x"))
    assert names(root) == {"notes.md"}


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counted where Linux lists them")
def test_no_descriptor_is_left_open(tool: MemoryTool, root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    (root / "link").symlink_to("..")
    for path in N, "/memories/d/e/f", "/memories/link/x", "/memories/..", "/memories":
        for given in (
            create(path), view(path), swap(path, "x", "y"), swap(path, "none", ""),
            insert(path, 0, "z"), rename(path, "/memories/d/moved"), delete(path),
            view("/memories"),
        ):  # fmt: skip
            tool.answer(given)
    tool.clear_all_memory()
    assert len(os.listdir("/proc/self/fd")) == before


# -- what the system refuses ----------------------------------------------------------------------


def test_a_folder_that_cannot_be_written(
    tool: MemoryTool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: Directory, data: bytes) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(memory_dirs.Directory, "write", denied)
    with pytest.raises(StoreError, match=r"memory cannot be used \(Permission denied\)"):
        tool.call(create(N))


def test_a_root_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "memories").write_text("")
    with pytest.raises(StoreError, match="Not a directory"):
        MemoryTool.on_folder(tmp_path)


def test_a_name_that_the_file_system_refuses(
    tool: MemoryTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(self: Directory, name: str) -> None:
        raise OSError(errno.ENAMETOOLONG, "File name too long")

    monkeypatch.setattr(memory_dirs.Directory, "look", short)
    with pytest.raises(MemoryToolError, match="the file system refuses the name"):
        tool.call(view(N))


@pytest.fixture(autouse=True)
def no_name_of_this_machine(tool: MemoryTool, root: Path) -> Iterator[None]:
    """What the model is told never names a folder of this machine."""
    asked: list[str] = []
    answer = MemoryTool.answer

    def listening(self: MemoryTool, input: object) -> object:
        found = answer(self, input)  # type: ignore[arg-type]
        asked.append(found.text)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryTool, "answer", listening)
        yield
    assert not [text for text in asked if str(root.parent) in text]
