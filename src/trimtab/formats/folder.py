"""The sessions in a folder, of whatever agent: found by a look at the beginning of each file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.claude_code import agent_files
from trimtab.formats.detect_recording import of_document, of_lines
from trimtab.formats.mended_json import BOM, decode
from trimtab.formats.opencode_store import opened
from trimtab.formats.openhands import is_conversation
from trimtab.formats.source import SQLITE, open_source, unpacked_beginning

_HEAD = 1 << 16
_LARGEST = 1 << 28
_NEVER = frozenset({"node_modules", "__pycache__"})
_BESIDE_MESSAGES = frozenset({"openhands-state", "opencode-session"})


def sessions_in(folder: str | Path) -> list[Path]:
    """All sessions in a folder and the folders below, in the order of their names.

    A conversation that is a folder of its own counts as one; the files of sub-agents count as
    threads of their session. Hidden folders are left out.

    Raises:
        InputError: not a folder, or there are none.
    """
    top = Path(folder)
    if not top.is_dir():
        raise InputError(str(folder), "not a directory")
    if is_conversation(top):
        return [top]
    found = list(_walk(top))
    threads = {file for path in found for file in agent_files(path, path.name.split(".")[0])}
    sessions = sorted(path for path in found if path not in threads)
    if not sessions:
        raise InputError(str(folder), "a directory without sessions")
    return sessions


def _walk(top: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(top):
        here = Path(place)
        if {"session", "message"} <= set(folders):
            # opencode's storage: the rest of it belongs to the sessions.
            yield from here.glob("session/*/*.json")
            folders[:] = [f for f in folders if f not in ("session", "message", "part")]
        whole = [f for f in folders if is_conversation(here / f)]
        yield from (here / f for f in whole)
        folders[:] = sorted(
            f for f in folders if not f.startswith(".") and f not in _NEVER and f not in whole
        )
        for name in files:
            if not name.startswith(".") and sniffed(here / name):
                yield here / name


def sniffed(path: Path) -> str | None:
    """The format of a file, judged by its beginning; `None` where it holds no session."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return None
        with path.open("rb") as file:
            packed = file.read(_HEAD)
    except (OSError, ValueError):
        return None
    if packed.startswith(SQLITE):
        return "opencode" if _is_opencode(path) else None
    head = unpacked_beginning(packed, _HEAD)
    if head.lstrip(BOM + b" \t\r\n\0")[:1] not in (b"{", b"["):
        return None
    lines = [value for value in _whole_lines(head) if isinstance(value, dict)]
    found = of_lines(lines) if len(lines) > 1 else None
    return found or _of_whole(path)


def _whole_lines(head: bytes) -> Iterator[Any]:
    for line in head.removeprefix(BOM).splitlines():
        try:
            yield decode(line.strip())
        except ValueError:
            continue


def _of_whole(path: Path) -> str | None:
    """The format of a file of which the beginning does not tell it."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        source = open_source(path, _LARGEST)
        lines = list(islice((value for _, value in source.records(report=False)), 64))
        if len(lines) > 1:
            return of_lines(lines)
        found = of_document(source.document())
    except (OSError, InputError, ValueError):
        return None
    return None if found in _BESIDE_MESSAGES else found or of_lines(lines)


def _is_opencode(path: Path) -> bool:
    try:
        with opened(path):
            return True
    except InputError:
        return False
