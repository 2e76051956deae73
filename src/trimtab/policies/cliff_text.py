"""The text of a cliff: what was said and done, told in order from the sources, without a model.

Nothing in it has the form of a call, which a model would imitate instead of calling. The user's
words stand as they are; every line of anybody else's longer text begins with `|`, so that no
result can pass for the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.context.blocks import prepared_text
from trimtab.history.exchanges import Exchange
from trimtab.history.log import History
from trimtab.history.message import (
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.history.placeholders import RECORD
from trimtab.history.tool_uses import ToolUse, uses_among
from trimtab.pins import says_something
from trimtab.policies.call_listing import arguments_of, clipped
from trimtab.resources.outcome import failed

HEADING = f"{RECORD} Lines after | are quoted; recall brings back what was left out."
REQUIRED = "Required by the user, word for word:"
OLDER = "(Work before this is not told; it is found by search.)"
USER = "The user: "
_OTHERS = ("The assistant", "Used ", "Result", "It failed", "The system", "In the user's name", "(")
_NOTIFICATION = re.compile(r"<task-notification>.*?</task-notification>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Caps:
    """How much is told of each kind of content, in characters; 0: all of it.

    Attributes:
        result: a longer result is left out; of a failure the two ends stay.
        call: the line of a call.
        thought: what the assistant wrote.
        thinking: its reasoning; `None`: nothing of it.
        human: what anybody else wrote.
    """

    result: int = 500
    call: int = 150
    thought: int = 0
    thinking: int | None = 0
    human: int = 20_000


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells of exchanges.

    Attributes:
        history: H.
        caps: how much.
        left: whether message number `n` has left the context; what is in it is not told.
        id_of: the id of the block that holds message `n`, block `b`; empty if not known.
    """

    history: History
    caps: Caps
    left: Callable[[int], bool]
    id_of: Callable[[int, int], str]

    def tell(self, exchange: Exchange) -> str:
        """What was said and done in an exchange; empty where all of it is in the context."""
        history = self.history
        numbers = [n for n in range(exchange.start, exchange.stop) if self.left(n)]
        if not numbers:
            return ""
        uses = {(u.message, u.block): u for u in uses_among(history, exchange.start, exchange.stop)}
        answered = {use.result for use in uses.values()}
        lines: list[str] = []
        for number in numbers:
            message = history[number]
            for at, block in enumerate(message.blocks):
                if isinstance(block, ToolCall):
                    lines += self._call(block, uses.get((number, at)), number, at)
                elif isinstance(block, ToolResult):
                    if (number, at) not in answered:
                        lines += self._result(block, self.id_of(number, at))
                else:
                    lines += self._said(message, number, at)
        return "\n".join(lines)

    def _said(self, message: Message, number: int, at: int) -> list[str]:
        block = message.blocks[at]
        if isinstance(block, Thinking):
            cap = self.caps.thinking
            if cap is None or not block.text.strip():
                return []
            return [self._quote("The assistant thought", block.text, cap, number, at)]
        if isinstance(block, Image | Document | Opaque):
            return [f"({_kind(block)} left out{_recall(self.id_of(number, at))})"]
        if not isinstance(block, Text):
            return []
        text = _NOTIFICATION.sub("", block.text).strip("\n")
        if not text.strip() or is_record(text):
            return []
        if message.role == "assistant":
            return [self._quote("The assistant", text, self.caps.thought, number, at)]
        if message.role == "user" and message.typed and says_something(message):
            return [f"{USER}{self._cut(text, self.caps.human, number, at)}"]
        if message.role == "user" and not self.history.exchanges.with_calls:
            told = ToolResult("", (Text(text),))  # an agent without tool calls: what came of it
            return self._result(told, self.id_of(number, at))
        speaker = "The system" if message.role == "system" else "In the user's name"
        return [self._quote(speaker, text, self.caps.human, number, at)]

    def _call(self, call: ToolCall, use: ToolUse | None, number: int, at: int) -> list[str]:
        line = f"Used {call.name}"
        told = arguments_of(call.input)
        whole = f"{line} with {told}" if told else line
        line = clipped(whole, self.caps.call) if self.caps.call else " ".join(whole.split())
        lines = [line]
        if use is not None and use.result is not None:
            result = self.history[use.result[0]].blocks[use.result[1]]
            if isinstance(result, ToolResult):
                lines += self._result(result, self.id_of(*use.result))
        if line.endswith("…") and not any("recall blk_" in said for said in lines[1:]):
            lines[0] += _recall(self.id_of(number, at))
        return lines

    def _result(self, result: ToolResult, block: str) -> list[str]:
        text = prepared_text(self.history, result.text.strip("\n"))
        limit = self.caps.result
        label = "It failed" if result.is_error else "Result"
        lines = []
        if not limit or len(text) <= limit:
            lines.append(_quoted(label, text) if text.strip() else f"{label}: no text")
        elif failed(result, shell=True):
            half = limit // 2
            left = f"{len(text) - 2 * half:,} characters left out{_recall(block)}"
            lines += [_quoted(label, text[:half]), f"({left})"]
            lines += [_lines(text[len(text) - half :])] if half else []
        else:
            lines.append(f"{label} of {len(text):,} characters left out{_recall(block)}")
        others = [part for part in result.content if not isinstance(part, Text)]
        lines += [f"({_kind(part)} left out{_recall(block)})" for part in others]
        return lines

    def _quote(self, speaker: str, text: str, cap: int, number: int, at: int) -> str:
        return _quoted(speaker, self._cut(text, cap, number, at))

    def _cut(self, text: str, cap: int, number: int, at: int) -> str:
        """The two ends of what is longer than `cap`."""
        if not cap or len(text) <= cap:
            return text
        text = prepared_text(self.history, text)  # before the cut: half a secret has no mark
        half = cap // 2
        left = f"({len(text) - 2 * half:,} characters left out{_recall(self.id_of(number, at))})"
        return f"{text[:half]} {left} {text[len(text) - half :]}"


def stays_whole(exchange: Exchange, history: History) -> bool:
    """Whatever the caps, all of it is told: it may leave in one block with its neighbours."""
    if exchange.has_calls:
        return False
    return all(
        isinstance(block, Text) and len(block.text) <= 300
        for number in range(exchange.start, exchange.stop)
        for block in history[number].blocks
    )


def record(required: Sequence[str], parts: Sequence[str], complete: bool) -> str:
    """The whole text.

    Args:
        required: spans that stand in none of the parts.
        parts: what is told, oldest first.
        complete: nothing older was left out.
    """
    told = [HEADING]
    if required:
        told.append("\n".join([REQUIRED, *(f"- {span}" for span in required)]))
    if not complete:
        told.append(OLDER)
    return "\n\n".join([*told, *parts])


def is_record(text: str) -> bool:
    """`text` is one of ours: it came back in a request of a caller who keeps nothing else."""
    return text.lstrip().startswith(HEADING)


def taken_apart(text: str) -> tuple[list[str], list[str]]:
    """The required spans and the parts of a record, for one that takes its place."""
    required: list[str] = []
    parts: list[str] = []
    for part in text.lstrip()[len(HEADING) :].strip("\n").split("\n\n"):
        if not parts and part.startswith(f"{REQUIRED}\n- "):
            required = part[len(REQUIRED) + 3 :].split("\n- ")
        elif part and part != OLDER:
            if parts and not part.startswith((USER, *_OTHERS)):
                parts[-1] += f"\n\n{part}"  # the user's words alone can hold an empty line
            else:
                parts.append(part)
    return required, parts


def users_words(part: str) -> str:
    """What the user says in a part of a record."""
    kept = [line for line in part.split("\n") if not line.startswith(("|", *_OTHERS))]
    return "\n".join(line.removeprefix(USER) for line in kept)


def _quoted(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if "\n" not in text else f"{speaker}:\n{_lines(text)}"


def _lines(text: str) -> str:
    return "\n".join(f"| {line}" for line in text.split("\n"))


def _recall(block: str) -> str:
    return f"; recall {block}" if block else ""


def _kind(block: Image | Document | Opaque | Any) -> str:
    if isinstance(block, Image):
        return "a picture"
    if isinstance(block, Document):
        return "a document"
    return "a part of another kind"
