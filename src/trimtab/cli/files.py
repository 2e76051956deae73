"""From what the user named to the sessions that are meant: paths, directories, standard input,
`latest`, session ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from trimtab.cli.output import note
from trimtab.cli.progress import progress
from trimtab.errors import InputError
from trimtab.formats.discover import Target, resolve
from trimtab.formats.folder import sessions_in
from trimtab.formats.recording import Recording, read_recording, read_source
from trimtab.formats.registry import FORMATS
from trimtab.formats.source import Source, open_source
from trimtab.formats.wire import DIALECTS

MOST_PROBLEMS = 5


def sessions(
    names: Sequence[str],
    *,
    thread: str | None = None,
    whole: bool = False,
    format: str | None = None,
) -> Iterator[Recording]:
    """The sessions that `names` mean, in order; of a directory all that are in it.

    Problems of a recording are told on standard error; so is a file of a directory that turns
    out not to be readable, and the others are read.

    Args:
        format: a format to read them as. A wire format is for requests alone: what an agent
            recorded is read as what it is.

    Raises:
        InputError: one of them cannot be read, or a directory holds no session.
    """
    for name in names:
        targets = _targets(name)
        failure: InputError | None = None
        found = False
        for target in progress(targets, lambda target: target.path):
            try:
                read = _read(target, thread, whole, format)
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
    name: str, *, thread: str | None = None, whole: bool = False, format: str | None = None
) -> Recording:
    """The one session that `name` means.

    Raises:
        InputError: it cannot be read, or is a directory with several sessions.
    """
    targets = _targets(name)
    if len(targets) > 1:
        raise InputError(name, f"a directory with {len(targets)} sessions; name one of them")
    return _read(targets[0], thread, whole, format)


def session_and_shape(
    name: str, *, thread: str | None = None, whole: bool = False, format: str | None = None
) -> tuple[Recording, bool]:
    """As `session`, and whether its first byte opens an object: then a list of messages was
    written one a line, else as one JSON array.
    """
    if name == "-":  # can be read only once
        source = open_source(name)
        read = read_source(source, format=format, thread=thread, whole=whole)
        _tell_problems(read)
        return read, _opens_object(source)
    read = session(name, thread=thread, whole=whole, format=format)
    recorded = FORMATS[read.format].kind == "transcript"
    return read, recorded or _opens_object(open_source(read.path))


def _targets(name: str) -> list[Target]:
    if name != "-" and os.path.isdir(name):
        return [Target(str(path)) for path in sessions_in(name)]
    return [resolve(name)]


def _read(target: Target, thread: str | None, whole: bool, format: str | None) -> Recording:
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
    _tell_problems(read)
    return read


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
