"""Calibration learns a model's factors from reported usage, and is not fooled by what is hidden."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.errors import UsageError
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from trimtab.tokens import Calibration, Weight, counter_for, weigh, window_of
from trimtab.tokens.calibration import LEAST, MOST
from trimtab.tokens.weight import SCALED

CLAUDE = "claude-opus-4-5"


def turns(
    seed: int, count: int, truth: dict[str, float], hidden: int
) -> Iterator[tuple[Weight, int]]:
    """A growing context of a made-up provider, and what it reports, with 5 % noise a turn."""
    chance = random.Random(seed)
    weight, size = Weight(), float(hidden)
    for _ in range(count):
        amounts = tuple(chance.choice([0, 20, 300, 2000]) for _ in SCALED)
        weight += Weight(amounts, fixed=chance.choice([0, 0, 1500]))
        grown = sum(a * truth[name] for a, name in zip(amounts, SCALED, strict=True))
        size += grown * chance.uniform(0.95, 1.05)
        yield weight, round(size) + weight.fixed


@pytest.mark.parametrize("seed", range(4))
def test_factors_and_the_hidden_part_are_found(seed: int) -> None:
    chance = random.Random(seed)
    start = Calibration.start(CLAUDE)
    truth = {name: factor * chance.uniform(0.7, 1.5) for name, factor in start.factors.items()}
    learned = start
    for weight, reported in turns(seed, 150, truth, hidden=23_000):
        learned = learned.observe(weight, reported)
    for name, factor in learned.factors.items():
        assert factor == pytest.approx(truth[name], rel=0.1), name
    assert abs(learned.hidden - 23_000) < 0.03 * reported
    assert (learned.accepted, learned.refused) == (150, 0)


def test_the_next_context_is_predicted_from_the_last_report() -> None:
    truth = {**Calibration.start(CLAUDE).factors, "code": 1.6, "prose": 0.9}
    learned = Calibration.start(CLAUDE)
    misses = []
    for at, (weight, reported) in enumerate(turns(5, 80, truth, hidden=15_000)):
        if at > 40:
            misses.append(abs(learned.predict(weight) - reported) / reported)
        learned = learned.observe(weight, reported)
    assert median(misses) < 0.002


def test_a_hidden_system_prompt_goes_into_the_intercept_not_into_a_factor() -> None:
    """Scaling five visible tokens to 12,000 reported would make a factor of 2,400."""
    counter = counter_for(CLAUDE)
    weight = weigh(counter, [Message("user", (Text("hello"),))])
    start = Calibration.start(CLAUDE)
    learned = start.observe(weight, 12_000).observe(weight, 12_000)
    assert learned.factors == start.factors
    assert 11_900 < learned.hidden < 12_000
    more = weight + weigh(counter, [Message("user", (Text("word " * 1000),))])
    assert 13_000 < learned.predict(more) < 13_500
    tools_added = learned.observe(weight, 27_000)  # an MCP server joined: nothing visible changed
    assert tools_added.factors == start.factors
    assert 26_900 < tools_added.hidden < 27_000


def test_a_report_above_the_window_is_not_believed() -> None:
    learned = Calibration.start(CLAUDE).observe(Weight(), 20_000, window=200_000)
    fooled = learned.observe(Weight(), 1_360_000, window=200_000)
    assert fooled.refused == 1
    assert fooled.predict(Weight()) == 20_000
    over = learned.observe(Weight(), 39_000, window=38_000).observe(Weight(), 39_000, window=38_000)
    assert over.refused == 2  # said twice, it is still impossible
    assert over.predict(Weight()) == 20_000
    assert learned.observe(Weight(), 0).refused == 1
    assert learned.observe(Weight(), -5).predict(Weight()) == 20_000


def test_a_sum_over_several_calls_is_doubted_until_confirmed() -> None:
    learned = Calibration.start(CLAUDE)
    steps = list(turns(3, 12, learned.factors, hidden=20_000))
    for weight, reported in steps[:-2]:
        learned = learned.observe(weight, reported)
    weight, reported = steps[-2]
    fooled = learned.observe(weight, round(reported * 5.7))
    assert (fooled.refused, fooled.factors) == (1, learned.factors)
    assert fooled.predict(weight) == learned.predict(weight)
    healed = fooled.observe(*steps[-1])
    assert abs(healed.predict(steps[-1][0]) - steps[-1][1]) < 2
    # What really is so large says so again.
    grown = learned.observe(weight, reported + 90_000).observe(steps[-1][0], steps[-1][1] + 90_000)
    assert grown.predict(steps[-1][0]) == steps[-1][1] + 90_000
    assert grown.factors == learned.factors


def test_a_confirmed_leap_moves_the_hidden_part_and_teaches_nothing() -> None:
    code = [Weight((0, n * 1000, 0, 0, 0, 0)) for n in (0, 35, 36, 40)]
    start = Calibration.start(CLAUDE)
    learned = start.observe(code[0], 20_000).observe(code[1], 112_000).observe(code[2], 113_200)
    assert learned.refused == 1
    assert learned.factors == start.factors
    assert learned.hidden == pytest.approx(113_200 - 36_000 * start.factors["code"], abs=2)
    assert learned.observe(code[3], 120_000).factors["code"] > start.factors["code"]


def test_a_first_report_far_beyond_what_is_seen_is_doubted() -> None:
    start = Calibration.start(CLAUDE)
    assert start.observe(Weight(), 150_000).anchor is None
    assert start.observe(Weight(), 150_000).observe(Weight(), 150_010).hidden == 150_010


def test_a_compaction_between_two_reports_is_followed() -> None:
    truth = Calibration.start(CLAUDE).factors | {"code": 1.5}
    learned = Calibration.start(CLAUDE)
    for weight, reported in turns(9, 60, truth, hidden=10_000):
        learned = learned.observe(weight, reported)
    small = Weight((500, 400, 0, 0, 0, 100))
    expected = 10_000 + sum(a * truth[n] for a, n in zip(small.scaled, SCALED, strict=True))
    assert learned.predict(small) == pytest.approx(expected, rel=0.5)
    after = learned.observe(small, round(expected))
    assert after.predict(small) == round(expected)


amounts = st.tuples(*[st.integers(0, 50_000)] * len(SCALED))
reports = st.lists(
    st.tuples(amounts, st.integers(0, 5000), st.integers(-10, 2_000_000)), max_size=12
)


@settings(deadline=None)
@given(reports=reports, model=st.sampled_from([CLAUDE, "claude-opus-5", "gpt-4o", None]))
def test_no_report_can_break_the_bounds_or_the_state(reports: Any, model: str | None) -> None:
    learned = Calibration.start(model)
    for scaled, fixed, reported in reports:
        learned = learned.observe(Weight(scaled, fixed), reported, window=1_000_000)
        assert all(LEAST <= factor <= MOST for factor in learned.factors.values())
        assert learned.predict(Weight(scaled, fixed)) >= 0
        assert learned.hidden >= 0
    assert learned.accepted + learned.refused == len(reports)
    state = json.loads(json.dumps(learned.to_dict()))
    back = Calibration.from_dict(model, state)
    assert back == learned.new_session()
    assert back.factors == learned.factors
    assert back.to_dict() == state


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 2}, "another version"),
        ({"classes": ["prose"]}, "another version"),
        ({"family": "gemini"}, "is for gemini, not claude"),
        ({"evidence": [0.0]}, "wrong size"),
        ({"information": [[1.0]]}, "wrong size"),
        ({"evidence": None}, "not a calibration"),
        ({"learned": "many"}, "not a calibration"),
    ],
)
def test_a_state_that_does_not_fit_is_a_usage_error(change: dict[str, Any], reason: str) -> None:
    state = Calibration.start(CLAUDE).to_dict() | change
    with pytest.raises(UsageError, match=reason):
        Calibration.from_dict(CLAUDE, state)


def test_what_was_learned_makes_a_new_counter() -> None:
    learned = Calibration.start(CLAUDE)
    truth = learned.factors | {"prose": 2.0}
    for weight, reported in turns(2, 100, truth, hidden=8_000):
        learned = learned.observe(weight, reported)
    before, after = counter_for(CLAUDE), learned.counter()
    text = "It is a truth universally acknowledged that counts must add up. " * 40
    assert 1.6 < after.text(text) / before.text(text) < 1.9
    assert after.total(0, 1) - before.total(0, 1) == pytest.approx(learned.hidden, abs=3)
    assert after.exact is False
    assert counter_for(CLAUDE) is before
    unseen = learned.new_session().counter()
    assert unseen.text(text) == after.text(text)
    assert unseen.total(0, 1) < 20


def test_an_exact_counter_learns_only_what_is_hidden() -> None:
    counter = counter_for("gpt-4o")
    messages = [Message("user", (Text("word " * n),)) for n in (10, 500, 90)]
    learned = Calibration.start("gpt-4o")
    for upto in range(1, 4):
        weight = weigh(counter, messages[:upto])
        learned = learned.observe(weight, counter.total(weight.fixed, upto) + 4_000)
    assert learned.hidden == 4_003  # the reply's priming is part of no message
    made = learned.counter()
    assert made.exact
    assert made.text("word " * 10) == counter.text("word " * 10)
    assert learned.factors == Calibration.start("gpt-4o").factors


words = st.text(max_size=30)
content = st.one_of(
    words.map(Text),
    st.builds(Image, width=st.integers(0, 3000), height=st.integers(0, 3000)),
    st.builds(Document, title=words, text=words, data=words, url=words),
    st.builds(Opaque, kind=st.just("x"), raw=st.dictionaries(words, words, max_size=2)),
)
blocks: st.SearchStrategy[Block] = st.one_of(
    content,
    st.builds(Thinking, text=words, signature=st.none() | words),
    st.builds(ToolCall, id=words, name=words, input=words),
    st.builds(ToolResult, call_id=words, content=st.lists(content, max_size=3).map(tuple)),
)


@settings(deadline=None)
@given(
    some=st.lists(st.lists(blocks, max_size=3).map(tuple), max_size=4),
    model=st.sampled_from([CLAUDE, "gpt-4o", "deepseek-chat"]),
    tools=st.integers(0, 2),
)
def test_weights_add_up_to_the_sizes(some: list[Any], model: str, tools: int) -> None:
    counter = counter_for(model)
    messages = [Message("user", each) for each in some]
    given_ = [Tool("read", "Reads a file", {"type": "object"})] * tools
    weight = weigh(counter, messages, given_, "openai")
    parts = sum((weigh(counter, [m]) for m in messages), weigh(counter, [], given_, "openai"))
    assert parts == weight
    assert weight - weight == Weight()
    size = sum(map(counter.message, messages)) + counter.tools(given_, "openai")
    texts = 40 * (len(some) + tools + 1)  # each text's estimate is rounded by up to one half
    assert Calibration.start(model).predict(weight) == pytest.approx(size, abs=texts / 2)


def test_pictures_and_files_are_not_scaled() -> None:
    counter = counter_for(CLAUDE)
    image = Image(width=560, height=560)
    seen = weigh(counter, [Message("user", (ToolResult("x", (image,)), Document(data="J" * 99)))])
    assert seen.fixed == counter.block(image) + counter.block(Document(data="J" * 99))


def test_characters_cannot_be_calibrated() -> None:
    with pytest.raises(UsageError, match="not chars"):
        weigh(counter_for(None, "chars"), [])


def read_blocks(content: Any) -> tuple[Any, ...]:
    if isinstance(content, str):
        return (Text(content),)
    made: list[Block] = []
    for block in content or ():
        match block.get("type"):
            case "text":
                made.append(Text(block["text"]))
            case "thinking":
                made.append(Thinking(block["thinking"], block.get("signature")))
            case "tool_use":
                made.append(ToolCall(block["id"], block["name"], block["input"]))
            case "tool_result":
                made.append(ToolResult(block["tool_use_id"], read_blocks(block.get("content"))))
            case "image":
                made.append(Image(data=block["source"].get("data", "")))
    return tuple(made)


def reported_calls(path: Path) -> Iterator[tuple[str, Weight, int]]:
    """Each model call of a recorded session: model, what was visible before it, what it cost."""
    weight, answered = Weight(), None
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("type") not in ("user", "assistant"):
            continue
        message = row["message"]
        if row["type"] == "assistant" and message["id"] != answered:
            answered = message["id"]
            usage = message["usage"]
            context = (
                usage["input_tokens"]
                + usage.get("cache_read_input_tokens", 0)
                + usage.get("cache_creation_input_tokens", 0)
            )
            if context:
                yield message["model"], weight, context
        seen = Message(row["type"], read_blocks(message["content"]))
        weight += weigh(counter_for(CLAUDE), [seen])


@pytest.mark.parametrize("name", ["project-a", "project-b", "project-c", "with-agents"])
def test_recorded_sessions_are_predicted(shared_sessions: Path, name: str) -> None:
    learned: Calibration | None = None
    misses, growth = [], []
    first: tuple[Weight, int] | None = None
    start = Calibration.start(CLAUDE)
    for model, weight, reported in reported_calls(
        shared_sessions / "claude-code" / f"{name}.jsonl"
    ):
        if learned is None or first is None:
            learned, first = Calibration.start(model), (weight, reported)
        else:
            misses.append(abs(learned.predict(weight) - reported) / reported)
            if reported - first[1] > 5_000:
                visible = start.predict(weight) - start.predict(first[0])
                growth.append(visible / (reported - first[1]))
        learned = learned.observe(weight, reported, window_of(model))
    assert len(misses) >= 14
    assert median(misses) < 0.005
    assert 0.9 < median(growth) < 1.1  # the starting factors alone
    assert learned is not None
    assert learned.refused == 0
