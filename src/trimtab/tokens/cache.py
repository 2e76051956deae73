"""A cache from a text's content to what was found out about it, bounded by bytes."""

from __future__ import annotations

from sys import getsizeof
from typing import Generic, TypeVar

Value = TypeVar("Value")

SHORT = 1024
"""Texts up to this many characters are their own key; longer ones are keyed by their hash."""

MEGABYTE = 1_000_000
ENTRY = 120
"""What an entry costs besides its key: its slot and its value, in bytes, about."""


class ContentCache(Generic[Value]):
    """Content -> value, for at most about `limit` bytes of keys.

    Two generations: an entry that is asked for moves to the young one; when that is half the
    limit, it becomes the old one and what was old and unused is forgotten. So a hit costs one
    look-up, and there is no order to keep.
    """

    __slots__ = ("_bytes", "_half", "_old", "_young")

    def __init__(self, limit: int = 64 * MEGABYTE) -> None:
        self._half = limit // 2
        self._bytes = 0
        self._young: dict[str | bytes, Value] = {}
        self._old: dict[str | bytes, Value] = {}

    @staticmethod
    def key(text: str) -> str | bytes:
        """The key of a text: itself when short, else a 128-bit hash of it."""
        if len(text) <= SHORT:
            return text
        from hashlib import blake2b  # 3 ms to import, and many runs never need it

        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def get(self, key: str | bytes) -> Value | None:
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: str | bytes, value: Value) -> None:
        if self._bytes > self._half:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[key] = value
        self._bytes += getsizeof(key) + ENTRY

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())
