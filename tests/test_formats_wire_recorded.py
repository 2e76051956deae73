"""Recorded sessions of real agents in every wire format: valid, and valid when converted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.histories import DIALECTS
from trimtab.errors import InputError
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request, write_request
from trimtab.history.log import History
from trimtab.history.rules import validate


def broken(history: History) -> list[str]:
    found = validate(history, history.dialect, tools=history.tools, envelope=history.envelope)
    return [f"{v.rule} at {v.index}: {v.explanation}" for v in found]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_recorded_sessions_convert_to_valid_requests(dialect: str, shared_sessions: Path) -> None:
    read = 0
    for path in sorted(shared_sessions.rglob("*")):
        if not path.is_file() or path.suffix == ".md" or path.name == "base_state.json":
            continue
        try:
            recording = read_recording(path)
        except InputError as error:
            pytest.fail(f"{path.name}: {error}")
        for history in (recording.history, *recording.threads.values()):
            assert broken(history) == [], path.name
            written = write_request(history, history, dialect)
            assert broken(read_request(written.value, dialect)) == [], path.name
            assert bool(written.losses) <= (dialect != history.dialect)
            read += 1
    assert read >= 30
