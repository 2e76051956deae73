"""`trimtab sessions`: what is stored, and what agents left on this machine."""

from __future__ import annotations

import click

from trimtab.cli import options


@click.command()
@click.option("--stored", is_flag=True, help="Only those in the store.")
@click.option("--found", is_flag=True, help="Only those that agents left.")
@click.option("--all", "everything", is_flag=True, help="All of them, not only the newest.")
@options.store
@options.as_json
def sessions(stored: bool, found: bool, everything: bool, store: str | None, as_json: bool) -> None:
    """List the sessions that are stored, and those that agents left here.

    Newest first. Those of Claude Code, Codex, Gemini CLI, opencode, pi and OpenHands are found in
    their usual places and only read. Each id, or its beginning, stands for its session in all
    commands.
    """
    from trimtab.cli.found import NEWEST, list_instead

    most = None if everything else NEWEST
    both = stored == found
    list_instead(as_json, most, stored=both or stored, found=both or found, store=store)
