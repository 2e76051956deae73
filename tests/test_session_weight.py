"""A session's size by reported usage is the same however often, and by whom, it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_session import MODEL, round_
from trimtab.context.budget import Budget
from trimtab.formats.jsontext import dumps
from trimtab.session import Session
from trimtab.store.open import open_store
from trimtab.store.protocol import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "s.db") as opened:
        yield opened


def rounds(session: Session) -> Iterator[int]:
    """Forty rounds, with a report of usage in each third."""
    session.append({"role": "user", "content": "Mend it. Do not touch the lock."})
    for n in range(40):
        call, result = round_(n)
        if n % 3 == 0:
            # Hidden tokens, and a model whose tokens are more than expected.
            seen = 700 + len(session.view) * 60
            call |= {"type": "message", "model": MODEL, "usage": {"input_tokens": seen}}
        session.append(call)
        session.append(result)
        yield n
        session.context()


def begun(store: Store) -> Session:
    tools = [{"name": "run", "input_schema": {"type": "object", "properties": {}}}]
    return Session(model=MODEL, store=store, budget=Budget(3_000), system="Mend.", tools=tools)


def test_a_restored_session_has_the_size_of_the_living_one(store: Store) -> None:
    living = begun(store)
    for n in rounds(living):
        # The living one is asked at each round, the restored one has been asked by reports alone.
        restored = Session.restore(living.id, store=store)
        assert restored.size == living.size, n
        assert restored.size != restored._fold.at.size
    assert len(living.events) > 3
    assert len(living.usage()) > 9


def test_it_does_not_matter_how_often_the_size_is_asked_for(store: Store) -> None:
    often, seldom = begun(store), begun(store)
    for n, _ in zip(rounds(often), rounds(seldom), strict=True):
        assert often.size == often.size > 0, n
    assert often.size == seldom.size
    assert dumps(often.context()) == dumps(seldom.context())
