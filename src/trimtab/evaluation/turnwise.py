"""A policy over a recorded session, turn by turn, as if it had been in charge from the start.

The history grows message by message as it was recorded; before each answer of the model the policy
plans, on top of what it did before. Cost per turn is in proportion to what is new and to what the
policy touches, but where a context is checked against the provider's rules as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible
from trimtab.evaluation.literals import Availability, Occurrences, literals_of
from trimtab.evaluation.metrics import required_retention, validity
from trimtab.history.answers import answers
from trimtab.history.log import History
from trimtab.policies.policy import Policy
from trimtab.resources import DEFAULT, superseded_observations

EVERY = 25
"""Contexts that no edit changed are checked against the provider's rules every so many turns."""


@dataclass(frozen=True, slots=True)
class TurnRun:
    """One turn under a policy.

    Attributes:
        message: the number of the first message of the answer in the history.
        size: the size of the context that was sent, in the budget's unit; where the budget could
            not be met, of the one that would have been.
        whole: the size of the history so far, as it would have been sent without a policy.
        edits: how many edits were made before it.
        overflow: the budget could not be met (`BudgetInfeasible`); no edit was made.
        retention: required retention of the context, 0..1.
        literals: what of the literals that the answer used was at hand.
        stale: superseded observations that stood whole in the context.
        checked: the context was checked against the provider's rules.
        violations: how many it breaks that the history so far does not.
    """

    message: int
    size: int
    whole: int
    edits: int = 0
    overflow: bool = False
    retention: float = 1.0
    literals: Availability = field(default_factory=Availability)
    stale: int = 0
    checked: bool = False
    violations: int = 0


@dataclass(frozen=True, slots=True)
class Turnwise:
    """What a policy made of a session. The measures of it are in `turnwise_measures`.

    Attributes:
        policy: its name with parameters, as the caller gave it, or its name.
        budget: the limit less the reserve, in `unit`.
        unit: `tokens` or `chars`.
        turns: every turn, in order.
    """

    policy: str
    budget: int
    unit: str
    turns: tuple[TurnRun, ...]


def turnwise(
    history: History, policy: Policy, budget: Budget, *, name: str = "", every: int = EVERY
) -> Turnwise:
    """Run `policy` over a recorded history turn by turn.

    Args:
        history: the recording; not changed. A turn is what one call of the model gave.
        policy: asked before each answer, with the context as it left it.
        budget: holds at every turn.
        name: names the policy in the result; its own name by default.
        every: contexts that no edit changed are checked against the provider's rules every so
            many turns.

    Returns:
        The turns. The same arguments give an equal result: no time is in it.
    """
    run = _Run(history, policy, budget, every)
    made = tuple(run.turn(start, stop) for start, stop in answers(history))
    return Turnwise(name or policy.name, budget.available, budget.unit, made)


class _Run:
    """A history growing again, with the context that a policy keeps of it."""

    __slots__ = (
        "at",
        "budget",
        "every",
        "grown",
        "grown_faults",
        "known",
        "occurrences",
        "policy",
        "recorded",
        "retention",
        "since",
        "stale",
        "stale_seen",
        "whole",
    )

    def __init__(self, history: History, policy: Policy, budget: Budget, every: int) -> None:
        self.recorded = history
        self.grown = History(
            tools=history.tools,
            dialect=history.dialect,
            envelope=history.envelope,
            model=history.model,
        )
        self.grown.prepare = history.prepare
        self.grown.marks = history.marks
        self.policy = policy
        self.budget = budget
        self.every = every
        counter = budget.counter_of(history)
        self.at = Projection(self.grown, counter)
        self.known = literals_of(history)
        self.occurrences = Occurrences(self.known)
        self.retention = 1.0
        self.since = 0
        self.stale: set[tuple[int, int]] = set()
        self.stale_seen = 0
        self.whole = 0
        self.grown_faults = 0

    def turn(self, start: int, stop: int) -> TurnRun:
        """One call of the model, that answered with the messages `start <= i < stop`."""
        self._grow(start)
        edits: Sequence[Edit] = ()
        overflow = False
        try:
            plan: Plan | None = self.policy.plan(self.grown, self.budget, self.at)
        except BudgetInfeasible:
            plan, overflow = None, True
        if plan is not None and plan.edits:
            edits = plan.edits
            self.at = plan.projection
            self.occurrences.edit(edits, self.at)
            self.retention = required_retention(self.grown, self.at)
        self._note_stale(bool(edits))
        self.since += 1
        check = bool(edits) or self.since >= self.every
        broken = 0
        if check:
            self.since = 0
            broken = len(validity(self.grown, self.at.context()))
            if broken:  # what the recording breaks itself is no fault of the policy
                untouched = Projection(self.grown, self.at.counter).context()
                broken = max(broken - len(validity(self.grown, untouched)), 0)
        used = frozenset().union(*map(self.known.message, range(start, stop)))
        return TurnRun(
            start,
            self.at.size,
            self.at.sizes.total(self.whole, start),
            len(edits),
            overflow,
            self.retention,
            self.occurrences.use(used),
            len(self.stale),
            check,
            broken,
        )

    def _grow(self, stop: int) -> None:
        """The history up to message `stop`, as it was recorded."""
        start = len(self.grown)
        for number in range(start, stop):
            self.grown.append(self.recorded[number])
            self.occurrences.append(number)
        self.at.refresh()
        self.whole += sum(self.at.sizes.of[start:stop])

    def _note_stale(self, edited: bool) -> None:
        found = superseded_observations(self.grown, DEFAULT)
        whole = partial(_stands_whole, self.at)
        self.stale.update(
            (s.message, s.block) for s in found[self.stale_seen :] if whole(s.message, s.block)
        )
        self.stale_seen = len(found)
        if edited:
            self.stale = {place for place in self.stale if whole(*place)}


def _stands_whole(at: Projection, message: int, block: int) -> bool:
    """The block is in the context as it was recorded."""
    return at.live(message) and at.block_now(message, block) is at.history[message].blocks[block]
