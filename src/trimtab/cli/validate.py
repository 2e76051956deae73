"""`trimtab validate`: the provider's message rules."""

from __future__ import annotations

from typing import Any

import click

from trimtab.cli import options


@click.command()
@options.files
@options.reading
@options.as_json
@click.pass_context
def validate(
    ctx: click.Context,
    files: tuple[str, ...],
    format: str | None,
    thread: str | None,
    whole: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Check a session against its provider's message rules.

    Names each broken rule with the number of the message. Exits with 1 if there are any.
    --format anthropic, openai, responses or neutral says whose rules, else its own are taken.
    """
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import emit_json

    if not files:
        list_instead(as_json)
        return
    found = _checked(files, format, thread, whole, store)
    if as_json:
        emit_json({"files": found})
    else:
        _print(found)
    if any(file["broken"] for file in found):
        ctx.exit(1)


def _checked(
    files: tuple[str, ...],
    format: str | None,
    thread: str | None,
    whole: bool,
    store: str | None,
) -> list[dict[str, Any]]:
    from trimtab.cli.files import sessions
    from trimtab.history.rules import RULES
    from trimtab.history.rules import validate as broken_rules

    found = []
    for read in sessions(files, thread=thread, whole=whole, format=format, store=store):
        history = read.history
        dialect = format if format is not None and format in RULES else history.dialect
        broken = broken_rules(history, dialect, tools=history.tools, envelope=history.envelope)
        found.append(
            {
                "file": read.path,
                "format": dialect,
                "messages": len(history),
                "valid": not broken,
                "broken": [
                    {"rule": b.rule, "index": b.index, "explanation": b.explanation} for b in broken
                ],
            }
        )
    return found


def _print(found: list[dict[str, Any]]) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.plain import plural
    from trimtab.report.terminal import cell, console, show, table

    to = console()
    for file in found:
        rules = f"the {file['format']} rules"
        broken = file["broken"]
        if not broken:
            said = f"{file['file']}: {plural(file['messages'], 'message')}, valid by {rules}"
            show(to, cell(said))
            continue
        rows = [
            ("request" if b["index"] < 0 else b["index"], b["rule"], b["explanation"])
            for b in broken
        ]
        columns = [
            Column("message", right=True),
            Column("rule"),
            Column("what is wrong", folds=True),
        ]
        title = f"{file['file']}: {plural(len(broken), 'broken rule')} ({rules})"
        show(to, table(columns, rows, title=title))
