"""Every recorded session: read, valid, valid under every policy at every budget, convertible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from trimtab.context.budget import Budget
from trimtab.context.writing import write
from trimtab.errors import BudgetInfeasible, InputError
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request, write_request
from trimtab.history.log import History
from trimtab.history.rules import validate
from trimtab.policies.registry import POLICIES, fit

SHARES = (100, 70, 50, 25, 10)
WITHOUT_MESSAGES = {"openhands/base_state.json"}
LEAST = 36
"""How many recorded sessions there are at least: a reader that drops files is noticed."""


def broken(history: History) -> list[str]:
    found = validate(list(history), history.dialect, tools=history.tools, envelope=history.envelope)
    return [f"{v.rule} at {v.index}: {v.explanation}" for v in found]


def recorded(folder: Path) -> Iterator[tuple[str, History]]:
    """Each session's main thread and its other threads."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or path.suffix == ".md":
            continue
        if name in WITHOUT_MESSAGES:
            with pytest.raises(InputError, match="no messages"):
                read_recording(path)
            continue
        recording = read_recording(path)
        yield name, recording.history
        for thread, history in recording.threads.items():
            yield f"{name}#{thread}", history
        yield f"{name} whole", read_recording(path, whole=True).history


@pytest.fixture(scope="module", params=["shared", "bundled"])
def sessions(request: pytest.FixtureRequest) -> list[tuple[str, History]]:
    if request.param == "bundled":
        return list(recorded(ROOT / "examples" / "sessions"))
    found = list(recorded(request.getfixturevalue("shared_sessions")))
    assert len(found) >= LEAST
    return found


def test_every_session_is_valid_as_recorded(sessions: list[tuple[str, History]]) -> None:
    for name, history in sessions:
        assert broken(history) == [], name


@pytest.mark.parametrize("policy", POLICIES)
def test_every_session_stays_valid_under_every_policy(
    sessions: list[tuple[str, History]], policy: str
) -> None:
    feasible = 0
    for name, history in sessions:
        whole = fit(history, Budget(10**12), "append").before
        for share in SHARES:
            try:
                plan = fit(history, Budget(max(whole * share // 100, 1)), policy)
            except BudgetInfeasible:
                continue
            feasible += 1
            context = plan.projection.context()
            found = validate(
                context.messages,
                history.dialect,
                tools=history.tools,
                envelope=context.envelope,
            )
            assert found == (), f"{name} at {share} %: {found}"
            assert plan.after <= whole * share // 100
            again = read_request(write(context).value, history.dialect)
            assert broken(again) == [], f"{name} at {share} %, written and read"
    assert feasible


def test_every_session_round_trips_and_converts(sessions: list[tuple[str, History]]) -> None:
    for name, history in sessions:
        own = write_request(list(history), history).value
        again = read_request(own, history.dialect)
        assert write_request(list(again), again).value == own, name
        for dialect in ("anthropic", "openai", "responses", "neutral"):
            written = write_request(list(history), history, dialect).value
            assert broken(read_request(written, dialect)) == [], f"{name} as {dialect}"
