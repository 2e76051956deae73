"""Tables of what a class takes and can do, from its signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from docs.markdown import first_line, table


def _named(place: str) -> Any:
    """What `MODULE:NAME` means."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def methods(place: str) -> str:
    """The public methods and properties of a class, `MODULE:CLASS`, in the order of its code."""
    rows = []
    for name, found in vars(_named(place)).items():
        function = getattr(found, "fget", None) or getattr(found, "__func__", found)
        if not name.startswith("_") and inspect.isfunction(function):
            given = [] if isinstance(found, property) else _arguments(function)
            call = name if isinstance(found, property) else f"{name}({', '.join(given)})"
            rows.append((f"`{call}`", first_line(function)))
    return table(("name", "what it does"), rows)


def _arguments(function: Callable[..., object]) -> list[str]:
    """The names of a function's arguments, with their defaults."""
    return [
        p.name if p.default is p.empty else f"{p.name}={p.default!r}"
        for p in list(inspect.signature(function).parameters.values())[1:]
    ]


def arguments(place: str) -> str:
    """The arguments of a function or class, `MODULE:NAME`, with the meaning its docstring gives."""
    documented = _named(place)
    meanings = _meanings(inspect.getdoc(documented) or "")
    rows = [
        (f"`{p.name}`", "" if p.default is p.empty else f"`{p.default!r}`", meanings[p.name])
        for p in inspect.signature(documented).parameters.values()
    ]
    return table(("argument", "default", "meaning"), rows)


def _meanings(doc: str) -> dict[str, str]:
    """The `Args:` of a docstring."""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", doc, re.M)
    found = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", section[1] if section else "", re.M)
    return {name: " ".join(meaning.split()) for name, meaning in found}
