"""Writes the generated parts of the documentation, or checks that they are up to date.

    python -m docs            write
    python -m docs --check    exit 1 and name what differs

A generated part of a page stands between two comments; the first names the function in
`docs.parts` and its arguments:

    <!-- generated: parameters prune -->
    ...
    <!-- end -->

Everything is made from the code and from real runs on the bundled sessions, and the same code
gives the same bytes.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from docs import example
from docs.demo import CHART, demo
from docs.parts import part

ROOT = Path(__file__).resolve().parent.parent
_BEGIN = "<!-- generated: "
_END = "<!-- end -->"
_PART = re.compile(rf"{_BEGIN}([^\n]+?) -->\n.*?{_END}", re.S)


class PageError(Exception):
    """A page whose marks cannot be meant as they stand."""


def pages() -> list[Path]:
    """All pages, the two READMEs first."""
    return [ROOT / "README.md", ROOT / "README.ja.md", *sorted((ROOT / "docs").rglob("*.md"))]


def render(text: str) -> str:
    """The page with its generated parts made anew.

    Raises:
        PageError: a part is not closed, or nothing of that name is known.
    """
    if text.count(_BEGIN) != text.count(_END) or text.count(_BEGIN) != len(_PART.findall(text)):
        raise PageError(f"each `{_BEGIN}NAME -->` needs its own `{_END}`")
    return _PART.sub(lambda m: f"{_BEGIN}{m[1]} -->\n\n{part(m[1])}\n\n{_END}", text)


def files() -> Iterator[tuple[Path, str]]:
    """Every file with a generated part, and what it should hold."""
    yield example.PATH, json.dumps(example.request(), ensure_ascii=False, indent=1) + "\n"
    yield CHART, demo()[1]
    for page in pages():
        try:
            yield page, render(page.read_text(encoding="utf-8"))
        except PageError as error:
            raise PageError(f"{page.relative_to(ROOT)}: {error}") from None


def differing() -> Iterator[tuple[Path, str, str]]:
    """The files that are not up to date: what they hold, and what they should hold."""
    for path, wanted in files():
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        if found != wanted:
            yield path, found, wanted


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, or with `--check` only compare; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on drift")
    check = parser.parse_args(arguments).check
    try:
        stale = list(differing())
    except PageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for path, found, wanted in stale:
        name = str(path.relative_to(ROOT))
        if check:
            sys.stdout.write(f"{name}: differs; run python -m docs\n")
            lines = difflib.unified_diff(
                found.splitlines(), wanted.splitlines(), "there", "generated", lineterm="", n=0
            )
            sys.stdout.writelines(f"  {line}\n" for line in list(lines)[:20])
        else:
            path.write_text(wanted, encoding="utf-8")
            sys.stdout.write(f"{name}: written\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
