"""What a trigger is asked with, and what it answers: all plain values, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.history.log import History
from trimtab.history.message import Usage

TriggerKind: TypeAlias = Literal["tokens", "stage", "pressure", "overflow", "cold"]
"""Why a policy runs; `overflow` is the `pressure` trigger after an error of the provider."""

OutcomeKind: TypeAlias = Literal["done", "too little", "above the goal"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The last time that a policy was run, whatever came of it.

    Attributes:
        kind: what fired.
        before, after: the context's size before and after, as the provider counts; the same
            where nothing was adopted.
        messages: how many messages the history had then.
        outcome: how it ended.
    """

    kind: TriggerKind
    before: int
    after: int
    messages: int
    outcome: OutcomeKind

    @property
    def freed(self) -> int:
        """How much smaller the context became; 0 where nothing was adopted."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class State:
    """A session at the moment before a call of the model.

    Attributes:
        projection: the context as it stands, and with it the history.
        budget: the limit; its `limit` is the window that shares are of.
        size: the context's size as the provider counts it (system prompt and tool definitions
            included); `None`: the projection's own.
        last: the last attempt; `None` before the first, and after a change of model or budget.
        now: the present time, seconds since 1970; `None`: not known, nothing is ever cold.
        last_call: when the model was last called; `None`: not known.
        stage: `finish_stage` was called since the last attempt, with this note (or empty).
        overflow: the provider's error that refused the last request, or what it said.
    """

    projection: Projection
    budget: Budget
    size: int | None = None
    last: Attempt | None = None
    now: float | None = None
    last_call: float | None = None
    stage: str | None = None
    overflow: object | None = None

    @property
    def history(self) -> History:
        """Everything that happened (H)."""
        return self.projection.history

    @property
    def used(self) -> int:
        """The size of the context, as the provider counts it as far as that is known."""
        return self.projection.size if self.size is None else self.size

    @property
    def unseen(self) -> int:
        """What the provider counts beyond the projection's own measure (may be negative)."""
        return self.used - self.projection.size

    @property
    def new(self) -> int | None:
        """The size of the messages that came since the last attempt; `None` if there was none."""
        if self.last is None:
            return None
        return sum(self.projection.sizes.of[self.last.messages :])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a compaction ended, judged by its sizes.

    Attributes:
        kind: `done`: at or below the goal. `above the goal`: it freed enough to be worth it, but
            what must stay does not fit below the goal. `too little`: not worth rewriting the
            context; nothing is to be changed.
        before, after: the size before, and the size proposed.
        goal: what it was to come down to.
        reason: one line.
        items: what does not fit, a line each, as the policy named it.
    """

    kind: OutcomeKind
    before: int
    after: int
    goal: int
    reason: str
    items: tuple[str, ...] = ()

    @property
    def adopt(self) -> bool:
        """The edits are to be made."""
        return self.kind != "too little"


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger says that the policy is to run.

    Attributes:
        kind: which trigger.
        reason: why, in one line.
        goal: the size to come down to, as the provider counts; at least 1.
        least: a compaction that frees less than this is not done.
        must: the provider has refused the context: it has to shrink.
    """

    kind: TriggerKind
    reason: str
    goal: int
    least: int = 1
    must: bool = False

    def accepts(self, before: int, after: int, items: Sequence[str] = ()) -> Outcome:
        """Judge a proposed compaction.

        Args:
            before, after: the context's size without and with it, as the provider counts.
            items: what does not fit, where the policy named it.
        """
        freed, lines = before - after, tuple(items)
        worth = freed >= self.least or (self.must and after <= self.goal)
        if freed <= 0 or not worth:
            reason = f"it would free {max(freed, 0):,}, less than {self.least:,}"
            return Outcome("too little", before, after, self.goal, reason, lines)
        if after > self.goal:
            reason = f"what must stay takes {after:,}, more than {self.goal:,}"
            return Outcome("above the goal", before, after, self.goal, reason, lines)
        reason = f"freed {freed:,}, now {after:,}"
        return Outcome("done", before, after, self.goal, reason, lines)


# -- what a provider reports ----------------------------------------------------------------------


def context_of_usage(calls: Sequence[Usage], window: int | None = None) -> int | None:
    """The size of the context, by what the provider reported for the calls of one turn.

    Only the last call counts: a sum over several calls of a turn is no size. `Usage` holds what
    was cached apart from the rest for every provider, so both kinds of report come out the same:
    Anthropic's input + cache read + cache creation, OpenAI's input (it contains the cached).

    Args:
        calls: oldest first.
        window: the model's context window; a report above it is not believed.

    Returns:
        Tokens; `None` where there is no report to believe.
    """
    if not calls:
        return None
    size = calls[-1].context
    return size if size > 0 and (window is None or size <= window) else None


def context_after(calls: Sequence[Usage], window: int | None = None) -> int | None:
    """As `context_of_usage`, with the answer, which stays in the context from then on."""
    size = context_of_usage(calls, window)
    return None if size is None else size + max(calls[-1].output, 0)
