"""What a session's log holds, as records: edits, reported usage, and what it was begun with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.errors import InputError, UsageError
from trimtab.formats.jsontext import loads
from trimtab.formats.wire import DIALECTS
from trimtab.history.log import History
from trimtab.history.message import Message, Text, Thinking, Tool, ToolCall, ToolResult, Usage
from trimtab.store.protocol import Indexed
from trimtab.tokens import window_of

if TYPE_CHECKING:
    from trimtab.pricing import Money


@dataclass(frozen=True, slots=True)
class Change:
    """The edits that one plan made.

    Attributes:
        seq: its number in the log.
        turn: the turn after which it was made.
        policy: the name of the policy.
        why: what made it run.
        before, after: the context's size, in `unit`.
        edits: the edits, each with its own reason.
    """

    seq: int
    turn: int
    policy: str
    why: str
    before: int
    after: int
    unit: str
    edits: tuple[Edit, ...]

    @classmethod
    def made(cls, seq: int, turn: int, why: str, plan: Plan) -> Self:
        """The change that a plan makes."""
        return cls(seq, turn, plan.policy, why, plan.before, plan.after, plan.unit, plan.edits)

    def to_record(self) -> dict[str, Any]:
        """As a JSON value; the number is the log's own."""
        record = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del record["seq"]
        record["edits"] = [_edit_record(edit) for edit in self.edits]
        return record

    @classmethod
    def of(cls, seq: int, record: Mapping[str, Any]) -> Self:
        """The change that `to_record` was given."""
        edits = tuple(
            Edit(**{**edit, "blocks": tuple(edit.get("blocks", ()))}) for edit in record["edits"]
        )
        return cls(seq=seq, **{**record, "edits": edits})


def _edit_record(edit: Edit) -> dict[str, Any]:
    defaults = {field.name: field.default for field in dataclasses.fields(Edit)}
    values = {name: getattr(edit, name) for name in defaults}
    return {name: value for name, value in values.items() if value != defaults[name]}


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """What the provider reported for one call of the model, in tokens."""

    turn: int
    model: str | None
    usage: Usage

    @property
    def cost(self) -> Money | None:
        """What the call costs at today's list price, in US dollars; `None` where the model's
        price is not known.
        """
        from trimtab.pricing import cost, price_of

        price = price_of(self.model)
        if price is None:
            return None
        return cost(self.usage, price, cache_write_1h=self.usage.cache_write_1h)


def spent(change: Change) -> list[TurnUsage]:
    """What making the summaries of a change took, where a model was asked."""
    found = []
    for edit in change.edits:
        report = loads(edit.report) if edit.report else {}
        if report.get("model"):
            found.append(TurnUsage(change.turn, report["model"], Usage(**report["usage"])))
    return found


def dialect_of(model: str | None) -> str:
    """The wire format that a model is called in, by its name."""
    return "anthropic" if model and "claude" in model.lower() else "openai"


def chosen_budget(budget: Budget | int | None, model: str | None) -> Budget:
    """The budget as given, or the model's window with a tenth reserved for the answer.

    Raises:
        UsageError: it is neither a budget nor a number, or the window is not known.
    """
    if isinstance(budget, Budget):
        return budget
    if isinstance(budget, int) and not isinstance(budget, bool):
        return Budget(budget)
    if budget is not None:
        raise UsageError(f"budget {budget!r:.60}: give a number of tokens or a Budget")
    window = window_of(model)
    if window is None:
        raise UsageError(f"the window of the model {model!r} is not known: give a budget")
    return Budget(window, reserve=min(window // 10, 20_000))


def budget_record(budget: Budget) -> dict[str, Any]:
    """A budget as a JSON value."""
    return {"limit": budget.limit, "unit": budget.unit, "reserve": budget.reserve}


def begun(dialect: str, model: str | None, tools: Sequence[Any]) -> History:
    """The empty history of a session.

    Raises:
        UsageError: no such wire format.
        InputError: a tool definition is not understood.
    """
    wire = DIALECTS.get(dialect)
    if wire is None:
        raise UsageError(f"no wire format {dialect!r}; known are {', '.join(DIALECTS)}")
    read: list[Tool] = []
    for number, tool in enumerate(tools):
        if isinstance(tool, Tool):
            read.append(tool)
        elif isinstance(tool, Mapping):
            read.append(wire.read_tool(tool))
        else:
            raise InputError(f"tools[{number}]", "a tool definition is an object")
    envelope = {"model": model} if model else {}
    return History(tools=read, dialect=dialect, envelope=envelope, model=model)


def tool_records(history: History) -> list[Any]:
    """The tool definitions as JSON values."""
    write = DIALECTS[history.dialect].write_tool
    return [tool.raw if tool.raw is not None else write(tool) for tool in history.tools]


def system_message(system: Any, dialect: str) -> Message:
    """The system prompt as the first message."""
    wire = DIALECTS[dialect]
    if wire.read_system is not None:
        return wire.read_system(system)
    return wire.read_messages([{"role": "system", "content": system}])[0]


def taken_out(
    session: str, seq: int, turns: Sequence[int], history: History, plan: Plan
) -> tuple[list[bytes], list[Indexed]]:
    """The blocks of what a plan takes out, and what `search` finds of each."""
    blocks: list[bytes] = []
    texts: list[Indexed] = []
    for edit in plan.edits:
        if edit.evicts:
            data = evicted(history, edit)
            blocks.append(data)
            turn = turns[edit.start]
            texts.append(searchable(session, seq, turn, history, edit, block_id(data)))
    return blocks, texts


def searchable(
    session: str, seq: int, turn: int, history: History, edit: Edit, block: str
) -> Indexed:
    """What `search` finds of something that left: its words, not its JSON."""
    if edit.blocks:
        blocks = history[edit.start].blocks
        words = [_words(blocks[n]) for n in edit.blocks]
    else:
        words = [_words(block) for m in history[edit.start : edit.stop] for block in m.blocks]
    return Indexed(session, seq, turn, block, "\n".join(filter(None, words)))


def given_text(session: str, seq: int, turn: int, name: str, data: bytes) -> Indexed:
    """What `search` finds of a block that was given, under its name."""
    return Indexed(session, seq, turn, block_id(data), f"{name}\n{data.decode('utf-8', 'replace')}")


def _words(block: Any) -> str:
    match block:
        case Text() | Thinking():
            return block.text
        case ToolCall():
            return f"{block.name} {_flat(block.input)}"
        case ToolResult():
            return block.text
    return getattr(block, "text", "") or getattr(block, "title", "")


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_flat(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_flat, value))
    return "" if value is None else str(value)


def read_meta(session: str, data: bytes) -> Mapping[str, Any]:
    """What a session was begun with.

    Raises:
        InputError: another program has stored it.
    """
    try:
        meta = loads(data)
    except ValueError:
        meta = None
    if not isinstance(meta, Mapping) or not {"tools", "policy", "budget"} <= meta.keys():
        raise InputError(session, "a stored session that was not recorded by trimtab.Session")
    return meta


def message_number(history: History, message: int | str) -> int:
    """The number of a message: as given (negative counts from the end), or the newest that
    holds these words.

    Raises:
        UsageError: there is no such message.
    """
    count = len(history)
    if isinstance(message, int):
        number = message + count if message < 0 else message
        if not 0 <= number < count:
            raise UsageError(f"there is no message {message}; the session has {count}")
        return number
    for number in range(count - 1, -1, -1):
        if message and message in history[number].text:
            return number
    raise UsageError(f"no message holds the words {message[:60]!r}")
