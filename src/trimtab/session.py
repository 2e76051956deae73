"""The object that an agent loop holds: it records everything once and hands out what to send.

A session is a fold of its log. The log holds the messages and the edits, in order; the context is
computed from them, so a restarted process sends the same bytes. An edit, once made, stays.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time
from types import TracebackType
from typing import Any, Self

from trimtab.context.budget import Budget
from trimtab.context.projection import Context
from trimtab.context.server_side import ServerSide
from trimtab.context.writing import write
from trimtab.errors import TrimtabError, UsageError
from trimtab.formats.jsontext import dumps, loads
from trimtab.formats.record import to_record
from trimtab.formats.response import read_appended
from trimtab.history.log import History
from trimtab.history.message import Message
from trimtab.policies.policy import Policy
from trimtab.policies.registry import spec_of
from trimtab.session_compress import compression
from trimtab.session_fold import SessionFold
from trimtab.session_log import (
    Change,
    TurnUsage,
    begun,
    budget_record,
    chosen_budget,
    dialect_of,
    given_text,
    message_number,
    read_meta,
    system_message,
    taken_out,
    tool_records,
)
from trimtab.session_planning import Planning, Proposal, planned
from trimtab.session_recall import SessionRecall
from trimtab.store.open import opened
from trimtab.store.protocol import Indexed, Store
from trimtab.triggers import Trigger, spec_of_trigger

NONE: Mapping[str, bytes] = {}


class Session(SessionRecall):
    """A recorded session of one agent.

    Args:
        model: the model's name; decides the counter, the window and the wire format.
        policy: a policy, or its name with parameters.
        store: a `Store`, the URL or path of one, or `None` for the store of this machine.
        budget: how large a context may be: a `Budget`, a number of tokens, or `None` for the
            model's window with a tenth (at most 20,000 tokens) reserved for the answer.
        dialect: `anthropic`, `openai`, `responses` or `neutral`; by default the model's.
        system: the system prompt.
        tools: the tool definitions, as the provider wants them.
        id: the session's id; by default a new one.
        title: one line for people.
        trigger: when to run the policy besides: `tokens:70%,stage:detect,pressure,cold`.
        summariser: what makes summaries: a `Summariser`, a function from text to text, or a name
            such as `openai/gpt-5-mini`; `None`: see `[summary]` of trimtab.toml, else quotations.
        background: prepare summaries in a thread while the agent goes on.
        server_side: the provider's own context management, which `context` then asks for too.
        redact: replace secrets in what is stored, not in what is sent; `None`: see trimtab.toml.

    Raises:
        UsageError: there is no budget and the model's window is not known.
        SessionConflict: there is a session of this id; see `restore`.
        StoreError: the store cannot be used.

    All methods may be called from several threads; each append is whole, in order and durable
    when it returns. If another process has written to the session, whatever would write raises
    `SessionConflict` and changes nothing; `refresh` takes up what the other wrote.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        policy: Policy | str = "auto",
        store: Store | str | Path | None = None,
        budget: Budget | int | None = None,
        dialect: str | None = None,
        system: Any = None,
        tools: Sequence[Any] = (),
        id: str | None = None,
        title: str = "",
        trigger: Trigger | str | None = None,
        summariser: Any = None,
        background: bool = False,
        server_side: ServerSide | None = None,
        redact: bool | None = None,
    ) -> None:
        dialect = dialect or dialect_of(model)
        history = begun(dialect, model, tools)
        first = [] if system is None else [system_message(system, dialect)]
        budget = chosen_budget(budget, model)
        id = id or f"ses_{uuid.uuid4().hex[:20]}"
        planning = planned(policy, budget, trigger, summariser, background, server_side)
        self._begin(id, history, planning, opened(store, redact))
        meta = {
            "tools": tool_records(history),
            "policy": spec_of(self.policy),
            "budget": budget_record(budget),
            "trigger": spec_of_trigger(planning.trigger) if planning.trigger else None,
        }
        begin = self._store.create_session
        begin(id, dialect=dialect, model=model, title=title, meta=dumps(meta))
        self._record(first)

    def _begin(
        self, id: str, history: History, planning: Planning, store: tuple[Store, bool]
    ) -> None:
        self.id = id
        self._planning = planning
        self._fold = SessionFold(history, planning.budget)
        self._lock = threading.RLock()
        self._seq = 0
        self._store, self._owns_store = store
        history.prepare, history.pinned = self._store.prepare, planning.pins

    @property
    def policy(self) -> Policy:
        """What stays."""
        return self._planning.policy

    @property
    def budget(self) -> Budget:
        """How large a context may be."""
        return self._planning.budget

    @classmethod
    def restore(
        cls,
        session_id: str,
        *,
        store: Store | str | Path | None = None,
        policy: Policy | str | None = None,
        budget: Budget | int | None = None,
        trigger: Trigger | str | None = None,
        summariser: Any = None,
        background: bool = False,
        server_side: ServerSide | None = None,
        redact: bool | None = None,
    ) -> Session:
        """Go on with a stored session; its context has the same bytes as before.

        Args:
            session_id: its id.
            store, redact: where it is, and as in `Session`.
            policy, budget, trigger: by default those that it was begun with.
            summariser, background, server_side: as in `Session`.

        Raises:
            SessionNotFound: there is no such session.
        """
        found = opened(store, redact)
        info = found[0].session(session_id)
        meta = read_meta(session_id, found[0].meta(session_id))
        history = begun(info.dialect, info.model, meta["tools"])
        chosen = chosen_budget(Budget(**meta["budget"]) if budget is None else budget, info.model)
        session = cls.__new__(cls)
        trigger = trigger or meta.get("trigger")
        policy = policy or meta["policy"]
        planning = planned(policy, chosen, trigger, summariser, background, server_side)
        session._begin(session_id, history, planning, found)
        session.refresh()
        return session

    @property
    def history(self) -> History:
        """Everything that happened (H)."""
        return self._fold.history

    # -- recording -------------------------------------------------------------------------

    def append(self, message: Any) -> None:
        """Record a message, a tool result or a provider's response.

        Args:
            message: a `Message`, a message or item of the wire format, a response object of the
                official clients or its JSON, a string (what the user said), or a list of these.
                The usage that a response reports teaches the counter.

        Raises:
            InputError: it is none of these; nothing is recorded.
            SessionConflict: somebody else wrote to this session; nothing is recorded.
        """
        messages = read_appended(message, self.history.dialect)
        with self._lock:
            self._record(messages)

    def _record(self, messages: Sequence[Message]) -> None:
        if messages:
            self._write([("message", dumps(to_record(message))) for message in messages])
        for message in messages:
            self._fold.take(message, time())

    def _write(
        self,
        events: Sequence[tuple[str, bytes]],
        blocks: Sequence[bytes] = (),
        texts: Sequence[Indexed] = (),
    ) -> None:
        self._store.append(self.id, self._seq, events, blocks=blocks, texts=texts)
        self._seq += len(events)

    def refresh(self) -> None:
        """Take up what the log holds beyond what this object has seen."""
        with self._lock:
            for event in self._store.events(self.id, self._seq):
                self._fold.fold(event.kind, loads(event.body), event.seq, event.time)
                self._seq = event.seq + 1
            self._fold.settle()

    # -- what is sent ----------------------------------------------------------------------

    def context(self, to: str | None = None) -> Any:
        """What to send now, as keyword arguments of a request.

        Args:
            to: the wire format; by default the session's.

        Returns:
            A dict with `messages` (or `input`), model, system prompt and tools.

        Raises:
            BudgetInfeasible: what must stay does not fit; nothing is edited.
        """
        with self._lock:
            self._adopt(self._planning.before_call(self._fold))
            request = write(self._fold.at.context(), to).value
            own = to in (None, self.history.dialect)
            return self._planning.with_server_side(request) if own else request

    def refused(self, error: Any) -> bool:
        """Say that the provider refused the context; the next one is smaller.

        Args:
            error: its exception, body or message.

        Returns:
            True if it was refused for its length, so that another try makes sense.
        """
        return self._planning.refused(error, len(self.history))

    @property
    def view(self) -> Context:
        """The context as it stands, without asking the policy for further edits."""
        with self._lock:
            return self._fold.at.context()

    def _adopt(self, proposal: Proposal | None, given: Mapping[str, bytes] = NONE) -> None:
        if proposal is None or not proposal.plan.edits:
            return
        plan, fold, seq = proposal.plan, self._fold, self._seq
        texts = [given_text(self.id, seq, fold.turn, *item) for item in given.items()]
        blocks, more = taken_out(self.id, seq, fold.turns, self.history, plan)
        change = Change.made(seq, fold.turn, proposal.why, plan)
        try:
            edits = [("edits", dumps(change.to_record()))]
            self._write(edits, [*given.values(), *blocks], [*texts, *more])
        except TrimtabError:
            self._planning.back(proposal)
            raise
        fold.adopt(change, plan.projection)

    def finish_stage(self, note: str | None = None) -> None:
        """Say that a stage of the work is done: the best moment to make room.

        Args:
            note: what was reached, in a line; kept in the log and found by `search`.
        """
        with self._lock:
            fold = self._fold
            texts = [Indexed(self.id, self._seq, fold.turn, "", note)] if note else []
            self._write([("stage", dumps({"note": note, "turn": fold.turn}))], (), texts)
            if note:
                fold.stages.append(note)
            self._adopt(self._planning.stage(fold, note))

    def compress(self, summary: str, blocks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Replace the older part of the context by an index that the caller or a model wrote.

        Args:
            summary: the index with status and next step, at most 300 tokens.
            blocks: the details: `{"name", "content"}`, or `{"name", "start", "middle", "end"}`
                with three passages word for word that mark a span of the conversation.

        Returns:
            For each name the id that brings the block back.

        Raises:
            UsageError: an anchor, a name or the size is wrong; nothing is changed.
        """
        with self._lock:
            keep = getattr(self.policy, "keep", 5)
            made = compression(self._fold.at, summary, blocks, keep=keep)
            self._adopt(Proposal(made.plan, "compressed on request"), made.data)
            return dict(made.blocks)

    # -- pins ------------------------------------------------------------------------------

    def pin(self, message: int | str) -> int:
        """Make a message required: it stays word for word.

        Args:
            message: its number in the history (negative counts from the end), or words that it
                holds.

        Returns:
            Its number.

        Raises:
            UsageError: there is no such message, or it has left the context already.
        """
        return self._mark(message, True)

    def unpin(self, message: int | str) -> int:
        """Refuse a message as required, whoever marked it and whatever rule found it."""
        return self._mark(message, False)

    def _mark(self, message: int | str, required: bool) -> int:
        with self._lock:
            number = message_number(self.history, message)
            if required and not self._fold.at.live(number):
                raise UsageError(
                    f"message {number} has left the context; Session.undo takes the edit back"
                )
            self._write([("mark", dumps({"message": number, "required": required}))])
            self.history.mark(number, required)
            return number

    # -- what was done -----------------------------------------------------------------------

    @property
    def events(self) -> list[Change]:
        """The edits made so far, oldest first, each with its reason; without those taken back."""
        with self._lock:
            return [change for _, change in sorted(self._fold.changes.items())]

    def undo(self, change: Change | int) -> None:
        """Take edits back: what they took out is in the context again.

        Args:
            change: one of `events`, or its number.

        Raises:
            UsageError: there are no such edits, or they were taken back already.
        """
        with self._lock:
            seq = change.seq if isinstance(change, Change) else change
            if seq not in self._fold.changes:
                raise UsageError(f"there are no edits numbered {seq} to take back")
            self._write([("undo", dumps({"edits": seq}))])
            self._fold.undo(seq)

    def usage(self) -> list[TurnUsage]:
        """What the provider reported, a line a call of the model."""
        with self._lock:
            return list(self._fold.usage)

    def summary_usage(self) -> list[TurnUsage]:
        """What the summariser's model reported, a line a summary; not part of `usage`."""
        return list(self._fold.summary_usage)

    @property
    def size(self) -> int:
        """The size of the context as it stands, in the budget's unit, as the provider counts."""
        with self._lock:
            return self._fold.size

    def close(self) -> None:
        """Close the store, if this session opened it."""
        self._planning.close()
        if self._owns_store:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
