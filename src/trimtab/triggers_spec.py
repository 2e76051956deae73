"""Triggers as text: `tokens:70%,margin=15%,stage:detect,pressure,cold`."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, cast

from trimtab.errors import UsageError
from trimtab.triggers_kinds import KINDS, Trigger


def read_triggers(spec: str) -> list[Trigger]:
    """The triggers that a text names, in its order.

    Raises:
        UsageError: a trigger or a parameter is unknown or given twice, or a value is none.
    """
    parts = [part.strip() for part in spec.split(",")]
    found: list[tuple[str, dict[str, str]]] = []
    for part in parts:
        name, colon, rest = part.partition(":")
        name = name.strip().lower()
        if name in KINDS:
            if any(name == known for known, _ in found):
                raise UsageError(f"trigger {spec!r:.200}: {name} is given twice")
            found.append((name, {}))
            if colon:
                _give(spec, *found[-1], rest.strip())
        elif found and "=" in part and ":" not in part.partition("=")[0]:
            _give(spec, *found[-1], part)
        else:
            what = f"{part!r:.60} is no trigger" if part else "a trigger is missing"
            raise UsageError(f"trigger {spec!r:.200}: {what}; there are {', '.join(KINDS)}")
    return [_made(spec, name, given) for name, given in found]


def _give(spec: str, name: str, given: dict[str, str], text: str) -> None:
    known = [field.name for field in dataclasses.fields(KINDS[name])]
    key, equals, value = text.partition("=")
    if not equals:
        key, value = _bare(name), text
    key, value = key.strip().lower(), value.strip()
    if key not in known or not value:
        keys = ", ".join(f"{key}=" for key in known)
        raise UsageError(f"trigger {spec!r:.200}: {text!r:.60} is no parameter of {name} ({keys})")
    if key in given:
        raise UsageError(f"trigger {spec!r:.200}: {key} of {name} is given twice")
    given[key] = value


def _bare(name: str) -> str:
    """The parameter that may stand without its name behind the colon."""
    fields = dataclasses.fields(KINDS[name])
    return next((field.name for field in fields if field.metadata.get("bare")), "")


def _made(spec: str, name: str, given: dict[str, str]) -> Trigger:
    values: dict[str, Any] = {}
    for key, text in given.items():
        where = f"trigger {spec!r:.200}: {key}"
        if key == "detect":
            if text.lower() not in ("detect", "true", "false"):
                raise UsageError(f"{where} must be true or false, not {text!r:.40}")
            values[key] = text.lower() != "false"
        elif key == "results":
            if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
                raise UsageError(f"{where} must be a whole number, not {text!r:.40}")
            values[key] = int(text)
        elif key == "after":
            values[key] = _minutes(where, text)
        else:
            values[key] = text
    return KINDS[name](**values)


def _minutes(where: str, text: str) -> float:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(m|min|h|s|)", text.lower(), re.ASCII)
    if match is None:
        raise UsageError(f"{where} must be a time such as 5m or 1h, not {text!r:.40}")
    return float(match[1]) * {"h": 60, "s": 1 / 60}.get(match[2], 1)


def write_trigger(trigger: Trigger) -> str:
    """The text that gives this trigger again; what is as by default is left out."""
    bare = ""
    named: list[str] = []
    for field in dataclasses.fields(cast(Any, trigger)):
        value = getattr(trigger, field.name)
        if value == field.default:
            continue
        if field.name == "detect":
            bare = ":detect"
        elif field.metadata.get("bare"):
            bare = f":{value}"
        elif field.name == "after":
            named.append(f"after={value:g}m")
        else:
            named.append(f"{field.name}={value}")
    return ",".join([trigger.name + bare, *named])
