"""`trimtab search`: what left the context, by the words in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trimtab.store.protocol import Hit


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--session", metavar="ID", help="Only in this session.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many at the most.",
)
@options.store
@options.as_json
def search(
    query: tuple[str, ...], session: str | None, limit: int, store: str | None, as_json: bool
) -> None:
    """Find what left the context of stored sessions, by words in it.

    Best first, with the session, the turn and the block id for `trimtab recall`. A "quoted
    phrase" is found as it stands; Japanese from one character on.
    """
    import dataclasses

    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json
    from trimtab.cli.stored import the_one

    with reading(store) as found:
        within = None if session is None else the_one(found, session).id
        hits = found.search(" ".join(query), session=within, limit=limit)
    if as_json:
        emit_json({"hits": [dataclasses.asdict(hit) for hit in hits]})
    else:
        _print(hits)


def _print(hits: Sequence[Hit]) -> None:
    from trimtab.cli.stored_list import id_length
    from trimtab.report.fitted import Column
    from trimtab.report.plain import one_line
    from trimtab.report.terminal import cell, console, show, table

    to = console()
    if not hits:
        show(to, cell("Nothing that left a stored session holds these words."))
        return
    length = id_length([hit.session for hit in hits])
    rows = [
        (hit.session[:length], hit.turn, hit.block or "", one_line(hit.text, 300)) for hit in hits
    ]
    columns = [
        Column("session"),
        Column("turn", right=True),
        Column("block"),
        Column("text", folds=True),
    ]
    show(to, table(columns, rows))
