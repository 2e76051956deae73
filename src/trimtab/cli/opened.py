"""The store that a command reads or writes: `--store`, else `TRIMTAB_STORE`, else this machine's.

A command that only reads makes no store where there is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from trimtab.cli.configured import configured
from trimtab.errors import BlockNotFound, StoreError, UsageError
from trimtab.store.block_rows import beginning, is_id, not_found
from trimtab.store.folder import BlockFolder, home
from trimtab.store.open import MEMORY, named_store, open_store, sqlite_path
from trimtab.store.protocol import Store


@contextmanager
def reading(url: str | None = None) -> Iterator[Store]:
    """A store to read from; an empty one where nothing was ever stored on this machine.

    Raises:
        StoreError: the store that was named is not there, or it cannot be opened.
    """
    path = sqlite_path(url)
    if path is not None and path != MEMORY and not is_there(url):
        if named_store(url) is not None:
            raise StoreError(f"{path}: there is no store here")
        path = MEMORY
    with open_store(path if path == MEMORY else url, redact=False) as store:
        yield store


@contextmanager
def writing(url: str | None = None) -> Iterator[Store]:
    """A store to write to, made where there is none; it redacts if `trimtab.toml` says so."""
    with open_store(url, redact=configured().redact) as store:
        yield store


def is_there(url: str | None = None) -> bool:
    """There is a store, or something in its place; a server is believed to have one."""
    path = sqlite_path(url)
    return path is None or path == MEMORY or os.path.lexists(path)


def old_blocks() -> BlockFolder:
    """The folder that blocks were kept in before there was a store; only ever read."""
    return BlockFolder(home() / "blocks")


def block_of(store: Store, typed: str) -> tuple[str, bytes]:
    """The one block whose id begins so, from the store or the old folder.

    Raises:
        BlockNotFound: there is none.
        BlockDamaged: its bytes are no longer those of the id.
        UsageError: several ids begin so.
    """
    start = beginning(typed)
    if store.has_block(start):
        return start, store.get_block(start)
    folder = old_blocks()
    older = [start] if folder.has(start) else [i for i in folder.ids() if i.startswith(start)]
    try:
        kept = [store.resolve_block(start)]
    except BlockNotFound:
        if not older and is_id(start):
            raise not_found(start) from None
        if not older:
            raise
        kept = []
    found = sorted({*kept, *older})
    if len(found) > 1:
        shown = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
        raise UsageError(f"{start} begins the ids of several blocks: {shown}; type more of it")
    return found[0], store.get_block(found[0]) if kept else folder.get(found[0])
