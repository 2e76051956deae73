"""`--repair`: broken input is mended before it is worked on, and each repair is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trimtab.cli.output import note

if TYPE_CHECKING:
    from trimtab.formats.recording import Recording
    from trimtab.history.repair import Repaired

Command = TypeVar("Command", bound=Callable[..., Any])


def option(command: Command) -> Command:
    """`--repair`."""
    help = "Mend broken input first: orphaned calls and results, doubled ids, order, empty content."
    return click.option("--repair", is_flag=True, help=help)(command)


def repaired(read: Recording) -> tuple[Recording, Repaired]:
    """The session with its history mended; every repair is told on standard error."""
    from trimtab.history.repair import repair

    made = repair(read.history)
    for done in made.repairs:
        where = "request" if done.message < 0 else f"message {done.message}"
        note(f"{read.path}: repaired: {where}: {done.what}; {done.done}")
    for fault in made.left:
        note(f"{read.path}: not repaired: {fault.explanation}")
    return replace(read, history=made.history), made


def as_json(made: Repaired | None) -> list[dict[str, Any]]:
    """The repairs for programs; empty where none were asked for."""
    if made is None:
        return []
    return [{"message": r.message, "what": r.what, "done": r.done} for r in made.repairs]
