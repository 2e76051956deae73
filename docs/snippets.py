"""The Python on a page, run in its order: each snippet goes on from the one before it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from docs.clients import stand_ins
from docs.console import ROOT, workplace

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
    printed = []
    names: dict[str, object] = {"__name__": "__main__"}
    with workplace(), stand_ins():
        for line, code in list(fences(page, "python"))[:upto]:
            compiled = compile("\n" * (line - 1) + code, str(page), "exec")
            with redirect_stdout(io.StringIO()) as out:
                exec(compiled, names)
            printed.append(out.getvalue())
    return printed


def printed(page: str, number: str) -> str:
    """A page's snippet of this number (from 1): what it printed."""
    return ran(ROOT / page, int(number))[-1].rstrip("\n")
