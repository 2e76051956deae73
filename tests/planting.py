"""Side constraints planted in recorded sessions, and what is left of them after compactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.side_constraints import PLANTED, Constraint
from trimtab.context.budget import Budget
from trimtab.context.projection import Context, Projection
from trimtab.errors import BudgetInfeasible, InputError
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.history.rules import validate
from trimtab.pins import find_pins
from trimtab.policies.compacting import WHOLE
from trimtab.policies.policy import Policy
from trimtab.tokens import counter_for

__all__ = [
    "PLANTED",
    "Step",
    "alone",
    "among_talk",
    "compactions",
    "lacking",
    "long_enough",
    "plant",
]

ROUNDS = 5
SHARE = 20
"""Percent of what is there that a compaction comes down to: of all that a policy may take out, so
not of the system prompt, the first task and another layer's summary, which stay as they are."""
LEAST_MESSAGES = 20
LEAST_TOKENS = 6_000
"""A shorter session is none to compact five times: what must stay is more than a fifth of it."""


# -- planting -------------------------------------------------------------------------------------

TALK = {
    "en": (
        ("Thanks, that looks about right so far. ", " I have to leave soon and look again later."),
        (
            "I had a look at the last run.\n\n",
            "\n\nThe build took four minutes on my laptop today.",
        ),
        (
            "Good. Two colleagues asked about this at lunch and liked it.\n- ",
            "\n- The demo went well.",
        ),
        ("It rained all day here, so I read the whole thing. ", ""),
    ),
    "ja": (
        ("ありがとうございます、いい感じです。", "夕方にまた見ます。"),
        ("さっきの結果を見ました。\n\n", "\n\n今日はビルドに四分かかりました。"),
        ("お昼に同僚にも聞かれました。\n- ", "\n- デモは好評でした。"),
        ("今日は一日雨でした。", ""),
    ),
}


def alone(constraint: Constraint, number: int) -> str:
    """The constraint and nothing else."""
    return constraint.text


def among_talk(constraint: Constraint, number: int) -> str:
    """The constraint in a longer message."""
    before, after = TALK[constraint.language][number % 4]
    return f"{before}{constraint.text}{after}"


def plant(
    history: History,
    constraints: Sequence[Constraint],
    how: Callable[[Constraint, int], str] = alone,
) -> History:
    """The history with the constraints as user messages of its own dialect: the first of each
    class early, the second in the middle, the third late."""
    ranked = [c for n in range(3) for c in constraints[n::3]]
    exchanges = [history.exchanges[n] for n in range(len(history.exchanges))]
    places = [e.start for e in exchanges if e.start > _task(history)]
    at: dict[int, list[Message]] = {}
    for number, constraint in enumerate(ranked):
        share = (2 * number + 1) / (2 * len(ranked)) * 0.92 + 0.02
        place = places[min(int(share * len(places)), len(places) - 1)]
        at.setdefault(place, []).append(typed(how(constraint, number), history.dialect))
    made = History(
        dialect=history.dialect,
        tools=history.tools,
        envelope=history.envelope,
        model=history.model,
    )
    for number, message in enumerate(history):
        for planted in at.get(number, ()):
            made.append(planted)
        made.append(message)
    return made


def typed(text: str, dialect: str) -> Message:
    """A message that the user typed, as it is on the wire of `dialect`."""
    if dialect == "neutral":
        return Message("user", (Text(text),))
    raw: dict[str, object] = {"role": "user", "content": text}
    if dialect == "responses":
        raw = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    (message,) = read_request([raw], dialect)
    return message


def _task(history: History) -> int:
    return next((pin.message for pin in find_pins(history) if pin.rule == "first-task"), 0)


def long_enough(folder: Path) -> Iterator[tuple[str, History]]:
    """The recorded sessions that are worth five compactions, with their names."""
    counter = counter_for(None)
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix == ".md":
            continue
        name = path.relative_to(folder).as_posix()
        lengths = set()
        for whole in (False, True):
            try:
                history = read_recording(path, whole=whole).history
            except InputError:
                break
            if len(history) < LEAST_MESSAGES or len(history) in lengths:
                continue
            lengths.add(len(history))
            if sum(counter.message(message) for message in history) >= LEAST_TOKENS:
                yield f"{name} whole" if whole else name, history


# -- compacting -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One compaction: sizes in tokens, what is missing, which provider rules are broken.

    `fits` is false where what must stay is larger than the budget: then the smallest that the
    policy says it needs was given.
    """

    before: int
    after: int
    limit: int
    fits: bool
    lost: tuple[str, ...]
    broken: tuple[str, ...] = field(default=())


def compactions(
    history: History, policy: Policy, rounds: int = ROUNDS, share: int = SHARE
) -> list[Step]:
    """A fifth of the session is appended, then its context compacted to a fifth; five times."""
    growing = History(
        dialect=history.dialect,
        tools=history.tools,
        envelope=history.envelope,
        model=history.model,
    )
    counter = counter_for(None)
    at = Projection(growing, counter)
    stops = _stops(history, rounds)
    steps = []
    start = 0
    for stop in stops:
        for message in (history[n] for n in range(start, stop)):
            growing.append(message)
        start = stop
        at.refresh()
        before = at.size
        fixed = _fixed(growing, at)
        limit = fixed + max((before - fixed) * share // 100, 1)
        at, fits = _compacted(policy, growing, at, limit)
        context = at.context()
        said = [
            c.text for c in PLANTED if any(c.text in m.text for m in growing if m.role == "user")
        ]
        steps.append(
            Step(before, at.size, limit, fits, tuple(lacking(said, context)), tuple(wrong(context)))
        )
    return steps


def _fixed(history: History, at: Projection) -> int:
    """What no policy takes out."""
    whole = {pin.message for pin in find_pins(history) if pin.rule in WHOLE}
    return at.sizes.fixed + sum(at.size_of(n) for n in whole if at.live(n))


def _compacted(
    policy: Policy, history: History, at: Projection, limit: int
) -> tuple[Projection, bool]:
    fits = True
    while True:
        try:
            plan = policy.plan(history, Budget(limit, counter=at.counter), at)
        except BudgetInfeasible as error:
            fits = False
            limit = max(error.needed, limit + limit // 10 + 1)
            continue
        return plan.projection, fits


def _stops(history: History, rounds: int) -> list[int]:
    """Where each part ends: behind a whole exchange."""
    stops = [history.exchanges[n].stop for n in range(len(history.exchanges))]
    wanted = [len(history) * n // rounds for n in range(1, rounds + 1)]
    return [next(stop for stop in stops if stop >= want) for want in wanted]


def lacking(texts: Sequence[str], context: Context) -> list[str]:
    """Those of `texts` that the context does not hold word for word."""
    whole = "\n".join(message.text for message in context.messages)
    flat = " ".join(whole.split())
    return [text for text in texts if " ".join(text.split()) not in flat]


def wrong(context: Context) -> list[str]:
    """The provider rules that the context breaks."""
    history = context.history
    found = validate(
        context.messages, history.dialect, tools=history.tools, envelope=context.envelope
    )
    return [f"{v.rule} at {v.index}" for v in found]
