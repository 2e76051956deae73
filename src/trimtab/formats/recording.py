"""Any recorded session or request, whatever its format: one function reads them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from trimtab.errors import InputError, UnknownFormatError, UsageError
from trimtab.formats import (
    claude_code,
    cline,
    codex,
    gemini_cli,
    mini_swe_agent,
    opencode,
    opencode_store,
    openhands,
    pi,
    swe_agent,
)
from trimtab.formats.detect import MESSAGE_ROLES
from trimtab.formats.detect_recording import of_document, of_lines, seen
from trimtab.formats.jsontext import loads
from trimtab.formats.mended_json import decode_mended, without_lone_surrogates
from trimtab.formats.registry import FORMATS
from trimtab.formats.source import SQLITE, Problem, Source, open_source
from trimtab.formats.transcript import Recording, finished
from trimtab.formats.wire import read_request
from trimtab.history.log import History

__all__ = ["Problem", "Recording", "read_recording", "read_source"]

_HEAD = 64
"""Lines that decide the format of a file of one object a line."""

_BY_LINE: Mapping[str, Callable[..., Recording]] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "pi": pi.read,
    "openhands": openhands.read,
}
_BY_VALUE: Mapping[str, Callable[..., Recording]] = {
    "swe-agent": swe_agent.read,
    "mini-swe-agent": mini_swe_agent.read,
    "cline": cline.read,
}


def read_recording(
    path: str | Path,
    *,
    format: str | None = None,
    thread: str | None = None,
    whole: bool = False,
) -> Recording:
    """Read a session or request from a file; `-` is standard input.

    The format is found by content; gzip and zstd are unpacked. A broken line is reported in
    `problems`, and the rest is read. Nothing is written to the file or beside it.

    Args:
        format: a name of `registry.FORMATS`, where it is known.
        thread: another thread than the main one, by its name or the beginning of it: a
            sidechain, a branch, a session of a database.
        whole: all that happened, where the agent has compacted it; else what it would send
            next.

    Raises:
        InputError: it cannot be read, or holds no messages; says what and why in one line.
        UnknownFormatError: it is in none of the formats.
        UsageError: no such format.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"no format {format!r}; known are {', '.join(FORMATS)}")
    if str(path) != "-":
        place = Path(path)
        if _is_database(place):
            return _read_database(place, thread, whole)
        if openhands.is_conversation(place):
            return openhands.read_folder(place, thread=thread, whole=whole)
    return read_source(open_source(path), format=format, thread=thread, whole=whole)


def read_source(
    source: Source,
    *,
    format: str | None = None,
    thread: str | None = None,
    whole: bool = False,
) -> Recording:
    """Read a session or request from bytes; as `read_recording`."""
    if source.is_sqlite:
        raise InputError(source.where(), "an SQLite database is read from its file only")
    lines = list(islice((v for _, v in source.records(report=False)), _HEAD))
    if len(lines) < 2 or not _first_is_whole(source):
        try:
            value = _document(source)
        except ValueError as e:
            if not lines:
                raise InputError(source.where(), _not_json(source.data, e)) from None
        else:
            read = _read_value(source, value, format, thread, whole)
            if read is not None:
                return read
    return _read_lines(source, lines, format, thread, whole)


def _first_is_whole(source: Source) -> bool:
    """Whether the first line is a record, not the beginning of JSON over many lines."""
    _, first = next(source.lines())
    try:
        return bool(decode_mended(first)[0])
    except ValueError:
        return False


def _document(source: Source) -> Any:
    try:
        return loads(source.data)
    except ValueError:
        return source.document()


def _read_lines(
    source: Source,
    lines: list[dict[str, Any]],
    format: str | None,
    thread: str | None,
    whole: bool,
) -> Recording:
    name = format or of_lines(lines) or ""
    if name == "chat-jsonl" or (name in FORMATS and FORMATS[name].kind == "wire"):
        return _read_wire_lines(source, name, thread)
    if name == "gemini-cli":
        return gemini_cli.read(source, source.records(), thread=thread, whole=whole)
    if name in _BY_LINE:
        return _BY_LINE[name](source, thread=thread, whole=whole)
    raise UnknownFormatError(source.where(), _unknown(lines[0] if lines else None, format))


def _read_value(
    source: Source, value: Any, format: str | None, thread: str | None, whole: bool
) -> Recording | None:
    """Read a file that is one JSON value; `None` where that is the one record of a log."""
    name = format or of_document(value) or ""
    if name in FORMATS and FORMATS[name].kind == "wire":
        if isinstance(value, dict) and "role" in value:
            return None
        return _read_wire(source, value, name, thread)
    value = _clean(source, value)
    if name == "mini-swe-agent" or (name in _BY_VALUE and isinstance(value, dict)):
        return _BY_VALUE[name](source, value, thread=thread, whole=whole)
    if name == "openhands-state":
        reason = "an OpenHands state, which holds no messages; read the events beside it"
        raise InputError(source.where(), reason)
    if name == "openhands" and isinstance(value, list):
        events = [(None, event) for event in value if isinstance(event, dict)]
        return openhands.read_events(source, events, thread=thread, whole=whole)
    if not isinstance(value, dict):
        raise UnknownFormatError(source.where(), _unknown(value, format))
    if name == "gemini-cli":
        return gemini_cli.read(source, [(None, value)], thread=thread, whole=whole)
    if name == "opencode" and isinstance(value.get("info"), dict):
        stored = opencode.of_export(value)
        return opencode.read(source, stored, thread=thread, whole=whole)
    if name in ("opencode", "opencode-session") and source.path is not None:
        return _read_stored(source, source.path, value, thread, whole)
    return None


def _read_stored(
    source: Source, path: Path, info: dict[str, Any], thread: str | None, whole: bool
) -> Recording:
    def report(file: str, reason: str) -> None:
        source.problems.append(Problem(file, reason, "skipped it"))

    stored = opencode_store.from_folder(path, info, report)
    return opencode.read(source, stored, thread=thread, whole=whole)


def _read_wire(source: Source, value: Any, dialect: str | None, thread: str | None) -> Recording:
    history = _request(source, value, dialect)
    return finished(source, history.dialect, history, thread=thread)


def _request(source: Source, value: Any, dialect: str | None, line: int | None = None) -> History:
    try:
        return read_request(value, dialect)
    except UnknownFormatError:
        raise UnknownFormatError(source.where(line), _unknown(value, dialect)) from None
    except InputError as e:
        raise InputError(source.where(line), f"{e.where}: {e.reason}") from None


def _read_wire_lines(source: Source, name: str, thread: str | None) -> Recording:
    """Neutral JSONL, bare messages one a line, or one request a line: the first is the main
    one, the others are its threads `line-2`, `line-3` ...
    """
    rows = list(_kept_records(source))
    if "role" in rows[0][1] and name != "chat-jsonl":
        messages = [value for _, value in rows]
        history = _request(source, messages, None if name == "neutral" else name)
        return finished(source, history.dialect, history, thread=thread)
    dialect = None if name == "chat-jsonl" else name

    def reader(line: int, value: dict[str, Any]) -> Callable[[], History]:
        return lambda: _request(source, value, dialect, line)

    first, *others = rows
    threads = {f"line-{line}": reader(line, value) for line, value in others}
    history = _request(source, first[1], dialect, first[0])
    return finished(source, history.dialect, history, thread=thread, threads=lambda: threads)


def _kept_records(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records as they were written, for a form that is written back: surrogates and all."""
    for number, line in source.lines():
        try:
            value = loads(line)
        except ValueError:
            value = None
        if isinstance(value, dict):
            yield number, value
        else:
            part = Source(source.name, line, 0)
            yield from ((number, v) for _, v in part.records())
            source.problems += [
                Problem(source.where(number), p.reason, p.done) for p in part.problems
            ]


def _clean(source: Source, value: Any) -> Any:
    if b"\\ud" not in source.data and b"\\uD" not in source.data:
        return value
    try:
        value, replaced = without_lone_surrogates(value)
    except RecursionError:
        raise InputError(source.where(), "JSON that is nested too deep") from None
    if replaced:
        source.report(None, f"{replaced} lone surrogates", "replaced them by U+FFFD")
    return value


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():  # of a pipe, what is read here would be missing later
            return False
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except (OSError, ValueError):
        return False


def _read_database(path: Path, thread: str | None, whole: bool) -> Recording:
    source = Source(str(path), b"", path.stat().st_size)
    try:
        stored = opencode_store.from_database(path, thread)
    except InputError:
        # Not a session: a thread of the newest one.
        if thread is None:
            raise
        stored = opencode_store.from_database(path)
        return opencode.read(source, stored, thread=thread, whole=whole)
    return opencode.read(source, stored, whole=whole)


def _not_json(data: bytes, fault: ValueError) -> str:
    if data.lstrip()[:1] in (b"{", b"["):
        return f"not complete JSON ({fault})"
    if b"\0" in data[:1024]:
        return "a binary file; recorded sessions are JSON, plain or packed by gzip or zstd"
    return "not JSON; recorded sessions are JSON or one JSON object a line"


def _unknown(value: Any, format: str | None) -> str:
    if format is not None:
        return f"{seen(value)}; that is not {format}"
    spoilt = _spoilt(value)
    return f"no known format: {seen(value)}{spoilt}; --format takes one of {', '.join(FORMATS)}"


def _spoilt(value: Any) -> str:
    """Which message keeps a request from being one."""
    if not isinstance(value, dict):
        return ""
    place = "messages" if "messages" in value else "input"
    given = value.get(place)
    for at, message in enumerate(given if isinstance(given, list) else ()):
        if not isinstance(message, dict):
            return f", of which {place}[{at}] is no message"
        role = message.get("role")
        if (not isinstance(role, str) or role not in MESSAGE_ROLES) and (
            place == "messages" or "role" in message
        ):
            return f", of which {place}[{at}] has the role {role!r:.40}"
    return ""
