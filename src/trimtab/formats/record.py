"""One message as a JSON value that reads back equal: how a store keeps a history."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from trimtab.errors import InputError
from trimtab.formats import neutral
from trimtab.formats.wire import DIALECTS
from trimtab.history.message import Message, Usage

_NOTES = ("id", "required", "typed", "summary", "model", "time")
"""What a message knows beside its content, where a wire format has no place for it."""

REDACTED = "redacted"
"""The key of a record from which secrets were taken: it is not quite what the model was sent."""


def to_record(message: Message) -> dict[str, Any]:
    """The message as a JSON value. Unedited, it is kept as the provider had it."""
    if message.raw is not None and not message.edited and message.dialect in DIALECTS:
        record: dict[str, Any] = {"dialect": message.dialect, "raw": message.raw}
        read = _read(message.dialect, message.raw)
        if read is None or read.blocks != message.blocks or read.role != message.role:
            record["content"] = _neutral(message)
            read = message
    else:
        record = {"dialect": message.dialect, "content": _neutral(message)}
        read = neutral.read_message(record["content"])
    for name in _NOTES:
        value = getattr(message, name)
        if value != getattr(read, name):
            record[name] = value
    if message.usage is not None:
        record["usage"] = dataclasses.astuple(message.usage)
    return record


def from_record(record: Mapping[str, Any]) -> Message:
    """The message that `to_record` was given.

    Raises:
        InputError: it is no such record.
    """
    dialect = record.get("dialect")
    raw = record.get("raw")
    content = record.get("content")
    if not isinstance(dialect, str) or (raw is None and not isinstance(content, Mapping)):
        raise InputError("record", "a stored message without content")
    if isinstance(content, Mapping):
        read = neutral.read_message(content)
        blocks = tuple(dataclasses.replace(block, raw=None) for block in read.blocks)
        message = dataclasses.replace(read, blocks=blocks, dialect=dialect, raw=raw)
    else:
        found = _read(dialect, raw)
        if found is None:
            raise InputError("record", f"a stored message of the unknown format {dialect!r}")
        message = found
    notes = {name: record[name] for name in _NOTES if name in record}
    usage = record.get("usage")
    if usage is not None:
        notes["usage"] = Usage(*usage)
    return dataclasses.replace(message, **notes)


def _read(dialect: str, raw: Any) -> Message | None:
    """The message of a wire value; the system parameter's as well."""
    wire = DIALECTS.get(dialect)
    if wire is None:
        return None
    if wire.system and wire.read_system and isinstance(raw, Mapping) and set(raw) == {wire.system}:
        return wire.read_system(raw[wire.system])
    read = wire.read_messages(raw if isinstance(raw, str) else [raw])
    return read[0] if len(read) == 1 else None


def _neutral(message: Message) -> dict[str, Any]:
    blocks = tuple(dataclasses.replace(block, raw=None) for block in message.blocks)
    bare = Message(message.role, blocks)
    return neutral.write_message(bare)
