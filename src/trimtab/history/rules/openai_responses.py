"""The rules of the OpenAI Responses API.

Sources: the API reference, and the errors that the API answers with, as users report them.

Not checked, for the request does not show it: whether an item whose response began with reasoning
lost it (`item ... without its required 'reasoning' item`). Exchanges keep the two together.
"""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.message import Message, Opaque, Thinking, ToolCall, ToolResult
from trimtab.history.rules.arguments import arguments_are_json
from trimtab.history.rules.foreign import no_foreign_blocks
from trimtab.history.rules.violation import Request, Rule, Violation, shown

_ROLES = frozenset({"system", "developer", "user", "assistant"})


def roles_known(request: Request) -> Iterator[Violation]:
    """Message items are the system's, the developer's, the user's or the assistant's."""
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is not None and "role" in raw and raw["role"] not in _ROLES:
            yield Violation("role-unknown", at, f"Responses has no role {raw['role']!r:.40}")


def calls_answered(request: Request) -> Iterator[Violation]:
    """Every call has its output further on, every output its call before it.

    Calls of the last response may be open. Outputs may answer calls that only the provider has:
    behind a `previous_response_id`, a `conversation` or an item reference.
    """
    elsewhere = any(request.envelope.get(k) for k in ("previous_response_id", "conversation"))
    last_other = _last_not_assistant(request)
    waiting: dict[str, list[int]] = {}
    for at, message in enumerate(request.messages):
        for block in message.blocks:
            if isinstance(block, Opaque) and block.kind == "item_reference":
                elsewhere = True
            elif isinstance(block, ToolCall) and not _same_item(block, message):
                stack = waiting.setdefault(block.id, [])
                if stack:
                    yield Violation(
                        "duplicate-call-id",
                        at,
                        f"the call id {shown(block.id)} is that of a call without output yet",
                    )
                stack.append(-1 if block.server else at)
            elif isinstance(block, ToolResult) and not _same_item(block, message):
                stack = waiting.get(block.call_id, [])
                if stack:
                    stack.pop()
                elif not elsewhere:
                    yield Violation(
                        "result-without-call",
                        at,
                        f"no call {shown(block.call_id)} without output precedes this one",
                    )
    for id, stack in waiting.items():
        for at in stack:
            if 0 <= at < last_other:
                yield Violation("call-without-result", at, f"the call {shown(id)} has no output")


def _same_item(block: ToolCall | ToolResult, message: Message) -> bool:
    """Call and result in one item, run by the provider."""
    return block.server and len(message.blocks) > 1


def _last_not_assistant(request: Request) -> int:
    for at in range(len(request.messages) - 1, -1, -1):
        if request.messages[at].role != "assistant":
            return at
    return -1


def reasoning_followed(request: Request) -> Iterator[Violation]:
    """Behind reasoning comes the item that it led to."""
    messages = request.messages
    for at, message in enumerate(messages):
        if not _is_reasoning(message):
            continue
        after = messages[at + 1] if at + 1 < len(messages) else None
        if after is None or after.role != "assistant":
            yield Violation(
                "reasoning-without-item", at, "no item of the same response follows the reasoning"
            )


def _is_reasoning(message: Message) -> bool:
    return (
        message.dialect == "responses"
        and bool(message.blocks)
        and all(isinstance(block, Thinking) for block in message.blocks)
    )


def not_empty(request: Request) -> Iterator[Violation]:
    """Message items have content."""
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is None:
            empty = not message.blocks and not isinstance(message.raw, str)
        else:
            empty = "role" in raw and raw.get("content") in (None, [])
        if empty:
            yield Violation("empty-content", at, f"the {message.role} message has no content")


def item_ids_unique(request: Request) -> Iterator[Violation]:
    """No item occurs twice."""
    seen: set[str] = set()
    for at, message in enumerate(request.messages):
        raw = message.raw if message.dialect == "responses" else None
        if not isinstance(raw, dict) or str(raw.get("type")).endswith("_output"):
            continue  # an output's `id` may be that of its call
        id = raw.get("id")
        if isinstance(id, str) and id:
            if id in seen:
                yield Violation("duplicate-item-id", at, f"the item {shown(id)} occurs twice")
            seen.add(id)


def call_ids_present(request: Request) -> Iterator[Violation]:
    """Every call has an id."""
    for at, message in enumerate(request.messages):
        if any(not call.id and not call.server for call in message.calls()):
            yield Violation("bad-id", at, "a call has no call_id")


RULES: tuple[Rule, ...] = (
    roles_known,
    calls_answered,
    reasoning_followed,
    not_empty,
    item_ids_unique,
    call_ids_present,
    arguments_are_json,
    no_foreign_blocks,
)
