"""Context windows of common models, in tokens (as published up to November 2026)."""

from __future__ import annotations

import re
from functools import lru_cache

from trimtab.tokens.models import bare_name, claude_version, is_claude

# First match wins. Patterns stay strings until a model is asked for: compiling them would slow
# down each import.
_WINDOWS: tuple[tuple[str, int], ...] = (
    (r"gpt-4o.*-realtime", 32_000),
    (r"gpt-4o.*-transcribe", 16_000),
    (r"(chat)?gpt-4o|gpt-4-(turbo|vision|1106|0125)|gpt-4\.5|o1-(mini|preview)", 128_000),
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-4-32k", 32_768),
    (r"gpt-4(-|$)", 8_192),
    (r"gpt-3\.?5", 16_385),
    (r"gpt-oss", 131_072),
    (r"gpt-5(\.\d+)?-chat|gpt-5\.3(-\d|$)", 128_000),
    (r"gpt-5\.5", 1_000_000),
    (r"gpt-5\.[4-9](?!.*-(mini|nano))|gpt-([6-9]|1\d)", 1_050_000),
    (r"gpt-5|codex(?!-mini)", 400_000),
    (r"codex-mini|o[134](-|$)", 200_000),
    (r"text-embedding", 8_192),
    (r"gemini-1\.5-pro", 2_097_152),
    (r"gemini.*-(live|tts)", 131_072),
    (r"gemini-(1\.5|[2-9])", 1_048_576),
    (r"deepseek-(v[4-9]|flash|pro)", 1_000_000),
    (r"deepseek", 128_000),
    (r"grok-4([.-]1)?-fast|grok-4[.-]1(\D|$)", 2_000_000),
    (r"grok-4\.(20|3)", 1_000_000),
    (r"grok-4\.[5-9]", 500_000),
    (r"grok-(4|code|build)", 256_000),
    (r"grok-3", 131_072),
    (r"kimi-k[3-9]", 1_048_576),
    (r"kimi-k2$|kimi-k2-(instruct|0711)", 131_072),
    (r"kimi-k2", 262_144),
    (r"glm-4\.5", 131_072),
    (r"glm-4\.6|glm-5(-|$)", 200_000),
    (r"glm-5\.[2-9]", 1_048_576),
    (r"minimax-m2", 204_800),
    (r"qwen3-coder-(flash|plus)|qwen3\.[5-9].*-(flash|plus)|qwen-plus", 1_000_000),
    (r"qwen3-(max|coder)|qwen3\.[56]", 262_144),
    (r"qwen3", 131_072),
    (r"mistral-large-4", 1_048_576),
    (r"(devstral|mistral|ministral)-.*25\d\d|mistral-small-2603|codestral", 256_000),
    (r"llama-?(3\.[123]|4)", 131_072),
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
    if is_claude(name):
        # One million since Opus and Sonnet 4.6 and all of the 5 generation.
        return 1_000_000 if claude_version(name) >= (4, 6) else 200_000
    for pattern, window in _WINDOWS:
        if re.match(pattern, name):
            return window
    return None
