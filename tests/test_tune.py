"""Parameters swept over recorded sessions: the order, dominance, and what fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import ROOT, Command, written
from tests.recorded import tool_loop
from trimtab.config import Settings
from trimtab.context.budget import Budget
from trimtab.evaluation import tune_runs
from trimtab.evaluation.literals import Availability
from trimtab.evaluation.tune import (
    Candidate,
    Recorded,
    Trial,
    best_windows,
    candidates,
    recorded,
    scores,
    settings_lines,
)
from trimtab.evaluation.tune_runs import runner, steps_of
from trimtab.evaluation.turnwise import TurnRun
from trimtab.formats.wire import read_request
from trimtab.policies.policy import Policy
from trimtab.policies.registry import parse_policy
from trimtab.policies.windows import DEFAULT, windows_of

SHORT = (
    Candidate("prune", (("N", 1), ("W", 0))),
    Candidate("prune", (("N", 3), ("W", 1))),
    Candidate("auto", (("target", 60), ("keep", 3))),
)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def loop(rounds: int = 9, **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "messages": tool_loop(rounds, **more)}


def session(file: str = "a", rounds: int = 9, budget: str = "60%") -> Recorded:
    return recorded(read_request(loop(rounds), "anthropic"), file, budget)


def run(sessions: Sequence[Recorded], jobs: int = 1) -> list[Trial]:
    with runner(sessions, SHORT, jobs=jobs) as do:
        made = [do(step) for step in steps_of(sessions, SHORT)]
    return [outcome.made for outcome in made if outcome.made is not None]


# -- candidates ------------------------------------------------------------------------------------


def test_every_candidate_is_a_policy_at_every_budget() -> None:
    for candidate in candidates():
        for limit in (10, 5_000, 10**6):
            assert parse_policy(candidate.spec(Budget(limit))).name == candidate.policy
    labels = [candidate.label for candidate in candidates()]
    assert len(set(labels)) == len(labels)
    assert {"prune:N=5,W=3", "auto:target=70,keep=5"} <= set(labels)


def test_a_trigger_is_a_share_of_the_budget() -> None:
    candidate = Candidate("clear-tool-results", (("keep", 3),), 80)
    assert candidate.label == "clear-tool-results:trigger=80%,keep=3"
    assert candidate.spec(Budget(10_000, reserve=5_000)) == (
        "clear-tool-results:trigger=4000,keep=3"
    )


# -- scores ----------------------------------------------------------------------------------------


def made(n: int, category: str = "coding", policy: str = "prune", **turn: Any) -> Trial:
    literals = Availability(10, turn.pop("here", 10), 0)
    run = TurnRun(message=1, size=turn.pop("size", 100), whole=1_000, literals=literals, **turn)
    return Trial(Candidate(policy, (("N", n), ("W", 0))), "a", category, (run,))


def test_the_order_is_validity_budget_retention_availability_tokens() -> None:
    trials = [
        made(1, violations=1, size=1),
        made(2, overflow=True, size=1),
        made(3, retention=0.5, size=1),
        made(4, here=9, size=1),
        made(5, size=200),
        made(6, size=100),
    ]
    order = [dict(s.candidate.parameters)["N"] for s in scores(trials)]
    assert order == [6, 5, 4, 3, 2, 1]


def test_what_is_as_good_everywhere_and_better_somewhere_dominates() -> None:
    trials = [made(1, size=100), made(2, size=200), made(3, here=9, size=50), made(4, size=100)]
    marked = {dict(s.candidate.parameters)["N"]: s.undominated for s in scores(trials)}
    assert marked == {1: True, 2: False, 3: True, 4: True}


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 10), st.integers(1, 5), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_the_first_is_never_dominated_and_each_dominated_one_is_by_an_undominated(
    given_: list[tuple[int, int, int, bool]],
) -> None:
    trials = [
        made(n, violations=v, here=here, size=size, overflow=over)
        for n, (v, here, size, over) in enumerate(given_)
    ]
    found = scores(trials)
    assert [s.rank for s in found] == sorted(s.rank for s in found)
    assert found[0].undominated
    for score in found:
        better = [
            other
            for other in found
            if other.undominated
            and other.rank != score.rank
            and all(a <= b for a, b in zip(other.rank, score.rank, strict=True))
        ]
        assert score.undominated != bool(better)


def test_literals_and_tokens_are_summed_over_sessions() -> None:
    first, second = made(1, here=10), replace(made(1, here=4, size=300), file="b")
    (score,) = scores([first, second])
    assert (score.sessions, score.turns, score.sent, score.sent_whole) == (2, 2, 400, 2_000)
    assert score.availability == 14 / 20


# -- windows ---------------------------------------------------------------------------------------


def test_the_best_windows_are_those_of_the_sessions_of_a_kind() -> None:
    trials = [
        made(2, "coding", here=8),
        made(8, "coding", here=9),
        made(2, "browser", here=9),
        made(8, "browser", here=8),
        made(5, "other"),
        made(9, "research", policy="auto"),
    ]
    best = best_windows(trials)
    assert [(c.name, c.N, c.W) for c in best] == [("coding", 8, 0), ("browser", 2, 0)]
    tables = {"windows": tomllib.loads("\n".join(settings_lines(best)))["windows"]}
    read = windows_of(Settings(tables=tables))
    assert read[:2] == tuple(best)


def test_a_kind_of_ones_own_is_written_with_its_tools() -> None:
    own = replace(DEFAULT[0], name="mine", tools=("saw*",))
    lines = settings_lines([own])
    assert windows_of(Settings(tables=tomllib.loads("\n".join(lines))))[0] == own


# -- runs ------------------------------------------------------------------------------------------


def test_several_processes_find_the_same() -> None:
    sessions = [session("a"), session("b", rounds=5)]
    alone = run(sessions)
    assert len(alone) == 6
    assert run(sessions, jobs=2) == alone


def test_a_trial_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from trimtab.errors import StoreError

    def fails(*_: object) -> Trial:
        raise StoreError("no room")

    monkeypatch.setattr(tune_runs, "trial", fails)
    with runner([session()], SHORT) as do:
        outcome = do((0, 1))
    assert (outcome.made, outcome.failure) == (None, "no room")


def test_settings_are_filled_in() -> None:
    seen: list[str] = []

    def settled(policy: Policy) -> Policy:
        seen.append(policy.name)
        return policy

    with runner([session()], SHORT, settled) as do:
        do((0, 0))
    assert seen == ["prune"]


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trimtab.evaluation.tune.candidates", lambda: list(SHORT))


@pytest.mark.usefixtures("few")
def test_the_table_and_the_lines_to_set(command: Command, tmp_path: Path) -> None:
    result = command("tune", written(tmp_path, loop()), "--budget", "60%")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "1 session, 9 turns, budget 60%"
    assert sum("prune:N=" in line for line in lines) == 2
    assert lines[-3:][0] == "[windows.coding]"
    assert "Order: valid contexts; fewest turns over the budget" in result.stdout


@pytest.mark.usefixtures("few")
def test_json_has_the_rows_in_order_with_the_lines(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, loop())
    told = command.json("tune", path, "--json")
    assert {row["setting"] for row in told["rows"]} == {c.label for c in SHORT}
    keys = [
        (r["violations"], r["overflows"], -r["required_retention"], -r["availability"], r["sent"])
        for r in told["rows"]
    ]
    assert keys == sorted(keys)
    (about,) = told["sessions"]
    assert (about["category"], about["turns"], about["file"]) == ("coding", 9, str(path))
    assert tomllib.loads(told["toml"])["windows"] == told["windows"]
    assert told["rows"] == command.json("tune", path, "--json", "--jobs", 2)["rows"]


@pytest.mark.usefixtures("few")
def test_one_broken_session_does_not_stop_the_rest(command: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{", "utf-8")
    silent = written(tmp_path, {"messages": [{"role": "user", "content": "Hi."}]}, "silent.json")
    good = written(tmp_path, loop())
    result = command("tune", bad, silent, good, "--json")
    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) == 2
    assert all(line.endswith("; skipped") for line in result.stderr.splitlines())
    assert '"turns": 9' in result.stdout
    assert "bad.json" in command.refused("tune", bad)
    assert "no answer of a model" in command("tune", silent).stderr


def test_what_cannot_be_meant_is_one_line(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, loop())
    assert "size 'much'" in command.refused("tune", path, "--budget", "much")
    assert command("tune", path, "--jobs", "0").exit_code == 2
    (tmp_path / "trimtab.toml").write_text("[windows.coding]\nN = -2\n", "utf-8")
    old = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert "windows.coding.N is a whole number" in command.refused("tune", path)
    finally:
        os.chdir(old)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interruption_prints_what_was_found(command: Command, tmp_path: Path, jobs: int) -> None:
    """The second session blocks; the first one's table is printed."""
    command.home.mkdir()
    path = written(tmp_path, loop(4))
    slow = written(tmp_path, loop(5), "slow.json")
    ready = tmp_path / "ready"
    code = f"""
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from trimtab.evaluation import tune, tune_runs
tune.candidates = lambda: [tune.Candidate("prune", (("N", 1), ("W", 0)))]
was = tune_runs.trial
def trial(session, *rest):
    if "slow" in session.file:
        Path({str(ready)!r}).touch()
        time.sleep(20)
    return was(session, *rest)
tune_runs.trial = trial
from trimtab.cli.root import trimtab
trimtab(["tune", {str(path)!r}, {str(slow)!r}, "--jobs", "{jobs}"])
"""
    ours = {key: value for key, value in command.env.items() if value is not None}
    inherited = {k: v for k, v in os.environ.items() if k not in command.env}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**inherited, **ours},
    ) as process:
        for _ in range(600):
            if ready.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        if jobs == 2:
            time.sleep(1.0)  # the first session's result is on its way
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"prune:N=1,W=0" in out
    assert b"1 session, 4 turns" in out
    assert b"interrupted after 1 of 2 runs" in err
