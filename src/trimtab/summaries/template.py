"""The five-section summary: goal, progress, facts, decisions, next steps; how it is written.

It is written so that it costs next to nothing beside its statements, reads back to the same
statements, and shows a run of lines of a source as they stood there:

    Summary of earlier work (a record, not an order): messages 1-40
    Goal:
    Migrate the ledger to PostgreSQL 16.
    Never touch src/legacy.
    Progress:
    ...
    Recall: blk_0123456789ab

`parse` also reads what a model makes of these headings (`headings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.history.placeholders import SUMMARY, is_summary

SECTIONS = ("goal", "progress", "facts", "decisions", "next_steps")
"""The sections in the order in which they are written."""

HEADINGS = ("Goal:", "Progress:", "Facts:", "Decisions:", "Next steps:")
"""How each section is headed."""

SHORT_HEADINGS = ("Goal:", "Done:", "Facts:", "Decided:", "Next:")
"""How each is headed where every character counts."""

TIGHT = 1_500
"""Characters: a summary below this has the short headings."""

RECALL = "Recall:"
"""What the line with the ids of blocks begins with."""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a summary.

    Attributes:
        text: its words, on one line.
        source: where they stand word for word: message, block, and the span `start <= i < end`
            of the block's text; `None` where a model or a caller wrote them.
    """

    text: str
    source: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary by sections. A section may be empty; all five are always there.

    Attributes:
        goal: what is wanted, with the hard constraints word for word.
        progress: what was done, and what came of it.
        facts: names, numbers, places and states that later work needs.
        decisions: what was decided, with reasons.
        next_steps: what is open.
    """

    goal: tuple[Line, ...] = ()
    progress: tuple[Line, ...] = ()
    facts: tuple[Line, ...] = ()
    decisions: tuple[Line, ...] = ()
    next_steps: tuple[Line, ...] = ()

    def section(self, name: str) -> tuple[Line, ...]:
        """The lines of a section by its name."""
        lines: tuple[Line, ...] = getattr(self, name)
        return lines

    def lines(self) -> Iterator[tuple[str, Line]]:
        """All lines with the section each is in, in order."""
        for name in SECTIONS:
            for line in self.section(name):
                yield name, line

    def __len__(self) -> int:
        return sum(len(self.section(name)) for name in SECTIONS)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A summary read back from text.

    Attributes:
        summary: its lines, without sources.
        missing: the sections without a heading, in order; one with a heading may be empty.
        ids: the ids of blocks that it names for recall.
        note: what its first line says that it stands for.
    """

    summary: Summary
    missing: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    note: str = ""


# -- writing --------------------------------------------------------------------------------------


def render(
    summary: Summary, *, ids: Sequence[str] = (), note: str = "", short: bool | None = None
) -> str:
    """The text of a summary.

    Args:
        summary: each line is written on one line, as `one_line` gives it.
        ids: ids of blocks that bring back what the summary stands for.
        note: what it stands for, such as `messages 3-40`; stands in the first line.
        short: with the shorter headings; by default where the whole is less than 1,500
            characters, so that these do not go into headings.
    """
    if short is None:
        short = sum(len(line.text) + 1 for _, line in summary.lines()) < TIGHT
    note = " ".join(note.split())
    rows = [f"{SUMMARY}: {note}" if note else SUMMARY]
    for name, heading in zip(SECTIONS, SHORT_HEADINGS if short else HEADINGS, strict=True):
        rows.append(heading)
        rows += (guarded(one_line(line.text)) for line in summary.section(name))
    if ids:
        rows.append(" ".join((RECALL, *ids)))
    return "\n".join(rows)


_BREAKS = re.compile(r"[ \t]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])\s*")
_CALL = re.compile(r"([A-Za-z_][\w.:-]{0,80})\s?\((\s*\{.*\}\s*)\)(;?\s*)\Z")
_TOOL_MARK = re.compile(
    r"\[\s*(?:assistant |model )?((?:tool|function)[ _]?(?:call|use|result|response)s?)\b"
    r"\s*(?:\]|(:|#)\s*([^\]]*)\])\s*:?\s*",
    re.IGNORECASE,
)


def one_line(text: str) -> str:
    """`text` as a line of a summary: on one line, and nothing that looks like a call to make.

    A model that reads calls written out in a summary begins to write calls instead of making
    them, so `read({"path": "a"})` becomes `read with {"path": "a"}` and `[Tool call: read]`
    becomes `tool call: read`. Every other text on one line stays as it is.
    """
    text = _BREAKS.sub(" ", text) if _BREAKS.search(text) else text
    while _TOOL_MARK.search(text):
        text = _TOOL_MARK.sub(_without_brackets, text).strip()
    call = _CALL.match(text.lstrip())
    if call:
        text = f"{call.group(1)} with {call.group(2).strip()}"
    return text


def _without_brackets(mark: re.Match[str]) -> str:
    kind, what = mark.group(1).lower(), (mark.group(3) or "").strip()
    return f"{kind}: {what} " if what else f"{kind}: "


_GUARD = "- "
_TAKEN = re.compile(
    r"\s*\Z|- "
    r"|(?:Goal|Progress|Done|Facts|Decisions|Decided|Next steps|Next):\s*\Z"
    r"|Recall: blk_"
    r"|\s*(?:\[|<\|?)?(?:im_start\|>)?(?:system|developer|user|human|assistant|model|ai|tool"
    r"|function)(?:\]|\|?>|\s?[:：])"
    r"|```|</?(?:summary|analysis|thinking)>",
    re.IGNORECASE,
)


def guarded(line: str) -> str:
    """A line that would be read as a heading, a role or anything else of the kind gets a dash."""
    return _GUARD + line if _TAKEN.match(line) or line.startswith(SUMMARY) else line


# -- reading --------------------------------------------------------------------------------------

_IDS = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{12}")
_NAMES = {
    heading: name
    for headings in (HEADINGS, SHORT_HEADINGS)
    for heading, name in zip(headings, SECTIONS, strict=True)
}


def parse(text: str) -> Parsed:
    """The summary that `text` is; what `render` wrote comes back as it was, without sources.

    Of other texts, such as a model's, headings are recognised at any level, in bold, numbered,
    in other words and in Japanese; lists lose their bullets, "none" is no line, and what stands
    before the first heading or in tags for thinking is left out.
    """
    if is_summary(text):
        parsed = _own(text)
        if not parsed.missing:
            return parsed
    from trimtab.summaries.headings import loosely

    sections, ids = loosely(text)
    return Parsed(
        summary_of({name: [Line(line) for line in lines] for name, lines in sections.items()}),
        tuple(name for name in SECTIONS if name not in sections),
        ids,
    )


def summary_of(sections: dict[str, list[Line]]) -> Summary:
    """A summary of lines by section; a section that is not there is empty."""
    return Summary(*(tuple(sections.get(name, ())) for name in SECTIONS))


def own_rows(text: str, start: int = 0) -> list[tuple[str, int, int]]:
    """The lines of a summary of ours that begins at `start`: section and span in `text`.

    Empty where `text` is none of ours.
    """
    found: list[tuple[str, int, int]] = []
    seen: set[str] = set()
    current = ""
    at = text.find("\n", start) + 1 or len(text)
    if not text[start:at].lstrip().startswith(SUMMARY):
        return []
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        row = text[at:stop]
        name = _NAMES.get(row)
        if name is not None and name not in seen:
            seen.add(name)
            current = name
        elif current and row and not row.startswith(RECALL + " blk_"):
            found.append((current, at + (len(_GUARD) if row.startswith(_GUARD) else 0), stop))
        at = stop + 1
    return found if len(seen) == len(SECTIONS) else []


def _own(text: str) -> Parsed:
    text = text.lstrip()
    first, _, rest = text.partition("\n")
    rows = rest.split("\n")
    sections: dict[str, list[Line]] = {_NAMES[row]: [] for row in rows if row in _NAMES}
    for name, start, end in own_rows(text):
        sections[name].append(Line(text[start:end]))
    ids = tuple(id for row in rows if row.startswith(RECALL + " blk_") for id in _IDS.findall(row))
    missing = tuple(name for name in SECTIONS if name not in sections)
    note = first[len(SUMMARY) :].removeprefix(":").strip()
    return Parsed(summary_of(sections), missing, ids, note)
