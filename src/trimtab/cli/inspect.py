"""`trimtab inspect`: what fills the window of a session."""

from __future__ import annotations

import dataclasses

import click

from trimtab.cli import options


@click.command()
@options.files
@click.option("--html", metavar="OUT", help="Write a report page: one file, no network.")
@options.unit
@options.model
@options.reading
@options.as_json
def inspect(
    files: tuple[str, ...],
    html: str | None,
    unit: str,
    model: str | None,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Show what fills the window of a session.

    Tokens by role, kind of block, tool and turn; the largest blocks with their ids; what was
    observed again; what the provider reported, with the part that the recording hides; and how
    many keys, tokens and passwords are in it, and where.
    """
    from trimtab.cli.files import problem_lines, sessions
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import deliver, emit_json, note
    from trimtab.report.fill import fill
    from trimtab.store.redaction import redacted
    from trimtab.tokens import counter_for

    if not files:
        list_instead(as_json)
        return
    fills = []
    for read in sessions(files, thread=thread, whole=whole, format=format, store=store):
        named = model or read.history.model
        made = fill(
            read.history,
            counter_for(named, unit),
            name=read.path,
            model=named,
            boundaries=read.boundaries,
        )
        fills.append(
            dataclasses.replace(
                made,
                format=read.format,
                title=redacted(read.title),
                session_id=read.session_id,
                threads=len(read.threads),
                started=read.started,
                ended=read.ended,
                problems=tuple(problem_lines(read)),
            )
        )
    if html is not None:
        from trimtab.report.inspect_page import inspect_page

        deliver(inspect_page(fills), html)
        note(f"{html} written")
        if html == "-":
            return
    if as_json:
        from trimtab.report.inspect_json import fills_json

        emit_json(fills_json(fills))
    elif html is None:
        from trimtab.report.inspect_text import print_fills

        print_fills(fills)
