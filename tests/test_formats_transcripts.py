"""Every transcript format: what the golden recordings tell, and that it is fit to be sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.transcripts import GOLDEN, broken_rules, golden, report
from trimtab.formats.recording import read_recording
from trimtab.formats.registry import FORMATS
from trimtab.formats.wire import write_request

FILES = sorted(path.name for path in GOLDEN.iterdir())


@pytest.mark.parametrize("whole", [False, True], ids=["live", "whole"])
@pytest.mark.parametrize("name", FILES)
def test_a_golden_recording_is_told_as_before(
    name: str, whole: bool, snapshot: SnapshotAssertion
) -> None:
    assert report(golden(name, whole=whole)) == snapshot


@pytest.mark.parametrize("whole", [False, True], ids=["live", "whole"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_read_may_be_sent(name: str, whole: bool) -> None:
    recording = golden(name, whole=whole)
    assert broken_rules(recording.history) == ()
    for thread in recording.threads.values():
        assert broken_rules(thread) == ()


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "responses", "neutral"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_read_can_be_written_in_any_form(name: str, dialect: str) -> None:
    history = golden(name).history
    value = write_request(history, history, dialect).value
    assert value


def test_every_transcript_format_has_a_golden_recording() -> None:
    known = {name for name, format in FORMATS.items() if format.kind == "transcript"}
    assert {golden(name).format for name in FILES} == known


# -- real ones --------------------------------------------------------------------------------


def recorded(folder: Path) -> list[Path]:
    """The files of real sessions, but for the one that holds no messages."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".md" and path.name != "base_state.json"
    )


def test_real_sessions_are_read_and_fit_to_be_sent(shared_sessions: Path) -> None:
    files = recorded(shared_sessions)
    assert len(files) >= 37
    for path in files:
        for whole in (False, True):
            recording = read_recording(path, whole=whole)
            histories = {"main": recording.history, **recording.threads}
            for name, history in histories.items():
                assert broken_rules(history) == (), (path, whole, name)


def test_real_sessions_are_recognised(shared_sessions: Path) -> None:
    folders = {
        "claude-code": {"claude-code"},
        "codex": {"codex"},
        "pi": {"pi"},
        "swe-agent": {"swe-agent"},
        "mini-swe-agent": {"mini-swe-agent"},
        "cline": {"cline"},
        "openhands": {"openhands", "openai"},
        "edge": {"claude-code", "codex", "gemini-cli"},
    }
    for path in recorded(shared_sessions):
        folder = path.relative_to(shared_sessions).parts[0]
        assert read_recording(path).format in folders[folder], path
