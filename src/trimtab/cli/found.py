"""The sessions there are: the list that stands in for a FILE that was not named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any

from trimtab.cli.output import emit_json
from trimtab.cli.progress import progress
from trimtab.cli.stored_list import StoredRows, id_length, print_stored, stored_rows
from trimtab.errors import InputError, UsageError
from trimtab.formats.discover import Found, Measured, found_sessions, measured
from trimtab.report.plain import age, file_size, number, one_line, percent, plural
from trimtab.tokens import window_of

NEWEST = 20


def list_instead(
    as_json: bool = False,
    most: int | None = NEWEST,
    *,
    stored: bool = True,
    found: bool = True,
    store: str | None = None,
) -> None:
    """List the stored and the found sessions, each newest first, on standard output.

    Args:
        most: how many of each, from the newest on; `None` for all.
        stored: list those of the store.
        found: list those that agents left.
        store: which store.

    Raises:
        UsageError: there are none.
    """
    kept = stored_rows(store, most, only=not found) if stored else StoredRows()
    left = found_sessions() if found else []
    if not kept.rows and not left:
        raise UsageError(_none(stored, found))
    shown = left if most is None else left[:most]
    known = [_measured(one) for one in progress(shown, lambda one: str(one.path))]
    if as_json:
        value: dict[str, Any] = {}
        if stored:
            value["stored"] = [row.as_json() for row in kept.rows]
        if found:
            value["sessions"] = [_as_json(*pair) for pair in zip(shown, known, strict=True)]
        emit_json(value)
        return
    if kept.rows:
        print_stored(kept)
    if left:
        _print(shown, known, len(left) - len(shown), below=bool(kept.rows))


def _none(stored: bool, found: bool) -> str:
    if not found:
        return "no session is stored here"
    line = "no FILE is named, and no agent has left a session in its usual place here"
    return line if stored else line.partition(", and ")[2]


def _measured(found: Found) -> Measured | str:
    """What reading it tells, or why it cannot be read."""
    try:
        return measured(found)
    except InputError as error:
        return error.reason


def _fill(known: Measured) -> float | None:
    window = window_of(known.model)
    return known.context / window if known.context and window else None


def _as_json(found: Found, known: Measured | str) -> dict[str, Any]:
    read = known if isinstance(known, Measured) else None
    return {
        "session_id": found.session_id,
        "format": found.format,
        "path": str(found.path),
        "thread": found.thread,
        "modified": found.modified,
        "bytes": found.bytes,
        "turns": read.turns if read else None,
        "context": read.context if read else None,
        "window": window_of(read.model) if read else None,
        "fill": _fill(read) if read else None,
        "model": read.model if read else None,
        "title": read.title if read else found.title,
        "problem": known if isinstance(known, str) else None,
    }


def _print(
    found: Sequence[Found], known: Sequence[Measured | str], older: int, *, below: bool
) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.terminal import cell, console, show, table

    now = time()
    length = id_length([one.session_id for one in found])
    rows: list[tuple[Any, ...]] = []
    for one, read in zip(found, known, strict=True):
        head = (one.session_id[:length], one.format, age(now - one.modified))
        size = file_size(one.bytes) if one.bytes else ""
        if isinstance(read, str):
            rows.append((*head, size, "", "", "", cell(f"not readable: {read}", "dim")))
            continue
        title = one_line(read.title or Path(one.path).name, 80)
        window = number(read.context) if read.context else ""
        rows.append((*head, size, read.turns, window, percent(_fill(read)), title))
    columns = [
        Column("session"),
        Column("format"),
        Column("last used", right=True),
        Column("size", right=True, spare=2),
        Column("turns", right=True),
        Column("window", right=True, spare=1),
        Column("full", right=True),
        Column("title", yields=True, spare=3),
    ]
    to = console()
    title = "Left by agents on this machine" if below else ""
    show(to, *([""] if below else []), table(columns, rows, title=title))
    if older:
        show(to, cell(f"and {plural(older, 'older one')}: trimtab sessions --all", "dim"))
    first = found[0].session_id[:length]
    show(to, "", cell(f"For example: trimtab inspect latest, trimtab inspect {first}", "dim"))
