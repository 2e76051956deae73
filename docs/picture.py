"""The picture of a message list before and after a plan, as plain text.

A row is a message of the history on the left and what became of it on the right, so that both
columns can be read down: the left one is H, the right one is K. Sizes are those that the plan was
made with, and each column adds up to its heading.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import dataclass

from trimtab.context.plan import Plan
from trimtab.history.message import Message, Text, Thinking, ToolCall, ToolResult

BAR = 10
HOLDS = 24

_KINDS = {
    "Text": "text",
    "Thinking": "thinking",
    "ToolCall": "call",
    "ToolResult": "result",
    "Image": "image",
    "Document": "document",
    "Opaque": "opaque",
}


@dataclass(slots=True)
class Row:
    """One line: the left half is empty for what an edit put in, the right one for what left."""

    number: int = -1
    before: Message | None = None
    size_before: int = 0
    what: str = ""
    size_after: int = -1
    blocks: int = 0


def picture(plan: Plan) -> str:
    """The message list before and after `plan`."""
    rows = list(_rows(plan))
    projection = plan.projection
    around_before = plan.before - sum(row.size_before for row in rows)
    around_after = plan.after - sum(row.size_after for row in rows if row.size_after >= 0)
    largest = max([around_before, *(row.size_before for row in rows)])
    count = len(projection.context().messages)
    left = f"before: {len(projection.history)} messages, {plan.before:,} {plan.unit}"
    right = f"after: {count} messages, {plan.after:,} {plan.unit}"
    width = 3 + 2 + 9 + 1 + HOLDS + 7 + 1 + BAR
    what_width = max([len(row.what) for row in rows], default=0)
    lines = [f"{left:<{width}}   {right}".rstrip(), ""]

    def line(left: str, what: str, size: int) -> None:
        after = f"{what:<{what_width}}" + (f"{size:>7,} {_bar(size, largest)}" if size >= 0 else "")
        lines.append(f"{left:<{width}} | {after}".rstrip())

    if around_before:
        head = f"{'':3}  {'tools, frame of the request':<{10 + HOLDS}}"
        left = f"{head}{around_before:>7,} {_bar(around_before, largest)}"
        line(left, "the same" if around_after == around_before else "changed", around_after)
    for row in rows:
        left = ""
        if row.before is not None:
            left = f"{row.number:>3}  {row.before.role:<9} {holds(row.before):<{HOLDS}}"
            left += f"{row.size_before:>7,} {_bar(row.size_before, largest)}"
        line(left, row.what, row.size_after)
    return "\n".join(lines)


def holds(message: Message) -> str:
    """The kinds of its blocks, in order: `thinking, text, 2 calls`."""
    kinds = Tally(_KINDS[type(block).__name__] for block in message.blocks)
    said = (
        kind if n == 1 else f"{n} {kind}{'' if kind in ('text', 'thinking') else 's'}"
        for kind, n in kinds.items()
    )
    return ", ".join(said) or "nothing"


def _bar(size: int, largest: int) -> str:
    halves = round(size * BAR * 2 / largest) if largest else 0
    return "█" * (halves // 2) + "▌" * (halves % 2) or "▏"


def _rows(plan: Plan) -> Iterator[Row]:
    rows = list(_unjoined(plan))
    standing = iter([row for row in rows if row.size_after >= 0])
    for message in plan.projection.context().messages:
        taken = 0
        while taken < len(message.blocks) or taken == 0:
            row = next(standing)
            if taken:
                row.what += ", joined to the one above"
            taken += max(row.blocks, 1)
    return iter(rows)


def _unjoined(plan: Plan) -> Iterator[Row]:
    """The rows in order, before neighbours of one role are joined."""
    projection, counter = plan.projection, plan.projection.counter
    history, sizes = projection.history, projection.sizes.of
    context = projection.context()
    notes = {
        at: message
        for at, (message, source) in enumerate(zip(context.messages, context.sources, strict=True))
        if source < 0 and message.role == "user"
    }
    summaries = [edit for edit in plan.edits if edit.kind == "summarise"]
    leading = next((notes[at] for at in sorted(notes) if at <= history.head), None)
    closing = notes.get(len(context.messages) - 1)
    for number, message in enumerate(history):
        if number == history.head and leading is not None:
            yield _put_in("+ note (user)", leading, counter.message(leading))
        for edit in summaries:
            if edit.start == number:
                summary = Message(edit.role, (Text(edit.text),))
                yield _put_in(f"+ summary ({edit.role})", summary, counter.message(summary))
        row = Row(number, message, sizes[number])
        if projection.live(number):
            row.what = _what(plan, number)
            row.size_after = projection.size_of(number)
            row.blocks = len(projection.items[projection.position(number)].blocks)
        else:
            row.what = "dropped"
        yield row
    if closing is not None and closing is not leading:
        yield _put_in("+ note (user)", closing, counter.message(closing))


def _put_in(what: str, message: Message, size: int) -> Row:
    return Row(what=what, size_after=size, blocks=len(message.blocks))


def _what(plan: Plan, number: int) -> str:
    """What happened to a message that is still there."""
    blocks = plan.projection.history[number].blocks
    done: list[str] = []
    for edit in plan.projection.edits_of(number):
        for at in edit.blocks:
            block = blocks[at]
            if edit.kind == "clear":
                done.append("input cleared" if isinstance(block, ToolCall) else "result cleared")
            elif edit.kind == "slim":
                done.append("input slimmed" if isinstance(block, ToolCall) else "result slimmed")
            elif isinstance(block, Thinking):
                done.append("thinking dropped")
            elif isinstance(block, ToolResult):
                done.append("result dropped")
            else:
                done.append("part dropped")
    said = (
        what if n == 1 else f"{n} {what.replace(' ', 's ', 1)}" for what, n in Tally(done).items()
    )
    return ", ".join(said) or "kept"
