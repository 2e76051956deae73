"""The provider's own context management, as parameters of a request.

For those who would rather have the provider clear and compact on its side. The history stays whole
here and is resent whole; what the provider takes out, no block brings back.

Sources: `anthropic.types.beta` (2.14) and `openai.types.responses` (3.57), which the tests compare
with; the smallest trigger of a compaction is from Anthropic's documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trimtab.errors import UsageError

CONTEXT_BETA = "context-management-2025-06-27"
COMPACT_BETA = "compact-2026-01-12"
LEAST_COMPACTION = 50_000
"""Input tokens: Anthropic takes no smaller trigger for a compaction."""


@dataclass(frozen=True, slots=True)
class ServerSide:
    """What to add to a request.

    Attributes:
        params: keyword arguments: `client.beta.messages.create(**request, **params, betas=...)`.
        betas: names for `betas` (the header `anthropic-beta`); empty for OpenAI.
    """

    params: dict[str, Any]
    betas: tuple[str, ...] = ()


def server_side(
    dialect: str,
    *,
    trigger_tokens: int | None = None,
    keep_tool_uses: int | None = None,
    clear_at_least: int | None = None,
    exclude_tools: Sequence[str] = (),
    clear_tool_inputs: bool | Sequence[str] = False,
    thinking_turns: int | Literal["all"] | None = None,
    compact: bool = False,
    instructions: str | None = None,
    truncation: Literal["auto", "disabled"] | None = None,
) -> ServerSide:
    """The parameters that make the provider manage the context itself.

    Args:
        dialect: `anthropic` or `responses`; chat completions have nothing of the kind.
        trigger_tokens: input tokens from which on it acts; `None`: the provider's default
            (Anthropic clears at 100,000 and compacts at 150,000).
        keep_tool_uses: how many of the newest tool uses stay (Anthropic; its default is 3).
        clear_at_least: input tokens that a clearing must free, or it is not done (Anthropic).
        exclude_tools: names of tools whose results are never cleared (Anthropic).
        clear_tool_inputs: clear the inputs of calls too: all, or those of the named tools.
        thinking_turns: keep the thinking of so many newest assistant turns, or of `all`
            (Anthropic).
        compact: summarise what is older (Anthropic from 50,000 tokens on; OpenAI Responses).
        instructions: replace the provider's prompt for the summary (Anthropic).
        truncation: `auto` drops items from the front rather than fail (Responses).

    With Anthropic, tool results are cleared where any of their parameters is given, or a trigger
    without `compact`.

    Raises:
        UsageError: the dialect has no such parameter, nothing is asked for, or a value is out of
            range.
    """
    for name, value, least in (
        ("trigger_tokens", trigger_tokens, 1),
        ("keep_tool_uses", keep_tool_uses, 0),
        ("clear_at_least", clear_at_least, 1),
    ):
        _whole(name, value, least)
    if thinking_turns != "all":
        _whole("thinking_turns", thinking_turns, 1)
    if instructions is not None and (not compact or not instructions.strip()):
        raise UsageError("server_side: instructions are for a summary: give text, and compact=True")
    clearing: dict[str, Any] = {
        "keep_tool_uses": keep_tool_uses,
        "clear_at_least": clear_at_least,
        "exclude_tools": tuple(_names("exclude_tools", exclude_tools)),
        "clear_tool_inputs": clear_tool_inputs
        if isinstance(clear_tool_inputs, bool)
        else tuple(_names("clear_tool_inputs", clear_tool_inputs)),
    }
    # By identity: no kept tool use (0) is a wish too, and 0 == False.
    asked = [n for n, v in clearing.items() if v is not None and v is not False and v != ()]
    if dialect == "anthropic":
        if truncation is not None:
            raise UsageError("server_side: truncation is a parameter of OpenAI Responses alone")
        clears = bool(asked) or (trigger_tokens is not None and not compact)
        edits = [_thinking(thinking_turns)] if thinking_turns is not None else []
        if clears:
            edits.append(_tool_uses(trigger_tokens, **clearing))
        if compact:
            edits.append(_compaction(trigger_tokens, instructions))
        betas = (CONTEXT_BETA,) * (len(edits) > compact) + (COMPACT_BETA,) * compact
        return _made({"context_management": {"edits": edits}} if edits else {}, betas)
    if dialect == "responses":
        given = {"thinking_turns": thinking_turns, "instructions": instructions}
        asked += [name for name, value in given.items() if value is not None]
        if asked:
            only = f"{', '.join(asked)}: for Anthropic alone"
            raise UsageError(f"server_side: OpenAI Responses compacts and truncates; {only}")
        params: dict[str, Any] = {}
        if compact or trigger_tokens is not None:
            entry: dict[str, Any] = {"type": "compaction"}
            if trigger_tokens is not None:
                entry["compact_threshold"] = trigger_tokens
            params["context_management"] = [entry]
        if truncation is not None:
            if truncation not in ("auto", "disabled"):
                raise UsageError(f"server_side: truncation is auto or disabled, not {truncation!r}")
            params["truncation"] = truncation
        return _made(params, ())
    raise UsageError(
        f"server_side: {dialect!r} has no context management of the provider's own; "
        "anthropic and responses have"
    )


def _made(params: dict[str, Any], betas: tuple[str, ...]) -> ServerSide:
    if not params:
        raise UsageError(
            "server_side: nothing is asked for; give trigger_tokens, thinking_turns or compact"
        )
    return ServerSide(params, betas)


def _thinking(turns: int | Literal["all"]) -> dict[str, Any]:
    keep = "all" if turns == "all" else {"type": "thinking_turns", "value": turns}
    return {"type": "clear_thinking_20251015", "keep": keep}


def _tool_uses(
    trigger_tokens: int | None,
    *,
    keep_tool_uses: int | None,
    clear_at_least: int | None,
    exclude_tools: tuple[str, ...],
    clear_tool_inputs: bool | tuple[str, ...],
) -> dict[str, Any]:
    edit: dict[str, Any] = {"type": "clear_tool_uses_20250919"}
    if trigger_tokens is not None:
        edit["trigger"] = {"type": "input_tokens", "value": trigger_tokens}
    if keep_tool_uses is not None:
        edit["keep"] = {"type": "tool_uses", "value": keep_tool_uses}
    if clear_at_least is not None:
        edit["clear_at_least"] = {"type": "input_tokens", "value": clear_at_least}
    if exclude_tools:
        edit["exclude_tools"] = list(exclude_tools)
    if clear_tool_inputs:
        named = clear_tool_inputs
        edit["clear_tool_inputs"] = list(named) if isinstance(named, tuple) else True
    return edit


def _compaction(trigger_tokens: int | None, instructions: str | None) -> dict[str, Any]:
    edit: dict[str, Any] = {"type": "compact_20260112"}
    if trigger_tokens is not None:
        if trigger_tokens < LEAST_COMPACTION:
            raise UsageError(
                f"server_side: Anthropic compacts from {LEAST_COMPACTION:,} input tokens on; "
                f"trigger_tokens is {trigger_tokens:,}"
            )
        edit["trigger"] = {"type": "input_tokens", "value": trigger_tokens}
    if instructions is not None:
        edit["instructions"] = instructions
    return edit


def _whole(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        what = f"a whole number of {least} or more"
        raise UsageError(f"server_side: {name} must be {what}, not {value!r:.60}")


def _names(name: str, value: Sequence[str]) -> Sequence[str]:
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"server_side: {name} must be a list of tool names, not {value!r:.60}")
    return value
