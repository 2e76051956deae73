"""The projection: pure, incremental, and legal for the provider."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget, parse_size
from trimtab.context.edits import Edit, coalesced
from trimtab.context.projection import SYNTHETIC, Projection, project
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Message, Text, Thinking, ToolCall, ToolResult
from trimtab.history.placeholders import CONTINUE, cleared, is_placeholder, left_out
from trimtab.policies.registry import fit
from trimtab.tokens import counter_for

CHARS = counter_for(None, "chars")


def rounds(count: int, dialect: str = "anthropic", thinking: bool = False) -> History:
    """A task and `count` tool rounds."""
    messages = [
        Message("system", (Text("You repair things."),), dialect=dialect),
        Message("user", (Text("Repair it. Do not touch the lock."),), dialect=dialect),
    ]
    for n in range(count):
        mind = (Thinking(f"thought {n}", f"sig{n}", bound=True),) if thinking else ()
        call = ToolCall(f"c{n}", "look", {"at": n})
        messages.append(Message("assistant", (*mind, call), dialect=dialect))
        answer = ToolResult(f"c{n}", (Text(f"part {n} " * 30),))
        messages.append(Message("user", (answer,), dialect=dialect))
    return History(messages, dialect=dialect)


@st.composite
def edit_lists(draw: st.DrawFn) -> list[Edit]:
    made: list[Edit] = []
    for n in range(draw(st.integers(0, 12))):
        start = draw(st.integers(2, 21))
        kind = draw(st.sampled_from(["drop", "clear", "summarise"]))
        if kind == "drop":
            stop = draw(st.integers(start + 1, 22))
            made.append(Edit("drop", start, stop))
        elif kind == "clear":
            made.append(Edit("clear", start, start + 1, (0,), cleared("look", "9 chars", "blk_x")))
        else:
            made.append(Edit("summarise", start, start, (), f"summary {n}", slot=str(n % 3)))
    return made


@settings(max_examples=300, deadline=None)
@given(edit_lists(), st.integers(0, 10))
def test_in_steps_or_at_once_the_context_is_the_same(edits: list[Edit], cut: int) -> None:
    history = rounds(10)
    before = list(history)
    grown = History(list(history)[:2], dialect="anthropic")
    stepwise = Projection(grown, CHARS)
    grown.extend(list(history)[2:])
    stepwise.refresh()
    stepwise.apply(edits[:cut])
    copy = stepwise.copy()
    stepwise.apply(edits[cut:])
    at_once = Projection(history, CHARS)
    at_once.apply(edits)
    assert stepwise.context().messages == at_once.context().messages
    assert stepwise.size == at_once.size
    assert project(history, edits).messages == at_once.context().messages
    copy.apply(edits[cut:])
    assert copy.context().messages == at_once.context().messages
    assert list(history) == before


@settings(max_examples=300, deadline=None)
@given(edit_lists())
def test_sources_name_the_originals(edits: list[Edit]) -> None:
    history = rounds(10, dialect="openai")
    context = project(history, edits)
    assert len(context.sources) == len(context.messages)
    real = [s for s in context.sources if s != SYNTHETIC]
    assert real == sorted(set(real))
    touched = {e.start for e in edits if e.blocks}
    for message, source in zip(context.messages, context.sources, strict=True):
        if source != SYNTHETIC and source not in touched:
            assert message is history[source]


@settings(max_examples=300, deadline=None)
@given(edit_lists())
def test_no_two_neighbours_of_one_role_in_anthropic(edits: list[Edit]) -> None:
    whole_rounds = [
        e if e.kind != "drop" else Edit("drop", e.start - e.start % 2, e.stop + e.stop % 2)
        for e in edits
    ]
    messages = project(rounds(10), whole_rounds).messages[1:]
    roles = [m.role for m in messages]
    assert roles[0] == "user"
    summaries = {e.start for e in edits if e.kind == "summarise"}
    if not summaries:
        assert all(a != b for a, b in pairwise(roles))


def test_a_context_never_starts_with_an_answer() -> None:
    history = rounds(3)
    context = project(history, [Edit("drop", 1, 4)])
    assert context.messages[1].role == "user"
    assert context.messages[1].text == left_out(3) == "[3 earlier messages left out]"
    assert not context.messages[1].typed


def test_neutral_records_get_no_note() -> None:
    history = rounds(3, dialect="neutral")
    assert [m.role for m in project(history, [Edit("drop", 1, 4)])][:2] == ["system", "assistant"]


def test_a_summary_at_the_end_does_not_end_the_context_in_an_answer() -> None:
    history = rounds(2)
    context = project(
        history, [Edit("drop", 2, 6), Edit("summarise", 2, 6, (), "what was done", slot="s")]
    )
    assert [m.role for m in context.messages] == ["system", "user", "assistant", "user"]
    assert context.messages[-1].text == CONTINUE


def test_a_summary_joins_the_answer_behind_it() -> None:
    history = rounds(3)
    context = project(
        history, [Edit("drop", 2, 6), Edit("summarise", 2, 6, (), "what was done", slot="s")]
    )
    assert [m.role for m in context.messages] == ["system", "user", "assistant", "user"]
    joined = context.messages[2]
    assert isinstance(joined.blocks[0], Text)
    assert isinstance(joined.blocks[1], ToolCall)
    assert context.sources == (0, 1, 6, 7)


def test_a_later_summary_of_a_slot_replaces_the_earlier() -> None:
    history = rounds(3, dialect="openai")
    edits = [Edit("summarise", 2, 4, (), text, slot="s") for text in ("old", "new")]
    texts = [m.text for m in project(history, edits).messages]
    assert "new" in texts
    assert "old" not in texts


def test_cleared_results_keep_their_call() -> None:
    history = rounds(1)
    note = cleared("look", "9 tokens", block_id(b"x"))
    block = project(history, [Edit("clear", 3, 4, (0,), note)]).messages[3].blocks[0]
    assert isinstance(block, ToolResult)
    assert (block.call_id, block.text, block.edited) == ("c0", note, True)


def test_an_emptied_message_says_so() -> None:
    history = rounds(1)
    message = project(history, [Edit("drop", 3, 4, (0,))]).messages[3]
    assert is_placeholder(message.text)


def test_an_edit_takes_the_signed_thinking_behind_it() -> None:
    history = rounds(6, thinking=True)
    plan = fit(history, Budget(900, "chars"), "recent-first")
    first = min(e.start for e in plan.edits if not e.blocks)
    for message, source in zip(*_pairs(plan.projection), strict=True):
        if source > first:
            assert not any(isinstance(b, Thinking) for b in message.blocks)
    assert any("signed thinking" in e.reason for e in plan.edits)


def _pairs(projection: Projection) -> tuple[list[Message], list[int]]:
    return projection.items, projection.sources


def test_thinking_that_comes_after_the_edit_stays() -> None:
    history = rounds(6, thinking=True)
    budget = Budget(900, "chars")
    at = fit(history, budget, "recent-first").projection
    blocks = (Thinking("new", "sig", bound=True), Text("done"))
    history.append(Message("assistant", blocks, dialect="anthropic"))
    at.refresh()
    assert any(isinstance(b, Thinking) for b in at.context().messages[-1].blocks)


def test_thinking_is_switched_off_where_the_open_round_lost_it() -> None:
    made = rounds(6, thinking=True)
    history = History(
        list(made), dialect="anthropic", envelope={"thinking": {"type": "enabled"}, "x": 1}
    )
    context = fit(history, Budget(900, "chars"), "recent-first").projection.context()
    assert context.envelope == {"thinking": {"type": "disabled"}, "x": 1}
    assert history.envelope["thinking"] == {"type": "enabled"}
    assert project(history, []).envelope is history.envelope


def test_what_leaves_has_the_id_of_its_bytes() -> None:
    history = rounds(2)
    result = evicted(history, Edit("clear", 3, 4, (0,)))
    assert result == ("part 0 " * 30).encode()
    assert block_id(result) == block_id(bytes(result))
    assert block_id(result) != block_id(result + b"x")
    assert len(block_id(b"")) == len("blk_") + 12
    whole = evicted(history, Edit("drop", 2, 4))
    assert whole.count(b"\n") == 1


def test_ranges_are_coalesced() -> None:
    assert coalesced([(5, 7), (1, 3), (2, 4), (7, 8)]) == [(1, 4), (5, 8)]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("50000", 50_000),
        ("50k", 50_000),
        ("1.5M", 1_500_000),
        ("70%", 179),
        ("12.5%", 32),
        ("100%", 256),
        ("1,000", 1_000),
        ("1_000", 1_000),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert parse_size(text, whole=256) == size


@pytest.mark.parametrize("text", ["", "k", "-5", "0", "0%", "1..2", "ten", "5kk", "1,5", "5 0"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_size(text, whole=256)


def test_a_percentage_needs_a_whole() -> None:
    with pytest.raises(UsageError, match="share"):
        parse_size("70%")


@pytest.mark.parametrize(
    "arguments",
    [{"limit": 0}, {"limit": 5, "unit": "bytes"}, {"limit": 5, "reserve": 5}],
)
def test_a_budget_that_cannot_be_meant_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Budget(**arguments)
