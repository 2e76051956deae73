"""Messages and their content blocks, as they happened: frozen, provider-neutral, lossless.

Every message and block keeps in `raw` the JSON value it was read from. A writer of the same
`dialect` gives `raw` back untouched, unknown keys and all; only what an edit changed is written
anew. `raw` is never altered and takes no part in comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Raw: TypeAlias = Any
"""A JSON value as it was read."""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Thinking:
    """A model's reasoning.

    Attributes:
        text: the readable part; empty where the provider hides it.
        signature: the provider's seal (Anthropic `signature`, OpenAI `encrypted_content`,
            Anthropic redacted `data`); `None` where there is none.
        redacted: the readable part is withheld.
        bound: it is valid only behind the very messages that preceded it (Anthropic signed or
            redacted thinking; PEERS: "preserved thinking"), so an edit before it removes it.
    """

    text: str
    signature: str | None = None
    redacted: bool = False
    bound: bool = False
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool by the model.

    Attributes:
        id: the id that the result names.
        input: the arguments: a JSON value, or the string as the provider gave it (OpenAI).
        server: the provider runs it (its result comes in an assistant message).
    """

    id: str
    name: str
    input: Any = None
    server: bool = False
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: `data` is base64, or `url` says where it is; sizes in pixels, 0 if unknown."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    width: int = 0
    height: int = 0
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A file handed to the model: `text` where it is text, else base64 `data` or a `url`."""

    title: str = ""
    text: str = ""
    media_type: str = ""
    data: str = ""
    url: str = ""
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block of a kind that trimtab does not know; carried through untouched."""

    kind: str
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False


Content: TypeAlias = Text | Image | Document | Opaque
"""What a tool result may hold."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call.

    Attributes:
        call_id: the id of the `ToolCall` that it answers.
        content: its parts, in order; empty where the tool said nothing.
        is_error: the tool failed, or the user refused.
        pending: an interim answer; the call stays open (long-running calls).
        server: the provider ran the tool.
    """

    call_id: str
    content: tuple[Content, ...] = ()
    is_error: bool = False
    pending: bool = False
    server: bool = False
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        return "\n".join(part.text for part in self.content if isinstance(part, Text))


Block: TypeAlias = Text | Thinking | ToolCall | ToolResult | Image | Document | Opaque


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for one call, in tokens.

    `input` is what was neither read from nor written to the cache, so the size of the context
    that was sent is `input + cache_read + cache_write` for every provider (OpenAI's
    `input_tokens` contains the cached ones: its readers subtract them). `cache_write_1h` is the
    part of `cache_write` that was written for an hour.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cache_write_1h: int = 0

    @property
    def context(self) -> int:
        """Tokens of the context that was sent."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Message:
    """One provider message.

    Attributes:
        role: who speaks. Provider variants (`developer`, `function`) stay in `raw`.
        blocks: its content, in order.
        id: the provider's or the caller's id, where there is one.
        required: marked by the caller: `True` must stay word for word, `False` refuses it as
            required, `None` says nothing.
        typed: for a user message: the user's own words. `False` for what a harness says in the
            user's name (reminders, command output, compaction summaries).
        summary: it stands for earlier messages that a harness or a provider compacted away.
        dialect: the wire shape of `raw`: `anthropic`, `openai`, `responses` or `neutral`.
        model, usage, time: reported for assistant messages (`time`: seconds since 1970).
        edited: an edit changed it; it is then written from `blocks`, with `raw` as the shell.
    """

    role: Role
    blocks: tuple[Block, ...] = ()
    id: str | None = None
    required: bool | None = None
    typed: bool = True
    summary: bool = False
    dialect: str = ""
    model: str | None = None
    usage: Usage | None = field(default=None, compare=False, repr=False)
    time: float | None = field(default=None, compare=False, repr=False)
    raw: Raw = field(default=None, compare=False, repr=False)
    edited: bool = False

    @property
    def text(self) -> str:
        """Its own text blocks (not thinking, calls or results), joined by newlines."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    def calls(self) -> Iterator[ToolCall]:
        """Its tool calls, in order."""
        return (b for b in self.blocks if isinstance(b, ToolCall))

    def results(self) -> Iterator[ToolResult]:
        """Its tool results, in order."""
        return (b for b in self.blocks if isinstance(b, ToolResult))

    def with_blocks(self, blocks: tuple[Block, ...]) -> Message:
        """This message with other content, to be written from it."""
        return replace(self, blocks=blocks, edited=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool definition as offered to the model; `schema` is its JSON Schema."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)
    raw: Raw = field(default=None, compare=False, repr=False)
