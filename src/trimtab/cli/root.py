"""The command `trimtab`: names its commands without loading them, and is the one place where
every error ends.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

import click

from trimtab import __version__
from trimtab.errors import TrimtabError
from trimtab.report.plain import printable

COMMANDS = {
    "inspect": "Show what fills the window of a session.",
    "compact": "Write a smaller session that fits a budget.",
    "compare": "Put policies side by side at several budgets.",
    "tune": "Find the parameters that suit recorded sessions.",
    "handoff": "Write the report of a sub-agent for its parent.",
    "recall": "Print the exact bytes of something that was evicted.",
    "search": "Find what left the context of stored sessions, by words in it.",
    "pins": "List what must stay word for word, and why.",
    "pin": "Make a message of a stored session required: it stays word for word.",
    "unpin": "Refuse a message of a stored session as required.",
    "guard": "Check a summary against the session that it stands for.",
    "validate": "Check a session against its provider's message rules.",
    "convert": "Write a session in another format.",
    "sessions": "List the sessions that are stored, and those that agents left here.",
    "session": "Show, export or restore a stored session.",
    "memory": "Show and remove what agents keep across sessions.",
    "store": "Look after the store: figures, retention, moving it, checking it.",
    "policies": "List the policies, their parameters and defaults.",
}
"""Name -> one line. Each is the function of its name in the module of its name."""

INTERRUPTED = 130
PIPE_CLOSED = 141
"""As a shell reports a program that a signal ended."""

EPILOG = """\b
FILE is a recorded session or a request: a path, a directory of sessions, - for standard
input, the id of a session that is stored or that an agent left on this machine (its
beginning is enough), or the word latest. Without FILE those sessions are listed.

\b
Exit status: 0 done, 1 trouble found, 2 bad usage or input, 3 the budget cannot be met.
"""


class Root(click.Group):
    """A group whose commands are imported when they run, or when their own help is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"trimtab.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if sys.stdout is None:
            _end("standard output is closed", 2)
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character shows a `?`; it is no reason to fail.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        return guarded(lambda: super(Root, self).invoke(ctx))


Result = TypeVar("Result")


def guarded(run: Callable[[], Result]) -> Result:
    """Run, and turn whatever goes wrong into one line and an exit status."""
    try:
        result = run()
        sys.stdout.flush()  # here, where a closed pipe can still be met
        return result
    except TrimtabError as error:
        _end(str(error), error.exit_code)
    except KeyboardInterrupt:
        _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _pipe_closed()
    except OSError as failure:  # files have errors of their own: this is a standard stream
        _drop_output()
        _end(f"standard output: cannot be written ({failure.strerror or failure})", 2)
    except (click.exceptions.Exit, click.ClickException, click.Abort):
        raise  # click's own way to end
    except Exception as fault:
        if os.environ.get("TRIMTAB_DEBUG"):
            raise
        said = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
        _end(f"internal fault: {said}; please report (TRIMTAB_DEBUG=1 shows where)", 2)


def _end(line: str, status: int) -> NoReturn:
    """Say one line on standard error and exit."""
    click.echo(f"trimtab: {' '.join(printable(line).splitlines())}", err=True)
    sys.exit(status)


def _pipe_closed() -> NoReturn:
    """The reader has gone (`| head`): exit without a word."""
    _drop_output()
    sys.exit(PIPE_CLOSED)


def _drop_output() -> None:
    """What is still buffered would be written, and fail again, when the interpreter ends."""
    with suppress(OSError, ValueError):  # not a real stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=Root, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trimtab", message="%(prog)s %(version)s")
def trimtab() -> None:
    """Keep a long-running LLM agent inside its context window without losing what binds it."""
