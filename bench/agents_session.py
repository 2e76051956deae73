"""`SQLiteSession` of `openai-agents`, as it is."""

from __future__ import annotations

from collections.abc import Coroutine
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LEVELS = ("OFF", "NORMAL", "FULL", "EXTRA")


def available() -> bool:
    """The package (the extra `bench`) is installed."""
    return find_spec("agents") is not None


class Peer:
    """A session of theirs in a file of its own."""

    def __init__(self, file: Path) -> None:
        # Imported by name: the type checker runs without this extra.
        self._session: Any = import_module("agents").SQLiteSession("bench", file)

    def add(self, items: list[dict[str, Any]]) -> Coroutine[Any, Any, None]:
        """Store items, in one transaction."""
        added: Coroutine[Any, Any, None] = self._session.add_items(items)
        return added

    def read(self, limit: int | None = None) -> Coroutine[Any, Any, list[dict[str, Any]]]:
        """All items, or the newest `limit`."""
        found: Coroutine[Any, Any, list[dict[str, Any]]] = self._session.get_items(limit)
        return found

    def durability(self) -> str:
        """What it has SQLite do, as SQLite says it."""
        with self._session._locked_connection() as connection:
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
            (level,) = connection.execute("PRAGMA synchronous").fetchone()
        return f"journal_mode={mode}, synchronous={LEVELS[level]}"

    def close(self) -> None:
        """Let go of the file."""
        self._session.close()
