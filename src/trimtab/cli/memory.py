"""`trimtab memory`: the files of the memory tool in the store, and the notes of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from trimtab.store.protocol import MemoryFile, Store

_NOTE = "Not a file: the note of this name."


@click.group()
def memory() -> None:
    """Show and remove what agents keep across sessions.

    That is the files of the memory tool, by their paths (/memories/...), and the notes that
    sessions put: values under a name.
    """


@memory.command("ls")
@click.argument("prefix", default="")
@options.store
@options.as_json
def list_(prefix: str, store: str | None, as_json: bool) -> None:
    """List files and notes, or those whose path or name begins with PREFIX."""
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json

    with reading(store) as found:
        files = [file for file in found.memory_list(prefix) if not file.path.endswith("/")]
        notes = found.notes(prefix)
    if as_json:
        emit_json(
            {
                "files": [{"path": f.path, "size": f.size, "updated": f.updated} for f in files],
                "notes": [
                    {
                        "name": n.name,
                        "value": n.value,
                        "session_id": n.session,
                        "updated": n.updated,
                    }
                    for n in notes
                ],
            }
        )
        return
    _print(files, notes)


@memory.command()
@click.argument("path", required=False)
@click.option("--note", metavar="NAME", help=_NOTE)
@options.store
@options.as_json
def cat(path: str | None, note: str | None, store: str | None, as_json: bool) -> None:
    """Print a file, or a note, as it is."""
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit, emit_json
    from trimtab.store.json_bytes import to_json

    _one_of(path, note)
    with reading(store) as found:
        data = _data(found, path, note)
    if not as_json:
        emit(data)
    elif note is not None:
        emit_json({"note": note, "value": data.decode("utf-8", "surrogatepass")})
    else:
        emit_json({"path": path, "size": len(data), "data": to_json(data)})


@memory.command()
@click.argument("path", required=False)
@click.option("--note", metavar="NAME", help=_NOTE)
@click.option("-r", "--recursive", is_flag=True, help="A folder, with all that is in it.")
@options.store
@options.as_json
def rm(
    path: str | None, note: str | None, recursive: bool, store: str | None, as_json: bool
) -> None:
    """Remove a file, a folder or a note."""
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json
    from trimtab.errors import UsageError
    from trimtab.report.plain import plural
    from trimtab.report.terminal import cell, console, show

    _one_of(path, note)
    with reading(store) as found:
        if note is not None:
            if not found.delete_note(note):
                raise UsageError(f"there is no note named {note!r}")
            removed = 1
        else:
            removed = _remove(found, str(path), recursive)
    if as_json:
        emit_json({"removed": removed})
    else:
        show(console(), cell(f"removed {plural(removed, 'note' if note is not None else 'file')}"))


def _one_of(path: str | None, note: str | None) -> None:
    from trimtab.errors import UsageError

    if (path is None) == (note is None):
        raise UsageError("name a path, or a note with --note NAME")


def _data(store: Store, path: str | None, note: str | None) -> bytes:
    from trimtab.errors import UsageError

    if note is not None:
        value = store.note(note)
        if value is None:
            raise UsageError(f"there is no note named {note!r}")
        return value.encode("utf-8", "surrogatepass")
    data = store.memory_get(str(path))
    if data is None or str(path).endswith("/"):
        raise _no_file(store, str(path))
    return data


def _remove(store: Store, path: str, recursive: bool) -> int:
    inside = [f for f in store.memory_list(path.rstrip("/") + "/") if not f.path.endswith("/")]
    is_file = not path.endswith("/") and store.memory_get(path) is not None
    if not is_file and not recursive:
        raise _no_file(store, path)
    if not store.memory_delete(path.rstrip("/")):
        raise _no_file(store, path)
    return len(inside) + is_file


def _no_file(store: Store, path: str) -> Exception:
    from trimtab.errors import UsageError

    inside = store.memory_list(path.rstrip("/") + "/")
    if inside:
        return UsageError(f"{path} is a folder; rm takes it with -r")
    return UsageError(f"there is no memory file {path}; `trimtab memory ls` lists them")


def _print(files: list[MemoryFile], notes: list[Any]) -> None:
    from time import time

    from trimtab.report.fitted import Column
    from trimtab.report.plain import age, file_size, one_line
    from trimtab.report.terminal import cell, console, show, table

    to, now = console(), time()
    if not files and not notes:
        show(to, cell("Nothing is kept."))
    if files:
        rows = [(f.path, file_size(f.size), age(now - f.updated)) for f in files]
        columns = [Column("path"), Column("size", right=True), Column("written", right=True)]
        show(to, table(columns, rows, title="Files"))
    if notes:
        named = [
            (n.name, one_line(n.value, 200), n.session or "", age(now - n.updated)) for n in notes
        ]
        columns = [Column("name"), Column("value", folds=True), Column("session", spare=2)]
        show(
            to,
            *([""] if files else []),
            table([*columns, Column("put", right=True)], named, title="Notes"),
        )
