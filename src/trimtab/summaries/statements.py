"""Statements: the sentences of a history that a summary may quote, each with its place.

The index grows with its history; a message is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.history.placeholders import SUMMARY, holds_summary_only, is_placeholder
from trimtab.pins import sentences
from trimtab.summaries.cues import VALUE, classified, label_end, weight_in
from trimtab.summaries.results import check_alone, command_of, only_looks, told

LONGEST = 600
"""Characters: a line of a summary that is longer is no statement."""


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
        whole: where the sentence begins that it is a row of: rows of one sentence are quoted
            together.
        topic: what it tells the outcome of, such as `tests`, or else of a result; see
            `results.py`. Empty for most.
    """

    message: int
    block: int
    start: int
    end: int
    text: str
    role: str
    section: str
    weight: int
    whole: int = -1
    topic: str = ""


@dataclass(slots=True)
class _Index:
    of: list[tuple[Statement, ...]] = field(default_factory=list)
    calls: dict[str, bool] = field(default_factory=dict)
    """By id of a call: it only looks."""
    typed_call: bool = False
    """The newest answer ends in a command that only looks, typed as text."""

    def refresh(self, history: History) -> None:
        for number in range(len(self.of), len(history)):
            message = history[number]
            for block in message.blocks:
                if isinstance(block, ToolCall):
                    self.calls[block.id] = only_looks(block.name, command_of(block))
            self.of.append(tuple(_read(number, message, self)))
            if message.role == "assistant":
                call = _typed_call(message.text)
                command = (call["a"] or call["b"] or "") if call else ""
                self.typed_call = bool(command) and only_looks("", command)


def statements(history: History, numbers: Iterable[int] | None = None) -> list[Statement]:
    """The statements of a history, in order; kept with it, so that only what is new is read.

    Args:
        numbers: those of these messages alone, in the order given.
    """
    index = history.derived("statements", _Index)
    index.refresh(history)
    wanted = range(len(index.of)) if numbers is None else numbers
    return [statement for number in wanted for statement in index.of[number]]


def _read(number: int, message: Message, index: _Index) -> Iterator[Statement]:
    observed = message.role == "tool" or (
        message.role == "user" and not message.typed and not message.summary
    )
    for at, block in enumerate(message.blocks):
        if not isinstance(block, Text | ToolResult) or is_placeholder(block.text):
            continue
        if isinstance(block, ToolResult):
            looks = index.calls.get(block.call_id, False)
            yield from _of_result(number, at, block.text, block.is_error, looks)
        elif observed and not _may_summarise(message):
            yield from _of_result(number, at, block.text, False, index.typed_call)
        else:
            yield from _of_text(number, at, message, block.text)


def _may_summarise(message: Message) -> bool:
    """A summary of ours in it is taken as one. What a tool or the model says may imitate its form,
    and would put its orders among the user's.
    """
    if message.summary or holds_summary_only(message):
        return True
    return message.role == "system" or (message.role == "user" and message.typed)


_TYPED_CALL = re.compile(
    r"(?:```[\w-]*\n(?P<a>[^`]{1,4000})```|<(?P<tag>command|execute\w*|action|bash|tool_call)>"
    r"(?P<b>.{1,4000}?)</(?P=tag)>)\s*\Z",
    re.DOTALL,
)


def _typed_call(text: str) -> re.Match[str] | None:
    """The call that an answer ends in, typed as text: a fence, or a tag for commands."""
    if not text.rstrip().endswith(("```", ">")):
        return None
    return _TYPED_CALL.search(text, max(len(text) - 5_000, 0))


# -- a message's own text -------------------------------------------------------------------------

_BEGINS = re.compile(rf"^[ \t]*{re.escape(SUMMARY)}", re.MULTILINE)


def _of_text(number: int, at: int, message: Message, text: str) -> Iterator[Statement]:
    begins = _BEGINS.search(text) if SUMMARY in text and _may_summarise(message) else None
    stop = len(text)
    if message.summary and begins is None:
        stop = 0
    elif begins is not None:
        stop = begins.start()
    role = message.role
    if role == "user" and not message.typed:
        role = "system"  # the harness, not the user
    elif role == "assistant" and (call := _typed_call(text[:stop])):
        stop = call.start()
    rules = _requirements(text[:stop]) if role == "user" and stop else {}
    for start, end in _joined(text, _prose(text, stop)):
        rows = list(on_one_line(text, start, end))
        words = " ".join(text[first:last] for first, last in rows)
        label = label_end(words)
        required = any(start <= place < end for place in rules)
        section, weight = classified(words, role, required=required)
        if label and not required:
            named, _ = classified(words[label:], role)
            section = section if section != "facts" else named
        topic = check_alone(words) if role == "assistant" else ""
        for first, last in rows:
            first += label_end(text[first:last]) if first == rows[0][0] else 0
            row = text[first:last]
            yield Statement(
                number, at, first, last, row, role, section, weight, whole=start, topic=topic
            )
    if message.summary or begins is not None:
        yield from _of_summary(number, at, text, begins.start() if begins else 0)


def _requirements(text: str) -> dict[int, tuple[str, ...]]:
    from trimtab.pin_rules.rules import requirements

    return {start: rules for start, _, rules in requirements(text)}


def _prose(text: str, stop: int) -> Iterator[tuple[int, int]]:
    """The sentences of what somebody wrote: neither code, nor logs, nor quotes."""
    if stop == 0:
        return
    from trimtab.pin_rules.prose import own_words

    for run_start, run_end in own_words(text[:stop]):
        run = text[run_start:run_end]
        for start, end in sentences(run):
            first, last = run_start + start, run_start + end
            if any(map(str.isalnum, text[first:last])) and not _NUMBERED.match(text, first, last):
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
            if (near and _LEANS.match(text, start, end)) or _goes_on(text, held[1], start):
                held = (held[0], end)
                continue
            yield held
        held = (start, end)
    if held is not None:
        yield held


_LONG_ROW = 60


def _goes_on(text: str, stop: int, start: int) -> bool:
    """A sentence begins in the middle of a long row and goes on in the next one."""
    if text[stop:start].strip() or text.count("\n", stop, start) != 1:
        return False
    row = text.rfind("\n", 0, stop) + 1
    return stop - row >= _LONG_ROW and text[stop - 1] not in ".!?:;," and text[start].islower()


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
            topic = check_alone(line) if section == "progress" else ""
            yield Statement(number, at, first, last, line, "summary", section, weight, first, topic)


# -- tool results ---------------------------------------------------------------------------------


def _of_result(number: int, at: int, text: str, is_error: bool, looks: bool) -> Iterator[Statement]:
    """The lines of a result, or of an observation in the user's name, that later work needs."""
    for first, last, topic in told(text, is_error=is_error, looks=looks):
        row = text[first:last]
        section, weight = classified(row, "tool")
        if topic == "names":
            section = "facts"
        elif topic == "detail":
            weight = min(weight, VALUE)
        yield Statement(
            number, at, first, last, row, "tool", section, weight, whole=first, topic=topic
        )
