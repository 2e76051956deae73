"""`trimtab convert`: a session in another format."""

from __future__ import annotations

import click

from trimtab.cli import options, repairs


@click.command()
@options.file
@options.to
@options.output
@repairs.option
@options.reading
def convert(
    file: str | None,
    to: str | None,
    output: str | None,
    repair: bool,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
) -> None:
    """Write a session in another format.

    What the target has no place for is told on standard error, one line a kind.
    """
    from trimtab.cli.files import session
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import deliver
    from trimtab.cli.written import tell_losses, written
    from trimtab.errors import UsageError

    if file is None:
        list_instead(False)
        return
    if to is None:
        raise UsageError("convert needs --to anthropic, openai, responses or neutral")
    read = session(file, thread=thread, whole=whole, format=format, store=store)
    if repair:
        read, _ = repairs.repaired(read)
    data, losses = written(read.history, read, to)
    tell_losses(losses)
    deliver(data, output)
