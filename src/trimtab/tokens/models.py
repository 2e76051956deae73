"""From a model's name to how it counts: its family.

Names come in many dresses: `openai/gpt-4o`, `azure/gpt-4o-2024-08-06`, `ft:gpt-4o:org::id`,
`us.anthropic.claude-sonnet-4-20250514-v1:0`, `claude-opus-4-7[1m]`, `models/gemini-2.5-pro`.
Unknown names are the family `generic`, whose counts are estimates.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

TILES = "tiles"
PATCHES = "patches"


class Pictures(NamedTuple):
    """How a family counts a picture.

    Attributes:
        rule: `tiles` (OpenAI, 512 px), `patches` (OpenAI, 32 px), `area` (Anthropic), `gemini`.
        base, each: tokens of a picture, and of each tile in it (`tiles`).
        multiplier: tokens a patch (`patches`).
        edge: the longest side that is not shrunk, in pixels (`area`).
        most: the most tokens that one picture costs (`area`); the most patches (`patches`).
    """

    rule: str
    base: int = 85
    each: int = 170
    multiplier: float = 1.0
    edge: int = 1568
    most: int = 1600


class Family(NamedTuple):
    """Models that count alike. A named tuple, as it is made five times faster than a dataclass.

    Attributes:
        name: as shown to people.
        encoding: the vocabulary of an exact count; `""` where only an estimate exists.
        pictures: how pictures count.
        function: tokens that open a tool definition (OpenAI cookbook: 7; 10 before gpt-4o).
    """

    name: str
    encoding: str = ""
    pictures: Pictures = Pictures("area")
    function: int = 7


_TILES = Pictures(TILES)
_O200K = "o200k_base"
_CL100K = "cl100k_base"

# First match wins. The picture rules are those of OpenAI's "Images and vision" guide.
# Patterns stay strings until a model is asked for: compiling them would slow down each import.
_OPENAI: tuple[tuple[str, Family], ...] = (
    (r"gpt-4o-mini", Family("gpt-4o-mini", _O200K, Pictures(TILES, 2833, 5667))),
    (r"(chat)?gpt-4o|gpt-4\.5|gpt-4\.1(?!-mini|-nano)", Family("gpt-4o", _O200K, _TILES)),
    (
        r"gpt-4\.1-mini|gpt-5-mini",
        Family("gpt-4.1-mini", _O200K, Pictures(PATCHES, multiplier=1.62, most=1536)),
    ),
    (
        r"gpt-4\.1-nano|gpt-5-nano",
        Family("gpt-4.1-nano", _O200K, Pictures(PATCHES, multiplier=2.46, most=1536)),
    ),
    (
        r"o4-mini|codex-mini",
        Family("o4-mini", _O200K, Pictures(PATCHES, multiplier=1.72, most=1536)),
    ),
    (r"o[1-9](-|$)", Family("o-series", _O200K, Pictures(TILES, 75, 150))),
    (
        r"(chat)?gpt-([5-9]|\d\d)(\.\d+)?(-|$)|codex",
        Family("gpt-5", _O200K, Pictures(TILES, 70, 140)),
    ),
    # The o200k_harmony vocabulary is o200k_base with more special tokens; ordinary text
    # counts the same (tested), so both share one cache.
    (r"gpt-oss", Family("gpt-oss", _O200K, _TILES)),
    (
        r"gpt-4(-|$)|gpt-3\.?5|text-embedding-(3|ada-002)",
        Family("gpt-4", _CL100K, _TILES, 10),
    ),
)

_CLAUDE_OLD = Family("claude", pictures=Pictures("area"))
_CLAUDE_NEW = Family("claude-2026", pictures=Pictures("area", edge=2576, most=4784))
_GEMINI = Family("gemini", pictures=Pictures("gemini"))
_GENERIC = Family("generic", pictures=Pictures("area"))

_TIER_FIRST = re.compile(
    r"(opus|sonnet|haiku|fable|mythos)-?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?"
)
_TIER_LAST = r"claude-?(\d)(?:[-.](\d{1,2})(?!\d))?(?:-|$|@)|claude-(?:v|instant)"


@lru_cache(maxsize=4096)
def bare_name(model: str) -> str:
    """The model's own name: lower case, without provider, route, fine-tune or `[1m]` marks."""
    name = model.strip().lower()
    if name.startswith("ft:"):  # `ft:MODEL:ORGANISATION:NAME:ID`
        name = name.split(":")[1]
    name = re.split(r"[/\\]", name)[-1]
    name = name.split("[")[0]
    name = name.split(":")[0]
    # Bedrock: `us.anthropic.claude-...`, `global.openai.gpt-oss-...`
    found = re.search(r"(?:^|\.)(?:anthropic|openai|google|meta|mistral|amazon|qwen)\.(.+)$", name)
    if found:
        name = found.group(1)
    return name.strip()


@lru_cache(maxsize=4096)
def family_of(model: str | None) -> Family:
    """The family of a model; `generic` for `None` and names not known here."""
    name = bare_name(model) if model else ""
    for pattern, family in _OPENAI:
        if re.match(pattern, name):
            return family
    if "claude" in name or re.match(r"(opus|sonnet|haiku|fable|mythos)(-?\d|plan|$)", name):
        return _claude(name)
    if name.startswith(("gemini", "gemma")):
        return _GEMINI
    return _GENERIC


def _claude(name: str) -> Family:
    """Old or new tokenizer: new since Opus 4.7 and the 5 generation (Anthropic's docs).

    A name without a version is taken as new: the larger count, the safer side.
    """
    tier = re.search(_TIER_FIRST, name)
    if tier is not None:
        version = (int(tier.group(2)), int(tier.group(3) or 0))
        return _CLAUDE_NEW if version >= (4, 7) else _CLAUDE_OLD
    return _CLAUDE_OLD if re.search(_TIER_LAST, name) else _CLAUDE_NEW
