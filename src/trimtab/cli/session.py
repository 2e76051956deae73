"""`trimtab session`: one stored session: what happened, all of it as lines, what to send next."""

from __future__ import annotations

import click

from trimtab.cli import options


@click.group()
def session() -> None:
    """Show, export or restore a stored session.

    ID is the session's id; its beginning is enough. `trimtab sessions --stored` lists them.
    """


@session.command()
@click.argument("id")
@click.option("--all", "everything", is_flag=True, help="Every event, not only the newest 50.")
@options.model
@options.store
@options.as_json
def show(id: str, everything: bool, model: str | None, store: str | None, as_json: bool) -> None:
    """Show what happened: messages, edits with their reasons, sizes, pins.

    Sizes are in tokens of the session's model. A message that has left the context says so; the
    edit that took it names the block for `trimtab recall`.
    """
    from trimtab.cli.opened import reading
    from trimtab.cli.output import emit_json
    from trimtab.cli.session_show import print_story, story
    from trimtab.cli.stored import the_one

    with reading(store) as found:
        told = story(found, the_one(found, id), model)
    if as_json:
        emit_json(told.as_json())
    else:
        print_story(told, None if everything else 50)


@session.command()
@click.argument("id")
@options.output
@options.store
def export(id: str, output: str | None, store: str | None) -> None:
    """Write a session with its blocks as JSON lines.

    To standard output or to OUT; `trimtab store import` reads it back, here or elsewhere.
    """
    from trimtab.cli.opened import reading
    from trimtab.cli.output import deliver_lines
    from trimtab.cli.stored import the_one

    with reading(store) as found:
        deliver_lines(found.export_session(the_one(found, id).id), output)


@session.command()
@click.argument("id")
@options.output
@options.to
@options.store
def restore(id: str, output: str | None, to: str | None, store: str | None) -> None:
    """Write the context of a session as a request: what would be sent next.

    In the session's own format or another, to standard output or to OUT.
    """
    from trimtab.cli.opened import reading
    from trimtab.cli.output import deliver
    from trimtab.cli.stored import recording_of, the_one
    from trimtab.cli.written import tell_losses, written

    with reading(store) as found:
        read = recording_of(found, the_one(found, id))
    data, losses = written(read.history, read, to)
    tell_losses(losses)
    deliver(data, output)
