"""Sessions as bytes in the form that the user asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.cli.output import note
from trimtab.formats.jsontext import dumps
from trimtab.formats.recording import Recording
from trimtab.formats.registry import FORMATS
from trimtab.formats.wire import write_request
from trimtab.history.log import History
from trimtab.history.message import Message


def written(
    messages: Sequence[Message],
    read: Recording,
    to: str | None,
    envelope: Mapping[str, Any] | None = None,
    by_line: bool = True,
) -> tuple[bytes, tuple[str, ...]]:
    """Messages of a session as a file's bytes, and what was lost on the way.

    Args:
        messages: the session, or a context of it.
        read: where they come from: requests keep their JSON shape; transcripts, which are never
            written, become neutral JSONL.
        to: another wire format.
        envelope: the other settings of the request, where an edit changed them.
        by_line: a bare list of messages was read one a line, and is written so.
    """
    history = read.history
    if envelope is not None and envelope is not history.envelope:
        history = History(
            tools=history.tools, dialect=history.dialect, envelope=envelope, model=history.model
        )
    recorded = FORMATS[read.format].kind == "transcript"
    target = to or ("neutral" if recorded else None)
    made = write_request(messages, history, target)
    value = made.value
    if to is not None or recorded:
        by_line = target == "neutral"
    if by_line and isinstance(value, list):
        return b"".join(dumps(line) + b"\n" for line in value), made.losses
    return dumps(value) + b"\n", made.losses


def tell_losses(losses: Sequence[str]) -> None:
    """What a conversion left out, on standard error."""
    for line in losses:
        note(f"not carried over: {line}")
