"""Where opencode keeps its sessions: an SQLite database, or a folder of small JSON files. Both
are only read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trimtab.errors import InputError, UnknownFormatError
from trimtab.formats.mended_json import decode, decode_mended
from trimtab.formats.opencode import Stored

TABLES = frozenset({"session", "message", "part"})


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, opened so that nothing can be written to it.

    Raises:
        UnknownFormatError: an SQLite database of something else.
        InputError: damaged, or locked.
    """
    # Without a log beside it nobody is writing: then not even a lock is needed, and no file
    # is made beside it.
    live = path.with_name(path.name + "-wal").exists()
    mode = "mode=ro" if live else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?{mode}", uri=True)
        try:
            found = connection.execute("select name from sqlite_master where type = 'table'")
            tables = {name for (name,) in found}
            if not tables >= TABLES:
                seen = ", ".join(sorted(tables)[:8]) or "none"
                reason = f"an SQLite database, but not opencode's (tables: {seen})"
                raise UnknownFormatError(str(path), reason)
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as e:
        raise InputError(str(path), f"the database cannot be read ({e})") from None


def sessions(path: Path) -> list[tuple[str, str, str | None, float]]:
    """Id, title, parent id and time of change (seconds since 1970), newest first."""
    with opened(path) as db:
        rows = db.execute(
            "select id, title, parent_id, time_updated from session order by time_updated desc"
        )
        return [(id, title or "", parent, (at or 0) / 1000) for id, title, parent, at in rows]


def from_database(path: Path, id: str | None = None) -> Stored:
    """One session: that of this id or beginning, else the newest that is no sub-agent's.

    Raises:
        InputError: no such session, or several.
    """
    known = sessions(path)
    if id is None:
        roots = [s for s, _, parent, _ in known if parent is None] or [s for s, *_ in known]
        if not roots:
            raise InputError(str(path), "holds no sessions")
        id = roots[0]
    else:
        begin = [s for s, *_ in known if s == id] or [s for s, *_ in known if s.startswith(id)]
        if len(begin) != 1:
            which = "several sessions begin with" if begin else "no session"
            raise InputError(str(path), f"{which} {id!r}")
        id = begin[0]
    with opened(path) as db:
        return _session(path, db, id)


def _session(path: Path, db: sqlite3.Connection, id: str) -> Stored:
    columns = {name for _, name, *_ in db.execute("pragma table_info(session)")}
    names = [n for n in ("title", "revert", "time_created", "time_updated") if n in columns]
    found = db.execute(f"select {', '.join(names)} from session where id = ?", (id,))
    row = dict(zip(names, found.fetchone(), strict=True))
    info: dict[str, Any] = {
        "id": id,
        "title": row.get("title"),
        "revert": _json(row.get("revert")),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
    }
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for message, part, data in db.execute(
        "select message_id, id, data from part where session_id = ? order by message_id, id",
        (id,),
    ):
        value = _json(data)
        if isinstance(value, dict):
            parts.setdefault(message, []).append({**value, "id": part})
    messages: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
    for message, data in db.execute(
        "select id, data from message where session_id = ? order by time_created, id", (id,)
    ):
        value = _json(data)
        if isinstance(value, dict):
            messages.append(({**value, "id": message}, parts.get(message, [])))
    rows = db.execute("select id from session where parent_id = ? order by id", (id,))
    children = {child: _reader(path, child) for (child,) in rows}
    return Stored(info, messages, lambda: children)


def _reader(path: Path, id: str) -> Callable[[], Stored]:
    return lambda: from_database(path, id)


def _json(data: object) -> Any:
    if not isinstance(data, str):
        return None
    try:
        values, _ = decode_mended(data.encode(errors="replace"), glued=False)
    except ValueError:
        return None
    return values[0] if values else None


def storage_of(session_file: Path) -> Path | None:
    """The storage folder that a session's JSON file lies in: `storage/session/<project>/`."""
    folder = session_file.absolute().parent.parent
    return folder.parent if folder.name == "session" else None


def from_folder(
    session_file: Path, info: Mapping[str, Any], report: Callable[[str, str], None]
) -> Stored:
    """One session of the JSON storage.

    Args:
        info: what the session's own file holds.
        report: told the file and the reason where one cannot be read.

    Raises:
        InputError: its messages are not where opencode keeps them.
    """
    storage = storage_of(session_file)
    id = info.get("id")
    if storage is None or not isinstance(id, str):
        reason = "an opencode session without its messages; read it where opencode stored it"
        raise InputError(str(session_file), reason)
    messages: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
    for message in _objects(storage / "message" / id, report):
        folder = storage / "part" / str(message.get("id"))
        messages.append((message, list(_objects(folder, report))))
    messages.sort(key=_created)

    def reader(file: Path) -> Callable[[], Stored]:
        return lambda: from_folder(file, _object(file, report) or {}, report)

    def children() -> dict[str, Callable[[], Stored]]:
        others = sorted(session_file.parent.glob("*.json"))
        return {f.stem: reader(f) for f in others if f != session_file and _is_child(f, id)}

    return Stored(info, messages, children)


def _created(message: tuple[Mapping[str, Any], object]) -> tuple[float, str]:
    time = message[0].get("time")
    created = time.get("created") if isinstance(time, Mapping) else 0
    at = float(created) if isinstance(created, int | float) else 0.0
    return at, str(message[0].get("id"))


def _objects(folder: Path, report: Callable[[str, str], None]) -> Iterator[Mapping[str, Any]]:
    for file in sorted(folder.glob("*.json")):
        value = _object(file, report)
        if value is not None:
            yield {"id": file.stem, **value}


def _object(file: Path, report: Callable[[str, str], None]) -> dict[str, Any] | None:
    try:
        values, notes = decode_mended(file.read_bytes(), glued=False)
    except (OSError, ValueError) as e:
        report(str(file), f"cannot be read ({e})")
        return None
    for note in notes:
        report(str(file), note)
    return values[0] if values and isinstance(values[0], dict) else None


def _is_child(file: Path, id: str) -> bool:
    try:
        data = file.read_bytes()
        value = decode(data) if id.encode() in data else None
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and value.get("parentID") == id
