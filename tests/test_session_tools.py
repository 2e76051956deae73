"""What a model does with its session: recall, search, compress, note; and the asynchronous form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.test_session import MODEL, begun, problems, round_
from trimtab.context.budget import Budget
from trimtab.errors import UsageError
from trimtab.formats.jsontext import dumps
from trimtab.policies.index_text import ids_in
from trimtab.session import Session
from trimtab.session_async import AsyncSession
from trimtab.session_tools import SessionTools
from trimtab.store.open import open_store
from trimtab.store.protocol import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "s.db") as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    """Twelve rounds; the rule of the task must survive whatever happens."""
    made = begun(store, limit=100_000)
    for n in range(12):
        made.append(round_(n, text=f"value-{n:04d}"))
    return made


def test_compressing_leaves_the_task_the_newest_and_the_index(session: Session) -> None:
    given = {"name": "findings", "content": "The fault is in parser.py:88.\n"}
    ids = session.compress("findings - where the fault is. Next: mend it.", [given])
    request = session.context()
    assert problems(request) == []
    text = json.dumps(request)
    assert "Do not touch the lock." in text
    assert ids["findings"] in text
    assert "value-0011" in text
    assert "value-0001" not in text
    assert session.recall(ids["findings"]) == b"The fault is in parser.py:88.\n"
    assert [hit.block for hit in session.search("parser.py:88")] == [ids["findings"]]
    assert dumps(Session.restore(session.id, store=session._store).context()) == dumps(request)


def test_anchors_cut_a_span_word_for_word(session: Session) -> None:
    anchors = {"start": "line 3 value-0003", "middle": "3 of it", "end": "line 4 value-0004"}
    ids = session.compress("old results", [{"name": "results", **anchors}])
    span = session.recall(ids["results"]).decode()
    assert span.startswith("line 3 value-0003 3 of it is said; ")
    assert span.endswith("line 4 value-0004")


ANCHORS = {"start": "line 3 value-0003", "middle": "3 of it", "end": "line 4 value"}


@pytest.mark.parametrize(
    ("summary", "blocks", "reason"),
    [
        ("", [{"name": "a", "content": "x"}], "summary is empty"),
        ("s", [], "no block"),
        ("s", [{"content": "x"}], "no name"),
        ("s", [{"name": "a", "content": "x"}, {"name": "a", "content": "y"}], "twice"),
        ("s", [{"name": "a"}], "needs content"),
        ("s", [{"name": "a", **ANCHORS, "start": "never said"}], "start anchor is not"),
        ("s", [{"name": "a", **ANCHORS, "start": "of it is said"}], "there twice"),
        ("s", [{"name": "a", **ANCHORS, "middle": "value-0002"}], "middle anchor"),
        ("s", [{"name": "a", **ANCHORS, "end": "never said"}], "end anchor"),
        ("s", [{"name": "b", "content": "x"}, {"name": "a", **ANCHORS, "end": "no"}], "end anchor"),
    ],
)
def test_what_is_wrong_aborts_the_whole_call(
    session: Session, summary: str, blocks: list[dict[str, Any]], reason: str
) -> None:
    before = dumps(session.context())
    with pytest.raises(UsageError, match=reason):
        session.compress(summary, blocks)
    assert dumps(session.context()) == before
    assert session.events == []


def test_an_index_over_its_limit_is_refused(store: Store) -> None:
    session = Session(model=MODEL, store=store, budget=50_000)
    session.append("Mend it.")
    for n in range(9):
        session.append(round_(n))
    with pytest.raises(UsageError, match="at most 300"):
        session.compress("word " * 400, [{"name": "a", "content": "x"}])


def test_a_second_index_forgets_no_block(session: Session) -> None:
    first = session.compress("first index", [{"name": "one", "content": "1"}])
    for n in range(12, 20):
        session.append(round_(n))
    second = session.compress("second index", [{"name": "two", "content": "2"}])
    text = json.dumps(session.context())
    assert {first["one"], second["two"]} <= set(ids_in(text))
    assert "first index" not in text


def test_the_offload_policy_keeps_an_index_within_its_limit(store: Store) -> None:
    session = Session(model=MODEL, store=store, policy="offload", budget=6_000, system="s")
    session.append("Mend it. Do not touch the lock.")
    for n in range(80):
        session.append(round_(n, text=f"value-{n:04d}"))
        request = session.context()
        assert problems(request) == []
    assert len(session.events) > 1
    text = json.dumps(request)
    assert "Do not touch the lock." in text
    ids = ids_in(text)
    assert ids
    for id in ids:
        assert session.recall(id)
    index = next(m.text for m in session.view.messages if "Index of what left" in m.text)
    assert session._fold.counter.text(index[index.index("Index") :]) <= 310
    assert session.search("value-0002")


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses"])
def test_definitions_have_the_form_of_the_provider(store: Store, dialect: str) -> None:
    made = SessionTools.definitions(dialect, "mem_")
    names = [tool.get("name") or tool["function"]["name"] for tool in made]
    assert names == ["mem_recall", "mem_search", "mem_compress", "mem_note"]
    sizes = []
    for tools in ([], made):
        session = Session(model="gpt-5.1", dialect=dialect, store=store, budget=9_000, tools=tools)
        session.append("Mend it.")
        sizes.append(session.size)
        assert session.context().get("tools", []) == tools
    assert sizes[1] > sizes[0] + 200


def test_a_model_uses_its_tools(session: Session) -> None:
    tools = SessionTools(session)
    assert tools.handles("recall")
    assert not tools.handles("run")
    blocks = [{"name": "rest", "content": "line a\nline b\nline c\n"}]
    text, failed = tools.call("compress", {"summary": "index", "blocks": blocks})
    assert not failed
    (id,) = ids_in(text)
    assert tools.call("recall", json.dumps({"id": id, "range": "2:3"})) == (
        "line b\nline c\n",
        False,
    )
    found, failed = tools.call("search", {"query": "value-0002"})
    assert not failed
    assert "turn 3" in found
    assert ids_in(found)
    assert tools.call("note", {"name": "limit", "value": "12,500円"})[1] is False
    assert tools.call("note", {"name": "limit"}) == ("12,500円", False)
    assert "no note" in tools.call("note", {"name": "other"})[0]


@pytest.mark.parametrize(
    ("name", "input"),
    [
        ("recall", {"id": "blk_000000000000"}),
        ("recall", {}),
        ("recall", "not json"),
        ("recall", [1]),
        ("search", {"query": 7}),
        ("compress", {"summary": "s", "blocks": "x"}),
        ("note", {"name": ""}),
        ("unknown", {}),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_answered_with_the_reason(
    session: Session, name: str, input: Any
) -> None:
    text, failed = SessionTools(session).call(name, input)
    assert failed
    assert text.startswith("Error: ")
    assert "\n" not in text
    assert session.events == []


def test_the_asynchronous_form_is_the_same_session(tmp_path: Path) -> None:
    async def run() -> None:
        budget = Budget(6_000, "chars")
        path = tmp_path / "a.db"
        async with await AsyncSession.open(model=MODEL, store=path, budget=budget) as session:
            await session.append("Mend it. Do not touch the lock.")
            for n in range(30):
                await session.append(round_(n, text=f"value-{n:04d}"))
                assert problems(await session.context()) == []
            await asyncio.gather(*(session.append(f"remark {n}") for n in range(20)))
            texts = [m.text for m in session.session.history][-20:]
            assert sorted(texts) == sorted(f"remark {n}" for n in range(20))
            assert await session.search("value-0001")
            await session.note("a", "b")
            assert await session.lookup("a") == "b"
            assert await session.events()
            sent = dumps(await session.context())
            async with await AsyncSession.restore(session.id, store=path) as again:
                assert dumps(await again.context()) == sent

    asyncio.run(run())


def test_a_cancelled_append_is_recorded_whole_or_not_at_all(tmp_path: Path) -> None:
    async def run() -> None:
        async with await AsyncSession.open(
            model=MODEL, store=tmp_path / "a.db", budget=10_000
        ) as session:
            await session.append("Mend it.")
            for n in range(30):
                task = asyncio.create_task(session.append(round_(n)))
                await asyncio.sleep(0.0003 * (n % 4))
                task.cancel()
                await asyncio.wait([task])
            history = session.session.history
            async with await AsyncSession.restore(session.id, store=tmp_path / "a.db") as again:
                assert list(again.session.history) == list(history)
            assert (len(history) - 1) % 2 == 0

    asyncio.run(run())
