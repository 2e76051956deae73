"""The list of stored sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import time
from typing import Any

from trimtab.cli.opened import reading
from trimtab.cli.output import note
from trimtab.cli.stored import title_of
from trimtab.errors import StoreError
from trimtab.report.plain import age, one_line, plural
from trimtab.store.protocol import SessionInfo

_SHORT_ID = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A stored session; `title` is its own, or how the user began."""

    info: SessionInfo
    title: str

    def as_json(self) -> dict[str, Any]:
        """All that is known of it without reading it."""
        info = self.info
        return {
            "session_id": info.id,
            "format": info.dialect,
            "model": info.model,
            "created": info.created,
            "updated": info.updated,
            "messages": info.messages,
            "events": info.events,
            "title": self.title,
        }


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The newest stored sessions, and how many older ones there are."""

    rows: Sequence[Row] = ()
    older: int = 0


def stored_rows(url: str | None, most: int | None, *, only: bool) -> StoredRows:
    """The newest sessions of the store.

    Args:
        most: how many; `None` for all.
        only: nothing else is listed, so a store that cannot be read is an error; else it is told.
    """
    try:
        with reading(url) as store:
            infos = store.sessions()
            shown = infos if most is None else infos[:most]
            rows = [Row(info, title_of(store, info)) for info in shown]
    except StoreError as failure:
        if only or url is not None:
            raise
        note(str(failure))
        return StoredRows()
    return StoredRows(rows, len(infos) - len(rows))


def print_stored(kept: StoredRows) -> None:
    """The table, for people."""
    from trimtab.report.fitted import Column
    from trimtab.report.terminal import cell, console, show, table

    now = time()
    length = id_length([row.info.id for row in kept.rows])
    rows = [
        (
            row.info.id[:length],
            row.info.dialect,
            age(now - row.info.updated),
            row.info.messages,
            row.info.model or "",
            one_line(row.title, 80),
        )
        for row in kept.rows
    ]
    columns = [
        Column("session"),
        Column("format"),
        Column("last used", right=True),
        Column("messages", right=True),
        Column("model", spare=2),
        Column("title", yields=True, spare=3),
    ]
    to = console()
    show(to, table(columns, rows, title="Stored by trimtab"))
    if kept.older:
        older = plural(kept.older, "older one")
        show(to, cell(f"and {older}: trimtab sessions --stored --all", "dim"))
    first = rows[0][0]
    show(to, "", cell(f"For example: trimtab session show {first}, trimtab inspect {first}", "dim"))


def id_length(ids: Sequence[str]) -> int:
    """How many characters tell the ids apart."""
    length = _SHORT_ID
    while len({id[:length] for id in ids}) < len(set(ids)):
        length += 4
    return length
