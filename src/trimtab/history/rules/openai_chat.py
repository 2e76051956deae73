"""The rules of OpenAI Chat Completions.

Sources: the API reference, and the errors that the API and compatible servers answer with, as
users report them. An id may come back in a later turn (some servers count anew each time).
"""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.message import ToolCall, ToolResult
from trimtab.history.rules.arguments import arguments_are_json
from trimtab.history.rules.foreign import no_foreign_blocks
from trimtab.history.rules.tools import tool_names_fit, tool_names_unique
from trimtab.history.rules.violation import Request, Rule, Violation, shown

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def has_messages(request: Request) -> Iterator[Violation]:
    """There is at least one message."""
    if not request.messages:
        yield Violation("no-messages", -1, "there is no message")


def roles_known(request: Request) -> Iterator[Violation]:
    """Roles are those of the reference."""
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is not None and raw.get("role") not in _ROLES:
            yield Violation("role-unknown", at, f"OpenAI has no role {raw.get('role')!r:.40}")


def calls_answered(request: Request) -> Iterator[Violation]:
    """Tool messages follow the calls directly and answer all of them, each once."""
    waiting: dict[str, int] = {}
    group: set[str] = set()
    known: set[str] = set()
    for at, message in enumerate(request.messages):
        for result in message.results():
            id = result.call_id
            if id in waiting:
                del waiting[id]
            elif id in group:
                yield Violation("duplicate-result", at, f"the call {shown(id)} is answered twice")
            elif id in known:
                yield Violation(
                    "result-not-next",
                    at,
                    f"the result of {shown(id)} does not directly follow its call",
                )
            else:
                yield Violation(
                    "result-without-call", at, f"no call {shown(id)} precedes its result"
                )
        if all(isinstance(block, ToolResult) for block in message.blocks) and message.blocks:
            continue
        yield from _unanswered(waiting)
        waiting, group = {}, set()
        for call in message.calls():
            if call.server:
                continue
            if call.id in group:
                yield Violation(
                    "duplicate-call-id",
                    at,
                    f"the call id {shown(call.id)} occurs twice in one message",
                )
            waiting[call.id] = at
            group.add(call.id)
            known.add(call.id)
    end = len(request.messages) - 1
    yield from _unanswered({id: at for id, at in waiting.items() if at < end})


def _unanswered(waiting: dict[str, int]) -> Iterator[Violation]:
    for id, at in waiting.items():
        yield Violation(
            "call-without-result",
            at,
            f"the call {shown(id)} has no tool message before the next message",
        )


def not_empty(request: Request) -> Iterator[Violation]:
    """Messages have content; an assistant message may have calls instead."""
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is None:
            empty = not message.blocks
        else:
            empty = raw.get("content") in (None, [])
            if message.role == "assistant":
                empty = empty and not message.blocks
        if empty:
            yield Violation("empty-content", at, f"the {message.role} message has no content")
        elif raw is not None and raw.get("tool_calls") == []:
            yield Violation("empty-content", at, "the list tool_calls is empty")


def blocks_in_place(request: Request) -> Iterator[Violation]:
    """Calls are the assistant's, results are not."""
    for at, message in enumerate(request.messages):
        for block in message.blocks:
            if isinstance(block, ToolCall) and message.role != "assistant":
                yield Violation("block-not-allowed", at, f"a {message.role} message calls a tool")
            if isinstance(block, ToolResult) and message.role in ("assistant", "system"):
                if block.server:
                    continue
                yield Violation(
                    "block-not-allowed", at, f"a {message.role} message may hold no tool result"
                )


def call_ids_present(request: Request) -> Iterator[Violation]:
    """Every call has an id."""
    for at, message in enumerate(request.messages):
        if any(not call.id for call in message.calls()):
            yield Violation("bad-id", at, "a call has no id")


RULES: tuple[Rule, ...] = (
    has_messages,
    roles_known,
    calls_answered,
    not_empty,
    blocks_in_place,
    call_ids_present,
    arguments_are_json,
    tool_names_unique,
    tool_names_fit,
    no_foreign_blocks,
)
