"""A plain folder of blocks, each under the id that the hash of its bytes gives it."""

from __future__ import annotations

import errno
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from trimtab.context.blocks import block_id
from trimtab.errors import BlockDamaged, BlockNotFound, StoreError

_ID = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{12}")
_SUFFIX = ".zst"
_LEVEL = 3
_NO_SPACE = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class BlockFolder:
    """Blocks as files: `PATH/ab/blk_ab….zst`, zstd-compressed, readable by their owner only.

    A block is written to a temporary file first and then renamed, so that no reader ever sees
    half of one, and processes may write side by side. Nothing is created before the first `put`.

    Args:
        path: the folder.
    """

    __slots__ = ("path",)

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def put(self, data: bytes) -> str:
        """Keep `data` and return its id; what is already here is not written again.

        A file of that id whose bytes are damaged is replaced by the good ones.

        Raises:
            StoreError: the folder cannot be written, the disk is full, or other bytes with the
                same id are kept here (a collision: one in 2**60).
        """
        id = block_id(data)
        place = self._place(id)
        try:
            if place.exists():
                kept = _unpacked(place.read_bytes())
                if kept == data:
                    return id
                if kept is not None and block_id(kept) == id:
                    raise StoreError(f"{place}: other bytes with the same id are kept here")
            self._write(place, data)
        except OSError as failure:
            _refused(place, failure, "written")
        return id

    def get(self, id: str) -> bytes:
        """The exact bytes of a block.

        Raises:
            BlockNotFound: no block of this id is kept here.
            BlockDamaged: its bytes no longer have the hash that the id names.
            StoreError: it cannot be read.
        """
        if not _ID.fullmatch(id):
            raise BlockNotFound(f"{id!r} is no block id (blk_ and 12 letters or digits)")
        place = self._place(id)
        try:
            packed = place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise BlockNotFound(f"no block {id} in {self.path}") from None
        except OSError as failure:
            _refused(place, failure, "read")
        data = _unpacked(packed)
        if data is None or block_id(data) != id:
            raise BlockDamaged(f"{place}: damaged: its bytes do not have the hash of {id}")
        return data

    def has(self, id: str) -> bool:
        """A block of this id is kept here (its bytes are not checked)."""
        return bool(_ID.fullmatch(id)) and self._place(id).is_file()

    def ids(self) -> Iterator[str]:
        """The ids of all blocks kept here, sorted."""
        for place in sorted(self.path.glob(f"??/blk_*{_SUFFIX}")):
            id = place.name.removesuffix(_SUFFIX)
            if _ID.fullmatch(id):
                yield id

    def _place(self, id: str) -> Path:
        return self.path / id[4:6] / (id + _SUFFIX)

    def _write(self, place: Path, data: bytes) -> None:
        import zstandard

        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
        _make_private(place.parent)
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=place.parent)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())  # on disk before its name is: never an empty block
            os.replace(temporary, place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _make_private(folder: Path) -> None:
    """The folder and its missing parents, for their owner only."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _unpacked(packed: bytes) -> bytes | None:
    """The bytes, or `None` where the frame is broken or cut short."""
    import zstandard

    # Not `decompress`: it believes the size in the frame's header, which may be damaged.
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        data = frame.decompress(packed)
    except zstandard.ZstdError:
        return None
    return data if frame.eof and not frame.unused_data else None


def _refused(place: Path, failure: OSError, what: str) -> NoReturn:
    full = failure.errno in _NO_SPACE
    reason = "the disk is full" if full else failure.strerror or str(failure)
    hint = "; set TRIMTAB_HOME to a folder that can be" if what == "written" else ""
    raise StoreError(f"{place}: cannot be {what} ({reason}){hint}") from failure


def home() -> Path:
    """Where trimtab keeps its data: `TRIMTAB_HOME`, else the platform's data directory.

    Linux and others: `$XDG_DATA_HOME/trimtab` or `~/.local/share/trimtab` (XDG base directory
    specification). macOS: `~/Library/Application Support/trimtab`. Windows:
    `%LOCALAPPDATA%\\trimtab`.

    Raises:
        StoreError: there is no home directory to be in.
    """
    named = os.environ.get("TRIMTAB_HOME")
    if named:
        return Path(named).expanduser()
    try:
        user = Path.home()
    except RuntimeError:
        raise StoreError("no home directory is known; set TRIMTAB_HOME") from None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or user / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = user / "Library" / "Application Support"
    else:
        named = os.environ.get("XDG_DATA_HOME", "")
        # The specification: a path that is not absolute is to be ignored.
        base = Path(named) if os.path.isabs(named) else user / ".local" / "share"
    return base / "trimtab"
