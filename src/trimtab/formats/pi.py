"""pi sessions (`~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`): a tree of entries.

Source: `docs/session.md`, `core/session-manager.ts` and `core/messages.ts` of pi-mono. Version 1
files have no ids: the entries follow each other, and a compaction names the first kept one by
its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.media import read_image
from trimtab.formats.pairs import Draft, moved, with_tool_messages
from trimtab.formats.source import Source
from trimtab.formats.transcript import (
    Recording,
    count,
    finished,
    first_words,
    seconds,
    spoken,
    text_of,
)
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Content,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)

NAME = "pi"
DIALECT = "neutral"

COMPACTED = (
    "The conversation history before this point was compacted into the following summary:"
    "\n\n<summary>\n",
    "\n</summary>",
)
"""How pi tells the model of a compaction."""
LEFT_BRANCH = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
NO_RESULT = "No result provided"
"""What pi itself answers to a call without a result."""


@dataclass(slots=True)
class _Entry:
    at: int
    line: int
    value: Mapping[str, Any]
    parent: int | None = None


@dataclass(slots=True)
class _Tree:
    source: Source
    entries: list[_Entry] = field(default_factory=list)
    header: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    model: str | None = None


def read(source: Source, *, thread: str | None = None, whole: bool = False) -> Recording:
    """Read a session: what the model would be sent at the newest entry.

    Args:
        thread: a branch that was left (`branch-1`).
        whole: the whole branch, without the summaries of compactions.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    tree = _read_tree(source)
    if not tree.entries:
        raise InputError(source.where(), f"holds no messages ({NAME})")
    leaf = tree.entries[-1]
    history, boundaries = _tell(tree, leaf, whole, source)
    id = tree.header.get("id")
    return finished(
        source,
        NAME,
        history,
        thread=thread,
        threads=lambda: _branches(tree, leaf, whole),
        session_id=id if isinstance(id, str) else None,
        boundaries=boundaries,
        title=tree.name or _first_words(tree, leaf),
        started=seconds(tree.header.get("timestamp")),
    )


def _read_tree(source: Source) -> _Tree:
    tree = _Tree(source)
    ids: dict[str, int] = {}
    for line, value in source.records():
        kind = value.get("type")
        if kind == "session":
            tree.header = tree.header or value
            model = value.get("modelId")
            tree.model = model if isinstance(model, str) else tree.model
            continue
        entry = _Entry(len(tree.entries), line, value)
        parent = value.get("parentId")
        if "parentId" not in value and "id" not in value:
            entry.parent = entry.at - 1 if entry.at else None
        elif isinstance(parent, str):
            entry.parent = ids.get(parent)
            if entry.parent is None:
                source.report(
                    line,
                    f"the parent {parent} is not in this file",
                    "went on with the line before it",
                )
                entry.parent = entry.at - 1 if entry.at else None
        if isinstance(value.get("id"), str):
            ids[value["id"]] = entry.at
        if kind == "session_info" and isinstance(value.get("name"), str):
            tree.name = value["name"]
        tree.entries.append(entry)
    return tree


def _path(tree: _Tree, leaf: _Entry) -> list[_Entry]:
    """The entries from the root to `leaf`; a parent always precedes its entry here."""
    found = [leaf]
    while found[-1].parent is not None:
        found.append(tree.entries[found[-1].parent])
    return found[::-1]


def _first_words(tree: _Tree, leaf: _Entry) -> str:
    messages = (_message(entry.value) for entry in _path(tree, leaf))
    return first_words(message for message in messages if message is not None)


def _branches(tree: _Tree, leaf: _Entry, whole: bool) -> Mapping[str, Callable[[], History]]:
    silent = Source(tree.source.name, b"", 0)
    covered = {entry.at for entry in _path(tree, leaf)}
    ends: list[_Entry] = []
    for entry in reversed(tree.entries):
        if entry.at in covered or _message(entry.value) is None:
            continue
        ends.append(entry)
        at: int | None = entry.at
        while at is not None and at not in covered:
            covered.add(at)
            at = tree.entries[at].parent

    def teller(end: _Entry) -> Callable[[], History]:
        return lambda: _tell(tree, end, whole, silent)[0]

    return {f"branch-{n}": teller(end) for n, end in enumerate(reversed(ends), 1)}


def _tell(
    tree: _Tree, leaf: _Entry, whole: bool, source: Source
) -> tuple[History, tuple[int, ...]]:
    path = _path(tree, leaf)
    draft = Draft(source)
    marks: list[int] = []
    compactions = [n for n, e in enumerate(path) if e.value.get("type") == "compaction"]
    start = 0
    if compactions and not whole:
        last = compactions[-1]
        summary = path[last]
        told = text_of(summary.value.get("summary")).join(COMPACTED)
        draft.add(replace(_said(told, summary.value, typed=False), summary=True), summary.line)
        marks.append(0)
        start = _first_kept(tree, path, last)
    for n, entry in enumerate(path[start:], start):
        if n in compactions:
            if whole:
                marks.append(len(draft))
            continue
        message = _message(entry.value)
        if message is not None:
            draft.add(message, entry.line)
    mended = with_tool_messages(draft, _no_result)
    models = [m.model for m in mended.messages if m.model]
    model = models[-1] if models else tree.model
    history = History(mended.messages, dialect=DIALECT, model=model)
    return history, moved(marks, draft, mended)


def _first_kept(tree: _Tree, path: list[_Entry], compaction: int) -> int:
    """The place on the path of the first entry that a compaction kept."""
    value = path[compaction].value
    id, index = value.get("firstKeptEntryId"), value.get("firstKeptEntryIndex")
    for n, entry in enumerate(path[:compaction]):
        if isinstance(id, str) and entry.value.get("id") == id:
            return n
        # In version 1 the header counts as entry 0.
        if isinstance(index, int) and entry.at == index - bool(tree.header):
            return n
    return compaction


def _message(entry: Mapping[str, Any]) -> Message | None:
    """The message that pi sends for an entry; `None` where it sends none."""
    match entry.get("type"):
        case "message":
            told = entry.get("message")
            return _of_role(told, entry) if isinstance(told, Mapping) else None
        case "custom_message":
            return _user(entry.get("content"), entry, typed=False)
        case "branch_summary" if entry.get("summary"):
            return _said(text_of(entry["summary"]).join(LEFT_BRANCH), entry, typed=False)
    return None


def _of_role(told: Mapping[str, Any], entry: Mapping[str, Any]) -> Message | None:
    match told.get("role"):
        case "user":
            return _user(told.get("content"), entry, typed=None)
        case "custom" | "hookMessage":
            return _user(told.get("content"), entry, typed=False)
        case "assistant":
            return _assistant(told, entry)
        case "toolResult":
            result = ToolResult(
                text_of(told.get("toolCallId")),
                _parts(told.get("content")),
                is_error=told.get("isError") is True,
            )
            return Message("tool", (result,), dialect=DIALECT, time=_time(entry))
        case "bashExecution" if not told.get("excludeFromContext"):
            return _said(_bash(told), entry, typed=False)
        case "branchSummary":
            return _said(text_of(told.get("summary")).join(LEFT_BRANCH), entry, typed=False)
        case "compactionSummary":
            said = _said(text_of(told.get("summary")).join(COMPACTED), entry, typed=False)
            return replace(said, summary=True)
    return None


def _time(entry: Mapping[str, Any]) -> float | None:
    return seconds(entry.get("timestamp"))


def _said(text: str, entry: Mapping[str, Any], *, typed: bool) -> Message:
    return Message("user", (Text(text),), typed=typed, dialect=DIALECT, time=_time(entry))


def _user(content: Any, entry: Mapping[str, Any], *, typed: bool | None) -> Message | None:
    parts = _parts(content)
    if not parts:
        return None
    if typed is None:
        typed = spoken([p.text for p in parts if isinstance(p, Text)])
    id = entry.get("id")
    return Message(
        "user",
        parts,
        id=id if isinstance(id, str) else None,
        typed=typed,
        dialect=DIALECT,
        time=_time(entry),
    )


def _assistant(told: Mapping[str, Any], entry: Mapping[str, Any]) -> Message | None:
    # An answer that broke off is never sent again.
    if told.get("stopReason") in ("aborted", "error"):
        return None
    blocks: list[Block] = []
    sealed = told.get("api") == "anthropic-messages"
    content = told.get("content")
    for part in content if isinstance(content, list) else _parts(content):
        if isinstance(part, Text):
            blocks.append(part)
        elif isinstance(part, Mapping):
            blocks.append(_block(part, sealed))
    if not blocks:
        return None
    id, model = entry.get("id"), told.get("model")
    return Message(
        "assistant",
        tuple(blocks),
        id=id if isinstance(id, str) else None,
        dialect=DIALECT,
        model=model if isinstance(model, str) else None,
        usage=_usage(told.get("usage")),
        time=_time(entry),
    )


def _block(part: Mapping[str, Any], sealed: bool) -> Block:
    match part.get("type"):
        case "text":
            return Text(text_of(part.get("text")))
        case "thinking":
            signature = part.get("thinkingSignature")
            signature = signature if isinstance(signature, str) and signature else None
            return Thinking(
                text_of(part.get("thinking")),
                signature,
                redacted=part.get("redacted") is True,
                bound=sealed and signature is not None,
            )
        case "toolCall":
            return ToolCall(
                text_of(part.get("id")), text_of(part.get("name")), part.get("arguments")
            )
    return _part(part)


def _parts(content: Any) -> tuple[Content, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if not isinstance(content, list):
        return ()
    return tuple(_part(part) for part in content if isinstance(part, Mapping))


def _part(part: Mapping[str, Any]) -> Content:
    if part.get("type") == "text":
        return Text(text_of(part.get("text")))
    if part.get("type") == "image":
        image: Image = read_image(
            media_type=text_of(part.get("mimeType")), data=text_of(part.get("data")), raw=None
        )
        return image
    kind = text_of(part.get("type")) or "part"
    return Opaque(kind, raw={**part, "type": kind})


def _bash(told: Mapping[str, Any]) -> str:
    """What the user ran themselves, as pi tells the model."""
    output = text_of(told.get("output"))
    text = f"Ran `{text_of(told.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    code = told.get("exitCode")
    if told.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code:
        text += f"\n\nCommand exited with code {code}"
    if told.get("truncated") and told.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {told['fullOutputPath']}]"
    return text


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    made = Usage(
        input=count(value.get("input")),
        cache_read=count(value.get("cacheRead")),
        cache_write=count(value.get("cacheWrite")),
        output=count(value.get("output")),
    )
    return made if made != Usage() else None


def _no_result(call: ToolCall, message: Message) -> Message:
    result = ToolResult(call.id, (Text(NO_RESULT),), is_error=True)
    return Message("tool", (result,), dialect=DIALECT, time=message.time)
