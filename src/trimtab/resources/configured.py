"""The user's rules: the `[[resources]]` tables of `trimtab.toml`.

An entry has the keys of `Rule`; `tool` and `kind` are needed. The user's rules come before the
defaults, so that one for the same tool overrides them; `kind = "none"` switches them off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

from trimtab.errors import InputError
from trimtab.resources.defaults import DEFAULT
from trimtab.resources.rules import KINDS, NAMES, Rule, Rules


class Configured(Protocol):
    """What has been read from `trimtab.toml`: `trimtab.config.Settings`."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables by name."""
        ...


def rules_of(settings: Configured) -> Rules:
    """The rules that hold: those of `[[resources]]`, then the defaults.

    Raises:
        InputError: an entry is no rule; it names the entry and the key.
    """
    given = settings.tables.get("resources", ())
    return (*(_rule(entry, n) for n, entry in enumerate(given, 1)), *DEFAULT) if given else DEFAULT


def parse_rules(entries: Iterable[Mapping[str, Any]]) -> Rules:
    """Rules as they are written in `[[resources]]`, without the defaults.

    Raises:
        InputError: as for `rules_of`.
    """
    return tuple(_rule(entry, n) for n, entry in enumerate(entries, 1))


_TEXTS = ("kind", "name", "names", "items", "shows", "found")
_LISTS = ("tool", "resource", "range")
_KNOWN = tuple(field.name for field in fields(Rule))


def _rule(entry: Mapping[str, Any], number: int) -> Rule:
    where = f"trimtab.toml, [[resources]] {number}"
    unknown = [key for key in entry if key not in _KNOWN]
    if unknown:
        raise InputError(where, f"{unknown[0]!r} is no key of a rule ({', '.join(_KNOWN)})")
    given: dict[str, Any] = {}
    for key, value in entry.items():
        given[key] = _value(where, key, value)
    for key in ("tool", "kind"):
        if not given.get(key):
            raise InputError(where, f"{key} is missing: write {key} = ...")
    if given["kind"] not in KINDS:
        raise InputError(where, f"kind {given['kind']!r}: write one of {', '.join(KINDS)}")
    rule = Rule(**given)
    if rule.names not in NAMES:
        raise InputError(where, f"names {rule.names!r}: write one of {', '.join(NAMES)}")
    for key in ("shows", "found"):
        _checked_expression(where, key, getattr(rule, key))
    if rule.found and re.compile(rule.found).groups != 1:
        raise InputError(where, "found needs one group in parentheses: the name")
    return rule


def _value(where: str, key: str, value: Any) -> Any:
    if key in _LISTS:
        if isinstance(value, str):
            return (value,)
        if _is_texts(value):
            return tuple(value)
        raise InputError(where, f"{key} is a text or a list of texts")
    if key in _TEXTS:
        if isinstance(value, str):
            return value
        raise InputError(where, f"{key} is a text")
    if key == "when":
        return _conditions(where, value)
    if key == "lines":
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        raise InputError(where, "lines is a whole number, 0 or more")
    if isinstance(value, bool):
        return value
    raise InputError(where, f"{key} is true or false")


def _conditions(where: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    wrong = InputError(where, 'when is a table of arguments: when = { command = "view" }')
    if not isinstance(value, Mapping):
        raise wrong
    made = []
    for argument, wanted in value.items():
        if isinstance(wanted, str):
            made.append((argument, (wanted,)))
        elif _is_texts(wanted):
            made.append((argument, tuple(wanted)))
        else:
            raise wrong
    return tuple(made)


def _is_texts(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(item, str) for item in value)
    )


def _checked_expression(where: str, key: str, expression: str) -> None:
    try:
        re.compile(expression)
    except re.error as failure:
        raise InputError(
            where, f"{key} {expression!r:.60} is no regular expression: {failure}"
        ) from None
