"""Whatever is put into a store comes out again, byte for byte; on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stores import KINDS, backend_of
from trimtab.context.blocks import block_id
from trimtab.store.protocol import Event, Indexed, Store

# A store is shared by the examples: each has a session of its own.
SHARED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
KIND = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
TEXT = st.text(st.characters(exclude_categories=()))
BODIES = st.binary(max_size=2_000) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass"))
_numbers = count()


@pytest.fixture(scope="module", params=KINDS)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    with backend_of(request.param, tmp_path_factory.mktemp("properties")).open() as opened:
        yield opened


@SHARED
@given(st.lists(st.lists(st.tuples(KIND, BODIES), max_size=4), max_size=5), BODIES, TEXT)
def test_events(
    store: Store, appends: list[list[tuple[str, bytes]]], meta: bytes, title: str
) -> None:
    id = f"s{next(_numbers)}"
    store.create_session(id, dialect="neutral", model=None, title=title, meta=meta)
    seq = 0
    for events in appends:
        store.append(id, seq, events)
        seq += len(events)
    flat = [event for events in appends for event in events]
    got = list(store.events(id))
    assert got == [Event(id, n, kind, body, got[n].time) for n, (kind, body) in enumerate(flat)]
    assert store.meta(id) == meta
    copy = f"copy of {id}"
    store.import_session(list(store.export_session(id)), id=copy)
    assert [(e.kind, e.body, e.time) for e in store.events(copy)] == [
        (e.kind, e.body, e.time) for e in got
    ]


@SHARED
@given(
    st.lists(BODIES | st.binary(min_size=500, max_size=600).map(lambda data: data * 9), max_size=6)
)
def test_blocks(store: Store, blocks: list[bytes]) -> None:
    id = f"s{next(_numbers)}"
    store.create_session(id, dialect="neutral", model=None)
    store.append(id, 0, [("edit", b"")], blocks=blocks)
    for data in blocks:
        assert store.get_block(block_id(data)) == data
        assert store.put_block(data) == block_id(data)


@SHARED
@given(KIND.map(lambda name: name[:500]), TEXT, BODIES)
def test_notes_and_memory_files(store: Store, name: str, value: str, data: bytes) -> None:
    store.put_note(name, value)
    assert store.note(name) == value
    store.memory_put(name, data)
    assert store.memory_get(name) == data


@SHARED
@given(TEXT, TEXT, TEXT)
def test_what_is_indexed_is_found(store: Store, before: str, after: str, query: str) -> None:
    id = f"s{next(_numbers)}"
    store.create_session(id, dialect="neutral", model=None)
    text = f"{before} ankerwort {after}"
    store.append(id, 0, [("message", b"")], texts=[Indexed(id, 0, 0, "", text)])
    assert [hit.seq for hit in store.search("ankerwort", session=id)] == [0]
    store.search(query, session=id)
    store.delete_session(id)


def test_the_store_is_whole_after_all_that(store: Store) -> None:
    assert store.check() == []
