"""Rules: which tool names which resource, in which argument, and what it does to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from trimtab.errors import InputError

if TYPE_CHECKING:
    from trimtab.config import Settings

KINDS: dict[str, str] = {
    "read": "observes the whole of it, or a range",
    "view": "a snapshot of a page, a form or a screen: any newer one of the same replaces it",
    "query": "asks a question: the same call with the same arguments asks it again",
    "write": "changes it: what was read before is stale",
    "both": "changes it and shows the whole as it then is",
    "shell": "a shell command: what it reads and changes is read from it",
    "patch": "a patch in the form of `apply_patch`: it changes the files that it names",
    "window": "shows the numbered lines of a window on the file that its result names (SWE-agent)",
    "none": "nothing that is tracked: switches another rule off",
}
"""Every kind of rule, with what a call of such a tool does."""

NAMES = ("path", "url", "text")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. The first that fits a call counts.

    Attributes:
        tool: names of tools; `*` stands for anything, case does not count, and the prefix of an
            MCP server (`mcp__files__`) may be left out.
        kind: a key of `KINDS`.
        resource: arguments that may name the resource; the first that a call has does. None:
            there is one such resource, called `name`.
        name: the kind of resource, such as `page`; tools that see the same thing share it. By
            default `file` for paths, `url` for addresses, else the tool's name.
        names: how the name is brought to one form: `path`, `url` or `text`.
        range: arguments that narrow what is seen: `first..last`, `start+count`, or one argument
            with both.
        when: arguments and their values that a call must have for the rule to fit.
        items: the argument that holds a list of such resources, where there is one.
        shows: a regular expression; a result without a match shows nothing.
        found: a regular expression with one group, which is the resource's name in the result.
        lines: a result of so many lines or more is cut short without saying so; 0: never.
        fresh: shell: every call starts in the same directory.
    """

    tool: tuple[str, ...]
    kind: str
    resource: tuple[str, ...] = ()
    name: str = ""
    names: str = "path"
    range: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    items: str = ""
    shows: str = ""
    found: str = ""
    lines: int = 0
    fresh: bool = False


Rules = tuple[Rule, ...]


def rules_of(settings: Settings) -> Rules:
    """The rules that hold: those of `[[resources]]`, then the defaults.

    Raises:
        InputError: an entry is no rule; it names the entry and the key.
    """
    from trimtab.resources.defaults import DEFAULT

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
