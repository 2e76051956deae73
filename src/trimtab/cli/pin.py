"""`trimtab pin`: a message of a stored session stays word for word."""

from __future__ import annotations

import re

import click

from trimtab.cli import options


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("session")
@click.argument("message", metavar="MESSAGE|TEXT")
@options.store
@options.as_json
def pin(session: str, message: str, store: str | None, as_json: bool) -> None:
    """Make a message of a stored session required: it stays word for word.

    By its number, as `trimtab pins` and `trimtab session show` give it (negative counts from the
    end), or by words of it: the newest message that holds them. An agent that has the session
    open takes it up with `refresh`.
    """
    mark(session, message, True, store, as_json)


def mark(session: str, message: str, required: bool, url: str | None, as_json: bool) -> None:
    """Mark a message of a stored session, and say which it was."""
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json
    from trimtab.cli.stored import the_one
    from trimtab.report.fill import excerpt
    from trimtab.report.plain import one_line
    from trimtab.report.terminal import cell, console, show
    from trimtab.session import Session

    with reading(url) as store:
        open = Session.restore(the_one(store, session).id, store=store, redact=False)
        wanted = int(message) if re.fullmatch(r"-?\d+", message) else message
        number = open.pin(wanted) if required else open.unpin(wanted)
        marked = open.history[number]
    if as_json:
        emit_json(
            {"session_id": open.id, "message": number, "required": required, "text": marked.text}
        )
        return
    now = "stays word for word" if required else "need not stay"
    said = marked.text or "; ".join(excerpt(block) for block in marked.blocks)
    show(console(), cell(f"message {number} ({marked.role}) {now}: {one_line(said, 200)}"))
