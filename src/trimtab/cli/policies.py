"""`trimtab policies`: the registry, from the code itself."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from trimtab.cli import options


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.as_json
def policies(names: tuple[str, ...], as_json: bool) -> None:
    """List the policies, their parameters and defaults.

    With NAME only those. A policy is named on the command line as NAME, or
    NAME:key=value,key=value.
    """
    from trimtab.cli.output import emit_json
    from trimtab.policies.registry import POLICIES, parameters, policy_class

    found = [
        {
            "name": name,
            "summary": (policy_class(name).__doc__ or "").strip().partition("\n")[0],
            "parameters": [
                {
                    "name": parameter.name,
                    "type": parameter.type,
                    "default": _plain(parameter.default),
                    "meaning": parameter.meaning,
                }
                for parameter in parameters(name)
            ],
        }
        for name in names or POLICIES
    ]
    if as_json:
        emit_json({"policies": found})
    else:
        _print(found)


def _plain(default: Any) -> Any:
    if default is dataclasses.MISSING:
        return None
    return list(default) if isinstance(default, tuple) else default


def _print(found: list[dict[str, Any]]) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.terminal import cell, console, show, table

    rows: list[tuple[Any, ...]] = []
    ends = []
    for policy in found:
        rows.append((cell(policy["name"], "bold"), "", policy["summary"]))
        for parameter in policy["parameters"]:
            default = _spelt(parameter["default"])
            rows.append((f"  {parameter['name']}", default, parameter["meaning"]))
        ends.append(len(rows) - 1)
    columns = [Column("policy"), Column("default"), Column("meaning", folds=True)]
    show(console(), table(columns, rows, ends=ends[:-1]))


def _spelt(default: Any) -> str:
    if isinstance(default, list):
        return "+".join(map(str, default)) or "none"
    if isinstance(default, bool) or default is None:
        return "none" if default is None else str(default).lower()
    return str(default)
