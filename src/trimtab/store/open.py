"""Which store a URL or path means."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from urllib.parse import unquote

from trimtab.config import settings
from trimtab.errors import UsageError
from trimtab.store.folder import home
from trimtab.store.protocol import Store
from trimtab.store.sql_store import SqlStore

FILE = "trimtab.db"
MEMORY = ":memory:"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: not `C:/`


def open_store(
    url: str | Path | None = None, *, wait: float = 5.0, redact: bool | None = None
) -> Store:
    """Open a store, making it where there is none.

    Args:
        url: `None` for what `TRIMTAB_STORE` says, else for `trimtab.db` in `home()`; the path of a
            SQLite file, also as `sqlite:///relative.db` or `sqlite:////absolute.db`; `:memory:`
            for one that is gone when closed; `postgresql://user@host/name` (needs the extra
            `postgres`; `?schema=NAME` puts the tables in another schema than `trimtab`).
        wait: seconds to wait for somebody else who is writing.
        redact: keys, tokens and passwords are replaced in all that is written; `None` for what
            `trimtab.toml` says (`redact` of `[store]`).

    Raises:
        StoreError: it cannot be opened, is no trimtab store, or was written by a newer trimtab.
        UsageError: the URL is of no known kind.
        InputError: `trimtab.toml` cannot be read.
    """
    wanted = _wanted(redact)  # before anything is made
    path = sqlite_path(url)
    if path is None:
        from trimtab.store.postgres import PostgresDatabase

        return _redacting(SqlStore(PostgresDatabase(str(named_store(url)), wait=wait)), wanted)
    from trimtab.store.sqlite import SqliteDatabase

    return _redacting(SqlStore(SqliteDatabase(path, wait=wait)), wanted)


def opened(store: Store | str | Path | None, redact: bool | None = None) -> tuple[Store, bool]:
    """The store itself, or the one that is named; and whether it was opened here.

    Args:
        store, redact: as in `open_store`; a store may be given as well.
    """
    if store is None or isinstance(store, str | Path):
        return open_store(store, redact=redact), True
    return _redacting(store, _wanted(redact)), False


def _wanted(redact: bool | None) -> bool:
    if redact is not None:
        return redact
    found = settings()
    for line in found.unknown:
        warnings.warn(line, stacklevel=4)
    return found.redact


def _redacting(store: Store, wanted: bool) -> Store:
    if not wanted:
        return store
    from trimtab.store.redacting_store import RedactingStore

    return store if isinstance(store, RedactingStore) else RedactingStore(store)


def named_store(url: str | Path | None = None) -> str | Path | None:
    """The store that is named, here or by `TRIMTAB_STORE`; `None` where none is."""
    return os.environ.get("TRIMTAB_STORE") or None if url is None else url


def sqlite_path(url: str | Path | None = None) -> str | Path | None:
    """The SQLite file that a URL means, as `open_store` reads it; `None` for a server.

    Raises:
        UsageError: the URL is of no known kind.
    """
    url = named_store(url)
    if url is None:
        return home() / FILE
    if isinstance(url, Path):
        return url.expanduser()
    scheme = _SCHEME.match(url)
    if scheme is None:
        if not url or url.startswith("file:"):
            raise UsageError(f"store {url!r}: name a path, sqlite:///PATH or postgresql://…")
        return _path(url)
    match scheme[1].lower():
        case "sqlite":
            path = unquote(url[scheme.end() :])
            if path in ("", "/"):
                raise UsageError(f"store {url!r} names no file: sqlite:///PATH")
            if not path.startswith("/"):
                raise UsageError(f"store {url!r}: three slashes before the path: sqlite:///{path}")
            return _path(path[1:])
        case "postgresql" | "postgres":
            return None
        case other:
            raise UsageError(
                f"store {other}:// is not known; there are sqlite:/// and postgresql://"
            )


def _path(named: str) -> str | Path:
    return MEMORY if named == MEMORY else Path(named).expanduser()
