"""Repairs inside single messages: roles, blocks of the wrong side, arguments, empty content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from trimtab.history.message import Image, Opaque, Role, Text, Thinking, ToolCall, ToolResult
from trimtab.history.placeholders import emptied
from trimtab.history.repair_work import Item, Part, Work, note, shown_json, told
from trimtab.history.rules import RULES, Violation
from trimtab.history.rules.turns import blank
from trimtab.history.rules.violation import Request

_NAME = re.compile(r"[^a-zA-Z0-9_-]+")


def _broken(work: Work, rule: str) -> Iterator[tuple[Item, Violation]]:
    """The messages that break one rule, as they stand."""
    messages = [item.built() for item in work.items]
    request = Request(work.dialect, messages, (), work.envelope)
    checks = [check for check in RULES[work.dialect] if check.__name__ == rule]
    found = [violation for check in checks for violation in check(request)]
    for violation in found:
        if violation.index >= 0:
            yield work.items[violation.index], violation


def roles(work: Work) -> None:
    """A role that the provider does not know becomes the one that it was read as."""
    for item, _ in list(_broken(work, "roles_known")):
        raw = item.message.raw
        role = item.role
        if role == "tool" and work.dialect != "openai":
            role = "user"
        work.tell(item, f"the role {raw.get('role')!r:.40} is unknown here", f"it is {role!r} now")
        item.reshape({**raw, "role": role})


def foreign(work: Work) -> None:
    """Blocks and keys of another provider become quoted text."""
    for item, violation in list(_broken(work, "no_foreign_blocks")):
        kind = violation.explanation
        raw = item.message.raw
        keys = [k for k in ("tool_calls", "tool_call_id", "function_call") if k in (raw or ())]
        if "the key" in kind and keys:
            kept = {key: raw[key] for key in keys}
            item.reshape({key: value for key, value in raw.items() if key not in keys})
            item.parts.append(Part(note("of another provider", shown_json(kept))))
            item.changed = True
            work.tell(item, kind, "it was kept as text")
            continue
        for part in item.parts:
            block = part.block
            if isinstance(block, Opaque) and f"block {block.kind} " in kind:
                item.swap(part, note(f"{block.kind} of another provider", told(block)))
                work.tell(item, kind, "it was kept as text")
            elif isinstance(block, ToolResult):
                content = tuple(
                    note(f"{p.kind} of another provider", told(p))
                    if isinstance(p, Opaque) and f"block {p.kind} " in kind
                    else p
                    for p in block.content
                )
                if content != block.content:
                    item.swap(part, replace(block, content=content, edited=True))
                    work.tell(item, kind, "it was kept as text")


def sides(work: Work) -> None:
    """Calls and thinking go to the assistant, results and pictures to the user."""
    if work.dialect == "neutral":
        return
    items: list[Item] = []
    for item in work.items:
        if item.role == "tool" and not any(isinstance(p.block, ToolResult) for p in item.parts):
            work.tell(item, "a tool message holds no result", "it is the user's now")
            item.message = replace(item.message, role="user", typed=False, raw=None)
            item.changed = True
        runs: list[tuple[Role, list[Part]]] = []
        for part in item.parts:
            role = _role_for(work.dialect, item, part)
            if runs and runs[-1][0] == role:
                runs[-1][1].append(part)
            else:
                runs.append((role, [part]))
        if not runs or (len(runs) == 1 and runs[0][0] == item.role):
            items.append(item)
            continue
        what = f"a {item.role} message holds what only another side may say"
        work.tell(item, what, "it was taken apart")
        own = item.role in (role for role, _ in runs)
        for role, parts in runs:
            if role == item.role:
                raw = item.message.raw if own else None
                message = replace(item.message, raw=raw)
                own = False
            else:
                message = replace(item.message, role=role, raw=None, required=None, typed=False)
            items.append(Item(message, item.number, parts, True))
    work.items = items


def _role_for(dialect: str, item: Item, part: Part) -> Role:
    block, role = part.block, item.role
    if dialect == "responses":
        return role
    if isinstance(block, ToolCall):
        return "assistant"
    if isinstance(block, ToolResult) and not block.server:
        if dialect == "openai":
            return role if role not in ("assistant", "system") else "tool"
        return role if role in ("user", "tool") else "user"
    if dialect == "anthropic":
        if isinstance(block, Thinking | ToolResult):
            return "assistant"
        if isinstance(block, Image):
            return role if role in ("user", "tool") else "user"
    return role


def arguments(work: Work) -> None:
    """Arguments in the form that the provider takes; tool names that it takes."""
    objects = work.dialect == "anthropic"
    rule = "arguments_are_objects" if objects else "arguments_are_json"
    for item in dict.fromkeys(item for item, _ in _broken(work, rule)):
        for part in item.parts:
            call = part.block
            if not isinstance(call, ToolCall) or call.server:
                continue
            value: Any = call.input
            if objects and not isinstance(value, dict):
                value = _object(value)
            elif not objects and (not isinstance(value, str) or call.edited):
                value = value if _is_json(value) else json.dumps(value, ensure_ascii=False)
            else:
                continue
            item.swap(part, replace(call, input=value, edited=True))
            wanted = "object" if objects else "string of JSON"
            work.tell(item, f"the arguments of {call.id!r:.60} are no {wanted}", "they are now")
    if objects:
        _names(work)


def _names(work: Work) -> None:
    for item in dict.fromkeys(item for item, _ in _broken(work, "call_names_fit")):
        for part in item.parts:
            call = part.block
            if isinstance(call, ToolCall):
                name = _NAME.sub("_", call.name)[:200] or "unnamed"
                if name != call.name:
                    what = f"the tool name {call.name!r:.80} is not allowed"
                    work.tell(item, what, f"it is {name!r:.80} now")
                    item.swap(part, replace(call, name=name, edited=True))


def _object(value: Any) -> dict[str, Any]:
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except ValueError:
            read = None
        if isinstance(read, dict):
            return read
    return {"input": value}


def _is_json(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def empties(work: Work) -> None:
    """Blank texts go where something else is said; a message without content says so."""
    if work.dialect == "anthropic":
        for item in work.items:
            blanks = [part for part in item.parts if blank(part.block)]
            if not blanks:
                continue
            for part in blanks:
                item.take(part)
            if item.parts or item.role == "system":
                work.tell(item, "a text block is blank", "it was left out")
            else:
                _fill(work, item, "the text is blank")
    for item, violation in list(_broken(work, "not_empty")):
        raw = item.message.raw
        if isinstance(raw, dict) and raw.get("tool_calls") == []:
            item.reshape({key: value for key, value in raw.items() if key != "tool_calls"})
            if item.parts or raw.get("content") not in (None, []):
                work.tell(item, "the list of calls is empty", "the key was left out")
                continue
        result = item.parts[0].block if len(item.parts) == 1 else None
        if isinstance(result, ToolResult):
            item.swap(item.parts[0], replace(result, edited=True))
            work.tell(item, violation.explanation, "its content is an empty text now")
        elif not item.parts:
            _fill(work, item, violation.explanation)


def _fill(work: Work, item: Item, what: str) -> None:
    text = emptied(item.message)
    item.parts.append(Part(Text(text)))
    item.changed = True
    work.tell(item, what, f"it says {text!r} now")
