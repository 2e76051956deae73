"""Codex rollouts (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`).

`response_item` lines hold what the model was sent and said, as items of the Responses API.
`event_msg` lines repeat them for the screen and are not read, but for the reported usage and
for turns that were taken back. `compacted` replaces the history. Early versions wrote the items
bare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.openai_responses import read_message
from trimtab.formats.pairs import Draft, moved, with_items
from trimtab.formats.source import Source
from trimtab.formats.transcript import (
    Recording,
    finished,
    own_texts,
    seconds,
    spoken,
    usage_with_cached,
    word,
)
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult, Usage

NAME = "codex"
DIALECT = "responses"

ABORTED = "aborted"
"""What Codex itself answers to a call whose output it does not have."""

_CALL_OUTPUTS = {"custom_tool_call": "custom_tool_call_output"}
_ITEMS = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "web_search_call",
        "image_generation_call",
        "tool_search_call",
        "tool_search_output",
        "compaction",
        "context_compaction",
        "agent_message",
        "additional_tools",
    }
)
_NEVER_SENT = frozenset({"ghost_snapshot", "compaction_trigger", "other"})


def read(source: Source, *, thread: str | None = None, whole: bool = False) -> Recording:
    """Read a rollout: the live context, from the last compaction on.

    Args:
        thread: turns that were taken back (`rolled-back-1`), with what was before them.
        whole: all that happened, without the replacements that compactions made.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    rollout = _Rollout(source, whole)
    for line, value in source.records():
        rollout.take(line, value)
    head = rollout.head()
    draft = rollout.draft
    mended = with_items(draft, _aborted)
    boundaries = tuple(len(head) + b for b in moved(rollout.boundaries, draft, mended))
    return finished(
        source,
        NAME,
        rollout.history(head + mended.messages),
        thread=thread,
        threads=lambda: rollout.threads(head),
        session_id=rollout.session_id,
        boundaries=boundaries,
        title=rollout.title,
        started=rollout.started,
        ended=rollout.ended,
    )


@dataclass(slots=True)
class _Rollout:
    """What the lines so far amount to."""

    source: Source
    whole: bool
    draft: Draft = field(init=False)
    boundaries: list[int] = field(default_factory=list)
    taken_back: list[list[Message]] = field(default_factory=list)
    instructions: str = ""
    session_id: str | None = None
    model: str | None = None
    title: str = ""
    started: float | None = None
    ended: float | None = None
    time: float | None = None
    total: Any = None

    def __post_init__(self) -> None:
        self.draft = Draft(self.source)

    def take(self, line: int, value: Mapping[str, Any]) -> None:
        """One more line."""
        self.time = seconds(value.get("timestamp"))
        if self.time is not None:
            self.started = self.started if self.started is not None else self.time
            self.ended = self.time
        payload = value.get("payload")
        kind = word(value.get("type"))
        if not isinstance(payload, Mapping):
            self._bare(line, value)
        elif kind == "response_item":
            self._item(line, payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "compacted":
            self._compacted(line, payload)
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context" and isinstance(payload.get("model"), str):
            self.model = payload["model"]

    def _bare(self, line: int, value: Mapping[str, Any]) -> None:
        if word(value.get("type")) in _ITEMS:
            self._item(line, value)
        elif isinstance(value.get("id"), str) and "type" not in value:
            self._meta(value)

    def _meta(self, meta: Mapping[str, Any]) -> None:
        # A fork starts with its own line and goes on with those of the session it came from.
        if self.session_id is None and isinstance(meta.get("id"), str):
            self.session_id = meta["id"]
        base = meta.get("base_instructions")
        text = base.get("text") if isinstance(base, Mapping) else base
        for candidate in (text, meta.get("instructions")):
            if isinstance(candidate, str) and candidate and not self.instructions:
                self.instructions = candidate

    def _item(self, line: int | None, item: Mapping[str, Any]) -> None:
        if word(item.get("type")) in _NEVER_SENT:
            return
        try:
            message = read_message(item)
        except InputError as e:
            self.source.report(line, f"an item that is not understood ({e})", "skipped it")
            return
        if not message.blocks and "role" in item:
            # Nothing is said in it.
            return
        if any(not call.id for call in message.calls()):
            message = self._named(message)
        if message.role == "user":
            message = replace(message, typed=spoken(own_texts(message)))
            if message.typed and not self.title:
                self.title = message.text
        elif message.role == "assistant" and message.model is None:
            message = replace(message, model=self.model)
        self.draft.add(replace(message, time=self.time), line)

    def _named(self, message: Message) -> Message:
        """A search by the provider, whose id Codex does not record: one within this history."""
        id = f"{message.raw.get('type')}:{len(self.draft)}"
        blocks = tuple(
            replace(b, id=id)
            if isinstance(b, ToolCall)
            else replace(b, call_id=id)
            if isinstance(b, ToolResult)
            else b
            for b in message.blocks
        )
        return replace(message, blocks=blocks)

    def _event(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "token_count":
            self._usage(event)
        elif kind == "thread_rolled_back":
            turns = event.get("num_turns")
            if isinstance(turns, int) and turns > 0:
                self._roll_back(turns)

    def _usage(self, event: Mapping[str, Any]) -> None:
        info = event.get("info")
        usage: Usage | None = None
        if isinstance(info, Mapping):
            # The line comes again when only a rate limit changed.
            if info.get("total_token_usage") == self.total:
                return
            self.total = info.get("total_token_usage")
            last = info.get("last_token_usage")
            if isinstance(last, Mapping):
                usage = usage_with_cached(
                    last.get("input_tokens"),
                    last.get("cached_input_tokens"),
                    last.get("output_tokens"),
                )
        elif isinstance(event.get("usage"), Mapping):
            told = event["usage"]
            usage = usage_with_cached(told.get("prompt_tokens"), 0, told.get("completion_tokens"))
        if usage is None:
            return
        messages = self.draft.messages
        for at in range(len(messages) - 1, -1, -1):
            if messages[at].role == "assistant":
                messages[at] = replace(messages[at], usage=usage)
                return

    def _roll_back(self, turns: int) -> None:
        """The user took the last turns back: they are a thread of their own from then on."""
        messages = self.draft.messages
        starts = [n for n, m in enumerate(messages) if m.role == "user" and m.typed]
        if not starts:
            return
        cut = starts[-min(turns, len(starts))]
        self.taken_back.append(list(messages))
        del messages[cut:]
        del self.draft.lines[cut:]
        self.boundaries = [b for b in self.boundaries if b <= cut]

    def _compacted(self, line: int, compacted: Mapping[str, Any]) -> None:
        if self.whole:
            self.boundaries.append(len(self.draft))
            return
        before = self.draft
        self.draft = Draft(self.source)
        replacement = compacted.get("replacement_history")
        if isinstance(replacement, list):
            for item in replacement:
                if isinstance(item, Mapping):
                    self._item(line, item)
        else:
            # Early versions kept what the user had said, and a summary of the rest.
            for message, at in zip(before.messages, before.lines, strict=True):
                if message.role == "user" and message.typed:
                    self.draft.add(message, at)
            text = compacted.get("message")
            if isinstance(text, str) and text:
                part = {"type": "input_text", "text": text}
                raw = {"type": "message", "role": "user", "content": [part]}
                made = replace(read_message(raw), typed=False, summary=True, time=self.time)
                self.draft.add(made, line)
        self.boundaries = [0]

    def head(self) -> list[Message]:
        """The system prompt, where it was recorded."""
        if not self.instructions:
            return []
        raw = {"instructions": self.instructions}
        text = Text(self.instructions)
        return [Message("system", (text,), dialect=DIALECT, raw=raw)]

    def history(self, messages: list[Message]) -> History:
        """A history of these messages."""
        return History(messages, dialect=DIALECT, model=self.model)

    def threads(self, head: list[Message]) -> Mapping[str, Callable[[], History]]:
        """The turns that were taken back, each with what was before them."""

        def teller(messages: list[Message]) -> Callable[[], History]:
            silent = Source(self.source.name, b"", 0)
            draft = Draft(silent, messages, [None] * len(messages))
            return lambda: self.history(head + with_items(draft, _aborted).messages)

        return {f"rolled-back-{n}": teller(m) for n, m in enumerate(self.taken_back, 1)}


def _aborted(call: ToolCall, message: Message) -> Message:
    kind = message.raw.get("type") if isinstance(message.raw, dict) else None
    output = _CALL_OUTPUTS.get(str(kind), "function_call_output")
    made = read_message({"type": output, "call_id": call.id, "output": ABORTED})
    return replace(made, time=message.time)
