"""The page `RESULTS.md`: a rendering of `results.json` and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def page(results: Mapping[str, Any]) -> str:
    """The whole page."""
    machine = results["machine"]
    parts = [
        "# What trimtab costs\n",
        "Generated from `results.json` by `make bench`; do not edit.\n",
        f"Measured on {machine['cores']} cores with Python {machine['python']}, "
        f"{', '.join(f'{name} {version}' for name, version in machine['packages'].items())}. "
        "Times are processor time of the process, all threads summed up; under *Start*, and where "
        "it is said, time on the clock. Figures of one machine: the ratios say more than the "
        "times.\n",
    ]
    aims = [aim for section in results["sections"].values() for aim in section["aims"]]
    if aims:
        met = sum(1 for aim in aims if aim["met"])
        parts.append(f"## Aims: {met} of {len(aims)} met\n")
        parts.append(
            table(
                ["what", "figure", "unit", "aim", "met"],
                [
                    [a["what"], number(a["figure"]), a["unit"], a["aim"], yes(a["met"])]
                    for a in aims
                ],
            )
        )
    parts += map(chapter, results["sections"].values())
    return "\n".join(parts)


def chapter(section: Mapping[str, Any]) -> str:
    """One section: what was measured, and the figures."""
    parts = [f"## {section['title']}\n", section["about"] + "\n"]
    if "skipped" in section:
        parts.append(f"Skipped: {section['skipped']}.\n")
    elif section["rows"]:
        parts.append(_rows(section["rows"], section["units"]))
    return "\n".join(parts)


def _rows(rows: Sequence[Mapping[str, Any]], units: Mapping[str, str]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    heads = [f"{name} ({units[name]})" if name in units else name for name in columns]
    return table(heads, [[number(row.get(name, "")) for name in columns] for row in rows])


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def number(value: Any) -> str:
    """A figure as people read it; other values as they are."""
    if isinstance(value, bool):
        return yes(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:g}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def yes(value: bool) -> str:
    """`yes` or **no**."""
    return "yes" if value else "**no**"
