"""The two agents of `examples/`, run as a user runs them, against a strict local provider."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agent_server import AgentServer, Asked, Run, Step
from trimtab.session import Session
from trimtab.store.open import open_store

ROOT = Path(__file__).resolve().parent.parent
AGENTS = {"openai": "compacting_agent.py", "anthropic": "compacting_agent_anthropic.py"}
MODELS = {
    "openai": ("gpt-5-mini", "gpt-5-nano"),
    "anthropic": ("claude-sonnet-4-5", "claude-haiku-4-5"),
}

FIRST = "Why does the build fail? Do not touch src/legacy."
SECOND = "Repair it. At most 3 files may be changed, and never push to main."
THIRD = "Now tell me how it went."
RULES = ("Do not touch src/legacy.", "At most 3 files may be changed, and never push to main.")
WINDOW = 24_000
TURNS = (13, 30, 22)
"""Tool calls for each request of the user's; about fifteen of them fit the window."""

LINE = re.compile(
    r"turn (\d+): ([\d,]+) in, ([\d,]+) of it cached, (\d+) out; "
    r"(\d+) compactions, whose summaries took ([\d,]+) in, ([\d,]+) out"
)


def script() -> list[Step]:
    steps: list[Step] = []
    for request, count in enumerate(TURNS, start=1):
        steps += [Run(f"seq {n} {n + 600 - n % 7}; echo part {request}") for n in range(count)]
        steps.append(f"Request {request} is done.")
    return steps


def summary(text: str) -> str:
    """What a modest model writes: true, and short."""
    return (
        "Goal:\nFind out why the build fails.\nProgress:\nSome commands were run.\n"
        "Facts:\nThe commands printed numbers.\nDecisions:\nNone.\nNext steps:\nGo on."
    )


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    done: subprocess.CompletedProcess[str]
    log: list[tuple[int, ...]]
    session: Session


def ran(server: AgentServer, dialect: str, folder: Path, window: int = WINDOW) -> Ran:
    home = folder / "home"
    model, _ = MODELS[dialect]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(folder),
        "TRIMTAB_HOME": str(home),
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "none",
        "MODEL": model,
        "WINDOW": str(window),
        **({"SUMMARY_MODEL": server.summary_model} if server.summary_model else {}),
    }
    command = [sys.executable, str(ROOT / "examples" / AGENTS[dialect]), FIRST, SECOND, THIRD]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    log = [tuple(int(n.replace(",", "")) for n in found) for found in LINE.findall(done.stderr)]
    store = open_store(home / "trimtab.db")
    (info,) = store.sessions()
    return Ran(done, log, Session.restore(info.id, store=store))


def rules_hold(requests: list[Asked]) -> None:
    """Each rule stands word for word in every request since the user gave it."""
    for rule in RULES:
        known = [rule in request.text for request in requests]
        first = known.index(True)
        assert all(known[first:]), (
            f"{rule!r} is missing from request {first + known[first:].index(False)}"
        )
    assert RULES[0] in requests[0].text


@pytest.mark.parametrize("dialect", AGENTS)
@pytest.mark.parametrize("model", [True, False], ids=["summary model", "quotations"])
def test_an_agent_works_on_far_beyond_its_window(dialect: str, model: bool, tmp_path: Path) -> None:
    named = MODELS[dialect][1] if model else ""
    with AgentServer(script(), WINDOW, named, summary) as server:
        run = ran(server, dialect, tmp_path)
    assert run.done.returncode == 0, run.done.stderr
    assert run.done.stdout.splitlines() == [f"Request {n} is done." for n in (1, 2, 3)]
    assert server.done
    assert [asked.error for asked in server.asked if asked.error] == []
    rules_hold(server.asked)

    turns = sum(TURNS) + len(TURNS)
    assert [line[0] for line in run.log] == [*range(1, turns + 1)]
    assert [line[1] for line in run.log] == [asked.size for asked in server.asked]
    cached = [line[2] > 0 for line in run.log]
    assert cached.count(True) >= turns - 2

    changes = run.session.events
    assert sum(change.turn < turns for change in changes) == run.log[-1][4] >= 4
    whys = [change.why for change in changes]
    assert any("the context holds" in why and "more than 16,800" in why for why in whys), whys
    assert any("a stage is finished: " in why for why in whys), whys
    assert max(asked.size for asked in server.asked) > WINDOW * 60 // 100
    assert len(run.session.history) == 1 + len(TURNS) + turns + sum(TURNS)

    spent = run.session.summary_usage()
    if model:
        assert len(server.summaries) >= len(spent) >= 2
        assert {usage.model for usage in spent} == {named}
        told = [usage.usage for usage in spent if usage.turn < turns]  # one comes after the log
        assert run.log[-1][5] == sum(usage.context for usage in told) > 0
        assert run.log[-1][6] == sum(usage.output for usage in told) > 0
        assert all("tools" not in body for body in server.summaries)
    else:
        assert (server.summaries, spent, run.log[-1][5:]) == ([], [], (0, 0))
    assert len(run.session.usage()) == turns
    assert all(usage.model != named for usage in run.session.usage())


@pytest.mark.parametrize("dialect", AGENTS)
def test_a_window_smaller_than_believed_is_survived(dialect: str, tmp_path: Path) -> None:
    real = WINDOW * 2 // 3
    with AgentServer(script(), real) as server:
        run = ran(server, dialect, tmp_path, window=WINDOW * 2)
    assert run.done.returncode == 0, run.done.stderr
    assert server.done
    refused = [n for n, asked in enumerate(server.asked) if asked.status == 400]
    assert refused
    for n in refused:
        assert "too long" in server.asked[n].error or "context" in server.asked[n].error
        assert server.asked[n + 1].size < server.asked[n].size
    assert len(server.answered) == sum(TURNS) + len(TURNS)
    rules_hold(server.asked)
    assert any("refused" in change.why for change in run.session.events)


@pytest.mark.parametrize("dialect", AGENTS)
def test_the_loop_is_short(dialect: str) -> None:
    text = (ROOT / "examples" / AGENTS[dialect]).read_text(encoding="utf-8")
    body = text[text.index("def chat(") : text.index("def run(")]
    assert len([line for line in body.splitlines() if line.strip()]) <= 34
