"""Whatever made a summary, it is checked against its sources, and there is always one.

A summary that invents, is larger than allowed, or did not come about at all gives way to the
extractive one, which quotes; why is recorded with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trimtab.errors import UsageError
from trimtab.history.message import Usage
from trimtab.pins import Pin
from trimtab.summaries.clients import raised, settled
from trimtab.summaries.extractive import NAMED, Extractive
from trimtab.summaries.merging import merged
from trimtab.summaries.model_outcomes import Failure, Finding
from trimtab.summaries.request import NOTHING, Attempt, Request, Summarised
from trimtab.summaries.template import Summary, render

if TYPE_CHECKING:
    from trimtab.summaries.guard import Evidence

FEW = 0.25
"""Of the statements of a summary: so many may go for what they invent; else all of it goes."""


def checked(call: Callable[[Request], Summarised], request: Request) -> Summarised:
    """The summary that `call` makes, held against its sources; else the extractive one.

    Args:
        call: makes a summary: `summarise` of any summariser, or a function of the caller's. What
            it raises is recorded as the reason for the extractive summary.
        request: what is wanted.

    Raises:
        UsageError: there is nothing to summarise.
    """
    refuse_nothing(request)
    made = settled(lambda: call(request), None, raised)
    if isinstance(made, Failure):
        return fallen_back(request, (Attempt("summariser", str(Finding("raised", made.detail))),))
    if not isinstance(made, Summarised):
        given = type(made).__name__
        reason = Finding("malformed", f"a {given} in place of a summary")
        return fallen_back(request, (Attempt("summariser", str(reason)),))
    if made.guard is not None:
        return made
    attempts = made.attempts or (Attempt(made.summariser),)
    if not len(made.summary):
        failed = (*attempts[:-1], replace(attempts[-1], reason=str(Finding("empty"))))
        return fallen_back(request, failed, made.usage, made.model)
    held = guarded(made.summary, request, evidence_of(request))
    if held is None:
        failed = (*attempts[:-1], replace(attempts[-1], reason=str(Finding("invented"))))
        return fallen_back(request, failed, made.usage, made.model)
    return replace(made, summary=held.summary, guard=held.report, attempts=attempts)


def refuse_nothing(request: Request) -> None:
    """A request without sources is a mistake of the caller's; no summary could be true of it.

    Raises:
        UsageError: the request names no messages.
    """
    if not request.numbers and not request.earlier:
        raise UsageError("there is nothing to summarise: the request names no messages")


def fallen_back(
    request: Request,
    attempts: Iterable[Attempt],
    usage: Usage = NOTHING,
    model: str | None = None,
) -> Summarised:
    """The extractive summary, with why it is that; the guard's report is of it as it stands."""
    from trimtab.summaries.guard import check

    made = Extractive().summarise(request)
    report = check(render(made.summary), evidence_of(request))
    return replace(
        made,
        guard=made.guard if made.guard is not None else report.to_json(recallable=NAMED),
        attempts=(*attempts, *(made.attempts or (Attempt(made.summariser),))),
        usage=usage,
        model=model,
    )


# -- the guard and the size ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """A summary that was held against its sources.

    Attributes:
        summary: without what it invented, with what it had lost.
        report: the guard's, as a JSON value.
        findings: what had to be mended.
    """

    summary: Summary
    report: object
    findings: tuple[Finding, ...] = ()


def evidence_of(request: Request) -> Evidence:
    """What the sources of a request state."""
    from trimtab.summaries.guard import Evidence

    numbers = sorted({*request.earlier, *request.numbers})
    return Evidence.of(request.history, numbers, request.required)


def inventions(summary: Summary, evidence: Evidence) -> list[str]:
    """What a summary states and its sources do not."""
    from trimtab.summaries.guard import check

    return [value.text for value in check(render(summary), evidence).inventions]


def guarded(summary: Summary, request: Request, evidence: Evidence) -> Held | None:
    """A summary mended by the guard and within its limit; `None` where too little would be left.

    Args:
        summary: as a model or a caller wrote it.
        request: its limit, and what is required.
        evidence: of the sources that it must be true of.
    """
    from trimtab.summaries.guard import mend

    found = inventions(summary, evidence)
    mended, report = mend(summary, evidence)
    findings = []
    if found:
        findings.append(Finding("invented", named(found)))
        kept = {line.text for _, line in mended.lines()}
        gone = sum(line.text not in kept for _, line in summary.lines())
        if gone > max(len(summary) * FEW, 1):
            return None
    lost = [value.text for value in report.findings if value.state in ("restored", "lost")]
    if lost:
        findings.append(Finding("lost", named(lost)))
    limit = request.limit
    if size_of(mended, request) > limit:
        mended = merged(Summary(), mended, request)
        findings.append(Finding("over-long", words_of(limit, request)))
        if not len(mended):
            return None
    return Held(mended, report.to_json(recallable=NAMED), tuple(findings))


def size_of(summary: Summary, request: Request) -> int:
    """The size of a summary's text, in the unit of the request."""
    return request.counter.text(render(summary))


def source_size(request: Request) -> int:
    """The size of all that the summary is to stand for, in the unit of the request."""
    history, counter = request.history, request.counter
    return sum(counter.message(history[n]) for n in (*request.earlier, *request.numbers))


def words_of(size: int, request: Request) -> str:
    """A size with its unit: `400 tokens`."""
    unit = {"chars": "characters"}.get(request.counter.unit, request.counter.unit)
    return f"{size:,} {unit}"


def named(values: Iterable[str], most: int = 12) -> str:
    """Values for a line: each short and in quotation marks, so that none reads as an order."""
    shown = []
    for value in values:
        line = " ".join(value.replace('"', "'").split())
        shown.append(f'"{line[:59]}…"' if len(line) > 60 else f'"{line}"')
    once = list(dict.fromkeys(shown))
    more = f" and {len(once) - most} more" if len(once) > most else ""
    return ", ".join(once[:most]) + more


def required_of(request: Request, numbers: Iterable[int]) -> tuple[Pin, ...]:
    """The required spans of some of the messages of a request."""
    wanted = set(numbers)
    return tuple(pin for pin in request.required if pin.message in wanted)
