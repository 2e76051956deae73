"""Statements: the sentences of a history that a summary may quote, each with its place.

The index grows with its history; a message is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolResult
from trimtab.history.placeholders import SUMMARY, is_placeholder
from trimtab.pins import sentences
from trimtab.summaries.cues import classified, label_end, weight_in

LONGEST = 600
"""Characters: a line of a tool result or of a summary that is longer is no statement."""
READ = 40_000
"""Characters: of a longer text only so much is read, half of it at each end."""
OF_A_RESULT = 5
"""So many lines of a tool result may be quoted."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, or a few that only make sense together.

    Attributes:
        message, block: where it is; the block is a `Text` or a `ToolResult` (its `.text`).
        start, end: the span `start <= i < end` of the block's text.
        text: the span word for word; it is on one line.
        role: who said it: that of the message, `tool` for a result, `summary` for a line of a
            summary that stands in the message.
        section: the section of a summary that it belongs to.
        weight: how much later work needs it; see `cues.py`.
    """

    message: int
    block: int
    start: int
    end: int
    text: str
    role: str
    section: str
    weight: int


@dataclass(slots=True)
class _Index:
    of: list[tuple[Statement, ...]] = field(default_factory=list)

    def refresh(self, history: History) -> None:
        for number in range(len(self.of), len(history)):
            self.of.append(tuple(_read(number, history[number])))


def statements(history: History, numbers: Iterable[int] | None = None) -> list[Statement]:
    """The statements of a history, in order; kept with it, so that only what is new is read.

    Args:
        numbers: those of these messages alone, in the order given.
    """
    index = history.derived("statements", _Index)
    index.refresh(history)
    wanted = range(len(index.of)) if numbers is None else numbers
    return [statement for number in wanted for statement in index.of[number]]


def _read(number: int, message: Message) -> Iterator[Statement]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, ToolResult):
            if not is_placeholder(block.text):
                yield from _of_result(number, at, block)
        elif isinstance(block, Text) and not is_placeholder(block.text):
            yield from _of_text(number, at, message, block.text)


# -- a message's own text -------------------------------------------------------------------------

_BEGINS = re.compile(rf"^[ \t]*{re.escape(SUMMARY)}", re.MULTILINE)


def _of_text(number: int, at: int, message: Message, text: str) -> Iterator[Statement]:
    begins = _BEGINS.search(text) if SUMMARY in text else None
    stop = len(text)
    if message.summary and begins is None:
        stop = 0
    elif begins is not None:
        stop = begins.start()
    role = message.role
    if role == "user" and not message.typed:
        role = "system"
    rules = _requirements(text[:stop]) if role == "user" and stop else {}
    for start, end in _joined(text, _prose(text, stop, role)):
        first = start + label_end(text[start:end])
        required = any(start <= place < end for place in rules)
        section, weight = classified(text[start:end], role, required=required)
        if first > start and not required:
            named, _ = classified(text[first:end], role)
            section = section if section != "facts" else named
        yield Statement(number, at, first, end, text[first:end], role, section, weight)
    if stop < len(text):
        yield from _of_summary(number, at, text, stop)


def _requirements(text: str) -> dict[int, tuple[str, ...]]:
    from trimtab.pin_rules.rules import requirements

    return {start: rules for start, _, rules in requirements(text)}


def _prose(text: str, stop: int, role: str) -> Iterator[tuple[int, int]]:
    """The sentences of what somebody wrote: neither code, nor logs, nor quotes."""
    if stop == 0:
        return
    from trimtab.pin_rules.prose import own_words

    for run_start, run_end in own_words(text[:stop]):
        run = text[run_start:run_end]
        for start, end in sentences(run):
            for first, last in on_one_line(text, run_start + start, run_start + end):
                if not _NUMBERED.match(text, first, last):
                    yield first, last


_NUMBERED = re.compile(r"\d+\s?[→|│:](?!\d\d)")
"""A line of a listing: `12: from a import b`, but not `12:30`."""


def on_one_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence that wraps is quoted line by line, so that every line is as it stood there."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        first, last = start, stop
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if any(c.isalnum() for c in text[first:last]):
            yield first, last
        start = stop + 1


_LEANS = re.compile(
    r"(?:(?:\w+,? ){0,2}(?:it|its|them|they|their|this|these|those|that one|both|either)\b"
    r"|(?:that|there|otherwise|then|so|also|but|and|or)\b(?! is no)|(?:それ|これ|その|この|また"
    r"|ただし|なお|そのため|だから|しかし))",
    re.IGNORECASE,
)
_TOGETHER = 260
"""Characters: sentences that lean on each other stay together up to this length."""


def _joined(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sentences, a sentence that leans on the one before it ("Use it in ...") joined to that."""
    held: tuple[int, int] | None = None
    for start, end in spans:
        if held is not None:
            between = text[held[1] : start]
            near = "\n" not in between and end - held[0] <= _TOGETHER
            if near and _LEANS.match(text, start, end):
                held = (held[0], end)
                continue
            yield held
        held = (start, end)
    if held is not None:
        yield held


# -- summaries that stand in a message ------------------------------------------------------------


def _of_summary(number: int, at: int, text: str, start: int) -> Iterator[Statement]:
    """The lines of the summary that `text` is from `start` on: ours or another layer's."""
    from trimtab.summaries.headings import rows
    from trimtab.summaries.template import own_rows

    found = list(own_rows(text, start) or rows(text, start))
    rules = _requirements("\n".join(text[first:last] for _, first, last in found))
    place = 0
    for section, first, last in found:
        line = text[first:last]
        required = any(place <= begin <= place + len(line) for begin in rules)
        place += len(line) + 1
        if section is None:
            section, weight = classified(line, "assistant")
        else:
            weight = weight_in(section, line, required=required)
        if len(line) <= LONGEST:
            yield Statement(number, at, first, last, line, "summary", section, weight)


# -- tool results ---------------------------------------------------------------------------------

_ACTS = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|ures|ing)?|passed|fatal|panic|denied|refused|timed out"
    r"|timeout|not found|no such|cannot|unable|invalid|exit(?:ed)?(?: with)? (?:code|status)"
    r"|exit code|created|deleted|updated|deployed|committed|merged|pushed|uploaded|succeeded"
    r"|success(?:ful|fully)?|completed|confirmed|confirmation|booked|cancel+ed|refunded|total"
    r"|warning)\b|\b\w*(?:Error|Exception)\b|エラー|失敗|成功|完了|作成|更新|削除|警告|予約"
    r"|確定|合計"
)
_NAMES = re.compile(
    r"\b(?:id|commit|branch|version|url|port|host|ticket|order|invoice|number|status|owner|path"
    r"|revision|sha\d*|key|region)\b[\"']?\s*[:=#]?\s*\S*\d",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\s*\d+\s?[→|│:\t]|.*(?:[{};,(\[\\|]|=>|->|\bdo)\s*$|.*(?:=>|->|:=|==|<-|\|>)"
    r"|\s*(?:[+\-<>@#*/({\[]|hint:|(?:def|class|import|from|return|if|elif|else|for|while|const"
    r"|let|var|function|func|fn|public|private|except|raise|throw|try|catch|end|case|use|alias)\b)"
)
"""A line of a program, of a listing or of advice: the bulk of most results, and no outcome."""
_LINE = re.compile(r"[^\n]+")


def _of_result(number: int, at: int, result: ToolResult) -> Iterator[Statement]:
    """The lines of a result that act: what failed or came about, and what it is called.

    Of many the last are taken, where the outcome stands.
    """
    text = result.text
    ends = [(0, len(text))]
    if len(text) > READ:
        ends = [(0, READ // 2), (len(text) - READ // 2, len(text))]
    found: list[tuple[int, int, bool]] = []
    for begin, stop in ends:
        for line in _LINE.finditer(text, begin, stop):
            words = line.group().strip()
            if not 4 <= len(words) <= LONGEST // 2 or not any(c.isalpha() for c in words):
                continue
            if _SOURCE.match(words):
                continue
            acts = _ACTS.search(words) is not None
            if acts or result.is_error or _NAMES.search(words):
                first = line.start() + len(line.group()) - len(line.group().lstrip())
                found.append((first, first + len(words), acts))
    chosen = [line for line in found if line[2]][-OF_A_RESULT:]
    if len(chosen) < OF_A_RESULT:
        chosen += [line for line in found if not line[2]][-(OF_A_RESULT - len(chosen)) :]
    for first, last, acts in sorted(chosen):
        line_text = text[first:last]
        section, weight = classified(line_text, "tool")
        if not acts:
            section = "facts"
        yield Statement(number, at, first, last, line_text, "tool", section, weight)
