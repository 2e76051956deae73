"""Whatever a policy takes out of any recorded session comes back by its id, byte for byte.

What is expected is worked out here from the JSON that the recording was read from, with the
standard library alone; only the id is made by trimtab.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.stores import Backend, backend
from trimtab.context.blocks import block_id
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, InputError
from trimtab.formats import neutral
from trimtab.formats.recording import read_recording
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Text, ToolResult
from trimtab.policies.registry import POLICIES
from trimtab.session import Session
from trimtab.store.protocol import Store

__all__ = ["backend"]  # a fixture

KEEPS_ALL = {"append"}
SPECS = (
    *(name for name in POLICIES if name not in KEEPS_ALL),
    "truncate:messages=4",
    "prune:N=2,W=1",
    "prune:N=0,W=-1",
    "clear-tool-results:trigger=1,keep=1,clear_tool_inputs=true",
    "auto:target=30,keep=1",
    "offload:keep=1,index=50",
    "compact:keep_recent=1,runs=2",
)
SHARES = {"clear-thinking": (100,)}
"""Budgets in percent of the whole; half and a quarter for all others."""
STEPS = 6
NAMES_IDS = ("auto", "clear-tool-results", "offload", "compact", "pipeline", "slim", "cliff")
"""Policies that put the ids of what left into the context."""
EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "sessions"
FEW = (
    "subagent.jsonl",
    "session.messages.json",
    "rollout-short.jsonl",
    "session-sample.jsonl",
    "local.traj.json",
    "events.jsonl",
    "llm-call-6.json",
    "run-3.traj",
    "flaky-test.responses.json",
    "records.neutral.jsonl",
)
"""A small recording of each format, for every day."""

_ID = re.compile("blk_[0-9a-z]{12}")
_SURROGATE = re.compile("[\ud800-\udfff]")


# -- what is expected, from the JSON ------------------------------------------------------------


def as_json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def words(value: Any) -> str:
    """The text of a wire value: a string, parts with texts, or what holds them."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(words, value))
    for key in ("text", "content", "output"):
        if value.get(key) is not None:
            return words(value[key])
    return ""


def expected(history: History, edit: Edit) -> bytes:
    """The bytes that `edit` took out."""
    if not edit.blocks:
        return b"\n".join(map(of_message, history[edit.start : edit.stop]))
    message = history[edit.start]
    return b"\n".join(of_block(message, message.blocks[number]) for number in edit.blocks)


def of_message(message: Message) -> bytes:
    if message.raw is not None:
        return as_json(message.raw)
    written = neutral.write_message(message)
    assert neutral.read_message(written).blocks == message.blocks
    return as_json(written)


def of_block(message: Message, block: Block) -> bytes:
    plain = isinstance(block, ToolResult) and all(isinstance(b, Text) for b in block.content)
    if isinstance(block, Text) or plain:
        raw = block.raw if block.raw is not None else message.raw
        text = words(raw) if raw is not None else getattr(block, "text", "")
        return text.encode("utf-8", "surrogatepass")
    if block.raw is not None:
        return as_json(block.raw)
    return as_json(neutral.write_message(Message("assistant", (block,))))


# -- the recordings -----------------------------------------------------------------------------


@cache
def histories(folder: Path) -> list[tuple[str, History]]:
    """Every recorded session in full, with its other branches and sub-agents."""
    found = []
    for root in (folder, EXAMPLES):
        for path in sorted(root.rglob("*")):
            if not path.is_file() or path.suffix == ".md":
                continue
            try:
                recording = read_recording(path, whole=True)
            except InputError:
                assert path.name == "base_state.json"
                continue
            found.append((path.name, recording.history))
            found += [(f"{path.name} {name}", h) for name, h in recording.threads.items()]
    assert len(found) >= 45
    return found


def sessions(history: History, store: Store, spec: str, label: str) -> Iterator[Session]:
    """A session that grows as the recorded one did, for each budget."""
    whole = Projection(history, Budget(1, "chars").counter_of(history)).size
    for share in SHARES.get(spec, (50, 25)):
        session = Session(
            model=history.model,
            dialect=history.dialect,
            policy=spec,
            store=store,
            budget=Budget(max(whole * share // 100, 1), "chars"),
            tools=history.tools,
            id=f"{label} {spec} {share}",
        )
        step = -(-len(history) // STEPS)
        for start in range(0, len(history), step):
            session.append(history[start : start + step])
            try:
                session.context()
            except BudgetInfeasible:
                continue
        yield session


def check(history: History, session: Session) -> tuple[int, int]:
    """All that left the session comes back: of how many edits, and of how many ids in sight."""
    known = set()
    count = 0
    for change in session.events:
        for edit in change.edits:
            if edit.evicts:
                data = expected(history, edit)
                id = block_id(data)
                assert session.recall(id) == data, (session.id, edit)
                assert set(_ID.findall(edit.text)) <= {id}
                known.add(id)
                count += 1
    # What the model is shown of it can be asked for as well.
    shown = set(_ID.findall(repr([message.blocks for message in session.view])))
    assert shown <= known, session.id
    return count, len(shown)


def everything(named: list[tuple[str, History]], backend: Backend, spec: str) -> None:
    store = backend.open()
    left = shown = 0
    for number, (name, history) in enumerate(named):
        for session in sessions(history, store, spec, f"{number} {name}"):
            more, seen = check(history, session)
            left, shown = left + more, shown + seen
    assert left > 0 or (spec == "supersede" and len(named) <= len(FEW))  # few see a thing twice
    assert shown > 0 or not spec.startswith(NAMES_IDS)
    assert store.check() == []


@pytest.mark.parametrize("spec", SPECS)
def test_a_recording_of_each_format(shared_sessions: Path, backend: Backend, spec: str) -> None:
    few = [(name, history) for name, history in histories(shared_sessions) if name in FEW]
    assert len(few) == len(FEW)
    everything(few, backend, spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_every_recorded_session(shared_sessions: Path, backend: Backend, spec: str) -> None:
    everything(histories(shared_sessions), backend, spec)
