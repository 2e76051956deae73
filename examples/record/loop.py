"""The loop: takes a step from the script, runs the tools it calls, hands the results back."""

from __future__ import annotations

from dataclasses import dataclass, field

from examples.record.steps import Call, Script, Step, User
from examples.record.tools import Outcome, use
from examples.record.workplace import Workplace


class RecordingError(Exception):
    """What a script says does not fit what happened."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the agent, with what came of its calls."""

    text: str
    calls: tuple[Call, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    beside: str = ""


@dataclass(slots=True)
class Session:
    """A recorded session: what the user and the agent said, in order."""

    system: str
    model: str
    events: list[User | Turn] = field(default_factory=list)

    @property
    def turns(self) -> int:
        """Turns of the agent."""
        return sum(isinstance(event, Turn) for event in self.events)


def record(
    script: Script, place: Workplace, system: str, model: str, turns: int | None = None
) -> Session:
    """Plays `script` in `place`; stops after `turns` turns where that is given.

    Raises:
        RecordingError: a result lacks what the script relies on, or the script is no session.
    """
    session = Session(system, model)
    results: tuple[str, ...] | None = None
    while turns is None or session.turns < turns:
        try:
            step = script.send(results) if results is not None else next(script)
        except StopIteration:
            break
        results = ()
        if isinstance(step, User):
            session.events.append(step)
            continue
        _check_order(step, session)
        outcomes = tuple(_use(call, place) for call in step.calls)
        session.events.append(Turn(step.text, step.calls, outcomes, step.beside))
        results = tuple(outcome.text for outcome in outcomes)
        for wanted in step.expect:
            if not any(wanted in text for text in results):
                told = "\n".join(results)
                raise RecordingError(f"turn {session.turns}: no {wanted!r} in:\n{told[-4000:]}")
    script.close()
    return session


def _use(call: Call, place: Workplace) -> Outcome:
    outcome = use(call, place.root, place.env())
    return Outcome(place.neutral(outcome.text), outcome.failed)


def _check_order(step: Step, session: Session) -> None:
    last = session.events[-1] if session.events else None
    if last is None:
        raise RecordingError("the user speaks first")
    if isinstance(last, Turn) and not last.calls:
        raise RecordingError(f"turn {session.turns + 1} follows one that called nothing")
    if step.beside and not step.calls:
        raise RecordingError(f"turn {session.turns + 1} has no results to speak beside")
