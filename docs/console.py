"""Runs `trimtab` in this process, so that pages can show what a command printed.

Runs stand in a folder of their own, with the bundled files at the paths that the pages name and
an empty store, so that they leave nothing behind and print the same everywhere.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 110


@contextmanager
def workplace() -> Iterator[Path]:
    """A temporary folder with `docs/` and `examples/` in it, as the present one; a new store.

    No store, setting or session of the user's is seen or touched.
    """
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        for name in ("docs", "examples"):
            (place / name).symlink_to(ROOT / name)
        own = {"TRIMTAB_HOME": str(place / "store"), "HOME": str(place)}
        hidden = dict.fromkeys(("TRIMTAB_STORE", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), "")
        with patch.dict(os.environ, own | hidden):
            os.chdir(place)
            try:
                yield place
            finally:
                os.chdir(before)


def run(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Run `trimtab` with these arguments; exit status, standard output, standard error."""
    from click.testing import CliRunner

    from trimtab.cli.root import trimtab

    env = {
        "COLUMNS": str(WIDTH),
        "NO_COLOR": "1",
        "TTY_COMPATIBLE": "1",
        "TERM": "xterm",
        "TZ": "UTC",
    }
    result = CliRunner(env=env).invoke(trimtab, list(arguments), prog_name="trimtab")
    return result.exit_code, _plain(result.stdout), _plain(result.stderr)


def _plain(text: str) -> str:
    """Without colours, and without the blanks that pad a terminal's lines."""
    from click import unstyle

    return "".join(f"{line.rstrip()}\n" for line in unstyle(text).splitlines())


def console(command: Sequence[str]) -> str:
    """A command line as typed, and what it printed; commands that follow `;` run after it.

    Raises:
        RuntimeError: a command ended in a fault of its own, which belongs on no page.
    """
    with workplace():
        return typed(command)


def typed(command: Sequence[str]) -> str:
    """As `console`, in the present folder."""
    shown: list[str] = []
    for one in _split(command):
        status, out, err = run(one[1:])
        if "internal fault" in err:
            raise RuntimeError(f"{shlex.join(one)}: {err}")
        shown.append(f"$ {shlex.join(one)}")
        shown += [line for text in (out, err) if text for line in [text.rstrip("\n")]]
        if status:
            shown.append(f"(exit status {status})")
    return "```console\n" + "\n".join(shown) + "\n```"


def _split(command: Sequence[str]) -> Iterator[list[str]]:
    one: list[str] = []
    for word in command:
        if word == ";":
            yield one
            one = []
        else:
            one.append(word)
    yield one


def help_text(*command: str) -> str:
    """The help of `trimtab`, or of one of its commands."""
    with workplace():
        return run([*command, "--help"])[1]
