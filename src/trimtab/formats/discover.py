"""The sessions that agents have left on this machine, in their usual places. Only ever read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trimtab.errors import InputError, UsageError
from trimtab.formats import opencode_store
from trimtab.formats.openhands import is_conversation
from trimtab.formats.recording import read_recording

LATEST = "latest"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([^"]+)"')
_SHORTEST_ID = 4
_PEEK = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A session in its usual place.

    Attributes:
        path: its file, folder or database.
        format: a name of `registry.FORMATS`.
        session_id: the agent's id of it.
        modified: seconds since 1970.
        bytes: size on disk; 0 where only reading it would tell.
        title: where the place itself tells it; else empty.
        thread: which session of a database.
    """

    path: Path
    format: str
    session_id: str
    modified: float
    bytes: int
    title: str = ""
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What reading a session tells of it.

    Attributes:
        turns: calls of the model in the live context.
        context: tokens of the live context with the last answer, as last reported; `None` where
            the agent reports none.
        model: the last one, where known.
        title: for people, in one line.
    """

    turns: int
    context: int | None
    model: str | None
    title: str


@dataclass(frozen=True, slots=True)
class Target:
    """What a name on the command line stands for: arguments of `read_recording`."""

    path: str
    thread: str | None = None


def found_sessions(
    *, home: Path | None = None, env: Mapping[str, str] | None = None
) -> list[Found]:
    """All sessions in the usual places, newest first; no file is read as a whole.

    Claude Code, Codex, Gemini CLI, opencode, pi, OpenHands; where they are told to keep their
    sessions elsewhere (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `GEMINI_CLI_HOME`, `XDG_DATA_HOME`,
    `PI_CODING_AGENT_DIR`, `OH_PERSISTENCE_DIR`), there.

    Args:
        home: the home folder, if not the user's own.
        env: the environment, if not the process's own.
    """
    places = _Places(Path.home() if home is None else home, os.environ if env is None else env)
    found: list[Found] = []
    for look in _LOOKS:
        found += look(places)
    return sorted(found, key=lambda f: (-f.modified, f.session_id))


def measured(found: Found) -> Measured:
    """Read a session for its turns and fill.

    Raises:
        InputError: it cannot be read, or holds no messages.
    """
    recording = read_recording(found.path, thread=found.thread)
    history = recording.history
    turns = 0
    context: int | None = None
    last: str | None = None
    for message in history:
        if message.role != "assistant":
            last = None
            continue
        # Items of one response count once, as far as they tell.
        if message.id is None or message.id != last:
            turns += 1
        last = message.id
        if message.usage is not None:
            context = message.usage.context + message.usage.output
    if history.dialect == "responses":
        turns = sum(m.usage is not None for m in history) or turns
    return Measured(turns, context, history.model, found.title or recording.title)


def resolve(name: str, *, home: Path | None = None, env: Mapping[str, str] | None = None) -> Target:
    """What a name stands for: `latest`, a file, or a found session's id or its beginning.

    Raises:
        InputError: nothing of this name.
        UsageError: several sessions' ids begin so.
    """
    if name == LATEST:
        for found in found_sessions(home=home, env=env):
            if _speaks(found):
                return Target(str(found.path), found.thread)
        raise InputError(name, "no agent has left a session in its usual place here")
    if name == "-" or os.path.exists(name) or os.sep in name or len(name) < _SHORTEST_ID:
        return Target(name)
    begin = [
        found
        for found in found_sessions(home=home, env=env)
        if found.session_id.lower().startswith(name.lower())
    ]
    exact = [found for found in begin if found.session_id.lower() == name.lower()]
    ids = {found.session_id for found in begin}
    if exact or len(ids) == 1:
        chosen = (exact or begin)[0]
        return Target(str(chosen.path), chosen.thread)
    if not begin:
        raise InputError(name, "no such file, and no session found here has an id like it")
    shown = ", ".join(sorted(ids)[:5]) + (" ..." if len(ids) > 5 else "")
    raise UsageError(f"{name!r} is the beginning of {len(ids)} session ids: {shown}")


@dataclass(frozen=True, slots=True)
class _Places:
    home: Path
    env: Mapping[str, str]

    def root(self, variable: str, *default: str) -> Path:
        """The folder that a variable names, else one in the home folder."""
        told = self.env.get(variable)
        return Path(told).expanduser() if told else self.home.joinpath(*default)


def _file(path: Path, format: str, id: str) -> Iterator[Found]:
    try:
        state = path.stat()
    except OSError:
        return
    if state.st_size:
        yield Found(path, format, id, state.st_mtime, state.st_size)


def _claude_code(places: _Places) -> Iterator[Found]:
    roots = {
        places.root("CLAUDE_CONFIG_DIR", ".claude"),
        places.root("XDG_CONFIG_HOME", ".config") / "claude",
    }
    for root in sorted(roots):
        for path in root.glob("projects/*/*.jsonl"):
            if not path.name.startswith("agent-"):
                yield from _file(path, "claude-code", path.stem)


def _codex(places: _Places) -> Iterator[Found]:
    root = places.root("CODEX_HOME", ".codex")
    for folder in ("sessions", "archived_sessions"):
        for path in root.joinpath(folder).rglob("rollout-*.jsonl*"):
            ids = _UUID.findall(path.name)
            yield from _file(path, "codex", ids[-1] if ids else path.name.split(".")[0])


def _gemini_cli(places: _Places) -> Iterator[Found]:
    root = places.root("GEMINI_CLI_HOME") / ".gemini"
    for path in root.glob("tmp/*/chats/session-*.json*"):
        if path.suffix == ".json" and path.with_suffix(".jsonl").exists():
            # It goes on in the new form.
            continue
        id = _SESSION_ID.search(_beginning(path, 4096))
        name = id[1].decode(errors="replace") if id else path.stem
        yield from _file(path, "gemini-cli", name)


def _opencode(places: _Places) -> Iterator[Found]:
    root = places.root("XDG_DATA_HOME", ".local", "share") / "opencode"
    known: set[str] = set()
    for path in sorted(root.glob("opencode*.db")):
        try:
            sessions = opencode_store.sessions(path)
        except InputError:
            continue
        for id, title, parent, modified in sessions:
            known.add(id)
            if parent is None:
                yield Found(path, "opencode", id, modified, 0, title, id)
    for path in root.glob("storage/session/*/*.json"):
        if path.stem not in known and b'"parentID"' not in _beginning(path, 4096):
            yield from _file(path, "opencode", path.stem)


def _pi(places: _Places) -> Iterator[Found]:
    root = places.root("PI_CODING_AGENT_DIR", ".pi", "agent")
    for path in root.glob("sessions/*/*.jsonl"):
        yield from _file(path, "pi", path.stem.rpartition("_")[2])


def _openhands(places: _Places) -> Iterator[Found]:
    root = places.root("OH_PERSISTENCE_DIR", ".openhands")
    for path in root.glob("conversations/*"):
        if is_conversation(path):
            events = path / "events"
            size = sum(f.stat().st_size for f in os.scandir(events) if f.is_file())
            yield Found(path, "openhands", path.name, events.stat().st_mtime, size)


_LOOKS: tuple[Callable[[_Places], Iterator[Found]], ...] = (
    _claude_code,
    _codex,
    _gemini_cli,
    _opencode,
    _pi,
    _openhands,
)


def _beginning(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _speaks(found: Found) -> bool:
    """Whether something was said in it: agents leave files of sessions that never began."""
    if found.path.suffix != ".jsonl":
        return True
    head = _beginning(found.path, _PEEK)
    said = (b'"role"', b'"type":"gemini"', b'"type": "gemini"')
    return len(head) == _PEEK or any(mark in head for mark in said)
