"""`trimtab unpin`: a message of a stored session need not stay."""

from __future__ import annotations

import click

from trimtab.cli import options


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("session")
@click.argument("message", metavar="MESSAGE|TEXT")
@options.store
@options.as_json
def unpin(session: str, message: str, store: str | None, as_json: bool) -> None:
    """Refuse a message of a stored session as required.

    Whoever marked it and whatever rule found it. The message is named as for `trimtab pin`.
    """
    from trimtab.cli.pin import mark

    mark(session, message, False, store, as_json)
