"""The provider rules that a context must obey, each a function, one file a provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.errors import UsageError
from trimtab.history.message import Message, Tool
from trimtab.history.rules import anthropic, neutral, openai_chat, openai_responses
from trimtab.history.rules.violation import Request, Rule, Violation

__all__ = ["RULES", "Violation", "validate"]

RULES: Mapping[str, tuple[Rule, ...]] = {
    "anthropic": anthropic.RULES,
    "openai": openai_chat.RULES,
    "responses": openai_responses.RULES,
    "neutral": neutral.RULES,
}
"""The rules of each dialect."""


def validate(
    messages: Sequence[Message],
    dialect: str,
    *,
    tools: Sequence[Tool] = (),
    envelope: Mapping[str, Any] | None = None,
) -> tuple[Violation, ...]:
    """Every broken rule, in the order of the messages; empty for a valid request.

    Costs time in proportion to the messages.

    Args:
        messages: a history or a context.
        dialect: whose rules: `anthropic`, `openai`, `responses` or `neutral`.
        tools: the tool definitions of the request.
        envelope: its other settings.

    Raises:
        UsageError: there are no rules for this dialect.
    """
    rules = RULES.get(dialect)
    if rules is None:
        raise UsageError(f"no rules for {dialect!r}; there are some for {', '.join(RULES)}")
    request = Request(dialect, messages, tools, {} if envelope is None else envelope)
    found = [violation for rule in rules for violation in rule(request)]
    return tuple(sorted(found, key=lambda v: v.index))
