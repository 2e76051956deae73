"""Handing results over: standard output, files written whole or not at all, JSON, notes."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from trimtab.errors import InputError
from trimtab.report.plain import printable

STDOUT = "-"


def note(line: str) -> None:
    """A line for people, on standard error: it never mixes with results."""
    click.echo(printable(line), err=True)


def emit(data: bytes) -> None:
    """Bytes to standard output, exactly."""
    stream = sys.stdout.buffer
    sys.stdout.flush()  # text already written comes first
    left = memoryview(data)
    while left:  # an unbuffered stream may take a part only, also where its reader has gone
        left = left[stream.write(left) :]
    stream.flush()


def json_bytes(value: Any) -> bytes:
    """Indented JSON in UTF-8; where a lone surrogate is inside, in ASCII, so that it survives."""
    try:
        return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(value, indent=2) + "\n").encode()


def emit_json(value: Any) -> None:
    """A result for programs, on standard output."""
    emit(json_bytes(value))


def deliver(data: bytes, output: str | None, before: Callable[[], object] = lambda: None) -> None:
    """Write a result to a file, or to standard output for `None` and `-`.

    The file is written beside its place first and takes it in one step, with the mode of the
    file that it replaces; a failure leaves everything as it was.

    Args:
        before: done when the bytes are safely on disk and before they take their place.

    Raises:
        InputError: the file cannot be written.
    """
    if output is None or output == STDOUT:
        before()
        emit(data)
        return
    try:
        _write(Path(output), (data,), before)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise InputError(output, f"cannot be written ({reason})") from failure


def deliver_lines(lines: Iterable[bytes], output: str | None) -> None:
    """Write lines as `deliver` writes bytes, without having all of them in memory.

    Raises:
        InputError: the file cannot be written.
    """
    if output is None or output == STDOUT:
        for line in lines:
            emit(line + b"\n")
        return
    try:
        _write(Path(output), (line + b"\n" for line in lines), lambda: None)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise InputError(output, f"cannot be written ({reason})") from failure


def _write(path: Path, data: Iterable[bytes], before: Callable[[], object]) -> None:
    place = Path(os.path.realpath(path))  # a link stays a link
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "it is a directory")
    if mode is not None and not stat.S_ISREG(mode):  # /dev/null, a pipe: never replaced
        before()
        with place.open("wb") as device:
            device.writelines(data)
        return
    with _beside(place) as (file, temporary):
        file.writelines(data)
        file.flush()
        os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
        before()
        file.close()
        os.replace(temporary, place)


@contextmanager
def _beside(place: Path) -> Iterator[tuple[IO[bytes], str]]:
    """A new file in the folder of `place`; gone afterwards unless it was renamed."""
    handle, temporary = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, temporary
    finally:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
