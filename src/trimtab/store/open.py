"""Which store a URL or path means."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from trimtab.errors import UsageError
from trimtab.store.folder import home
from trimtab.store.protocol import Store
from trimtab.store.sql_store import SqlStore

FILE = "trimtab.db"
MEMORY = ":memory:"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: not `C:/`


def open_store(url: str | Path | None = None, *, wait: float = 5.0) -> Store:
    """Open a store, making it where there is none.

    Args:
        url: `None` for what `TRIMTAB_STORE` says, else for `trimtab.db` in `home()`; the path of a
            SQLite file, also as `sqlite:///relative.db` or `sqlite:////absolute.db`; `:memory:`
            for one that is gone when closed; `postgresql://user@host/name` (needs the extra
            `postgres`; `?schema=NAME` puts the tables in another schema than `trimtab`).
        wait: seconds to wait for somebody else who is writing.

    Raises:
        StoreError: it cannot be opened, is no trimtab store, or was written by a newer trimtab.
        UsageError: the URL is of no known kind.
    """
    path = sqlite_path(url)
    if path is None:
        from trimtab.store.postgres import PostgresDatabase

        return SqlStore(PostgresDatabase(str(named_store(url)), wait=wait))
    from trimtab.store.sqlite import SqliteDatabase

    return SqlStore(SqliteDatabase(path, wait=wait))


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
