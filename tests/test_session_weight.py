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


def grown(store: Store, id: str, asked_every: int) -> Session:
    """Forty rounds with a report in each third; the size is asked for now and then."""
    tools = [{"name": "run", "input_schema": {"type": "object", "properties": {}}}]
    budget = Budget(3_000)
    session = Session(
        model=MODEL, store=store, id=id, budget=budget, system="You mend things.", tools=tools
    )
    session.append({"role": "user", "content": "Mend it. Do not touch the lock."})
    for n in range(40):
        call, result = round_(n)
        if n % 3 == 0:
            # Hidden tokens, and a model whose tokens are a seventh more than expected.
            hidden = 400 + session.view.history.head + len(session.view) * 40
            call |= {"type": "message", "model": MODEL, "usage": {"input_tokens": hidden + 11 * n}}
        session.append(call)
        session.append(result)
        if n % asked_every == 0:
            assert session.size > 0
        session.context()
    return session


def test_it_does_not_matter_how_often_the_size_is_asked_for(store: Store) -> None:
    often, seldom = grown(store, "often", 1), grown(store, "seldom", 39)
    assert often.size == seldom.size != often._fold.at.size
    assert len(often.events) == len(seldom.events) > 1
    assert dumps(often.context()) == dumps(seldom.context())


def test_a_restored_session_has_the_size_of_the_living_one(store: Store) -> None:
    living = grown(store, "living", 7)
    restored = Session.restore("living", store=store)
    assert restored.size == living.size
    assert dumps(restored.context()) == dumps(living.context())
