"""The generated price data: read once, on first use, and searched by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from trimtab.pricing.price import Price, read_rates

_FILE = Path(__file__).with_name("snapshot.json")

# `=name`, `^start`, `$end`, `*part`, `~regex`; or a list of such, all of which must hold.
Clause: TypeAlias = str | list[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A model at a seller, as the data has it: `prices` is a line, conditions with lines, or
    `None` for a model that is known but not priced by the token."""

    model: str
    seller: str
    window: int | None
    prices: Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The prices as they were known on a day.

    Attributes:
        as_of: the day on which the snapshot was generated.
        source: the package and its version.
        sellers: seller -> `{"also": other sellers whose models it sells, "models": rows}`.
    """

    as_of: date
    source: str
    sellers: Mapping[str, Any]

    def find(self, seller: str, name: str) -> Row | None:
        """The first model of the seller, or else of those whose models it sells, by that name."""
        for each in (seller, *self.sellers[seller]["also"]):
            for model, window, clauses, prices in self.sellers[each]["models"]:
                if _matches(clauses or [f"={model.lower()}"], name):
                    return Row(model, each, window, prices)
        return None

    def rows(self, seller: str) -> Iterator[tuple[Row, Sequence[Clause]]]:
        """All models of a seller, with the clauses that their names satisfy."""
        for model, window, clauses, prices in self.sellers[seller]["models"]:
            yield Row(model, seller, window, prices), clauses or [f"={model.lower()}"]

    def price(self, row: Row, at: date | None) -> Price | None:
        """What the row says for that moment (`None`: now); `None` if it has no price then."""
        line = row.prices if isinstance(row.prices, str) else _valid_line(row.prices or (), at)
        if line is None:
            return None
        first, *above = line.split(" > ")
        tiers = []
        for words in above:
            tokens, _, rest = words.partition(" ")
            tiers.append((int(tokens), read_rates(rest)))
        rates = read_rates(first)
        return Price(
            rates.input,
            rates.cache_read,
            rates.cache_write_5m,
            rates.cache_write_1h,
            rates.output,
            row.model,
            row.seller,
            tuple(tiers),
            row.window,
            f"{self.source}, {self.as_of}",
        )


@lru_cache(maxsize=1)
def load_snapshot() -> Snapshot:
    """The snapshot that this version of trimtab carries."""
    data = json.loads(_FILE.read_bytes())
    return Snapshot(date.fromisoformat(data["date"]), data["source"], data["sellers"])


def _matches(clauses: Sequence[Clause], name: str) -> bool:
    return any(
        _holds(clause, name) if isinstance(clause, str) else all(_holds(c, name) for c in clause)
        for clause in clauses
    )


def _holds(clause: str, name: str) -> bool:
    sign, text = clause[0], clause[1:]
    if sign == "=":
        return name == text
    if sign == "^":
        # A start that ends in a number must not be the start of a longer one: `opus-4-1` is not
        # `opus-4-10`. Years and dates, of four digits or more, may go on.
        rest = name[len(text) :]
        return name.startswith(text) and not (
            text[-1].isdigit() and re.match(r"\d(?!\d)", rest) is not None
        )
    if sign == "$":
        return name.endswith(text)
    if sign == "*":
        return text in name
    return re.search(text, name) is not None


def _valid_line(rows: Sequence[Sequence[Any]], at: date | None) -> str | None:
    """The last line whose condition holds, else the first.

    Some prices differ by the hour. For a moment the hour decides. A day alone has no hour: the
    dearest line of the day is taken, so that a bill is never stated too low.
    """
    if at is None:
        at = datetime.now(UTC)
    moment = at if isinstance(at, datetime) else None
    if moment is not None and moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    day = (moment or at).isoformat()[:10]
    by_hour = []
    for condition, line in reversed(rows):
        if condition is not None and ":" in condition:
            if moment is None:
                by_hour.append(line)
            elif _in_hours(condition, moment):
                return _text(line)
        elif condition is None or condition <= day:
            return _text(max((line, *by_hour), key=_input_rate))
    return _text(rows[0][1]) if rows else None


def _in_hours(condition: str, moment: datetime) -> bool:
    start, _, end = condition.partition("-")
    now = moment.strftime("%H:%M")
    return now >= start or now < end if end < start else start <= now < end


def _input_rate(line: str | None) -> float:
    return float(line.partition(" ")[0]) if line else -1.0


def _text(line: Any) -> str | None:
    return line if isinstance(line, str) else None
