"""`trimtab handoff`: the report of a sub-agent for its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from trimtab.summaries.handoff import Handoff


@click.command()
@options.file
@click.option(
    "--tokens",
    metavar="N",
    type=int,
    default=1_500,
    show_default=True,
    help="The most that the report may take: 200 to 8000; 1000 to 2000 are recommended.",
)
@options.output
@options.model
@options.reading
@options.as_json
def handoff(
    file: str | None,
    tokens: int,
    output: str | None,
    model: str | None,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Write the report of a sub-agent for its parent.

    The task and its constraints, the agent's last words, what it changed, the facts it found, what
    is open: all of it quoted, no model is asked. The exchanges go into the store; the report names
    their ids, and `trimtab recall` brings each back.
    """
    from trimtab.cli.files import session
    from trimtab.cli.found import list_instead
    from trimtab.cli.opened import writing
    from trimtab.cli.output import STDOUT, deliver, json_bytes, note
    from trimtab.report.plain import plural
    from trimtab.summaries.handoff import checked_tokens
    from trimtab.summaries.handoff import handoff as reported
    from trimtab.tokens import counter_for

    if file is None:
        list_instead(as_json)
        return
    checked_tokens(tokens)
    read = session(file, thread=thread, whole=whole, format=format, store=store)
    made = reported(read.history, counter_for(model or read.history.model), tokens)
    text = made.text.encode("utf-8", "backslashreplace") + b"\n"

    def keep() -> None:
        with writing(store) as opened:
            opened.put_blocks([block.data for block in made.blocks])

    deliver(json_bytes(_as_json(made)) if as_json else text, output, before=keep)
    if output not in (None, STDOUT):
        size = plural(made.size, "token")
        note(f"{output}: a report of {size}, with {plural(len(made.blocks), 'block')} for the rest")


def _as_json(made: Handoff) -> dict[str, Any]:
    from trimtab.summaries.template import SECTIONS

    return {
        "text": made.text,
        "tokens": made.size,
        "sections": {n: [line.text for line in made.summary.section(n)] for n in SECTIONS},
        "blocks": [
            {"id": block.id, "first": block.start, "last": block.stop - 1} for block in made.blocks
        ],
    }
