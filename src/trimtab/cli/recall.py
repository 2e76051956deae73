"""`trimtab recall`: the exact bytes of something that was evicted."""

from __future__ import annotations

import click

from trimtab.cli import options


@click.command()
@click.argument("id")
@click.option("--lines", metavar="A:B", help="Only lines A to B, counted from 1.")
@click.option("--chars", metavar="A:B", help="Only characters A to B, counted from 1.")
@options.store
@options.as_json
def recall(id: str, lines: str | None, chars: str | None, store: str | None, as_json: bool) -> None:
    """Print the exact bytes of something that was evicted.

    ID is the block id (blk_...) that a placeholder or an explanation names; its beginning is
    enough. The bytes are checked against it. Ranges may be open: 10: or :20.
    """
    from trimtab.cli.opened import block_of, reading
    from trimtab.cli.output import emit, emit_json
    from trimtab.errors import UsageError
    from trimtab.store.json_bytes import to_json
    from trimtab.store.ranges import part

    if lines and chars:
        raise UsageError("--lines and --chars exclude each other")
    with reading(store) as found:
        block, data = block_of(found, id)
    some = part(data, lines=lines or None, chars=chars or None)
    if as_json:
        emit_json({"block": block, "size": len(data), "data": to_json(some)})
    else:
        emit(some)
