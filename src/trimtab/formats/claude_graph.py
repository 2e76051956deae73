"""The graph that a Claude Code file is: lines that name their parents, forked by parallel calls,
retries and rewinds, cut by compactions, with sub-agents beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trimtab.formats.source import Source


@dataclass(slots=True)
class Row:
    """One line of the file.

    Attributes:
        at: its place among the rows.
        line: its line in the file.
        parent: the uuid that it names as its parent.
        value: the line's JSON, for rows that carry words; else empty.
        spoken: it may become a message (`user`, `assistant`, a prompt typed while the model
            was working).
        boundary: a compaction starts the context anew here.
        side: it belongs to a sub-agent.
    """

    at: int
    line: int
    uuid: str
    parent: str | None
    value: Mapping[str, Any] = field(default_factory=dict)
    spoken: bool = False
    boundary: bool = False
    side: bool = False

    @property
    def assistant(self) -> bool:
        """The model said it."""
        return self.value.get("type") == "assistant"

    @property
    def summary(self) -> bool:
        """The summary that the harness put in place of what it compacted."""
        return self.value.get("isCompactSummary") is True

    @property
    def response(self) -> str:
        """The id of the API response that it is a part of; its own where there is none."""
        message = self.value.get("message")
        id = message.get("id") if isinstance(message, dict) else None
        return id if isinstance(id, str) and id else self.uuid

    @property
    def content(self) -> list[Any]:
        """The blocks of its message; a plain string is one text block."""
        if self.value.get("type") == "attachment":
            content: Any = self.value["attachment"].get("prompt")
        else:
            content = self.value["message"].get("content")
        if isinstance(content, str):
            return [{"type": "text", "text": content}] if content else []
        return content if isinstance(content, list) else []


@dataclass(slots=True)
class Graph:
    """All rows of a file, and the indexes that walking them needs.

    Attributes:
        responses: the rows of each API response, in file order.
        results: the rows that answer each call id, in file order.
        titles: names that the agent gave the session, the best one last.
    """

    source: Source
    rows: list[Row] = field(default_factory=list)
    by_uuid: dict[str, int] = field(default_factory=dict)
    responses: dict[tuple[bool, str], list[Row]] = field(default_factory=dict)
    results: dict[str, list[Row]] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)

    def spoken(self, side: bool) -> list[Row]:
        """The rows that may become messages, of the session itself or of its sub-agents."""
        return [row for row in self.rows if row.spoken and row.side == side]

    def up(self, row: Row) -> Row | None:
        """The row that this one names as its parent, if it is here."""
        at = self.by_uuid.get(row.parent) if row.parent else None
        return None if at is None else self.rows[at]

    def path(self, leaf: Row, whole: bool, report: bool = True) -> list[Row]:
        """The rows from the start of the context to `leaf`.

        Args:
            whole: go on past compactions, to the start of the session.
            report: note missing and circular parents as problems.
        """
        found: list[Row] = []
        seen: set[int] = set()
        row: Row | None = leaf
        while row is not None:
            seen.add(row.at)
            found.append(row)
            if row.boundary and not whole:
                break
            row = self._above(row, seen, report)
        found.reverse()
        return found

    def _above(self, row: Row, seen: set[int], report: bool) -> Row | None:
        named = row.parent
        if named is None and not row.boundary:
            return None
        above = self.up(row)
        if above is not None and above.at not in seen:
            return above
        # Lost or circular: what was written before it is the best guess, and better than to
        # lose all of the history above.
        before = self._before(row, seen)
        if report and named is not None:
            reason = (
                f"the parent {named} is not in this file"
                if above is None
                else f"the parents run in a circle at {named}"
            )
            done = "went on with the line before it" if before else "took it as the first line"
            self.source.report(row.line, reason, done)
        return before

    def _before(self, row: Row, seen: set[int]) -> Row | None:
        for at in range(row.at - 1, -1, -1):
            other = self.rows[at]
            if other.spoken and other.side == row.side and at not in seen:
                return other
        return None

    def preserved(self, boundary: Row) -> list[Row]:
        """The rows that a compaction kept word for word behind its summary."""
        meta = boundary.value.get("compactMetadata")
        if not isinstance(meta, Mapping):
            return []
        kept = meta.get("preservedMessages")
        if isinstance(kept, Mapping) and isinstance(kept.get("uuids"), list):
            places = [self.by_uuid.get(u) for u in kept["uuids"] if isinstance(u, str)]
            return [self.rows[at] for at in places if at is not None]
        segment = meta.get("preservedSegment")
        if not isinstance(segment, Mapping):
            return []
        head, tail = segment.get("headUuid"), segment.get("tailUuid")
        last = self.by_uuid.get(tail) if isinstance(tail, str) else None
        rows: list[Row] = []
        seen: set[int] = set()
        row = None if last is None else self.rows[last]
        while row is not None and row.at not in seen:
            rows.append(row)
            seen.add(row.at)
            if row.uuid == head:
                return rows[::-1]
            row = self.up(row)
        return []

    def leaves(self, rows: Iterable[Row]) -> list[Row]:
        """The rows of a set that no other row of it descends from, in file order."""
        open_rows = {row.at for row in rows}
        covered: set[int] = set()
        found: list[Row] = []
        for at in sorted(open_rows, reverse=True):
            if at in covered:
                continue
            found.append(self.rows[at])
            row: Row | None = self.rows[at]
            seen: set[int] = set()
            while row is not None and row.at not in seen:
                seen.add(row.at)
                if row.at in covered:
                    break
                covered.add(row.at)
                row = self.up(row)
        return found[::-1]


def read_graph(source: Source) -> Graph:
    """All lines of a Claude Code file."""
    graph = Graph(source)
    responses: dict[tuple[bool, str], list[Row]] = defaultdict(list)
    results: dict[str, list[Row]] = defaultdict(list)
    for line, value in source.records():
        row = _row(graph, line, value)
        if row is None:
            continue
        if row.uuid in graph.by_uuid:
            # A line that was written twice, as a resumed session does.
            continue
        graph.by_uuid[row.uuid] = row.at
        graph.rows.append(row)
        if not row.spoken:
            continue
        if row.assistant:
            responses[row.side, row.response].append(row)
        else:
            for block in row.content:
                if isinstance(block, dict) and block.get("type") == "tool_result":
                    results[str(block.get("tool_use_id"))].append(row)
    graph.responses = dict(responses)
    graph.results = dict(results)
    return graph


def _row(graph: Graph, line: int, value: dict[str, Any]) -> Row | None:
    kind = value.get("type")
    if kind in ("summary", "custom-title", "ai-title"):
        _note_title(graph, value)
        return None
    uuid = value.get("uuid")
    spoken = _is_spoken(value)
    if not isinstance(uuid, str):
        if not spoken:
            return None
        uuid = f"line {line}"
    parent = value.get("parentUuid")
    boundary = kind == "system" and value.get("subtype") == "compact_boundary"
    if spoken and value.get("isCompactSummary") is True and parent is None:
        # Early versions wrote the summary without a boundary line.
        boundary = True
    if boundary and not isinstance(parent, str):
        parent = value.get("logicalParentUuid")
    return Row(
        at=len(graph.rows),
        line=line,
        uuid=uuid,
        parent=parent if isinstance(parent, str) else None,
        value=value if spoken or boundary else {},
        spoken=spoken,
        boundary=boundary,
        side=value.get("isSidechain") is True,
    )


def _is_spoken(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    if kind in ("user", "assistant"):
        # What the harness shows for a failed request was never said to the model.
        return isinstance(value.get("message"), dict) and not value.get("isApiErrorMessage")
    if kind == "attachment":
        attachment = value.get("attachment")
        return isinstance(attachment, dict) and attachment.get("type") == "queued_command"
    return False


def _note_title(graph: Graph, value: Mapping[str, Any]) -> None:
    for key in ("customTitle", "aiTitle", "summary", "title"):
        title = value.get(key)
        if isinstance(title, str) and title.strip():
            if key == "customTitle":
                graph.titles.append(title)
            else:
                graph.titles.insert(0, title)
            return
