"""What a plan does, edit by edit, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trimtab.context.blocks import block_id, evicted
from trimtab.context.edits import Edit, as_left
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.context.sizes import sizes_of


@dataclass(frozen=True, slots=True)
class Explained:
    """One edit with what it costs and brings.

    Attributes:
        kind, target, reason: as in `Edit`.
        block: the id that brings the evicted bytes back; `None` where nothing was evicted.
        tokens_before, tokens_after: the size of what it touches, in the plan's unit.
        data: the evicted bytes.
        report: of a summary: how it came about and what the guard found, as JSON.
        text: what stands in the place of what it touches; empty for nothing.
    """

    kind: str
    target: str
    reason: str
    block: str | None
    tokens_before: int
    tokens_after: int
    data: bytes
    report: str = ""
    text: str = ""


def explain(plan: Plan) -> Iterator[Explained]:
    """Each edit of `plan`, in the order of the history."""
    projection = plan.projection
    counter = projection.counter
    sizes = sizes_of(projection.history, counter).of
    for edit in plan.edits:
        if edit.kind == "summarise":
            size = counter.text(edit.text)
            yield Explained(
                edit.kind, edit.target, edit.reason, None, 0, size, b"", edit.report, edit.text
            )
            continue
        data = evicted(projection.history, edit)
        if edit.blocks:
            before, after = _block_sizes(projection, edit)
        else:
            before, after = sum(sizes[edit.start : edit.stop]), 0
        id = block_id(data)
        yield Explained(
            edit.kind, edit.target, edit.reason, id, before, after, data, text=edit.text
        )


def _block_sizes(projection: Projection, edit: Edit) -> tuple[int, int]:
    counter = projection.counter
    blocks = projection.history[edit.start].blocks
    before = sum(counter.block(blocks[n]) for n in edit.blocks)
    after = 0
    if edit.kind != "drop":
        after = sum(counter.block(as_left(blocks[n], edit)) for n in edit.blocks)
    return before, after
