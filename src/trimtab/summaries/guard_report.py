"""What the guard found: each value of a summary and of what it must hold, and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

STATES: dict[str, str] = {
    "kept": "stands in the summary and in a source",
    "restored": "was lost; put back word for word from its source",
    "removed": "was invented; left with the sentence that held it",
    "recallable": "stands in a source alone; it can be read there",
    "invented": "stands in the summary and in no source",
    "lost": "is required and does not stand in the summary",
}
"""Every state that a value can have."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One value and what became of it.

    Attributes:
        state: a key of `STATES`.
        kind: a key of `values.KINDS`, or `constraint` for what a sentence forbids, bounds or asks.
        text: the value as it is written.
        norm: the form that was compared.
        start, end: where it stands in the summary, in characters; -1 where it does not.
        source: the number of the message that has it, or of the text; -1 for none.
        reason: why it is invented or lost, in one line.
    """

    state: str
    kind: str
    text: str
    norm: str
    start: int = -1
    end: int = -1
    source: int = -1
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        found: dict[str, Any] = {"state": self.state, "kind": self.kind, "text": self.text}
        if self.start >= 0:
            found["start"], found["end"] = self.start, self.end
        if self.source >= 0:
            found["source"] = self.source
        if self.reason:
            found["reason"] = self.reason
        return found


def _none() -> Sequence[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class GuardReport:
    """What became of each value.

    Attributes:
        findings: all but the recallable, those of the summary first, in order.
        rest: gives the recallable ones when asked: in a long history they are many.
    """

    findings: tuple[Finding, ...] = ()
    rest: Callable[[], Sequence[Finding]] = field(default=_none, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """Whether nothing is invented and nothing lost, as the summary now stands."""
        return not any(finding.state in ("invented", "lost") for finding in self.findings)

    @property
    def inventions(self) -> tuple[Finding, ...]:
        """What stands in the summary and in no source."""
        return self._of("invented")

    @property
    def losses(self) -> tuple[Finding, ...]:
        """What is required and does not stand in the summary."""
        return self._of("lost")

    @property
    def recallable(self) -> Sequence[Finding]:
        """The values of the sources that the summary does without, one for each norm."""
        return self.rest()

    def _of(self, state: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.state == state)

    def to_json(self, *, recallable: bool | int = False) -> dict[str, Any]:
        """As a JSON object: `ok`, how many of each state, the values.

        Args:
            recallable: with the recallable values: all, or so many of them, with the count of
                all; else they are left out.
        """
        rest = self.recallable if recallable else ()
        counts = Counter(finding.state for finding in (*self.findings, *rest))
        findings = [*self.findings, *(rest if recallable is True else rest[: int(recallable)])]
        return {
            "ok": self.ok,
            "counts": {state: counts[state] for state in STATES if counts[state]},
            "values": [finding.to_json() for finding in findings],
        }
