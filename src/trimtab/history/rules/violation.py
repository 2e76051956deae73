"""What a broken rule is, and what rules look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from trimtab.history.message import Message, Tool
from trimtab.history.rules.turns import Turn, turns_of


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken provider rule.

    Attributes:
        rule: the rule's name, such as `call-without-result`.
        index: the message, counted from 0 in the sequence that was checked; -1 where it is the
            request as a whole.
        explanation: what is wrong, in one line.
    """

    rule: str
    index: int
    explanation: str


@dataclass(frozen=True)
class Request:
    """What a rule looks at: messages, tool definitions and the other settings."""

    dialect: str
    messages: Sequence[Message]
    tools: Sequence[Tool]
    envelope: Mapping[str, Any]

    @cached_property
    def turns(self) -> list[Turn]:
        """The turns behind the leading system messages."""
        return turns_of(self.messages)

    def native(self, message: Message) -> Mapping[str, Any] | None:
        """The message as it will be written, where that is just what was read."""
        if message.dialect == self.dialect and not message.edited:
            return message.raw if isinstance(message.raw, dict) else None
        return None


Rule: TypeAlias = Callable[[Request], Iterator[Violation]]
"""A rule: everything in the request that breaks it. Its cost is linear in the request."""


def shown(id: str) -> str:
    """A call id as it stands in an explanation."""
    return repr(id) if len(id) <= 60 else repr(id[:57] + "...")
