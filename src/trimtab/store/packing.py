"""Bytes as they are kept: compressed where that makes them smaller, with a checksum."""

from __future__ import annotations

import threading
import zlib
from typing import Any

from trimtab.errors import StoreError

_LEVEL = 3
_SMALL = 512  # bytes; below this there is little to win and people can read what is kept
_kept = threading.local()


def pack(data: bytes) -> tuple[int, bytes]:
    """1 and the zstd frame, or 0 and the bytes themselves where the frame is not smaller."""
    if len(data) < _SMALL:
        return 0, data
    frame: bytes = _compressor().compress(data)
    return (1, frame) if len(frame) < len(data) else (0, data)


def unpack(packed: int, kept: bytes) -> bytes | None:
    """The bytes, or `None` where the frame is broken or cut short."""
    if not isinstance(kept, bytes):  # a damaged SQLite row may hold anything
        return None
    if not packed:
        return kept
    import zstandard

    # Not `decompress`: it believes the size in the frame's header, which may be damaged.
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        data = frame.decompress(kept)
    except zstandard.ZstdError:
        return None
    return data if frame.eof and not frame.unused_data else None


def checksum(label: str, data: bytes) -> int:
    """CRC-32 of what has no hash for its id, with the name that it is kept under."""
    return zlib.crc32(data, zlib.crc32(label.encode()))


def intact(where: str, what: str, label: str, data: object, crc: object) -> bytes:
    """`data`, if the checksum is its own. Raises `StoreError` otherwise."""
    if isinstance(data, bytes) and checksum(label, data) == crc:
        return data
    raise StoreError(f"{where}: {what} is damaged; `trimtab store check` lists all that is wrong")


def event_label(seq: int, kind: str, time: float) -> str:
    """What the checksum of an event covers beside its body."""
    return f"{seq} {kind} {time!r}"


def _compressor() -> Any:
    """One a thread: making one costs more than a short text does."""
    made = getattr(_kept, "compressor", None)
    if made is None:
        import zstandard

        made = _kept.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return made
