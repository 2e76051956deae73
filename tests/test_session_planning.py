"""When a session compacts: triggers, summarisers, summaries made in the background, refusals."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.context.server_side import server_side
from trimtab.errors import BudgetInfeasible, StoreError, UsageError
from trimtab.formats.jsontext import dumps
from trimtab.formats.wire import read_request
from trimtab.history.message import Usage
from trimtab.history.placeholders import SUMMARY
from trimtab.history.rules import validate
from trimtab.policies.compact import Compact
from trimtab.policies.registry import parse_policy
from trimtab.session import Session
from trimtab.session_async import AsyncSession
from trimtab.session_log import Change
from trimtab.session_planning import MOST_REFUSALS, Planning
from trimtab.store.open import open_store
from trimtab.store.protocol import Indexed, Store
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.request import Request, Summarised
from trimtab.summaries.template import parse
from trimtab.triggers import parse_trigger

MODEL = "claude-sonnet-4-5"
LIMIT = 20_000
TASK = "Mend the parser. Do not touch the lock."
OVERFLOW = "prompt is too long: {} tokens > {} maximum"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "s.db") as opened:
        yield opened


def begun(store: Store, limit: int = LIMIT, **more: Any) -> Session:
    """A session in characters, so that sizes are plain."""
    more.setdefault("policy", "compact")
    session = Session(
        model=MODEL, store=store, budget=Budget(limit, "chars"), system="You mend things.", **more
    )
    session.append({"role": "user", "content": TASK})
    return session


def turn(n: int, size: int = 900) -> list[dict[str, Any]]:
    """A call and its result, `size` characters long."""
    call = {"type": "tool_use", "id": f"toolu_{n}", "name": "run", "input": {"n": n}}
    text = (f"value-{n:04d} came of run {n}. " + "It printed more. " * size)[:size]
    result = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": text}
    return [
        {"role": "assistant", "content": [{"type": "text", "text": f"Step {n} is next."}, call]},
        {"role": "user", "content": [result]},
    ]


def said(request: Any) -> str:
    return json.dumps(request, ensure_ascii=False)


def sound(request: Any) -> None:
    """The request obeys the provider's rules."""
    history = read_request(request, "anthropic")
    assert validate(list(history), "anthropic", tools=history.tools) == ()


def texts(request: Any) -> list[str]:
    """The text of each message of a request."""
    found = []
    for message in request["messages"]:
        content = message["content"]
        found.append(content if isinstance(content, str) else json.dumps(content))
    return found


def grown(session: Session, turns: range, size: int = 900) -> None:
    for n in turns:
        session.append(turn(n, size))
        sound(session.context())


def report(change: Change) -> Any:
    """How the summary of a change came about."""
    (found,) = [edit.report for edit in change.edits if edit.kind == "summarise"]
    return json.loads(found)


# -- triggers --------------------------------------------------------------------------------------


def test_a_trigger_makes_room_before_the_budget_is_reached(store: Store) -> None:
    session = begun(store, trigger="tokens:50%")
    sizes = []
    for n in range(60):
        session.append(turn(n))
        request = session.context()
        sound(request)
        sizes.append(session.size)
        assert TASK in said(request)
    assert max(sizes) <= LIMIT // 2
    assert {c.why.split(",")[0][:18] for c in session.events} == {"the context holds "}
    assert all("more than 10,000" in c.why for c in session.events)


def test_without_a_trigger_the_budget_alone_decides(store: Store) -> None:
    session = begun(store)
    grown(session, range(60))
    assert {c.why for c in session.events} == {"the budget is reached"}


def test_a_trigger_is_stored_and_restored(store: Store) -> None:
    session = begun(store, trigger="tokens:50%,stage:detect,pressure,cold:40%")
    grown(session, range(30))
    again = Session.restore(session.id, store=store)
    assert again._planning.trigger == session._planning.trigger
    assert dumps(again.context()) == dumps(session.context())
    other = Session.restore(session.id, store=store, trigger="none")
    assert other._planning.trigger == parse_trigger("none")


def test_a_wrong_trigger_is_said_and_nothing_is_begun(store: Store) -> None:
    with pytest.raises(UsageError, match="nonsense"):
        begun(store, trigger="nonsense")
    assert list(store.sessions()) == []


# -- at the edge -----------------------------------------------------------------------------------


def edge_sizes(seed: int, turns: int = 100) -> list[int]:
    rng = random.Random(seed)
    if seed % 3 == 0:
        return [rng.choice((100, 150, 800, 1_599, 1_600, 1_601, 2_400)) for _ in range(turns)]
    if seed % 3 == 1:
        return [(800, 1_600, 400)[seed % 3]] * turns
    return [rng.randint(100, 1_000) for _ in range(turns)]


@pytest.mark.parametrize("policy", ["compact", "auto", "truncate"])
@pytest.mark.parametrize("seed", range(4))
def test_at_the_edge_no_compaction_comes_before_it_must(
    store: Store, policy: str, seed: int
) -> None:
    """Put off to the very edge each time: no schedule needs fewer (see test_triggers_edge)."""
    session = begun(store, policy=policy, trigger="tokens:80%,margin=10%,least=5%")
    edge, goal = LIMIT * 80 // 100, LIMIT * 72 // 100
    made: list[int] = []
    for n, size in enumerate(edge_sizes(seed)):
        session.append(turn(n, size))
        before = session.size
        events = len(session.events)
        session.context()
        fresh = len(session.events) - events
        assert fresh == (before > edge)
        if fresh:
            made.append(len(session.history))
            assert session.size <= goal
        for _ in range(2):  # nothing new: nothing is done
            session.context()
        assert len(session.events) == events + fresh
    assert len(made) >= 2
    sizes = [sum(session._fold.at.sizes.of[a:b]) for a, b in pairwise(made)]
    assert min(sizes) >= LIMIT * 5 // 100


# -- stages ----------------------------------------------------------------------------------------


def test_a_stage_with_its_trigger_makes_room_and_a_small_context_is_left_alone(
    store: Store,
) -> None:
    session = begun(store, trigger="stage,at=50%")
    grown(session, range(5))
    session.finish_stage("nothing much")
    assert session.events == []
    grown(session, range(5, 16))
    size = session.size
    session.finish_stage("the parser is mended")
    (change,) = session.events
    assert change.why.startswith("a stage is finished: the parser is mended")
    assert session.size < size
    session.finish_stage("again")  # nothing new came
    assert len(session.events) == 1
    assert [hit.text for hit in session.search("parser") if not hit.block]


def test_a_stage_without_its_trigger_is_a_note(store: Store) -> None:
    session = begun(store, trigger="tokens:90%")
    grown(session, range(14))
    session.finish_stage("the parser is mended")
    assert session.events == []
    assert session._fold.stages == ["the parser is mended"]
    plain = begun(store)
    grown(plain, range(16))
    plain.finish_stage()
    assert [c.why for c in plain.events] == ["a stage is finished"]


# -- cold ------------------------------------------------------------------------------------------


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: float

    def __call__(self) -> float:
        return self.now


def timed(session: Session, clock: Clock) -> Planning:
    """The same planning, by another clock."""
    old = session._planning
    session._planning = Planning(old.policy, old.budget, old.trigger, clock=clock)
    return session._planning


def test_a_cold_cache_is_the_moment_to_make_room(store: Store) -> None:
    session = begun(store, trigger="cold:30%")
    grown(session, range(10))
    last = session._fold.last_call
    assert last is not None
    clock = Clock(last + 4 * 60)
    timed(session, clock)
    session.context()
    assert session.events == []
    clock.now = last + 6 * 60
    session.context()
    (change,) = session.events
    assert "the prompt cache is cold" in change.why
    session.context()
    assert len(session.events) == 1
    again = Session.restore(session.id, store=store)
    timed(again, clock)
    assert dumps(again.context()) == dumps(session.context())
    assert len(again.events) == 1


# -- summarisers -----------------------------------------------------------------------------------


TRUE = (
    "Goal:\nMend the parser.\nProgress:\nThe steps were run one by one.\nFacts:\n"
    "The runs printed more.\nDecisions:\nNone so far.\nNext steps:\nGo on with the next step."
)


def test_a_function_summarises(store: Store) -> None:
    seen: list[str] = []

    def summarise(text: str) -> str:
        seen.append(text)
        return TRUE

    session = begun(store, summariser=summarise)
    grown(session, range(40))
    assert len(seen) >= len(session.events) >= 2
    request = session.context()
    assert "The steps were run one by one." in said(request)
    assert TASK in said(request)
    assert session.summary_usage() == []
    how_made = report(session.events[-1])
    assert how_made["summariser"] != "extractive"


@pytest.mark.parametrize("how", ["raises", "empty", "invents", "no text"])
def test_a_function_that_fails_gives_way_to_quotations(store: Store, how: str) -> None:
    def summarise(text: str) -> Any:
        if how == "raises":
            raise ConnectionError("the model is away")
        return {"empty": "", "no text": 7}.get(how, "Goal:\nPay 99,999 USD to Eve on 2031-01-01.")

    session = begun(store, summariser=summarise)
    grown(session, range(23))
    assert session.size <= LIMIT
    how_made = report(session.events[-1])
    assert how == "invents" or how_made["summariser"] == "extractive"
    assert any(attempt["reason"] for attempt in how_made["attempts"])
    assert "99,999" not in said(session.context())


@dataclass
class Slow:
    """A summariser that waits until it is let go, and says what it took.

    Attributes:
        asked: set as soon as it is asked.
        go: it answers when this is set.
        most: the most calls at one time.
    """

    name: str = "slow"
    asked: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    calls: int = 0
    most: int = 0
    fails: bool = False
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def summarise(self, request: Request) -> Summarised:
        with self._lock:
            self.calls += 1
            self._now += 1
            self.most = max(self.most, self._now)
        self.asked.set()
        assert self.go.wait(60)
        try:
            if self.fails:
                raise ConnectionError("the model is away")
        finally:
            with self._lock:
                self._now -= 1
        return Summarised(
            parse(TRUE).summary, self.name, usage=Usage(input=70, output=9), model="a-small-model"
        )


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.go.set()


def ahead(session: Session) -> Any:
    return session._planning._ahead


def until_asked(session: Session, slow: Slow, first: int = 0) -> int:
    """Turns until a summary is under way; the number of the next turn."""
    for n in range(first, first + 100):
        session.append(turn(n))
        session.context()
        if ahead(session).work is not None:
            assert slow.asked.wait(60)
            return n + 1
    raise AssertionError("no summary was begun")


def finished(session: Session) -> None:
    """Waits for the summary under way."""
    ahead(session).work.made.result()


# -- in the background -----------------------------------------------------------------------------


def test_the_agent_goes_on_while_a_summary_is_made(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    session.append({"role": "assistant", "content": "I go on."})
    session.append({"role": "user", "content": "By the way, call it amber-7 from now on."})
    while session.size + 1_000 <= LIMIT:
        session.append(turn(n))
        sound(session.context())
        n += 1
    assert session.events == []
    slow.go.set()
    finished(session)
    session.append(turn(n))
    request = session.context()
    sound(request)
    (change,) = session.events
    assert report(change)["summariser"] == "slow"
    assert slow.calls == 1
    # What came meanwhile is there, word for word, and behind the summary.
    shown = texts(request)
    (place,) = [n for n, text in enumerate(shown) if "I go on." in text]
    summary = next(n for n, m in enumerate(session.view) if SUMMARY in m.text)
    assert summary < place
    assert any("call it amber-7 from now on" in text for text in shown[place:])
    gone = {x for e in change.edits if e.kind == "drop" for x in range(e.start, e.stop)}
    assert max(gone) < len(session.history) - 10
    (spent,) = session.summary_usage()
    assert (spent.model, spent.usage.context, spent.usage.output) == ("a-small-model", 70, 9)
    assert session.usage() == []
    again = Session.restore(session.id, store=store)
    assert dumps(again.context()) == dumps(request)
    assert again.summary_usage() == [spent]


def test_a_soft_trigger_does_not_wait_for_the_background(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True, trigger="tokens:50%")
    n = until_asked(session, slow)
    assert session.size > LIMIT // 2
    grown(session, range(n, n + 4))
    assert session.events == []
    slow.go.set()
    finished(session)
    session.context()
    (change,) = session.events
    assert "more than 10,000" in change.why
    assert session.size <= LIMIT // 2
    assert slow.calls == 1


def test_the_hard_budget_waits_for_the_background(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    while session.size <= LIMIT:
        session.append(turn(n))
        n += 1
    timer = threading.Timer(0.05, slow.go.set)
    timer.start()
    session.context()
    timer.join()
    assert session.size <= LIMIT
    assert slow.calls == 1
    assert len(session.events) == 1


def test_what_was_pinned_meanwhile_does_not_leave(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    leaves = ahead(session).work.prepared.request.numbers
    session.pin(leaves[3])
    slow.go.set()
    grown(session, range(n, n + 12))
    assert session._fold.at.live(leaves[3])
    assert "value-0001" in said(session.context())
    assert session.events


def test_a_message_with_a_rule_that_is_pinned_meanwhile_stays_whole(
    store: Store, slow: Slow
) -> None:
    session = begun(store, summariser=slow, background=True)
    session.append({"role": "assistant", "content": "I begin."})
    words = "It is about amber. Never push to main. Amber is a colour."
    session.append({"role": "user", "content": words})
    n = until_asked(session, slow)
    session.pin(words)
    slow.go.set()
    grown(session, range(n, n + 12))
    assert session.events
    assert words in said(session.context())


def test_what_was_undone_meanwhile_is_not_summarised_over(store: Store, slow: Slow) -> None:
    slow.go.set()
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    grown(session, range(n, n + 8))
    first = session.events[0]
    slow.go.clear()
    while ahead(session).work is not None:  # pragma: no cover - only if one is under way already
        slow.go.set()
        grown(session, range(n + 8, n + 9))
        n += 1
        slow.go.clear()
    n = until_asked(session, slow, n + 20)
    work = ahead(session).work
    session.undo(first)
    assert not work.prepared.stands(session._fold.at)
    slow.go.set()
    sound(session.context())
    assert session.size <= LIMIT
    assert ahead(session).work is not work


def test_a_failure_in_the_background_gives_quotations(store: Store, slow: Slow) -> None:
    slow.fails = True
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    slow.go.set()
    grown(session, range(n, n + 6))
    how_made = report(session.events[0])
    assert how_made["summariser"] == "extractive"
    assert "the model is away" in how_made["attempts"][0]["reason"]
    assert slow.calls == 1


def test_two_summaries_are_never_made_at_once(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True, trigger="tokens:50%")
    n = until_asked(session, slow)
    first = ahead(session).work
    for m in range(n, n + 8):
        session.append(turn(m))
        session.context()
        assert ahead(session).work is first
    # What was to leave is pinned: another summary is begun, but only after the first has ended.
    session.pin(first.prepared.request.numbers[0])
    session.context()
    assert ahead(session).work is None
    slow.go.set()
    first.made.result()
    grown(session, range(n + 8, n + 60))
    assert slow.most == 1
    assert slow.calls >= 3


def test_closing_lets_go_of_a_summary_under_way(store: Store, slow: Slow) -> None:
    session = begun(store, summariser=slow, background=True)
    n = until_asked(session, slow)
    before = dumps(session.context())
    session.close()
    assert not slow.go.is_set()
    again = Session.restore(session.id, store=store)
    assert dumps(again.context()) == before
    assert session.events == again.events == []
    # The store was the caller's: the session object itself can be used again.
    slow.go.set()
    session.append(turn(n))
    sound(session.context())


def test_a_policy_without_summaries_has_none_in_the_background(store: Store) -> None:
    with pytest.raises(UsageError, match="no summaries"):
        begun(store, policy="truncate", background=True)


def test_the_default_policy_can_prepare_too(store: Store, slow: Slow) -> None:
    session = begun(store, policy="auto", summariser=slow, background=True)
    n = until_asked(session, slow)
    slow.go.set()
    grown(session, range(n, n + 30))
    assert session.size <= LIMIT
    assert session.events


def test_many_threads_cannot_break_it(store: Store) -> None:
    """Readers, a writer and the background at once: each context is valid, nothing is lost."""
    calls: list[int] = []

    def summarise(text: str) -> str:
        calls.append(len(text))
        return TRUE

    session = begun(store, summariser=summarise, background=True, trigger="tokens:50%,pressure")
    stop = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not stop.is_set():
            request = session.context()
            history = read_request(request, "anthropic")
            broken = validate(list(history), "anthropic", tools=history.tools)
            wrong.extend(v.explanation for v in broken if v.rule != "call-without-result")
            if TASK not in said(request):
                wrong.append("the task is gone")
            _ = session.size, session.events, session.view

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(80):
        session.append(turn(n))
        if n % 9 == 0:
            session.finish_stage(f"stage {n}")
        if n % 17 == 0:
            session.pin(-1)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert calls
    assert len(session.history) == 162
    again = Session.restore(session.id, store=store)
    assert again.view.messages == session.view.messages
    assert list(again.history) == list(session.history)


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("trigger", [None, "tokens:90%", "tokens:90%,pressure"])
def test_after_a_refusal_the_context_is_smaller_each_time(
    store: Store, trigger: str | None
) -> None:
    session = begun(store, trigger=trigger)
    grown(session, range(14))
    sizes = [session.size]
    for _ in range(MOST_REFUSALS):
        size = sizes[-1]
        assert session.refused(OVERFLOW.format(size, size - 1_500))
        sound(session.context())
        sizes.append(session.size)
        if sizes[-1] >= sizes[-2]:
            break
    assert sizes[1] < sizes[0]
    assert not session.refused(OVERFLOW.format(9_999, 9_000))
    whys = [change.why for change in session.events]
    assert all(why.startswith("the provider refused") for why in whys)
    assert Session.restore(session.id, store=store).view.messages == session.view.messages
    session.append(turn(99))
    assert session.refused(OVERFLOW.format(9_999, 5_000))  # new content: another try


def test_a_refusal_that_nothing_can_cure_is_given_up_at_once(store: Store) -> None:
    session = begun(store)
    request = session.context()
    assert session.refused(OVERFLOW.format(999, 10))
    assert session.context() == request
    assert not session.refused(OVERFLOW.format(999, 10))
    assert session.events == []


def test_other_errors_are_no_refusals(store: Store) -> None:
    session = begun(store)
    grown(session, range(14))
    others: list[object] = ["429 too many requests", "overloaded", ValueError("no"), None, {}]
    for error in others:
        assert not session.refused(error)
    session.context()
    assert session.events == []


# -- the provider's own ----------------------------------------------------------------------------


def test_the_providers_own_management_is_asked_for(store: Store) -> None:
    asked = server_side("anthropic", trigger_tokens=50_000, keep_tool_uses=4)
    session = begun(store, server_side=asked)
    request = session.context()
    assert request["context_management"] == asked.params["context_management"]
    assert request["betas"] == list(asked.betas)
    assert not {"context_management", "betas"} & session.context("openai").keys()
    plain = Session.restore(session.id, store=store).context()
    assert {**plain, **asked.params, "betas": list(asked.betas)} == request


# -- a store that fails ----------------------------------------------------------------------------


class Failing:
    """A store whose next writes fail."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fails = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(
        self,
        session: str,
        expected: int,
        events: Sequence[tuple[str, bytes]],
        *,
        blocks: Sequence[bytes] = (),
        texts: Sequence[Indexed] = (),
    ) -> None:
        if self.fails and any(kind == "edits" for kind, _ in events):
            self.fails -= 1
            raise StoreError("the disk is full")
        self._store.append(session, expected, events, blocks=blocks, texts=texts)


def twins(store: Store, **more: Any) -> tuple[Session, Failing]:
    failing = Failing(store)
    session = begun(failing, **more)  # type: ignore[arg-type]
    return session, failing


@pytest.mark.parametrize(
    "more", [{}, {"trigger": "tokens:60%"}, {"policy": "auto", "trigger": "tokens:60%,pressure"}]
)
def test_a_store_that_fails_changes_nothing(store: Store, more: Mapping[str, Any]) -> None:
    session, failing = twins(store, **more)
    other = begun(store, **more)
    failed = 0
    for n in range(50):
        session.append(turn(n))
        other.append(turn(n))
        want = other.context()
        failing.fails = 2
        for _ in range(2):
            before = session.view.messages
            try:
                session.context()
            except StoreError:
                failed += 1
                assert session.view.messages == before
        failing.fails = 0
        assert session.context() == want
    assert failed >= 4
    assert len(session.events) == len(other.events)


def test_a_prepared_summary_outlives_a_store_that_fails(store: Store, slow: Slow) -> None:
    session, failing = twins(store, summariser=slow, background=True, trigger="tokens:50%")
    until_asked(session, slow)
    slow.go.set()
    finished(session)
    failing.fails = 1
    with pytest.raises(StoreError):
        session.context()
    assert session.events == []
    session.context()
    assert len(session.events) == 1
    assert slow.calls == 1


def test_a_refusal_outlives_a_store_that_fails(store: Store) -> None:
    session, failing = twins(store)
    grown(session, range(14))
    size = session.size
    assert session.refused(OVERFLOW.format(size, size - 2_000))
    failing.fails = 1
    with pytest.raises(StoreError):
        session.context()
    session.context()
    assert session.size < size - 1_500


# -- the same bytes after a restart ----------------------------------------------------------------

SPECS = st.sampled_from(
    [
        "tokens:60%",
        "tokens:80%,stage:detect,pressure",
        "pressure",
        "stage,at=30%,tokens:90%",
        "none",
    ]
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    SPECS,
    st.sampled_from(["compact", "compact:keep_recent=2", "auto", "auto:keep=1"]),
    st.lists(st.integers(100, 4_000), min_size=8, max_size=24),
    st.sets(st.integers(0, 24), max_size=4),
    st.sets(st.integers(0, 24), max_size=3),
)
def test_a_restart_sends_the_same_bytes(
    trigger: str, policy: str, sizes: list[int], stages: set[int], refusals: set[int]
) -> None:
    with open_store(":memory:") as store:
        session = begun(store, 9_000, trigger=trigger, policy=policy)
        for n, size in enumerate(sizes):
            session.append(turn(n, size))
            if n in stages:
                session.finish_stage(f"stage {n}")
            if n in refusals:
                session.refused(OVERFLOW.format(session.size, session.size * 3 // 4))
            try:
                request = dumps(session.context())
            except BudgetInfeasible:
                continue
            again = Session.restore(session.id, store=store)
            assert again.view.messages == session.view.messages
            assert dumps(again.context()) == request
            assert again.size == session.size
            assert again.events == session.events
            session.refresh()


ROOM = re.compile(r"at most (\d+) characters")


def test_a_restored_session_does_not_compact_again_for_nothing(store: Store) -> None:
    """What must stay is above the trigger: it is tried once, not again after each restart."""
    asked: list[str] = []

    def summarise(text: str) -> str:
        asked.append(text)
        return TRUE

    session = begun(store, trigger="tokens:50%", summariser=summarise)
    session.append({"role": "assistant", "content": "x" * 10_500})
    session.pin(-1)
    grown(session, range(9))
    (change,) = session.events[-1:]
    assert session.size > LIMIT // 2
    before = len(asked)
    grown(session, range(9, 11), 200)
    assert session.events[-1] == change
    assert len(asked) == before
    assert all(int(room) >= 100 for text in asked for room in ROOM.findall(text))
    again = Session.restore(session.id, store=store, summariser=summarise)
    assert dumps(again.context()) == dumps(session.context())
    assert again.events[-1] == change
    assert len(asked) == before


def test_an_async_session_does_all_that_too(store: Store, slow: Slow) -> None:
    async def loop() -> None:
        session = await AsyncSession.open(
            model=MODEL,
            store=store,
            budget=Budget(LIMIT, "chars"),
            policy="compact",
            trigger="tokens:50%",
            summariser=slow,
            background=True,
        )
        await session.append({"role": "user", "content": TASK})
        for n in range(14):
            await session.append(turn(n))
            await session.context()
        assert await asyncio.to_thread(slow.asked.wait, 60)
        assert await session.events() == []
        slow.go.set()
        await asyncio.to_thread(finished, session.session)
        request = await session.context()
        assert len(await session.events()) == 1
        (spent,) = await session.summary_usage()
        assert spent.usage.output == 9
        assert await session.refused(OVERFLOW.format(10_000, 7_000))
        request = await session.context()
        await session.finish_stage("done")
        again = await AsyncSession.restore(session.id, store=store)
        assert dumps(await again.context()) == dumps(request)
        await session.close()

    asyncio.run(loop())


# -- what is prepared ------------------------------------------------------------------------------


def test_what_was_prepared_stands_only_for_what_it_was_prepared_for(store: Store) -> None:
    session = begun(store, limit=10**6)
    grown(session, range(20))
    at = session._fold.at
    policy, budget = Compact(), Budget(LIMIT, "chars")
    prepared = policy.prepare(at, budget)
    assert prepared is not None
    assert prepared.stands(at)
    session.append(turn(20))
    assert prepared.stands(at)
    made = Extractive().summarise(prepared.request)
    plan = policy.finish(at, budget, prepared, made)
    assert not prepared.stands(plan.projection)
    assert prepared.stands(at)
    other = Projection(session.history, at.counter)
    other.apply([edit for edit in plan.edits if edit.kind == "summarise"])
    assert not prepared.stands(other)  # another summary stands there


def test_the_policies_that_prepare(store: Store) -> None:
    prepares: Callable[[str], bool] = lambda spec: hasattr(parse_policy(spec), "compacting")  # noqa: E731
    assert prepares("auto")
    assert not prepares("truncate")
