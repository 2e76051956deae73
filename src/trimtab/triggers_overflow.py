"""Errors of providers that mean "the context is too long", in all the ways they say it.

Duck-typed: exceptions of the official clients (`status_code`, `body`, `message`, `code`), JSON
bodies as dicts, and plain strings. Not meant: rate limits and quotas (also those that count
tokens), and a `max_tokens` above what the model can answer, which no smaller context would cure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

_CODES = frozenset(
    {
        "context_length_exceeded",  # OpenAI, Azure, DeepSeek, Groq, Together, Fireworks
        "context_window_exceeded",
        "contextwindowexceedederror",  # LiteLLM
        "exceed_context_size_error",  # llama.cpp
        "max_context_length_exceeded",
        "model_context_window_exceeded",  # Anthropic's stop reason, Z.ai
        "model_max_prompt_tokens_exceeded",  # GitHub Copilot
        "prompt_too_long",
        "request_too_large",  # Anthropic, 413
        "tokens_limit_reached",  # GitHub Models, Azure AI
    }
)

_PHRASES = (
    r"prompt is too long",  # Anthropic, Vertex, xAI
    r"exceed context limit",  # Anthropic, older models: with max_tokens
    r"input is too long for requested model",  # Bedrock
    r"input is too long\b",
    r"maximum context length",  # OpenAI, Azure, vLLM, OpenRouter, DeepSeek, Mistral
    r"max(?:imum)? (?:model|sequence) length of \d",  # vLLM
    r"exceeds? (?:the |this |your )?(?:model'?s? )?(?:maximum )?context (?:window|length|size)",
    r"exceeded (?:the |max(?:imum)? )?context (?:window|length|size)",  # Ollama
    r"context (?:window|length|size|limit)(?: has been| is| was)? exceed",  # llama.cpp
    r"context window exceeds limit",  # MiniMax
    r"context[ _](?:length|window)[ _]exceeded",
    r"input tokens exceed the configured limit",  # Azure, OpenAI
    r"input token count.{0,40}exceeds the maximum",  # Gemini
    r"input context is too long",  # Gemini
    r"maximum prompt length is \d",  # xAI
    r"prompt token count of \d+ exceeds the limit",  # GitHub Copilot
    r"exceeds the available context size",  # llama.cpp
    r"greater than the context length",  # LM Studio
    r"when context overflows",  # LM Studio
    r"longer than the (?:model'?s|maximum) (?:model |context )?length",  # SGLang, vLLM
    r"is longer than the model'?s context",
    r"exceeded model token limit",  # Moonshot
    r"but the configured context size is",
    r"context length is only \d",
    r"input length.{0,60}exceeds.{0,40}(?:context|maximum|allowed) ",  # SGLang
    r"maximum allowed input length",
    r"range of input length should be",  # DashScope, Xunfei
    r"prompt exceeds max length",  # Z.ai
    r"length of prompt_tokens .{0,30}must be less than max_seq_len",
    r"`?inputs`? tokens \+ `?max_new_tokens`? must be <=",  # Hugging Face TGI
    r"inputs?`? must have less than \d+ tokens",  # Hugging Face TGI
    r"tokens in request more than max tokens allowed",
    r"too many tokens: ",  # Cohere
    r"request body too large for .{0,80} model",  # GitHub Models, Azure AI
    r"reduce the length of the (?:messages|prompt|input)",  # Groq, DeepSeek, OpenAI
    r"model context window is \S+ tokens, you requested",
    r"prompt too large for this model",
)
_OVERFLOW = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)

_OTHERS = re.compile(
    r"rate[ _-]?limit|too many requests|tokens per (?:min|day|hour)|\b[tr]p[md]\b|throttl"
    r"|quota|please wait|context window (?:is )?too small"
    r"|string too long|string_above_max_length",
    re.IGNORECASE,
)
_OTHER_STATUS = frozenset({401, 402, 403, 404, 429})
_TOO_LARGE = 413

_N = r"[\[(~]*(\d[\d,_]*)"


def _said(text: str) -> re.Pattern[str]:
    """A phrasing with SIZE, LIMIT and ANSWER where its numbers stand."""
    for name in ("SIZE", "LIMIT", "ANSWER"):
        text = text.replace(name, rf"[\[(~`]*(?P<{name.lower()}>\d[\d,_]*)", 1)
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_NUMBERS = tuple(
    map(
        _said,
        (
            r"SIZE \+ ANSWER > LIMIT",  # Anthropic, with max_tokens
            r"too long:? SIZE tokens? > LIMIT",  # Anthropic
            r"too long: SIZE, .{0,40}?LIMIT",  # Ollama's cloud
            r"too large: ANSWER.{0,60}? context length is LIMIT tokens.{0,40}? has SIZE input",
            r"length is LIMIT tokens.{0,60}?\(SIZE (?:in|of) [^)]*?ANSWER (?:in|for) (?:the )?"
            r"(?:completion|output)",  # OpenAI, vLLM, OpenRouter
            r"length is LIMIT.{0,60}?(?:resulted in|requested(?: about)?|contains) SIZE",
            r"limit of LIMIT tokens.{0,40}?resulted in SIZE",  # Azure
            r"token count(?: of)? SIZE.{0,80}?(?:allowed|limit of) LIMIT",  # Gemini, Copilot
            r"\(length SIZE\) is longer than .{0,40}?LIMIT",  # vLLM
            r"SIZE tokens\)? is longer than .{0,40}?LIMIT",  # SGLang
            r"(?:contains|has) SIZE tokens.{0,60}?(?:with|size is|length is) LIMIT",  # Mistral
            r"token limit:? LIMIT \(requested: SIZE",  # Moonshot
            r"token limit:? LIMIT",
            r"prompt_tokens SIZE\)? must be less than max_seq_len LIMIT",
            r"must be <= LIMIT\. Given: SIZE `?inputs`? tokens and ANSWER",  # TGI
            r"less than LIMIT tokens\. Given: SIZE",  # TGI
            r"request \(SIZE tokens\) exceeds the available context size \(LIMIT",  # llama.cpp
            r"input length should be \[\d+, ?LIMIT",  # DashScope
            r"max size: LIMIT tokens",  # GitHub Models
            r"window is LIMIT\w? tokens, you requested SIZE",
            r"(?:length|size|limit|window)(?: is| of)?(?: only)? LIMIT tokens",
        ),
    )
)

_LONGEST = 20_000
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a provider said about a context that is too long, in its own tokens; 0: not said.

    Attributes:
        size: the context that was sent.
        limit: the most that the model takes, answer included.
        answer: the room that was asked for the answer, where it is counted against the limit.
    """

    size: int = 0
    limit: int = 0
    answer: int = 0


def is_overflow(error: object) -> bool:
    """The error means that the context is too long for the model.

    Args:
        error: an exception of a client, a JSON body, or the text of either.
    """
    status, texts = _content(error)
    joined = "\n".join(texts)
    if status in _OTHER_STATUS or _OTHERS.search(joined):
        return False
    codes = any(text.strip().lower() in _CODES for text in texts)
    named = codes or any(code in joined.lower() for code in _CODES)
    if not (named or _OVERFLOW.search(joined) or status == _TOO_LARGE):
        return False
    said = _numbers(joined)
    # An answer as long as the window leaves no room whatever the context.
    return not (said.limit and said.answer >= said.limit)


def overflow_size(error: object) -> Overflow | None:
    """The numbers that an error of this kind states; `None` if it is none or states none."""
    if not is_overflow(error):
        return None
    said = _numbers("\n".join(_content(error)[1]))
    return said if said != Overflow() else None


@lru_cache(maxsize=64)
def _numbers(text: str) -> Overflow:
    fields = dict(re.findall(r"^(n_prompt_tokens|n_ctx)=(\d+)$", text, re.MULTILINE))
    if fields.get("n_ctx"):  # llama.cpp
        return Overflow(int(fields.get("n_prompt_tokens", 0)), int(fields["n_ctx"]))
    for pattern in _NUMBERS:
        if found := pattern.search(text):
            numbers = {k: int(re.sub(r"[,_]", "", v)) for k, v in found.groupdict().items() if v}
            return Overflow(**numbers)
    return Overflow()


# -- whatever the error is, its texts -------------------------------------------------------------


def _content(error: object) -> tuple[int | None, list[str]]:
    """The HTTP status, if one is to be found, and all texts of an error, shortened."""
    status: int | None = None
    texts: list[str] = []
    left = _LONGEST
    for item in _walk(error, 0):
        if isinstance(item, int):
            status = item if status is None else status
        elif left > 0:
            texts.append(item[:left])
            left -= len(item)
    return status, texts


def _walk(value: object, depth: int) -> Iterator[str | int]:
    if depth > _DEEPEST or value is None:
        return
    if isinstance(value, str):
        yield value
        if value.lstrip()[:1] in "{[" and value.strip():
            yield from _walk(_json(value), depth + 1)
    elif isinstance(value, bytes):
        yield from _walk(value.decode("utf-8", "replace"), depth + 1)
    elif isinstance(value, Mapping):
        yield from _mapping(value, depth)
    elif isinstance(value, Sequence):
        for item in value[:20]:
            yield from _walk(item, depth + 1)
    elif isinstance(value, BaseException):
        yield from _exception(value, depth)
    elif not isinstance(value, int | float):
        yield from _attributes(value, depth)


def _mapping(value: Mapping[object, object], depth: int) -> Iterator[str | int]:
    for key, item in value.items():
        if key in ("status", "status_code", "code", "statusCode", "HTTPStatusCode"):
            if isinstance(item, int) and 400 <= item < 600:
                yield item
        elif key in ("n_prompt_tokens", "n_ctx") and isinstance(item, int):
            yield f"{key}={item}"
            continue
        if key not in ("input", "messages", "headers", "request"):  # never what was sent
            yield from _walk(item, depth + 1)


def _exception(error: BaseException, depth: int) -> Iterator[str | int]:
    yield from _attributes(error, depth)
    with suppress(RuntimeError, ValueError, TypeError):  # a broken __str__ tells us nothing
        yield str(error)
    yield type(error).__name__
    if error.__cause__ is not error:
        yield from _walk(error.__cause__, depth + 1)


def _attributes(value: object, depth: int) -> Iterator[str | int]:
    for name in ("status_code", "http_status", "status"):
        found = getattr(value, name, None)
        if isinstance(found, int) and 400 <= found < 600:
            yield found
    for name in ("code", "type", "message", "stop_reason"):
        found = getattr(value, name, None)
        if isinstance(found, str):
            yield found
    for name in ("body", "error"):
        yield from _walk(getattr(value, name, None), depth + 1)
    response = getattr(value, "response", None)
    if isinstance(response, Mapping):  # botocore
        yield from _walk(response, depth + 1)
    elif response is not None and depth < _DEEPEST:
        found = getattr(response, "status_code", None)
        if isinstance(found, int) and 400 <= found < 600:
            yield found
        with suppress(RuntimeError, ValueError):  # a body that was streamed and not read
            yield from _walk(getattr(response, "text", None), depth + 1)


def _json(text: str) -> object:
    from trimtab.formats.jsontext import loads

    try:
        found: object = loads(text)
    except ValueError:
        return None
    return found
