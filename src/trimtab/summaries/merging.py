"""A standing summary and a new one for what came since, made one."""

from __future__ import annotations

from trimtab.summaries.choosing import Candidate, alike, fitted
from trimtab.summaries.cues import weight_in
from trimtab.summaries.replaced import replacing
from trimtab.summaries.request import Request
from trimtab.summaries.statements import Statement
from trimtab.summaries.template import Line, Summary

STANDING, NEW = 0, 1


def merged(standing: Summary, new: Summary, request: Request) -> Summary:
    """One summary of both, within the limit of `request`.

    Lines of `standing` that a line of `new` replaces are left out, doubled ones stand once, and
    where there is no room the least important go; a line that holds a required span never does.
    In each section what stood comes first.
    """
    lines: list[tuple[int, str, Line]] = [
        (which, section, line)
        for which, summary in enumerate((standing, new))
        for section, line in summary.lines()
    ]
    spans = [alike(pin.text) for pin in request.required if pin.text]
    places = {(pin.message, pin.block): (pin.start, pin.end) for pin in request.required}
    out = replacing(
        [
            Statement(which, 0, number, number, line.text, "summary", section, 0)
            for number, (which, section, line) in enumerate(lines)
        ]
    )
    candidates: list[Candidate] = []
    seen: set[str] = set()
    for number, (_, section, line) in enumerate(lines):
        key = alike(line.text)
        required = any(key in span or span in key for span in spans) and bool(key)
        if line.source is not None and not required:
            message, block, start, end = line.source
            span = places.get((message, block))
            required = span is not None and start < span[1] and span[0] < end
        if key in seen or (number in out and not required):
            continue
        seen.add(key)
        weight = weight_in(section, line.text, required=required)
        candidates.append(Candidate(section, line, weight, required))
    return fitted(candidates, request.counter, request.limit)[0]
