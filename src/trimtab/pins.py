"""What is required: messages and spans that must stay word for word, and the rule that says so.

The rules, by name, are in `RULES`:

| rule | what it finds |
| --- | --- |
| `marked` | a message that the caller marked required |
| `system` | the system prompt: the leading system messages |
| `first-task` | the first message that the user typed |
| `summary` | what stands for messages that a harness or a provider compacted away |
| `en:prohibition`, `ja:prohibition` | what must not be done |
| `en:limit`, `ja:limit` | a bound in numbers |
| `en:approval`, `ja:approval` | what waits for the user's word |
| `en:scope`, `ja:scope` | where, or on what alone, to work |
| `en:obligation`, `ja:obligation` | what must always or surely be done |
| `en:preference`, `ja:preference` | what the user likes better |
| `en:form`, `ja:form` | what form answers, amounts, dates and the like are to have |
| `en:correction`, `ja:correction` | what the user puts right |
| `en:list`, `ja:list` | an item below a heading such as "Constraints:" or 「制約：」 |

Found rules read only what the user typed: text blocks of user messages, without code, quotes, logs
and what a harness writes. Any rule, message or single pin can be refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Message, Opaque, Text, ToolResult
from trimtab.history.placeholders import holds_summary_only, is_placeholder

RULES: dict[str, str] = {
    "marked": "a message that the caller marked required",
    "configured": "a text of `[[pins]]` in trimtab.toml",
    "system": "the system prompt",
    "first-task": "the first message that the user typed",
    "summary": "what stands for messages that a harness or a provider compacted away",
    "en:prohibition": 'what must not be done: "do not", "never", "avoid", "leave X as is"',
    "en:limit": 'a bound in numbers: "at most", "no more than", "within", "up to"',
    "en:approval": 'what waits for the user: "ask me before", "only after sign-off"',
    "en:scope": 'where or on what alone to work: "only", "stay inside", "limit X to"',
    "en:obligation": 'what must be done: "must", "always", "make sure", "from now on"',
    "en:preference": 'what the user likes better: "I prefer", "X over Y", "when in doubt"',
    "en:form": 'what form it is to have: "answers in British spelling", "dates as ISO"',
    "en:correction": 'what the user puts right: "5 cents, not 50", "actually, it is 8081"',
    "en:list": 'an item below a heading such as "Constraints:", "Rules:"',
    "ja:prohibition": "してはならないこと：「しないこと」「禁止」「触らないで」",
    "ja:limit": "数の上限・下限：「以内」「最大」「まで」「超えない」",
    "ja:approval": "利用者の返事を待つこと：「承認後に」「事前に相談」「許可なく」",
    "ja:scope": "対象や範囲：「だけ」「のみ」「限定」「以外は」",
    "ja:obligation": "必ずすること：「必ず」「すること」「厳守」「今後は」",
    "ja:preference": "好み・優先：「〜のほうがいい」「なるべく」「迷ったら」",
    "ja:form": "書き方・形式：「返答は箇条書きで」「金額は税抜きで」",
    "ja:correction": "訂正：「50銭ではなく5銭です」「正しくは」「に変更です」",
    "ja:list": "「制約：」「ルール：」などの見出しの下の項目",
}
"""Every rule by name, with what it finds, in one line."""


COMPACTION_BLOCKS = ("compaction", "context_compaction")
"""Block and item kinds in which a provider keeps what it compacted."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One required span.

    Attributes:
        message, block: the number of the message in the history and of the block in it. The
            block is a `Text`; of a marked message also a `ToolResult` (its `.text`).
        start, end: the span `start <= i < end` of the block's text, in characters.
        text: the span word for word; empty where a whole message without text is required.
        rule: the name of the rule that found it, a key of `RULES`.
    """

    message: int
    block: int
    start: int
    end: int
    text: str
    rule: str


Refusal = str | int | Pin
"""A rule's name, a message's number, or one pin (its span, whatever rules found it)."""


def find_pins(history: History, refused: Collection[Refusal] = ()) -> Sequence[Pin]:
    """All required spans of a history, in order.

    Marked messages, the system prompt and the first task are required as a whole; a message that
    is marked as not required holds no pin. Marks are `Message.required` and, before it,
    `History.marks`. Rules then search what else the user typed, except in a neutral history where
    any message carries a mark of its own: there the caller has spoken. Of a text that is too long
    to be typed (40,000 characters) only the two ends are searched.

    The index lives with the history: only messages that are new since the last call are read.

    Args:
        history: what happened.
        refused: what is not required after all: names of rules, numbers of messages, or pins as
            found before. A span that two rules found stays until both rules are refused.

    Raises:
        UsageError: a refused name is no rule.
    """
    index = history.derived("pins", _PinIndex)
    if not refused:
        return index.pins(history)
    unknown = sorted({r for r in refused if isinstance(r, str)} - RULES.keys())
    if unknown:
        known = ", ".join(RULES)
        raise UsageError(f"no rule is called {', '.join(map(repr, unknown))}; rules: {known}")
    return index.without(history, refused)


def required_messages(history: History, refused: Collection[Refusal] = ()) -> Sequence[int]:
    """The numbers of the messages that hold a pin, ascending. See `find_pins`."""
    if not refused:
        return history.derived("pins", _PinIndex).messages(history)
    return tuple(dict.fromkeys(pin.message for pin in find_pins(history, refused)))


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text, English or Japanese, as `(start, end)` in characters.

    Ends are `.`, `!`, `?` before white space, `。！？`, and line breaks that do not merely wrap.
    Abbreviations, decimals, paths, URLs and quotations are not split; bullets are left out.
    """
    from trimtab.pin_rules.sentences import sentences as split

    return split(text)


# --- the index --------------------------------------------------------------------------------

Span = tuple[int, int, int, tuple[str, ...]]
"""A found sentence: block, start, end, and all rules that found it."""


class _PinIndex:
    """The required spans of the messages read so far; grows with its history."""

    __slots__ = (
        "_found",
        "_head",
        "_in_head",
        "_marks",
        "_messages",
        "_own",
        "_pinned",
        "_pins",
        "_seen",
        "_snapshot",
        "_spoken",
        "_task",
    )

    def __init__(self) -> None:
        self._seen = 0
        self._in_head = True
        self._head = 0
        self._task = -1
        self._own: dict[int, bool] = {}
        self._spoken = False
        self._found: dict[int, tuple[Span, ...]] = {}
        self._marks: Mapping[int, bool] = {}
        self._pinned: tuple[str, ...] = ()
        self._pins: list[Pin] = []
        self._snapshot: tuple[Pin, ...] | None = ()
        self._messages: tuple[int, ...] | None = ()

    def pins(self, history: History) -> tuple[Pin, ...]:
        """All pins of the history as it is now."""
        self._read(history)
        if self._snapshot is None:
            self._snapshot = tuple(self._pins)
        return self._snapshot

    def messages(self, history: History) -> tuple[int, ...]:
        """The messages that hold a pin."""
        pins = self.pins(history)
        if self._messages is None:
            self._messages = tuple(dict.fromkeys(pin.message for pin in pins))
        return self._messages

    def without(self, history: History, refused: Collection[Refusal]) -> tuple[Pin, ...]:
        """The pins that are left when `refused` is taken away."""
        self._read(history)
        gone = frozenset(refused)
        spans = {(p.message, p.block, p.start, p.end) for p in refused if isinstance(p, Pin)}
        return tuple(
            pin
            for number in range(len(history))
            if number not in gone
            for pin in self._pins_of(history, number, gone)
            if (pin.message, pin.block, pin.start, pin.end) not in spans
        )

    def _read(self, history: History) -> None:
        """Take up what is new: messages, or marks."""
        spoken = self._spoken
        first = self._seen
        for number in range(first, len(history)):
            self._note(number, history[number], history.dialect == "neutral")
        self._seen = len(history)
        changed = history.marks is not self._marks or history.pinned != self._pinned
        if changed or spoken != self._spoken:
            self._marks, self._pinned = history.marks, history.pinned
            self._pins.clear()
            self._snapshot = self._messages = None
            first = 0
        before = len(self._pins)
        for number in range(first, len(history)):
            self._pins.extend(self._pins_of(history, number))
        if len(self._pins) != before:
            self._snapshot = self._messages = None

    def _note(self, number: int, message: Message, neutral: bool) -> None:
        if message.required is not None:
            self._own[number] = message.required
            self._spoken = self._spoken or neutral
        self._in_head = self._in_head and message.role == "system"
        if self._in_head:
            self._head = number + 1
        elif self._task < 0 and says_something(message):
            self._task = number

    def _pins_of(
        self, history: History, number: int, refused: frozenset[Refusal] = frozenset()
    ) -> Iterator[Pin]:
        mark = self._marks.get(number, self._own.get(number))
        if mark is False:
            return
        message = history[number]
        if mark and "marked" not in refused:
            yield from _whole(number, message, "marked")
        elif number < self._head and "system" not in refused:
            yield from _whole(number, message, "system")
        elif number == self._task and "first-task" not in refused:
            yield from _whole(number, message, "first-task")
        elif _stands_for_earlier(message) and "summary" not in refused:
            yield from _whole(number, message, "summary")
        else:
            if history.pinned and "configured" not in refused:
                yield from _configured(number, message, history.pinned)
            yield from self._found_in(number, message, refused)

    def _found_in(
        self, number: int, message: Message, refused: frozenset[Refusal]
    ) -> Iterator[Pin]:
        if message.role == "user" and message.typed and not self._spoken:
            if number not in self._found:
                self._found[number] = tuple(_search(message))
            for at, start, end, rules in self._found[number]:
                rule = next((rule for rule in rules if rule not in refused), None)
                block = message.blocks[at]
                if rule is not None and isinstance(block, Text):
                    yield Pin(number, at, start, end, block.text[start:end], rule)


def _stands_for_earlier(message: Message) -> bool:
    """Without it, everything before it would be gone."""
    return (
        message.summary
        or holds_summary_only(message)
        or any(
            isinstance(block, Opaque) and block.kind in COMPACTION_BLOCKS
            for block in message.blocks
        )
    )


def says_something(message: Message) -> bool:
    """A user message with words of the user's own, or a picture or document."""
    if message.role != "user" or not message.typed or holds_summary_only(message):
        return False
    from trimtab.pin_rules.prose import only_harness

    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    if any(text.strip() and not only_harness(text) and not is_placeholder(text) for text in texts):
        return True
    return any(not isinstance(block, Text | ToolResult) for block in message.blocks)


def _whole(number: int, message: Message, rule: str) -> Iterator[Pin]:
    any_text = False
    for at, block in enumerate(message.blocks):
        if isinstance(block, ToolResult) and rule != "marked":
            continue
        if isinstance(block, Text | ToolResult) and block.text:
            any_text = True
            yield Pin(number, at, 0, len(block.text), block.text, rule)
    if not any_text:
        yield Pin(number, 0, 0, 0, "", rule)


def _configured(number: int, message: Message, texts: Sequence[str]) -> Iterator[Pin]:
    for at, block in enumerate(message.blocks):
        if isinstance(block, Text):
            for text in texts:
                start = block.text.find(text)
                if start >= 0:
                    yield Pin(number, at, start, start + len(text), text, "configured")


def _search(message: Message) -> Iterator[Span]:
    from trimtab.pin_rules.rules import requirements

    for at, block in enumerate(message.blocks):
        if isinstance(block, Text):
            for start, end, rules in requirements(block.text):
                yield at, start, end, rules
