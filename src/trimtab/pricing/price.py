"""What a million tokens of each kind cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars a million tokens, exact.

    Attributes:
        input: neither read from nor written to the cache.
        cache_read: read from the cache; as `input` where the seller gives no discount.
        cache_write_5m: written to the cache, with the shortest lifetime that the seller has.
        cache_write_1h: written to the cache for an hour.
        output: the answer, its thinking included.
    """

    input: Decimal
    cache_read: Decimal
    cache_write_5m: Decimal
    cache_write_1h: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True)
class Price(Rates):
    """The price of one model at one seller. Its own rates hold up to the first tier.

    Attributes:
        model: the seller's name of it, as the data has it.
        seller: whose price it is: `anthropic`, `aws`, `openrouter`, ...
        tiers: `(tokens, rates)`, ascending: a context of more than `tokens` is charged at these
            rates, all of it and its answer (not just what is above).
        window: the context window in tokens, where the data has it.
        source: where the price is from, with its date.
    """

    model: str = ""
    seller: str = ""
    tiers: tuple[tuple[int, Rates], ...] = ()
    window: int | None = None
    source: str = ""

    def rates(self, context: int) -> Rates:
        """The rates for a call that sends a context of so many tokens, cached ones included."""
        found: Rates = self
        for tokens, rates in self.tiers:
            if context > tokens:
                found = rates
        return found


def read_rates(words: str) -> Rates:
    """`3 0.3 3.75 6 15`: input, cache read, cache write 5m, cache write 1h, output.

    `-` where the seller states none: a token is then charged as what it is besides, a token
    written for an hour as one written, and a token read or written as one of input.
    """
    stated = [None if word == "-" else Decimal(word) for word in words.split()]
    given, read, written, hour, output = stated
    if given is None or output is None:
        raise ValueError(f"rates without input or output: {words!r}")
    written = given if written is None else written
    return Rates(
        given,
        given if read is None else read,
        written,
        written if hour is None else hour,
        output,
    )
