"""Gemini CLI chats (`~/.gemini/tmp/<project>/chats/session-*.json[l]`).

Source: `chatRecordingService.ts` and `sessionUtils.ts` of gemini-cli. One JSON object, or since
2026 one record a line: the metadata, a message (written again when it grows, by id), `$set` (new
metadata, or all messages anew after a compression) and `$rewindTo`. A call and its result are in
one record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.media import read_image
from trimtab.formats.pairs import NO_RESULT, Draft, moved, with_tool_messages
from trimtab.formats.source import Source
from trimtab.formats.transcript import (
    Recording,
    count,
    finished,
    listed,
    seconds,
    spoken,
    text_of,
    usage_with_cached,
)
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

NAME = "gemini-cli"
DIALECT = "neutral"

Record = Mapping[str, Any]


@dataclass(slots=True)
class _Chat:
    """The messages by id, as the records so far leave them."""

    whole: bool
    messages: dict[str, tuple[int | None, Record]] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    rewound: list[list[tuple[int | None, Record]]] = field(default_factory=list)
    boundaries: list[str] = field(default_factory=list)
    """The ids of the messages that stand first after a compression."""
    _compressed: bool = False

    def take(self, line: int | None, record: Record) -> None:
        """One more record."""
        if isinstance(record.get("$rewindTo"), str):
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), Mapping):
            changed = record["$set"]
            if isinstance(changed.get("messages"), list):
                self._replace(line, changed["messages"])
            self.about |= {k: v for k, v in changed.items() if k != "messages"}
        elif isinstance(record.get("type"), str) and "id" in record:
            self._put(line, record)
        elif "sessionId" in record or "projectHash" in record:
            self.about |= {k: v for k, v in record.items() if k != "messages"}
            told = record.get("messages")
            for message in told if isinstance(told, list) else ():
                if isinstance(message, Mapping):
                    self._put(line, message)

    def _put(self, line: int | None, message: Record) -> None:
        id = text_of(message.get("id")) or f"#{len(self.messages)}"
        if id not in self.messages and self._compressed:
            self.boundaries.append(id)
            self._compressed = False
        self.messages[id] = (line, message)

    def _replace(self, line: int | None, messages: list[Any]) -> None:
        told = [m for m in messages if isinstance(m, Mapping)]
        if self.whole:
            # What was compressed away stays, and what stands for it is left out.
            self._compressed = True
            return
        self.messages = {}
        for message in told:
            self._put(line, message)
        if told:
            self.boundaries = [next(iter(self.messages))]

    def _rewind(self, id: str) -> None:
        ids = list(self.messages)
        cut = ids.index(id) if id in self.messages else 0
        self.rewound.append(list(self.messages.values()))
        for gone in ids[cut:]:
            del self.messages[gone]
        self.boundaries = [b for b in self.boundaries if b in self.messages]


def read(
    source: Source,
    records: Iterable[tuple[int | None, Record]],
    *,
    thread: str | None = None,
    whole: bool = False,
) -> Recording:
    """Read a chat.

    Args:
        records: the lines, or the one object of the file.
        thread: what the user took back (`rewound-1`), with what was before it.
        whole: all that was said, without what compressions put in its place.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    chat = _Chat(whole)
    for line, record in records:
        chat.take(line, record)
    if not chat.messages:
        raise InputError(source.where(), f"holds no messages ({NAME})")
    history, marks = _tell(chat.messages.values(), chat.boundaries, source)
    silent = Source(source.name, b"", 0)

    def rewound() -> Mapping[str, Callable[[], History]]:
        def teller(told: list[tuple[int | None, Record]]) -> Callable[[], History]:
            return lambda: _tell(told, (), silent)[0]

        return {f"rewound-{n}": teller(told) for n, told in enumerate(chat.rewound, 1)}

    id = chat.about.get("sessionId")
    return finished(
        source,
        NAME,
        history,
        thread=thread,
        threads=rewound,
        session_id=id if isinstance(id, str) else None,
        boundaries=marks,
        title=text_of(chat.about.get("summary")),
        started=seconds(chat.about.get("startTime")),
        ended=seconds(chat.about.get("lastUpdated")),
    )


def _tell(
    records: Iterable[tuple[int | None, Record]], starts: Iterable[str], source: Source
) -> tuple[History, tuple[int, ...]]:
    draft = Draft(source)
    first = set(starts)
    marks: list[int] = []
    for line, record in records:
        if text_of(record.get("id")) in first:
            marks.append(len(draft))
        for message in _messages(record):
            draft.add(message, line)
    mended = with_tool_messages(draft, _no_result)
    models = [m.model for m in mended.messages if m.model]
    history = History(mended.messages, dialect=DIALECT, model=models[-1] if models else None)
    return history, moved(marks, draft, mended)


def _messages(record: Record) -> list[Message]:
    """The messages of a record: what was said, then the results of its calls."""
    time = seconds(record.get("timestamp"))
    id = text_of(record.get("id")) or None
    if record.get("type") == "user":
        blocks = _blocks(record.get("content"))
        texts = [b.text for b in blocks if isinstance(b, Text)]
        # The screen's own commands are recorded, but never sent.
        command = len(blocks) == len(texts) == 1 and texts[0].strip().startswith(("/", "?"))
        results = [b for b in blocks if isinstance(b, ToolResult)]
        if results:
            return [_tool_message(r, time) for r in results]
        if (not any(t.strip() for t in texts) and len(texts) == len(blocks)) or command:
            return []
        own = spoken(texts)
        return [Message("user", tuple(blocks), id=id, typed=own, dialect=DIALECT, time=time)]
    if record.get("type") != "gemini":
        return []
    blocks = _said(record)
    calls = [c for c in listed(record.get("toolCalls")) if isinstance(c, Mapping)]
    if not blocks:
        return []
    model = record.get("model")
    message = Message(
        "assistant",
        tuple(blocks),
        id=id,
        dialect=DIALECT,
        model=model if isinstance(model, str) else None,
        usage=_usage(record.get("tokens")),
        time=time,
    )
    answers = (_result(call) for call in calls)
    return [message, *(_tool_message(a, time) for a in answers if a is not None)]


def _tool_message(result: ToolResult, time: float | None) -> Message:
    return Message("tool", (result,), dialect=DIALECT, time=time)


def _said(record: Record) -> list[Block]:
    """What the model said. Newer records hold all of it in `content`, older ones beside it."""
    blocks = _blocks(record.get("content"))
    if any(isinstance(b, ToolCall | Thinking) for b in blocks):
        return _with_ids(blocks, record)
    thoughts = record.get("thoughts")
    thinking: list[Block] = []
    for thought in thoughts if isinstance(thoughts, list) else ():
        if isinstance(thought, Mapping):
            subject = text_of(thought.get("subject"))
            text = text_of(thought.get("description") or thought.get("summary"))
            thinking.append(Thinking(f"**{subject}** {text}" if subject else text))
    calls = [
        ToolCall(text_of(c.get("id")), text_of(c.get("name")), c.get("args"))
        for c in listed(record.get("toolCalls"))
        if isinstance(c, Mapping)
    ]
    said = [b for b in blocks if not isinstance(b, Text) or b.text]
    # Thoughts alone were shown, not said.
    return [*thinking, *said, *calls] if said or calls else []


def _with_ids(blocks: list[Block], record: Record) -> list[Block]:
    """Calls that carry no id get the one that their result names."""
    ids: dict[str, list[str]] = {}
    for call in listed(record.get("toolCalls")):
        if isinstance(call, Mapping):
            ids.setdefault(text_of(call.get("name")), []).append(text_of(call.get("id")))
    made: list[Block] = []
    for block in blocks:
        if isinstance(block, ToolCall):
            known = ids.get(block.name, [])
            if block.id in known:
                known.remove(block.id)
            elif not block.id:
                block = replace(block, id=known.pop(0) if known else block.name)
        made.append(block)
    return made


def _blocks(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts = content if isinstance(content, list) else [content]
    blocks: list[Block] = []
    for part in parts:
        if isinstance(part, str):
            blocks.append(Text(part))
        elif isinstance(part, Mapping):
            blocks.append(_block(part))
    return blocks


def _block(part: Record) -> Block:
    signature = part.get("thoughtSignature")
    seal = signature if isinstance(signature, str) else None
    if isinstance(part.get("functionCall"), Mapping):
        call = part["functionCall"]
        return ToolCall(text_of(call.get("id")), text_of(call.get("name")), call.get("args"))
    if isinstance(part.get("functionResponse"), Mapping):
        return _response(part["functionResponse"])
    if part.get("thought") and isinstance(part.get("text"), str):
        return Thinking(part["text"], seal)
    return _content(part)


def _content(part: Record) -> Content:
    if isinstance(part.get("text"), str):
        return Text(part["text"])
    for key in ("inlineData", "fileData"):
        data = part.get(key)
        if isinstance(data, Mapping):
            kind = text_of(data.get("mimeType"))
            url = text_of(data.get("fileUri"))
            if kind.startswith("image/"):
                return read_image(
                    media_type=kind, data=text_of(data.get("data")), url=url, raw=None
                )
            return Document(media_type=kind, data=text_of(data.get("data")), url=url)
    kind = next(iter(part), "part")
    return Opaque(kind, raw={"type": kind, **part})


def _response(response: Record) -> ToolResult:
    id = text_of(response.get("id")) or text_of(response.get("name"))
    told = response.get("response")
    if not isinstance(told, Mapping):
        return ToolResult(id, (Text(text_of(told)),) if told else ())
    if set(told) == {"error"}:
        return ToolResult(id, (Text(text_of(told["error"])),), is_error=True)
    value = told["output"] if set(told) == {"output"} else dict(told)
    return ToolResult(id, (Text(text_of(value)),) if value else ())


def _result(call: Record) -> ToolResult | None:
    """What came of a call; `None` where nothing was recorded."""
    id = text_of(call.get("id"))
    is_error = call.get("status") in ("error", "cancelled")
    told = call.get("result")
    if told is None:
        return None
    content: list[Content] = []
    for block in _blocks(told):
        if isinstance(block, ToolResult):
            content += block.content
            is_error = is_error or block.is_error
        elif isinstance(block, Text) and not block.text:
            continue
        elif isinstance(block, Text | Document | Opaque) or not isinstance(
            block, Thinking | ToolCall
        ):
            content.append(block)
    return ToolResult(id, tuple(content), is_error=is_error)


def _usage(tokens: object) -> Usage | None:
    if not isinstance(tokens, Mapping):
        return None
    output = count(tokens.get("output")) + count(tokens.get("thoughts"))
    return usage_with_cached(tokens.get("input"), tokens.get("cached"), output)


def _no_result(call: ToolCall, message: Message) -> Message:
    result = ToolResult(call.id, (Text(NO_RESULT),), is_error=True)
    return _tool_message(result, message.time)
