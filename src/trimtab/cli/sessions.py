"""`trimtab sessions`: what agents left on this machine."""

from __future__ import annotations

import click

from trimtab.cli import options


@click.command()
@click.option("--all", "everything", is_flag=True, help="All of them, not only the newest.")
@options.as_json
def sessions(everything: bool, as_json: bool) -> None:
    """List the sessions that agents left on this machine.

    Newest first: Claude Code, Codex, Gemini CLI, opencode, pi, OpenHands, in their usual places.
    They are only read. Each id, or its beginning, stands for its session in all commands.
    """
    from trimtab.cli.found import NEWEST, list_instead

    list_instead(as_json, None if everything else NEWEST)
