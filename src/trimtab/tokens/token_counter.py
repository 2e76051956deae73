"""The token counter: how texts count, and what the frame around them costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from trimtab.tokens.content import arguments_text, block_texts, json_text, tool_text, unsealed
from trimtab.tokens.files import document_tokens, sealed_tokens
from trimtab.tokens.images import image_tokens
from trimtab.tokens.models import Family
from trimtab.tokens.schema import function_tokens


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the texts, in tokens.

    Attributes:
        message: a message, with its role.
        speaker: a message's `name`, besides the name itself.
        call: a tool call, besides its name and arguments.
        result: a tool result, besides its content.
        reply: what the request costs besides its messages.
        function: opens a tool definition in OpenAI's format; 0 where definitions are shown as
            JSON, each with `tool` around it, and `tool_prompt` once.
    """

    message: int
    speaker: int = 0
    call: int = 0
    result: int = 0
    reply: int = 0
    function: int = 0
    tool: int = 0
    tool_prompt: int = 0


def openai_frame(family: Family) -> Frame:
    """OpenAI's message format.

    The cookbook's "How to count tokens with tiktoken": 3 a message and the role (1), 1 for a
    name, 3 to prime the reply; its figures equalled the API's `prompt_tokens`. A call's 3 is
    not published; it is what `hmarr/openai-chat-tokens` found by experiment.
    """
    return Frame(message=4, speaker=1, call=3, reply=3, function=family.function)


def estimated_frame(family: Family) -> Frame:
    """The frame of other providers: published only in part, so taken a little too large.

    549 is the largest system prompt for tool use reported for a Claude model (Anthropic's docs
    and `coder/ai-tokenizer`).
    """
    claude = family.name.startswith("claude")
    return Frame(
        message=4, call=12, result=8, reply=6, tool=24, tool_prompt=549 if claude else 16
    )


class TokenCounter:
    """Counts tokens; immutable, so sizes may be kept.

    Args:
        family: how the model counts pictures.
        name: shown to people.
        exact: `text` is the model's own vocabulary.
        text: counts a text.
        frame: what stands around the texts.
        prime: counts many texts ahead.

    Ids of calls and messages are not shown to the model and cost nothing. Pictures, binary
    files and sealed reasoning follow the rules in `images` and `files`.
    """

    unit = "tokens"

    __slots__ = ("_frame", "_prime", "exact", "family", "name", "text")

    def __init__(
        self,
        family: Family,
        name: str,
        exact: bool,
        text: Callable[[str], int],
        frame: Frame,
        prime: Callable[[Iterable[str]], None],
    ) -> None:
        self.family = family
        self.name = name
        self.exact = exact
        self.text = text
        self._frame = frame
        self._prime = prime

    def __repr__(self) -> str:
        return f"<TokenCounter {self.name}, {self.family.name}>"

    def block(self, block: Block) -> int:
        """Tokens of one block with its own frame, without its message's."""
        if isinstance(block, Text):
            return self.text(block.text)
        if isinstance(block, ToolCall):
            return self._frame.call + self.text(block.name) + self.text(arguments_text(block))
        if isinstance(block, ToolResult):
            return self._frame.result + sum(map(self.block, block.content))
        if isinstance(block, Thinking):
            if block.text:  # the seal of readable thinking is a signature, not content
                return self.text(block.text)
            return sealed_tokens(len(block.signature or ""))
        if isinstance(block, Image):
            return image_tokens(block, self.family.pictures)
        if isinstance(block, Document):
            title = self.text(block.title) if block.title else 0
            return title + (self.text(block.text) if block.text else document_tokens(block))
        value, sealed = unsealed(block)
        return self.text(json_text(value)) + sealed_tokens(sealed)

    def message(self, message: Message) -> int:
        """Tokens of a message: its frame, its name where it has one, and its blocks."""
        size = self._frame.message
        for block in message.blocks:
            size += self.text(block.text) if type(block) is Text else self.block(block)
        if message.dialect == "openai":
            name = speaker(message)
            if name is not None:
                size += self._frame.speaker + self.text(name)
        return size

    def tools(self, tools: Sequence[Tool], dialect: str) -> int:
        """Tokens of tool definitions: the cookbook's formula (`schema`), or their JSON."""
        if not tools:
            return 0
        frame = self._frame
        if frame.function:
            return function_tokens(tools, frame.function, self.text)
        return frame.tool_prompt + sum(frame.tool + self.text(tool_text(t)) for t in tools)

    def total(self, message_sizes_sum: int, messages: int) -> int:
        """The sum of the message sizes and what the request costs besides."""
        return message_sizes_sum + self._frame.reply if messages else message_sizes_sum

    def prime(self, messages: Sequence[Message]) -> None:
        """Count the texts of all messages in one batch, on all cores."""
        self._prime(
            text
            for message in messages
            for block in message.blocks
            for text in block_texts(block)
        )


def speaker(message: Message) -> str | None:
    """The `name` of a Chat Completions message, where it has one."""
    raw: Any = message.raw
    if not isinstance(raw, dict) or message.role == "tool":
        return None
    name = raw.get("name")
    return name if isinstance(name, str) else None
