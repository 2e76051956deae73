"""From one provider's history to another's: what moves, where results stand, their ids.

Nothing that only its own provider can read moves: sealed thinking, encrypted reasoning, calls
run by the provider, opaque blocks. A result stands directly behind the turn that called, as the
strictest provider wants it. Everything left out or changed is said in `Losses`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import Any

from trimtab.formats import losses as lost
from trimtab.formats.jsontext import loads
from trimtab.formats.losses import Losses
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

CallKey = tuple[int, int]
"""Message and block number of a call."""

BEGIN = "[The conversation starts here.]"
"""Said by the user where a target refuses to start with the assistant."""

_ID_LENGTH = {"anthropic": 64, "openai": 40, "responses": 64}
_NAME_LENGTH = 64
_NOT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")


def adapt(messages: Sequence[Message], target: str, losses: Losses) -> list[Message]:
    """The messages as the target can hold them; each is then written from its blocks.

    Args:
        messages: a history or context; those already in the target's dialect stay as they are
            where nothing in them must change.
        target: `anthropic`, `openai`, `responses` or `neutral`.
        losses: is told what could not move.
    """
    if target == "neutral":
        return _to_neutral(messages, losses)
    return _Turns(messages, target, losses).build()


class _Turns:
    """One conversion to a provider's dialect."""

    def __init__(self, messages: Sequence[Message], target: str, losses: Losses) -> None:
        self.messages = messages
        self.target = target
        self.losses = losses
        self.out: list[Message] = []
        self.waiting: list[CallKey] = []
        self.results, self.answering = _pair(messages)
        self.spoken = _spoken_before(messages)
        self.ids = _name_calls(messages, target, losses)

    def build(self) -> list[Message]:
        head = True
        for at, message in enumerate(self.messages):
            head = head and message.role == "system"
            if message.required is not None:
                self.losses.add(lost.REQUIRED)
            if message.role == "assistant":
                self._assistant(at, message)
                continue
            self._answer(at)
            blocks = tuple(self._kept(at, message))
            if not blocks:
                continue
            if message.role == "system" and not head and self.target == "anthropic":
                self.losses.add(lost.SYSTEM_NOTE)
                note = Text(f"[system] {message.text}")
                self.out.append(Message("user", (note,)))
            else:
                self.out.append(_with(message, blocks, self.target))
        if self.target == "anthropic":
            self._mend_ends()
        return self.out

    def _assistant(self, at: int, message: Message) -> None:
        blocks = tuple(self._kept(at, message))
        if not blocks:
            return
        last = self.out[-1] if self.out else None
        if last is not None and last.role == "assistant" and self._joins(message, last):
            self.out[-1] = Message(
                "assistant", last.blocks + blocks, dialect=_same(message.dialect, last.dialect)
            )
        else:
            self.out.append(_with(message, blocks, self.target))
        self.waiting += [(at, n) for n, b in enumerate(message.blocks) if (at, n) in self.ids]

    def _joins(self, message: Message, last: Message) -> bool:
        """Calls that wait for results keep their turn together; so do items of one response."""
        return bool(self.waiting) or message.dialect == last.dialect == "responses"

    def _answer(self, before: int) -> None:
        """Put the results of the calls of the last turn behind it."""
        blocks: list[Block] = []
        for key in self.waiting:
            found = self.results.get(key)
            if found is None:
                continue
            where, result = found
            if self.spoken[where] > self.spoken[before]:
                self.losses.add(lost.RESULT_MOVED)
            content = tuple(self._kept_parts(result.content))
            blocks.append(ToolResult(self.ids[key], content, is_error=result.is_error))
        self.waiting.clear()
        if blocks:
            self.out.append(Message("user", tuple(blocks)))

    def _kept(self, at: int, message: Message) -> list[Block]:
        kept: list[Block] = []
        for n, block in enumerate(message.blocks):
            match block:
                case ToolCall(server=True):
                    self.losses.add(lost.SERVER_CALL)
                case ToolCall():
                    kept.append(self._call(block, self.ids[at, n]))
                case ToolResult():
                    if block.server:
                        continue  # said with its call
                    if (at, n) not in self.answering:
                        if block.pending:
                            self.losses.add(lost.PENDING)
                        else:
                            kept.append(replace(block, raw=None))
                case Thinking():
                    self._lose_thinking(block, message)
                case Opaque():
                    self.losses.add(lost.opaque(block.kind))
                case Image() | Document() if message.role == "assistant":
                    self.losses.add(lost.PICTURE)
                case Text() if not block.text.strip():
                    if block.text:
                        self.losses.add(lost.BLANK)
                case _:
                    kept.append(block)
        return kept

    def _call(self, block: ToolCall, id: str) -> ToolCall:
        given = self._arguments(block.input)
        name = fit_name(block.name)
        if name != block.name:
            self.losses.add(lost.NAMES)
        return ToolCall(id, name, given)

    def _arguments(self, given: Any) -> Any:
        """What the target takes: JSON for OpenAI, an object for Anthropic; else it is wrapped."""
        value = given
        if isinstance(given, str):
            if not given.strip():
                return {}
            with suppress(ValueError):
                value = loads(given)
                if self.target != "anthropic":
                    return given
        if value is None or isinstance(value, dict):
            return value
        if self.target != "anthropic" and not isinstance(value, str):
            return value
        self.losses.add(lost.ARGUMENTS)
        return {"input": value}

    def _kept_parts(self, content: tuple[Content, ...]) -> list[Content]:
        kept: list[Content] = []
        for part in content:
            if isinstance(part, Opaque):
                self.losses.add(lost.opaque(part.kind))
            elif isinstance(part, Text) and not part.text.strip():
                if part.text:
                    self.losses.add(lost.BLANK)
            else:
                kept.append(replace(part, raw=None))
        return kept

    def _lose_thinking(self, block: Thinking, message: Message) -> None:
        if block.signature is None:
            self.losses.add(lost.THINKING)
        elif message.dialect == "responses":
            self.losses.add(lost.ENCRYPTED_REASONING)
        else:
            self.losses.add(lost.SIGNED_THINKING)

    def _mend_ends(self) -> None:
        """Anthropic starts with the user, and its last assistant text ends in no white space."""
        at = next((n for n, m in enumerate(self.out) if m.role != "system"), None)
        if at is None:
            return
        if self.out[at].role == "assistant":
            self.losses.add(lost.FIRST_USER)
            self.out.insert(at, Message("user", (Text(BEGIN),)))
        last = self.out[-1]
        block = last.blocks[-1]
        if last.role == "assistant" and isinstance(block, Text):
            text = block.text.rstrip()
            if text != block.text:
                self.losses.add(lost.TRAILING_SPACE)
                self.out[-1] = last.with_blocks((*last.blocks[:-1], Text(text)))


def fit_name(name: str) -> str:
    """A tool name that every provider takes."""
    return _NOT_IN_ID.sub("_", name)[:_NAME_LENGTH] or "tool"


def _same(one: str, other: str) -> str:
    return one if one == other else ""


def _with(message: Message, blocks: tuple[Block, ...], target: str) -> Message:
    """The message with these blocks; the same object where they are its own."""
    if message.dialect == target and [*map(id, blocks)] == [*map(id, message.blocks)]:
        return message
    return Message(message.role, blocks, id=message.id, dialect=message.dialect)


def _spoken_before(messages: Sequence[Message]) -> list[int]:
    """For each message, how many before it say anything but tool results."""
    said = (any(not isinstance(b, ToolResult) for b in m.blocks) for m in messages)
    return list(accumulate(map(int, said), initial=0))


def _pair(
    messages: Sequence[Message],
) -> tuple[dict[CallKey, tuple[int, ToolResult]], set[CallKey]]:
    """Each call's result (a final one before an interim one), and all results that answer.

    A result answers the latest open call of its id.
    """
    found: dict[CallKey, tuple[int, ToolResult]] = {}
    answering: set[CallKey] = set()
    waiting: dict[str, list[CallKey]] = {}
    for at, message in enumerate(messages):
        for n, block in enumerate(message.blocks):
            if isinstance(block, ToolCall):
                waiting.setdefault(block.id, []).append((at, n))
            elif isinstance(block, ToolResult) and waiting.get(block.call_id):
                stack = waiting[block.call_id]
                found[stack[-1]] = at, block
                answering.add((at, n))
                if not block.pending:
                    stack.pop()
    return found, answering


def _name_calls(messages: Sequence[Message], target: str, losses: Losses) -> dict[CallKey, str]:
    """An id for each client call, as the target wants it and used once only."""
    names: dict[CallKey, str] = {}
    taken: set[str] = set()
    again: dict[str, int] = {}
    for at, message in enumerate(messages):
        for n, block in enumerate(message.blocks):
            if not isinstance(block, ToolCall) or block.server:
                continue
            fit = block.id if target != "anthropic" else _NOT_IN_ID.sub("_", block.id)
            fit = fit[: _ID_LENGTH[target]] or "call"
            name = fit
            while name in taken:
                again[fit] = again.get(fit, 1) + 1
                suffix = f"_{again[fit]}"
                name = fit[: _ID_LENGTH[target] - len(suffix)] + suffix
            taken.add(name)
            names[at, n] = name
            if name != block.id:
                losses.add(lost.IDS)
    return names


def _to_neutral(messages: Sequence[Message], losses: Losses) -> list[Message]:
    """The neutral form holds everything readable, in its place."""
    out: list[Message] = []
    for message in messages:
        if message.dialect == "neutral":
            out.append(message)
            continue
        blocks = tuple(
            block for b in message.blocks if (block := _neutral_block(b, losses)) is not None
        )
        if blocks or not message.blocks:
            plain = replace(message, blocks=blocks, dialect="", raw=None, edited=False)
            out.append(plain)
    return out


def _neutral_block(block: Block, losses: Losses) -> Block | None:
    match block:
        case Thinking():
            if not block.text:
                losses.add(lost.SIGNED_THINKING if block.signature else lost.THINKING)
                return None
            if block.signature is not None:
                losses.add(lost.THINKING_SEAL)
            return Thinking(block.text)
        case ToolCall():
            given = block.input
            if isinstance(given, str):
                try:
                    given = loads(given)
                except ValueError:
                    given = block.input
            return replace(block, input=given, raw=None, edited=False)
        case ToolResult():
            for part in block.content:
                if isinstance(part, Opaque):
                    losses.add(lost.opaque(part.kind))
            parts = tuple(replace(p, raw=None) for p in block.content if not isinstance(p, Opaque))
            return replace(block, content=parts, raw=None, edited=False)
        case Opaque():
            losses.add(lost.opaque(block.kind))
            return None
    return replace(block, raw=None, edited=False)
