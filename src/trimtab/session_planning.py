"""When a session's policy runs, and what it then proposes. It decides; the session adopts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Any

from trimtab.config import settings
from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.server_side import ServerSide
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.policies.compact import Compact
from trimtab.policies.configured import configured
from trimtab.policies.policy import Policy
from trimtab.policies.registry import parse_policy
from trimtab.session_ahead import Ahead, Work
from trimtab.session_fold import SessionFold
from trimtab.triggers import (
    Attempt,
    Fired,
    Pressure,
    State,
    Trigger,
    Triggers,
    attempt,
    is_overflow,
    parse_trigger,
)

BUDGET = "the budget is reached"
STAGE = "a stage is finished"
MOST_REFUSALS = 3
"""So often a context without new messages is made smaller after the provider refused it."""

GOES_ON = ("tokens", "pressure")
"""Triggers that can wait for a summary made in the background: what they are about is no moment."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits to make, and what made the policy run."""

    plan: Plan
    why: str


class Planning:
    """Asks the triggers, then the policy.

    Args:
        policy: what stays.
        budget: the hard limit; it always holds, whatever the triggers say.
        trigger: when the policy runs before the budget is reached; `None`: every turn with the
            whole budget.
        ahead: makes summaries in advance; `None`: when they are needed.
        server_side: what to ask of the provider besides.
        pins: texts that are required wherever somebody says them.
        clock: the present time, in seconds since 1970.
    """

    def __init__(
        self,
        policy: Policy,
        budget: Budget,
        trigger: Triggers | None = None,
        ahead: Ahead | None = None,
        server_side: ServerSide | None = None,
        pins: tuple[str, ...] = (),
        clock: Callable[[], float] = time,
    ) -> None:
        self.policy = policy
        self.budget = budget
        self.trigger = trigger
        self._ahead = ahead
        self._server_side = server_side
        self.pins = pins
        self._clock = clock
        self._last: Attempt | None = None
        self._stage: str | None = None
        self._refusal: object | None = None
        self._refusals = 0
        self._refused_at = -1
        self._before = self._now()
        self._proposed: Proposal | None = None

    def _now(self) -> tuple[Attempt | None, object | None, Work | None]:
        return self._last, self._refusal, None if self._ahead is None else self._ahead.work

    def back(self, proposal: Proposal) -> None:
        """What was proposed could not be recorded: it is as if nobody had asked."""
        if proposal is not self._proposed:
            return
        self._last, self._refusal, work = self._before
        if self._ahead is not None:
            self._ahead.back(work)

    def close(self) -> None:
        """Let go of a summary under way."""
        if self._ahead is not None:
            self._ahead.close()

    def with_server_side(self, request: Any) -> Any:
        """The request with what the provider is to do itself."""
        asked = self._server_side
        if asked is None or not isinstance(request, dict):
            return request
        return {**request, **asked.params, **({"betas": list(asked.betas)} if asked.betas else {})}

    # -- what the caller says ------------------------------------------------------------------

    def refused(self, error: object, messages: int) -> bool:
        """The provider refused the context; true if that was for its length and a smaller one
        may do. Without new messages that is so a few times at most.
        """
        if not is_overflow(error):
            return False
        self._refusals = self._refusals + 1 if self._refused_at == messages else 1
        self._refused_at = messages
        if self._refusals > MOST_REFUSALS:
            return False
        self._refusal = error
        return True

    def stage(self, fold: SessionFold, note: str | None) -> Proposal | None:
        """A stage of the work is done: make room if there is reason to."""
        self._before = self._now()
        self._proposed = proposal = self._staged(fold, note)
        return proposal

    def _staged(self, fold: SessionFold, note: str | None) -> Proposal | None:
        if self.trigger is not None:
            self._stage = note or ""
            fired = self.trigger.fires(self._state(fold))
            self._stage = None
            return None if fired is None else self._fired(fold, fired)
        budget = fold.budget_for(self.budget)
        share = getattr(self.policy, "target", 100)
        room = max(budget.available * share // 100, 1)
        goal = Budget(room, budget.unit, counter=fold.counter)
        if fold.at.size <= goal.available:
            return None
        for wanted in (goal, budget):
            try:
                plan = self.policy.plan(fold.history, wanted, fold.at)
            except BudgetInfeasible:  # `context` says so, when it is asked for
                continue
            return Proposal(plan, STAGE)
        return None

    # -- before a call of the model ------------------------------------------------------------

    def before_call(self, fold: SessionFold) -> Proposal | None:
        """What to do before the context is handed out.

        Raises:
            BudgetInfeasible: what must stay does not fit.
        """
        self._before = self._now()
        refused = self._refusal is not None
        self._proposed = proposal = self._proposal(fold)
        if refused and (proposal is None or not proposal.plan.edits):
            self._refusals = MOST_REFUSALS  # it cannot be made smaller
        return proposal

    def _proposal(self, fold: SessionFold) -> Proposal | None:
        budget = fold.budget_for(self.budget)
        trigger = self._asked()
        fired = None if trigger is None else trigger.fires(self._state(fold))
        self._refusal = None
        if fired is not None:
            proposal = self._fired(fold, fired)
            if proposal is not None and proposal.plan.projection.size <= budget.available:
                return proposal
        if self._ahead is not None:
            ready = self._ahead.take(fold, budget)
            if ready is not None:
                return Proposal(ready, BUDGET)
        if self.trigger is not None and fold.at.size <= budget.available:
            self._prepare(fold, budget)
            return None
        plan = self.policy.plan(fold.history, budget, fold.at)
        if plan.edits:
            unseen = fold.size - fold.at.size
            before, after = fold.size, plan.after + unseen
            self._last = Attempt("tokens", before, after, len(fold.history), "done")
        else:
            self._prepare(fold, budget)
        return Proposal(plan, BUDGET)

    def _asked(self) -> Trigger | Triggers | None:
        """After a refusal the context must shrink, whatever the triggers are."""
        if self._refusal is not None:
            return Pressure()
        return self.trigger

    def _state(self, fold: SessionFold) -> State:
        return State(
            projection=fold.at,
            budget=self.budget,
            size=fold.size,
            last=self._latest(fold),
            now=self._clock(),
            last_call=fold.last_call,
            stage=self._stage,
            overflow=self._refusal,
        )

    def _latest(self, fold: SessionFold) -> Attempt | None:
        """The last attempt; of one that another process made, the edits in the log tell."""
        edited, last = fold.edited_at, self._last
        if edited is None or (last is not None and last.messages >= edited):
            return last
        return Attempt("tokens", fold.size, fold.size, edited, "done")

    def _fired(self, fold: SessionFold, fired: Fired) -> Proposal | None:
        """What the policy can do towards the goal, if that is worth it."""
        if self._ahead is not None and fired.kind in GOES_ON and not fired.must:
            goal = max(fired.goal - (fold.size - fold.at.size), 1)
            if self._ahead.makes(fold, Budget(goal, self.budget.unit, counter=fold.counter)):
                return None

        def plan(goal: Budget) -> Plan:
            ready = None if self._ahead is None else self._ahead.take(fold, goal)
            return ready or self.policy.plan(fold.history, goal, fold.at)

        tried = attempt(self._state(fold), fired, plan)
        self._last = tried.attempt
        if tried.plan is None or not tried.outcome.adopt:
            return None
        return Proposal(tried.plan, fired.reason)

    def _prepare(self, fold: SessionFold, budget: Budget) -> None:
        if self._ahead is not None:
            self._ahead.prepare(fold, budget)


def planned(
    policy: Policy | str,
    budget: Budget,
    trigger: Trigger | str | None,
    summariser: Any,
    background: bool,
    server_side: ServerSide | None = None,
) -> Planning:
    """The planning of a session from what it was given; see `Session`.

    Raises:
        UsageError: one of them is not understood.
    """
    given = parse_policy(policy) if isinstance(policy, str) else policy
    found = settings()
    chosen = configured(given, found, summariser)
    if isinstance(trigger, str):
        triggers: Triggers | None = parse_trigger(trigger)
    elif trigger is None or isinstance(trigger, Triggers):
        triggers = trigger
    elif hasattr(trigger, "fires"):
        triggers = Triggers.any(trigger)
    else:
        raise UsageError(f"trigger {trigger!r:.60}: give a text such as tokens:70%, or a trigger")
    if server_side is not None and not isinstance(server_side, ServerSide):
        given_as = type(server_side).__name__
        raise UsageError(f"a {given_as} is no server_side: give what trimtab.server_side makes")
    ahead = None
    if background:
        compact = chosen if isinstance(chosen, Compact) else getattr(chosen, "compacting", None)
        if compact is None:
            raise UsageError(f"{chosen.name} makes no summaries that could be prepared")
        ahead = Ahead(compact)
    return Planning(chosen, budget, triggers, ahead, server_side, found.pins)
