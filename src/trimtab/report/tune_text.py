"""`trimtab tune` in the terminal: the settings, best first, and the lines to set."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.evaluation.tune import ORDER, Score
from trimtab.report.fitted import Column
from trimtab.report.plain import percent, plural
from trimtab.report.terminal import cell, console, show, table

LEGEND = (
    f"Order: {ORDER}. *: no other is as good in all of these and better in one. "
    "available: of the paths, ids, numbers and quotes that an answer used and that were seen "
    "before, those that its context held; recallable: or a block id leads to. sent: tokens over "
    "all turns, of what no policy would have sent. stale: superseded observations in a context."
)


def print_scores(scores: Sequence[Score], lines: Sequence[str], budget: str) -> None:
    """The table, then what to set."""
    to = console()
    first = scores[0]
    title = f"{plural(first.sessions, 'session')}, {plural(first.turns, 'turn')}, budget {budget}"
    rows = [
        (
            "*" if score.undominated else "",
            score.candidate.label,
            cell("yes" if not score.violations else "no", "" if not score.violations else "red"),
            score.overflows,
            percent(score.required_retention),
            percent(score.availability),
            percent(score.recallable),
            score.sent,
            percent(score.sent / score.sent_whole if score.sent_whole else 1.0),
            score.compactions,
            f"{score.stale:.1f}",
        )
        for score in scores
    ]
    columns = [
        Column(""),
        Column("setting", folds=True),
        Column("valid"),
        Column("over", right=True),
        Column("required", right=True),
        Column("available", right=True),
        Column("recallable", right=True, spare=2),
        Column("sent", right=True),
        Column("of all", right=True, spare=3),
        Column("edits at", right=True, spare=4),
        Column("stale", right=True, spare=5),
    ]
    show(to, table(columns, rows, title=title), "", cell(LEGEND, "dim"))
    if lines:
        show(to, "", cell("For trimtab.toml, with --policy prune:category=auto:", "bold"), "")
        show(to, *(cell(line) for line in lines))
