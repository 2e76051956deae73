"""History (H): all messages of a session, in order, append-only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from trimtab.history.exchanges import ExchangeIndex
from trimtab.history.message import Message, Tool

Derived = TypeVar("Derived")


def _as_it_is(data: bytes) -> bytes:
    return data


class History(Sequence[Message]):
    """What happened, once and for all: messages are appended, never altered or removed.

    Args:
        messages: the first messages.
        tools: the tool definitions offered to the model; they count toward the size.
        dialect: the wire format it is written in by default: `anthropic`, `openai`,
            `responses` or `neutral`. Its rules are the ones that a context must obey.
        envelope: everything of the request that is neither message nor read elsewhere
            (model, sampling parameters, `tools` as given, unknown keys); kept for writing.
        model: the model's name, where known; decides how tokens are counted.

    `marks` holds what was pinned or refused later: message number -> required or not; see `mark`.
    `pinned` are texts that are required wherever they stand in somebody's words.
    `prepare` gives, for bytes that leave the context, the bytes that are kept of them (a store that
    redacts sets it); block ids are of these.

    A leading run of system messages is the *head*: the system prompt. A system message further
    on is an ordinary message.
    """

    __slots__ = (
        "_derived",
        "_exchanges",
        "_messages",
        "dialect",
        "envelope",
        "marks",
        "model",
        "pinned",
        "prepare",
        "tools",
    )

    def __init__(
        self,
        messages: Iterable[Message] = (),
        *,
        tools: Iterable[Tool] = (),
        dialect: str = "neutral",
        envelope: Mapping[str, Any] | None = None,
        model: str | None = None,
    ) -> None:
        self._messages: list[Message] = list(messages)
        self.tools: tuple[Tool, ...] = tuple(tools)
        self.dialect = dialect
        self.envelope: Mapping[str, Any] = {} if envelope is None else envelope
        self.model = model
        self._exchanges = ExchangeIndex()
        self._derived: dict[Hashable, Any] = {}
        self.marks: Mapping[int, bool] = {}
        self.pinned: tuple[str, ...] = ()
        self.prepare: Callable[[bytes], bytes] = _as_it_is

    @property
    def redacts(self) -> bool:
        """Bytes that are kept may differ from those that left."""
        return self.prepare is not _as_it_is

    def mark(self, message: int, required: bool | None) -> None:
        """Pin a message (`True`), refuse it as required (`False`), or take that back (`None`).

        Marks stand beside the messages, which never change, and come before what a message
        itself says (`Message.required`).
        """
        marks = dict(self.marks)
        if required is None:
            marks.pop(message, None)
        else:
            marks[message] = required
        self.marks = marks

    def append(self, message: Message) -> None:
        """Record one more message. Costs work in proportion to the message."""
        self._messages.append(message)

    def extend(self, messages: Iterable[Message]) -> None:
        """Record several messages, in order."""
        self._messages.extend(messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        return self._messages[index]

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __repr__(self) -> str:
        return f"<History of {len(self)} messages, {self.dialect}>"

    @property
    def exchanges(self) -> ExchangeIndex:
        """The exchanges of all messages so far."""
        index = self._exchanges
        for at in range(index.length, len(self._messages)):
            index.add(self._messages[at])
        return index

    @property
    def head(self) -> int:
        """How many messages at the front are the system prompt."""
        at = 0
        while at < len(self._messages) and self._messages[at].role == "system":
            at += 1
        return at

    def derived(self, key: Hashable, make: Callable[[], Derived]) -> Derived:
        """An index that lives and grows with this history: made on first use, then kept.

        Args:
            key: names the index; one object a key.
            make: makes the empty index.
        """
        found: Derived | None = self._derived.get(key)
        if found is None:
            found = self._derived[key] = make()
        return found
