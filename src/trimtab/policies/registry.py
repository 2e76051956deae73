"""All policies by name, and how a name with parameters is read."""

from __future__ import annotations

import dataclasses
import importlib
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trimtab.context.budget import Budget
from trimtab.context.plan import Plan
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.policies.policy import Policy

POLICIES = {
    "auto": "auto:Auto",
    "append": "append:Append",
    "truncate": "truncate:Truncate",
    "recent-first": "recent_first:RecentFirst",
    "required-first": "required_first:RequiredFirst",
    "prune": "prune:Prune",
    "clear-tool-results": "clear_tool_results:ClearToolResults",
    "clear-thinking": "clear_thinking:ClearThinking",
    "offload": "offload:Offload",
    "slim": "slim:Slim",
    "supersede": "supersede:Supersede",
    "cliff": "cliff:Cliff",
    "compact": "compact:Compact",
    "pipeline": "pipeline:Pipeline",
    "handoff": "handoff:Handoff",
}
"""Name -> module and class in this folder; loaded when asked for."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a policy: its name, default, type as written, and meaning."""

    name: str
    default: Any
    type: str
    meaning: str


def policy_class(name: str) -> type[Policy]:
    """The class of the policy `name`.

    Raises:
        UsageError: there is none of that name.
    """
    place = POLICIES.get(name)
    if place is None:
        raise UsageError(f"policy {name!r} is unknown; there are {', '.join(POLICIES)}")
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(f"trimtab.policies.{module}")
    found: type[Policy] = getattr(loaded, attribute)
    return found


def parameters(name: str) -> list[Parameter]:
    """The parameters of the policy `name`, with defaults and meaning, from its class."""
    cls = policy_class(name)
    meanings = _meanings(cls.__doc__ or "")
    return [
        Parameter(field.name, field.default, str(field.type), meanings.get(field.name, ""))
        for field in _spelt_fields(cls)
    ]


def _spelt_fields(policy: Any) -> list[dataclasses.Field[Any]]:
    """The fields that a name with parameters can say; `metadata={"spec": False}` marks others."""
    return [field for field in dataclasses.fields(policy) if field.metadata.get("spec", True)]


def _meanings(doc: str) -> dict[str, str]:
    """The `Args:` of a docstring."""
    _, _, args = doc.partition("Args:\n")
    found: dict[str, str] = {}
    current = ""
    for line in args.splitlines():
        if not line.strip():
            break
        match = re.match(r"        (\w+): (.*)", line)
        if match:
            current = match.group(1)
            found[current] = match.group(2).strip()
        elif current:
            found[current] += " " + line.strip()
    return found


def parse_policy(spec: str) -> Policy:
    """Read `NAME[:key=value,...]`, such as `prune:N=5,W=3`.

    A value with several names is written with `+`: `exclude_tools=read+grep`. Keys are matched
    without regard to case where that is unambiguous.

    Raises:
        UsageError: the name or a parameter is unknown, or a value has the wrong type.
    """
    name, _, rest = spec.strip().partition(":")
    cls = policy_class(name)
    hints = typing.get_type_hints(cls)
    fields = {field.name: hints[field.name] for field in _spelt_fields(cls)}
    given: dict[str, Any] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        key = _field_named(key.strip(), fields)
        if not equals or not key:
            known = ", ".join(f"{field}=" for field in fields) or "none"
            raise UsageError(f"policy {spec!r}: {part!r} is no parameter of {name} ({known})")
        if key in given:
            raise UsageError(f"policy {spec!r}: {key} is given twice")
        given[key] = _value(name, key, value.strip(), fields[key])
    return cls(**given)


def spec_of(policy: Policy) -> str:
    """The text that `parse_policy` reads back as this policy."""
    given = []
    for field in _spelt_fields(policy):
        value = getattr(policy, field.name)
        if value != field.default:
            shown = "+".join(value) if isinstance(value, tuple) else str(value)
            given.append(f"{field.name}={shown.lower() if isinstance(value, bool) else shown}")
    return policy.name + (":" + ",".join(given) if given else "")


def split_specs(text: str) -> list[str]:
    """Split a list of policies at its commas: `prune:N=5,W=3,append` is two of them."""
    specs: list[str] = []
    for part in text.split(","):
        head = part.strip().partition(":")[0]
        if specs and "=" in part and head not in POLICIES:
            specs[-1] += "," + part
        elif part.strip():
            specs.append(part.strip())
    return specs


def _field_named(key: str, fields: dict[str, Any]) -> str:
    if key in fields:
        return key
    same = [name for name in fields if name.lower() == key.lower().replace("-", "_")]
    return same[0] if len(same) == 1 else ""


def _value(policy: str, key: str, text: str, hint: Any) -> Any:
    for kind in _kinds(hint):
        if kind is type(None) and text.lower() in ("none", "null", ""):
            return None
        if kind is bool and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind is int and re.fullmatch(r"[+-]?\d{1,18}", text):
            return int(text)
        if kind is str and text:
            return text
        if typing.get_origin(kind) is tuple and text:
            return tuple(name for name in text.split("+") if name)
    raise UsageError(f"{policy}: {key}={text!r:.60} is not of the type {_spelt(hint)}")


def _kinds(hint: Any) -> Iterator[Any]:
    """The members of a union, the strictest first."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        members = typing.get_args(hint)
    else:
        members = (hint,)
    order = (type(None), bool, int)
    yield from (kind for kind in order if kind in members)
    yield from (kind for kind in members if typing.get_origin(kind) is tuple)
    yield from (kind for kind in members if kind is str)


def _spelt(hint: Any) -> str:
    return str(hint).replace("<class '", "").replace("'>", "")


def fit(history: History, budget: Budget | int, policy: Policy | str = "required-first") -> Plan:
    """The plan that makes a history fit a budget; `plan.projection.context()` is what to send.

    Args:
        history: H; not changed.
        budget: a `Budget`, or a number of tokens.
        policy: a policy, or its name with parameters (`prune:N=5,W=3`).

    Raises:
        BudgetInfeasible: what must stay does not fit.
        UsageError: there is no such policy or parameter.
    """
    if isinstance(budget, int):
        budget = Budget(budget)
    if isinstance(policy, str):
        policy = parse_policy(policy)
    return policy.plan(history, budget)
