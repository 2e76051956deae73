"""How fast recorded sessions are read, by format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.clock import seconds
from bench.shape import Section, rounded
from trimtab.errors import TrimtabError
from trimtab.formats.recording import read_recording

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".md", ".txt")


def folder() -> Path:
    """Where the recorded sessions are: beside the repository, or where the variable says."""
    return Path(os.environ.get("TRIMTAB_SHARED", ROOT.parent / "shared")) / "sessions"


def measure(quick: bool = False) -> Section:
    """Each file that can be read, once to warm up and then timed; summed up by format."""
    section = Section(
        title="Reading recorded sessions",
        about=(
            "`read_recording` on third-party sessions (test inputs that are not part of the "
            "repository); best of two runs a file; MB of the file as it lies on disk."
        ),
        rows=[],
        units={"size": "MB", "speed": "MB/s"},
        aims=[],
    )
    place = folder()
    if not place.is_dir():
        section["skipped"] = "the recorded sessions are not beside the repository"
        return section
    files = sorted(p for p in place.rglob("*") if p.is_file() and p.suffix not in SUFFIXES)
    if quick:
        files = sorted(files, key=lambda p: p.stat().st_size)[:5]
    sums: dict[str, list[float]] = {}
    for path in files:
        found = _timed(path)
        if found is not None:
            name, taken, messages = found
            total = sums.setdefault(name, [0, 0.0, 0.0, 0])
            total[0] += 1
            total[1] += path.stat().st_size / 1e6
            total[2] += taken
            total[3] += messages
    section["rows"] = [_row(name, *total) for name, total in sorted(sums.items())]
    return section


def _timed(path: Path) -> tuple[str, float, int] | None:
    """Format, seconds and messages; `None` for a file that is no session."""
    try:
        recording = read_recording(path)
    except TrimtabError:
        return None
    taken = min(seconds(lambda: read_recording(path)) for _ in range(2))
    return recording.format, taken, len(recording.history)


def _row(name: str, files: float, size: float, taken: float, messages: float) -> dict[str, Any]:
    return {
        "format": name,
        "files": int(files),
        "messages": int(messages),
        "size": rounded(size),
        "speed": rounded(size / taken),
    }
