"""What an agent loop appends: a message, a provider's response, or the dict of either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trimtab.errors import InputError
from trimtab.formats import anthropic, openai_chat
from trimtab.formats.shape import describe
from trimtab.formats.wire import read_request
from trimtab.history.message import Message, Usage


def read_appended(value: Any, dialect: str) -> list[Message]:
    """The messages of `value`, with the usage that a response reports on its last one.

    Args:
        value: a `Message`; a message or item of the wire format; a response of the provider, as
            the official clients give it or as its JSON; or a list of these.
        dialect: `anthropic`, `openai`, `responses` or `neutral`.

    Raises:
        InputError: it is none of these.
    """
    if isinstance(value, Message):
        return [value]
    if isinstance(value, str):
        return [Message("user", read_request([_said(value)], dialect)[0].blocks, dialect=dialect)]
    dumped = getattr(value, "model_dump", None)
    if callable(dumped):
        value = dumped(mode="json", exclude_unset=True, by_alias=True)
    if isinstance(value, Mapping):
        return _read_object(dict(value), dialect)
    if isinstance(value, Sequence):
        return [message for item in value for message in read_appended(item, dialect)]
    raise InputError("append", f"a message or a response is expected, not {describe(value)}")


def _said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _read_object(value: dict[str, Any], dialect: str) -> list[Message]:
    if dialect == "anthropic" and "role" in value:
        request = anthropic.as_request_message(value)
        message = anthropic.read_message(value)
        return [replace(anthropic.read_message(request), **_reported(message))]
    if dialect == "openai" and isinstance(value.get("choices"), list):
        return _read_completion(value)
    if dialect == "responses" and isinstance(value.get("output"), list):
        messages = list(read_request(value["output"], dialect))
        return _on_last(messages, value, _responses_usage(value.get("usage")))
    return list(read_request([value], dialect))


def _reported(message: Message) -> dict[str, Any]:
    return {"id": message.id, "model": message.model, "usage": message.usage}


def _read_completion(value: dict[str, Any]) -> list[Message]:
    choices = value["choices"]
    given = choices[0].get("message") if choices and isinstance(choices[0], dict) else None
    if not isinstance(given, dict):
        raise InputError("append", "a chat completion without a message")
    return _on_last([openai_chat.read_message(given)], value, _chat_usage(value.get("usage")))


def _on_last(
    messages: list[Message], value: Mapping[str, Any], usage: Usage | None
) -> list[Message]:
    if messages:
        model = value.get("model")
        named = model if isinstance(model, str) else None
        messages[-1] = replace(messages[-1], model=named, usage=usage)
    return messages


def _chat_usage(raw: Any) -> Usage | None:
    if not isinstance(raw, dict):
        return None
    return _openai_usage(raw, "prompt_tokens", "prompt_tokens_details", "completion_tokens")


def _responses_usage(raw: Any) -> Usage | None:
    if not isinstance(raw, dict):
        return None
    return _openai_usage(raw, "input_tokens", "input_tokens_details", "output_tokens")


def _openai_usage(raw: dict[str, Any], whole: str, details: str, answer: str) -> Usage:
    """OpenAI's input contains the cached tokens."""
    found = raw.get(details)
    cached = _count(found.get("cached_tokens")) if isinstance(found, dict) else 0
    return Usage(max(_count(raw.get(whole)) - cached, 0), cached, 0, _count(raw.get(answer)))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
