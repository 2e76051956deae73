"""Errors that mean the context is too long, as the providers phrase them, and those that do not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trimtab.triggers import Overflow, is_overflow, overflow_size

OPENAI = "This model's maximum context length is 128000 tokens. However, "

# Texts as the providers send them (seen in their documentation and in public issue reports), with
# the numbers that they state.
TOO_LONG: list[tuple[str, Overflow | None]] = [
    ("prompt is too long: 213462 tokens > 200000 maximum", Overflow(213462, 200000)),
    (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
        "decrease input length or `max_tokens` and try again",
        Overflow(188240, 200000, 21333),
    ),
    ("ValidationException: Input is too long for requested model.", None),
    ("The model returned the following errors: Input is too long for requested model.", None),
    (
        OPENAI + "your messages resulted in 130518 tokens. Please reduce the length of the "
        "messages.",
        Overflow(130518, 128000),
    ),
    (
        OPENAI + "your messages resulted in 150000 tokens (149000 in the messages, 1000 in the "
        "functions). Please reduce the length of the messages or functions.",
        Overflow(150000, 128000),
    ),
    (
        OPENAI + "you requested 129118 tokens (128118 in the messages, 1000 in the completion). "
        "Please reduce the length of the messages or completion.",
        Overflow(128118, 128000, 1000),
    ),
    (
        "This model's maximum context length is 8191 tokens, however you requested 10346 tokens "
        "(10341 in your prompt; 5 for the completion). Please reduce your prompt; or completion "
        "length.",
        Overflow(10341, 8191, 5),
    ),
    (OPENAI + "you requested 351430 tokens. Please reduce the length.", Overflow(351430, 128000)),
    ("Your input exceeds the context window of this model. Please adjust your input.", None),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in "
        "301213 tokens. Please reduce the length of the messages.",
        Overflow(301213, 272000),
    ),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about "
        "148000 tokens (130000 of text input, 18000 in the output). Please reduce the length of "
        'either one, or use the "middle-out" transform to compress your prompt automatically.',
        Overflow(130000, 131072, 18000),
    ),
    (
        "This endpoint's maximum context length is 32768 tokens. However, you requested about "
        "42832 tokens (42832 of text input). Please reduce the length of either one.",
        Overflow(42832, 32768),
    ),
    (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        Overflow(1196265, 1048575),
    ),
    (
        "Unable to submit request because the input token count is 40000 but model only supports "
        "up to 32767; the input token count exceeds the maximum number of tokens allowed 32767.",
        None,
    ),
    (
        "the request exceeds the available context size, try increasing it",
        None,
    ),
    (
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        Overflow(5000, 4096),
    ),
    ("Context size has been exceeded.", None),
    (
        "Trying to keep the first 4000 tokens when context overflows. However, the model is loaded "
        "with context length of only 4096 tokens, which is not enough.",
        Overflow(0, 4096),
    ),
    (
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        None,
    ),
    (
        "The decoder prompt (length 163840) is longer than the maximum model length of 131072. "
        "Make sure that `max_model_len` is no smaller than the number of text tokens.",
        Overflow(163840, 131072),
    ),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context "
        "length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000).",
        Overflow(4000, 4096, 500),
    ),
    (
        "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 128000 maximum "
        "context length",
        Overflow(140000, 128000),
    ),
    (
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        Overflow(537812, 131072),
    ),
    ("Please reduce the length of the messages or completion.", None),
    ("prompt token count of 140000 exceeds the limit of 128000", Overflow(140000, 128000)),
    ("too many tokens: size limit exceeded by 12345 tokens", None),
    (
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
        Overflow(300000, 262144),
    ),
    ("Your request exceeded model token limit: 8192", Overflow(0, 8192)),
    (
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
        Overflow(0, 129024),
    ),
    ("invalid params, context window exceeds limit (2013)", None),
    ("prompt too long; exceeded max context length by 1234 tokens", None),
    (
        "The prompt is too long: 267657, model maximum context length: 262143",
        Overflow(267657, 262143),
    ),
    (
        "The input (210000 tokens) is longer than the model's context length (200000 tokens).",
        Overflow(210000, 200000),
    ),
    (
        "Prompt has 300,000 tokens, but the configured context size is 131,072 tokens",
        Overflow(300000, 131072),
    ),
    (
        "length of prompt_tokens (163280) must be less than max_seq_len (32768).",
        Overflow(163280, 32768),
    ),
    (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 "
        "`inputs` tokens and 60 `max_new_tokens`",
        Overflow(3474, 2048, 60),
    ),
    (
        "Request body too large for gpt-5-mini model. Max size: 4000 tokens.",
        Overflow(0, 4000),
    ),
    ("Prompt exceeds max length", None),
    ("litellm.ContextWindowExceededError: the model said no", None),
    ("context_length_exceeded", None),
    ("PROMPT IS TOO LONG: 213462 tokens > 200000 maximum", Overflow(213462, 200000)),
]

OTHERS = [
    "",
    "Rate limit reached for gpt-4o in organization org-x on tokens per minute (TPM): Limit 30000, "
    "Used 28000, Requested 4000. Please try again in 4s.",
    "Request too large for model `llama-3.1-8b-instant` in organization `org` service tier "
    "`on_demand` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your "
    "message size and try again.",
    "This request would exceed your account's rate limit of 400,000 input tokens per minute.",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "429 Too Many Requests: request exceeds rate limit",
    "You exceeded your current quota, please check your plan and billing details.",
    "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, "
    "whereas you provided 200000.",
    "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude",
    "Range of max_tokens should be [1, 8192]",
    "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context "
    "length is 4096 tokens and your request has 40 input tokens (5000 > 4096 - 40).",
    "Model context window too small (minimum is 128k tokens)",
    "messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes",
    "Invalid 'messages[0].content': string too long. Expected a string with maximum length "
    "1048576, but got a string with length 2000000 instead.",
    "Incorrect API key provided",
    "Overloaded",
    "Internal server error",
    "The model `gpt-9` does not exist or you do not have access to it.",
    "Unsupported parameter: context. Remove it and try again.",
    "messages: text content blocks must be non-empty",
    "Connection error.",
    "The long context beta is not yet available for this subscription.",
]


@pytest.mark.parametrize(("text", "numbers"), TOO_LONG)
def test_too_long_is_recognised_with_its_numbers(text: str, numbers: Overflow | None) -> None:
    assert is_overflow(text)
    assert overflow_size(text) == numbers
    body = {"error": {"message": text, "type": "invalid_request_error"}}
    for form in (body, json.dumps(body), json.dumps(body).encode(), RuntimeError(text), [body]):
        assert is_overflow(form)
        assert overflow_size(form) == numbers


@pytest.mark.parametrize("text", OTHERS)
def test_other_errors_are_not_taken_for_it(text: str) -> None:
    body = {"error": {"message": text, "type": "invalid_request_error"}}
    for form in (text, body, json.dumps(body), RuntimeError(text)):
        assert not is_overflow(form)
        assert overflow_size(form) is None


@pytest.mark.parametrize("value", [None, 0, 3.5, True, (), {}, object(), b"\xff", "{", [[]]])
def test_what_is_no_error_is_none(value: object) -> None:
    assert not is_overflow(value)


# -- as the clients raise them ---------------------------------------------------------------------


def _response(status: int, body: Any) -> Any:
    import httpx2

    request = httpx2.Request("POST", "https://example.invalid/v1")
    return httpx2.Response(status, json=body, request=request)


def _openai(status: int, error: dict[str, Any]) -> Exception:
    import openai

    body = {"error": error}
    client = openai.OpenAI(api_key="none")
    return client._make_status_error(str(body), body=body, response=_response(status, body))


def _anthropic(status: int, error: dict[str, Any]) -> Exception:
    import anthropic

    body = {"type": "error", "error": error}
    client = anthropic.Anthropic(api_key="none")
    return client._make_status_error(str(body), body=body, response=_response(status, body))


def test_the_official_clients_exceptions() -> None:
    told = {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}
    assert overflow_size(_anthropic(400, told)) == Overflow(9, 8)
    large = {"type": "request_too_large", "message": "Request exceeds the maximum size"}
    assert is_overflow(_anthropic(413, large))
    coded = {"message": "no", "code": "context_length_exceeded", "param": "input"}
    assert is_overflow(_openai(400, coded))
    limited = {"type": "rate_limit_error", "message": "This would exceed the rate limit"}
    assert not is_overflow(_anthropic(429, limited))
    assert not is_overflow(_openai(429, {"message": "maximum context length is 4096 tokens"}))
    assert not is_overflow(_openai(401, {"message": "prompt is too long"}))
    assert not is_overflow(_openai(400, {"message": "bad", "code": "invalid_value"}))


def test_only_the_status_413_is_enough() -> None:
    assert is_overflow(_openai(413, {}))
    assert not is_overflow(_openai(400, {}))


def test_llama_cpp_states_the_numbers_beside_the_text() -> None:
    error = {
        "code": 400,
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 5000,
        "n_ctx": 4096,
    }
    assert overflow_size({"error": error}) == Overflow(5000, 4096)


def test_what_a_gateway_wraps_is_found() -> None:
    inner = {"type": "error", "error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}
    wrapped = {
        "message": "Provider returned error",
        "code": 400,
        "metadata": {"raw": json.dumps(inner), "provider_name": "Anthropic"},
    }
    assert overflow_size({"error": wrapped}) == Overflow(9, 8)
    assert overflow_size(_openai(400, wrapped)) == Overflow(9, 8)


def test_botocore_and_causes() -> None:
    class ClientError(Exception):
        def __init__(self) -> None:
            super().__init__("An error occurred")
            told = {"Code": "ValidationException", "Message": "Input is too long for model"}
            self.response = {"Error": told, "ResponseMetadata": {"HTTPStatusCode": 400}}

    assert is_overflow(ClientError())
    outer = RuntimeError("the call failed")
    outer.__cause__ = ValueError("prompt is too long")
    assert is_overflow(outer)


def test_a_stop_reason_that_says_so() -> None:
    assert is_overflow({"type": "message", "stop_reason": "model_context_window_exceeded"})
    assert not is_overflow({"type": "message", "stop_reason": "end_turn"})


def test_what_was_sent_is_not_read_as_what_was_answered() -> None:
    echoed = {"error": {"message": "bad tool"}, "messages": [{"content": "prompt is too long"}]}
    assert not is_overflow(echoed)


def test_hostile_errors() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    assert not is_overflow(Broken())
    looped: dict[str, Any] = {}
    looped["error"] = looped
    assert not is_overflow(looped)
    assert is_overflow("x" * 1_000 + " prompt is too long")
    assert not is_overflow("(" * 200_000)
    assert not is_overflow("[" * 200_000)
