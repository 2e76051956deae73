"""Writing Markdown: tables, fenced blocks, a docstring's first line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [_line(head), _line(["---"] * len(head))]
    lines += [_line([cell.replace("|", "\\|") for cell in row]) for row in rows]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def fenced(text: str, language: str = "text") -> str:
    """A fenced block."""
    return f"```{language}\n{text}\n```"


def first_line(documented: object) -> str:
    """The first paragraph of a docstring, on one line."""
    doc = getattr(documented, "__doc__", None) or ""
    return " ".join(doc.strip().split("\n\n")[0].split())


def shown_value(value: object) -> str:
    """A default as it is written on the command line."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return str(value)
