"""A recorded Anthropic conversation, brought into the shape that the API takes.

All results of a response stand in the one user message behind it; no text is blank; the user
speaks first. Each mend is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from trimtab.formats.anthropic import read_message
from trimtab.formats.pairs import (
    NO_RESULT,
    Draft,
    Later,
    is_result,
    report_orphan,
    report_unanswered,
)
from trimtab.history.message import Block, Message, Text, Thinking, ToolCall, ToolResult

NO_START = "[the beginning of this thread was not recorded]"


def fitted(draft: Draft) -> Draft:
    """The draft as the API takes it."""
    return _user_first(_with_results(_without_last_thinking(_without_blanks(draft))))


def _no_result(call: ToolCall, message: Message) -> Message:
    block = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": NO_RESULT,
        "is_error": True,
    }
    made = read_message({"role": "user", "content": [block]})
    return replace(made, typed=False, time=message.time)


def _without_blanks(draft: Draft) -> Draft:
    """Agents record the blank texts that models say between blocks; the API refuses them."""
    mended = Draft(draft.source)
    gone = 0
    first: int | None = None
    for message, line in zip(draft.messages, draft.lines, strict=True):
        kept = [b for b in message.blocks if not (isinstance(b, Text) and not b.text.strip())]
        if len(kept) == len(message.blocks):
            mended.add(message, line)
            continue
        first = line if not gone else first
        gone += len(message.blocks) - len(kept)
        if kept:
            mended.add(rebuilt(message, kept), line)
    if gone:
        reason = f"{gone} blank texts, the first here" if gone > 1 else "a blank text"
        draft.source.report(first, reason, "left out what the API would refuse")
    return mended


def _without_last_thinking(draft: Draft) -> Draft:
    """An answer that broke off in its thinking: the API refuses thinking that leads nowhere."""
    mended = Draft(draft.source)
    for at, (message, line) in enumerate(zip(draft.messages, draft.lines, strict=True)):
        blocks = list(message.blocks)
        goes_on = at + 1 < len(draft) and draft.messages[at + 1].role == "assistant"
        while message.role == "assistant" and not goes_on and blocks:
            if not isinstance(blocks[-1], Thinking):
                break
            blocks.pop()
        if len(blocks) == len(message.blocks):
            mended.add(message, line)
            continue
        draft.source.report(line, "an answer that broke off in its thinking", "left that out")
        if blocks:
            mended.add(rebuilt(message, blocks), line)
    return mended


def _user_first(draft: Draft) -> Draft:
    messages = draft.messages
    at = next((n for n, m in enumerate(messages) if m.role != "system"), len(messages))
    if at == len(messages) or messages[at].role != "assistant":
        return draft
    raw = {"role": "user", "content": NO_START}
    mended = Draft(draft.source, list(messages), list(draft.lines))
    mended.messages.insert(at, replace(read_message(raw), typed=False))
    mended.lines.insert(at, None)
    draft.source.report(
        draft.lines[at], "the first message is the model's", "put a note in front of it"
    )
    return mended


def _with_results(draft: Draft) -> Draft:
    """All results of an assistant message at the front of the one user message behind it."""
    mended = Draft(draft.source)
    messages = draft.messages
    later = Later(messages)
    used: dict[int, set[int]] = defaultdict(set)
    for at, (message, line) in enumerate(zip(messages, draft.lines, strict=True)):
        rest = _left_over(draft, at, used[at])
        if rest is not None:
            mended.add(rest, line)
        calls = [call for call in message.calls() if not call.server]
        if not calls:
            continue
        places = {call.id: later.block(call.id, at) for call in calls}
        if at == len(messages) - 1:
            continue
        following = at + 1
        behind = messages[following]
        blocks: list[Block] = []
        for place in sorted({place for place in places.values() if place is not None}):
            blocks.append(messages[place[0]].blocks[place[1]])
            used[place[0]].add(place[1])
            if place[0] != following:
                draft.source.report(
                    draft.lines[place[0]],
                    "a tool result away from its call",
                    "moved it up to the call",
                )
        open_end = not blocks and _only_results_follow(messages, at)
        for call in calls:
            if places[call.id] is None and not open_end:
                blocks.extend(_no_result(call, message).blocks)
                report_unanswered(draft, line, call)
        if not blocks:
            continue
        whole = set(range(len(behind.blocks)))
        own = {n for j, n in (p for p in places.values() if p is not None) if j == following}
        if own and blocks == list(behind.blocks):
            mended.add(behind, draft.lines[following])
            used[following] = whole
        elif own:
            # The results go first; what the user said with them stays in the same message.
            others = [
                b
                for n, b in enumerate(behind.blocks)
                if n not in own and not isinstance(b, ToolResult)
            ]
            mended.add(rebuilt(behind, [*blocks, *others]), draft.lines[following])
            used[following] = whole
        else:
            mended.add(rebuilt(_no_result(calls[0], message), blocks), line)
    return mended


def rebuilt(message: Message, blocks: Iterable[Block]) -> Message:
    """An Anthropic message of other blocks, its `raw` made anew from theirs."""
    kept = tuple(blocks)
    content = [
        b.raw if isinstance(b.raw, dict) or not isinstance(b, Text) else _text_raw(b) for b in kept
    ]
    return replace(message, blocks=kept, raw={"role": message.role, "content": content})


def _text_raw(block: Text) -> dict[str, str]:
    return {"type": "text", "text": block.text}


def _left_over(draft: Draft, at: int, used: set[int]) -> Message | None:
    """What of a message was not moved up: orphan results are left out, and reported."""
    message = draft.messages[at]
    orphans = [
        n
        for n, b in enumerate(message.blocks)
        if isinstance(b, ToolResult) and not b.server and n not in used
    ]
    if not used and not orphans:
        return message
    for n in orphans:
        block = message.blocks[n]
        if isinstance(block, ToolResult):
            report_orphan(draft, draft.lines[at], block.call_id)
    rest = [b for n, b in enumerate(message.blocks) if n not in used and n not in orphans]
    return rebuilt(message, rest) if rest else None


def _only_results_follow(messages: list[Message], at: int) -> bool:
    return all(is_result(message) for message in messages[at + 1 :])
