"""The memory tool's files in a store, under their paths. A path there is a name: it leads nowhere.

A folder is there while a file is below it. One that was emptied stays too, as in a file system:
its path with a slash at the end is kept, as a file of no bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from trimtab.errors import UsageError
from trimtab.store.memory_errors import MemoryToolError
from trimtab.store.memory_files import Entry, Found
from trimtab.store.memory_paths import ROOT, Names, path_of
from trimtab.store.protocol import MemoryFile, Store

_FOLDER = 4_096  # bytes; what a folder of few files has on ext4


class StoredFiles:
    """The files of a store. Writers in other processes are noticed at each write.

    Args:
        store: the store; it stays open.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._threads = threading.Lock()

    @contextmanager
    def locked(self) -> Iterator[None]:
        with self._threads:
            yield

    def look(self, names: Names) -> Found | None:
        if not names:
            return Found("folder", _FOLDER)
        path = path_of(names)
        kept = self._store.memory_list(path)
        for file in kept:
            if file.path == path:
                return Found("file", file.size)
        inside = any(file.path.startswith(path + "/") for file in kept)
        return Found("folder", _FOLDER) if inside else None

    def read(self, names: Names, most: int) -> bytes | None:
        path = path_of(names)
        if any(file.size > most for file in self._store.memory_list(path) if file.path == path):
            raise MemoryToolError(f"The file {path} has more than {most:,} bytes")
        return self._store.memory_get(path)

    def below(self, names: Names, depth: int, *, hidden: bool = False) -> list[Entry]:
        kept = self._store.memory_list(path_of(names) + "/")
        return [
            entry
            for entry in _entries(kept, len(path_of(names)) + 1)
            if len(entry.names) <= depth
            and (hidden or not any(name.startswith(".") for name in entry.names))
        ]

    def usage(self) -> tuple[int, int]:
        kept = self._store.memory_list(ROOT + "/")
        return len(_entries(kept, len(ROOT) + 1)), sum(file.size for file in kept)

    def create(self, names: Names, data: bytes) -> bool:
        return self._store.memory_put(path_of(names), data, new=True)

    def replace(self, names: Names, old: bytes, new: bytes) -> bool:
        return self._store.memory_put(path_of(names), new, replaces=old)

    def delete(self, names: Names) -> bool:
        self._keep_folder(names[:-1])
        return self._store.memory_delete(path_of(names)) > 0

    def rename(self, old: Names, new: Names) -> bool:
        self._keep_folder(old[:-1])
        try:
            return self._store.memory_rename(path_of(old), path_of(new)) > 0
        except UsageError:
            return False

    def clear(self) -> None:
        self._store.memory_delete(ROOT + "/")

    def _keep_folder(self, names: Names) -> None:
        if names:
            self._store.memory_put(path_of(names) + "/", b"", new=True)


def _entries(kept: list[MemoryFile], start: int) -> list[Entry]:
    """The files, and the folders that their paths tell of, from that character of the path on."""
    files = []
    folders: set[Names] = set()
    for file in kept:
        names = tuple(file.path[start:].split("/"))
        if names[-1]:
            files.append(Entry(names, file.size, folder=False))
        folders.update(names[:end] for end in range(1, len(names)))
    entries = files + [Entry(names, _FOLDER, folder=True) for names in folders]
    return sorted(entries, key=lambda entry: (entry.names, entry.folder))
