"""How long the provider's prompt cache lives without a call, by what the requests ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trimtab.history.log import History
from trimtab.tokens.models import is_claude

MINUTE = 60.0
HOUR = 60 * MINUTE
ANTHROPIC = 5 * MINUTE
OTHERS = 10 * MINUTE
"""OpenAI keeps a prefix in memory for 5 to 10 minutes without a call; the longer is safe."""

_UNITS = {"s": 1.0, "m": MINUTE, "h": HOUR, "d": 24 * HOUR}


@dataclass(slots=True)
class _Hours:
    """Whether any message so far asked for, or was written to, the cache of an hour."""

    seen: int = 0
    longest: float = 0.0

    def refresh(self, history: History) -> None:
        for number in range(self.seen, len(history)):
            message = history[number]
            if message.usage is not None and message.usage.cache_write_1h > 0:
                self.longest = max(self.longest, HOUR)
            self.longest = max(self.longest, _asked(message.raw))
        self.seen = len(history)


def cache_lifetime(history: History) -> float:
    """Seconds that the cached prefix lives after the last call.

    Anthropic: 5 minutes; an hour where a `cache_control` of the request says `ttl: 1h` or the
    usage reports such a write. Others: 10 minutes, or what `prompt_cache_retention` or the `ttl` of
    `prompt_cache_options` ask for.
    """
    index = history.derived("cache hours", _Hours)
    index.refresh(history)
    envelope = history.envelope
    longest = max(
        index.longest, _asked(envelope.get("cache_control")), _asked(envelope.get("system"))
    )
    longest = max([longest, *(_asked(tool.raw) for tool in history.tools)])
    for name in ("prompt_cache_retention", "prompt_cache_options"):
        asked = envelope.get(name)
        if isinstance(asked, Mapping):
            asked = asked.get("ttl")
        longest = max(longest, _seconds(asked))
    anthropic = history.dialect == "anthropic" or is_claude((history.model or "").lower())
    return max(longest, ANTHROPIC if anthropic else OTHERS)


def _asked(raw: object, depth: int = 4) -> float:
    """The longest life that a `cache_control` in here asks for."""
    if depth < 0:
        return 0.0
    if isinstance(raw, Mapping):
        own = raw.get("cache_control", raw if raw.get("type") == "ephemeral" else None)
        found = _seconds(own.get("ttl")) if isinstance(own, Mapping) else 0.0
        parts: Iterable[object] = (raw.get("content"), raw.get("system"))
        return max([found, *(_asked(part, depth - 1) for part in parts)])
    if isinstance(raw, list | tuple):
        return max([0.0, *(_asked(part, depth - 1) for part in raw)])
    return 0.0


def _seconds(value: object) -> float:
    """`5m`, `1h`, `24h` in seconds; 0 for anything else (`in_memory`)."""
    match = re.fullmatch(r"(\d{1,4})([smhd])", value) if isinstance(value, str) else None
    return int(match[1]) * _UNITS[match[2]] if match else 0.0
