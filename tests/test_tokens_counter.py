"""Which counter a model has, and what messages, calls, tools and unknown blocks cost."""

from __future__ import annotations

import copy
import json
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
from trimtab.tokens import Counter, counter_for, window_of
from trimtab.tokens.models import bare_name, family_of

MODELS = ["gpt-4o", "gpt-4", "claude-opus-4-5", "claude-opus-5-5", "gemini-3-pro", None]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("openai/gpt-4.1-mini", "o200k_base"),
        ("azure/gpt-5", "o200k_base"),
        ("openrouter/openai/gpt-5.3-codex:free", "o200k_base"),
        ("gpt-6.1-sol", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme/eu::AbC", "o200k_base"),
        ("O3", "o200k_base"),
        ("o1-mini", "o200k_base"),
        ("o4-mini-high", "o200k_base"),
        ("codex-mini-latest", "o200k_base"),
        ("openai.gpt-oss-120b-1:0", "o200k_base"),
        ("gpt-oss:20b", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo:org::id", "cl100k_base"),
        ("text-embedding-3-large", "cl100k_base"),
        ("claude-sonnet-4-5-20250929", "estimate:claude"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "estimate:claude"),
        ("claude-sonnet-4@20250514", "estimate:claude"),
        ("claude-3-5-sonnet-20241022", "estimate:claude"),
        ("anthropic/claude-3.7-sonnet", "estimate:claude"),
        ("claude-v2:1", "estimate:claude"),
        ("claude-2.1", "estimate:claude"),
        ("claude-opus-4-6[1m]", "estimate:claude"),
        ("claude-opus-4-7", "estimate:claude-2026"),
        ("anthropic/claude-opus-4.8", "estimate:claude-2026"),
        ("claude-fable-5-1", "estimate:claude-2026"),
        ("opus", "estimate:claude-2026"),
        ("models/gemini-2.5-pro", "estimate:gemini"),
        ("gemini-3-pro-preview", "estimate:gemini-3"),
        ("deepseek-chat", "estimate"),
        ("o11y-model", "estimate"),
        ("<synthetic>", "estimate"),
        ("", "estimate"),
        (None, "estimate"),
    ],
)
def test_names_of_models(model: str | None, name: str) -> None:
    counter = counter_for(model)
    assert counter.name == name
    assert counter.exact is not name.startswith("estimate")
    assert counter.unit == "tokens"


@settings(deadline=None)  # the first count loads the vocabulary
@given(st.text(max_size=60))
def test_any_name_has_a_counter(model: str) -> None:
    assert counter_for(model).text("hello world") > 0
    assert window_of(model) is None or window_of(model) > 0  # type: ignore[operator]
    assert family_of(bare_name(model)) == family_of(model)


def test_models_that_count_alike_share_one_counter() -> None:
    assert counter_for("gpt-4o") is counter_for("openai/gpt-4o-2024-11-20")
    assert counter_for("claude-opus-4-5") is counter_for("claude-haiku-4-5")
    assert counter_for("gpt-4o", "chars") is counter_for(None, "chars")
    assert len({counter_for("gpt-4o"), counter_for("gpt-4"), counter_for(None)}) == 3


def test_an_unknown_unit_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown unit 'words': use tokens or chars"):
        counter_for("gpt-4o", "words")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("unit", ["tokens", "chars"])
def test_counters_keep_the_protocol(model: str | None, unit: str) -> None:
    assert isinstance(counter_for(model, unit), Counter)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-opus-4-8", 1_000_000),
        ("claude-3-5-haiku-latest", 200_000),
        ("gpt-4o", 128_000),
        ("gpt-4.1", 1_047_576),
        ("gpt-4", 8_192),
        ("gpt-5-codex", 400_000),
        ("gpt-5.4-mini", 400_000),
        ("gpt-5.4", 1_050_000),
        ("o3-mini", 200_000),
        ("models/gemini-2.5-pro", 1_048_576),
        ("kimi-k2-thinking", 262_144),
        ("no-such-model", None),
        ("", None),
        (None, None),
    ],
)
def test_windows(model: str | None, window: int | None) -> None:
    assert window_of(model) == window


def said(role: Any, text: str, name: str | None = None) -> Message:
    raw = {"role": role, "content": text} | ({"name": name} if name else {})
    return Message(role, (Text(text),), dialect="openai", raw=raw)


def size(counter: Counter, messages: list[Message]) -> int:
    return counter.total(sum(map(counter.message, messages)), len(messages))


JARGON = [
    said(
        "system",
        "You are a helpful, pattern-following assistant that translates corporate jargon into "
        "plain English.",
    ),
    said("system", "New synergies will help drive top-line growth.", "example_user"),
    said("system", "Things working well together will increase revenue.", "example_assistant"),
    said(
        "system",
        "Let's circle back when we have more bandwidth to touch base on opportunities for "
        "increased leverage.",
        "example_user",
    ),
    said(
        "system",
        "Let's talk later when we're less busy about how to do better.",
        "example_assistant",
    ),
    said(
        "user",
        "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    ),
]

WEATHER = Tool(
    "get_current_weather",
    "Get the current weather in a given location",
    {
        "type": "object",
        "properties": {
            "location": {
                "type": "string",
                "description": "The city and state, e.g. San Francisco, CA",
            },
            "unit": {
                "type": "string",
                "description": "The unit of temperature to return",
                "enum": ["celsius", "fahrenheit"],
            },
        },
        "required": ["location"],
    },
)


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4", 129), ("gpt-4o", 124)])
def test_messages_count_as_in_the_openai_cookbook(model: str, tokens: int) -> None:
    assert size(counter_for(model), JARGON) == tokens


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4", 105), ("gpt-4o", 101)])
def test_tools_count_as_in_the_openai_cookbook(model: str, tokens: int) -> None:
    counter = counter_for(model)
    messages = [
        said(
            "system", "You are a helpful assistant that can answer to questions about the weather."
        ),
        said("user", "What's the weather like in San Francisco?"),
    ]
    assert size(counter, messages) + counter.tools([WEATHER], "openai") == tokens


schemas: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", ["string", "null"]])},
        optional={
            "description": st.text(max_size=20),
            "enum": st.lists(st.text(max_size=8) | st.integers() | st.none(), max_size=4),
        },
    )
    | st.none()
    | st.booleans()
    | st.text(max_size=5),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.text(max_size=8), inner, max_size=3) | st.none(),
            "items": inner,
            "anyOf": st.lists(inner, max_size=3) | st.text(max_size=3),
            "$defs": st.dictionaries(st.text(max_size=8), inner, max_size=2),
            "additionalProperties": inner,
        },
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("model", MODELS)
@settings(deadline=None)
@given(schema=schemas, description=st.text(max_size=30))
def test_any_schema_counts_and_counts_more_than_none(
    model: str | None, schema: Any, description: str
) -> None:
    counter = counter_for(model)
    tool = Tool("f", description, schema if isinstance(schema, dict) else {})
    assert counter.tools([], "openai") == 0
    assert counter.tools([tool], "openai") > 0
    assert counter.tools([tool, tool], "openai") > counter.tools([tool], "openai")


def test_nested_schemas_count() -> None:
    counter = counter_for("gpt-4o")
    deep = copy.deepcopy(dict(WEATHER.schema))
    deep["properties"]["place"] = {
        "type": "object",
        "properties": {"street": {"type": "string", "description": "The name of the street"}},
    }
    flat = copy.deepcopy(dict(WEATHER.schema))
    flat["properties"]["place"] = {"type": "object"}
    name, said_ = WEATHER.name, WEATHER.description
    without = counter.tools([Tool(name, said_, flat)], "openai")
    assert counter.tools([Tool(name, said_, deep)], "openai") > without + 8


words = st.text(max_size=40)
content = st.one_of(
    words.map(Text),
    st.builds(Image, width=st.integers(0, 3000), height=st.integers(0, 3000)),
    st.builds(Document, title=words, text=words, url=words),
    st.builds(Opaque, kind=st.just("x"), raw=st.dictionaries(words, words, max_size=3)),
)
blocks: st.SearchStrategy[Block] = st.one_of(
    content,
    st.builds(Thinking, text=words, signature=st.none() | words),
    st.builds(
        ToolCall,
        id=words,
        name=words,
        input=st.none() | words | st.dictionaries(words, st.integers() | words, max_size=3),
    ),
    st.builds(ToolResult, call_id=words, content=st.lists(content, max_size=3).map(tuple)),
)


@pytest.mark.parametrize("model", MODELS)
@settings(deadline=None)
@given(some=st.lists(blocks, max_size=5))
def test_a_message_is_its_frame_and_its_blocks(model: str | None, some: list[Block]) -> None:
    counter = counter_for(model)
    frame = counter.message(Message("user"))
    assert frame > 0
    message = Message("assistant", tuple(some))
    assert counter.message(message) == frame + sum(map(counter.block, some))
    assert counter.message(copy.deepcopy(message)) == counter.message(message)


@pytest.mark.parametrize("model", MODELS)
def test_calls_and_results_count(model: str | None) -> None:
    counter = counter_for(model)
    call = ToolCall("toolu_1", "bash", {"command": "ls " + "long/path " * 50})
    cleared = ToolCall("toolu_1", "bash", {})
    assert counter.block(call) > counter.block(cleared) + 90
    assert counter.block(cleared) < 60
    empty = counter.block(ToolResult("toolu_1"))
    full = counter.block(
        ToolResult("toolu_1", (Text("one two three " * 50), Image(width=9, height=9)))
    )
    assert full > empty + 150


def test_arguments_count_as_the_model_wrote_them() -> None:
    counter = counter_for("gpt-4o")
    written = '{ "a" :  1 }'
    named = counter.block(ToolCall("x", "f", None))
    assert counter.block(ToolCall("x", "f", written)) == named + counter.text(written)
    assert counter.block(ToolCall("x", "f", {"a": 1})) == named + counter.text('{"a":1}')


def test_arguments_that_json_cannot_hold_do_not_crash() -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless
    for given_ in (endless, {"x": {1, 2}}, {"x": float("nan")}, {(1, 2): 3}, "\ud800"):
        for model in MODELS:
            assert counter_for(model).block(ToolCall("x", "f", given_)) > 0


@pytest.mark.parametrize("model", MODELS)
def test_sealed_reasoning_counts_by_length_and_a_signature_not(model: str | None) -> None:
    counter = counter_for(model)
    plain = Thinking("I should look at the file first.")
    signed = Thinking(plain.text, signature="A" * 4000)
    assert counter.block(plain) == counter.block(signed)
    sealed = Thinking("", signature="A" * 1600, redacted=True)
    assert counter.block(sealed) == 300
    assert counter.block(Thinking("")) == 0


@pytest.mark.parametrize("model", MODELS)
def test_documents(model: str | None) -> None:
    counter = counter_for(model)
    text = "Some text of a document. " * 40
    assert counter.block(Document(text=text)) == counter.text(text)
    pages = [
        counter.block(Document(data="J" * n, media_type="application/pdf"))
        for n in (100, 1_000_000)
    ]
    assert 1_000 < pages[0] < 5_000 < pages[1] < 100_000
    assert 1_000 < counter.block(Document(url="https://x.example/a.pdf")) < 20_000


@pytest.mark.parametrize("model", MODELS)
def test_unknown_blocks_count_as_their_json_without_sealed_parts(model: str | None) -> None:
    counter = counter_for(model)
    raw = {"type": "web_search_result", "title": "Tokens and where to find them", "rank": 3}
    as_json = json.dumps(raw, separators=(",", ":"))
    assert counter.block(Opaque("x", raw)) == counter.text(as_json)
    heavy = counter.block(Opaque("x", raw | {"encrypted_content": "QUJD" * 8_000}))
    assert 6_000 <= heavy - counter.block(Opaque("x", raw)) < 6_030
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert counter.block(Opaque("x", deep)) > 0


def test_text_that_spells_special_tokens_is_text() -> None:
    for model in MODELS:
        counter = counter_for(model)
        assert counter.text("<|endoftext|>") > 3
        assert counter.message(said("user", "<|im_end|><|endoftext|>\n\nHuman: x")) > 10


def test_an_empty_context_costs_nothing() -> None:
    for model in MODELS:
        for unit in ("tokens", "chars"):
            assert counter_for(model, unit).total(0, 0) == 0


def test_the_name_of_a_tool_message_is_not_a_speaker() -> None:
    counter = counter_for("gpt-4o")
    plain = Message("tool", (Text("x"),), dialect="openai", raw={"role": "tool"})
    named = Message("tool", (Text("x"),), dialect="openai", raw={"role": "tool", "name": "ls"})
    assert counter.message(plain) == counter.message(named)
    assert family_of("gpt-4o").encoding == counter.name
