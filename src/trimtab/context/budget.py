"""A budget: a limit, its unit, and the reserve kept for the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.tokens import Counter, counter_for

UNITS = ("tokens", "chars")
_SIZE = re.compile(r"(\d+(?:[.,_]\d+)*)\s*([kKmM%％]?)")
_LONGEST = 30
"""Characters of a number; a budget of more digits is no budget."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How large a context may be.

    Args:
        limit: the most that is sent, in `unit`.
        unit: `tokens` or `chars` (code points; texts count as joined by one newline each).
        reserve: kept free for the answer, in `unit`.
        counter: how sizes are measured; by default the counter of the history's model.

    Raises:
        UsageError: the limit is not positive, the unit unknown, or the reserve fills the limit.
    """

    limit: int
    unit: str = "tokens"
    reserve: int = 0
    counter: Counter | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise UsageError(f"unit {self.unit!r}: use one of {', '.join(UNITS)}")
        if self.limit <= 0:
            raise UsageError(f"a budget must be above 0, not {self.limit}")
        if not 0 <= self.reserve < self.limit:
            raise UsageError(f"the reserve {self.reserve} must be below the limit {self.limit}")
        if self.counter is not None and self.counter.unit != self.unit:
            raise UsageError(f"a counter of {self.counter.unit} cannot measure {self.unit}")

    @property
    def available(self) -> int:
        """What the context may take: the limit less the reserve."""
        return self.limit - self.reserve

    def counter_of(self, history: History) -> Counter:
        """The counter that measures `history` in this budget's unit."""
        return self.counter or counter_for(history.model, self.unit)


def parse_size(text: str, *, whole: int | None = None) -> int:
    """Read a size as people write it: `50000`, `50k`, `1.5m`, or `70%` of `whole`.

    Args:
        text: the size.
        whole: what a percentage is a share of; without it a percentage is refused.

    Returns:
        The size as a whole number, rounded down.

    Raises:
        UsageError: it is no size, or not above 0.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None or len(match[1]) > _LONGEST:
        raise UsageError(f"size {text!r:.60}: write a number such as 50000, 50k, 1.5m or 70%")
    digits, suffix = match.groups()
    plain = digits.replace("_", "")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", plain):
        plain = plain.replace(",", "")
    if not re.fullmatch(r"\d+(\.\d+)?", plain):
        raise UsageError(f"size {text!r}: write a number such as 50000, 50k, 1.5m or 70%")
    if suffix in ("%", "％"):
        if whole is None:
            raise UsageError(f"size {text!r}: a percentage needs a history to be a share of")
        size = _scaled(plain, whole, 100)
    else:
        size = _scaled(plain, {"": 1, "k": 1_000, "m": 1_000_000}[suffix.lower()], 1)
    if size <= 0:
        raise UsageError(f"size {text!r}: must be above 0")
    return size


def _scaled(plain: str, factor: int, divisor: int) -> int:
    """`plain * factor / divisor` rounded down, in whole numbers: 70 % of 10 is 7, not 6."""
    whole, _, fraction = plain.partition(".")
    size: int = int(whole + fraction) * factor // (divisor * 10 ** len(fraction))
    return size
