"""The Python on a page, run in its order: each snippet goes on from the one before it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from unittest.mock import patch
from uuid import NAMESPACE_URL, uuid5

from docs.clients import stand_ins
from docs.console import ROOT, typed, workplace

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


def fences(page: Path, language: str) -> Iterator[tuple[int, str]]:
    """The fenced blocks of a language: line number and text."""
    text = page.read_text(encoding="utf-8")
    for block in _FENCE.finditer(text):
        if block[1] == language:
            yield text.count("\n", 0, block.start()) + 2, block[2]


def ran(page: Path, upto: int | None = None) -> list[str]:
    """What each snippet of a page printed.

    Args:
        page: a Markdown file.
        upto: how many of its snippets to run; all by default.
    """
    with workplace():
        return list(_running(page, upto))


def _running(page: Path, upto: int | None) -> Iterator[str]:
    """Runs in the present folder; new sessions have the same ids each time."""
    names: dict[str, object] = {"__name__": "__main__"}
    ids = (uuid5(NAMESPACE_URL, f"trimtab/docs/{n}") for n in count())
    with stand_ins(), patch("uuid.uuid4", lambda: next(ids)):
        for line, code in list(fences(page, "python"))[:upto]:
            compiled = compile("\n" * (line - 1) + code, str(page), "exec")
            with redirect_stdout(io.StringIO()) as out:
                exec(compiled, names)
            yield out.getvalue()


def typed_after(page: str, number: str, *command: str) -> str:
    """Commands and what they print where a page's snippets up to this number have run."""
    with workplace():
        list(_running(ROOT / page, int(number)))
        return typed(command)


def printed(page: str, number: str) -> str:
    """A page's snippet of this number (from 1): what it printed."""
    return ran(ROOT / page, int(number))[-1].rstrip("\n")
