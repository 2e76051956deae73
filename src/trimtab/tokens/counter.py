"""What a counter is, and which counter a model has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from trimtab.errors import UsageError
from trimtab.history.message import Block, Message, Tool
from trimtab.tokens.chars import CharCounter
from trimtab.tokens.models import Family, family_of

UNITS = ("tokens", "chars")


@runtime_checkable
class Counter(Protocol):
    """Sizes of texts, blocks and messages in one unit.

    A counter never changes its mind: the same content has the same size for its whole life, so
    sizes may be kept. What is learned from reported usage makes a new counter.
    """

    @property
    def unit(self) -> str:
        """`tokens` or `chars`."""

    @property
    def name(self) -> str:
        """The vocabulary, or `estimate:FAMILY`."""

    @property
    def exact(self) -> bool:
        """Texts are counted with the model's own vocabulary (or in characters)."""

    def text(self, text: str) -> int:
        """The size of a text alone."""

    def block(self, block: Block) -> int:
        """The size of a block with its own overhead."""

    def message(self, message: Message) -> int:
        """The size of a whole message with its overhead."""

    def tools(self, tools: Sequence[Tool], dialect: str) -> int:
        """The size of the tool definitions of a request; 0 for none."""

    def total(self, message_sizes_sum: int, messages: int) -> int:
        """The size of a context from the sum of its message sizes."""


_chars = CharCounter()
_counters: dict[Family, Counter] = {}


def counter_for(model: str | None, unit: str = "tokens") -> Counter:
    """The counter of a model: one shared object for all models that count alike.

    Args:
        model: its name, with or without provider and date; `None` or an unknown name gives an
            estimate (`exact` is false).
        unit: `tokens`, or `chars` (Unicode code points; the model then plays no part).

    Raises:
        UsageError: the unit is neither.
    """
    if unit == "chars":
        return _chars
    if unit != "tokens":
        raise UsageError(f"unknown unit {unit!r}: use tokens or chars")
    family = family_of(model)
    found = _counters.get(family)
    if found is None:
        from trimtab.tokens.token_counter import estimate_counter, exact_counter

        made = exact_counter(family) if family.encoding else estimate_counter(family)
        found = _counters.setdefault(family, made)
    return found
