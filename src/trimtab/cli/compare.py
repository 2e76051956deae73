"""`trimtab compare`: policies side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from trimtab.evaluation.compare import Row


@click.command()
@options.files
@click.option(
    "--policies",
    "specs",
    metavar="A,B,...",
    help="Policies, with parameters: prune:N=5,W=3,append. If not given, all.",
)
@click.option(
    "--budgets",
    metavar="A,B,...",
    default="100%,70%,50%,25%",
    show_default=True,
    help="Sizes such as 50k, or shares of each session's own size.",
)
@options.unit
@options.model
@options.reading
@options.as_json
@click.option("--html", metavar="OUT", help="Write table and chart as one page, no network.")
@click.option("--svg", metavar="OUT", help="Write the chart.")
def compare(
    files: tuple[str, ...],
    specs: str | None,
    budgets: str,
    unit: str,
    model: str | None,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
    as_json: bool,
    html: str | None,
    svg: str | None,
) -> None:
    """Put policies side by side at several budgets.

    Size used, reduction, required retention (what must stay and did, word for word), verbatim
    fidelity (kept messages that are unaltered), and whether the result is valid and feasible.
    """
    import dataclasses

    from trimtab.cli.found import list_instead
    from trimtab.cli.output import deliver, emit_json, note

    if not files:
        list_instead(as_json)
        return
    rows = list(_rows(files, specs, budgets, unit, model, thread, whole, format, store))
    if html is not None:
        from trimtab.report.compare_page import compare_page

        deliver(compare_page(rows, unit), html)
    if svg is not None:
        from trimtab.report.tradeoff import tradeoff

        deliver(tradeoff(rows).encode("utf-8", "replace"), svg)
    if as_json:
        emit_json({"rows": [dataclasses.asdict(row) for row in rows]})
    elif "-" not in (html, svg):
        from trimtab.report.compare_text import print_rows

        print_rows(rows, unit)
    for place in (html, svg):
        if place not in (None, "-"):
            note(f"{place} written")


def _rows(
    files: Sequence[str],
    specs: str | None,
    budgets: str,
    unit: str,
    model: str | None,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
) -> Iterator[Row]:
    from trimtab.cli.files import sessions
    from trimtab.cli.progress import progress
    from trimtab.context.budget import parse_size
    from trimtab.errors import UsageError
    from trimtab.evaluation.compare import compare as side_by_side
    from trimtab.policies.registry import POLICIES, parse_policy, split_specs

    policies = list(POLICIES) if specs is None else split_specs(specs)
    shares = [share.strip() for share in budgets.split(",") if share.strip()]
    if not policies or not shares:
        raise UsageError("compare needs at least one policy and one budget")
    for spec in policies:
        parse_policy(spec)  # before a file is read: nothing is worse than a late usage error
    for share in shares:
        parse_size(share, whole=1_000_000)
    reads = list(sessions(files, thread=thread, whole=whole, format=format, store=store))
    steps = [(read, spec) for read in reads for spec in policies]
    for read, spec in progress(steps, lambda step: f"{step[0].path} {step[1]}"):
        yield from side_by_side(read.history, read.path, [spec], shares, unit, model)
