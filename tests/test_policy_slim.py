"""The policy `slim`: which results, when, and how far."""

from __future__ import annotations

from pathlib import Path

import pytest

import trimtab
from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.history.log import History
from trimtab.history.message import Image, Message, Text, ToolCall, ToolResult
from trimtab.history.placeholders import is_slimmed
from trimtab.policies.registry import fit, parse_policy
from trimtab.policies.slim import Slim


def lines(count: int, word: str = "row") -> str:
    return "\n".join(f"{word} {n} is quiet" for n in range(count))


def history(*results: str, tool: str = "run") -> History:
    messages = [Message("user", (Text("Repair the shop."),), dialect="openai")]
    for n, text in enumerate(results):
        call = ToolCall(f"c{n}", tool, '{"command": "make"}')
        messages.append(Message("assistant", (call,), dialect="openai"))
        messages.append(Message("tool", (ToolResult(f"c{n}", (Text(text),)),), dialect="openai"))
    return History(messages, dialect="openai")


def texts(plan: Plan) -> list[str]:
    return [r.text for m in plan.projection.context().messages for r in m.results()]


def which(plan: Plan) -> list[int]:
    return [edit.start for edit in plan.edits if edit.kind == "slim"]


def plan(recorded: History, policy: str, limit: int) -> Plan:
    return fit(recorded, Budget(limit, "chars"), policy)


def test_nothing_happens_within_the_budget() -> None:
    assert plan(history(lines(900)), "slim", 10**6).edits == ()


def test_old_results_are_slimmed_in_one_batch_and_the_newest_stay() -> None:
    made = plan(history(*[lines(300)] * 6), "slim:keep=2", 30_000)
    assert which(made) == [2, 4, 6, 8]
    assert [is_slimmed(text) for text in texts(made)] == [True] * 4 + [False] * 2


def test_an_edit_names_its_block_and_its_detector() -> None:
    recorded = history(lines(300), "short")
    made = plan(recorded, "slim:keep=0", 4_000)
    (edit,) = made.edits
    data = evicted(recorded, edit)
    assert data.decode() == lines(300)
    assert block_id(data) in edit.text
    assert edit.reason.startswith("text: ")
    assert edit.reason.endswith("lines left out")


def test_one_result_larger_than_the_window_is_brought_down() -> None:
    made = plan(history("short", lines(9_000)), "slim", 5_000)
    assert which(made) == [4]
    assert made.after <= 5_000


def test_parallel_results_each_under_the_limit_are_brought_down_together() -> None:
    messages = [Message("user", (Text("Look at all."),), dialect="anthropic")]
    calls = tuple(ToolCall(f"c{n}", "run", {"n": n}) for n in range(20))
    messages.append(Message("assistant", calls, dialect="anthropic"))
    results = tuple(ToolResult(f"c{n}", (Text(lines(100)),)) for n in range(20))
    messages.append(Message("user", results, dialect="anthropic"))
    recorded = History(messages, dialect="anthropic")
    assert len(lines(100)) < 2_000
    made = plan(recorded, "slim", 20_000)
    assert made.after <= 20_000
    with pytest.raises(BudgetInfeasible):
        plan(recorded, "slim:rescue=false", 20_000)


def test_a_small_oldest_result_does_not_keep_the_larger_ones() -> None:
    made = plan(history("small", lines(500), lines(500), "new"), "slim:keep=1", 12_000)
    assert which(made) == [4, 6]


def test_the_rescue_goes_no_further_than_the_budget_asks() -> None:
    recorded = history(*[lines(300)] * 3)
    made = plan(recorded, "slim:keep=3", 14_500)
    assert which(made) == [2]


def test_a_second_run_makes_no_further_edit() -> None:
    recorded = history(*[lines(300)] * 6)
    budget = Budget(30_000, "chars")
    first = Slim(keep=2).plan(recorded, budget)
    again = Slim(keep=2).plan(recorded, budget, first.projection)
    assert again.edits == ()
    tighter = Slim(keep=2, rescue=False, trigger=1).plan(recorded, budget, first.projection)
    assert tighter.edits == ()


def test_left_alone() -> None:
    block = "blk_" + "0" * 12
    picture = ToolResult("p", (Text(lines(300)), Image("image/png", data="AAAA")))
    done = f"{lines(300)}\n[slimmed: text, 9 tokens in whole; recall {block}]"
    messages = [
        Message("user", (Text("Go."),), dialect="openai"),
        Message("assistant", (ToolCall("p", "run", {}),), dialect="openai"),
        Message("tool", (picture,), dialect="openai"),
        Message("assistant", (ToolCall("d", "run", {}),), dialect="openai"),
        Message("tool", (ToolResult("d", (Text(done),)),), dialect="openai"),
        Message("assistant", (ToolCall("r", "run", {}),), dialect="openai"),
        Message("tool", (ToolResult("r", (Text(lines(300)),)),), required=True, dialect="openai"),
        Message("assistant", (ToolCall("o", "run", {}),), dialect="openai"),
    ]
    recorded = History(messages, dialect="openai")
    made = fit(recorded, Budget(10**6, "chars"), Slim(keep=0, trigger=1))
    assert made.edits == ()


def test_tools_named_and_excluded() -> None:
    recorded = history(lines(300), lines(300), "new")
    roomy = 10**6
    assert plan(recorded, "slim:trigger=1,tools=other", roomy).edits == ()
    assert plan(recorded, "slim:trigger=1,exclude_tools=run", roomy).edits == ()
    assert which(plan(recorded, "slim:trigger=1,keep=1,tools=run", roomy)) == [2, 4]


def test_least_and_fields() -> None:
    text = '{"items": [' + ", ".join(f'{{"id": {n}, "t": "abcdef"}}' for n in range(20)) + "]}"
    recorded = history(text, "new")
    assert plan(recorded, "slim:trigger=1,keep=1,least=0", 10**6).edits == ()
    spec = "slim:trigger=1,keep=1,least=0,fields=items[].id"
    assert '{"items": [{"id": 0}, {"id": 1}' in texts(plan(recorded, spec, 10**6))[0]
    assert plan(recorded, spec.replace("least=0", "least=5000"), 10**6).edits == ()


@pytest.mark.parametrize(
    "spec", ["slim:limit=10", "slim:keep=-1", "slim:trigger=soon", "slim:inputs=10"]
)
def test_parameters_that_cannot_be_meant(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(spec)


def test_what_cannot_fit_is_named_largest_first() -> None:
    with pytest.raises(BudgetInfeasible) as error:
        plan(history(lines(300)), "slim", 50)
    assert error.value.items[0].startswith("message 2 (tool)")


@pytest.mark.parametrize(
    "name",
    ["claude-code/with-agents.jsonl", "pi/large-session.jsonl", "claude-code/project-c.jsonl"],
)
def test_recorded_sessions_get_much_smaller(shared_sessions: Path, name: str) -> None:
    recorded = trimtab.read(str(shared_sessions / name)).history
    whole = fit(recorded, Budget(10**12, "chars"), "append").before
    made = fit(recorded, Budget(whole * 95 // 100, "chars"), "slim")
    assert made.after < made.before
    for edit in made.edits:
        if edit.kind == "slim":
            assert block_id(evicted(recorded, edit)) in edit.text
            block = recorded[edit.start].blocks[edit.blocks[0]]
            assert isinstance(block, ToolCall) or is_slimmed(edit.text)
