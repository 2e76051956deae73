"""A policy over a recording turn by turn, and the measures of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible
from trimtab.evaluation import turnwise_measures as measures
from trimtab.evaluation.literals import Occurrences, block_literals, literals, literals_of
from trimtab.evaluation.metrics import required_retention
from trimtab.evaluation.turnwise import Turnwise, turnwise
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request
from trimtab.history.answers import answers
from trimtab.history.log import History
from trimtab.history.message import Text
from trimtab.policies.registry import parse_policy
from trimtab.tokens import counter_for

SESSIONS = Path(__file__).resolve().parent.parent / "examples" / "sessions"
CHARS_ONLY = counter_for(None, "chars")
THOROUGH = bool(os.environ.get("TRIMTAB_THOROUGH"))
quick = settings(
    max_examples=40 if THOROUGH else 10, deadline=None, suppress_health_check=list(HealthCheck)
)


# -- literals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/a.py:12, then ./b/c.txt.", {"src/a.py", "./b/c.txt"}),
        ("/usr/lib/x.so.1 and C:\\Temp\\a.log", {"/usr/lib/x.so.1", "C:\\Temp\\a.log"}),
        ("open setup.cfg (now)", {"setup.cfg"}),
        ("at https://example.com/a?b=c#d.", {"https://example.com/a?b=c#d"}),
        ("commit 4f3c2a1b9d and INV-2041", {"4f3c2a1b9d", "INV-2041"}),
        ("toolu_01Abc and user_name", {"toolu_01Abc", "user_name"}),
        ("it is 1,204.50 of 77 at 12000", {"1204.50", "12000"}),
        ("120 is not 1200", {"120", "1200"}),
        ("call it 'the red one' or \"x y\"", {"the red one", "x y"}),
        ("don't and won't are no quotes", set()),
        ("請求書「九月分」を 4096 件", {"九月分", "4096"}),
        ("plain words only, 42 of them", set()),
        ("", set()),
    ],
)
def test_what_a_literal_is(text: str, found: set[str]) -> None:
    assert literals(text) == found


def test_a_very_long_text_is_read_at_its_ends() -> None:
    text = "first/path.py " + "word " * 200_000 + "last/path.py"
    assert literals(text) == {"first/path.py", "last/path.py"}


# -- a small session, by hand ----------------------------------------------------------------------


def call(n: int, path: str) -> dict[str, Any]:
    use = {"type": "tool_use", "id": f"toolu{n}", "name": "read", "input": {"path": path}}
    return {"role": "assistant", "content": [use]}


def result(n: int, text: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"toolu{n}", "content": text}
    return {"role": "user", "content": [block]}


def small() -> History:
    """Two reads whose results the last two answers need; a third, of the first file, again."""
    filler = "words and words " * 60
    return read_request(
        {
            "model": "claude-sonnet-4-5",
            "messages": [
                {"role": "user", "content": "Read src/one.py and src/two.py. Never write."},
                call(1, "src/one.py"),
                result(1, f"port 8417 {filler}"),
                call(2, "src/two.py"),
                result(2, f"see lib/deep.py {filler}"),
                call(3, "src/one.py"),
                result(3, f"port 9000 {filler}"),
                {"role": "assistant", "content": "Port 8417 became 9000, by lib/deep.py."},
            ],
        },
        "anthropic",
    )


def run(spec: str, limit: int = 100_000, history: History | None = None) -> Turnwise:
    budget = Budget(limit, "chars", counter=counter_for(None, "chars"))
    return turnwise(history or small(), parse_policy(spec), budget)


def test_a_turn_is_an_answer_of_the_model() -> None:
    made = run("append")
    assert [turn.message for turn in made.turns] == [1, 3, 5, 7]
    sizes = [
        Projection(History(small()[:stop], dialect="anthropic"), counter_for(None, "chars")).size
        for stop in (1, 3, 5, 7)
    ]
    assert [turn.size for turn in made.turns] == sizes
    assert measures.sent(made.turns) == measures.sent_whole(made.turns) == sum(sizes)
    assert measures.peak(made.turns) == sizes[-1]
    assert measures.compactions(made.turns) == 0
    assert measures.availability(made.turns) == 1.0


def test_the_measures_of_a_policy_that_drops() -> None:
    """`prune:N=1,W=0` keeps one pair: the last answer lacks 8417 and lib/deep.py."""
    made = run("prune:N=1,W=0")
    last = made.turns[-1]
    assert (last.literals.used, last.literals.here, last.literals.recallable) == (3, 1, 0)
    assert measures.compactions(made.turns) == 2
    # src/one.py of the first answer is in the task; so is each path that was called with later
    assert measures.availability(made.turns) == pytest.approx((3 + 1) / (3 + 3))
    assert measures.least_retention(made.turns) == 1.0
    assert measures.sent(made.turns) < measures.sent_whole(made.turns)
    assert [turn.checked for turn in made.turns] == [False, False, True, True]
    assert measures.violations(made.turns) == 0


def test_what_is_behind_a_block_id_in_the_context_is_recallable() -> None:
    made = run("clear-tool-results:trigger=100,keep=1")
    last = made.turns[-1]
    assert (last.literals.used, last.literals.here, last.literals.recallable) == (3, 1, 2)
    assert measures.recallable(made.turns) == 1.0
    assert measures.availability(made.turns) < 1.0


def test_stale_exposure_counts_what_was_seen_again_and_stands_whole() -> None:
    assert [turn.stale for turn in run("append").turns] == [0, 0, 0, 1]
    assert [turn.stale for turn in run("prune:N=1,W=0").turns] == [0, 0, 0, 0]
    assert measures.stale_exposure(run("append").turns) == 0.25


def test_an_unmet_budget_is_an_overflow_and_the_run_goes_on() -> None:
    made = run("append", limit=2_500)
    assert [turn.overflow for turn in made.turns] == [False, False, False, True]
    assert measures.overflows(made.turns) == 1
    assert measures.sent(made.turns) == measures.sent_whole(made.turns)


def test_a_session_without_an_answer_has_no_turn() -> None:
    made = run("auto", history=History([*small()[:1]], dialect="anthropic"))
    assert made.turns == ()
    assert (measures.sent(()), measures.peak(()), measures.overflows(())) == (0, 0, 0)
    assert measures.availability(()) == measures.recallable(()) == measures.least_retention(()) == 1
    assert measures.stale_exposure(()) == 0.0


# -- any session -----------------------------------------------------------------------------------

SPECS = (
    "prune:N=1,W=1",
    "clear-tool-results:trigger=50,keep=1",
    "offload:keep=1,index=50",
    "truncate:turns=2",
    "clear-thinking:keep=1",
    "supersede",
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("spec", SPECS)
def test_what_is_kept_up_to_date_is_what_a_new_reading_finds(dialect: str, spec: str) -> None:
    """Literals counted by edits are those of the context, read from its messages."""

    @quick
    @given(histories(dialect), st.integers(40, 100))
    def holds(history: History, percent: int) -> None:
        counter = counter_for(None, "chars")
        whole = Projection(history, counter).size
        budget = Budget(max(whole * percent // 100, 10), "chars", counter=counter)
        policy = parse_policy(spec)
        grown = History(dialect=history.dialect, tools=history.tools, envelope=history.envelope)
        at = Projection(grown, counter)
        known = Occurrences(literals_of(history))
        for number, message in enumerate(history):
            grown.append(message)
            known.append(number)
            at.refresh()
            try:
                plan = policy.plan(grown, budget, at)
            except BudgetInfeasible:
                continue
            at = plan.projection
            if plan.edits:
                known.edit(plan.edits, at)
            items = {id(b) for m in at.items for b in m.blocks}
            inserted = [
                block
                for m in at.context().messages
                for block in m.blocks
                if id(block) not in items and isinstance(block, Text)
            ]
            notes = ("earlier message", "Continue the task")
            found = frozenset().union(
                *(block_literals(b) for m in at.items for b in m.blocks),
                *(block_literals(b) for b in inserted if not any(n in b.text for n in notes)),
            )
            assert set(known.in_context) == found

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_run_is_pure_and_its_measures_are_in_their_bounds(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.sampled_from((*SPECS, "auto", "append")))
    def holds(history: History, spec: str) -> None:
        before = list(history)
        first, second = (run(spec, 700, history) for _ in range(2))
        assert first == second
        assert list(history) == before
        turns = first.turns
        assert len(turns) == len(list(answers(history)))
        assert measures.violations(turns) == 0
        for turn in turns:
            assert 0 <= turn.literals.here + turn.literals.recallable <= turn.literals.used
            assert turn.overflow or turn.size <= 700
        assert measures.availability(turns) <= measures.recallable(turns) <= 1

    holds()


def test_the_last_turn_is_measured_as_the_context_it_leads_to() -> None:
    history = read_recording(SESSIONS / "flaky-test.responses.json").history
    budget = Budget(4_000)
    policy = parse_policy("prune:N=3,W=2")
    made = turnwise(history, policy, budget, every=1)
    start = made.turns[-1].message
    prefix = History(
        history[:start],
        tools=history.tools,
        dialect=history.dialect,
        envelope=history.envelope,
        model=history.model,
    )
    plan = policy.plan(prefix, budget)
    assert made.turns[-1].size == plan.after
    assert made.turns[-1].retention == required_retention(prefix, plan.projection)
    assert all(turn.checked for turn in made.turns)


def test_the_cost_of_a_turn_does_not_grow_with_the_history() -> None:
    """Counted, not timed: messages looked up in turns 200 to 400, and in 800 to 1000."""

    class Counted(History):
        looks = 0

        def __getitem__(self, index: Any) -> Any:
            Counted.looks += 1 if isinstance(index, int) else len(range(*index.indices(len(self))))
            return super().__getitem__(index)

    def looks(rounds: int) -> int:
        messages = [{"role": "user", "content": "Go on."}]
        for n in range(rounds):
            messages += [call(n, f"src/f{n}.py"), result(n, f"value {n + 1000}")]
        history = read_request({"model": "m", "messages": messages}, "anthropic")
        counted = Counted(history, dialect="anthropic")
        Counted.looks = 0
        turnwise(counted, parse_policy("append"), Budget(10**9), every=10**9)
        return Counted.looks

    few, many = looks(100), looks(400)
    assert many <= 4 * few + 100


@pytest.mark.parametrize("spec", ["auto", "prune:N=3,W=3", "handoff", "offload"])
def test_no_policy_breaks_a_rule_in_a_recorded_session(shared_sessions: Path, spec: str) -> None:
    from trimtab.formats.folder import sessions_in

    turns = 0
    for folder in ("claude-code", "swe-agent", "cline"):
        for path in sessions_in(str(shared_sessions / folder)):
            history = read_recording(path).history
            size = Projection(history, CHARS_ONLY).size
            made = turnwise(
                history,
                parse_policy(spec),
                Budget(max(size * 2 // 5, 1), "chars", counter=CHARS_ONLY),
            )
            assert measures.violations(made.turns) == 0, path
            assert measures.recallable(made.turns) >= measures.availability(made.turns)
            turns += len(made.turns)
    assert turns > 100
