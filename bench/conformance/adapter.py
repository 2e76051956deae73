"""trimtab's `compact` as a compactor of the package `compaction-conformance-kit`.

Stateless: each round reads nothing but the turns that it is given, which from the second round on
are one turn with the text that the round before put out. There is no store and no memory.

    compaction-kit benchmark --spec bench/conformance/adapter.py:Trimtab
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from trimtab.context.budget import Budget
from trimtab.errors import BudgetInfeasible
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Role, Text, ToolCall, ToolResult
from trimtab.history.placeholders import SUMMARY, is_summary
from trimtab.policies.compact import Compact
from trimtab.summaries.cues import NEXT
from trimtab.summaries.extractive import chosen, reported
from trimtab.summaries.request import Request, Summarised
from trimtab.summaries.statements import Statement
from trimtab.summaries.template import render
from trimtab.tokens import counter_for

if TYPE_CHECKING:
    from compaction_kit.compacted import CompactedContext

SHARE = 30
"""Percent of the first text to come down to where no budget is given."""


class Turn(Protocol):
    """A turn as the suite gives it."""

    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...


@dataclass(slots=True)
class Noting:
    """The extractive summariser, with a note of what it had to leave out."""

    left: tuple[Statement, ...] = ()
    name: str = "extractive"

    def summarise(self, request: Request) -> Summarised:
        """As `Extractive` does."""
        made = chosen(request)
        self.left = made.left
        return Summarised(made.summary, self.name, guard=reported(made.summary, request))


class Trimtab:
    """Compacts the turns to the budget with `compact` and the extractive summariser."""

    name = "trimtab"

    def compact(
        self, turns: Sequence[Turn], round_num: int = 1, budget_chars: int | None = None
    ) -> CompactedContext:
        """The text of the context that the turns become, within `budget_chars` characters."""
        from compaction_kit.compacted import CompactedContext

        text, left = compacted(read(turns), budget_chars)
        return CompactedContext(text, self.name, round_num, {"left out": left})


class CompactAlone:
    """`compact` and nothing besides: where it refuses the budget, nothing comes out."""

    name = "trimtab, compact alone"

    def compact(
        self, turns: Sequence[Turn], round_num: int = 1, budget_chars: int | None = None
    ) -> CompactedContext:
        """As `Trimtab.compact`; empty where what is required does not fit."""
        from compaction_kit.compacted import CompactedContext

        history = read(turns)
        text = written(history)
        if budget_chars is not None and len(text) > budget_chars:
            made = _by_policy(history, budget_chars)
            text = "" if made is None else made[0]
        return CompactedContext(text, self.name, round_num)


def compacted(history: History, budget: int | None) -> tuple[str, list[str]]:
    """The text of the context of `history` within a budget, and the statements left out.

    Where `compact` would refuse, or quote what is required and have to leave out much else that
    the user said, the statements worth most for their size are taken instead, if fewer are
    missing then: the suite counts every statement alike. The first line then says how many.
    """
    whole = written(history)
    if budget is None:
        first = not any(is_summary(message.text) for message in history)
        budget = len(whole) * SHARE // 100 if first else len(whole)
    if len(whole) <= budget:
        return whole, []
    checked = _by_policy(history, budget)
    if checked is not None and not _matters(checked[1]):
        return checked[0], _texts(checked[1])
    most = _most(history, budget)
    if checked is not None and len(_matters(checked[1])) <= len(_matters(most[1])):
        return checked[0], _texts(checked[1])
    return most[0], _texts(most[1])


Made = tuple[str, Sequence[Statement]]
"""The text of a context, and the statements that it could not hold."""


def _matters(left: Sequence[Statement]) -> list[Statement]:
    return [statement for statement in left if statement.weight >= NEXT]


def _texts(left: Sequence[Statement]) -> list[str]:
    return [statement.text for statement in left]


def _by_policy(history: History, budget: int) -> Made | None:
    """What `compact` makes of it; `None` where it refuses."""
    noting = Noting()
    policy = Compact(keep_recent=0, target=100, runs=0, summariser=noting)
    room = budget
    while room > 0:
        try:
            plan = policy.plan(history, Budget(room, "chars"))
        except BudgetInfeasible:
            return None
        text = written(plan.projection.context())
        if len(text) <= budget:
            return text, noting.left
        room -= len(text) - budget  # what names the roles takes room too
    return None


def _most(history: History, budget: int) -> Made:
    """The system prompt and the statements worth most."""
    head = [message for message in history[: history.head] if not is_summary(message.text)]
    lead = written(head)
    room = max(budget - len(lead) - bool(lead), 1)
    numbers = range(len(head), len(history))
    made = chosen(Request(history, numbers, room, counter_for(None, "chars")))
    text = render(made.summary)
    if missing := len(_matters(made.left)):
        noted = render(made.summary, note=f"{missing} left out")
        text = noted if len(noted) <= room else text
    return "\n".join(filter(None, (lead, text)))[:budget], made.left


# -- text and messages ------------------------------------------------------------------------

_TAG = re.compile(r"^\[(system|user|assistant|tool)\] ", re.MULTILINE)
_BEGINS = re.compile(rf"^{re.escape(SUMMARY)}", re.MULTILINE)


def written(messages: Iterable[Message]) -> str:
    """Messages as one text: each after its role, but for the system prompt and a summary."""
    rows = []
    for number, message in enumerate(messages):
        text = _text(message)
        if not text:
            continue
        bare = is_summary(text) or (number == 0 and message.role == "system")
        rows.append(text if bare else f"[{message.role}] {text}")
    return "\n".join(rows)


def turn_texts(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """Role and text of each message that has one."""
    pairs = [(message.role, _text(message)) for message in messages]
    return [(role, text) for role, text in pairs if text]


def _text(message: Message) -> str:
    parts: list[str] = []
    for block in message.blocks:
        if isinstance(block, Text | ToolResult):
            parts.append(block.text)
        elif isinstance(block, ToolCall):
            given = json.dumps(block.input, ensure_ascii=False)
            parts.append(f"{block.name}({given})")
    return "\n".join(parts)


def read(turns: Iterable[Turn]) -> History:
    """The turns as a history: a text that `written` gave is taken apart again."""
    return History(message for turn in turns for message in _messages(turn))


def _messages(turn: Turn) -> Iterator[Message]:
    text = turn.text
    role = turn.role
    begins = _BEGINS.search(text)
    if begins is None:
        yield _message(role, text)
        return
    cuts = [(0, 0, role)]
    cuts += [(tag.start(), tag.end(), tag.group(1)) for tag in _TAG.finditer(text)]
    cuts.append((begins.start(), begins.start(), "user"))
    cuts.sort()
    ends = [cut[0] for cut in cuts[1:]] + [len(text)]
    for (_, start, speaker), end in zip(cuts, ends, strict=True):
        part = text[start:end].removesuffix("\n")
        if part:
            yield _message(speaker, part)


_ROLES: dict[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def _message(role: str, text: str) -> Message:
    known = _ROLES.get(role, "user")
    block: Block = ToolResult("", (Text(text),)) if known == "tool" else Text(text)
    return Message(known, (block,))
