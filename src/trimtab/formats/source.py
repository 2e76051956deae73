"""Where recorded sessions come from: a file or standard input, plain, gzip or zstd, read line by
line. What is broken is reported with its line, and the rest is read.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.mended_json import BOM, decode, decode_mended

SQLITE = b"SQLite format 3\0"
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
MOST_UNPACKED = 1 << 30
"""Bytes that a packed file may unpack to: 1 GiB. A small file that holds more is refused."""
_STEP = 1024
_OTHER_PACKINGS = (
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\xfd7zXZ", "xz-compressed; decompress it first (gzip and zstd are read as they are)"),
    (b"BZh", "bzip2-compressed; decompress it first (gzip and zstd are read as they are)"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a recording that was not as it should be.

    Attributes:
        where: `file:line`, or `file` where there are no lines.
        reason: what is wrong, in one line.
        done: what the reader did about it.
    """

    where: str
    reason: str
    done: str


@dataclass(slots=True)
class Source:
    """The decompressed bytes of one file.

    Attributes:
        name: the file as the user named it; `-` is standard input.
        data: the bytes, without a byte order mark. UTF-16 and UTF-32 have become UTF-8.
        size: bytes on disk.
        problems: what was found broken so far, in file order.
    """

    name: str
    data: bytes
    size: int
    problems: list[Problem] = field(default_factory=list)

    @property
    def path(self) -> Path | None:
        """The file, or `None` for standard input."""
        return None if self.name == "-" else Path(self.name)

    @property
    def is_sqlite(self) -> bool:
        """It is an SQLite database."""
        return self.data.startswith(SQLITE)

    def where(self, line: int | None = None) -> str:
        """`file:line`, for messages."""
        return self.name if line is None else f"{self.name}:{line}"

    def report(self, line: int | None, reason: str, done: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(self.where(line), reason, done))

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Line numbers from 1, and the lines that are not blank."""
        data = self.data
        start, number, length = 0, 0, len(data)
        while start < length:
            number += 1
            stop = data.find(b"\n", start)
            if stop < 0:
                stop = length
            line = data[start:stop].strip(b" \t\r")
            if line:
                yield number, line
            start = stop + 1

    def records(self, report: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
        """Line numbers and the JSON objects of a file of one object a line.

        A line that is not JSON is skipped, and reported unless `report` is false.
        """
        ended = self.data.endswith(b"\n")
        for number, line in self.lines():
            try:
                values = [decode(line)]
            except ValueError:
                values = self._mended(number, line, ended, report)
            for value in values:
                if isinstance(value, dict):
                    yield number, value
                elif report:
                    kind = type(value).__name__
                    self.report(number, f"a JSON {kind}, not an object", "skipped it")

    def _mended(self, number: int, line: bytes, ended: bool, report: bool) -> list[Any]:
        try:
            values, notes = decode_mended(line)
        except ValueError as e:
            if report:
                last = not ended and self.data.endswith(line)
                torn = "torn last line" if last else "not JSON"
                reason = f"{torn} ({len(line):,} bytes; {e})"
                self.report(number, reason, "skipped it, read the rest")
            return []
        if report and notes:
            kept = "read the rest of the line" if values else "skipped it"
            self.report(number, "damaged line", f"{'; '.join(notes)}; {kept}")
        return values

    def document(self) -> Any:
        """The whole file as one JSON value.

        Raises:
            ValueError: it is not one JSON value.
        """
        values, notes = decode_mended(self.data.strip(), glued=False)
        if not values:
            raise ValueError("no JSON value")
        for note in notes:
            self.report(None, "damaged JSON", note)
        return values[0]


def open_source(path: str | Path, most: int = MOST_UNPACKED) -> Source:
    """Read a file (`-`: standard input) and undo its packing, recognised by content.

    Args:
        most: bytes that a packed file may unpack to.

    Raises:
        InputError: missing, a directory, not readable, empty, of a kind that is never JSON, or
            packed and larger than `most`.
    """
    name = str(path)
    packed = _standard_input() if name == "-" else _read(Path(path))
    source = Source(name, packed, len(packed))
    if packed.startswith(GZIP):
        source.data = _unpack(source, _gunzip, "gzip", most)
    elif packed.startswith(ZSTD):
        source.data = _unpack(source, _unzstd, "zstd", most)
    source.data = _as_utf8(source)
    if b"\n" not in source.data:
        source.data = source.data.replace(b"\r", b"\n")  # line ends of old
    if not source.data.strip(b" \t\r\n\0"):
        raise InputError(source.where(), "empty: there is nothing to read")
    for magic, what in _OTHER_PACKINGS:
        if source.data.startswith(magic):
            raise InputError(source.where(), f"this is {what}")
    return source


def _standard_input() -> bytes:
    if sys.stdin is None:  # closed by whoever started the program
        raise InputError("-", "standard input is closed")
    return sys.stdin.buffer.read()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        reason = "no such file"
    except IsADirectoryError:
        reason = "a directory; name one of the sessions in it"
    except PermissionError:
        reason = "may not be read (permission denied)"
    except (OSError, ValueError) as e:
        reason = f"cannot be read ({e.strerror if isinstance(e, OSError) else e})"
    raise InputError(str(path), reason) from None


def _as_utf8(source: Source) -> bytes:
    data = source.data
    if data.startswith(BOM):
        source.report(1, "starts with a byte order mark", "skipped it")
        return data[3:]
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        kind = "utf-32"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "utf-16"
    elif data[:4] in (b'{\0"\0', b"[\0{\0", b"{\0\r\0", b"{\0\n\0", b"[\0\n\0", b"[\0\r\0"):
        kind = "utf-16-le"
    else:
        return data
    source.report(1, f"{kind[:6].upper()} text", "converted it to UTF-8")
    return data.decode(kind, errors="replace").encode()


def _unpack(
    source: Source, unpack: Callable[[bytes, int], tuple[bytes, str]], kind: str, most: int
) -> bytes:
    data, trouble = unpack(source.data, most)
    if len(data) > most:
        raise InputError(source.where(), f"unpacks to more than {most:,} bytes; unpack it first")
    if trouble and not data:
        raise InputError(source.where(), f"broken {kind} data ({trouble}); nothing to read")
    if trouble:
        source.report(None, f"broken {kind} data ({trouble})", f"read {len(data):,} bytes")
    return data


def _gunzip(packed: bytes, most: int) -> tuple[bytes, str]:
    return _stepwise(packed, GZIP, lambda: zlib.decompressobj(wbits=31), zlib.error, most)


def _unzstd(packed: bytes, most: int) -> tuple[bytes, str]:
    import zstandard

    def frame() -> Any:
        return zstandard.ZstdDecompressor().decompressobj()

    return _stepwise(packed, ZSTD, frame, zstandard.ZstdError, most)


def _stepwise(
    packed: bytes, magic: bytes, begin: Callable[[], Any], fault: type[Exception], most: int
) -> tuple[bytes, str]:
    """All frames of `packed`, and what is wrong with them; ends soon after `most` bytes.

    Small steps: a few packed bytes may stand for gigabytes, and what came before a fault counts.
    """
    data = BytesIO()  # hands its bytes out without a second copy of them
    at = 0
    while packed.startswith(magic, at) and data.tell() <= most:
        frame = begin()
        try:
            while not frame.eof and at < len(packed) and data.tell() <= most:
                step = packed[at : at + _STEP]
                at += len(step)
                data.write(frame.decompress(step))
        except fault as e:
            return data.getvalue(), str(e)
        if not frame.eof:
            return data.getvalue(), "cut short"
        at -= len(frame.unused_data)
    return data.getvalue(), ""


def unpacked_beginning(packed: bytes, most: int) -> bytes:
    """Up to `most` bytes of what the beginning of a file holds, unpacked where it is packed."""
    for magic, unpack in ((GZIP, _gunzip), (ZSTD, _unzstd)):
        if packed.startswith(magic):
            return unpack(packed, most)[0][:most]
    return packed[:most]
