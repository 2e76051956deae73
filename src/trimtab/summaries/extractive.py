"""The extractive summariser: every line is a quotation with its place. No model is asked.

It reads the sources in H, never an older summary's text where the sources are there; the same
history gives the same summary.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trimtab.history.log import History
from trimtab.history.message import Text, ToolResult
from trimtab.pins import Pin, find_pins
from trimtab.summaries.choosing import Candidate, alike, fitted
from trimtab.summaries.cues import (
    BOILERPLATE,
    OTHER,
    OUTCOME,
    REPEATED,
    RULE,
    USER_OTHER,
    USER_VALUE,
    is_ask,
    is_question,
    label_end,
)
from trimtab.summaries.needs import names_in, names_of, needs, paths_in_use
from trimtab.summaries.outcomes import stale_outcomes
from trimtab.summaries.replaced import replaced
from trimtab.summaries.request import Attempt, Request, Summarised
from trimtab.summaries.statements import Statement, on_one_line, statements
from trimtab.summaries.template import TIGHT, Line, Summary, one_line, render

NAMED = 100
"""So many of the values that only the sources hold are named in a report."""
OFTEN = 3
"""What is said so often in the same words is no news."""
ANSWER = OUTCOME + 10
"""What came of a request of the user's: without it, finished work looks open."""
TASK = USER_VALUE
"""What the work is about, if its message does not stay."""
ROOMY = 400
"""Tokens: a summary of less has no room for bare paths that a sentence names that did not fit."""
IN_USE = "in use"
NEWEST = 6
"""So many of the newest outcomes weigh more than the older ones."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An extractive summary and what it could not hold.

    Attributes:
        summary: the lines, each with its source.
        left: the statements that say something and did not fit, in order.
    """

    summary: Summary
    left: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Extractive:
    """Quotes what later work needs, with its place. It cannot invent."""

    @property
    def name(self) -> str:
        """`extractive`."""
        return "extractive"

    def summarise(self, request: Request) -> Summarised:
        """The summary of `request`: within its limit, unless what is required alone exceeds it."""
        summary = chosen(request).summary
        attempts = (Attempt(self.name),)
        return Summarised(summary, self.name, attempts, guard=reported(summary, request))


def reported(summary: Summary, request: Request) -> object:
    """What the guard says of an extractive summary, as a JSON value.

    Only the messages that it quotes, or that hold what is required, are read for it: a quotation
    stands in its own source. A label that only names the kind of a required span, such as
    `NOTE:`, is not missed.
    """
    from trimtab.summaries.guard import Evidence, check

    quoted = {line.source[0] for _, line in summary.lines() if line.source is not None}
    numbers = sorted(quoted | {pin.message for pin in request.required})
    required = [_unlabelled(pin) for pin in request.required]
    evidence = Evidence.of(request.history, numbers, required)
    return check(render(summary), evidence).to_json(recallable=NAMED)


def _unlabelled(pin: Pin) -> Pin:
    label = label_end(pin.text)
    return replace(pin, start=pin.start + label, text=pin.text[label:]) if label else pin


def chosen(request: Request) -> Chosen:
    """What is quoted of the messages of `request`, and what there was no room for."""
    history = request.history
    numbers = sorted({*request.earlier, *request.numbers})
    everything = statements(history)
    out = replaced(history)
    known = [s for s in statements(history, numbers) if place(s) not in out]
    known = _newest_outcomes(history, known)
    weighed = _weighed(known, _often(everything), _task(history))
    required, those = _with_required(history, weighed, request.required)
    kept = _once(those, required, _standing(history, {*numbers}))
    needed = _needs(history, numbers)
    paths = _in_use(history, numbers, needed)
    candidates = _candidates(kept, required, numbers)
    told = {name for made in candidates for name in made.names}
    untold = [s for s in paths if s.text not in told]
    kept += untold
    candidates += _candidates(untold, required, numbers)
    if request.limit >= (ROOMY if request.counter.unit == "tokens" else TIGHT):
        candidates += [_bare(s) for s in paths if s.text in told]
    summary, left = fitted(candidates, request.counter, request.limit, needed)
    return Chosen(summary, tuple(kept[number] for number in left if number < len(kept)))


def _in_use(history: History, numbers: Sequence[int], needed: dict[str, float]) -> list[Statement]:
    """The paths that the agent works with, each bare."""
    found = []
    for message, block, start, end in sorted(paths_in_use(history, numbers, needed)):
        source = history[message].blocks[block]
        if isinstance(source, Text | ToolResult):
            name = source.text[start:end]
            found.append(
                Statement(
                    message, block, start, end, name, "tool", "facts", USER_OTHER, topic=IN_USE
                )
            )
    return found


def _bare(statement: Statement) -> Candidate:
    """A path that stands bare where there is no room for a sentence with it."""
    names = frozenset([statement.text])
    line = Line(statement.text, place(statement))
    return Candidate("facts", line, USER_OTHER, names=names, by_names=True, bare=True)


def _newest_outcomes(history: History, known: Sequence[Statement]) -> list[Statement]:
    """Without outcomes that a later one made old."""
    old = stale_outcomes(history)
    return [s for s in known if place(s) not in old]


def _candidates(
    kept: Sequence[Statement], required: set[Place], numbers: Sequence[int]
) -> list[Candidate]:
    """The lines that may stand. A row of a sentence that is required in part stands beside it."""
    first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
    rows = Tally((s.message, s.block, s.whole) for s in kept if s.whole >= 0)
    beside = {(s.message, s.block, s.whole) for s in kept if place(s) in required}
    found = []
    for s in kept:
        sentence = (s.message, s.block, s.whole)
        goal = sentence in beside and s.section not in _OWN_PLACE
        own = s.role in ("assistant", "tool")
        age = (s.message - first) / max(last - first, 1)
        found.append(
            Candidate(
                "goal"
                if goal or (place(s) in required and s.section not in _OWN_PLACE)
                else s.section,
                Line(s.text, place(s)),
                s.weight,
                place(s) in required,
                names_in(s.text),
                _share(s, age),
                own,
                sentence if rows[sentence] > 1 else None,
            )
        )
    return found


def _share(statement: Statement, age: float) -> float:
    """What a statement counts for its place between the oldest (0) and the newest (1)."""
    if statement.role == "assistant":
        return 0.2 + 0.8 * age
    if statement.role != "tool" or statement.topic.startswith((IN_USE, "changed ")):
        return 1.0
    return 0.2 + 0.8 * age**2


def _needs(history: History, numbers: Sequence[int]) -> dict[str, float]:
    """What is likely needed and does not stand in what stays."""
    found = needs(history)
    gone = {*numbers}
    for number in range(len(history)):
        if number not in gone:
            for name in names_of(history[number]):
                found.pop(name, None)
    return found


_OWN_PLACE = ("next_steps", "decisions")
"""A requirement stands in the goal, except where it tells what is next or was decided."""

Place = tuple[int, int, int, int]


def place(statement: Statement) -> Place:
    """Message, block and span."""
    return statement.message, statement.block, statement.start, statement.end


def _often(everything: Sequence[Statement]) -> set[str]:
    tally = Tally(s.text for s in everything if s.role != "summary")
    return {text for text, times in tally.items() if times >= OFTEN}


def _task(history: History) -> int:
    """The message with the first task; -1 for none."""
    return next((pin.message for pin in find_pins(history) if pin.rule == "first-task"), -1)


def _weighed(known: Sequence[Statement], often: set[str], task: int) -> list[Statement]:
    """The statements with what their company says about them.

    What came of a request weighs more than the request: a request without its outcome would look
    open, and be done again.
    """
    weights = [s.weight for s in known]
    outcomes: list[int] = []
    asks: list[int] = []
    answer = -1
    reports = _reports(known)
    last = max(reports, default=-1)  # what it asked before has been answered

    def close() -> None:
        if answer >= 0:
            weights[answer] = max(weights[answer], ANSWER)
            for ask in asks:
                weights[ask] = min(weights[ask], ANSWER - 1)
        asks.clear()

    for number, statement in enumerate(known):
        if statement.text in often and statement.weight < RULE:
            weights[number] = min(weights[number], REPEATED)
            continue
        if statement.role == "user":
            if answer >= 0:
                close()
                answer = -1
            if statement.message == task and statement.weight > BOILERPLATE:
                weights[number] = max(weights[number], TASK)
            elif statement.section == "goal" and statement.weight < RULE and is_ask(statement.text):
                asks.append(number)
        elif statement.role == "assistant" and is_question(statement.text):
            if weights[number] > BOILERPLATE:
                weights[number] = OUTCOME if statement.message == last else BOILERPLATE
        elif statement.section == "progress" and statement.weight > BOILERPLATE:
            if statement.topic not in ("detail", "acts", "names"):
                outcomes.append(number)
            answer = number if statement.role == "assistant" else answer
        if statement.message in reports and OTHER < weights[number] < OUTCOME:
            weights[number] = OUTCOME
    close()
    for number in outcomes[-NEWEST:]:
        weights[number] += OUTCOME // 3
    return [
        s if s.weight == weight else replace(s, weight=weight)
        for s, weight in zip(known, weights, strict=True)
    ]


def _reports(known: Sequence[Statement]) -> set[int]:
    """The messages in which the assistant told the user what it had done: the last before the
    user spoke again."""
    found: set[int] = set()
    newest = -1
    for statement in known:
        if statement.role == "assistant":
            newest = statement.message
        elif statement.role == "user" and newest >= 0:
            found.add(newest)
            newest = -1
    return found


def _with_required(
    history: History, known: Sequence[Statement], pins: Sequence[Pin]
) -> tuple[set[Place], list[Statement]]:
    """The places of required statements, and all statements: a required span that no statement
    holds becomes some."""
    if not pins:
        return set(), list(known)
    at: dict[tuple[int, int], list[Statement]] = {}
    for statement in known:
        at.setdefault((statement.message, statement.block), []).append(statement)
    required: set[Place] = set()
    for pin in pins:
        there = at.setdefault((pin.message, pin.block), [])
        for start, end in _lines_of(history, pin):
            holder = next((s for s in there if s.start <= start and end <= s.end), None)
            if holder is None:
                block = history[pin.message].blocks[pin.block]
                text = block.text if isinstance(block, Text | ToolResult) else ""
                role = history[pin.message].role
                holder = Statement(
                    pin.message, pin.block, start, end, text[start:end], role, "goal", RULE
                )
                there[:] = [
                    s for s in there if s.end <= start or end <= s.start or _held(s, required)
                ]
                there.append(holder)
            required.add(place(holder))
    ordered = sorted((s for some in at.values() for s in some), key=place)
    return required, ordered


def _held(statement: Statement, required: set[Place]) -> bool:
    return place(statement) in required


def _lines_of(history: History, pin: Pin) -> list[tuple[int, int]]:
    """The lines of a required span, without a label that only names its kind."""
    if pin.start >= pin.end:
        return []
    block = history[pin.message].blocks[pin.block]
    if not isinstance(block, Text | ToolResult):
        return []
    text = block.text
    start = pin.start + label_end(text[pin.start : pin.end])
    return list(on_one_line(text, start, pin.end))


_STAYS = ("marked", "system", "first-task")
"""Rules whose pins keep their message in the context as it is."""


def _standing(history: History, leaving: set[int]) -> set[str]:
    """What stands word for word in messages that stay: there is no need to quote it."""
    there = dict.fromkeys(
        pin.message
        for pin in find_pins(history)
        if pin.rule in _STAYS and pin.message not in leaving
    )
    return {s.text for s in statements(history, there)}


def _once(known: Sequence[Statement], required: set[Place], standing: set[str]) -> list[Statement]:
    """Each statement once, where it was said first; of required ones every wording."""
    kept: list[Statement] = []
    wordings = {s.text for s in known if place(s) in required}
    seen = {alike(text) for text in wordings | standing}
    for statement in known:
        if place(statement) in required:
            if statement.text in wordings:
                wordings.discard(statement.text)
                kept.append(statement)
            continue
        key = alike(statement.text)
        if key in seen or statement.weight <= BOILERPLATE:
            continue
        if one_line(statement.text) != statement.text:
            continue  # it looks like a call, and could not stand word for word
        seen.add(key)
        kept.append(statement)
    return kept
