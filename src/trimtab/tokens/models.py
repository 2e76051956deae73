"""From a model's name to how it counts: its family.

Names come in many dresses: `openai/gpt-4o`, `azure/gpt-4o-2024-08-06`, `ft:gpt-4o:org::id`,
`us.anthropic.claude-sonnet-4-20250514-v1:0`, `claude-opus-4-7[1m]`, `models/gemini-2.5-pro`.
Unknown names are the family `generic`, whose counts are estimates.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Pictures(NamedTuple):
    """How a family counts a picture.

    Attributes:
        rule: `tiles` of 512 px, `patches` (each a share of the picture), or `flat`.
        base: tokens of any picture (`tiles`, `flat`).
        each: tokens a tile, or a patch.
        patch: the side of a patch, in pixels.
        most: the most patches; a larger picture is shrunk.
        auto: the most patches where no `detail` is asked for; 0: as `most`.
        edge: the longest side that is not shrunk, in pixels; 0: no limit (`patches`).
    """

    rule: str
    base: int = 0
    each: float = 1.0
    patch: int = 32
    most: int = 1536
    auto: int = 0
    edge: int = 0


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
    pictures: Pictures = Pictures("flat", 1600)
    function: int = 7


_TILES = Pictures("tiles", 85, 170)
_O200K = "o200k_base"
_CL100K = "cl100k_base"

# First match wins. Picture rules: OpenAI's guide "Images and vision"; since gpt-5.2 also public
# measurements of the API (1.2 tokens a patch; 2,500 patches, or 10,000 and more by default).
# Patterns stay strings until a model is asked for: compiling them would slow down each import.
_OPENAI: tuple[tuple[str, Family], ...] = (
    (r"gpt-4o-mini", Family("gpt-4o-mini", _O200K, Pictures("tiles", 2833, 5667))),
    (r"(chat)?gpt-4o|gpt-4\.5|gpt-4\.1(?!-mini|-nano)", Family("gpt-4o", _O200K, _TILES)),
    (r"gpt-4\.1-mini|gpt-5[.\d]*-mini", Family("mini", _O200K, Pictures("patches", each=1.62))),
    (r"gpt-4\.1-nano|gpt-5[.\d]*-nano", Family("nano", _O200K, Pictures("patches", each=2.46))),
    (r"o4-mini|codex-mini", Family("o4-mini", _O200K, Pictures("patches", each=1.72))),
    (r"o[1-9](-|$)", Family("o-series", _O200K, Pictures("tiles", 75, 150))),
    (r"(chat)?gpt-5(\.[01])?(-|$)|codex", Family("gpt-5", _O200K, Pictures("tiles", 70, 140))),
    (r"gpt-5\.[23]", Family("gpt-5.2", _O200K, Pictures("patches", each=1.2))),
    (r"gpt-5\.4", Family("gpt-5.4", _O200K, Pictures("patches", each=1.2, most=2500))),
    (
        r"gpt-5\.5",
        Family("gpt-5.5", _O200K, Pictures("patches", each=1.2, most=2500, auto=10_000)),
    ),
    (
        r"(chat)?gpt-([5-9]|1\d)(\.\d+)?(-|$)",
        Family("gpt-5.6", _O200K, Pictures("patches", each=1.2, most=2500, auto=1_000_000)),
    ),
    # The o200k_harmony vocabulary is o200k_base with more special tokens; ordinary text counts
    # the same (tested), so both share one cache.
    (r"gpt-oss", Family("gpt-oss", _O200K, _TILES)),
    (r"gpt-4(-|$)|gpt-3\.?5|text-embedding-(3|ada-002)", Family("gpt-4", _CL100K, _TILES, 10)),
)

# Anthropic's guide "Vision": a token a patch of 28 px, after fitting into a longest side and a
# number of tokens, which are larger since Opus 4.7.
_AREA = Pictures("patches", patch=28, most=1568, edge=1568)
_CLAUDE_OLD = Family("claude", pictures=_AREA)
_CLAUDE_NEW = Family("claude-2026", pictures=_AREA._replace(most=4784, edge=2576))
# Google's guides: 258 tokens a tile of 768 px; since Gemini 3 about 1,100 for any picture.
_GEMINI = Family("gemini", pictures=Pictures("tiles-768", 258, 258))
_GEMINI_3 = Family("gemini-3", pictures=Pictures("flat", 1120))
_GENERIC = Family("generic", pictures=_AREA)


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
    if is_claude(name):
        # The tokenizer changed with Opus 4.7 and the 5 generation (Anthropic's docs). A name
        # without a version counts as new: the larger count, the safer side.
        old = (0, 0) < claude_version(name) < (4, 7)
        return _CLAUDE_OLD if old else _CLAUDE_NEW
    if re.match(r"gemini-([3-9]|\d\d)", name):
        return _GEMINI_3
    if name.startswith(("gemini", "gemma")):
        return _GEMINI
    return _GENERIC


_TIERS = "opus|sonnet|haiku|fable|mythos"


def is_claude(name: str) -> bool:
    """A bare name of a Claude model; Claude Code also says just `opus`."""
    return "claude" in name or re.match(rf"({_TIERS})(-?\d|plan|$)", name) is not None


def claude_version(name: str) -> tuple[int, int]:
    """`(4, 6)` for `claude-opus-4-6`, `(3, 5)` for `claude-3-5-sonnet-20241022`; else `(0, 0)`.

    Longer numbers are dates, not versions.
    """
    version = r"(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?"
    found = re.search(rf"(?:{_TIERS})-?{version}", name) or re.search(
        rf"claude-?(?:v|instant-)?{version}", name
    )
    return (int(found.group(1)), int(found.group(2) or 0)) if found else (0, 0)
