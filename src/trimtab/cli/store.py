"""`trimtab store`: how much is in it, what is old, all of it as lines, whether it is whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from trimtab.store.dump import Imported

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


@click.group()
def store() -> None:
    """Look after the store: figures, retention, moving it, checking it.

    The store of this machine is trimtab.db in TRIMTAB_HOME or the platform's data directory.
    TRIMTAB_STORE, or --store, names another: a path, or postgresql://...
    """


@store.command()
@options.store
@options.as_json
def stats(store: str | None, as_json: bool) -> None:
    """Show how much is stored."""
    from trimtab.cli.opened import is_there, old_blocks, reading
    from trimtab.cli.output import emit_json
    from trimtab.store.open import sqlite_path

    with reading(store) as found:
        counts: dict[str, Any] = dict(found.stats())
    if not is_there(store):
        counts |= {"store": str(sqlite_path(store)), "bytes_on_disk": 0}
    counts["old_blocks"] = sum(1 for _ in old_blocks().ids())
    if as_json:
        emit_json(counts)
    else:
        _print_stats(counts)


@store.command()
@click.option(
    "--older-than",
    metavar="AGE",
    required=True,
    help="Such as 30d, 12h, 2w: sessions not written to for so long go.",
)
@options.store
@options.as_json
def gc(older_than: str, store: str | None, as_json: bool) -> None:
    """Remove old sessions, and old blocks that no session refers to.

    Blocks that `trimtab compact` kept belong to no session: they go when they are so old. Notes
    and memory files stay.
    """
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json
    from trimtab.report.plain import file_size, plural
    from trimtab.report.terminal import cell, console, show

    seconds = _seconds(older_than)
    with reading(store) as found:
        removed = found.gc(seconds)
    if as_json:
        emit_json({"removed": removed})
        return
    sessions, blocks = plural(removed["sessions"], "session"), plural(removed["blocks"], "block")
    events = plural(removed["events"], "event")
    line = f"removed {sessions} ({events}) and {blocks} ({file_size(removed['bytes'])})"
    show(console(), cell(line))


@store.command()
@options.output
@options.store
def export(output: str | None, store: str | None) -> None:
    """Write everything that is stored as JSON lines.

    Sessions, blocks, notes and memory files, to standard output or to OUT.
    """
    from trimtab.cli.opened import reading
    from trimtab.cli.output import deliver_lines
    from trimtab.store.dump import exported_store

    with reading(store) as found:
        deliver_lines(exported_store(found), output)


@store.command("import")
@click.argument("file")
@options.store
@options.as_json
@click.pass_context
def import_(ctx: click.Context, file: str, store: str | None, as_json: bool) -> None:
    """Read what `store export` or `session export` wrote; - is standard input.

    What is here already stays as it is. Exits with 1 if something was left out because something
    else is here in its place. If trimtab.toml says redact, secrets are replaced on the way.
    """
    import dataclasses

    from trimtab.cli.opened import writing
    from trimtab.cli.output import emit_json, note
    from trimtab.errors import InputError
    from trimtab.store.dump import imported_store

    try:
        with (
            click.open_file(file, "rb") as lines,
            writing(store) as found,
        ):
            done = imported_store(found, lines)
    except InputError as failure:
        raise InputError(f"{file}: {failure.where}", failure.reason) from None
    except OSError as failure:
        raise InputError(file, (failure.strerror or str(failure)).lower()) from None
    if as_json:
        emit_json(dataclasses.asdict(done))
    else:
        _print_imported(done)
        for line in done.left:
            note(f"{line}; left out")
    if done.left:
        ctx.exit(1)


@store.command()
@options.store
@options.as_json
@click.pass_context
def check(ctx: click.Context, store: str | None, as_json: bool) -> None:
    """Look for damage: every hash, every reference, every event.

    Names what is wrong, a line each. Exits with 1 if there is anything.
    """
    from trimtab.cli.opened import old_blocks, reading
    from trimtab.cli.output import emit_json
    from trimtab.errors import BlockDamaged, StoreError
    from trimtab.report.plain import plural
    from trimtab.report.terminal import cell, console, show

    with reading(store) as found:
        problems = found.check()
        place = str(found.stats()["store"]) if not problems else ""
    older = old_blocks()
    for id in older.ids():
        try:
            older.get(id)
        except (BlockDamaged, StoreError) as failure:
            problems.append(str(failure))
    if as_json:
        emit_json({"problems": problems})
    else:
        lines = problems or [
            f"{place if place != ':memory:' else 'nothing is stored'}: all is well"
        ]
        show(console(), *(cell(line) for line in lines))
        if problems:
            show(console(), "", cell(plural(len(problems), "problem"), "bold"))
    if problems:
        ctx.exit(1)


def _seconds(age: str) -> float:
    """`30d` in seconds.

    Raises:
        UsageError: it is no age.
    """
    from trimtab.errors import UsageError

    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", age.strip().lower())
    if match is None:
        raise UsageError(f"age {age!r}: a number and s, m, h, d or w, such as 30d")
    return float(match[1]) * _UNITS[match[2]]


def _print_stats(counts: dict[str, Any]) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.plain import file_size
    from trimtab.report.terminal import cell, console, show, table

    blocks = f"{file_size(counts['block_bytes'])}, kept in {file_size(counts['block_bytes_kept'])}"
    rows = [
        ("sessions", counts["sessions"], ""),
        ("events", counts["events"], f"{counts['messages']:,} of them messages"),
        ("blocks", counts["blocks"], blocks),
        ("texts to search", counts["texts"], ""),
        ("notes", counts["notes"], ""),
        ("memory files", counts["memory_files"], file_size(counts["memory_bytes"])),
    ]
    if counts["old_blocks"]:
        rows.append(("blocks in files", counts["old_blocks"], "as kept before there was a store"))
    to = console()
    where = f"{counts['store']} ({file_size(counts['bytes_on_disk'])} on disk)"
    columns = [Column("what"), Column("how many", right=True), Column("")]
    show(to, cell(where, "bold"), "", table(columns, rows))


def _print_imported(done: Imported) -> None:
    from trimtab.report.plain import plural
    from trimtab.report.terminal import cell, console, show

    counts = [
        plural(done.sessions, "session"),
        plural(done.blocks, "block"),
        plural(done.notes, "note"),
        plural(done.files, "memory file"),
    ]
    known = f"; {plural(done.known, 'thing')} here already" if done.known else ""
    show(console(), cell(f"imported {', '.join(counts)}{known}"))
