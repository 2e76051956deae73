"""`compact`, and the layers of `pipeline` and `auto` around it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from trimtab.config import Settings
from trimtab.context.blocks import block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.evaluation.metrics import required_retention, validity
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import ToolResult
from trimtab.history.placeholders import is_slimmed, is_summary
from trimtab.policies.auto import Auto
from trimtab.policies.compact import Compact
from trimtab.policies.configured import configured, summarises
from trimtab.policies.index_text import ids_in
from trimtab.policies.pipeline import Pipeline
from trimtab.policies.registry import fit, parse_policy, spec_of
from trimtab.policies.slim import Slim
from trimtab.summaries.request import Request, Summarised
from trimtab.summaries.template import Line, Summary

RULE = "Never touch src/legacy, not even its tests."
LIMIT = "At most 12 files may change."
Json = dict[str, Any]


def said(text: str) -> Json:
    return {"role": "user", "content": text}


def answered(text: str) -> Json:
    return {"role": "assistant", "content": text}


def round_(n: int, output: str = "", name: str = "run") -> list[Json]:
    call = {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {"command": f"make {n}"}}
    output = output or f"step {n}: {n * 37} checks passed in {n}.5 s\n" + f"noise {n} " * 120
    result = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": output}
    return [
        {"role": "assistant", "content": [{"type": "text", "text": f"Now step {n}."}, call]},
        {"role": "user", "content": [result]},
    ]


def history_of(messages: Sequence[Json], **body: Any) -> History:
    request = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": list(messages), **body}
    return read_request(request, "anthropic")


def long(rounds: int = 40, *first: Json) -> History:
    messages = list(first) or [said("Port the ledger to PostgreSQL 16.")]
    for n in range(rounds):
        messages += round_(n)
    return history_of(messages, system="You are careful.")


def summary_of(plan: Plan) -> str:
    return plan.projection.inserted_text("compact")


def checked(plan: Plan) -> Plan:
    """The plan, if its context is valid, holds all that is required, and brings back the rest."""
    history = plan.projection.history
    assert not validity(history, plan.projection.context())
    assert required_retention(history, plan.projection) == 1
    ids = {block_id(evicted(history, edit)) for edit in plan.edits if edit.evicts}
    assert set(ids_in(summary_of(plan))) <= ids or not plan.edits
    return plan


def of_size(history: History, percent: int) -> Budget:
    counter = Budget(10**9).counter_of(history)
    return Budget(max(Projection(history, counter).size * percent // 100, 1))


# -- what stays -----------------------------------------------------------------------------------


def test_within_the_budget_nothing_changes() -> None:
    assert fit(long(), 10**6, "compact").edits == ()


def test_all_that_is_old_becomes_one_summary() -> None:
    history = long(60)  # so much that the headings are the long ones
    plan = checked(fit(history, of_size(history, 40), "compact"))
    text = summary_of(plan)
    assert is_summary(text)
    assert text.index("Goal:") < text.index("Progress:") < text.index("Next steps:")
    sources = plan.projection.sources
    assert sources[:2] == [0, 1]  # the system prompt and the task
    assert sources[2:] == list(range(len(history) - 10, len(history)))  # five turns
    assert plan.after <= of_size(history, 40).available * 70 // 100
    messages = plan.projection.context().messages
    assert [m.role for m in messages[1:3]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("keep", "turns"), [("1", 1), ("3", 3), ("3 turns", 3), (2, 2), ("1200 tokens", 2)]
)
def test_turns_or_tokens_stay(keep: str | int, turns: int) -> None:
    history = long()
    plan = checked(Compact(keep_recent=keep).plan(history, of_size(history, 40)))
    assert len(plan.projection.sources) == 2 + 2 * turns
    assert (
        parse_policy(spec_of(Compact(keep_recent=keep))).plan(history, of_size(history, 40)).edits
        == plan.edits
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"keep_recent": "few"},
        {"keep_recent": "-1"},
        {"keep_recent": "0 tokens"},
        {"summary": 10},
        {"target": 5},
        {"target": 101},
        {"runs": 9},
    ],
)
def test_a_wrong_field_is_one_clear_line(fields: Json) -> None:
    with pytest.raises(UsageError) as caught:
        Compact(**fields)
    assert "\n" not in str(caught.value)


def test_the_users_newest_words_are_never_summarised() -> None:
    """In one long autonomous turn too, where they are older than all that is recent."""
    history = long(4, said("Port it."), answered("Done."), said("Now the tests, one by one."))
    for n in range(100, 160):
        for message in read_request(round_(n), "anthropic"):
            history.append(message)
    plan = checked(fit(history, of_size(history, 20), "compact"))
    kept = [history[n].text for n in plan.projection.sources if n >= 0]
    assert "Now the tests, one by one." in kept


def test_one_long_autonomous_turn_is_split() -> None:
    history = long(300)
    plan = checked(fit(history, of_size(history, 10), "compact"))
    assert plan.reduction > 0.9
    assert 1 in plan.projection.sources  # the task


def test_open_calls_stay() -> None:
    history = long(30)
    call = {"type": "tool_use", "id": "toolu_open", "name": "run", "input": {}}
    for message in read_request([{"role": "assistant", "content": [call]}], "anthropic"):
        history.append(message)
    plan = checked(fit(history, of_size(history, 30), "compact"))
    assert plan.projection.sources[-1] == len(history) - 1


# -- what is required -----------------------------------------------------------------------------


def test_constraints_are_quoted_word_for_word() -> None:
    history = long(30, said("Port it."), answered("Yes."), said(f"{RULE} {LIMIT} Thanks!"))
    for message in read_request([answered("Understood."), said("Go on.")], "anthropic"):
        history.append(message)
    plan = checked(fit(history, of_size(history, 30), "compact"))
    text = summary_of(plan)
    assert RULE in text
    assert LIMIT in text
    assert 3 not in plan.projection.sources  # the message itself left


def test_what_the_user_corrected_is_not_kept_as_a_rule() -> None:
    history = long(
        20, said("Port it."), answered("Yes."), said("The budget is at most 500 dollars.")
    )
    later = [
        answered("Noted."),
        said("The budget is at most 300 dollars from now on."),
        answered("OK"),
    ]
    for message in read_request(later, "anthropic"):
        history.append(message)
    for n in range(50, 80):
        for message in read_request(round_(n), "anthropic"):
            history.append(message)
    history.append(read_request([said("Go on.")], "anthropic")[0])
    plan = fit(history, of_size(history, 30), "compact")
    assert "300 dollars" in summary_of(plan)
    assert "500 dollars" not in summary_of(plan)


def test_a_marked_message_stays_where_it_is() -> None:
    history = long(30)
    history.mark(6, True)
    plan = checked(fit(history, of_size(history, 30), "compact"))
    assert 6 in plan.projection.sources


def test_what_cannot_fit_is_named() -> None:
    history = long(30, said("Port it. " + "Every word of this task counts. " * 400))
    with pytest.raises(BudgetInfeasible) as caught:
        fit(history, 1_000, "compact")
    assert any("message 1 (required, user)" in item for item in caught.value.items)


# -- again and again ------------------------------------------------------------------------------


def grown(policy: Compact | Auto, rounds: int, limit: int) -> list[Plan]:
    """The plans with edits of a session that grows round by round."""
    history = long(1)
    budget = Budget(limit)
    at: Projection | None = None
    made = []
    for n in range(1, rounds):
        for message in read_request(round_(n), "anthropic"):
            history.append(message)
        plan = policy.plan(history, budget, at)
        at = plan.projection
        if plan.edits:
            made.append(checked_so_far(plan))
    return made


def checked_so_far(plan: Plan) -> Plan:
    assert not validity(plan.projection.history, plan.projection.context())
    assert required_retention(plan.projection.history, plan.projection) == 1
    return plan


def test_a_later_compaction_goes_back_to_the_sources() -> None:
    plans = grown(Compact(), 120, 6_000)
    assert len(plans) > 3
    text = summary_of(plans[-1])
    assert text.count("Goal:") == 1  # no summary of a summary
    assert plans[-1].after < 6_000 * 70 // 100
    report = next(json.loads(edit.report) for edit in plans[-1].edits if edit.report)
    assert report["guard"]["ok"]


def test_each_compaction_has_news_worth_it() -> None:
    plans = grown(Compact(), 150, 6_000)
    history = plans[-1].projection.history
    counter = Budget(1).counter_of(history)
    new = sum(counter.message(message) for message in history)
    freed = [plan.before - plan.after for plan in plans]
    assert min(freed) > 1_500  # down to 70 percent of 6,000, and further
    assert len(plans) <= new // 1_500


class Told:
    """A summariser that notes what it was asked to read."""

    name = "told"

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def summarise(self, request: Request) -> Summarised:
        self.requests.append(request)
        return Summarised(Summary(progress=(Line(f"{len(self.requests)} rounds told"),)), self.name)


def test_a_summariser_is_told_what_is_new_and_what_stands() -> None:
    told = Told()
    grown(Compact(summariser=told), 80, 6_000)
    first, second = told.requests[:2]
    assert first.standing is None
    assert first.earlier == ()
    assert second.standing is not None
    assert set(first.numbers) <= set(second.earlier)
    assert not set(second.numbers) & set(second.earlier)


def test_a_summary_that_invents_gives_way() -> None:
    class Invents(Told):
        def summarise(self, request: Request) -> Summarised:
            lines = (Line("The port is 9999."), Line("See /etc/nowhere.conf"), Line("37 of 41"))
            return Summarised(Summary(facts=lines), "invents")

    history = long()
    plan = checked(Compact(summariser=Invents()).plan(history, of_size(history, 40)))
    assert "9999" not in summary_of(plan)
    report = next(json.loads(edit.report) for edit in plan.edits if edit.report)
    assert report["summariser"] == "extractive"
    assert any("invent" in attempt["reason"] for attempt in report["attempts"])


# -- huge results ---------------------------------------------------------------------------------


def test_the_newest_result_may_be_larger_than_the_window() -> None:
    """Reported fault 82: nothing old is left to leave."""
    history = history_of([said("Look."), *round_(1, "line of text\n" * 40_000)])
    plan = checked(fit(history, 4_000, "compact"))
    result = plan.projection.items[-1].blocks[0]
    assert isinstance(result, ToolResult)
    assert is_slimmed(result.text)
    assert [edit.kind for edit in plan.edits] == ["slim"]


def test_parallel_results_that_are_too_large_together() -> None:
    """Reported fault 83: each under the cap, together over."""
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": "run", "input": {"n": n}} for n in range(6)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"row {n} of it\n" * 2_000}
        for n in range(6)
    ]
    messages = [said("Look."), {"role": "assistant", "content": calls}]
    history = history_of([*messages, {"role": "user", "content": results}])
    plan = checked(fit(history, 9_000, "compact"))
    assert plan.after <= 9_000


# -- layers ---------------------------------------------------------------------------------------


def test_a_pipeline_stops_at_the_first_layer_that_is_enough() -> None:
    history = long(30)
    policy = Pipeline(policies=(Slim(limit=200, keep=2, least=1), Compact()), target=90)
    plan = checked_so_far(policy.plan(history, of_size(history, 90)))
    assert {edit.kind for edit in plan.edits} == {"slim"}
    plan = checked_so_far(policy.plan(history, of_size(history, 20)))
    assert "summarise" in {edit.kind for edit in plan.edits}


@pytest.mark.parametrize("layers", ["nothing", "pipeline", "slim+pipeline"])
def test_a_layer_must_be_a_policy(layers: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(f"pipeline:layers={layers}")


def test_layers_by_name() -> None:
    policy = parse_policy("pipeline:layers=clear-tool-results+compact,target=80")
    assert parse_policy(spec_of(policy)) == policy
    history = long(30)
    plan = checked_so_far(policy.plan(history, of_size(history, 60)))
    assert {edit.kind for edit in plan.edits} <= {"clear", "drop", "summarise"}


def test_auto_takes_the_cheapest_loss_first() -> None:
    history = long(30)
    plan = checked_so_far(fit(history, of_size(history, 95), "auto"))
    assert {edit.kind for edit in plan.edits} <= {"slim", "clear"}
    plan = checked_so_far(fit(history, of_size(history, 15), "auto"))
    assert "summarise" in {edit.kind for edit in plan.edits}
    assert plan.after <= of_size(history, 15).available


def test_auto_leaves_excluded_tools_alone() -> None:
    history = long(30)
    plan = fit(history, of_size(history, 60), "auto:exclude_tools=run,keep=2")
    assert {edit.kind for edit in plan.edits} == {"drop", "summarise"}


def test_auto_turn_by_turn_batches_its_edits() -> None:
    plans = grown(Auto(), 150, 6_000)
    assert 2 <= len(plans) < 40


def test_a_pipeline_hands_the_summariser_to_its_layers() -> None:
    told = Told()
    policy = configured(parse_policy("pipeline:layers=slim+compact"), Settings(), told)
    assert summarises(policy)
    assert not summarises(parse_policy("pipeline:layers=slim"))
    history = long(30)
    policy.plan(history, of_size(history, 20))
    assert told.requests
    assert spec_of(policy) == "pipeline:layers=slim+compact"


@pytest.mark.parametrize("spec", ["pipeline", "auto"])
def test_no_edit_is_planned_twice(spec: str) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    messages = [said("Port it.")]
    for n in range(30):
        call, result = round_(n)
        messages += [{**call, "content": [thinking, *call["content"]]}, result]
    history = history_of(messages, thinking={"type": "enabled", "budget_tokens": 1_024})
    for percent in (90, 60, 30):
        edits = fit(history, of_size(history, percent), spec).edits
        places = [(e.start, b) for e in edits if e.kind == "drop" for b in e.blocks]
        assert len(places) == len(set(places))
