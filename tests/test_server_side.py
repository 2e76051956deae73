"""The provider's own context management: the parameters against the official clients' types."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from trimtab.context.server_side import COMPACT_BETA, CONTEXT_BETA, ServerSide, server_side
from trimtab.errors import UsageError


def _anthropic(made: ServerSide) -> None:
    from anthropic.types import AnthropicBetaParam
    from anthropic.types.beta import BetaContextManagementConfigParam
    from anthropic.types.beta import message_create_params as create

    known = {name for part in get_args(AnthropicBetaParam) for name in get_args(part)}
    assert set(made.betas) <= known
    assert set(made.params) <= set(create.MessageCreateParamsBase.__annotations__)
    config = made.params["context_management"]
    assert set(config) <= set(BetaContextManagementConfigParam.__annotations__)
    for edit in config["edits"]:
        _typed(edit)


def _typed(edit: dict[str, Any]) -> None:
    """Against the very type of its name, which forbids what the union would let pass."""
    from anthropic.types.beta import (
        BetaClearThinking20251015EditParam,
        BetaClearToolUses20250919EditParam,
        BetaCompact20260112EditParam,
    )

    kinds: dict[str, Any] = {
        "clear_thinking_20251015": BetaClearThinking20251015EditParam,
        "clear_tool_uses_20250919": BetaClearToolUses20250919EditParam,
        "compact_20260112": BetaCompact20260112EditParam,
    }
    kind = kinds[edit["type"]]
    assert set(edit) <= set(kind.__annotations__)
    TypeAdapter(kind).validate_python(edit)


def _responses(made: ServerSide) -> None:
    from openai.types.responses import response_create_params as create

    assert made.betas == ()
    assert set(made.params) <= set(create.ResponseCreateParamsBase.__annotations__)
    for entry in made.params.get("context_management", ()):
        assert set(entry) <= set(create.ContextManagement.__annotations__)
        TypeAdapter(create.ContextManagement).validate_python(entry)


def test_the_types_that_we_check_against_can_refuse() -> None:
    wrong = ServerSide({"context_management": {"edits": [{"type": "compact_20260112", "keep": 3}]}})
    with pytest.raises((AssertionError, ValidationError)):
        _anthropic(wrong)
    with pytest.raises(ValidationError):
        _anthropic(
            ServerSide(
                {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": 3}]}}
            )
        )
    with pytest.raises(AssertionError):
        _responses(ServerSide({"context_management": [{"type": "compaction", "threshold": 3}]}))


def test_everything_for_anthropic_thinking_first() -> None:
    made = server_side(
        "anthropic",
        trigger_tokens=60_000,
        keep_tool_uses=4,
        clear_at_least=5_000,
        exclude_tools=("memory",),
        clear_tool_inputs=("bash", "edit"),
        thinking_turns=2,
        compact=True,
        instructions="Keep the numbers. Call no tool.",
    )
    assert made.params == {
        "context_management": {
            "edits": [
                {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}},
                {
                    "type": "clear_tool_uses_20250919",
                    "trigger": {"type": "input_tokens", "value": 60_000},
                    "keep": {"type": "tool_uses", "value": 4},
                    "clear_at_least": {"type": "input_tokens", "value": 5_000},
                    "exclude_tools": ["memory"],
                    "clear_tool_inputs": ["bash", "edit"],
                },
                {
                    "type": "compact_20260112",
                    "trigger": {"type": "input_tokens", "value": 60_000},
                    "instructions": "Keep the numbers. Call no tool.",
                },
            ]
        }
    }
    assert made.betas == (CONTEXT_BETA, COMPACT_BETA)
    _anthropic(made)


@pytest.mark.parametrize(
    ("given", "types", "betas"),
    [
        ({"trigger_tokens": 1}, ["clear_tool_uses_20250919"], (CONTEXT_BETA,)),
        ({"keep_tool_uses": 0}, ["clear_tool_uses_20250919"], (CONTEXT_BETA,)),
        ({"clear_tool_inputs": True}, ["clear_tool_uses_20250919"], (CONTEXT_BETA,)),
        ({"thinking_turns": "all"}, ["clear_thinking_20251015"], (CONTEXT_BETA,)),
        ({"compact": True}, ["compact_20260112"], (COMPACT_BETA,)),
        ({"compact": True, "trigger_tokens": 50_000}, ["compact_20260112"], (COMPACT_BETA,)),
        (
            {"compact": True, "thinking_turns": 1},
            ["clear_thinking_20251015", "compact_20260112"],
            (CONTEXT_BETA, COMPACT_BETA),
        ),
    ],
)
def test_only_what_was_asked_for(
    given: dict[str, Any], types: list[str], betas: tuple[str, ...]
) -> None:
    made = server_side("anthropic", **given)
    assert [edit["type"] for edit in made.params["context_management"]["edits"]] == types
    assert made.betas == betas
    _anthropic(made)


@pytest.mark.parametrize(
    ("given", "params"),
    [
        (
            {"trigger_tokens": 9},
            {"context_management": [{"type": "compaction", "compact_threshold": 9}]},
        ),
        ({"compact": True}, {"context_management": [{"type": "compaction"}]}),
        ({"truncation": "auto"}, {"truncation": "auto"}),
        (
            {"compact": True, "truncation": "disabled"},
            {"context_management": [{"type": "compaction"}], "truncation": "disabled"},
        ),
    ],
)
def test_responses(given: dict[str, Any], params: dict[str, Any]) -> None:
    made = server_side("responses", **given)
    assert made.params == params
    _responses(made)


@pytest.mark.parametrize(
    ("dialect", "given", "words"),
    [
        ("openai", {"compact": True}, "has no context management"),
        ("neutral", {"compact": True}, "has no context management"),
        ("anthropic", {}, "nothing is asked for"),
        ("responses", {}, "nothing is asked for"),
        ("anthropic", {"compact": True, "trigger_tokens": 49_999}, "50,000"),
        ("anthropic", {"trigger_tokens": 0}, "trigger_tokens"),
        ("anthropic", {"keep_tool_uses": -1}, "keep_tool_uses"),
        ("anthropic", {"keep_tool_uses": True}, "keep_tool_uses"),
        ("anthropic", {"clear_at_least": 1.5}, "clear_at_least"),
        ("anthropic", {"thinking_turns": 0}, "thinking_turns"),
        ("anthropic", {"thinking_turns": "some"}, "thinking_turns"),
        ("anthropic", {"exclude_tools": "bash"}, "exclude_tools"),
        ("anthropic", {"clear_tool_inputs": [1]}, "clear_tool_inputs"),
        ("anthropic", {"instructions": "x"}, "compact=True"),
        ("anthropic", {"instructions": " ", "compact": True}, "give text"),
        ("anthropic", {"truncation": "auto"}, "truncation"),
        ("responses", {"keep_tool_uses": 3, "compact": True}, "keep_tool_uses"),
        ("responses", {"thinking_turns": 3}, "thinking_turns"),
        ("responses", {"instructions": "x", "compact": True}, "instructions"),
        ("responses", {"truncation": "some"}, "truncation"),
    ],
)
def test_what_cannot_be_meant_is_one_line(dialect: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        server_side(dialect, **given)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
