"""One summary from a model: what is asked, what is asked again, and what is made of the answer.

Reactions follow `model_outcomes.OUTCOMES`. Every try is recorded, and what each cost is added up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from trimtab.history.log import History
from trimtab.history.message import Usage
from trimtab.summaries.answers import Record, Reply, read_answer
from trimtab.summaries.checked import (
    Held,
    evidence_of,
    guarded,
    inventions,
    named,
    size_of,
    source_size,
    words_of,
)
from trimtab.summaries.clients import Asked
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.fitting import within
from trimtab.summaries.model_outcomes import OUTCOMES, Failure, Finding
from trimtab.summaries.model_replies import added
from trimtab.summaries.prompt import framed
from trimtab.summaries.request import NOTHING, Attempt, Request
from trimtab.summaries.template import Summary
from trimtab.tokens import Counter

if TYPE_CHECKING:
    from trimtab.summaries.guard import Evidence

LONGEST_WAIT = 60.0
"""Seconds: a server that asks for a longer pause is not waited for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model can take and give, in tokens of its own, and how often it is asked again.

    Attributes:
        counter: counts as the model does.
        room: for the quoted record.
        answer: for the answer, at first; and the most that it may get.
        retries: how often one round is asked again at the most, for each kind of reason.
        backoff: seconds of the first pause; each is twice the one before.
        sleep: makes the pause.
    """

    counter: Counter
    room: int
    answer: int
    most_answer: int
    retries: int
    backoff: float
    sleep: Callable[[float], None]


@dataclass(slots=True)
class Log:
    """What was tried so far, and what it cost."""

    name: str
    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = NOTHING
    gave_up: bool = False

    def add(self, reason: str, seconds: float = 0.0, how: str = "") -> None:
        """One more try; an empty reason: it did."""
        self.attempts.append(Attempt(f"{self.name} ({how})" if how else self.name, reason, seconds))


@dataclass(frozen=True, slots=True)
class _Mendable:
    """An answer that will do once it is mended."""

    summary: Summary
    missing: tuple[str, ...]
    findings: tuple[Finding, ...]


def asked(
    model: Asked, instructions: str, prose: str, request: Request, limits: Limits, log: Log
) -> Held | None:
    """What the model makes of `prose`; `None` where the extractive summary must stand in.

    Args:
        model: is asked.
        instructions: the system prompt.
        prose: what `request.numbers` tell, as a model reads it.
        request: of this round: its sources are all that the answer may state.
        limits: of the model.
        log: is added to.
    """
    evidence = evidence_of(request)
    return _Round(model, instructions, request, evidence, limits, log, prose).held()


@dataclass(slots=True)
class _Round:
    model: Asked
    instructions: str
    request: Request
    evidence: Evidence
    limits: Limits
    log: Log
    prose: str
    orders: tuple[str, ...] = ()
    answer: int = 0
    pauses: int = 0
    again: int = 0
    shrunk: bool = False
    once: set[str] = field(default_factory=set)
    kept: _Mendable | None = None

    def held(self) -> Held | None:
        self.answer = self.limits.answer
        record = record_of(self.request)
        while True:
            begin = perf_counter()
            reply = self.model.ask(self.instructions, framed(self.prose, self.orders), self.answer)
            seconds = perf_counter() - begin
            self.log.usage = added(self.log.usage, reply.usage)
            if isinstance(reply, Failure):
                if self._after(reply, seconds):
                    continue
                return self._settled_with(self.kept)
            found = self._read(reply, record)
            if isinstance(found, Finding):
                self.log.add(self._told(found), seconds)
                if self.again >= self.limits.retries:
                    return self._settled_with(self.kept)
                self._ask_again((found,))
                continue
            asking = [
                finding
                for finding in found.findings
                if OUTCOMES[finding.outcome].again == "once" and finding.outcome not in self.once
            ]
            if asking and self.again < self.limits.retries:
                self.log.add(self._told(*found.findings), seconds)
                self.kept = found
                self._ask_again(asking)
                continue
            self.log.add(self._told(*found.findings), seconds)
            return self._settled_with(found)

    # -- no answer ----------------------------------------------------------------------------

    def _after(self, failure: Failure, seconds: float) -> bool:
        """Whether to ask again after a failure; waits before that."""
        finding = Finding(failure.outcome, failure.detail)
        again = OUTCOMES[failure.outcome].again
        self.log.add(self._told(finding), seconds)
        if again == "once" and not self.shrunk:
            self.shrunk = True
            half = self.limits.counter.text(self.prose) // 2
            self.prose = within(self.prose, max(half, 1), self.limits.counter)
            return True
        long = failure.wait is not None and failure.wait > LONGEST_WAIT
        if again != "with backoff" or long or self.pauses >= self.limits.retries:
            # Whatever is asked next would fail alike: rounds to come are spared it.
            self.log.gave_up = True
            return False
        pause = self.limits.backoff * 2**self.pauses
        # Many sessions that were turned away together do not come back together.
        pause = min(pause, LONGEST_WAIT) * random.uniform(0.75, 1.0)
        self.pauses += 1
        self.limits.sleep(max(pause, failure.wait or 0.0))
        return True

    # -- an answer ----------------------------------------------------------------------------

    def _read(self, reply: Reply, record: Record) -> _Mendable | Finding:
        read = read_answer(reply, record)
        if read.summary is None:
            return read.findings[0]
        request = self.request
        findings = list(read.findings)
        size, most = size_of(read.summary, request), self._most()
        if size > request.limit:
            detail = f"{words_of(request.limit, request)}, not {words_of(size, request)}"
            findings.append(Finding("over-long", detail))
        elif size > most:
            detail = f"{words_of(most, request)}, not {words_of(size, request)}"
            findings.append(Finding("larger-than-source", detail))
        invented = inventions(read.summary, self.evidence)
        if invented:
            findings.append(Finding("invented", named(invented)))
        return _Mendable(read.summary, read.missing, tuple(findings))

    def _most(self) -> int:
        """The size of the sources, with the headings, which any summary has."""
        return source_size(self.request) + size_of(Summary(), self.request)

    def _ask_again(self, findings: tuple[Finding, ...] | list[Finding]) -> None:
        self.again += 1
        self.orders = tuple(finding.order for finding in findings)
        outcomes = {finding.outcome for finding in findings}
        self.once |= outcomes
        factor = 4 if "only-thinking" in outcomes else 2 if "cut-off" in outcomes else 1
        self.answer = min(self.answer * factor, self.limits.most_answer)

    def _settled_with(self, found: _Mendable | None) -> Held | None:
        """The answer, mended where it needs it."""
        if found is None:
            return None
        summary, findings = found.summary, list(found.findings)
        request = self.request
        if found.missing:
            quoted = Extractive().summarise(request).summary
            filled = {name: quoted.section(name) for name in found.missing}
            summary = replace(summary, **filled)
        if any(f.outcome == "larger-than-source" for f in findings):
            request = replace(request, limit=self._most())
        held = guarded(summary, request, self.evidence)
        if held is None:
            self.log.add("invented: too much to mend", how="mended")
            return None
        known = {finding.outcome for finding in findings}
        findings += [finding for finding in held.findings if finding.outcome not in known]
        if findings:
            if not found.findings:
                self.log.attempts[-1] = replace(self.log.attempts[-1], reason=self._told(*findings))
            thens = {OUTCOMES[finding.outcome].then for finding in findings}
            self.log.add("", how="mended" if "mended" in thens else "taken as it is")
        return replace(held, findings=tuple(findings))

    def _told(self, *findings: Finding) -> str:
        """Findings for the record; where the store redacts, without secrets."""
        told = "; ".join(map(str, findings))
        return self.request.history.prepare(told.encode("utf-8", "replace")).decode(
            "utf-8", "replace"
        )


# -- what an answer is compared with ---------------------------------------------------------------


def record_of(request: Request) -> Record:
    """The words of a request's sources, by who said them."""
    from trimtab.summaries.model_input import told
    from trimtab.summaries.prompt import language_of

    history = request.history
    things = [one for number in request.numbers for one in told(history, number)]
    return Record(
        said="\n".join(one.text for one in things if one.kind in ("said", "thought")),
        results="\n".join(one.text for one in things if one.kind == "result"),
        tools={call.name for n in request.numbers for call in history[n].calls()}
        | {tool.name for tool in history.tools},
        language=language_of(users_words(history)),
    )


def users_words(history: History) -> str:
    """The last words that the user typed, for their language."""
    found: list[str] = []
    for number in range(len(history) - 1, -1, -1):
        message = history[number]
        if message.role == "user" and message.typed and not message.summary:
            text = message.text
            if text.strip():
                found.append(text[:4_000])
        if len(found) == 3:
            break
    return "\n".join(reversed(found))
