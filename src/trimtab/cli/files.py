"""From what the user named to the sessions that are meant: paths, directories, standard input,
`latest`, ids of sessions that are stored or that agents left.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from trimtab.cli.configured import configured
from trimtab.cli.opened import reading
from trimtab.cli.output import note
from trimtab.cli.progress import progress
from trimtab.cli.stored import SHORTEST, ambiguous, matching, recording_of
from trimtab.errors import InputError, StoreError, UsageError
from trimtab.formats.discover import LATEST, Target, resolve
from trimtab.formats.folder import sessions_in
from trimtab.formats.recording import Recording, read_recording, read_source
from trimtab.formats.registry import FORMATS
from trimtab.formats.source import Source, open_source
from trimtab.formats.wire import DIALECTS
from trimtab.store.protocol import SessionInfo
from trimtab.store.redaction import redacted_bytes

MOST_PROBLEMS = 5


def sessions(
    names: Sequence[str],
    *,
    thread: str | None = None,
    whole: bool = False,
    format: str | None = None,
    store: str | None = None,
    numbered: bool = False,
) -> Iterator[Recording]:
    """The sessions that `names` mean, in order; of a directory all that are in it.

    Problems of a recording are told on standard error; so is a file of a directory that turns
    out not to be readable, and the others are read.

    Args:
        format: a format to read them as. A wire format is for requests alone: what an agent
            recorded is read as what it is.
        store: the store that ids are looked up in.
        numbered: of a stored session all messages, so that they have the numbers of the session.

    Raises:
        InputError: one of them cannot be read, or a directory holds no session.
    """
    if list(names).count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    for name in names:
        targets = _targets(name, store)
        failure: InputError | None = None
        found = False
        for target in progress(targets, lambda target: target.path):
            try:
                read = _read(
                    target, thread, whole or (numbered and isinstance(target, _Stored)), format
                )
            except InputError as error:
                if len(targets) == 1:
                    raise
                failure = error
                note(f"{error}; skipped")
                continue
            found = True
            yield read
        if failure is not None and not found:
            raise InputError(name, "a directory without a session that can be read")


def session(
    name: str,
    *,
    thread: str | None = None,
    whole: bool = False,
    format: str | None = None,
    store: str | None = None,
) -> Recording:
    """The one session that `name` means.

    Raises:
        InputError: it cannot be read, or is a directory with several sessions.
    """
    targets = _targets(name, store)
    if len(targets) > 1:
        raise InputError(name, f"a directory with {len(targets)} sessions; name one of them")
    return _read(targets[0], thread, whole, format)


def session_and_shape(
    name: str,
    *,
    thread: str | None = None,
    whole: bool = False,
    format: str | None = None,
    store: str | None = None,
) -> tuple[Recording, bool]:
    """As `session`, and whether its first byte opens an object: then a list of messages was
    written one a line, else as one JSON array.
    """
    if name == "-" or _read_once(name):
        source = open_source(name)
        read = read_source(source, format=format, thread=thread, whole=whole)
        _finish(read)
        return read, _opens_object(source)
    read = session(name, thread=thread, whole=whole, format=format, store=store)
    of_no_file = FORMATS[read.format].kind == "transcript" or not os.path.exists(read.path)
    return read, of_no_file or _opens_object(open_source(read.path))


@dataclass(frozen=True, slots=True)
class _Stored:
    """A session of the store."""

    info: SessionInfo
    store: str | None

    @property
    def path(self) -> str:
        return self.info.id


def _read_once(name: str) -> bool:
    """A pipe or another thing that can be read only once."""
    return os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name)


def _targets(name: str, store: str | None) -> Sequence[Target | _Stored]:
    if not name.strip():
        raise UsageError("FILE is empty: name a path, a session id, latest or -")
    if name != "-" and os.path.isdir(name):
        return [Target(str(path)) for path in sessions_in(name)]
    if name in ("-", LATEST) or os.sep in name or len(name) < SHORTEST or os.path.exists(name):
        return [resolve(name)]
    stored = _stored(name, store)
    if len(stored) == 1 and stored[0].id == name:
        return [_Stored(stored[0], store)]
    if not stored:
        return [resolve(name)]
    ids = [info.id for info in stored]
    with suppress(InputError):  # no agent has left one of this name
        ids.append(resolve(name).path)
    if len(ids) > 1:
        raise ambiguous(name, ids)
    return [_Stored(stored[0], store)]


def _stored(name: str, url: str | None) -> list[SessionInfo]:
    """The sessions of the store that the name means; a broken store hides no file."""
    try:
        with reading(url) as store:
            return matching(store, name)
    except StoreError as failure:
        if url is not None:
            raise
        note(str(failure))
        return []


def _read(
    target: Target | _Stored, thread: str | None, whole: bool, format: str | None
) -> Recording:
    if isinstance(target, _Stored):
        if thread is not None:
            raise UsageError("a stored session has no threads")
        with reading(target.store) as store:
            read = recording_of(store, target.info, whole=whole)
        _finish(read)
        return read
    wanted = thread or target.thread
    if target.path == "-":  # can be read only once
        source = open_source("-")

        def read_as(format: str | None) -> Recording:
            again = Source(source.name, source.data, source.size, list(source.problems))
            return read_source(again, format=format, thread=wanted, whole=whole)
    else:

        def read_as(format: str | None) -> Recording:
            return read_recording(target.path, format=format, thread=wanted, whole=whole)

    read = read_as(None if format in DIALECTS else format)
    if format in DIALECTS and FORMATS[read.format].kind == "wire" and read.format != format:
        read = read_as(format)  # plain messages may be read as several wire formats
    _finish(read)
    return read


def _finish(read: Recording) -> None:
    """What is done with each session that was read."""
    if configured().redact:  # blocks that leave it are named as they are kept
        read.history.prepare = redacted_bytes
    read.history.pinned = configured().pins
    _tell_problems(read)


def _opens_object(source: Source) -> bool:
    return source.data.lstrip()[:1] == b"{"


def problem_lines(recording: Recording) -> list[str]:
    """One line for each thing that was found broken in a recording."""
    return [f"{p.where}: {p.reason}; {p.done}" for p in recording.problems]


def _tell_problems(recording: Recording) -> None:
    lines = problem_lines(recording)
    for line in lines[:MOST_PROBLEMS]:
        note(line)
    if len(lines) > MOST_PROBLEMS:
        note(f"{recording.path}: and {len(lines) - MOST_PROBLEMS:,} more such problems")
