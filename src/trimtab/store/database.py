"""What the two databases have in common, and the few things that each does in its own way.

The statements of the store are written once, with `?` for values; a `Database` runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from trimtab.store.search_text import Query

RANKED = 1_000
"""How many matches are ranked, the newest: a word that stands everywhere does not slow a search."""

Row = tuple[Any, ...]
Piece = tuple[int, int, str, int, str]
"""Seq, turn, block, number of the piece, text."""
Match = tuple[str, int, int, str, str, float]
"""Session id, seq, turn, block, text of the piece that was found, score."""


class Transaction(Protocol):
    """A connection that is ours for the moment."""

    def rows(self, sql: str, *values: object) -> list[Row]:
        """All rows of a query."""

    def row(self, sql: str, *values: object) -> Row | None:
        """The first row of a query."""

    def do(self, sql: str, *values: object) -> int:
        """Run a statement; how many rows it changed."""

    def many(self, sql: str, values: Sequence[Row]) -> None:
        """Run a statement once for each row of values."""


class Database(Protocol):
    """One open database. Its own errors leave it as `StoreError`, in one line."""

    @property
    def where(self) -> str:
        """The file or address, for messages; without a password."""

    def read(self, snapshot: bool = False) -> AbstractContextManager[Transaction]:
        """Reads. With `snapshot`, all of them see one state; each its own otherwise."""

    def write(self) -> AbstractContextManager[Transaction]:
        """One transaction: durable when the block ends, undone when it raises."""

    def lock_session(self, tx: Transaction, id: str) -> Row | None:
        """Number, events and messages of a session; others wait until the transaction ends."""

    def lock_refs(self, tx: Transaction) -> None:
        """Nobody else adds a reference to a block until the transaction ends."""

    def add_pieces(self, tx: Transaction, session: int, pieces: Sequence[Piece]) -> None:
        """Index pieces of texts of the session of that number."""

    def remove_pieces(self, tx: Transaction, session: int) -> None:
        """Remove the index entries of a session."""

    def matches(
        self, tx: Transaction, query: Query, every: bool, session: int | None, window: slice
    ) -> list[Match]:
        """The pieces that hold every term (or any), best first, from window.start to its stop."""

    def size(self, tx: Transaction) -> int:
        """Bytes on disk."""

    def tidy(self) -> None:
        """Give back the room of what was removed, where the database does not by itself."""

    def problems(self) -> list[str]:
        """What the database's own check finds wrong."""

    def close(self) -> None:
        """Close the connection. Later use raises `StoreError`."""
