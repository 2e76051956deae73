"""Which store a URL or path means."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from trimtab.errors import UsageError
from trimtab.store.folder import home
from trimtab.store.protocol import Store
from trimtab.store.sql_store import SqlStore

FILE = "trimtab.db"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: not `C:/`


def open_store(url: str | Path | None = None, *, wait: float = 5.0) -> Store:
    """Open a store, making it where there is none.

    Args:
        url: `None` for `trimtab.db` in `home()`; the path of a SQLite file, also as
            `sqlite:///relative.db` or `sqlite:////absolute.db`; `:memory:` for one that is gone
            when closed; `postgresql://user@host/name` (needs the extra `postgres`; `?schema=NAME`
            puts the tables in another schema than `trimtab`).
        wait: seconds to wait for somebody else who is writing.

    Raises:
        StoreError: it cannot be opened, is no trimtab store, or was written by a newer trimtab.
        UsageError: the URL is of no known kind.
    """
    if url is None:
        return _sqlite(home() / FILE, wait)
    if isinstance(url, Path):
        return _sqlite(url, wait)
    scheme = _SCHEME.match(url)
    if scheme is None:
        if not url or url.startswith("file:"):
            raise UsageError(f"store {url!r}: name a path, sqlite:///PATH or postgresql://…")
        return _sqlite(url, wait)
    match scheme[1].lower():
        case "sqlite":
            path = unquote(url[scheme.end() :])
            if path in ("", "/"):
                raise UsageError(f"store {url!r} names no file: sqlite:///PATH")
            if not path.startswith("/"):
                raise UsageError(f"store {url!r}: three slashes before the path: sqlite:///{path}")
            return _sqlite(path[1:], wait)
        case "postgresql" | "postgres":
            from trimtab.store.postgres import PostgresDatabase

            return SqlStore(PostgresDatabase(url, wait=wait))
        case other:
            raise UsageError(
                f"store {other}:// is not known; there are sqlite:/// and postgresql://"
            )


def _sqlite(path: str | Path, wait: float) -> Store:
    from trimtab.store.sqlite import MEMORY, SqliteDatabase

    if str(path) != MEMORY:
        path = Path(path).expanduser()
    return SqlStore(SqliteDatabase(path, wait=wait))
