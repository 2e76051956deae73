"""What a store can do, and the small records that it hands out. SQLite and PostgreSQL do the same.

Every method is synchronous and may be called from any thread. What a method wrote is durable when
it returns; a method that raises has written nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

MESSAGE = "message"
"""The kind of the events that `SessionInfo.messages` counts."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a session.

    Args:
        session: the session's id.
        seq: its number in the session; the first is 0, and none is missing.
        kind: what it is, in one word of the writer's.
        body: its bytes, as they were given.
        time: when it was written, in seconds since 1970.
    """

    session: str
    seq: int
    kind: str
    body: bytes
    time: float


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known of a session without reading its events. Times in seconds since 1970."""

    id: str
    title: str
    dialect: str
    model: str | None
    created: float
    updated: float
    events: int
    messages: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text to be found by `search`.

    Args:
        session: the session's id.
        seq: the number of the event that it belongs to.
        turn: the turn of that event.
        block: the id of the block that holds it, or the empty string. The block must be stored.
        text: the text. NUL and lone surrogates are indexed as U+FFFD.
    """

    session: str
    seq: int
    turn: int
    block: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that was found: where it is, a snippet of it, and its score (higher is better)."""

    session: str
    seq: int
    turn: int
    block: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Note:
    """A named value that outlives its session.

    Args:
        name: the name that it is looked up by.
        value: the value, word for word.
        session: the id of the session that put it, or `None`.
        updated: when it was put, in seconds since 1970.
    """

    name: str
    value: str
    session: str | None
    updated: float


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file of the memory tool: its path, its size in bytes, and when it was last written."""

    path: str
    size: int
    updated: float


class Store(Protocol):
    """Where sessions, their events, blocks, notes and memory files live.

    Every method raises `StoreError` where the store cannot be read or written: a full disk, no
    permission, a lock that somebody else holds, damage, a server that does not answer.
    """

    # -- sessions and their events ----------------------------------------------------------------

    def create_session(
        self, id: str, *, dialect: str, model: str | None, title: str = "", meta: bytes = b""
    ) -> None:
        """Begin a session.

        Args:
            id: its id: 1 to 500 characters without NUL and lone surrogates.
            dialect: the wire format that it is written in.
            model: the model's name, where known.
            title: a line for people; NUL and lone surrogates become U+FFFD.
            meta: what the caller wants to keep with it (tools, envelope), as bytes.

        Raises:
            SessionConflict: there is a session of this id.
            UsageError: the id cannot be an id.
        """

    def session(self, id: str) -> SessionInfo:
        """One session. Raises `SessionNotFound`."""

    def meta(self, id: str) -> bytes:
        """The bytes that were kept with a session. Raises `SessionNotFound`."""

    def change_session(
        self,
        id: str,
        *,
        title: str | None = None,
        model: str | None = None,
        meta: bytes | None = None,
    ) -> None:
        """Change what is known of a session; `None` leaves as it is. Raises `SessionNotFound`."""

    def sessions(self) -> list[SessionInfo]:
        """All sessions, the one written to last first."""

    def delete_session(self, id: str) -> None:
        """Remove a session, its events and its index entries. Raises `SessionNotFound`.

        Its blocks stay until `gc` finds that nobody else refers to them; its notes stay.
        """

    def append(
        self,
        session: str,
        seq: int,
        events: Sequence[tuple[str, bytes]],
        *,
        blocks: Sequence[bytes] = (),
        texts: Sequence[Indexed] = (),
        refs: Sequence[str] = (),
    ) -> None:
        """Write events with all that belongs to them: everything or nothing, durably.

        Args:
            session: the session's id.
            seq: the number of the first event: how many events the session has.
            events: kind and body of each.
            blocks: the bytes that left the context with these events.
            texts: what `search` is to find, of this session.
            refs: ids of blocks that are stored already and that these events name.

        Raises:
            SessionConflict: the session has another number of events: somebody else wrote.
            SessionNotFound: there is no such session.
            BlockNotFound: `texts` or `refs` name a block that is not stored.
            UsageError: a text is of another session.
        """

    def events(self, session: str, start: int = 0) -> Iterator[Event]:
        """The events from number `start` on, in order. Raises `SessionNotFound` at once."""

    # -- blocks -----------------------------------------------------------------------------------

    def put_block(self, data: bytes) -> str:
        """Keep bytes and return their id; the same bytes are kept once.

        A block that no session refers to is removed by `gc` once it is old enough.

        Raises:
            StoreError: other bytes have the same id (one in 2**60); nothing is overwritten.
        """

    def put_blocks(self, blocks: Sequence[bytes]) -> list[str]:
        """Keep several, all or none, and return their ids in order; see `put_block`."""

    def prepare(self, data: bytes) -> bytes:
        """The bytes as they would be kept: as they are, or redacted. Ids are of these."""

    def get_block(self, id: str) -> bytes:
        """The exact bytes. Raises `BlockNotFound`, or `BlockDamaged` if the hash is not theirs."""

    def has_block(self, id: str) -> bool:
        """A block of this id is kept here (its bytes are not checked)."""

    def block_ids(self) -> Iterator[str]:
        """The ids of all blocks, sorted; those of no session too."""

    def resolve_block(self, prefix: str) -> str:
        """The one id that begins so; `blk_` may be left out, and `o`, `i`, `l` be typed for 0, 1.

        Raises:
            BlockNotFound: no id begins so.
            UsageError: several do.
        """

    # -- search -----------------------------------------------------------------------------------

    def search(self, query: str, *, session: str | None = None, limit: int = 20) -> list[Hit]:
        """The indexed texts that hold all words of the query, best first.

        A `"quoted phrase"` is found as it stands. Where no text holds all words, those that hold
        any are found. Case, full-width forms and accents make no difference. A query without a
        letter or digit finds nothing; no query is an error. Where more than 1,000 texts match,
        the newest 1,000 are ranked.

        Args:
            query: words and quoted phrases, in any script.
            session: search this session alone.
            limit: how many hits at most.
        """

    # -- notes ------------------------------------------------------------------------------------

    def put_note(self, name: str, value: str, session: str | None = None) -> None:
        """Keep a value under a name, for every session; a value of that name is replaced."""

    def note(self, name: str) -> str | None:
        """The value of that name, word for word, or `None`."""

    def notes(self, prefix: str = "") -> list[Note]:
        """The notes whose name begins so, sorted by name."""

    def delete_note(self, name: str) -> bool:
        """Remove a note; says whether there was one."""

    # -- the files of the memory tool -------------------------------------------------------------

    def memory_get(self, path: str) -> bytes | None:
        """The bytes of a file, or `None`. A path is a name here: nothing is resolved in it."""

    def memory_put(
        self, path: str, data: bytes, *, new: bool = False, replaces: bytes | None = None
    ) -> bool:
        """Write a file.

        Args:
            path: its path.
            data: its bytes.
            new: write only if there is no such file.
            replaces: write only if the file has these bytes (nobody wrote in between).

        Returns:
            whether it was written.
        """

    def memory_delete(self, path: str) -> int:
        """Remove a file, or all files below `path/`. Returns how many."""

    def memory_rename(self, old: str, new: str) -> int:
        """Rename a file, or all files below `old/`. Returns how many.

        Raises:
            UsageError: there is a file at `new` or below it, or `new` is below `old`.
        """

    def memory_list(self, prefix: str = "") -> list[MemoryFile]:
        """The files whose path begins so, sorted by path."""

    # -- the store itself -------------------------------------------------------------------------

    def stats(self) -> dict[str, int | str]:
        """How much is kept here, by name of the count; sizes in bytes."""

    def gc(self, older_than: float) -> dict[str, int]:
        """Remove sessions not written to for `older_than` seconds, and blocks nobody refers to.

        Returns:
            how many `sessions`, `events`, `blocks` were removed, and the `bytes` of the blocks.
        """

    def export_session(self, id: str) -> Iterator[bytes]:
        """A session with its blocks and index entries, as JSON lines (without line ends).

        Raises `SessionNotFound` at once. A damaged block is named in its line, not left out
        silently.
        """

    def import_session(self, lines: Iterable[bytes | str], *, id: str | None = None) -> str:
        """Read what `export_session` wrote, under its own id or another; whole or not at all.

        Raises:
            InputError: a line is not what it should be, or the end is missing.
            SessionConflict: there is a session of this id.
        """

    def check(self) -> list[str]:
        """What is wrong with what is kept here, one line each; empty when all is well."""

    def close(self) -> None:
        """Let go of the file or the connection. A closed store raises `StoreError`."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
