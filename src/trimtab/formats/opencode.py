"""opencode sessions: `opencode export` (one JSON object), the JSON storage of versions before
2026, and the SQLite database `opencode.db` since then.

Source: `session/message-v2.ts`, `session/session.sql.ts` and `storage/json-migration.ts` of
opencode. A call and its result are one part; a finished compaction is a user message with a
`compaction` part and an assistant message marked `summary` that answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trimtab.formats.media import read_image, split_data_url
from trimtab.formats.pairs import Draft
from trimtab.formats.source import Source
from trimtab.formats.transcript import (
    Recording,
    count,
    finished,
    listed,
    seconds,
    spoken,
    text_of,
    word,
)
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Content,
    Document,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

NAME = "opencode"
DIALECT = "neutral"

CLEARED = "[Old tool result content cleared]"
INTERRUPTED = "[Tool execution was interrupted]"
SUMMARY_REQUEST = "What did we do so far?"
SUBTASK = "The following tool was executed by the user"

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """One session as stored.

    Attributes:
        info: the session's own record.
        messages: each message's record and its parts, in order.
        children: finds the sessions of its sub-agents, each read when asked for.
    """

    info: Json
    messages: Sequence[tuple[Json, Sequence[Json]]]
    children: Callable[[], Mapping[str, Callable[[], Stored]]] = dict


def of_export(value: Json) -> Stored:
    """What `opencode export` wrote."""
    messages = [
        (m["info"], [p for p in listed(m.get("parts")) if isinstance(p, Mapping)])
        for m in listed(value.get("messages"))
        if isinstance(m, Mapping) and isinstance(m.get("info"), Mapping)
    ]
    return Stored(value["info"], messages)


def read(
    source: Source, stored: Stored, *, thread: str | None = None, whole: bool = False
) -> Recording:
    """Read a session: what the model would be sent next.

    Args:
        thread: the session of a sub-agent, or `reverted`: what the user took back, with what
            was before it.
        whole: all of it, with the results that opencode has cleared and without its summaries.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    kept = _before_revert(stored)
    told, marks = _tell(kept, whole)

    def threads() -> Mapping[str, Callable[[], History]]:
        makers = {name: _teller(child, whole) for name, child in stored.children().items()}
        if len(kept) < len(stored.messages):
            makers["reverted"] = lambda: _tell(stored.messages, whole)[0]
        return makers

    id, time = stored.info.get("id"), stored.info.get("time")
    times: Json = time if isinstance(time, Mapping) else {}
    return finished(
        source,
        NAME,
        told,
        thread=thread,
        threads=threads,
        session_id=id if isinstance(id, str) else None,
        boundaries=marks,
        title=text_of(stored.info.get("title")),
        started=seconds(times.get("created")),
        ended=seconds(times.get("updated")),
    )


def _teller(child: Callable[[], Stored], whole: bool) -> Callable[[], History]:
    return lambda: _tell(_before_revert(child()), whole)[0]


def _before_revert(stored: Stored) -> Sequence[tuple[Json, Sequence[Json]]]:
    """The messages that the user has not taken back."""
    revert = stored.info.get("revert")
    id = revert.get("messageID") if isinstance(revert, Mapping) else None
    if not isinstance(id, str):
        return stored.messages
    ids = [info.get("id") for info, _ in stored.messages]
    return stored.messages[: ids.index(id)] if id in ids else stored.messages


def _tell(
    messages: Sequence[tuple[Json, Sequence[Json]]], whole: bool
) -> tuple[History, tuple[int, ...]]:
    draft = Draft(Source("", b"", 0))
    marks: list[int] = []
    requests = _compactions(messages)
    last = max(requests, default=None)
    start = 0 if last is None or whole else requests[last]
    for n, (info, parts) in enumerate(messages[start:], start):
        if n == last or (whole and n in requests):
            marks.append(len(draft))
        if whole and (n in requests or _is_summary(info)):
            continue
        for message in _messages(info, parts, whole):
            draft.add(message)
    models = [m.model for m in draft.messages if m.model]
    history = History(draft.messages, dialect=DIALECT, model=models[-1] if models else None)
    return history, tuple(marks)


def _compactions(messages: Sequence[tuple[Json, Sequence[Json]]]) -> dict[int, int]:
    """Where each finished compaction was asked for, and where what it kept starts."""
    answered = {
        word(info.get("parentID"))
        for info, _ in messages
        if _is_summary(info) and info.get("finish") and not info.get("error")
    }
    places = {word(info.get("id")): n for n, (info, _) in enumerate(messages)}
    found: dict[int, int] = {}
    for n, (info, parts) in enumerate(messages):
        part = next((p for p in parts if p.get("type") == "compaction"), None)
        if part is None or info.get("role") != "user" or word(info.get("id")) not in answered:
            continue
        start = places.get(word(part.get("tail_start_id")), n)
        found[n] = min(start, n)
    return found


def _is_summary(info: Json) -> bool:
    return info.get("role") == "assistant" and info.get("summary") is True


def _messages(info: Json, parts: Sequence[Json], whole: bool) -> list[Message]:
    """The messages of one stored message: what was said, then the results of its calls."""
    time = info.get("time")
    at = seconds(time.get("created")) if isinstance(time, Mapping) else None
    id = text_of(info.get("id")) or None
    if info.get("role") == "user":
        return _user(parts, id, at)
    if info.get("role") != "assistant" or _is_broken(info, parts):
        return []
    model = info.get("modelID")
    told: list[Message] = []
    for step in _steps(parts):
        blocks, results = _step(step, whole)
        if not blocks:
            continue
        said = Message(
            "assistant",
            tuple(blocks),
            id=id,
            dialect=DIALECT,
            model=model if isinstance(model, str) else None,
            usage=_usage(info, step),
            time=at,
            summary=_is_summary(info),
        )
        answers = (Message("tool", (r,), dialect=DIALECT, time=at) for r in results)
        told += [said, *answers]
    return told


def _steps(parts: Sequence[Json]) -> list[list[Json]]:
    """The calls of the model that one stored message holds."""
    steps: list[list[Json]] = [[]]
    for part in parts:
        if part.get("type") == "step-start":
            steps.append([])
        steps[-1].append(part)
    return steps


def _step(parts: Sequence[Json], whole: bool) -> tuple[list[Block], list[ToolResult]]:
    blocks: list[Block] = []
    results: list[ToolResult] = []
    for part in parts:
        if part.get("type") == "text" and part.get("text"):
            blocks.append(Text(text_of(part["text"])))
        elif part.get("type") == "reasoning":
            blocks.append(_thinking(part))
        elif part.get("type") == "tool":
            state = part.get("state")
            state = state if isinstance(state, Mapping) else {}
            call = text_of(part.get("callID"))
            blocks.append(ToolCall(call, text_of(part.get("tool")), state.get("input")))
            results.append(_result(call, state, whole))
    return blocks, results


def _user(parts: Sequence[Json], id: str | None, time: float | None) -> list[Message]:
    blocks: list[Block] = []
    own: list[str] = []
    for part in parts:
        kind = part.get("type")
        if kind == "text" and not part.get("ignored") and part.get("text"):
            text = text_of(part["text"])
            blocks.append(Text(text))
            if not part.get("synthetic"):
                own.append(text)
        elif kind == "file":
            # Text files and folders are told in text parts beside them.
            if part.get("mime") not in ("text/plain", "application/x-directory"):
                blocks.append(_file(part))
        elif kind == "compaction":
            blocks.append(Text(SUMMARY_REQUEST))
        elif kind == "subtask":
            blocks.append(Text(SUBTASK))
    if not blocks:
        return []
    return [Message("user", tuple(blocks), id=id, typed=spoken(own), dialect=DIALECT, time=time)]


def _is_broken(info: Json, parts: Sequence[Json]) -> bool:
    """An answer that failed is never sent again, but for one that the user broke off."""
    error = info.get("error")
    if not error:
        return False
    aborted = isinstance(error, Mapping) and error.get("name") == "MessageAbortedError"
    return not (aborted and any(p.get("type") not in ("step-start", "reasoning") for p in parts))


def _thinking(part: Json) -> Thinking:
    metadata = part.get("metadata")
    sealed = metadata.get("anthropic") if isinstance(metadata, Mapping) else None
    if isinstance(sealed, Mapping):
        signature, data = sealed.get("signature"), sealed.get("redactedData")
        if isinstance(data, str):
            return Thinking("", data, redacted=True, bound=True)
        if isinstance(signature, str):
            return Thinking(text_of(part.get("text")), signature, bound=True)
    return Thinking(text_of(part.get("text")))


def _result(call: str, state: Json, whole: bool) -> ToolResult:
    status = state.get("status")
    if status == "completed":
        time = state.get("time")
        if isinstance(time, Mapping) and time.get("compacted") and not whole:
            return ToolResult(call, (Text(CLEARED),))
        output = text_of(state.get("output"))
        content: list[Content] = [Text(output)] if output else []
        for file in listed(state.get("attachments")):
            if isinstance(file, Mapping):
                content.append(_file(file))
        return ToolResult(call, tuple(content))
    if status == "error":
        metadata = state.get("metadata")
        if isinstance(metadata, Mapping) and metadata.get("interrupted") is True:
            partial = metadata.get("output")
            if isinstance(partial, str):
                return ToolResult(call, (Text(partial),))
        return ToolResult(call, (Text(text_of(state.get("error"))),), is_error=True)
    return ToolResult(call, (Text(INTERRUPTED),), is_error=True)


def _file(part: Json) -> Content:
    mime, url = text_of(part.get("mime")), text_of(part.get("url"))
    if mime.startswith("image/"):
        return read_image(media_type=mime, url=url, raw=None)
    title = text_of(part.get("filename"))
    data = split_data_url(url)
    if data is not None:
        return Document(title, media_type=mime or data[0], data=data[1])
    return Document(title, media_type=mime, url=url)


def _usage(info: Json, parts: Sequence[Json]) -> Usage | None:
    """The usage of the last step; the message's own sum where no step tells it."""
    steps = [p for p in parts if p.get("type") == "step-finish"]
    tokens = (steps[-1] if steps else info).get("tokens")
    if not isinstance(tokens, Mapping):
        return None
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, Mapping) else {}
    made = Usage(
        input=count(tokens.get("input")),
        cache_read=count(cache.get("read")),
        cache_write=count(cache.get("write")),
        output=count(tokens.get("output")) + count(tokens.get("reasoning")),
    )
    return made if made != Usage() else None
