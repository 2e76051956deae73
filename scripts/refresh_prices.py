"""Write the price snapshot anew from the installed package `genai-prices`.

    python scripts/refresh_prices.py            write src/trimtab/pricing/snapshot.json
    python scripts/refresh_prices.py --check    exit 1 if it differs from what would be written

The snapshot keeps what the cost of a text conversation needs: how a model is named, what a
million tokens cost, from when, and its window. Left out: prices of pictures, sound, searches and
requests; batch, priority and regional variants; sellers in `LEFT_OUT`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import types
from genai_prices.data import providers

SNAPSHOT = Path(__file__).resolve().parent.parent / "src/trimtab/pricing/snapshot.json"

# Sellers of embeddings, speech or decisions only, and resellers whose names nobody gives to an
# agent: a third of the data.
LEFT_OUT = {
    "avian", "doubleword", "elevenlabs", "modal", "openai-decisions", "ovhcloud",
    "quicksilverpro", "typesafe", "voyageai",
}  # fmt: skip
LEFT_OUT_PREFIX = "huggingface_"

# The order of a price line; `-` where the data has none.
KEYS = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok")


def generate(on: date) -> str:
    """The snapshot's text; `on` is the date that it bears."""
    head = {
        "date": on.isoformat(),
        "source": f"genai-prices {version('genai-prices')}",
        "home": "https://github.com/pydantic/genai-prices",
        "licence": "MIT, Copyright (c) Pydantic Services Inc. 2025 to present",
        "prices": "USD a million tokens: input, cache read, cache write 5m, 1h, output",
    }
    lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
    sellers = ",\n".join(_seller(seller) for seller in providers if _wanted(seller.id))
    return "\n".join(["{", *lines, ' "sellers": {', sellers, " }", "}", ""])


def _wanted(seller: str) -> bool:
    return seller not in LEFT_OUT and not seller.startswith(LEFT_OUT_PREFIX)


def _seller(seller: types.Provider) -> str:
    fallbacks = [name for name in seller.fallback_model_providers or [] if _wanted(name)]
    models = ",\n".join(f"   {_json(_model(model))}" for model in seller.models)
    return f'  {_json(seller.id)}: {{"also": {_json(fallbacks)}, "models": [\n{models}\n  ]}}'


def _model(model: types.ModelInfo) -> list[Any]:
    """`[id, window, clauses, prices]`; clauses are `null` for a model known by its id alone.

    A model without a price stays, so that a looser clause of a later model does not give it one.
    """
    clauses = _clauses(model.match)
    return [
        model.id,
        model.context_window,
        None if clauses == [f"={model.id.lower()}"] else clauses,
        _prices(model),
    ]


_SIGNS = {
    types.ClauseEquals: ("=", "equals"),
    types.ClauseStartsWith: ("^", "starts_with"),
    types.ClauseEndsWith: ("$", "ends_with"),
    types.ClauseContains: ("*", "contains"),
}


def _clauses(match: types.MatchLogic) -> list[Any]:
    """Any of these must hold; an inner list: all of these. Names are in lower case."""
    if isinstance(match, types.ClauseOr):
        found = [clause for part in match.or_ for clause in _clauses(part)]
        return list({_json(clause): clause for clause in found}.values())
    if isinstance(match, types.ClauseAnd):
        parts = [_clauses(part) for part in match.and_]
        if any(len(part) != 1 for part in parts):
            raise ValueError(f"a choice inside a conjunction is not handled: {match}")
        return [[part[0] for part in parts]]
    if isinstance(match, types.ClauseRegex):
        return [f"~{match.regex}"]
    sign, field = _SIGNS[type(match)]
    return [sign + getattr(match, field).lower()]


def _prices(model: types.ModelInfo) -> Any:
    """A line; or `[[condition, line], ...]`, of which the last that holds counts; or `null`."""
    if isinstance(model.prices, types.ModelPrice):
        return _line(model.id, model.prices)
    rows = [[_condition(price.constraint), _line(model.id, price.prices)] for price in model.prices]
    return rows if any(line for _, line in rows) else None


def _condition(constraint: Any) -> str | None:
    """`2026-03-13` (from that day on) or `00:30-16:30` (daily, UTC)."""
    if constraint is None:
        return None
    if isinstance(constraint, types.StartDateConstraint):
        return constraint.start_date.isoformat()
    if isinstance(constraint, types.TimeOfDateConstraint):
        return "-".join(
            datetime.combine(date(2026, 1, 1), each).astimezone(UTC).strftime("%H:%M")
            for each in (constraint.start_time, constraint.end_time)
        )
    raise ValueError(f"a condition of a new kind: {constraint}")


def _line(model: str, price: types.ModelPrice) -> str | None:
    """`3 0.3 3.75 6 15 > 200000 6 0.6 7.5 12 22.5`: base rates, then those above so many tokens.

    `None` unless both input and output have a price: half a price would pass as free.
    """
    stated = {key: getattr(price, key) for key in KEYS}
    if stated["input_mtok"] is None or stated["output_mtok"] is None:
        return None
    starts = sorted({start for value in stated.values() for start, _ in _tiers(value)})
    parts = [_rates(model, stated, None)]
    parts += [f"{start} {_rates(model, stated, start)}" for start in starts]
    return " > ".join(parts)


def _tiers(value: Any) -> Iterator[tuple[int, Decimal]]:
    if isinstance(value, types.TieredPrices):
        yield from ((tier.start, tier.price) for tier in value.tiers)


def _rates(model: str, stated: dict[str, Any], start: int | None) -> str:
    rates = [_rate(stated[key], start) for key in KEYS]
    if "claude" in model and rates[0] and rates[2] is not None and rates[3] is None:
        # Some sellers' rows leave the one-hour write out. Anthropic's rule, by which all rows
        # that state it go: twice the input price.
        rates[3] = 2 * rates[0]
    return " ".join("-" if rate is None else f"{rate.normalize():f}" for rate in rates)


def _rate(value: Any, start: int | None) -> Decimal | None:
    if not isinstance(value, types.TieredPrices):
        return value if value is None else Decimal(value)
    rate = value.base
    for tier_start, price in _tiers(value):
        if start is not None and tier_start <= start:
            rate = price
    return rate


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the snapshot; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it would change")
    options = parser.parse_args(arguments)
    if options.check:
        committed = SNAPSHOT.read_text("utf-8")
        same = committed == generate(date.fromisoformat(json.loads(committed)["date"]))
        print("up to date" if same else "the snapshot differs from the installed genai-prices")
        return 0 if same else 1
    SNAPSHOT.write_text(generate(datetime.now(UTC).date()), "utf-8")
    print(f"{SNAPSHOT}: {SNAPSHOT.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
