"""What the memory tool needs of the place where its files are; a folder and a store are two."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from trimtab.store.memory_paths import Names

Kind = Literal["file", "folder", "other"]
"""`other`: neither, such as a pipe or a device."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path, and its size in bytes."""

    kind: Kind
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder below another: its names from there, and its size in bytes."""

    names: Names
    size: int
    folder: bool


class MemoryFiles(Protocol):
    """Files by their names from the root. Each method raises `StoreError` where it cannot work.

    A method that would have to follow a symbolic link raises `MemoryToolError` instead.
    """

    def locked(self) -> AbstractContextManager[None]:
        """Hold others off while the block runs, where the place can; writes are made inside.

        Raises:
            StoreError: somebody else holds it for too long.
        """

    def look(self, names: Names) -> Found | None:
        """What stands there, or `None`. The root is always there."""

    def read(self, names: Names, most: int) -> bytes | None:
        """The bytes of a file, or `None` if there is none (any more).

        Raises:
            MemoryToolError: it has more than `most` bytes.
        """

    def below(self, names: Names, depth: int, *, hidden: bool = False) -> list[Entry]:
        """What a folder holds, to that depth: each name in the order of its characters, a folder
        before what it holds. Without what no path can name.

        Args:
            names: the folder's.
            depth: 1 for what stands in the folder itself.
            hidden: with names that begin with a dot.
        """

    def usage(self) -> tuple[int, int]:
        """How many files and folders there are, hidden ones too, and the bytes of all files."""

    def create(self, names: Names, data: bytes) -> bool:
        """Write a new file, whole or not at all, with the folders above it.

        Returns:
            whether it was: `False` if something stands there, or a folder above it went away.
        """

    def replace(self, names: Names, old: bytes, new: bytes) -> bool:
        """Write a file anew, whole or not at all, if its bytes are `old`.

        Returns:
            whether it was: `False` if somebody else changed or removed it.
        """

    def delete(self, names: Names) -> bool:
        """Remove a file, or a folder with all it holds. Says whether there was one."""

    def rename(self, old: Names, new: Names) -> bool:
        """Move a file or folder, making the folders above.

        Returns:
            whether it was: `False` if something stands there, or the old one went away.
        """

    def clear(self) -> None:
        """Remove all but the root."""
