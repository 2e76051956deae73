"""The way back from a session: what left its context, and notes that outlive it."""

from __future__ import annotations

from trimtab.store.protocol import Hit, Store
from trimtab.store.ranges import part


class SessionRecall:
    """What a session brings back from its store.

    Attributes:
        id: the session's id.
    """

    id: str
    _store: Store

    def recall(
        self,
        id: str,
        *,
        lines: str | tuple[int, int] | None = None,
        chars: str | tuple[int, int] | None = None,
    ) -> bytes:
        """The exact bytes of something that left, checked against its id.

        Args:
            id: the block's id; its beginning is enough.
            lines, chars: the first and last line or character wanted, from 1, both included.

        Raises:
            BlockNotFound, BlockDamaged: it is not there, or no longer what it was.
        """
        return part(self._store.get_block(self._store.resolve_block(id)), lines=lines, chars=chars)

    def search(self, text: str, *, everywhere: bool = False, limit: int = 20) -> list[Hit]:
        """What left this session's context, or any session's, and holds these words."""
        session = None if everywhere else self.id
        return self._store.search(text, session=session, limit=limit)

    def note(self, name: str, value: str) -> None:
        """Keep a value that must never pass through a summary, for this and later sessions."""
        self._store.put_note(name, value, self.id)

    def lookup(self, name: str) -> str | None:
        """The value of a note, word for word, whichever session kept it."""
        return self._store.note(name)
