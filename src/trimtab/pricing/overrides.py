"""The user's own prices, as `trimtab.toml` states them.

    [prices."my-model"]         # the name, with or without its route
    input = 3.0                 # US dollars a million tokens
    output = 15.0
    cache_read = 0.3            # as input, if not given
    cache_write_5m = 3.75       # as input, if not given
    cache_write_1h = 6.0        # as cache_write_5m, if not given
    window = 200_000            # optional

    [[prices."my-model".above]] # optional: what a context of more tokens costs, all of it
    tokens = 200_000
    input = 6.0
    output = 22.5

An entry states the whole price: nothing is taken from the snapshot's, which may be of another
contract. A price of 0 is allowed here, where somebody says so (a model on one's own machine).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from trimtab.errors import UsageError
from trimtab.pricing.names import clean
from trimtab.pricing.price import Price, Rates

_RATES = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def read_overrides(table: Mapping[str, Any], where: str = "prices") -> dict[str, Price]:
    """The prices of a `[prices]` table, by cleaned name.

    Args:
        table: model -> its entry.
        where: what to call the table in errors, e.g. the file it is from.

    Raises:
        UsageError: an entry is not understood; the line names the entry and the key.
    """
    found: dict[str, Price] = {}
    for model, entry in table.items():
        at = f'{where}."{model}"'
        if not isinstance(entry, Mapping):
            raise UsageError(f"{at}: a table with input and output is expected")
        name = clean(model)
        if not name or name in found:
            raise UsageError(f"{at}: {'stated twice' if name else 'no name'}")
        found[name] = _price(name, entry, at)
    return found


def _price(name: str, entry: Mapping[str, Any], at: str) -> Price:
    above = entry.get("above", ())
    if not isinstance(above, list | tuple):
        raise UsageError(f"{at}.above: a list of tables is expected")
    tiers = []
    for number, tier in enumerate(above):
        here = f"{at}.above[{number}]"
        if not isinstance(tier, Mapping):
            raise UsageError(f"{here}: a table is expected")
        tokens = _count(tier.get("tokens"), f"{here}.tokens")
        tiers.append((tokens, _rates(tier, {"tokens"}, here)))
    window = entry.get("window")
    rates = _rates(entry, {"above", "window"}, at)
    return Price(
        rates.input,
        rates.cache_read,
        rates.cache_write_5m,
        rates.cache_write_1h,
        rates.output,
        model=name,
        tiers=tuple(sorted(tiers, key=lambda tier: tier[0])),
        window=None if window is None else _count(window, f"{at}.window"),
        source=at,
    )


def _rates(entry: Mapping[str, Any], others: set[str], at: str) -> Rates:
    unknown = sorted(set(entry) - set(_RATES) - others)
    if unknown:
        allowed = ", ".join((*_RATES, *sorted(others)))
        raise UsageError(f"{at}: no such key {unknown[0]!r}; allowed are {allowed}")
    missing = [key for key in ("input", "output") if key not in entry]
    if missing:
        raise UsageError(f"{at}: {missing[0]} is missing (US dollars a million tokens)")
    stated = {key: _dollars(entry[key], f"{at}.{key}") for key in _RATES if key in entry}
    given = stated["input"]
    written = stated.get("cache_write_5m", given)
    return Rates(
        given,
        stated.get("cache_read", given),
        written,
        stated.get("cache_write_1h", written),
        stated["output"],
    )


def _dollars(value: Any, at: str) -> Decimal:
    """TOML has binary floats; their shortest decimal form is what was written in the file."""
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
            raise InvalidOperation
        amount = Decimal(str(value))
    except InvalidOperation:
        raise UsageError(f"{at}: a number of US dollars is expected, not {value!r}") from None
    exponent = amount.as_tuple().exponent
    if not isinstance(exponent, int) or not 0 <= amount < 10**9 or exponent < -20:
        raise UsageError(f"{at}: a number of US dollars a million tokens, not {value!r}")
    return amount


def _count(value: Any, at: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{at}: a number of tokens is expected, not {value!r}")
    return value
