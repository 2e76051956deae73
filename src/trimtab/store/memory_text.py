"""The text of a memory file: shown with line numbers, and edited.

The rules and the wording are those of `BetaLocalFilesystemMemoryTool` in the `anthropic` package,
2.14: lines end at LF alone, a CR stays, and what follows the last LF is a line, even if empty.
"""

from __future__ import annotations

from trimtab.store.memory_errors import MemoryToolError

MOST_LINES = 999_999
_WIDTH = len(str(MOST_LINES))
_MOST_LISTED = 1_000
_AROUND = 2


def file_view(path: str, text: str, window: tuple[int, int] | None) -> str:
    """The lines of a file, numbered from 1.

    Args:
        path: as the model wrote it.
        text: the file's text.
        window: the first and the last line to show; -1 for the last of the file.
    """
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise MemoryToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    start = 0
    if window is not None:
        start = max(1, window[0]) - 1
        lines = lines[start : len(lines) if window[1] == -1 else window[1]]
    return f"Here's the content of {path} with line numbers:\n" + _numbered(lines, start + 1)


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """The text with `old`, which must stand in it once, as `new`; and the answer."""
    count = text.count(old)
    if count == 0:
        raise MemoryToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if count > 1:
        raise MemoryToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{_lines_of(text, old)}. Please ensure it is unique"
        )
    changed = text.count("\n", 0, text.find(old))
    text = text.replace(old, new)
    lines = text.split("\n")
    start = max(0, changed - _AROUND)
    snippet = _numbered(lines[start : changed + _AROUND + 1], start + 1)
    return text, (
        "The memory file has been edited. "
        f"Here is the snippet showing the change (with line numbers):\n{snippet}"
    )


def inserted(path: str, text: str, line: int, new: str) -> tuple[str, str]:
    """The text with `new` after that many lines of it, and an LF at its end; and the answer."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise MemoryToolError(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, new.rstrip("\n"))
    text = "\n".join(lines)
    return text if text.endswith("\n") else text + "\n", f"The file {path} has been edited."


def size_name(size: int) -> str:
    """A size in bytes as `0B`, `1.5K`, `3M`, in powers of 1,024."""
    power = min(max(size.bit_length() - 1, 0) // 10, 3)
    amount = size / 1024**power
    return (
        f"{int(amount)}{'BKMG'[power]}" if amount == int(amount) else f"{amount:.1f}{'BKMG'[power]}"
    )


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _lines_of(text: str, old: str) -> str:
    """The lines where `old` begins, overlapping ones too; the first thousand."""
    found: list[str] = []
    line, counted, place = 1, 0, text.find(old)
    while place != -1:
        if len(found) == _MOST_LISTED:
            return ", ".join([*found, "…"])
        line += text.count("\n", counted, place)
        counted = place
        found.append(str(line))
        place = text.find(old, place + 1)
    return ", ".join(found)
