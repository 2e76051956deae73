"""Responses of the three APIs as one kind of reply, however odd they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from trimtab.history.message import Usage
from trimtab.summaries.answers import Reply
from trimtab.summaries.model_outcomes import Failure

STOPS = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "tool_calls": "tools",
    "function_call": "tools",
    "tool_use": "tools",
    "pause_turn": "tools",
}
"""A provider's reason to stop -> ours; every other is `end`."""


def reply_of(value: Any, api: str) -> Reply | Failure:
    """The reply in a response.

    Args:
        value: as the official clients give it, or its JSON.
        api: `openai` (chat completions), `responses` or `anthropic`.
    """
    body = _json(value)
    if not isinstance(body, dict):
        return Failure("malformed", f"no JSON object but {_shown(value)}")
    error = body.get("error")
    if isinstance(error, dict) or body.get("type") == "error":
        return _error(error if isinstance(error, dict) else body, api, body)
    return _READERS[api](body)


def _json(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", warnings=False)
    if isinstance(value, str | bytes):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value


def _shown(value: Any) -> str:
    text = " ".join(str(value)[:200].split()) if isinstance(value, str) else type(value).__name__
    return text[:60] or "nothing"


def _error(error: Mapping[str, Any], api: str, body: Mapping[str, Any]) -> Failure:
    """An error in a response that says 200, as some gateways send it."""
    kind = f"{error.get('code', '')} {error.get('type', '')}".strip()
    outcome = "rate-limited" if "rate_limit" in kind or "429" in kind else "server-error"
    told = " ".join(filter(None, (kind, str(error.get("message") or ""))))
    return Failure(outcome, told, usage=_usage(body.get("usage"), api))


# -- chat completions --------------------------------------------------------------------------


def _chat(body: Mapping[str, Any]) -> Reply | Failure:
    usage = _usage(body.get("usage"), "openai")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Failure("malformed", "a completion without choices", usage=usage)
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    calls = [call.get("function") for call in _dicts(message.get("tool_calls"))]
    calls.append(message.get("function_call"))
    return Reply(
        _text(parts, ("text", "output_text")),
        STOPS.get(str(choice.get("finish_reason")), "end"),
        thinking=any(message.get(key) for key in ("reasoning", "reasoning_content")),
        calls=tuple(str(call.get("name") or "") for call in _dicts(calls)),
        refusal=_string(message.get("refusal")),
        usage=usage,
    )


# -- Responses -----------------------------------------------------------------------------------


def _responses(body: Mapping[str, Any]) -> Reply | Failure:
    usage = _usage(body.get("usage"), "responses")
    if not isinstance(body.get("output"), list):
        return Failure("malformed", "a response without output", usage=usage)
    items = _dicts(body["output"])
    parts = [
        part
        for item in items
        if item.get("type", "message") == "message"
        for part in _dicts(item.get("content"))
    ]
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return Reply(
        _text(parts, ("output_text", "text")),
        STOPS.get(str(reason), "end"),
        thinking=any(item.get("type") == "reasoning" for item in items),
        calls=tuple(
            str(item.get("name") or item["type"])
            for item in items
            if str(item.get("type")).endswith("_call")
        ),
        refusal=_joined(parts, "refusal", ("refusal",)),
        usage=usage,
    )


# -- Anthropic -------------------------------------------------------------------------------------


def _messages(body: Mapping[str, Any]) -> Reply | Failure:
    usage = _usage(body.get("usage"), "anthropic")
    content = body.get("content")
    if not isinstance(content, list | str):
        return Failure("malformed", "a message without content", usage=usage)
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)
    kinds = [str(block.get("type")) for block in blocks]
    return Reply(
        _text(blocks, ("text",)),
        STOPS.get(str(body.get("stop_reason")), "end"),
        thinking=any(kind.endswith("thinking") for kind in kinds),
        calls=tuple(
            str(block.get("name") or "") for block in blocks if block.get("type") == "tool_use"
        ),
        usage=usage,
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Reply | Failure]] = {
    "openai": _chat,
    "responses": _responses,
    "anthropic": _messages,
}


# -- parts -------------------------------------------------------------------------------------


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(parts: Any, kinds: tuple[str, ...]) -> str:
    return _joined(_dicts(parts), "text", kinds)


def _joined(parts: list[dict[str, Any]], key: str, kinds: tuple[str, ...]) -> str:
    texts = [_string(part.get(key)) for part in parts if part.get("type") in kinds]
    return "\n".join(text for text in texts if text)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _usage(raw: Any, api: str) -> Usage:
    """As `history.message.Usage` defines it: OpenAI's input contains the cached tokens."""
    if not isinstance(raw, dict):
        return Usage()
    if api == "anthropic":
        written = raw.get("cache_creation")
        return Usage(
            _count(raw, "input_tokens"),
            _count(raw, "cache_read_input_tokens"),
            _count(raw, "cache_creation_input_tokens"),
            _count(raw, "output_tokens"),
            _count(written, "ephemeral_1h_input_tokens"),
        )
    whole, answer = (
        ("prompt_tokens", "completion_tokens")
        if api == "openai"
        else ("input_tokens", "output_tokens")
    )
    cached = _count(raw.get(f"{whole}_details"), "cached_tokens")
    return Usage(max(_count(raw, whole) - cached, 0), cached, 0, _count(raw, answer))


def _count(raw: Any, key: str) -> int:
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def added(one: Usage, other: Usage) -> Usage:
    """Both together."""
    return Usage(
        one.input + other.input,
        one.cache_read + other.cache_read,
        one.cache_write + other.cache_write,
        one.output + other.output,
        one.cache_write_1h + other.cache_write_1h,
    )
