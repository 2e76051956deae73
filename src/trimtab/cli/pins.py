"""`trimtab pins`: what must stay word for word."""

from __future__ import annotations

from typing import Any

import click

from trimtab.cli import options


@click.command()
@options.files
@options.reading
@options.as_json
def pins(
    files: tuple[str, ...],
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """List what must stay word for word, and why.

    Each with the rule that says so: the system prompt, the first task, what the caller or
    `trimtab pin` marked as required, and the prohibitions, limits, approvals and scopes found in
    the user's words. Messages of a stored session are numbered as `pin` and `unpin` take them.
    """
    from trimtab.cli.files import sessions
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import emit_json
    from trimtab.pins import find_pins

    if not files:
        list_instead(as_json)
        return
    found = [
        {
            "file": read.path,
            "pins": [
                {
                    "message": pin.message,
                    "block": pin.block,
                    "start": pin.start,
                    "end": pin.end,
                    "rule": pin.rule,
                    "text": pin.text,
                }
                for pin in find_pins(read.history)
            ],
        }
        for read in sessions(
            files, thread=thread, whole=whole, format=format, store=store, numbered=True
        )
    ]
    if as_json:
        emit_json({"files": found})
    else:
        _print(found)


def _print(found: list[dict[str, Any]]) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.plain import one_line, plural
    from trimtab.report.terminal import console, show, table

    to = console()
    for at, file in enumerate(found):
        rows = [(pin["message"], pin["rule"], one_line(pin["text"], 300)) for pin in file["pins"]]
        title = f"{file['file']}: {plural(len(rows), 'pin')}"
        columns = [Column("message", right=True), Column("rule"), Column("text", folds=True)]
        show(to, *([""] if at else []), table(columns, rows, title=title))
