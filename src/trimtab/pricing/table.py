"""The look-up of a model's price: own prices first, then the snapshot's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from trimtab.pricing.names import clean, sold_as, variants
from trimtab.pricing.overrides import read_overrides
from trimtab.pricing.price import Price
from trimtab.pricing.snapshot import Row, load_snapshot


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices of models: the snapshot's, and before them one's own.

    Attributes:
        own: one's own prices, by cleaned name; see `overrides.py`.
    """

    own: Mapping[str, Price] = field(default_factory=dict)

    @property
    def as_of(self) -> date:
        """The day of the snapshot: what changed later is not known to it."""
        return load_snapshot().as_of

    @property
    def source(self) -> str:
        """Where the snapshot is from: the package and its version."""
        return load_snapshot().source

    def price_of(self, model: str | None, at: date | None = None) -> Price | None:
        """The price of a model; see `price_of`. One's own prices hold at any time."""
        if not model:
            return None
        if self.own:
            name = clean(model)
            for found in (*variants(name), *variants(name.rpartition("/")[2])):
                if found in self.own:
                    return self.own[found]
        row = _row_of(model)
        return None if row is None else load_snapshot().price(row, at)

    def with_override(self, table: Mapping[str, Any], where: str = "prices") -> PriceTable:
        """A table in which these prices come first.

        Args:
            table: model -> entry, as the `[prices]` table of `trimtab.toml`.
            where: what to call it in errors.

        Raises:
            UsageError: an entry is not understood.
        """
        return PriceTable({**self.own, **read_overrides(table, where)})


@lru_cache(maxsize=1)
def price_table() -> PriceTable:
    """The snapshot's prices alone."""
    return PriceTable()


def price_of(model: str | None, at: date | None = None) -> Price | None:
    """What the model costs, in US dollars a million tokens.

    Args:
        model: the name as the call, the response or a router states it: with or without a route
            (`openrouter/`, `bedrock/`), a date, `[1m]`. The route decides whose price it is.
        at: the moment of the call; a `datetime` without a zone is UTC. By default now. For a day
            without an hour, the dearest hour of it.

    Returns:
        `None` for a model, or a host, that the snapshot does not price: its cost is unknown, not 0.
    """
    return price_table().price_of(model, at)


@lru_cache(maxsize=1024)
def _row_of(model: str) -> Row | None:
    snapshot = load_snapshot()
    for seller, name in sold_as(clean(model)):
        row = snapshot.find(seller, name)
        if row is not None:
            return row
    return None
