"""Recorded sessions in tests: where the golden ones are, and a history as readable lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trimtab.formats.recording import Recording, read_recording
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.history.rules import Violation, validate

GOLDEN = Path(__file__).resolve().parent / "golden" / "transcripts"


def golden(name: str, **how: Any) -> Recording:
    """One of the golden recordings."""
    return read_recording(GOLDEN / name, **how)


def written(folder: Path, rows: Iterable[Any], name: str = "session.jsonl") -> Path:
    """A file of one JSON value a line; a `bytes` row is written as it is."""
    path = folder / name
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def broken_rules(history: History) -> tuple[Violation, ...]:
    """What the provider would refuse of it."""
    return validate(history, history.dialect, tools=history.tools, envelope=history.envelope)


def told(history: History) -> list[str]:
    """Each message in a line; `*` marks the user's own words."""
    return [_message(message) for message in history]


def report(recording: Recording) -> dict[str, Any]:
    """All that a reader says of a file, for a snapshot."""
    place = f"{GOLDEN}/"
    return {
        "format": recording.format,
        "dialect": recording.history.dialect,
        "model": recording.history.model,
        "session": recording.session_id,
        "title": recording.title,
        "started": recording.started,
        "ended": recording.ended,
        "boundaries": list(recording.boundaries),
        "problems": [
            f"{p.where.replace(place, '')}: {p.reason}; {p.done}" for p in recording.problems
        ],
        "tools": [tool.name for tool in recording.history.tools],
        "messages": told(recording.history),
        "threads": {name: told(thread) for name, thread in recording.threads.items()},
    }


def _message(message: Message) -> str:
    own = "*" if message.role == "user" and message.typed else ""
    usage = message.usage
    spent = ""
    if usage is not None:
        spent = f" [{usage.input}+{usage.cache_read}+{usage.cache_write}>{usage.output}]"
    return f"{message.role}{own}: {' | '.join(map(_block, message.blocks))}{spent}"


def _block(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Thinking():
            seal = f" sealed {block.signature}" if block.signature else ""
            bound = ", bound" if block.bound else ""
            return f"<thinks {block.text}{seal}{bound}>"
        case ToolCall():
            return f"<calls {block.name} {block.id} {json.dumps(block.input)}>"
        case ToolResult():
            failed = " failed" if block.is_error else ""
            return f"<result {block.call_id}{failed} {', '.join(map(_block, block.content))}>"
        case Image():
            return f"<image {block.media_type} {block.width}x{block.height}>"
        case Document():
            return f"<document {block.title} {block.text}>"
        case Opaque():
            return f"<{block.kind}>"
