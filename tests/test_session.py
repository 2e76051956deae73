"""Session: everything once in the log, the same bytes after a restart, nothing lost on the way."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import histories
from trimtab.context.budget import Budget
from trimtab.errors import (
    BudgetInfeasible,
    InputError,
    SessionConflict,
    SessionNotFound,
    UsageError,
)
from trimtab.formats.jsontext import dumps, loads
from trimtab.formats.record import from_record, to_record
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Thinking
from trimtab.history.rules import validate
from trimtab.session import Session
from trimtab.store.open import open_store
from trimtab.store.protocol import Store

MODEL = "claude-sonnet-4-5"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "s.db") as opened:
        yield opened


def round_(n: int, size: int = 900, text: str = "") -> list[dict[str, Any]]:
    """A call and its result, as Anthropic messages."""
    call = {"type": "tool_use", "id": f"toolu_{n}", "name": "run", "input": {"n": n}}
    result = {
        "type": "tool_result",
        "tool_use_id": f"toolu_{n}",
        "content": (f"line {n} {text} " + f"{n} of it is said; " * size)[:size],
    }
    return [
        {"role": "assistant", "content": [{"type": "text", "text": f"step {n}"}, call]},
        {"role": "user", "content": [result]},
    ]


def begun(store: Store, limit: int = 6_000, **more: Any) -> Session:
    session = Session(
        model=MODEL,
        store=store,
        budget=Budget(limit, "chars"),
        system="You mend things.",
        **more,
    )
    session.append({"role": "user", "content": "Mend it. Do not touch the lock."})
    return session


def problems(request: Any) -> list[str]:
    history = read_request(request, "anthropic")
    return [v.explanation for v in validate(list(history), "anthropic", tools=history.tools)]


def test_a_long_session_stays_inside_and_keeps_what_binds(store: Store) -> None:
    session = begun(store)
    for n in range(60):
        for message in round_(n):
            session.append(message)
        request = session.context()
        assert problems(request) == []
        assert session.size <= 6_000
        assert "Do not touch the lock." in json.dumps(request)
        assert request["system"] == "You mend things."
        assert request["model"] == MODEL
    assert len(session.history) == 122
    assert 2 <= len(session.events) <= 30


def test_a_restart_sends_the_same_bytes(store: Store) -> None:
    session = begun(store)
    for n in range(40):
        session.append(round_(n))
        request = dumps(session.context())
        if n % 7 == 0:
            again = Session.restore(session.id, store=store)
            assert dumps(again.context()) == request
            assert [c.edits for c in again.events] == [c.edits for c in session.events]
            assert again.size == session.size


def test_an_edit_once_made_stays(store: Store) -> None:
    session = begun(store, limit=12_000)
    seen: dict[str, str] = {}
    for n in range(60):
        session.append(round_(n))
        for message in session.context()["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result" and "recall blk_" in str(block["content"]):
                    first = seen.setdefault(block["tool_use_id"], block["content"])
                    assert block["content"] == first
    assert seen


def test_the_prefix_stays_between_edits(store: Store) -> None:
    session = begun(store)
    before: list[Any] = []
    changes = 0
    for n in range(50):
        session.append(round_(n))
        messages = session.context()["messages"]
        if len(session.events) == changes:
            assert messages[: len(before)] == before
        before, changes = messages, len(session.events)


def test_everything_that_left_comes_back_by_its_id(store: Store) -> None:
    session = begun(store)
    for n in range(40):
        session.append(round_(n, text=f"value-{n:04d}"))
        request = session.context()
        for id in set(re.findall(r"blk_\w{12}", json.dumps(request))):
            assert b"line " in session.recall(id)
    evicting = [edit for change in session.events for edit in change.edits if edit.evicts]
    assert evicting
    hits = session.search("value-0003")
    assert hits
    assert b"value-0003" in session.recall(hits[0].block)
    assert hits[0].turn <= 4  # where its block begins


def test_a_range_of_a_block_is_recalled(store: Store) -> None:
    session = begun(store)
    id = store.put_block("一行\n二行\n三行\n".encode())
    assert session.recall(id, lines=(2, 3)).decode() == "二行\n三行\n"
    assert session.recall(id, chars="1:2").decode() == "一行"
    assert session.recall(id[:10], lines="3").decode() == "三行\n"


def test_edits_can_be_taken_back(store: Store) -> None:
    session = begun(store, policy="prune:N=2,W=0")
    for n in range(6):
        session.append(round_(n))
    session.context()
    change = session.events[-1]
    assert len(session.view) < len(session.history)
    session.undo(change)
    assert session.view.messages == tuple(session.history)
    assert session.events == []
    restored = Session.restore(session.id, store=store)
    assert restored.view.messages == session.view.messages
    with pytest.raises(UsageError, match="take back"):
        session.undo(change)


def test_pins_hold_and_can_be_lifted(store: Store) -> None:
    session = begun(store, policy="required-first")
    session.append({"role": "assistant", "content": "The port is 8412."})
    session.append({"role": "user", "content": "Fine."})
    assert session.pin("The port is 8412.") == 2
    for n in range(30):
        session.append(round_(n))
        session.context()
    assert "The port is 8412." in json.dumps(session.context())
    again = Session.restore(session.id, store=store)
    for n in range(30, 60):
        again.append(round_(n))
        again.context()
    assert "The port is 8412." in json.dumps(again.context())
    again.unpin(2)
    for n in range(60, 90):
        again.append(round_(n))
        again.context()
    assert "The port is 8412." not in json.dumps(again.context())
    with pytest.raises(UsageError, match="undo"):
        again.pin(2)


@pytest.mark.parametrize("what", [99, -99, "words that nobody said", ""])
def test_a_pin_needs_a_message(store: Store, what: int | str) -> None:
    with pytest.raises(UsageError):
        begun(store).pin(what)


def test_what_must_stay_and_does_not_fit_is_said_and_changes_nothing(store: Store) -> None:
    session = begun(store, limit=1_000)
    session.append({"role": "user", "content": "You must keep this: " + "x" * 2_000})
    with pytest.raises(BudgetInfeasible):
        session.context()
    assert session.events == []
    assert len(session.view) == len(session.history)


def test_reported_usage_teaches_the_size(store: Store) -> None:
    session = Session(model=MODEL, store=store, budget=100_000, system="s")
    session.append("Mend it.")
    before = session.size
    usage = {"input_tokens": 30, "cache_read_input_tokens": 7_000, "output_tokens": 9}
    session.append(
        {
            "id": "msg_1",
            "role": "assistant",
            "model": MODEL,
            "content": [{"type": "text", "text": "Done."}],
            "usage": {
                **usage,
                "cache_creation_input_tokens": 500,
                "cache_creation": {"ephemeral_1h_input_tokens": 500},
            },
            "stop_reason": "end_turn",
        }
    )
    assert before < 200
    assert 7_530 < session.size < 7_600
    (turn,) = session.usage()
    assert (turn.turn, turn.usage.context, turn.usage.output) == (1, 7_530, 9)
    assert turn.cost is not None
    assert turn.cost.cache_write == Decimal("0.003")  # an hour's write at twice 3 dollars a million
    assert "usage" not in session.context()["messages"][-1]
    assert Session.restore(session.id, store=store).size == session.size


def test_the_hidden_part_counts_against_the_budget(store: Store) -> None:
    session = Session(model=MODEL, store=store, budget=20_000)
    session.append("Mend it.")
    for n in range(12):
        reply, result = round_(n, size=4_000)
        visible = session.size if n == 0 else 0
        hidden = 15_000 + visible
        if n == 0:
            reply |= {"usage": {"input_tokens": hidden, "output_tokens": 5}}
        session.append([reply, result])
        session.context()
        assert session.size <= 20_000
    assert session.events


def test_a_stage_makes_room(store: Store) -> None:
    session = begun(store, limit=40_000)
    for n in range(40):
        session.append(round_(n))
    assert session.context()
    assert session.events == []
    size = session.size
    session.finish_stage("tests pass after the parser was mended")
    assert session.size < size
    assert [c.why for c in session.events] == ["a stage is finished"]
    assert session.search("parser")[0].text


def test_notes_outlive_the_session(store: Store) -> None:
    begun(store).note("budget limit", "12,500円")
    assert begun(store).lookup("budget limit") == "12,500円"
    assert begun(store).lookup("nothing") is None


def test_thinking_after_an_edit_stays_and_before_it_leaves(store: Store) -> None:
    session = begun(store, limit=4_000)
    sealed = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    for n in range(12):
        reply, result = round_(n)
        reply["content"].insert(0, sealed)
        session.append([reply, result])
        session.context()
        messages = session.view.messages
        minds = [any(isinstance(b, Thinking) for b in m.blocks) for m in messages]
        last_edit = session.events[-1].turn if session.events else 0
        assert sum(minds) == n + 1 - last_edit
    assert any("signed thinking" in e.reason for c in session.events for e in c.edits)


def test_two_holders_never_lose_or_double(store: Store) -> None:
    first = begun(store)
    second = Session.restore(first.id, store=store)
    first.append("one thing more")
    with pytest.raises(SessionConflict):
        second.append("another thing")
    assert len(second.history) == 2
    second.refresh()
    second.append("another thing")
    first.refresh()
    assert [m.text for m in first.history] == [m.text for m in second.history]
    assert [m.text for m in first.history][-2:] == ["one thing more", "another thing"]


def test_threads_append_in_order(store: Store) -> None:
    session = begun(store, limit=10**7)

    def say(name: int) -> None:
        for n in range(25):
            session.append(f"{name}:{n}")

    threads = [threading.Thread(target=say, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [m.text for m in session.history][2:]
    assert len(texts) == len(set(texts)) == 100
    for name in range(4):
        own = [t for t in texts if t.startswith(f"{name}:")]
        assert own == [f"{name}:{n}" for n in range(25)]
    stored = [m.text for m in Session.restore(session.id, store=store).history][2:]
    assert stored == texts


@pytest.mark.parametrize("value", [3, None, {"no": "role"}, [{"role": "user"}, 7], object()])
def test_what_is_no_message_is_refused_and_nothing_is_recorded(store: Store, value: Any) -> None:
    session = begun(store)
    with pytest.raises(InputError):
        session.append(value)
    assert len(session.history) == len(Session.restore(session.id, store=store).history) == 2


def test_a_session_needs_a_budget_or_a_known_window(store: Store) -> None:
    assert Session(model=MODEL, store=store).budget.available < 1_000_000
    with pytest.raises(UsageError, match="budget"):
        Session(model="somebody-13b", store=store)
    with pytest.raises(SessionNotFound):
        Session.restore("ses_none", store=store)


def test_openai_chat_and_responses_are_appended_as_they_come(store: Store) -> None:
    chat = Session(model="gpt-5.1", store=store, budget=10_000, system="s")
    chat.append("Mend it.")
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    chat.append(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "gpt-5.1",
            "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
            "usage": {
                "prompt_tokens": 120,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 100},
            },
        }
    )
    chat.append({"role": "tool", "tool_call_id": "call_1", "content": "ok"})
    assert [m["role"] for m in chat.context()["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    usage = chat.usage()[0].usage
    assert (usage.input, usage.cache_read, usage.output) == (20, 100, 7)

    items = Session(model="gpt-5.1", dialect="responses", store=store, budget=10_000, system="s")
    items.append("Mend it.")
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"},
    ]
    items.append({"object": "response", "output": output, "usage": {"input_tokens": 50}})
    items.append({"type": "function_call_output", "call_id": "c", "output": "ok"})
    request = items.context()
    assert request["instructions"] == "s"
    assert request["input"][1:3] == output


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses", "neutral"])
def test_a_record_reads_back_equal(dialect: str) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(histories(dialect))
    def holds(history: History) -> None:
        for message in history:
            again = from_record(loads(dumps(to_record(message))))
            assert again == message
            assert again.raw == message.raw

    holds()


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(histories("anthropic"), st.integers(400, 3_000), st.booleans())
def test_any_history_survives_a_restart(history: History, limit: int, stage: bool) -> None:
    with open_store(":memory:") as store:
        session = Session(
            model=MODEL, store=store, budget=Budget(limit, "chars"), dialect="anthropic"
        )
        for message in history:
            session.append(message)
            try:
                session.context()
            except BudgetInfeasible:
                continue
        if stage:
            with suppress(BudgetInfeasible):
                session.finish_stage("done")
        again = Session.restore(session.id, store=store)
        assert again.view.messages == session.view.messages
        assert list(again.history) == list(history)
        assert again.size == session.size


def test_a_stage_is_kept_once_even_where_no_room_can_be_made(store: Store) -> None:
    session = begun(store, limit=1_000)
    session.append({"role": "user", "content": "You must keep this: " + "x" * 2_000})
    session.finish_stage("the rule is known")
    assert session.events == []
    assert len(session.search("rule")) == 1
    with pytest.raises(BudgetInfeasible):
        session.context()
