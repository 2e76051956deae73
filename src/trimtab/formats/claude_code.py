"""Claude Code project files (`~/.claude/projects/<folder>/<session>.jsonl`).

The lines of one API response become one assistant message, its results the one user message
behind it. Lines that only the harness reads (progress, file snapshots, its queue) are never
context; `toolUseResult` repeats what the message holds and is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from trimtab.errors import InputError
from trimtab.formats.anthropic import read_message
from trimtab.formats.anthropic_fit import fitted
from trimtab.formats.claude_graph import Graph, Row, read_graph
from trimtab.formats.pairs import Draft, moved
from trimtab.formats.source import Source, open_source
from trimtab.formats.transcript import (
    Recording,
    ThreadFinder,
    anthropic_usage,
    finished,
    first_words,
    own_texts,
    seconds,
    spoken,
)
from trimtab.history.log import History
from trimtab.history.message import Message, Usage

NAME = "claude-code"


def read(source: Source, *, thread: str | None = None, whole: bool = False) -> Recording:
    """Read a session: the newest thread, from the last compaction on.

    Args:
        thread: a sidechain (`agent-<id>`) or branch (`branch-1`) instead.
        whole: all of it, without the summaries that stand for what was compacted.

    Raises:
        InputError: it holds no messages, or no such thread.
    """
    graph = read_graph(source)
    leaf = _leaf(graph, whole)
    main = graph.spoken(leaf.side)
    told = _tell(graph, graph.path(leaf, whole), whole)
    session_id = leaf.value.get("sessionId")
    return finished(
        source,
        NAME,
        told.history,
        thread=thread,
        threads=_threads(graph, leaf, whole),
        session_id=session_id if isinstance(session_id, str) else None,
        boundaries=told.boundaries,
        title=graph.titles[-1] if graph.titles else _first_words(graph, main),
        started=seconds(main[0].value.get("timestamp")),
        ended=seconds(leaf.value.get("timestamp")),
    )


def _leaf(graph: Graph, whole: bool) -> Row:
    """The end of the session: its newest line, unless that leads to a thread without words.

    Raises:
        InputError: there are no words in any thread.
    """
    for side in (False, True):
        rows = graph.spoken(side)
        for leaf in chain(rows[-1:], reversed(graph.leaves(rows))):
            if _says(graph, leaf, whole):
                return leaf
    raise InputError(graph.source.where(), f"holds no messages ({NAME})")


def _says(graph: Graph, leaf: Row, whole: bool) -> bool:
    """Whether there is more in a thread than results that nobody asked for."""
    path = graph.path(leaf, whole, report=False)
    told = (row for row in path if row.spoken and not (whole and row.summary))
    return any(not _is_result(block) for row in told for block in row.content)


def _first_words(graph: Graph, rows: list[Row]) -> str:
    silent = Draft(Source(graph.source.name, b"", 0))
    messages = (_message(silent, [row]) for row in rows if not row.assistant)
    return first_words(message for message in messages if message is not None)


@dataclass(frozen=True, slots=True)
class _Told:
    history: History
    boundaries: tuple[int, ...]
    used: frozenset[int]
    """The places of the rows that went into it."""


def _tell(graph: Graph, path: list[Row], whole: bool, report: bool = True) -> _Told:
    """The history that a path through the graph tells."""
    source = graph.source if report else Source(graph.source.name, b"", 0)
    draft = Draft(source)
    used: set[int] = set()
    boundaries: list[int] = []
    on_path = {row.at for row in path}
    for row in _in_order(graph, path, whole):
        if row.boundary:
            boundaries.append(len(draft))
        if not row.spoken or row.at in used or (whole and row.summary):
            continue
        parts = graph.responses[row.side, row.response] if row.assistant else [row]
        used.update(part.at for part in parts)
        message = _message(draft, parts)
        if message is None:
            continue
        draft.add(message, row.line)
        # A row that answers two responses would be told twice; the first one has it.
        results = _results(graph, message, on_path, used)
        used.update(result.at for result in results)
        reply = _message(draft, results) if results else None
        if reply is not None:
            draft.add(reply, results[0].line)
    mended = fitted(draft)
    models = [m.model for m in mended.messages if m.model and m.model != "<synthetic>"]
    history = History(mended.messages, dialect="anthropic", model=models[-1] if models else None)
    return _Told(history, moved(boundaries, draft, mended), frozenset(used))


def _in_order(graph: Graph, path: list[Row], whole: bool) -> Iterable[Row]:
    """The path, with what a compaction kept word for word put behind its summary."""
    kept: list[Row] = []
    for row in path:
        if row.boundary and not whole:
            kept = graph.preserved(row)
        yield row
        if kept and row.spoken:
            yield from kept
            kept = []
    yield from kept


def _results(graph: Graph, message: Message, on_path: set[int], used: set[int]) -> list[Row]:
    """The rows that answer the calls of a message, in file order.

    A parallel call forks the graph: only one of the results is on the path, and all count.
    """
    found: dict[int, Row] = {}
    for call in message.calls():
        rows = [row for row in graph.results.get(call.id, ()) if row.at not in used]
        rows = [row for row in rows if row.at in on_path] or rows
        if rows:
            found[rows[0].at] = rows[0]
    return [found[at] for at in sorted(found)]


def _message(draft: Draft, rows: list[Row]) -> Message | None:
    """One message of several rows: the parts of a response, or the results of its calls."""
    first = rows[0]
    role = "assistant" if first.assistant else "user"
    content = _joined(rows) if first.assistant else _results_first(rows)
    if not content:
        return None
    message = _understood(draft, first, role, content)
    if message is None:
        return None
    time = seconds(rows[-1].value.get("timestamp"))
    if first.assistant:
        api = rows[-1].value["message"]
        model = api.get("model")
        return replace(
            message,
            id=first.response,
            model=model if isinstance(model, str) else None,
            usage=_usage(rows),
            time=time,
        )
    typed = any(_typed(row, message) for row in rows)
    summary = any(row.summary for row in rows)
    return replace(message, id=first.uuid, typed=typed, summary=summary, time=time)


def _understood(draft: Draft, row: Row, role: str, content: list[Any]) -> Message | None:
    """The message; a block that cannot be read is reported, and costs the others nothing."""
    try:
        return read_message({"role": role, "content": content})
    except InputError:
        pass
    kept: list[Any] = []
    for block in content:
        try:
            read_message({"role": role, "content": [block]})
            kept.append(block)
        except InputError as e:
            draft.source.report(row.line, f"a block that is not understood ({e})", "skipped it")
    return read_message({"role": role, "content": kept}) if kept else None


def _joined(rows: list[Row]) -> list[Any]:
    """The blocks of a response, which the file spreads over several lines."""
    content: list[Any] = []
    calls: set[str] = set()
    for row in rows:
        blocks = row.content
        if content and blocks[: len(content)] == content:
            # A line that repeats the ones before it.
            content = []
            calls = set()
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                if str(block.get("id")) in calls:
                    continue
                calls.add(str(block.get("id")))
            content.append(block)
    return content


def _results_first(rows: list[Row]) -> list[Any]:
    blocks = [block for row in rows for block in row.content]
    return sorted(blocks, key=lambda b: not _is_result(b))


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _typed(row: Row, message: Message) -> bool:
    """Whether the user's own words are in it."""
    value = row.value
    if value.get("isMeta") or row.summary:
        return False
    if value.get("type") == "attachment" and value["attachment"].get("commandMode") not in (
        None,
        "prompt",
    ):
        return False
    return spoken(own_texts(message))


def _usage(rows: list[Row]) -> Usage | None:
    """The usage of a response: every line repeats it, and early ones have not all output yet."""
    best: Usage | None = None
    for row in rows:
        usage = anthropic_usage(row.value["message"].get("usage"))
        if usage is not None and (best is None or usage.output >= best.output):
            best = usage
    return best


def _threads(graph: Graph, leaf: Row, whole: bool) -> ThreadFinder:
    """What finds the other threads: branches, sidechains in the file, files of sub-agents."""

    def find() -> Mapping[str, Callable[[], History]]:
        def teller(end: Row) -> Callable[[], History]:
            return lambda: _tell(graph, graph.path(end, whole, False), whole, False).history

        found: dict[str, Callable[[], History]] = {}
        for end in _branches(graph, leaf):
            found[f"branch-{len(found) + 1}"] = teller(end)
        sides = [] if leaf.side else graph.leaves(graph.spoken(side=True))
        for n, end in enumerate(sides, 1):
            id = end.value.get("agentId")
            name = f"agent-{id}" if isinstance(id, str) and id else f"sidechain-{n}"
            while name in found:
                name += "+"
            found[name] = teller(end)
        for file in agent_files(graph.source.path, leaf.value.get("sessionId")):
            found.setdefault(file.stem.split(".")[0], _reader(file, whole))
        return found

    return find


def _branches(graph: Graph, leaf: Row) -> list[Row]:
    """The ends of the threads that were left, in file order."""
    path = graph.path(leaf, whole=True, report=False)
    used = _tell(graph, path, False, False).used | {row.at for row in path}
    return graph.leaves(row for row in graph.spoken(leaf.side) if row.at not in used)


def _reader(file: Path, whole: bool) -> Callable[[], History]:
    return lambda: read(open_source(file), whole=whole).history


def agent_files(path: Path | None, session_id: object) -> list[Path]:
    """The files of a session's sub-agents, which lie beside it or in a folder of its name.

    Args:
        session_id: a file beside the session belongs to it only if it carries this id.
    """
    if path is None or path.name.startswith("agent-"):
        return []
    name = path.name.split(".")[0]
    found: list[Path] = []
    for folder in (path.with_name(name) / "subagents", path.with_name(name)):
        found += sorted(folder.glob("agent-*.jsonl*"))
    if isinstance(session_id, str):
        mark = session_id.encode()
        found += [f for f in sorted(path.parent.glob("agent-*.jsonl*")) if _starts(f, mark)]
    return found


def _starts(file: Path, mark: bytes) -> bool:
    try:
        with file.open("rb") as f:
            return mark in f.readline(1 << 16)
    except OSError:
        return False
