"""`trimtab compare --html`: the chart and the table on one page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from trimtab.evaluation.compare import Row
from trimtab.report.compare_text import title_of
from trimtab.report.means import Mean, means
from trimtab.report.page import bar, page, table, tag, text
from trimtab.report.plain import number, percent, plural
from trimtab.report.tradeoff import tradeoff

DEFINITIONS = (
    ("less", "1 − size used / size of the session"),
    ("required", "required items that stand word for word / required items in the session"),
    ("verbatim", "kept messages whose text equals the original / kept messages"),
    ("valid", "the result breaks no rule of the provider"),
)


def compare_page(rows: Sequence[Row], unit: str) -> bytes:
    """The page, in UTF-8."""
    files = list(dict.fromkeys(row.file for row in rows))
    policies = list(dict.fromkeys(row.policy for row in rows))
    body = [
        tag("h1", "Policies side by side"),
        tag(
            "p",
            text(f"{plural(len(files), 'session')}, {plural(len(policies), 'policy', 'policies')}"),
            "soft",
        ),
        f'<figure style="margin-top:18px">{tradeoff(rows, inside=True)}</figure>',
    ]
    summed = means(rows)
    if summed:
        title = f"All {summed[0].files} sessions: means over those where the budget could be met"
        body += [tag("h3", title), _means(summed)]
    for _, of_file in groupby(rows, key=lambda row: row.file):
        own = list(of_file)
        body += [tag("h3", text(title_of(own))), _table(own, unit)]
    meanings = "; ".join(f"<b>{name}</b> {text(said)}" for name, said in DEFINITIONS)
    body.append(f'<p class="soft" style="margin-top:20px;font-size:13px">{meanings}.</p>')
    return page("Policies side by side", body)


def _means(summed: Sequence[Mean]) -> str:
    heads = [("budget", ""), ("policy", "any"), ("feasible", "n"), ("less", "n")]
    heads += [("required", "n"), ("", "bar short"), ("verbatim", "n"), ("valid", "n")]
    ends = [n for n, (a, b) in enumerate(pairwise(summed)) if a.budget != b.budget]
    cells = [
        [
            text(mean.budget) if n == 0 or n - 1 in ends else "",
            text(mean.policy),
            f"{mean.met} of {mean.files}",
            percent(mean.reduction),
            _required(mean.required_retention),
            bar(mean.required_retention or 0.0),
            percent(mean.verbatim_fidelity),
            f"{mean.valid} of {mean.met}",
        ]
        for n, mean in enumerate(summed)
    ]
    return table(heads, cells, ends=ends)


def _required(rate: float | None) -> str:
    shown = percent(rate)
    return f'<span class="bad">{shown}</span>' if rate is not None and rate < 1 else shown


def _table(rows: Sequence[Row], unit: str) -> str:
    budgets = list(dict.fromkeys((row.budget, row.capacity) for row in rows))
    cells: list[list[str]] = []
    ends: list[int] = []
    for budget in budgets:
        for at, row in enumerate(r for r in rows if (r.budget, r.capacity) == budget):
            head = [text(row.budget), number(row.capacity)] if at == 0 else ["", ""]
            cells.append([*head, text(row.policy), *_figures(row)])
        ends.append(len(cells) - 1)
    heads = [("budget", ""), (unit, "n"), ("policy", "any"), ("used", "n"), ("less", "n")]
    heads += [("required", "n"), ("", "bar short"), ("verbatim", "n"), ("valid", "")]
    return table(heads, cells, ends=ends)


def _figures(row: Row) -> list[str]:
    if not row.feasible:
        needs = f'<span class="bad">needs {number(row.needed)}</span>'
        return [needs, "–", "–", "", "–", "–"]
    return [
        number(row.used),
        percent(row.reduction),
        _required(row.required_retention),
        bar(row.required_retention or 0.0),
        percent(row.verbatim_fidelity),
        "yes" if row.valid else '<span class="bad">no</span>',
    ]
