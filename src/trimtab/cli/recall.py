"""`trimtab recall`: the exact bytes of something that was evicted."""

from __future__ import annotations

import re

import click


@click.command()
@click.argument("id")
@click.option("--lines", metavar="A:B", help="Only lines A to B, counted from 1.")
@click.option("--chars", metavar="A:B", help="Only characters A to B, counted from 1.")
def recall(id: str, lines: str | None, chars: str | None) -> None:
    """Print the exact bytes of something that was evicted.

    ID is the block id (blk_...) that a placeholder or an explanation names. The bytes are
    checked against it. Ranges may be open: 10: or :20.
    """
    from trimtab.cli.output import emit
    from trimtab.errors import UsageError
    from trimtab.store import BlockFolder, home

    if lines and chars:
        raise UsageError("--lines and --chars exclude each other")
    data = BlockFolder(home() / "blocks").get(id)
    if lines:
        data = _some_lines(data, lines)
    elif chars:
        data = _some_chars(data, chars)
    emit(data)


def _some_lines(data: bytes, wanted: str) -> bytes:
    lines = re.split(rb"(?<=\n)", data)
    if lines and not lines[-1]:
        lines.pop()
    start, stop = _range(wanted, len(lines), "lines")
    return b"".join(lines[start:stop])


def _some_chars(data: bytes, wanted: str) -> bytes:
    from trimtab.errors import UsageError

    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise UsageError("--chars: the block is no text; recall it whole") from None
    start, stop = _range(wanted, len(text), "characters")
    return text[start:stop].encode("utf-8", "surrogatepass")


def _range(wanted: str, length: int, what: str) -> tuple[int, int]:
    """`a:b`, counted from 1, both ends included, as `start <= i < stop`."""
    from trimtab.errors import UsageError

    match = re.fullmatch(r"(\d*)(:?)(\d*)", wanted.strip())
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"range {wanted!r}: write A:B, A: or :B, counted from 1")
    first = int(match[1] or 1)
    last = int(match[3]) if match[3] else length if match[2] else first
    if first < 1 or (last < first and match[3]):
        raise UsageError(f"range {wanted!r}: starts at 1, and does not end before it starts")
    if first > length:
        raise UsageError(f"range {wanted!r}: the block has {length:,} {what}")
    return first - 1, last
