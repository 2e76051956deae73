"""Options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def files(command: Command) -> Command:
    """Any number of FILEs."""
    return click.argument("files", nargs=-1, metavar="[FILE]...")(command)


def file(command: Command) -> Command:
    """One FILE, or none: then the found sessions are listed."""
    return click.argument("file", required=False, metavar="[FILE]")(command)


def as_json(command: Command) -> Command:
    """`--json`."""
    help = "Print JSON, for programs."
    return click.option("--json", "as_json", is_flag=True, help=help)(command)


def model(command: Command) -> Command:
    """`--model`, on commands that count."""
    help = "Count for this model, not the recorded one."
    return click.option("--model", metavar="NAME", help=help)(command)


def unit(command: Command) -> Command:
    """`--unit`, on commands that count."""
    return click.option(
        "--unit",
        type=click.Choice(["tokens", "chars"]),
        default="tokens",
        show_default=True,
        help="What sizes are measured in.",
    )(command)


def output(command: Command) -> Command:
    """`-o`."""
    help = "Write to this file; - is standard output."
    return click.option("-o", "--output", metavar="OUT", help=help)(command)


def store(command: Command) -> Command:
    """`--store`."""
    help = "Another store than this machine's: a path, or postgresql://…"
    return click.option("--store", metavar="URL", help=help)(command)


def reading(command: Command) -> Command:
    """How a FILE is read: `--thread`, `--whole`, `--format`, `--store`."""
    command = store(command)
    command = click.option(
        "--format", metavar="NAME", help="Read it as this format, where its content does not tell."
    )(command)
    command = click.option(
        "--whole",
        is_flag=True,
        help="All that happened, also what the recorded agent has compacted away.",
    )(command)
    return click.option(
        "--thread", metavar="NAME", help="Another thread of it: a sub-agent, a branch."
    )(command)


def to(command: Command) -> Command:
    """`--to`, the format to write."""
    return click.option(
        "--to",
        type=click.Choice(["anthropic", "openai", "responses", "neutral"]),
        help="The format to write.",
    )(command)
