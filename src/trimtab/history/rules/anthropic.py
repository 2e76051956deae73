"""The rules of Anthropic Messages.

Sources: the Messages API reference and its guides on tool use, thinking, server tools and
mid-conversation system messages; the errors that the API answers with, as users report them.
The API joins consecutive messages of one role, so rules about turns look at the joined turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trimtab.history.message import Image, Opaque, Text, Thinking, ToolCall, ToolResult
from trimtab.history.rules.foreign import no_foreign_blocks
from trimtab.history.rules.tools import tool_names_fit, tool_names_unique
from trimtab.history.rules.turns import Turn, blank, thinks
from trimtab.history.rules.violation import Request, Rule, Violation, shown

_ROLES = frozenset({"user", "assistant", "system"})
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}")
_MOST_BREAKPOINTS = 4


def has_messages(request: Request) -> Iterator[Violation]:
    """There is something besides the system prompt."""
    if all(message.role == "system" for message in request.messages):
        yield Violation("no-messages", -1, "there is no message besides the system prompt")


def roles_known(request: Request) -> Iterator[Violation]:
    """Roles are user, assistant and (in mid-conversation) system."""
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is not None and "role" in raw and raw["role"] not in _ROLES:
            yield Violation("role-unknown", at, f"Anthropic has no role {raw['role']!r:.40}")


def starts_with_user(request: Request) -> Iterator[Violation]:
    """The first message is the user's, or holds a compaction block."""
    for at, message in enumerate(request.messages):
        if message.role == "system":
            continue
        first = message.blocks[0] if message.blocks else None
        compacted = isinstance(first, Opaque) and first.kind == "compaction"
        if message.role == "assistant" and not compacted:
            yield Violation("first-message-not-user", at, "the first message is the assistant's")
        return


def system_in_place(request: Request) -> Iterator[Violation]:
    """A system message in mid-conversation stands behind a user turn, before an assistant's."""
    turns = request.turns
    for n, turn in enumerate(turns):
        if turn.side != "system":
            continue
        before = turns[n - 1]
        after = turns[n + 1].side if n + 1 < len(turns) else "assistant"
        if not _may_precede_system(before) or after != "assistant":
            yield Violation(
                "system-misplaced",
                turn.last,
                "a system message must follow a user turn and precede an assistant turn",
            )


def _may_precede_system(turn: Turn) -> bool:
    if turn.side != "assistant":
        return turn.side == "user"
    last = turn.blocks[-1][1] if turn.blocks else None
    return isinstance(last, ToolCall | ToolResult) and last.server


def not_empty(request: Request) -> Iterator[Violation]:
    """Every message but a final assistant message has content."""
    end = len(request.messages) - 1
    for at, message in enumerate(request.messages):
        if message.blocks or message.role == "system":
            continue
        if at < end or message.role != "assistant":
            yield Violation("empty-content", at, f"the {message.role} message has no content")


def texts_not_blank(request: Request) -> Iterator[Violation]:
    """Text blocks have a visible character; a tool's result may be blank."""
    for at, message in enumerate(request.messages):
        if any(map(blank, message.blocks)):
            yield Violation("blank-text", at, "a text block is empty or white space only")


def blocks_in_place(request: Request) -> Iterator[Violation]:
    """Calls and thinking are the assistant's; results and pictures the user's."""
    for at, message in enumerate(request.messages):
        for block in message.blocks:
            match block:
                case ToolCall() | Thinking():
                    wrong = message.role != "assistant"
                case ToolResult(server=True):
                    wrong = message.role != "assistant"
                case ToolResult() | Image():
                    wrong = message.role not in ("user", "tool")
                case _:
                    wrong = False
            if wrong:
                kind = type(block).__name__
                yield Violation(
                    "block-not-allowed", at, f"a {message.role} message may hold no {kind}"
                )


def calls_answered(request: Request) -> Iterator[Violation]:
    """The user turn behind calls answers all of them, each once, and no others."""
    turns = request.turns
    known: set[str] = set()
    for n, turn in enumerate(turns):
        calls = list(turn.calls()) if turn.side == "assistant" else []
        if turn.side == "user" and (n == 0 or turns[n - 1].side != "assistant"):
            yield from _strangers(turn, known, ())
        if n + 1 == len(turns) or turn.side != "assistant":
            continue
        known.update(call.id for _, call in calls)
        answer = turns[n + 1]
        answered: set[str] = set()
        if answer.side == "user":
            answered = {result.call_id for _, result in answer.results()}
            yield from _strangers(answer, known, {call.id for _, call in calls})
        for at, call in calls:
            if call.id not in answered:
                yield Violation(
                    "call-without-result",
                    at,
                    f"the call {shown(call.id)} has no result in the next user message",
                )


def _strangers(
    turn: Turn, known: set[str], expected: set[str] | tuple[str, ...]
) -> Iterator[Violation]:
    """Results that answer no call of the turn before, or answer one twice."""
    seen: set[str] = set()
    for at, result in turn.results():
        id = result.call_id
        if id in seen:
            yield Violation("duplicate-result", at, f"the call {shown(id)} is answered twice")
        elif id in expected:
            pass
        elif id in known:
            yield Violation(
                "result-not-next",
                at,
                f"the result of {shown(id)} is not in the message right behind its call",
            )
        else:
            yield Violation("result-without-call", at, f"no call {shown(id)} precedes its result")
        seen.add(id)


def results_first(request: Request) -> Iterator[Violation]:
    """In a user turn, tool results stand before everything else."""
    for turn in request.turns:
        if turn.side != "user":
            continue
        other = False
        for at, block in turn.blocks:
            if not isinstance(block, ToolResult):
                other = True
            elif other:
                yield Violation(
                    "result-not-first",
                    at,
                    f"the result of {shown(block.call_id)} stands behind other content",
                )
                break


def server_calls_answered(request: Request) -> Iterator[Violation]:
    """A call that the provider ran has its result before the user speaks again.

    At the end it may be open (the turn was paused); between rounds of results, too (the server's
    code is calling the client's tools).
    """
    open_calls: dict[str, int] = {}
    for turn in request.turns:
        if turn.side == "user" and not turn.only_results():
            for id, at in open_calls.items():
                yield Violation(
                    "server-call-without-result",
                    at,
                    f"the server's call {shown(id)} has no result before the user's next words",
                )
            open_calls.clear()
        for at, block in turn.blocks:
            if isinstance(block, ToolCall) and block.server:
                open_calls[block.id] = at
            elif isinstance(block, ToolResult) and block.server:
                if block.call_id not in open_calls:
                    yield Violation(
                        "server-result-without-call",
                        at,
                        f"no open server call {shown(block.call_id)} precedes its result",
                    )
                open_calls.pop(block.call_id, None)


def call_ids_unique(request: Request) -> Iterator[Violation]:
    """No id of a call occurs twice in a request."""
    seen: set[str] = set()
    for at, message in enumerate(request.messages):
        for call in message.calls():
            if call.id in seen:
                yield Violation(
                    "duplicate-call-id", at, f"the call id {shown(call.id)} was used before"
                )
            seen.add(call.id)


def call_ids_fit(request: Request) -> Iterator[Violation]:
    """Ids of calls are of letters, digits, underscore and hyphen."""
    for at, message in enumerate(request.messages):
        for call in message.calls():
            if not _ID.fullmatch(call.id):
                yield Violation(
                    "bad-id",
                    at,
                    f"the call id {shown(call.id)} is not of letters, digits, _ and - only",
                )


def call_names_fit(request: Request) -> Iterator[Violation]:
    """So are the tool names of calls, 200 at most."""
    for at, message in enumerate(request.messages):
        for call in message.calls():
            if not _NAME.fullmatch(call.name):
                yield Violation(
                    "bad-tool-name",
                    at,
                    f"the tool name {shown(call.name)} is not of letters, digits, _ and - only",
                )


def arguments_are_objects(request: Request) -> Iterator[Violation]:
    """The input of a call is a JSON object."""
    for at, message in enumerate(request.messages):
        if request.native(message) is None:
            continue  # the writer makes an object of it
        for call in message.calls():
            if not isinstance(call.input, dict):
                yield Violation(
                    "invalid-arguments", at, f"the input of {shown(call.id)} is no JSON object"
                )


def thinking_not_last(request: Request) -> Iterator[Violation]:
    """An assistant turn does not end in thinking."""
    for turn in request.turns:
        if turn.side == "assistant" and turn.blocks and thinks(turn.blocks[-1][1]):
            yield Violation(
                "thinking-last", turn.last, "the last block of the assistant turn is thinking"
            )


def thinking_leads_loop(request: Request) -> Iterator[Violation]:
    """With thinking enabled by budget, the tool loop at the end starts with thinking.

    Adaptive thinking, and requests that do not enable it, do not ask for that.
    """
    setting = request.envelope.get("thinking")
    if not isinstance(setting, dict) or setting.get("type") != "enabled":
        return
    turns = request.turns
    n = len(turns) - 1
    if n < 1 or turns[n - 1].side != "assistant" or not any(turns[n].results()):
        return
    while n >= 3 and any(turns[n - 2].results()) and turns[n - 2].only_results():
        n -= 2
    first = turns[n - 1]
    if first.blocks and not thinks(first.blocks[0][1]):
        yield Violation(
            "thinking-not-first",
            first.blocks[0][0],
            "thinking is enabled, and the running tool loop does not start with thinking",
        )


def no_white_space_at_end(request: Request) -> Iterator[Violation]:
    """A final assistant message (a prefill) does not end in white space."""
    if not request.messages:
        return
    last = request.messages[-1]
    block = last.blocks[-1] if last.blocks else None
    if last.role == "assistant" and isinstance(block, Text) and block.text != block.text.rstrip():
        yield Violation(
            "ends-with-assistant-whitespace",
            len(request.messages) - 1,
            "the final assistant text ends in white space",
        )


def few_cache_breakpoints(request: Request) -> Iterator[Violation]:
    """At most four cache breakpoints."""
    count = sum(_breakpoint(tool.raw) for tool in request.tools)
    count += _breakpoint(request.envelope)
    for message in request.messages:
        if message.dialect != request.dialect:
            continue
        for block in message.blocks:
            count += _breakpoint(block.raw)
            if isinstance(block, ToolResult):
                count += sum(_breakpoint(part.raw) for part in block.content)
    if count > _MOST_BREAKPOINTS:
        yield Violation(
            "too-many-cache-breakpoints",
            -1,
            f"{count} cache breakpoints; {_MOST_BREAKPOINTS} are allowed",
        )


def _breakpoint(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("cache_control") is not None


RULES: tuple[Rule, ...] = (
    has_messages,
    roles_known,
    starts_with_user,
    system_in_place,
    not_empty,
    texts_not_blank,
    blocks_in_place,
    calls_answered,
    results_first,
    server_calls_answered,
    call_ids_unique,
    call_ids_fit,
    call_names_fit,
    arguments_are_objects,
    thinking_not_last,
    thinking_leads_loop,
    no_white_space_at_end,
    few_cache_breakpoints,
    tool_names_unique,
    tool_names_fit,
    no_foreign_blocks,
)
