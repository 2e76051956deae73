"""The fact guard: a summary is checked against its sources, not trusted.

*No invention*: each value of the summary stands in a source, alone or inside a longer value; a
constraint points the same way as in its source. *No loss*: each required span stands in the
summary. `check` says what is wrong; `mend` takes out what is invented and puts back what is lost.

What is compared is values and the direction of constraints, not meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from trimtab.history.placeholders import SUMMARY
from trimtab.summaries.guard_contradictions import contradictions, lost_of
from trimtab.summaries.guard_evidence import Evidence, Required
from trimtab.summaries.guard_polarity import parted
from trimtab.summaries.guard_report import Finding, GuardReport
from trimtab.summaries.template import RECALL, Line, Summary, one_line
from trimtab.summaries.values import Value, folded, values
from trimtab.summaries.values_quotes import squeezed

__all__ = ["Evidence", "Finding", "GuardReport", "check", "mend"]

_UNCHECKED = ("count", "negation")


def check(text: str, evidence: Evidence, *, verbatim: bool = False) -> GuardReport:
    """What a text holds of its sources, invents and loses.

    A required span that is worded otherwise is no loss as long as all its values are there and a
    sentence with its words points the same way.

    Args:
        text: a summary, as `render` writes it or as anyone wrote it.
        evidence: its sources and what is required.
        verbatim: whether a required span has to stand word for word.
    """
    read = _without_frame(text)
    found = [value for value in values(read) if value.kind != "negation"]
    findings = [*_of_summary(read, found, evidence)]
    findings.sort(key=lambda finding: (finding.start, finding.end))
    flat = squeezed(folded(read))
    for required in evidence.required:
        findings += _of_required(required, read, flat, found, verbatim)
    return GuardReport(tuple(findings), _recallable(evidence, found))


def mend(summary: Summary, evidence: Evidence) -> tuple[Summary, GuardReport]:
    """A summary without inventions and with all that is required, word for word.

    An invented value goes with its sentence, a line that becomes empty goes too. A required span
    that does not stand word for word is restored as a line of the goal, with its source.

    Returns:
        The mended summary, and a report with the `removed` and the `restored`; its values are
        those of the mended text. It is `ok`.
    """
    removed: list[Finding] = []
    sections: dict[str, tuple[Line, ...]] = {}
    for name in ("goal", "progress", "facts", "decisions", "next_steps"):
        sections[name] = tuple(_mended(summary.section(name), evidence, removed))
    mended = Summary(**sections)
    flat = squeezed(folded(_text(mended)))
    restored: list[Finding] = []
    lines = list(mended.goal)
    for required in evidence.required:
        words = one_line(required.text).strip()
        if squeezed(folded(words)) in flat:
            continue
        lines.append(Line(words, required.source))
        flat += "\n" + squeezed(folded(words))
        restored.append(Finding("restored", "constraint", words, words, source=required.number))
    mended = replace(mended, goal=tuple(lines))
    report = check(_text(mended), evidence)
    return mended, GuardReport((*removed, *restored, *report.findings), report.rest)


def _text(summary: Summary) -> str:
    return "\n".join(line.text for _, line in summary.lines())


# --- the summary's own values --------------------------------------------------------------------


def _of_summary(text: str, found: Sequence[Value], evidence: Evidence) -> Iterator[Finding]:
    quoted = bytearray(len(text))  # what a verified quotation holds is verified
    for value in sorted(found, key=lambda value: value.start - value.end):  # quotations first
        if value.kind in _UNCHECKED:
            continue
        place = evidence.place(value)
        inside = quoted.find(0, value.start, value.end) < 0
        if place is None and not inside:
            yield _finding("invented", value, reason="stands in no source")
            continue
        if value.kind == "quote":
            quoted[value.start : value.end] = b"\1" * (value.end - value.start)
        yield _finding("kept", value, source=-1 if place is None else place)
    for start, end, words, source, reason in contradictions(text, found, evidence):
        yield Finding("invented", "constraint", words, words, start, end, source, reason)


def _finding(state: str, value: Value, source: int = -1, reason: str = "") -> Finding:
    return Finding(
        state, value.kind, value.text, value.norm, value.start, value.end, source, reason
    )


def _without_frame(text: str) -> str:
    """The text without what `render` puts around the statements, as long as before."""
    if not text.startswith(SUMMARY):
        return text
    first = text.find("\n")
    text = " " * first + text[first:] if first >= 0 else text
    last = text.rstrip("\n").rfind("\n")
    if text.startswith(RECALL, last + 1):
        text = text[: last + 1] + " " * (len(text) - last - 1)
    return text


def _recallable(evidence: Evidence, found: Sequence[Value]) -> Callable[[], Sequence[Finding]]:
    given = {key for value in found for key in value.gives}
    given |= {f"{value.kind} {value.norm}" for value in found}

    def rest() -> Sequence[Finding]:
        return [
            Finding("recallable", value.kind, value.text, value.norm, source=number)
            for number, value in evidence.values()
            if f"{value.kind} {value.norm}" not in given and not _given(value, given)
        ]

    return rest


def _given(value: Value, given: set[str]) -> bool:
    return any(all(key in given for key in need) for need in value.needs)


# --- what is required ----------------------------------------------------------------------------


def _of_required(
    required: Required, text: str, flat: str, found: Sequence[Value], verbatim: bool
) -> Iterator[Finding]:
    words = squeezed(folded(one_line(required.text)))
    number = required.number
    if words in flat:
        yield Finding("kept", "constraint", required.text, words, source=number)
        return
    if verbatim:
        reason = "does not stand word for word"
        yield Finding("lost", "constraint", required.text, words, source=number, reason=reason)
        return
    lost = [
        Finding("lost", kind, shown, norm, source=number, reason=reason)
        for start, end in parted(required.text)
        if squeezed(folded(required.text[start:end])) not in flat
        for kind, shown, norm, reason in lost_of(required.text[start:end], text, found)
    ]
    if lost:
        yield from lost
    else:
        yield Finding("kept", "constraint", required.text, words, source=number)


# --- mending -------------------------------------------------------------------------------------


def _mended(lines: Sequence[Line], evidence: Evidence, removed: list[Finding]) -> Iterator[Line]:
    for line in lines:
        wrong = [
            f for f in _of_summary(line.text, values(line.text), evidence) if f.state == "invented"
        ]
        if not wrong:
            yield line
            continue
        removed += (replace(f, state="removed", start=-1, end=-1) for f in wrong)
        spans = list(parted(line.text)) or [(0, len(line.text))]
        left = [
            line.text[start:end]
            for start, end in spans
            if not any(f.start < end and start < f.end for f in wrong)
        ]
        touched = [f for f in wrong if not any(f.start < e and s < f.end for s, e in spans)]
        rest = " ".join(left).strip()
        if touched or not rest or not any(c.isalnum() for c in rest):
            continue
        yield from _mended([Line(rest)], evidence, removed)
