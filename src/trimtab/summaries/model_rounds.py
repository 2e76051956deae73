"""One summary in as many rounds as the model's window asks for, and these made one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from trimtab.errors import UsageError
from trimtab.summaries.checked import (
    Held,
    evidence_of,
    fallen_back,
    guarded,
    refuse_nothing,
    required_of,
)
from trimtab.summaries.clients import Asked
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.fitting import Chunk, chunks, room_in
from trimtab.summaries.merging import merged
from trimtab.summaries.model_asking import Limits, Log, asked, users_words
from trimtab.summaries.prompt import framed, instructions, language_of, size_in_words
from trimtab.summaries.replaced import replacing
from trimtab.summaries.request import Request, Summarised
from trimtab.summaries.statements import Statement, statements
from trimtab.summaries.template import Summary
from trimtab.tokens import Counter

LEAST_WINDOW = 4_000
"""Tokens: in less, the instructions, a record and an answer have no room."""
_ORDERS = 1_000
"""Tokens kept for what the next request says of the last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a model is asked for a summary.

    Attributes:
        retries: how often one round is asked again, after failures and after answers that will
            not do; 0: never.
        window: tokens of the model's context, input and answer together; the model's known one,
            else 32,768.
        rounds: the most rounds in which one summary is made.
        backoff: seconds of the first pause before a failed round is asked again.
        extra: more instructions, at the end of trimtab's own.
        sleep: makes the pauses.
    """

    retries: int = 2
    window: int | None = None
    rounds: int = 8
    backoff: float = 1.0
    extra: str = ""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)

    def check(self) -> None:
        """Raises: UsageError: a number is out of its range."""
        if self.retries < 0 or self.rounds < 1 or self.backoff < 0:
            raise UsageError("retries and backoff are 0 or more, rounds 1 or more")
        if self.window is not None and self.window < LEAST_WINDOW:
            raise UsageError(f"a window of {self.window:,} tokens is too small to summarise in")


def summarised(
    asking: Asking, model: Asked, name: str, request: Request, window: int, counter: Counter
) -> Summarised:
    """The summary of `request` by `model`, or the extractive one with the reasons.

    Args:
        asking: how it is asked.
        model: is asked.
        name: the summariser's.
        request: what is wanted.
        window: the model's, in tokens.
        counter: counts as the model does.

    Raises:
        UsageError: the request names no messages.
    """
    refuse_nothing(request)
    log = Log(name)
    standing = request.standing if still_true(request) else None
    if standing is not None and not request.numbers:
        return Summarised(standing, name)
    numbers = tuple(request.numbers)
    if standing is None:
        numbers = tuple(sorted({*request.earlier, *request.numbers}))
    system = instructions(
        size_in_words(request.limit, request.counter.unit),
        language=language_of(users_words(request.history)),
        extra=asking.extra,
    )
    limits = _limits(asking, request, system, window, counter)
    parts: list[Held | Summary] = []
    for chunk in chunks(request.history, numbers, limits.room, counter, asking.rounds):
        parts.append(_part(model, system, chunk, request, limits, log))
    by_model = sum(isinstance(part, Held) for part in parts)
    if not by_model:
        return fallen_back(request, log.attempts, log.usage)
    return _together(parts, standing, request, log)


def _part(
    model: Asked, system: str, chunk: Chunk, request: Request, limits: Limits, log: Log
) -> Held | Summary:
    """What one round brings: the model's summary, or the extractive one of the same messages."""
    part = replace(
        request,
        numbers=chunk.numbers,
        earlier=(),
        standing=None,
        required=required_of(request, chunk.numbers),
    )
    held = None
    if not chunk.prose:
        pass  # nothing that a model could read: it is never asked about nothing
    elif chunk.read and not log.gave_up:
        held = asked(model, system, chunk.prose, part, limits, log)
    return held or Extractive().summarise(part).summary


def _together(
    parts: Sequence[Held | Summary], standing: Summary | None, request: Request, log: Log
) -> Summarised:
    """One summary of all rounds, after the one that stood."""
    quoted = sum(isinstance(part, Summary) for part in parts)
    if standing is None and len(parts) == 1 and isinstance(parts[0], Held):
        held = parts[0]
        return Summarised(held.summary, log.name, tuple(log.attempts), log.usage, None, held.report)
    whole = standing or Summary()
    for part in parts:
        whole = merged(whole, part.summary if isinstance(part, Held) else part, request)
    final = guarded(whole, request, evidence_of(request))
    if final is None:
        log.add("invented: too much to mend in all rounds together")
        return fallen_back(request, log.attempts, log.usage)
    if quoted:
        log.add("", how=f"{quoted} of {len(parts)} rounds quoted")
    return Summarised(final.summary, log.name, tuple(log.attempts), log.usage, None, final.report)


def _limits(asking: Asking, request: Request, system: str, window: int, counter: Counter) -> Limits:
    wanted = request.limit if request.counter.unit == "tokens" else request.limit // 2
    most = max(window // 4, 256)
    # Twice the limit: markup, another tokenizer than ours, and a little thinking.
    answer = min(max(2 * wanted, 1_024), most)
    fixed = counter.text(system) + counter.text(framed("")) + _ORDERS + 64
    room = max(room_in(window, most, fixed, counter), 256)
    return Limits(counter, room, answer, most, asking.retries, asking.backoff, asking.sleep)


def still_true(request: Request) -> bool:
    """The summary so far stands, and nothing that was said since replaces a line of it."""
    if request.standing is None:
        return False
    lines = [
        Statement(-1, 0, at, at, line.text, "summary", section, 0)
        for at, (section, line) in enumerate(request.standing.lines())
    ]
    new = [s for s in statements(request.history, request.numbers) if s.role != "tool"]
    return not any(earlier < len(lines) for earlier in replacing([*lines, *new]))
