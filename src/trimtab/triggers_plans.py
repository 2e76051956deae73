"""Items of a plan that were ticked off: plan tools, and checklists in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trimtab.history.message import ToolCall
from trimtab.triggers_shells import arguments

_PLANNERS = re.compile(
    r"(?:mcp__\w+__)?(?:todo_?write|update_plan|task_?tracker|write_todos|update_todo_list|"
    r"manage_todo_list|todo_list|todo|taskupdate|task_update|set_plan|plan)",
    re.IGNORECASE,
)
_LISTS = ("todos", "plan", "task_list", "tasks", "items", "steps", "todoList")
_NAMES = ("content", "step", "title", "text", "subject", "name", "task", "description")
_DONE = frozenset({"completed", "done", "complete", "finished"})
_BOX = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX✓✔])\][ \t]+(\S.*)$", re.MULTILINE)
_MOST = 20_000
"""Characters of a text that are searched for boxes."""


@dataclass(slots=True)
class Plans:
    """The items seen so far: text of the item -> whether it is done.

    An item counts as ticked off where it was seen open before: a list that is written down with
    finished items for the first time says nothing about this moment.
    """

    done: dict[str, bool] = field(default_factory=dict)

    def written(self, text: str) -> list[str]:
        """Take up the boxes in a text; a reason for what was ticked off."""
        return self._taken(list(_boxes(text)))

    def called(self, call: ToolCall) -> list[str]:
        """Take up the plan, or the boxes of a file, that a call writes."""
        if _PLANNERS.fullmatch(call.name):
            given = arguments(call)
            if (id := given.get("taskId", given.get("task_id"))) is not None and "status" in given:
                return self._taken([(f"task {id}", _finished(given["status"]))], known=True)
            return self._taken(list(_items(given)))
        boxes: list[tuple[str, bool]] = []
        old: dict[str, bool] = {}
        for text, new in _texts(call):
            (boxes.extend if new else old.update)(_boxes(text))
        for item, finished in old.items():
            self.done.setdefault(item, finished)
        return self._taken(boxes)

    def _taken(self, items: list[tuple[str, bool]], known: bool = False) -> list[str]:
        ticked = []
        for item, finished in items:
            before = self.done.get(item, False if known else None)
            if finished and before is False:
                ticked.append(item)
            self.done[item] = finished
        if not ticked:
            return []
        names = ticked[0] if len(ticked) == 1 else f"{ticked[0]} and {len(ticked) - 1} more"
        return [f"ticked off: {names}"]


def _items(given: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    for key in _LISTS:
        value = given.get(key)
        if isinstance(value, str):
            yield from _boxes(value)
        elif isinstance(value, list):
            for entry in value:
                if isinstance(entry, Mapping) and "status" in entry:
                    named = next((entry[n] for n in _NAMES if isinstance(entry.get(n), str)), "")
                    yield _short(named), _finished(entry["status"])
            return
    for key in ("markdown", "text", "content"):
        if isinstance(given.get(key), str):
            yield from _boxes(given[key])


def _finished(status: object) -> bool:
    return isinstance(status, str) and status.lower() in _DONE


def _boxes(text: str) -> Iterator[tuple[str, bool]]:
    if "[" not in text:
        return
    for mark, item in _BOX.findall(text[:_MOST]):
        yield _short(item), mark != " "


def _short(item: str) -> str:
    line = " ".join(item.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _texts(call: ToolCall) -> Iterator[tuple[str, bool]]:
    """The texts that an edit replaces (`False`) and writes (`True`)."""
    given = arguments(call)
    edits = given.get("edits")
    for part in (given, *(edits if isinstance(edits, list) else ())):
        if not isinstance(part, Mapping):
            continue
        for key in ("old_string", "old_str"):
            if isinstance(part.get(key), str):
                yield part[key], False
        for key in ("new_string", "new_str", "content", "file_text", "contents", "new_source"):
            if isinstance(part.get(key), str):
                yield part[key], True
    patch = given.get("input", given.get("patch", call.input))
    if isinstance(patch, str) and "*** Begin Patch" in patch[:200]:
        for sign, new in (("-", False), ("+", True)):
            lines = (line[1:] for line in patch.splitlines() if line.startswith(sign))
            yield "\n".join(lines), new
