"""What `trimtab session show` tells: the log of a session, event by event, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import time
from typing import Any

from trimtab.context.blocks import block_id, evicted
from trimtab.context.edits import Edit
from trimtab.formats.jsontext import loads
from trimtab.history.log import History
from trimtab.history.message import Block, ToolCall
from trimtab.pins import Pin, find_pins
from trimtab.policies.registry import spec_of
from trimtab.report.fill import excerpt
from trimtab.report.plain import age, moment, one_line, plural
from trimtab.session import Session
from trimtab.session_log import Change
from trimtab.store.protocol import MESSAGE, SessionInfo, Store
from trimtab.tokens import counter_for


@dataclass(frozen=True, slots=True)
class Story:
    """A session told.

    Attributes:
        whole, now: sizes of all that happened and of the context, in `unit`.
        live: how many messages the context has.
        events: what happened, in order, as JSON values.
        pins: what must stay.
    """

    info: SessionInfo
    policy: str
    budget: Mapping[str, Any]
    whole: int
    now: int
    unit: str
    live: int
    events: tuple[Mapping[str, Any], ...]
    pins: tuple[Pin, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it, as a JSON value."""
        info = self.info
        return {
            "session_id": info.id,
            "title": info.title,
            "format": info.dialect,
            "model": info.model,
            "created": info.created,
            "updated": info.updated,
            "policy": self.policy,
            "budget": dict(self.budget),
            "unit": self.unit,
            "messages": info.messages,
            "size": self.whole,
            "context": {"messages": self.live, "size": self.now},
            "events": [dict(event) for event in self.events],
            "pins": [
                {"message": p.message, "block": p.block, "rule": p.rule, "text": p.text}
                for p in self.pins
            ],
        }


def story(store: Store, info: SessionInfo, model: str | None) -> Story:
    """Read a session.

    Args:
        model: count for this model, not the session's.

    Raises:
        InputError: it was not recorded by `trimtab.Session`.
    """
    session = Session.restore(info.id, store=store, redact=False)
    history = session.history
    budget = session.budget
    counter = counter_for(model or history.model, budget.unit)
    sizes = [counter.message(message) for message in history]
    tools = counter.tools(history.tools, history.dialect)
    now = sum(counter.message(message) for message in session.view.messages)
    return Story(
        info=info,
        policy=spec_of(session.policy),
        budget={"limit": budget.limit, "unit": budget.unit, "reserve": budget.reserve},
        whole=counter.total(sum(sizes) + tools, len(history)),
        now=counter.total(now + tools, len(session.view)),
        unit=counter.unit,
        live=len(session.view),
        events=tuple(_events(store, session, sizes)),
        pins=tuple(find_pins(history)),
    )


def _events(store: Store, session: Session, sizes: Sequence[int]) -> Iterator[Mapping[str, Any]]:
    """The events of the log as JSON values; of those of other programs the kind alone."""
    history, view = session.history, session.view
    edited = {n: m.edited for n, m in zip(view.sources, view.messages, strict=True)}
    required = {pin.message for pin in find_pins(history)}
    number = turn = 0
    for event in store.events(session.id):
        told: dict[str, Any] = {"event": event.seq, "kind": event.kind, "time": event.time}
        if event.kind == MESSAGE and number < len(history):
            message = history[number]
            if message.role == "assistant":
                turn += not (number and history[number - 1].role == "assistant")
            told |= {
                "message": number,
                "turn": turn,
                "role": message.role,
                "size": sizes[number],
                "required": number in required,
                "context": "gone" if number not in edited else _standing(edited[number]),
                "holds": [block_name(block) for block in message.blocks],
                "begins": excerpt(message.blocks[0]) if message.blocks else "",
            }
            number += 1
        elif event.kind == "edits":
            told |= _change(store, history, Change.of(event.seq, loads(event.body)))
        elif event.kind in ("undo", "mark", "stage"):
            told |= loads(event.body)
        yield told


def _standing(edited: bool) -> str:
    return "changed" if edited else "whole"


def block_name(block: Block) -> str:
    """`text`, `call of read`, `result`."""
    if isinstance(block, ToolCall):
        return f"call of {block.name}"
    return {"ToolResult": "result", "Opaque": getattr(block, "kind", "")}.get(
        type(block).__name__, type(block).__name__.lower()
    )


def _change(store: Store, history: History, change: Change) -> dict[str, Any]:
    return {
        "turn": change.turn,
        "policy": change.policy,
        "why": change.why,
        "before": change.before,
        "after": change.after,
        "unit": change.unit,
        "edits": [
            {
                "kind": edit.kind,
                "target": edit.target,
                "reason": edit.reason,
                "block": _block(store, history, edit),
                **({"report": loads(edit.report)} if edit.report else {}),
            }
            for edit in change.edits
        ],
    }


def _block(store: Store, history: History, edit: Edit) -> str | None:
    """The id of the block that brings it back."""
    if not edit.evicts:
        return None
    id = block_id(evicted(history, edit))
    return id if store.has_block(id) else None


# -- for people ------------------------------------------------------------------------------------


def print_story(told: Story, most: int | None) -> None:
    """What happened, the newest last.

    Args:
        most: how many events; `None` for all.
    """
    from trimtab.report.fitted import Column
    from trimtab.report.terminal import cell, console, flow, room, show, table

    to = console()
    info = told.info
    show(to, cell(info.id, "bold"))
    show(to, *flow((cell(said, "dim") for said in _described(told)), " · ", room(to)))
    if info.title:
        show(to, cell(f"“{one_line(info.title, max(room(to) - 2, 20))}”", "italic"))
    show(to, "", cell(_size_line(told), "bold"))
    shown = told.events if most is None else told.events[-most:]
    if len(shown) < len(told.events):
        older = plural(len(told.events) - len(shown), "earlier event")
        show(to, "", cell(f"{older}: trimtab session show {info.id} --all", "dim"))
    columns = [
        Column("event", right=True),
        Column("turn", right=True, spare=1),
        Column("message", right=True),
        Column("what"),
        Column(told.unit, right=True),
        Column("context", spare=2),
        Column("begins, or why", folds=True),
    ]
    show(to, "", table(columns, [row for event in shown for row in _rows(event)]))
    if told.pins:
        rows = [(pin.message, pin.rule, one_line(pin.text, 200)) for pin in told.pins]
        heads = [Column("message", right=True), Column("rule"), Column("text", folds=True)]
        show(to, "", table(heads, rows, title=f"What must stay: {plural(len(rows), 'pin')}"))


def summary_lines(report: Mapping[str, Any] | None) -> list[str]:
    """How a summary came about, without the single values."""
    from trimtab.report.summary_report import told

    if report is None:
        return []
    guard = report.get("guard")
    brief = {**guard, "values": ()} if isinstance(guard, Mapping) else guard
    return list(told({**report, "guard": brief}))


def _described(told: Story) -> Iterator[str]:
    info = told.info
    yield info.dialect
    yield info.model or "model not recorded"
    yield plural(info.messages, "message")
    yield f"begun {moment(info.created)}"
    yield f"last used {age(time() - info.updated)}"
    yield f"policy {told.policy}"
    yield f"budget {told.budget['limit']:,} {told.unit}"


def _size_line(told: Story) -> str:
    live = plural(told.live, "message")
    size = f"{told.whole:,} {told.unit} in all; the context has {told.now:,} in {live}"
    edits = [e for event in told.events if event["kind"] == "edits" for e in event["edits"]]
    took = [edit["report"]["usage"] for edit in edits if edit.get("report", {}).get("model")]
    if not took:
        return size
    read = sum(usage["input"] + usage["cache_read"] + usage["cache_write"] for usage in took)
    written = sum(usage["output"] for usage in took)
    summaries = plural(len(took), "summary", "summaries")
    return f"{size}; {summaries} by a model took {read:,} in, {written:,} out"


def _rows(event: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    number, kind = event["event"], event["kind"]
    turn = event.get("turn", "")
    if kind == MESSAGE and "message" in event:
        what = one_line(f"{event['role']}: {', '.join(event['holds']) or 'nothing'}", 40)
        held = event["required"] and event["context"] != "gone"
        stays = "must stay" if held else event["context"]
        stays = "" if stays == "whole" else stays
        yield (
            number,
            turn,
            event["message"],
            what,
            event["size"],
            stays,
            one_line(event["begins"], 160),
        )
    elif kind == "edits":
        change = f"{event['before']:,} → {event['after']:,} {event['unit']}: {event['why']}"
        yield number, turn, "", f"edits by {event['policy']}", "", "", change
        for edit in event["edits"]:
            recall = f"; {edit['block']}" if edit["block"] else ""
            yield (
                "",
                "",
                "",
                f"  {edit['kind']}",
                "",
                "",
                f"{edit['target']}: {edit['reason']}{recall}",
            )
            for line in summary_lines(edit.get("report")):
                yield "", "", "", "", "", "", line
    elif kind == "undo":
        yield number, "", "", "undo", "", "", f"takes back the edits of event {event['edits']}"
    elif kind == "mark":
        now = "must stay" if event["required"] else "need not stay"
        yield number, "", event["message"], "pin" if event["required"] else "unpin", "", "", now
    elif kind == "stage":
        yield number, turn, "", "stage finished", "", "", event.get("note") or ""
    else:
        yield number, "", "", kind, "", "", ""
