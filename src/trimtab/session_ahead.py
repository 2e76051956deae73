"""Summaries made in advance: a thread asks the summariser while the agent goes on.

What leaves is decided when the work begins, from a copy of the history; the summary is put in
before a later call of the model, when room is needed and if all of it still stands. Messages that
came meanwhile stay, behind the summary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, TrimtabError
from trimtab.history.log import History
from trimtab.policies.compact import Compact, Prepared
from trimtab.session_fold import SessionFold
from trimtab.summaries.apart import Apart
from trimtab.summaries.request import Summarised

BEGIN = 85
"""Percent of the budget from which on a summary is prepared."""


@dataclass(frozen=True, slots=True)
class Work:
    """A summary under way."""

    prepared: Prepared
    made: Apart[Summarised]


class Ahead:
    """Prepares the next summary of one session; one at a time.

    Args:
        policy: the policy that makes the summary, with its summariser.
        begin: percent of the budget from which on it prepares.
    """

    def __init__(self, policy: Compact, begin: int = BEGIN) -> None:
        self._policy = policy
        self._begin = begin
        self._work: Work | None = None
        self._dropped: Apart[Summarised] | None = None

    @property
    def busy(self) -> bool:
        """A summary is being made."""
        return self._work is not None and not self._work.made.done()

    @property
    def work(self) -> Work | None:
        """The summary that is being made or waits to be put in."""
        return self._work

    def back(self, work: Work | None) -> None:
        """Keep this summary after all: it could not be put in just now."""
        self._work = work

    def prepare(self, fold: SessionFold, budget: Budget) -> None:
        """Begin, if the context is large enough and nothing is under way."""
        if self._work is None and fold.at.size * 100 >= budget.available * self._begin:
            self._start(fold, budget)

    def makes(self, fold: SessionFold, goal: Budget) -> bool:
        """A summary is being made, begun now where there was none: the agent may go on."""
        if self._work is not None and not self._work.prepared.stands(fold.at):
            self._drop()
        if self._work is None:
            self._start(fold, goal)
        return self.busy or self._still_asks()

    def _still_asks(self) -> bool:
        """The summariser is busy with one that is no longer wanted; it is asked one at a time."""
        return self._dropped is not None and not self._dropped.done()

    def _start(self, fold: SessionFold, budget: Budget) -> None:
        if self._still_asks():
            return
        prepared = self._policy.prepare(fold.at, budget)
        if prepared is None:
            return
        from trimtab.summaries.checked import checked

        request = replace(prepared.request, history=_copy(fold.history))
        call = partial(checked, self._policy.writer.summarise, request)
        self._work = Work(prepared, Apart(call))

    def _drop(self) -> None:
        if self._work is not None:
            self._dropped = self._work.made
        self._work = None

    def take(self, fold: SessionFold, budget: Budget) -> Plan | None:
        """The plan with the prepared summary, if the context is over the budget and there is one
        that still stands; waits for it if it is being made.
        """
        work = self._work
        if work is None or fold.at.size <= budget.available:
            return None
        if not work.prepared.stands(fold.at):
            self._drop()
            return None
        try:
            made = work.made.result()
        except TrimtabError:  # the policy itself will try, and say what is wrong
            made = None
        self._work = None
        return None if made is None else self._plan(fold.at, budget, work.prepared, made)

    def _plan(
        self, at: Projection, budget: Budget, prepared: Prepared, made: Summarised
    ) -> Plan | None:
        try:
            return self._policy.finish(at, budget, prepared, made)
        except BudgetInfeasible:
            return None

    def close(self) -> None:
        """Let go of a summary under way."""
        self._drop()


def _copy(history: History) -> History:
    """The history as it is now, for another thread: it shares no index with the session's."""
    twin = History(
        history,
        tools=history.tools,
        dialect=history.dialect,
        envelope=history.envelope,
        model=history.model,
    )
    twin.marks = history.marks
    twin.prepare, twin.pinned = history.prepare, history.pinned
    return twin
