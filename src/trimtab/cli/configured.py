"""The settings of `trimtab.toml`, read once in a run; what is wrong in it is told once."""

from __future__ import annotations

import click

from trimtab.cli.output import note
from trimtab.config import Settings, settings

_KEY = "trimtab.settings"


def configured() -> Settings:
    """The settings that hold here.

    Raises:
        InputError: a file cannot be read, or a value is of the wrong kind.
    """
    meta = click.get_current_context().meta
    if _KEY not in meta:
        meta[_KEY] = settings()
        for line in meta[_KEY].unknown:
            note(line)
    found: Settings = meta[_KEY]
    return found
