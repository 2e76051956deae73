"""An open folder, in which names are looked up without ever following a symbolic link.

Where the system can (Linux, macOS, the BSDs), the folder is a descriptor: each name is looked up in
the folder that was opened, whatever has been renamed or put in its place since. Elsewhere it is a
path whose links are looked for first, which somebody who may write there could outrun.
"""

from __future__ import annotations

import errno
import os
import stat
from types import TracebackType
from typing import Self

from trimtab.store.memory_errors import MemoryToolError

DESCRIPTORS = (
    {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir, os.link} <= os.supports_dir_fd
    and os.listdir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = _READ | getattr(os, "O_DIRECTORY", 0)
_FILE = _READ | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold us up
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# Linux says ENOTDIR of a link that should be a folder; FreeBSD says EMLINK.
_BECAME_LINK = {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}
_REPARSE_POINT = 0x400  # Windows: a link or a junction


class Directory:
    """An open folder. Its methods raise `OSError` as `os` does, and close nothing but themselves.

    Args:
        path: where it is; with a descriptor, used for nothing but messages.
        descriptor: of the open folder, or `None` where the system has none for folders.
    """

    __slots__ = ("descriptor", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self.descriptor = descriptor

    @classmethod
    def at(cls, path: str, descriptors: bool = DESCRIPTORS) -> Directory:
        """Open a folder by its path. Its last name must not be a link; those above it may."""
        if not descriptors:
            if _leads_away(os.lstat(path)):
                raise linked()
            return cls(path, None)
        try:
            return cls(path, os.open(path, _FOLDER))
        except OSError:
            if os.path.islink(path):
                raise linked() from None
            raise

    def close(self) -> None:
        """Let go of the descriptor."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def names(self) -> list[str]:
        """The names in it, sorted by their characters."""
        return sorted(os.listdir(self.path if self.descriptor is None else self.descriptor))

    def look(self, name: str) -> os.stat_result | None:
        """What a name stands for, a link as a link; `None` if it is not there."""
        try:
            return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def enter(self, name: str) -> Directory:
        """Open a folder in it.

        Raises:
            MemoryToolError: it is a link.
            FileNotFoundError, NotADirectoryError: there is none.
        """
        status = self.look(name)
        if status is None:
            raise FileNotFoundError(name)
        if _leads_away(status):
            raise linked()
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(name)
        path = os.path.join(self.path, name)
        if self.descriptor is None:
            return Directory(path, None)
        return Directory(path, self._open(name, _FOLDER))

    def make(self, name: str) -> Directory:
        """Open a folder in it, made for its owner alone if it is not there."""
        try:
            os.mkdir(self._at(name), 0o700, dir_fd=self.descriptor)
        except FileExistsError:
            return self.enter(name)
        made = self.enter(name)
        # The umask has taken bits from the mode; not all of them are ours to lose.
        os.chmod(made.path if made.descriptor is None else made.descriptor, 0o700)
        self.sync()
        return made

    def read(self, name: str, most: int) -> bytes | None:
        """The bytes of a regular file, one more than `most` at the most; `None` without one."""
        status = self.look(name)
        if status is None:
            return None
        if _leads_away(status):
            raise linked()
        file = self._open(name, _FILE)
        with open(file, "rb") as opened:
            return opened.read(most + 1) if stat.S_ISREG(os.fstat(file).st_mode) else None

    def write(self, data: bytes) -> str:
        """A temporary file of mode 0600 with these bytes, on disk; its name."""
        name = f".trimtab-{os.urandom(8).hex()}.new"
        file = os.open(self._at(name), _NEW, 0o600, dir_fd=self.descriptor)
        try:
            with open(file, "wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(file)
        except BaseException:
            self.unlink(name)
            raise
        return name

    def link(self, name: str, folder: Directory, new: str) -> None:
        """Give a file a second name, which must be free."""
        os.link(
            self._at(name),
            folder._at(new),
            src_dir_fd=self.descriptor,
            dst_dir_fd=folder.descriptor,
            follow_symlinks=os.link not in os.supports_follow_symlinks,
        )

    def replace(self, name: str, folder: Directory, new: str) -> None:
        """Move a file or folder; a file of the new name is replaced."""
        os.replace(
            self._at(name),
            folder._at(new),
            src_dir_fd=self.descriptor,
            dst_dir_fd=folder.descriptor,
        )

    def unlink(self, name: str) -> None:
        """Remove a file, or a link itself."""
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that it holds; links in it are not followed."""
        status = self.look(name)
        if status is None or not stat.S_ISDIR(status.st_mode) or _leads_away(status):
            self.unlink(name)
            return
        with self.enter(name) as inner:
            for held in inner.names():
                inner.remove(held)
        os.rmdir(self._at(name), dir_fd=self.descriptor)

    def sync(self) -> None:
        """Its names are on disk when this returns, where the system can tell."""
        if self.descriptor is not None:
            os.fsync(self.descriptor)

    def _open(self, name: str, flags: int) -> int:
        """Open what was no link a moment ago; the system refuses one that has become it."""
        try:
            return os.open(self._at(name), flags, dir_fd=self.descriptor)
        except OSError as failure:
            if failure.errno in _BECAME_LINK:
                raise linked() from failure
            raise

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name) if self.descriptor is None else name


def linked() -> MemoryToolError:
    """A symbolic link stands in the way."""
    return MemoryToolError("Path would escape /memories directory via symlink")


def _leads_away(status: os.stat_result) -> bool:
    attributes: int = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(attributes & _REPARSE_POINT)
