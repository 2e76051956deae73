"""The memory tool's files as files in a folder.

Each write goes to a temporary file first, which then takes the name: a reader finds the old bytes
or the new, never half. Writers hold a lock on the root folder meanwhile (`flock`, where the system
has it; gone with the process that holds it); against programs that do not know of the lock, a file
that changed since it was read is not written.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from trimtab.errors import StoreError
from trimtab.store.memory_dirs import DESCRIPTORS, Directory, linked
from trimtab.store.memory_errors import MemoryToolError
from trimtab.store.memory_files import Entry, Found, Kind
from trimtab.store.memory_paths import TEMPORARY, Names, is_name, path_of

if sys.platform != "win32":
    import fcntl

_NO_LOCKS = {errno.EBADF, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV}
_NO_NAME = {errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL}
_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_ABSENT = (FileNotFoundError, NotADirectoryError)
_LEFT_BEHIND = 3_600  # seconds after which a temporary file is nobody's
_DEEPEST = 64  # folders in which files are counted


class FolderFiles:
    """The files in a folder, which is made for its owner alone where it is missing.

    Args:
        root: the folder. It may not be a symbolic link; the folders above it may.
        wait: seconds to wait for somebody else who is writing.
        descriptors: look names up in open folders, not by their paths.

    Raises:
        StoreError: the folder cannot be made or opened.
    """

    def __init__(
        self, root: str | Path, *, wait: float = 10.0, descriptors: bool = DESCRIPTORS
    ) -> None:
        self.root = os.path.abspath(root)
        self._wait = wait
        self._descriptors = descriptors
        self._threads = threading.Lock()
        with self._telling(), self._opened():
            pass

    # -- reading ----------------------------------------------------------------------------------

    def look(self, names: Names) -> Found | None:
        with self._telling():
            try:
                with self._holder(names) as (folder, name):
                    status = folder.look(name) if name else os.lstat(folder.path)
            except _ABSENT:
                return None
        if status is None:
            return None
        if stat.S_ISLNK(status.st_mode):
            raise linked()
        kind: Kind = "other"
        if stat.S_ISREG(status.st_mode):
            kind = "file"
        elif stat.S_ISDIR(status.st_mode):
            kind = "folder"
        return Found(kind, status.st_size)

    def read(self, names: Names, most: int) -> bytes | None:
        with self._telling():
            try:
                with self._holder(names) as (folder, name):
                    found = folder.read(name, most)
            except _ABSENT:
                return None
        if found is not None and len(found) > most:
            raise MemoryToolError(f"The file {path_of(names)} has more than {most:,} bytes")
        return found

    def below(self, names: Names, depth: int, *, hidden: bool = False) -> list[Entry]:
        with self._telling():
            try:
                with self._holder(names) as (folder, name):
                    if not name:
                        return list(_entries(folder, (), depth, hidden))
                    with folder.enter(name) as inner:
                        return list(_entries(inner, (), depth, hidden))
            except _ABSENT:
                return []

    def usage(self) -> tuple[int, int]:
        with self._telling(), self._opened() as root:
            return _counted(root, _DEEPEST)

    # -- writing ----------------------------------------------------------------------------------

    def create(self, names: Names, data: bytes) -> bool:
        with self._telling():
            try:
                with self._holder(names, make=True) as (folder, name):
                    written = folder.write(data)
                    try:
                        _take_name(folder, written, folder, name)
                    except BaseException:
                        folder.unlink(written)
                        raise
                    folder.sync()
                    return True
            except (FileExistsError, *_ABSENT):
                return False

    def replace(self, names: Names, old: bytes, new: bytes) -> bool:
        with self._telling():
            try:
                with self._holder(names) as (folder, name):
                    return _replace(folder, name, old, new)
            except _ABSENT:
                return False

    def delete(self, names: Names) -> bool:
        with self._telling():
            try:
                with self._holder(names) as (folder, name):
                    folder.remove(name)
                    folder.sync()
                    return True
            except _ABSENT:
                return False

    def rename(self, old: Names, new: Names) -> bool:
        with self._telling():
            try:
                with (
                    self._holder(old) as (source, name),
                    self._holder(new, make=True) as (target, other),
                ):
                    _take_name(source, name, target, other)
                    target.sync()
                    source.sync()
                    return True
            except (FileExistsError, *_ABSENT):
                return False

    def clear(self) -> None:
        with self._telling(), self._opened() as root:
            for name in root.names():
                root.remove(name)
            root.sync()

    # -- the root and the way down ----------------------------------------------------------------

    @contextmanager
    def locked(self) -> Iterator[None]:
        if sys.platform == "win32":
            with self._threads:
                yield
            return
        with self._telling():
            root = self._lock()
        try:
            yield
        finally:
            os.close(root)  # and with it the lock

    def _lock(self) -> int:
        """A descriptor of the root that holds the lock."""
        ends = time.monotonic() + self._wait
        while True:
            with self._opened():
                root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The root may have been removed and made anew while we waited for the old one.
                if os.path.samestat(os.fstat(root), os.lstat(self.root)):
                    return root
            except (BlockingIOError, FileNotFoundError):
                pass
            except OSError as failure:
                if failure.errno in _NO_LOCKS:  # some network file systems
                    return root
                os.close(root)
                raise
            os.close(root)
            if time.monotonic() > ends:
                raise StoreError(f"{self.root}: somebody else has been writing there too long")
            time.sleep(0.005)

    @contextmanager
    def _opened(self) -> Iterator[Directory]:
        """The root, made if it is missing."""
        try:
            root = Directory.at(self.root, self._descriptors)
        except FileNotFoundError:
            _make(Path(self.root))
            root = Directory.at(self.root, self._descriptors)
        except MemoryToolError:
            raise StoreError(f"{self.root}: is a symbolic link; name what it leads to") from None
        with root:
            yield root

    @contextmanager
    def _holder(self, names: Names, *, make: bool = False) -> Iterator[tuple[Directory, str]]:
        """The folder that the last name stands in, and the name as it is spelt there."""
        with self._opened() as root, ExitStack() as opened:
            if not names:
                yield root, ""
                return
            folder = root
            for name in names[:-1]:
                name = _spelt(folder, name)
                folder = opened.enter_context(folder.make(name) if make else folder.enter(name))
            yield folder, _spelt(folder, names[-1])

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What the system refuses, as one of our errors."""
        try:
            yield
        except OSError as failure:
            if failure.errno in _NO_NAME:
                raise MemoryToolError("Invalid path: the file system refuses the name") from failure
            full = failure.errno in _NO_SPACE
            reason = "the disk is full" if full else failure.strerror or str(failure)
            raise StoreError(f"{self.root}: the memory cannot be used ({reason})") from failure


def _make(folder: Path) -> None:
    """The folder and its missing parents, for their owner only, whatever the umask."""
    if not folder.parent.is_dir():
        _make(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    folder.chmod(0o700)


def _spelt(folder: Directory, name: str) -> str:
    """The name that stands there and is the same in composed form (NFC), or the name itself."""
    if name.isascii() or folder.look(name) is not None:
        return name
    same = (held for held in folder.names() if unicodedata.normalize("NFC", held) == name)
    return next(same, name)


def _take_name(source: Directory, name: str, target: Directory, new: str) -> None:
    """Move what stands at a name to another that is free. Raises `FileExistsError`."""
    status = source.look(name)
    if status is not None and stat.S_ISREG(status.st_mode):
        try:
            source.link(name, target, new)  # which alone cannot replace another's file
        except OSError as failure:
            if failure.errno not in _NO_LINKS:
                raise
        else:
            source.unlink(name)
            return
    if target.look(new) is not None:
        raise FileExistsError(new)
    source.replace(name, target, new)


def _replace(folder: Directory, name: str, old: bytes, new: bytes) -> bool:
    if folder.read(name, len(old)) != old:
        return False
    written = folder.write(new)
    try:
        # Again: writing took a while, and a program without the lock may have used it.
        if folder.read(name, len(old)) != old:
            return False
        folder.replace(written, folder, name)
        written = ""
        folder.sync()
        return True
    finally:
        if written:
            folder.unlink(written)


def _entries(folder: Directory, above: Names, depth: int, hidden: bool) -> Iterator[Entry]:
    """What can be shown of a folder: no link, and no name that no path can hold."""
    for name in folder.names():
        status = folder.look(name) if hidden or not name.startswith(".") else None
        if status is None or not is_name(name):
            continue
        names = (*above, name)
        if stat.S_ISREG(status.st_mode):
            yield Entry(names, status.st_size, folder=False)
        elif stat.S_ISDIR(status.st_mode):
            yield Entry(names, status.st_size, folder=True)
            if depth > 1:
                try:
                    with folder.enter(name) as inner:
                        yield from _entries(inner, names, depth - 1, hidden)
                except (*_ABSENT, MemoryToolError):  # it was removed or replaced just now
                    continue


def _counted(folder: Directory, depth: int) -> tuple[int, int]:
    """Files and folders, and bytes; temporary files left behind by a killed process go."""
    files, size = 0, 0
    for name in folder.names():
        status = folder.look(name)
        if status is None:
            continue
        if TEMPORARY.fullmatch(name):
            if time.time() - status.st_mtime > _LEFT_BEHIND:
                folder.unlink(name)
            continue
        files += 1
        if stat.S_ISREG(status.st_mode):
            size += status.st_size
        elif stat.S_ISDIR(status.st_mode) and depth:
            try:
                with folder.enter(name) as inner:
                    more, larger = _counted(inner, depth - 1)
            except (*_ABSENT, MemoryToolError):
                continue
            files, size = files + more, size + larger
    return files, size
