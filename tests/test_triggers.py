"""The four triggers: when each fires, what it aims at, how they are written, what never happens."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.formats.response import read_appended
from trimtab.history.log import History
from trimtab.history.message import Message, Text, Tool, ToolCall, ToolResult, Usage
from trimtab.tokens import Calibration, counter_for, weigh
from trimtab.triggers import (
    KINDS,
    Attempt,
    Cold,
    Fired,
    Pressure,
    Stage,
    State,
    Tokens,
    Triggers,
    attempt,
    cache_lifetime,
    context_after,
    context_of_usage,
    parse_trigger,
    spec_of_trigger,
)

WINDOW = 10_000
CHARS = counter_for(None, "chars")


def _call(n: int, size: int) -> list[Message]:
    result = ToolResult(f"c{n}", (Text("x" * size),))
    return [Message("assistant", (ToolCall(f"c{n}", "bash", {}),)), Message("tool", (result,))]


def _history(*sizes: int, **given: Any) -> History:
    messages = [Message("user", (Text("Mend it."),))]
    for n, size in enumerate(sizes):
        messages += _call(n, size)
    return History(messages, **{"dialect": "openai", **given})


def _state(*sizes: int, history: History | None = None, **given: Any) -> State:
    budget = given.pop("budget", Budget(WINDOW, "chars"))
    return State(Projection(history or _history(*sizes), CHARS), budget, **given)


def _last(state: State, **given: Any) -> State:
    """The state right after an attempt that was made now."""
    now = Attempt("tokens", state.used, state.used, len(state.history), "done")
    return replace(state, last=replace(now, **given))


# -- tokens ---------------------------------------------------------------------------------------


def test_tokens_fires_above_its_size_and_aims_below_by_the_margin() -> None:
    trigger = Tokens("70%", margin="20%")
    assert trigger.fires(_state(size=7_000)) is None
    fired = trigger.fires(_state(size=7_001))
    assert fired is not None
    assert (fired.kind, fired.goal, fired.least, fired.must) == ("tokens", 5_600, 500, False)
    assert fired.reason == "the context holds 7,001 chars, more than 7,000"
    absolute = Tokens(4_000, margin=500, least="200").fires(_state(size=4_001))
    assert absolute is not None
    assert (absolute.goal, absolute.least) == (3_500, 200)


def test_the_size_counts_system_prompt_and_tool_definitions() -> None:
    tools = (Tool("bash", "d" * 5_000),)
    system = Message("system", (Text("s" * 3_000),))
    history = History([system, *_history()], dialect="openai", tools=tools)
    assert Tokens("70%").fires(_state(history=history)) is not None
    assert Tokens("70%").fires(_state(history=_history())) is None


def test_a_trigger_above_the_hard_budget_is_the_hard_budget() -> None:
    budget = Budget(WINDOW, "chars", reserve=3_000)
    fired = Tokens("95%").fires(_state(size=7_001, budget=budget))
    assert fired is not None
    assert fired.goal == 6_300
    assert Tokens("1m").fires(_state(size=7_001, budget=budget)) is not None


# -- stage ----------------------------------------------------------------------------------------


def test_stage_fires_where_finish_stage_was_called() -> None:
    assert Stage().fires(_state(size=9_000)) is None
    assert Stage().fires(_state(size=4_000, stage="done")) is None
    fired = Stage().fires(_state(size=6_000, stage="the parser\nis mended"))
    assert fired is not None
    assert (fired.kind, fired.goal) == ("stage", 4_500)
    assert fired.reason.startswith("a stage is finished: the parser is mended; the context holds")
    assert Stage().fires(_state(size=6_000, stage="")) is not None


def test_stage_detects_the_end_of_a_stage() -> None:
    edit = Message("assistant", (ToolCall("e", "Edit", {"file_path": "a.py"}),))
    edited = Message("tool", (ToolResult("e", (Text("ok"),)),))
    test = Message("assistant", (ToolCall("t", "Bash", {"command": "pytest"}),))
    passed = Message("tool", (ToolResult("t", (Text("3 passed in 1s"),)),))
    history = History([*_history(), edit, edited, test, passed], dialect="openai")
    state = _state(history=history, size=6_000)
    fired = Stage(detect=True).fires(state)
    assert fired is not None
    assert fired.reason.startswith("tests passed after edits at message 4; the context holds")
    assert Stage().fires(state) is None
    assert Stage(detect=True).fires(replace(state, size=4_000)) is None
    for message in _call(9, 10):
        history.append(message)
    state = _state(history=history, size=6_000)
    assert Stage(detect=True).fires(state) is None  # the next stage has begun


# -- pressure -------------------------------------------------------------------------------------


def test_pressure_keeps_room_for_the_largest_recent_result_and_the_answer() -> None:
    budget = Budget(WINDOW, "chars", reserve=1_000)
    recent = _state(2_000, 10, 10, size=7_001, budget=budget)
    fired = Pressure(results=3).fires(recent)
    assert fired is not None
    assert (fired.kind, fired.goal) == ("pressure", 6_300)
    assert "2,999 of the window left, less than the largest of the last 3 results (2,000)" in (
        fired.reason
    )
    assert Pressure(results=2).fires(recent) is None  # the large one is too long ago
    assert Pressure(results=3).fires(replace(recent, size=7_000)) is None
    assert Pressure(results=0).fires(replace(recent, size=9_000)) is None
    assert Pressure(results=0).fires(replace(recent, size=9_001)) is not None
    assert Pressure(results=2, answer="40%").fires(recent) is not None
    less = Pressure(results=0, answer=10).fires(replace(recent, size=8_999))
    assert less is None  # never less than the reserve: the hard budget would be in the way


def test_a_result_larger_than_half_of_what_is_left_counts_as_half() -> None:
    fired = Pressure().fires(_state(9_500, 10, size=5_001))
    assert fired is not None
    assert fired.goal == 4_500
    assert Pressure().fires(_state(9_500, 10, size=5_000)) is None


def test_results_are_measured_once_and_as_they_came() -> None:
    history = _history(3_000)
    state = _state(history=history)
    measured: list[object] = []

    class Counting:
        unit, name, exact = "chars", "counting", True

        def block(self, block: Any) -> int:
            measured.append(block)
            return CHARS.block(block)

    from trimtab.triggers_results import largest_result

    at = state.projection
    at.counter = Counting()  # type: ignore[assignment]
    assert [largest_result(at, 5) for _ in range(3)] == [3_000] * 3
    assert len(measured) == 1


OVERFLOW = "prompt is too long: 12000 tokens > 10000 maximum"


def test_an_overflow_fires_and_takes_the_providers_figures() -> None:
    """The provider counted 12,000 where we had 8,000: what may stay is our share of its limit."""
    fired = Pressure(margin="10%").fires(_state(size=8_000, overflow=OVERFLOW))
    assert fired is not None
    assert (fired.kind, fired.must) == ("overflow", True)
    assert fired.goal == 6_000  # 8,000 * 10,000 / 12,000, less the margin
    assert "12,000 of 10,000" in fired.reason
    answer = Budget(WINDOW, "chars", reserve=2_000)
    with_answer = Pressure().fires(_state(size=8_000, overflow=OVERFLOW, budget=answer))
    assert with_answer is not None
    assert with_answer.goal == 4_800
    assert Pressure().fires(_state(size=100, overflow="rate limit reached")) is None


def test_overflow_upon_overflow_halves_and_ends() -> None:
    """Each refusal of the same history aims at half; what cannot come down is not tried again."""
    state, goals = _state(size=9_000, overflow="prompt is too long"), []
    while (fired := Pressure().fires(state)) is not None:
        goals.append(fired.goal)
        outcome = fired.accepts(state.used, max(fired.goal, 1_500))
        after = outcome.after if outcome.adopt else state.used
        made = Attempt(fired.kind, state.used, after, len(state.history), outcome.kind)
        state = replace(state, size=after, last=made)
        assert len(goals) < 10
    assert goals == [8_100, 3_645, 1_640, 738]
    assert state.last is not None
    assert state.last.outcome == "too little"
    grown = replace(state, last=replace(state.last, messages=0))
    assert Pressure().fires(grown) is not None  # new content: it may be tried again


def test_an_overflow_may_free_less_than_least_if_that_reaches_the_goal() -> None:
    fired = Fired("overflow", "", goal=990, least=500, must=True)
    assert fired.accepts(1_000, 990).kind == "done"
    assert fired.accepts(1_000, 995).kind == "too little"
    assert fired.accepts(1_000, 1_000).kind == "too little"
    assert fired.accepts(900, 900).kind == "too little"  # nothing was freed


# -- cold -----------------------------------------------------------------------------------------


def test_cold_fires_once_the_cache_has_expired_and_there_is_something_to_do() -> None:
    state = _state(size=4_000, now=10_000.0, last_call=10_000.0 - 601, stage=None)
    fired = Cold().fires(state)
    assert fired is not None
    assert (fired.kind, fired.goal) == ("cold", 2_700)
    assert "10 min since the last call" in fired.reason
    assert Cold().fires(replace(state, last_call=10_000.0 - 600)) is None
    assert Cold().fires(replace(state, size=3_000)) is None
    assert Cold("50%").fires(state) is None
    assert Cold(after=11).fires(state) is None
    assert Cold(after=0.5).fires(replace(state, last_call=9_969.0)) is not None
    assert Cold().fires(replace(state, now=None)) is None
    assert Cold().fires(replace(state, last_call=None)) is None


def _lifetime(dialect: str, envelope: dict[str, Any] | None = None, **given: Any) -> float:
    return cache_lifetime(History(dialect=dialect, envelope=envelope, **given))


def test_how_long_a_cache_lives() -> None:
    hour = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    assert _lifetime("anthropic") == 300
    assert _lifetime("openai", model="claude-sonnet-4-5") == 300
    assert _lifetime("anthropic", hour) == 3600
    assert _lifetime("anthropic", {"cache_control": {"type": "ephemeral"}}) == 300
    assert _lifetime("openai") == _lifetime("responses") == 600
    assert _lifetime("responses", {"prompt_cache_retention": "24h"}) == 86_400
    assert _lifetime("openai", {"prompt_cache_retention": "in_memory"}) == 600
    assert _lifetime("responses", {"prompt_cache_options": {"ttl": "30m"}}) == 1800
    tool = Tool("bash", raw={"name": "bash", **hour})
    assert _lifetime("anthropic", tools=(tool,)) == 3600
    block = {"role": "user", "content": [{"type": "text", "text": "a", **hour}]}
    deep = {"role": "user", "content": [{"type": "tool_result", "content": [{**hour}]}]}
    system = {"system": [{"type": "text", "text": "a", **hour}]}
    for raw in (block, deep, system):
        assert _lifetime("anthropic", messages=[Message("user", raw=raw)]) == 3600
    written = Message("assistant", usage=Usage(cache_write=9, cache_write_1h=9))
    history = History([Message("user")], dialect="anthropic")
    assert cache_lifetime(history) == 300
    history.append(written)
    assert cache_lifetime(history) == 3600


# -- together -------------------------------------------------------------------------------------


def test_any_of_them_and_the_lowest_goal_serves_all() -> None:
    state = _state(size=9_000, now=9_999.0, last_call=0.0)
    fired = Triggers.any(Tokens("80%"), Cold()).fires(state)
    assert fired is not None
    assert (fired.kind, fired.goal) == ("cold", 2_700)
    refused = Triggers.any(Pressure(), Cold()).fires(replace(state, overflow=OVERFLOW))
    assert refused is not None
    assert (refused.kind, refused.must) == ("cold", True)
    assert Triggers.any(Tokens("95%"), Stage()).fires(state) is None
    assert Triggers().fires(state) is None


EVERY = Triggers.any(Tokens("50%"), Stage(), Pressure(), Cold())


def test_no_trigger_fires_again_before_new_content() -> None:
    state = _state(300, size=9_999, now=9_999.0, last_call=0.0, stage="done")
    for trigger in EVERY.members:
        assert trigger.fires(state) is not None
        assert trigger.fires(_last(state)) is None
        assert trigger.fires(_last(state, outcome="too little")) is None
        before = _last(state, messages=1)  # 300 characters came since: less than 5 % of 10,000
        assert trigger.fires(before) is None
        other: Any = trigger
        assert replace(other, least="3%").fires(before) is not None


# -- as text --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "triggers", "again"),
    [
        ("tokens:100k", [Tokens("100k")], None),
        ("tokens:70%", [Tokens("70%")], None),
        ("tokens", [Tokens()], None),
        ("tokens:at=70%", [Tokens("70%")], "tokens:70%"),
        (
            "tokens:70%,stage:detect,pressure,cold",
            [Tokens("70%"), Stage(detect=True), Pressure(), Cold()],
            None,
        ),
        (
            " Tokens:70% , margin=15%,least=5k, stage:at=40%,pressure:results=3,answer=8000",
            [Tokens("70%", "15%", "5k"), Stage(at="40%"), Pressure(3, "8000")],
            "tokens:70%,margin=15%,least=5k,stage,at=40%,pressure,results=3,answer=8000",
        ),
        ("cold:20%,after=1h", [Cold("20%", 60.0)], "cold:20%,after=60m"),
        ("cold:after=30s", [Cold(after=0.5)], "cold,after=0.5m"),
        ("none", [], None),
        ("", [], "none"),
    ],
)
def test_triggers_as_text(spec: str, triggers: list[Any], again: str | None) -> None:
    parsed = parse_trigger(spec)
    assert parsed == Triggers(tuple(triggers))
    assert spec_of_trigger(parsed) == (spec if again is None else again)
    assert parse_trigger(spec_of_trigger(parsed)) == parsed


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("token:70%", "is no trigger; there are tokens, stage, pressure, cold"),
        ("tokens,,cold", "a trigger is missing"),
        ("margin=5%", "is no trigger"),
        ("tokens:70%,tokens:80%", "tokens is given twice"),
        ("tokens:70%,at=80%", "at of tokens is given twice"),
        ("tokens:", "is no parameter of tokens"),
        ("tokens:much", "write a number"),
        ("tokens:0", "above 0"),
        ("tokens:0%", "above 0"),
        ("tokens:120%", "at most 100%"),
        ("tokens:margin=100%", "at most 99%"),
        ("tokens:least=-5", "write a number"),
        ("tokens:70%,limit=5", "is no parameter of tokens (at=, margin=, least=)"),
        ("stage:perhaps", "must be true or false"),
        ("pressure:5", "is no parameter of pressure"),
        ("pressure:results=-1", "whole number"),
        ("pressure:results=1.5", "whole number"),
        ("cold:after=soon", "a time such as 5m"),
        ("cold:after=-5m", "a time such as 5m"),
        ("tokens:7\n0%", "write a number"),
        ("tokens:" + "9" * 500, "write a number"),
    ],
)
def test_what_cannot_be_meant_is_one_line(spec: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_trigger(spec)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Tokens(True),
        lambda: Tokens(0.7),  # type: ignore[arg-type]
        lambda: Tokens(-5),
        lambda: Pressure(results=-1),
        lambda: Cold(after=-1),
        lambda: Cold(after=float("nan")),
        lambda: Stage(least=None),  # type: ignore[arg-type]
    ],
)
def test_parameters_in_code_are_checked_too(wrong: Any) -> None:
    with pytest.raises(UsageError):
        wrong()


@settings(max_examples=200)
@given(st.text(st.sampled_from("tokensagcldpru:,=%0159km- "), max_size=40))
def test_any_text_is_triggers_or_one_clear_line(spec: str) -> None:
    try:
        parsed = parse_trigger(spec)
    except UsageError as error:
        said = str(error)
    else:
        said = ""
        assert parse_trigger(spec_of_trigger(parsed)) == parsed
    assert "\n" not in said


# -- outcomes -------------------------------------------------------------------------------------


@given(
    st.integers(1, 10_000), st.integers(0, 20_000), st.integers(1, 10_000), st.integers(1, 5_000)
)
def test_an_outcome_says_what_the_sizes_say(before: int, after: int, goal: int, least: int) -> None:
    outcome = Fired("tokens", "", goal, least).accepts(before, after)
    if before - after < least:
        assert (outcome.kind, outcome.adopt) == ("too little", False)
    elif after > goal:
        assert (outcome.kind, outcome.adopt) == ("above the goal", True)
    else:
        assert (outcome.kind, outcome.adopt) == ("done", True)


# -- faults reported in the field -----------------------------------------------------------------


def _plan(at: Projection, after: int) -> Plan:
    return Plan("made", (), at.size, after, "chars", at)


def test_fault_43_a_floor_above_the_usable_window_is_an_outcome() -> None:
    """The window less the reserve is smaller than what must stay: said once, with sizes."""
    budget = Budget(WINDOW, "chars", reserve=4_000)
    state = _state(8_000, budget=budget)
    fired = Tokens("100%").fires(state)
    assert fired is not None
    assert fired.goal == 5_400
    tried = attempt(state, fired, lambda budget: _plan(state.projection, 7_000))
    assert tried.outcome.kind == "above the goal"
    assert tried.outcome.reason == "what must stay takes 7,000, more than 5,400"
    after = replace(state, last=tried.attempt, size=7_000)
    assert Tokens("100%").fires(after) is None


@pytest.mark.parametrize("grown", [0, 1, 5_000])
def test_fault_44_what_makes_the_context_larger_is_never_adopted(grown: int) -> None:
    """A summary that nests the one before it grows; so does one of a context with nothing old."""
    state = _state(8_500)
    fired = Tokens().fires(state)
    assert fired is not None
    larger = state.projection.size + grown
    tried = attempt(state, fired, lambda budget: _plan(state.projection, larger))
    assert not tried.outcome.adopt
    assert tried.attempt.after == tried.attempt.before
    assert EVERY.fires(replace(state, last=tried.attempt)) is None


def test_faults_42_45_an_unchanged_history_is_not_compacted_again() -> None:
    state = _state(8_500, now=9_999.0, last_call=0.0, stage="x")
    fired = EVERY.fires(state)
    assert fired is not None
    for after in (8_400, 7_000, 100):
        tried = attempt(state, fired, lambda budget, a=after: _plan(state.projection, a))  # type: ignore[misc]
        for _ in range(211):
            assert EVERY.fires(replace(state, size=after, last=tried.attempt)) is None


def test_fault_47_what_was_recalled_is_new_content_once() -> None:
    """The agent reads its own archive back in: one compaction may follow, not a row of them."""
    history = _history(8_500)
    state = _state(history=history)
    history.extend(_call(7, 3_000))
    state.projection.refresh()
    came = replace(state, last=Attempt("tokens", 8_500, 6_000, 3, "done"), size=9_000)
    assert came.new == sum(CHARS.message(message) for message in history[3:])
    fired = Tokens().fires(came)
    assert fired is not None
    tried = attempt(came, fired, lambda budget: _plan(state.projection, 6_000))
    assert Tokens().fires(replace(came, size=6_000, last=tried.attempt)) is None


def test_fault_48_the_answers_reserve_lowers_the_goal_and_never_undoes_the_work() -> None:
    state = _state(8_500, budget=Budget(WINDOW, "chars", reserve=3_000))
    for trigger in (Tokens("100%"), Pressure(), Tokens("80%")):
        fired = trigger.fires(state)
        assert fired is not None
        assert fired.goal <= 7_000 - 700
        # Not all the way down, and yet better than the context as it was.
        assert fired.accepts(8_509, 7_500).adopt


def test_fault_49_a_full_cache_hit_counts() -> None:
    hit = Usage(input=3, cache_read=305_000, output=40)
    assert context_of_usage([hit]) == 305_003
    assert context_after([hit]) == 305_043
    state = _state(budget=Budget(320_000, "chars"), size=context_after([hit]))
    assert Tokens("80%").fires(state) is not None


def test_fault_50_what_openai_reports_contains_the_cached_tokens() -> None:
    told = {"prompt_tokens": 5_000, "completion_tokens": 7}
    told_cached = {**told, "prompt_tokens_details": {"cached_tokens": 4_800}}
    for usage in (told, told_cached):
        answer = {"role": "assistant", "content": "ok"}
        response = {"object": "chat.completion", "choices": [{"message": answer}], "usage": usage}
        (message,) = read_appended(response, "openai")
        assert message.usage is not None
        assert context_of_usage([message.usage]) == 5_000
        assert Tokens("60%").fires(_state(size=context_of_usage([message.usage]))) is None


def test_fault_51_of_several_calls_of_a_turn_the_last_counts() -> None:
    calls = [Usage(cache_read=n * 1_000) for n in range(1, 9)]
    assert context_of_usage(calls) == 8_000
    assert context_of_usage([]) is None


def test_fault_52_a_report_above_the_window_is_not_believed() -> None:
    assert context_of_usage([Usage(input=1_360_000)], window=1_000_000) is None
    assert context_after([Usage(input=1_360_000)], window=1_000_000) is None
    assert context_of_usage([Usage(input=1_000_000)], window=1_000_000) == 1_000_000
    assert context_of_usage([Usage()]) is None


def test_fault_53_a_hidden_system_prompt_is_added_and_no_factor() -> None:
    """40 visible tokens, 20,000 reported: another 1,000 visible ones are not 500,000."""
    counter = counter_for("claude-sonnet-4-5")
    words = "Mend the parser and say what you did. "
    first = [Message("user", (Text(words * 5),))]
    calibration = Calibration.start("claude-sonnet-4-5")
    calibration = calibration.observe(weigh(counter, first), 20_000, 200_000)
    more = [*first, Message("assistant", (Text(words * 125),))]
    history = History(more, dialect="anthropic", model="claude-sonnet-4-5")
    size = calibration.predict(weigh(counter, more))
    assert 20_500 < size < 22_500
    state = State(Projection(history, counter), Budget(200_000), size=size)
    assert Tokens("20%").fires(state) is None
    assert state.unseen > 15_000


def test_fault_60_calls_recorded_without_any_usage_count() -> None:
    """Nothing was reported and no model was asked: the window holds all the same."""
    assert _state(8_500).used > 8_000
    assert Tokens().fires(_state(8_500)) is not None
    assert Tokens().fires(_state(4_000, 4_500)) is not None


COLD_STATE = _state(2_000, 10, size=6_000, now=9_999.0, last_call=9_000.0, stage="x")


@pytest.mark.parametrize(
    ("trigger", "other"),
    [
        (Tokens("50%"), {"at": "70%"}),
        (Tokens("50%"), {"margin": "30%"}),
        (Tokens("50%"), {"least": "9%"}),
        (Stage(), {"at": "70%"}),
        (Stage(), {"margin": 7}),
        (Stage(), {"least": 7}),
        (Pressure(answer="30%"), {"results": 1}),
        (Pressure(answer="30%"), {"answer": None}),
        (Pressure(answer="30%"), {"margin": "30%"}),
        (Pressure(answer="30%"), {"least": "9%"}),
        (Cold(), {"at": "70%"}),
        (Cold(), {"after": 100}),
        (Cold(), {"margin": "30%"}),
        (Cold(), {"least": "9%"}),
    ],
)
def test_fault_59_every_parameter_has_an_effect(trigger: Any, other: dict[str, Any]) -> None:
    fired = trigger.fires(COLD_STATE)
    assert fired is not None
    assert replace(trigger, **other).fires(COLD_STATE) != fired


def test_fault_59_all_parameters_were_tried() -> None:
    tried = {
        (row[0].name, name)
        for mark in test_fault_59_every_parameter_has_an_effect.pytestmark
        for row in mark.args[1]
        for name in row[1]
    }
    detect = {("stage", "detect")}  # test_stage_detects_the_end_of_a_stage
    fields = {(name, f.name) for name, kind in KINDS.items() for f in dataclasses.fields(kind)}
    assert tried | detect == fields


# -- what the provider counts ---------------------------------------------------------------------


def test_a_policy_is_given_its_own_measure_and_judged_in_the_providers() -> None:
    """The provider counts 2,000 more than is visible: the policy must go that much lower."""
    state = _state(6_500)
    state = replace(state, size=state.projection.size + 2_000)
    fired = Tokens("80%").fires(state)
    assert fired is not None
    given: list[int] = []

    def plan(budget: Budget) -> Plan:
        given.append(budget.available)
        return _plan(state.projection, budget.available)

    tried = attempt(state, fired, plan)
    assert given == [7_200 - 2_000]
    assert (tried.outcome.kind, tried.outcome.after, tried.attempt.after) == ("done", 7_200, 7_200)


# -- the page -------------------------------------------------------------------------------------


def test_the_pages_table_is_what_the_code_does() -> None:
    page = (Path(__file__).parent.parent / "docs" / "triggers.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.+?) \|", page, re.MULTILINE)
    shown = {(kind, name): default.strip("`") for kind, name, default in rows}
    actual = {
        (name, f.name): str(f.default).lower() if f.name == "detect" else str(f.default)
        for name, kind in KINDS.items()
        for f in dataclasses.fields(kind)
    }
    assert {key: "None" if v == "none" else v for key, v in shown.items()} == actual
