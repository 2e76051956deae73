"""The condensed report of a sub-agent for its parent: what it was to do, what came of it, the rest.

Five sections, as every summary: the task and its constraints; the agent's last words, what it
changed and the commands that mattered with their outcome; the facts it found; what it decided;
what is open. All of it is quoted; block ids bring back the exchanges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from trimtab.context.blocks import block_id, evicted
from trimtab.context.edits import Edit
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Text, ToolCall, ToolResult
from trimtab.history.tool_uses import ToolUse, tool_uses
from trimtab.pins import find_pins, sentences
from trimtab.resources import observations
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.request import Request
from trimtab.summaries.template import SECTIONS, Line, Summary, one_line, render
from trimtab.tokens import Counter

LEAST, MOST = 200, 8_000
"""Tokens of a report; 1,000 to 2,000 are recommended."""
TOKENS = 1_500
RUNS = 8
"""Blocks that a report names at the most."""
_OUTCOME, _TASK, _CHANGES = 0.35, 0.15, 0.15
"""Shares of the room; what one leaves over the extracted lines take."""
_LONGEST = 240
"""Characters of a line that tells of a command or a change."""
WORDS = "The agent's last words:"
_MATTERS = re.compile(
    r"\b(?:pytest|tests?|tox|make|build|commit|push|merge|install|deploy|migrat\w*|lint|ruff|mypy"
    r"|tsc|npm|pnpm|yarn|cargo|gradle|mvn|go|docker|alembic|publish|release)\b"
)
_COMMAND_KEYS = ("command", "cmd", "script", "code")


@dataclass(frozen=True, slots=True)
class Exchanges:
    """A run of messages that a report stands for.

    Attributes:
        id: of the block that brings them back.
        start, stop: the messages `start <= i < stop`.
        data: the block's bytes.
    """

    id: str
    start: int
    stop: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Handoff:
    """A report.

    Attributes:
        text: as the parent reads it.
        summary: the same by sections; each quoted line has its source.
        blocks: what it stands for; each is to be stored before the text is used.
        size: of the text, in the counter's unit.
    """

    text: str
    summary: Summary
    blocks: tuple[Exchanges, ...]
    size: int


def handoff(history: History, counter: Counter, tokens: int = TOKENS) -> Handoff:
    """The report of a whole session.

    Args:
        history: of the sub-agent; only read.
        counter: measures the report.
        tokens: the most that it may take, 200 to 8,000; 1,000 to 2,000 are recommended.

    Raises:
        UsageError: `tokens` is out of range, or nothing happened that could be reported.
    """
    checked_tokens(tokens)
    numbers = range(history.head, len(history))
    if not numbers:
        raise UsageError("handoff: there is no message to report of")
    blocks = exchanges_of(history)
    ids = [block.id for block in blocks]
    limit = tokens if counter.unit == "tokens" else tokens * 4
    summary, text = report(history, numbers, counter, limit, ids)
    return Handoff(text, summary, blocks, counter.text(text))


def checked_tokens(tokens: int) -> None:
    """Raises a `UsageError` where a report may not have this size."""
    if not LEAST <= tokens <= MOST:
        raise UsageError(
            f"handoff: tokens must be {LEAST} to {MOST:,} (1,000 to 2,000 do), not {tokens}"
        )


def exchanges_of(history: History, runs: int = RUNS) -> tuple[Exchanges, ...]:
    """All messages but the system prompt in at most `runs` blocks, cut between exchanges."""
    starts = [start for start in history.exchanges.starts if start >= history.head]
    share = -(-len(starts) // runs) or 1
    cuts = [*starts[::share], len(history)]
    found = []
    for start, stop in pairwise(cuts):
        data = evicted(history, Edit("drop", start, stop))
        found.append(Exchanges(block_id(data), start, stop, data))
    return tuple(found)


def report(
    history: History,
    numbers: Sequence[int],
    counter: Counter,
    limit: int,
    ids: Sequence[str] = (),
) -> tuple[Summary, str]:
    """The report of some messages, by sections and as text; within `limit` if the frame is.

    Args:
        numbers: the messages that it stands for, ascending.
        limit: the most that it may take, in the counter's unit.
        ids: of the blocks that hold the messages; the newest are named.
    """
    ids = list(dict.fromkeys(ids))[-RUNS:]
    about = f"report of a sub-agent, messages {numbers[0]}-{numbers[-1]}"

    def written(summary: Summary) -> str:
        return render(summary, ids=ids, note=about)

    room = limit - counter.text(written(Summary()))
    own = _own_lines(history, numbers, counter, room)
    left = room - _size(own, counter)
    asked = Request(history, list(numbers), max(left * 2, 1), counter)
    summary = _joined(own, Extractive().summarise(asked).summary, counter, left)
    while len(summary) and counter.text(written(summary)) > limit:
        summary = _shortened(summary)
    return summary, written(summary)


def _size(summary: Summary, counter: Counter) -> int:
    return sum(counter.text(line.text) + 1 for _, line in summary.lines())


def _own_lines(history: History, numbers: Sequence[int], counter: Counter, room: int) -> Summary:
    """Task, last words, changes and commands, each within its share of the room."""
    inside = set(numbers)
    task = _first_words(history, numbers)
    last = _last_words(history, numbers)
    words = _within(last, counter, int(room * _OUTCOME))
    changes = _within(
        [*_written(history, inside), *_ran(history, inside)], counter, int(room * _CHANGES)
    )
    progress = [Line(WORDS), *words] if words else []
    return Summary(
        goal=tuple(_within(task, counter, int(room * _TASK))),
        progress=(*progress, *changes),
    )


def _first_words(history: History, numbers: Sequence[int]) -> list[Line]:
    """The task: the first message that the user typed."""
    for pin in find_pins(history):
        if pin.rule == "first-task" and pin.message in numbers and pin.text:
            return _lines(history, pin.message, pin.block)
    return []


def _last_words(history: History, numbers: Sequence[int]) -> list[Line]:
    """What the agent said last."""
    for number in reversed(numbers):
        message = history[number]
        if message.role == "assistant" and message.text.strip():
            at = [n for n, block in enumerate(message.blocks) if isinstance(block, Text)]
            return [line for n in at for line in _lines(history, number, n)]
    return []


def _lines(history: History, number: int, at: int) -> list[Line]:
    """The sentences of a text on lines of their own, each with its place; those that could not
    stand as they are go."""
    block = history[number].blocks[at]
    text = block.text if isinstance(block, Text) else ""
    found = []
    for match in re.finditer(r"[^\r\n]+", text):
        for start, end in sentences(match.group()):
            said = match.group()[start:end]
            if said.strip() and one_line(said) == said:
                begins = match.start() + start
                found.append(Line(said, (number, at, begins, begins + len(said))))
    return found


def _within(lines: Sequence[Line], counter: Counter, room: int) -> list[Line]:
    """The first lines that fit, and the last one of all of them where some do not."""
    sizes = [counter.text(line.text) + 1 for line in lines]
    if not lines or sum(sizes) <= room:
        return list(lines)
    kept: list[Line] = []
    left = room - sizes[-1]
    if left < 0:
        return []
    for line, size in zip(lines[:-1], sizes, strict=False):
        left -= size
        if left < 0:
            break
        kept.append(line)
    return [*kept, lines[-1]]


# -- what was changed -----------------------------------------------------------------------------


def _written(history: History, inside: set[int]) -> Iterator[Line]:
    """The files and other resources that the agent changed, those changed last first."""
    seen = [o for o in observations(history) if o.kind == "write" and o.message in inside]
    names = dict.fromkeys(o.shown for o in reversed(seen) if not o.resource.startswith("file:?"))
    row: list[str] = []
    for name in names:  # a place that only the agent's shell knows is of no use to anyone else
        if row and len(", ".join((*row, name))) > _LONGEST:
            yield Line(f"changed {', '.join(row)}")
            row = []
        row.append(name)
    if row:
        yield Line(f"changed {', '.join(row)}")


def _ran(history: History, inside: set[int]) -> Iterator[Line]:
    """The commands that mattered, each as it ended last, newest first."""
    told: set[str] = set()
    for use in reversed(tool_uses(history)):
        if use.message not in inside or use.result is None:
            continue
        command = _command(history, use)
        number, at = use.result
        result = history[number].blocks[at]
        if not command or command in told or not isinstance(result, ToolResult):
            continue
        told.add(command)
        if result.is_error or _MATTERS.search(command):
            said = _ending(result)
            yield Line(
                one_line(f"ran {_clipped(command)}" + (f": {_clipped(said)}" if said else ""))
            )


def _command(history: History, use: ToolUse) -> str:
    call = history[use.message].blocks[use.block]
    value: Any = call.input if isinstance(call, ToolCall) else None
    if isinstance(value, str):
        import json

        try:
            value = json.loads(value)
        except ValueError:
            return ""
    if not isinstance(value, dict):
        return ""
    given = next((value[key] for key in _COMMAND_KEYS if value.get(key)), "")
    if isinstance(given, list):
        given = " ".join(map(str, given))
    return " ".join(given.split()) if isinstance(given, str) else ""


def _ending(result: ToolResult) -> str:
    """The last line that says something: where tools put the outcome."""
    lines = [line.strip() for line in result.text.splitlines()]
    return next((line for line in reversed(lines) if re.search(r"\w", line)), "")


def _clipped(text: str) -> str:
    """Its beginning; no word, path or number is cut in two, for half of one is another."""
    most = _LONGEST // 2
    if len(text) <= most:
        return text
    return re.sub(r"[\w./\\:=@,%+~-]+\Z", "", text[:most]).rstrip() + " …"


# -- putting it together --------------------------------------------------------------------------


def _joined(own: Summary, more: Summary, counter: Counter, room: int) -> Summary:
    """Both, each statement once: of the second in each section its share, then what fits.

    Of the goal the first lines are taken, of the others the newest.
    """
    told = {line.text for _, line in own.lines()}
    places = {line.source[:2] for _, line in own.lines() if line.source is not None}
    new = {
        name: [line for line in more.section(name) if not _is_told(line, told, places)]
        for name in SECTIONS
    }
    taken: dict[str, list[Line]] = {name: [] for name in SECTIONS}
    left = room
    for share in (_SHARES, dict.fromkeys(SECTIONS, 1.0)):
        for name, part in share.items():
            spare = min(int(room * part), left)
            waiting = [line for line in new[name] if line not in taken[name]]
            for line in waiting if name == "goal" else reversed(waiting):
                size = counter.text(line.text) + 1
                if size > spare:
                    break
                spare -= size
                left -= size
                taken[name].append(line)
    return Summary(
        **{
            name: (*own.section(name), *(line for line in new[name] if line in taken[name]))
            for name in SECTIONS
        }
    )


_SHARES = {"next_steps": 0.15, "facts": 0.3, "decisions": 0.15, "goal": 0.25, "progress": 0.15}
"""Of the room behind the last words and the changes."""


def _is_told(line: Line, told: set[str], places: set[tuple[int, int]]) -> bool:
    """The line stands there, or lies within one of the same text that does."""
    if line.text in told:
        return True
    return (
        line.source is not None
        and line.source[:2] in places
        and any(line.text in other for other in told)
    )


def _shortened(summary: Summary) -> Summary:
    """Without its least line: the last one of the longest section, the last words at the end."""
    name = max(SECTIONS, key=lambda n: (len(summary.section(n)), n != "progress"))
    return replace(summary, **{name: summary.section(name)[:-1]})
