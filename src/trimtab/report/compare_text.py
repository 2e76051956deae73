"""`trimtab compare` in the terminal: policies side by side, or one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from trimtab.evaluation.compare import Row
from trimtab.report.fitted import Column, Fitted
from trimtab.report.means import Mean, means
from trimtab.report.plain import number, percent
from trimtab.report.terminal import cell, console, room, show, table

if TYPE_CHECKING:
    from rich.console import RenderableType

_BAD = "bold red"


def print_rows(rows: Sequence[Row], unit: str) -> None:
    """A table for each file."""
    to = console()
    width = room(to)
    for at, (_, of_file) in enumerate(groupby(rows, key=lambda row: row.file)):
        show(to, *([""] if at else []), _table(list(of_file), unit, width))
    summed = means(rows)
    if summed:
        show(to, "", _means(summed))
    show(to, "", cell(LEGEND, "dim"))


def _means(summed: Sequence[Mean]) -> RenderableType:
    ends = [n for n, (a, b) in enumerate(pairwise(summed)) if a.budget != b.budget]
    cells = [
        [
            mean.budget if n == 0 or n - 1 in ends else "",
            mean.policy,
            f"{mean.met} of {mean.files}",
            percent(mean.reduction),
            _rate(mean.required_retention),
            percent(mean.verbatim_fidelity),
            cell(f"{mean.valid} of {mean.met}", "" if mean.valid == mean.met else _BAD),
        ]
        for n, mean in enumerate(summed)
    ]
    columns = [
        Column("budget"),
        Column("policy", yields=True),
        Column("feasible", right=True),
        Column("less", right=True),
        Column("required", right=True),
        Column("verbatim", right=True),
        Column("valid", right=True),
    ]
    title = f"All {summed[0].files} sessions: means over those where the budget could be met"
    return table(columns, cells, title=title, ends=ends)


LEGEND = (
    "less: reduction. required: what must stay and stands word for word. verbatim: kept messages "
    "that are unaltered."
)


def _table(rows: Sequence[Row], unit: str, width: int) -> RenderableType:
    wide = _side_by_side(rows, unit)
    if wide[1] <= width:
        return wide[0]
    return _one_by_one(rows, unit)


def _side_by_side(rows: Sequence[Row], unit: str) -> tuple[RenderableType, int]:
    """A row for each budget, a group of columns for each policy; and the width it needs."""
    from rich.console import Group

    policies = list(dict.fromkeys(row.policy for row in rows))
    by_budget: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        by_budget.setdefault((row.budget, row.capacity), {})[row.policy] = row
    columns = [Column("\nbudget"), Column("\n" + unit, right=True)]
    for policy in policies:
        columns += [
            Column(f"{policy}\nused", right=True),
            Column("\nless", right=True),
            Column("\nrequired", right=True),
            Column("\nverbatim", right=True),
            Column("\nvalid"),
        ]
    cells: list[list[Any]] = []
    for (budget, capacity), of_policy in by_budget.items():
        line: list[Any] = [budget, capacity]
        for policy in policies:
            line += _figures(of_policy[policy])
        cells.append(line)
    made = Fitted(columns, [[cell(value) for value in line] for line in cells])
    return Group(cell(title_of(rows), "bold"), made), made.width


def title_of(rows: Sequence[Row]) -> str:
    """The file, as the heading of its table."""
    return rows[0].file


def _figures(row: Row) -> list[Any]:
    if not row.feasible:
        return [cell(f"needs {number(row.needed)}", "yellow"), "–", "–", "–", "–"]
    return [
        number(row.used),
        percent(row.reduction),
        _rate(row.required_retention),
        percent(row.verbatim_fidelity),
        "yes" if row.valid else cell("no", _BAD),
    ]


def _rate(rate: float | None) -> Any:
    """Required retention: less than all of it is what a reader must not miss."""
    return cell(percent(rate), "red" if rate is not None and rate < 1 else "")


def _one_by_one(rows: Sequence[Row], unit: str) -> RenderableType:
    """A row for each budget and policy, grouped by budget."""
    ordered: list[Row] = []
    for budget in dict.fromkeys((row.budget, row.capacity) for row in rows):
        ordered += [row for row in rows if (row.budget, row.capacity) == budget]
    ends = [
        at
        for at in range(len(ordered) - 1)
        if (ordered[at].budget, ordered[at].capacity)
        != (ordered[at + 1].budget, ordered[at + 1].capacity)
    ]
    cells: list[list[Any]] = []
    for at, row in enumerate(ordered):
        first = at == 0 or at - 1 in ends
        head: list[Any] = [row.budget, row.capacity] if first else ["", ""]
        fits = "yes" if row.feasible else cell("no", "yellow")
        cells.append([*head, row.policy, *_figures(row), fits])
    columns = [
        Column("budget"),
        Column(unit, right=True),
        Column("policy", yields=True),
        Column("used", right=True),
        Column("less", right=True),
        Column("required", right=True),
        Column("verbatim", right=True),
        Column("valid"),
        Column("feasible"),
    ]
    return table(columns, cells, title=title_of(rows), ends=ends)
