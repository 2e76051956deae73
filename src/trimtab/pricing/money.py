"""From tokens to money, exactly.

Prices are decimal fractions of a dollar, and a million is a power of ten: so products and sums of
prices and token counts are decimal fractions too, and `Decimal` holds them without error. The same
tokens give the same cents as the provider's price page, in whatever order they are added; a sum of
floats gives neither. Rounding is an error here, not a habit: `_EXACT` traps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation

from trimtab.history.message import Usage
from trimtab.pricing.price import Price

# Apart from the caller's own context: its precision is not ours to rely on.
_EXACT = Context(prec=80, traps=[Inexact, InvalidOperation])
_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Money:
    """US dollars, exact, by kind of token. `sum(costs, Money())` adds them."""

    input: Decimal = _ZERO
    cache_read: Decimal = _ZERO
    cache_write: Decimal = _ZERO
    output: Decimal = _ZERO

    @property
    def total(self) -> Decimal:
        """All of it."""
        sent = _EXACT.add(self.input, _EXACT.add(self.cache_read, self.cache_write))
        return _EXACT.add(sent, self.output)

    def __add__(self, other: Money) -> Money:
        return Money(
            _EXACT.add(self.input, other.input),
            _EXACT.add(self.cache_read, other.cache_read),
            _EXACT.add(self.cache_write, other.cache_write),
            _EXACT.add(self.output, other.output),
        )

    def __str__(self) -> str:
        """`$0.1065`: to a hundredth of a cent; the value itself is not rounded."""
        return f"${self.total:,.4f}"


def cost(usage: Usage, price: Price, *, cache_write_1h: int = 0) -> Money:
    """What one call costs.

    Args:
        usage: what the provider reported for it.
        price: see `price_of`. Which tier holds is decided by the whole context of the call.
        cache_write_1h: how many of the `usage.cache_write` tokens were written for an hour; the
            others count as written for five minutes.

    Raises:
        ValueError: more tokens were written for an hour than were written.
    """
    if not 0 <= cache_write_1h <= usage.cache_write:
        raise ValueError(
            f"{cache_write_1h} of {usage.cache_write} cache writes cannot be for an hour"
        )
    rates = price.rates(usage.context)
    short = _charge(usage.cache_write - cache_write_1h, rates.cache_write_5m)
    return Money(
        input=_charge(usage.input, rates.input),
        cache_read=_charge(usage.cache_read, rates.cache_read),
        cache_write=_EXACT.add(short, _charge(cache_write_1h, rates.cache_write_1h)),
        output=_charge(usage.output, rates.output),
    )


def _charge(tokens: int, a_million: Decimal) -> Decimal:
    return _EXACT.scaleb(_EXACT.multiply(Decimal(tokens), a_million), -6)
