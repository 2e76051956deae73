"""The token counter: how texts count, and what the frame around them costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

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
from trimtab.tokens.content import arguments_text, json_text, tool_text, unsealed
from trimtab.tokens.files import document_tokens, sealed_tokens
from trimtab.tokens.models import Family
from trimtab.tokens.vocabulary import vocabulary


class Frame(NamedTuple):
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

    def scaled(self, factor: float) -> Frame:
        """Every part times `factor`, as learned from reported usage."""
        if factor == 1.0:
            return self
        return Frame(*(round(part * factor) for part in self))


def openai_frame(family: Family) -> Frame:
    """OpenAI's message format.

    The cookbook's "How to count tokens with tiktoken": 3 a message and the role (1), 1 for a
    name, 3 to prime the reply; its figures equalled the API's `prompt_tokens`. A call's 3 is
    not published; it is what `hmarr/openai-chat-tokens` found by experiment.
    """
    return Frame(message=4, speaker=1, call=3, reply=3, function=family.function)


def estimated_frame(family: Family) -> Frame:
    """The frame of other providers: published only in part.

    Claude: over 200 recorded calls of Opus 4.6 a call and its result cost about 90 tokens besides
    their texts (tags, parameter names, ids); 549 is the largest system prompt for tool use that
    was reported (Anthropic's docs, `coder/ai-tokenizer`). Others: a guess.
    """
    if family.name.startswith("claude"):
        return Frame(message=6, call=50, result=40, reply=6, tool=24, tool_prompt=549)
    return Frame(message=4, call=12, result=8, reply=6, tool=16, tool_prompt=16)


class TokenCounter:
    """Counts tokens; immutable, so sizes may be kept.

    Args:
        family: how the model counts pictures.
        name: shown to people.
        exact: `text` is the model's own vocabulary.
        text: counts a text.
        frame: what stands around the texts.

    Ids of calls and messages are not shown to the model and cost nothing. Pictures, binary
    files and sealed reasoning follow the rules in `images` and `files`.
    """

    unit = "tokens"

    __slots__ = ("_frame", "exact", "family", "name", "text")

    def __init__(
        self,
        family: Family,
        name: str,
        exact: bool,
        text: Callable[[str], int],
        frame: Frame,
    ) -> None:
        self.family = family
        self.name = name
        self.exact = exact
        self.text = text
        self._frame = frame

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
            from trimtab.tokens.images import image_tokens

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
            from trimtab.tokens.schema import function_tokens

            return function_tokens(tools, frame.function, self.text)
        return frame.tool_prompt + sum(frame.tool + self.text(tool_text(t)) for t in tools)

    def total(self, message_sizes_sum: int, messages: int) -> int:
        """The sum of the message sizes and what the request costs besides."""
        return message_sizes_sum + self._frame.reply if messages else message_sizes_sum


def speaker(message: Message) -> str | None:
    """The `name` of a Chat Completions message, where it has one."""
    raw: Any = message.raw
    if not isinstance(raw, dict) or message.role == "tool":
        return None
    name = raw.get("name")
    return name if isinstance(name, str) else None


def exact_counter(family: Family, hidden: int = 0) -> TokenCounter:
    """A counter with the family's own vocabulary; `hidden` tokens come on top of each total."""
    words = vocabulary(family.encoding)
    frame = openai_frame(family)
    return TokenCounter(
        family,
        family.encoding,
        True,
        words.count,
        frame._replace(reply=frame.reply + hidden),
    )


def estimate_counter(
    family: Family, factors: Mapping[str, float] | None = None, hidden: int = 0
) -> TokenCounter:
    """A counter that scales OpenAI's vocabulary.

    Args:
        factors: a factor for each content class, and `frame`; the starting ones where not given.
        hidden: tokens on top of each total that no message shows.
    """
    from trimtab.tokens.estimate import estimate_with, starting_factors

    name = "estimate" if family.name == "generic" else f"estimate:{family.name}"
    used = factors or starting_factors(family.name)
    frame = estimated_frame(family).scaled(used.get("frame", 1.0))
    return TokenCounter(
        family,
        name,
        False,
        estimate_with(used),
        frame._replace(reply=frame.reply + hidden),
    )
