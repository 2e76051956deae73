"""JSON: chosen fields, arrays by their first, last and outlying items, long strings cut."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from trimtab.slimming.cutting import boundary, note
from trimtab.slimming.outliers import outliers
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP
from trimtab.slimming.slimmed import Slimmed

_DEEPEST = 60
_STEPS = (
    (40, 60, 800, 20),
    (24, 50, 400, 16),
    (16, 40, 240, 12),
    (10, 40, 160, 10),
    (8, 30, 120, 8),
    (6, 24, 100, 6),
    (4, 20, 80, 5),
    (3, 16, 60, 4),
    (2, 12, 48, 3),
    (2, 8, 40, 2),
    (1, 6, 40, 1),
)
"""Items of an array, keys of an object, characters of a string, levels; the first that fits."""


class Number(str):
    """A number as it is written: `1.10` stays `1.10`."""

    __slots__ = ()


def json_value(page: Page) -> Slimmed | None:
    """A text that is one JSON value."""
    text = page.text.strip().removeprefix("\ufeff")
    if text[:1] not in ("{", "["):
        return None
    value = _read(text)
    if value is None:
        return None
    if page.fields:
        value = selected(value, page.fields)
        made = _written(value, _DEEPEST)
        if made is not None and len(made) <= page.limit:
            said = "only " + ", ".join(page.fields)
            return Slimmed(f"{made}\n{note(said)}"[: page.limit], "JSON", page.text.count("\n"))
    for items, keys, length, levels in _STEPS:
        told: list[str] = []
        form = _Pruned(items, keys, length, told).of(value, "", levels)
        made = _written(form, _DEEPEST)
        if made is None:
            return None
        if len(made) > page.limit:
            continue
        cuts = sum(1 for line in told if not line)
        places = _few([line for line in told if line])
        if cuts:
            places.append(f"{cuts:,} long string{'s' if cuts > 1 else ''} cut")
        whole = note("; ".join(places) or "spaces left out")
        if len(made) + len(whole) + 1 <= page.limit:
            missing = max(page.text.count("\n") - made.count("\n"), 0)
            return Slimmed(f"{made}\n{whole}", "JSON", missing)
    return None


def _few(told: list[str]) -> list[str]:
    kept = told[:6]
    return [*kept, f"{len(told) - 6:,} more places"] if len(told) > 6 else kept


def _read(text: str) -> Any:
    """The value; `None` where it is no JSON, nests too deep, or says a key twice."""
    try:
        return json.loads(
            text,
            parse_int=Number,
            parse_float=Number,
            parse_constant=Number,
            object_pairs_hook=_object,
        )
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


# -- writing -------------------------------------------------------------------------------------


def _written(value: Any, deepest: int) -> str | None:
    """The value as compact JSON; `None` where it is too deep."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, (str, bool)) or value is None:
        return json.dumps(value, ensure_ascii=_lone(value))
    if deepest <= 0:
        return None
    parts = []
    if isinstance(value, dict):
        for key, item in value.items():
            made = _written(item, deepest - 1)
            if made is None:
                return None
            parts.append(f"{json.dumps(key, ensure_ascii=_lone(key))}: {made}")
        return "{" + ", ".join(parts) + "}"
    for item in value:
        made = _written(item, deepest - 1)
        if made is None:
            return None
        parts.append(made)
    return "[" + ", ".join(parts) + "]"


_SURROGATE = re.compile("[\ud800-\udfff]")


def _lone(value: Any) -> bool:
    return isinstance(value, str) and _SURROGATE.search(value) is not None


# -- choosing fields -------------------------------------------------------------------------------


def selected(value: Any, fields: Sequence[str]) -> Any:
    """Of a JSON value only the dotted paths `fields`: `items[].id`, `total`."""
    chosen: Any = None
    for path in fields:
        steps = [step for step in re.split(r"\.|(?=\[)", path) if step]
        chosen = _merged(chosen, _along(value, steps))
    return chosen if chosen is not None else ([] if isinstance(value, list) else {})


def _along(value: Any, steps: list[str]) -> Any:
    """What is at the end of `steps`, in its place; `None` where there is nothing."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        if step.startswith("["):
            inside = step.strip("[]")
            if inside.isdecimal():
                at = int(inside[:9])
                found = _along(value[at], rest) if at < len(value) else None
                return None if found is None else [found]
        else:
            rest = steps  # `items.id` is read as `items[].id`
        return [_empty(item) if (m := _along(item, rest)) is None else m for item in value]
    if isinstance(value, dict) and step in value:
        found = _along(value[step], rest)
        return None if found is None and value[step] is not None and rest else {step: found}
    return None


def _empty(item: Any) -> Any:
    return {} if isinstance(item, dict) else None


def _merged(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*one, *(key for key in other if key not in one)]
        return {key: _merged(one.get(key), other.get(key)) for key in keys}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_merged(a, b) for a, b in zip(one, other, strict=True)]
    return one


# -- pruning ---------------------------------------------------------------------------------------


class _Pruned:
    """One way of making a value smaller; `told` gets a line for each place, an
    empty one for a string."""

    __slots__ = ("items", "keys", "length", "told")

    def __init__(self, items: int, keys: int, length: int, told: list[str]) -> None:
        self.items, self.keys, self.length, self.told = items, keys, length, told

    def of(self, value: Any, path: str, levels: int) -> Any:
        if isinstance(value, Number) or not isinstance(value, (str, list, dict)):
            return value
        if isinstance(value, str):
            return self._string(value)
        if levels <= 0 and value:
            kind = "items" if isinstance(value, list) else "keys"
            self.told.append(f"{path or 'the value'}: {len(value):,} {kind} left out")
            return type(value)()
        if isinstance(value, list):
            places = self._chosen(value)
            if len(places) < len(value):
                which = ", ".join(map(str, places[:12]))
                at = f"{path or 'the array'}: "
                self.told.append(f"{at}{len(places):,} of {len(value):,} items kept: {which}")
            return [self.of(value[at], f"{path}[{at}]", levels - 1) for at in places]
        keys = list(value)
        if len(keys) > self.keys:
            rows = [_flat(value[key]) for key in keys]
            kept = _sampled(rows, self.keys)
            self.told.append(f"{path or 'the object'}: {len(kept):,} of {len(keys):,} keys kept")
            keys = [keys[at] for at in kept]
        return {
            key: self.of(value[key], f"{path}.{key}"[-60:].lstrip("."), levels - 1) for key in keys
        }

    def _string(self, value: str) -> str:
        if len(value) <= self.length + 30:
            return value
        head = boundary(value, self.length * 2 // 3)
        tail = boundary(value, len(value) - self.length // 3)
        middle = note(f"{tail - head:,} characters")
        self.told.append("")
        return f"{value[:head]}{middle}{value[tail:]}"

    def _chosen(self, value: list[Any]) -> list[int]:
        if len(value) <= self.items:
            return list(range(len(value)))
        return _sampled([_flat(item) for item in value], self.items)


def _sampled(rows: list[dict[str, str]], most: int) -> list[int]:
    """The first, the last and what stands out, at most `most` of them."""
    if len(rows) <= most:
        return list(range(len(rows)))
    strong: dict[int, None] = {0: None, len(rows) - 1: None}
    standing = outliers(rows)
    order = ("failing", "shape", "empty", "highest", "lowest", "rare")
    for kind in order:
        for at, why in standing.items():
            if why == kind:
                strong.setdefault(at)
    for at in range(1, min(3, len(rows))):
        strong.setdefault(at)
    return sorted(list(strong)[:most])


def _flat(item: Any) -> dict[str, str]:
    """An item's cells, two levels deep, as text."""
    if not isinstance(item, dict):
        if isinstance(item, list):
            return {"length": str(len(item))}
        return {"value": _cell(item)}
    cells: dict[str, str] = {}
    for key, value in item.items():
        if isinstance(value, dict):
            for inner, deeper in value.items():
                if not isinstance(deeper, (dict, list)):
                    cells[f"{key}.{inner}"] = _cell(deeper)
        elif isinstance(value, list):
            cells[f"{key}[]"] = str(len(value))
        else:
            cells[key] = _cell(value)
    return cells


def _cell(value: Any) -> str:
    return (
        "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def json_lines(page: Page) -> Slimmed | None:
    """JSON lines: the first, the last and the outlying records, each a line."""
    said = [line for line in page.sample if line.strip()]
    if len(said) < 3 or not all(line.lstrip()[:1] == "{" for line in said[:20]):
        return None
    sheet = page.sheet(6, "records")
    rows: list[dict[str, str]] = []
    places: list[int] = []
    for at, line in enumerate(page.lines):
        if sheet.ranks[at] == DROP or not line.strip():
            continue
        value = _read(line)
        if isinstance(value, dict):
            rows.append(_flat(value))
            places.append(at)
        else:
            sheet.mark(at, 1, "lines")
    if len(rows) < 0.8 * len(said):
        return None
    for row in outliers(rows):
        sheet.mark(places[row], 2)
    for at in (*places[:2], *places[-1:]):
        sheet.mark(at, 1)
    return page.fit(sheet, "JSON lines")
