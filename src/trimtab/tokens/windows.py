"""Context windows of common models, in tokens."""

from __future__ import annotations

import re
from functools import lru_cache

from trimtab.tokens.models import bare_name

# Patterns stay strings until a model is asked for: compiling them would slow down each import.
_WINDOWS: tuple[tuple[str, int], ...] = (
    (r"(chat)?gpt-4o|gpt-4-turbo|gpt-4\.5|gpt-4-(1106|0125)|o1-(mini|preview)", 128_000),
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-4-32k", 32_768),
    (r"gpt-4(-|$)", 8_192),
    (r"gpt-3\.?5", 16_385),
    (r"gpt-oss", 131_072),
    (r"gpt-5(\.\d+)?-chat", 128_000),
    (r"gpt-5", 400_000),
    (r"codex-mini|o[134](-|$)", 200_000),
    (r"claude|(opus|sonnet|haiku|fable|mythos)(-?\d|plan|$)", 200_000),
    (r"gemini-1\.5-pro", 2_097_152),
    (r"gemini-(1\.5|2|3)", 1_048_576),
    (r"deepseek", 128_000),
    (r"grok-4-fast|grok-4\.1", 2_000_000),
    (r"grok-code", 256_000),
    (r"grok-4", 256_000),
    (r"grok-3", 131_072),
    (r"kimi-k2", 262_144),
    (r"qwen3-coder", 262_144),
    (r"glm-4\.6", 200_000),
)


@lru_cache(maxsize=4096)
def window_of(model: str | None) -> int | None:
    """How many tokens the model's context window holds, input and answer together.

    The mark `[1m]` on a name (as Claude Code writes it) means a window of one million. Returns
    `None` for a model not known here: the caller then states a budget.
    """
    if not model:
        return None
    if "[1m]" in model.lower():
        return 1_000_000
    name = bare_name(model)
    for pattern, window in _WINDOWS:
        if re.match(pattern, name):
            return window
    return None
