"""Estimates for models without a public tokenizer: OpenAI's vocabulary times a factor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import ceil

from trimtab.tokens.cache import ContentCache
from trimtab.tokens.classes import CLASSES, classify, split_runs
from trimtab.tokens.vocabulary import vocabulary

BASIS = "o200k_base"
"""The vocabulary whose counts are scaled."""

FACTORS: Mapping[str, Mapping[str, float]] = {
    # class -> tokens per o200k_base token; `run`: tokens per character.
    # Claude up to 4.6: a public proxy encoding's measured ratio to o200k, times 1.1 (its own
    # correction). From 4.7 on: times the upper end of what third parties measured, new to old.
    # None of it is checked against the API.
    "claude": {"prose": 1.11, "code": 1.12, "cjk": 1.49, "data": 1.16, "run": 0.85},
    "claude-2026": {"prose": 1.6, "code": 1.5, "cjk": 1.5, "data": 1.5, "run": 1.0},
    # Not measured: a margin, so that what is said to fit does fit.
    "gemini": {"prose": 1.1, "code": 1.2, "cjk": 1.1, "data": 1.3, "run": 0.85},
    "generic": {"prose": 1.15, "code": 1.2, "cjk": 1.4, "data": 1.3, "run": 0.9},
}

_INDEX = {name: at for at, name in enumerate(CLASSES)}
_RUN = _INDEX["run"]

_measured: ContentCache[tuple[int, int, int]] = ContentCache()


def starting_factors(family: str) -> Mapping[str, float]:
    """Class -> factor for a model family, before anything is learned."""
    return FACTORS.get(family, FACTORS["generic"])


def measure(text: str) -> tuple[int, int, int]:
    """What an estimate is made from, cached by content for all models.

    Returns:
        The number of the text's class in `CLASSES`; the o200k tokens of the text without its
        long unbroken runs; the characters in these runs.
    """
    key = _measured.key(text)
    found = _measured.get(key)
    if found is None:
        rest, run = split_runs(text)
        found = _INDEX[classify(rest)], vocabulary(BASIS).count(rest), run
        _measured.put(key, found)
    return found


def estimate_with(factors: Mapping[str, float]) -> Callable[[str], int]:
    """A function from a text to its estimated tokens, rounded up.

    Args:
        factors: a factor for each of `CLASSES`.
    """
    by_class = tuple(factors[name] for name in CLASSES)
    per_character = by_class[_RUN]

    def estimate(text: str) -> int:
        at, basis, run = measure(text)
        return ceil(basis * by_class[at] + run * per_character)

    return estimate


def prime_measures(texts: Iterable[str]) -> None:
    """Tokenise many texts at once, ahead of `measure`."""
    vocabulary(BASIS).prime(split_runs(text)[0] for text in texts)
