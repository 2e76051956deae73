"""A new, empty store of each kind, for the tests that hold of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.postgres import new_url
from trimtab.store.open import open_store
from trimtab.store.protocol import Store

KINDS = ("sqlite", "postgres")


@dataclass
class Backend:
    """A place for a store, and the stores opened on it, which are closed when the test ends."""

    kind: str
    url: str
    opened: list[Store] = field(default_factory=list)

    def open(self, *, wait: float = 5.0) -> Store:
        store = open_store(self.url, wait=wait)
        self.opened.append(store)
        return store


def backend_of(kind: str, folder: Path) -> Backend:
    """A new place of that kind."""
    return Backend(kind, str(folder / "store" / "trimtab.db") if kind == "sqlite" else new_url())


@pytest.fixture(params=KINDS)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Both kinds, one after the other."""
    made = backend_of(request.param, tmp_path)
    yield made
    for store in made.opened:
        store.close()


@pytest.fixture
def store(backend: Backend) -> Store:
    """An open, empty store."""
    return backend.open()
