"""A session's log, folded: history, context, marks, usage. Pure of any store and any lock."""

from __future__ import annotations

from typing import Any

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.formats.record import REDACTED, from_record
from trimtab.history.log import History
from trimtab.history.message import Message, Thinking
from trimtab.session_log import Change, TurnUsage, spent
from trimtab.tokens import Calibration, Weight, weigh, window_of

REDACTED_BEFORE = "signed thinking is bound to what precedes it, and that was redacted"


class SessionFold:
    """What the log's events add up to; each is taken up once, in order.

    Attributes:
        history: all messages.
        at: the context.
        turns: for each message, its turn (calls of the model so far).
        usage: what the provider reported, a line a call.
        changes: the edits that stand, by their number in the log.
        stages: the notes of finished stages.
        summary_usage: what the models of summarisers reported, a line a summary.
        edited_at: how many messages there were at the newest edits; `None` before any.
        last_call: when the model last answered, in seconds since 1970; `None` before that.
        void: edits that take out signed thinking that no longer fits what precedes it, because
            secrets were taken out there before it was stored.
    """

    def __init__(self, history: History, budget: Budget) -> None:
        self.history = history
        self.counter = budget.counter_of(history)
        self.at = Projection(history, self.counter)
        self.turns: list[int] = []
        self.usage: list[TurnUsage] = []
        self.changes: dict[int, Change] = {}
        self.stages: list[str] = []
        self.summary_usage: list[TurnUsage] = []
        self.edited_at: int | None = None
        self.last_call: float | None = None
        self.void: list[Edit] = []
        self._settled = 0
        self._redacted = False
        self._calibration = Calibration.start(history.model)
        self._weighed = Weight()
        self._unweighed: list[Message] = []
        self._reweigh()

    @property
    def turn(self) -> int:
        """The number of the newest turn; 0 before the first."""
        return self.turns[-1] if self.turns else 0

    def fold(self, kind: str, body: Any, seq: int, time: float | None = None) -> None:
        """Take up one event of the log, recorded at `time`."""
        if kind == "message":
            self.take(from_record(body), time)
            self._redacted = self._redacted or bool(body.get(REDACTED))
            if self._redacted:
                self._void(len(self.history) - 1)
        elif kind == "edits":
            change = Change.of(seq, body)
            at = self.at.copy()
            at.apply(change.edits)
            self.adopt(change, at)
        elif kind == "undo":
            self.undo(body["edits"])
        elif kind == "mark":
            self.history.mark(body["message"], body["required"])
        elif kind == "stage" and body["note"]:
            self.stages.append(body["note"])

    def _void(self, number: int) -> None:
        blocks = self.history[number].blocks
        signed = tuple(n for n, b in enumerate(blocks) if isinstance(b, Thinking) and b.bound)
        if signed:
            self.void.append(Edit("drop", number, number + 1, signed, reason=REDACTED_BEFORE))

    def settle(self) -> None:
        """Take out the thinking that is void, once the log is read."""
        new = self.void[self._settled :]
        if new:
            self._settled = len(self.void)
            self.at.apply(new)
            self._reweigh()

    def take(self, message: Message, time: float | None = None) -> None:
        """Take up a message; the usage that it reports is that of the context before it.

        Args:
            time: when it came, where the message itself does not say.
        """
        turn = self.turn
        sent = self._weight() if message.usage is not None else None
        if message.role == "assistant":
            turn += not (self.history and self.history[-1].role == "assistant")
            self.last_call = message.time if message.time is not None else time
        self.history.append(message)
        self.turns.append(turn)
        self.at.refresh()
        self._unweighed.append(message)
        if message.usage is not None:
            if sent is not None and self.counter.unit == "tokens":
                window = window_of(self.history.model)
                seen = message.usage.context
                self._calibration = self._calibration.observe(sent, seen, window)
            self.usage.append(TurnUsage(turn, message.model or self.history.model, message.usage))

    def adopt(self, change: Change, at: Projection) -> None:
        """Take up edits; `at` is the context with them."""
        self.changes[change.seq] = change
        self.edited_at = len(self.history)
        self.summary_usage += spent(change)
        self.at = at
        self._reweigh()

    def undo(self, seq: int) -> None:
        """Take the edits of number `seq` back."""
        del self.changes[seq]
        self.at = Projection(self.history, self.counter)
        self.at.apply(self.void[: self._settled])
        for _, change in sorted(self.changes.items()):
            self.at.apply(change.edits)
        self._reweigh()

    def _reweigh(self) -> None:
        """The context is another one; what it weighs is found out when that is asked for."""
        self._weighed = Weight()
        self._unweighed = [*self.at.context().messages]
        self._with_tools = False

    def _weight(self) -> Weight:
        """What the context weighs: the same whenever it is asked for.

        It is that of the context right after the newest edits and of all messages since, so that
        a restored session, which asks less often, learns the same.
        """
        if self.counter.unit == "tokens" and (self._unweighed or not self._with_tools):
            tools = () if self._with_tools else self.history.tools
            more = weigh(self.counter, self._unweighed, tools, self.history.dialect)
            self._weighed += more
            self._unweighed, self._with_tools = [], True
        return self._weighed

    @property
    def size(self) -> int:
        """The size of the context, as the provider counts it as far as it has said."""
        if self._calibration.anchor is None:
            return self.at.size
        return self._calibration.predict(self._weight())

    def budget_for(self, budget: Budget) -> Budget:
        """The budget in the counter's own measure: less what only the provider sees."""
        unseen = self.size - self.at.size
        limit = max(budget.limit - unseen, budget.reserve + 1)
        return Budget(limit, budget.unit, budget.reserve, self.counter)
