"""The guard on recorded sessions: what an assistant said is no invention once it is a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from trimtab.errors import InputError
from trimtab.formats.recording import read_recording
from trimtab.history.log import History
from trimtab.summaries.guard import Evidence, check


def histories(folder: Path) -> Iterator[tuple[str, History]]:
    """The sessions that can be read; those under `edge` are broken on purpose."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "edge" not in path.parts and path.suffix != ".md":
            try:
                yield path.name, read_recording(path).history
            except InputError:
                continue


def test_what_was_said_is_no_invention(shared_sessions: Path) -> None:
    said = 0
    before: Counter[str] = Counter()
    wrong = []
    for name, history in histories(shared_sessions):
        whole = Evidence.of(history, range(len(history)))
        for number, message in enumerate(history):
            if message.role != "assistant" or not message.text.strip():
                continue
            said += 1
            own = check(message.text, whole)
            wrong += [(name, number, f.kind, f.text[:80]) for f in own.inventions]
            if said % 10:
                continue
            earlier = check(message.text, Evidence.of(history, range(number)))
            before.update(finding.state for finding in earlier.findings)
    assert said > 100
    assert wrong == []
    # What an agent says is mostly what it has read: if nearly all were new, nothing is compared.
    assert before["kept"] > before["invented"]
    print(f"{said} messages; of their values {dict(before)} by what came before")
