"""From a model's name to who sells it, and what the seller calls it.

The route in a name says who is paid: `bedrock/...`, `azure/...`, `openrouter/...`. Without a route
it is the maker. A route that is not known here (a gateway) is looked through for models that only
their makers price (`my-gateway/claude-opus-4-7`); a model with open weights on an unknown host
has no price that could be known (`ollama/deepseek-r1`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Route, as used by LiteLLM, OpenRouter, the vendors' own tools -> seller in the data.
_ROUTES = {
    "accounts": "fireworks",
    "amazon-bedrock": "aws",
    "amazon_bedrock": "aws",
    "anthropic": "anthropic",
    "arcee": "arcee",
    "aws": "aws",
    "azure": "azure",
    "azure_ai": "azure",
    "baseten": "baseten",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "cerebras": "cerebras",
    "claude": "anthropic",
    "cloudflare": "cloudflare",
    "cohere": "cohere",
    "cohere_chat": "cohere",
    "copilot": "github-copilot",
    "cursor": "cursor",
    "databricks": "databricks",
    "deepseek": "deepseek",
    "fireworks": "fireworks",
    "fireworks_ai": "fireworks",
    "gemini": "google",
    "github-copilot": "github-copilot",
    "github_copilot": "github-copilot",
    "google": "google",
    "google-vertex": "google",
    "google_genai": "google",
    "groq": "groq",
    "minimax": "minimax",
    "mistral": "mistral",
    "mistralai": "mistral",
    "models": "google",  # Google's own: `models/gemini-2.5-pro`
    "moonshot": "moonshotai",
    "moonshotai": "moonshotai",
    "novita": "novita",
    "openai": "openai",
    "openrouter": "openrouter",
    "perplexity": "perplexity",
    "together": "together",
    "together_ai": "together",
    "togetherai": "together",
    "vertex": "google",
    "vertex_ai": "google",
    "x-ai": "x-ai",
    "xai": "x-ai",
    "z-ai": "zai",
    "zai": "zai",
    "zhipuai": "zhipuai",
}

# A name without a route -> its seller; first match wins. The second table holds those whose
# weights are open (others sell them too) or whose names others use.
_OWN = (
    # Bedrock's own names: `us.anthropic.claude-...-v1:0`.
    (
        r"((us|eu|apac|jp|au|ca|global|us-gov)\.)?"
        r"(amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshotai?|openai|qwen|zai)\.",
        "aws",
    ),
    (r"claude", "anthropic"),
    (r"gpt-(?!oss)|chatgpt|o[134](-|$)|codex|ft:gpt-|text-embedding-(3|ada)", "openai"),
    (r"gemini", "google"),
    (r"grok-", "x-ai"),
    (r"composer-", "cursor"),
    (r"@cf/", "cloudflare"),
)
_OPEN = (
    (r"gpt-oss", "openai"),
    (r"gemma", "google"),
    (r"deepseek", "deepseek"),
    (r"kimi|moonshot", "moonshotai"),
    (r"glm-", "zai"),
    (r"minimax-|m2-her", "minimax"),
    (r"(labs-)?(((mi|code|dev|magi|mini)stral)|mixtral|pixtral|open-mi[sx])", "mistral"),
    (r"muse-", "meta"),
    (r"command-", "cohere"),
    (r"sonar|r1-1776", "perplexity"),
    (r"databricks-", "databricks"),
)

# Marks that do not change the price: `[1m]` (a long context has its own tier), `:thinking`,
# `:beta`, Bedrock's `:0`. Others do (`:free`, `:nitro`): such a name must be in the data as it is.
_MARKS = re.compile(r"\[1m\]|:(thinking|beta|latest|\d+)$")
_DAY = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest|default)$")
_COMPACT_DAY = re.compile(r"-(20\d{2})(\d{2})(\d{2})$")


def clean(model: str) -> str:
    """The name in lower case, without blanks around it and without `[1m]`."""
    return model.strip().lower().replace("[1m]", "").strip()


def sold_as(model: str) -> Iterator[tuple[str, str]]:
    """`(seller, name)`, the likeliest first; the first that the data has is the answer.

    Args:
        model: a cleaned name.
    """
    route, slash, rest = model.partition("/")
    if not slash or model.startswith("@cf/"):
        sellers = [(seller, model) for seller in _by_name(model, _OWN + _OPEN)]
    elif route in _ROUTES:
        sellers = [(_ROUTES[route], _without_region(rest)), (_ROUTES[route], model)]
    else:
        last = model.rpartition("/")[2]
        # `qwen/qwen3-coder`: the maker as a route is OpenRouter's way to name models.
        sellers = [("openrouter", model), *((each, last) for each in _by_name(last, _OWN))]
    for seller, name in sellers:
        yield from ((seller, variant) for variant in variants(name))


def variants(name: str) -> Iterator[str]:
    """The name as it is; then dated otherwise; then without marks; then without its date."""
    yield name
    dashed = _COMPACT_DAY.sub(r"-\1-\2-\3", name)
    if dashed != name:
        yield dashed
    bare = _MARKS.sub("", name)
    if bare != name:
        yield bare
    undated = _DAY.sub("", bare)
    if undated != bare:
        yield undated


def _by_name(name: str, makers: tuple[tuple[str, str], ...]) -> list[str]:
    return [seller for pattern, seller in makers if re.match(pattern, name)][:1]


def _without_region(name: str) -> str:
    """LiteLLM writes `bedrock/us-east-1/...` and `bedrock/converse/...`."""
    return re.sub(r"^([a-z]{2}(-gov)?-[a-z]+-\d|converse|invoke|responses)/", "", name)
