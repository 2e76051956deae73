"""The numbered SQL files that make and change the tables of a store."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from trimtab.errors import StoreError

_FOLDER = Path(__file__).parent / "migrations"


@cache
def migrations(kind: str) -> tuple[Path, ...]:
    """The files of a kind of database (`sqlite`, `postgres`), in order; the first is number 1."""
    files = tuple(sorted((_FOLDER / kind).glob("[0-9][0-9][0-9][0-9]_*.sql")))
    numbers = [int(file.name[:4]) for file in files]
    if not files or numbers != list(range(1, len(files) + 1)):
        raise StoreError(f"{_FOLDER / kind}: the installed trimtab lacks a migration: {numbers}")
    return files


def newest(kind: str) -> int:
    """The version of the tables that this trimtab writes."""
    return len(migrations(kind))


def missing(kind: str, version: int, where: str) -> tuple[Path, ...]:
    """The files still to run on a database of that version.

    Raises:
        StoreError: the database was written by a newer trimtab.
    """
    known = newest(kind)
    if version > known:
        raise StoreError(
            f"{where}: written by a newer trimtab (tables of version {version}, this one knows "
            f"{known}); nothing was changed: update trimtab"
        )
    return migrations(kind)[version:]
