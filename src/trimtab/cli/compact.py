"""`trimtab compact`: a smaller session that fits a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options, repairs

if TYPE_CHECKING:
    from trimtab.context.explain import Explained
    from trimtab.context.plan import Plan
    from trimtab.history.log import History


@click.command()
@options.file
@click.option(
    "--policy",
    metavar="NAME[:k=v,...]",
    default="required-first",
    show_default=True,
    help="What stays; see `trimtab policies`.",
)
@click.option(
    "--budget",
    metavar="N[k|m|%]",
    help="The most that the result may be; a percentage is of the session's own size.",
)
@options.unit
@click.option("--reserve", metavar="N[k|m|%]", help="Kept free of the budget, for the answer.")
@options.output
@options.to
@click.option(
    "--summariser",
    metavar="NAME",
    help="Who writes the summaries of compact and auto: extractive (quotations, no model), "
    "openai/MODEL, responses/MODEL or anthropic/MODEL.",
)
@click.option(
    "--fields",
    metavar="PATH[,PATH...]",
    help="Of JSON results that slim, auto or pipeline shortens only these: items[].id,total.",
)
@click.option(
    "--explain", is_flag=True, help="Print every edit with its reason, and the check of a summary."
)
@click.option("--json", "as_json", is_flag=True, help="The explanation as JSON, for programs.")
@options.model
@repairs.option
@options.reading
def compact(
    file: str | None,
    policy: str,
    budget: str | None,
    unit: str,
    reserve: str | None,
    output: str | None,
    to: str | None,
    summariser: str | None,
    fields: str | None,
    explain: bool,
    as_json: bool,
    model: str | None,
    repair: bool,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
) -> None:
    """Write a smaller session that fits a budget.

    In the input's own format (recordings of agents, which are only read, become neutral JSONL),
    to standard output or to OUT. What leaves the session is put into the store first: `trimtab
    recall` brings each block back by its id. With --explain and without -o no session is written.
    If what must stay does not fit, nothing is written, and the exit status is 3.
    """
    from trimtab.cli.configured import configured
    from trimtab.cli.files import session_and_shape
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import STDOUT, deliver, emit_json, note
    from trimtab.cli.written import tell_losses, written
    from trimtab.context.budget import Budget, parse_size
    from trimtab.context.explain import explain as explained
    from trimtab.context.projection import Projection
    from trimtab.errors import UsageError
    from trimtab.policies.configured import configured as with_settings
    from trimtab.policies.configured import summarises, with_fields
    from trimtab.policies.registry import parse_policy
    from trimtab.tokens import counter_for

    if file is None:
        list_instead(as_json)
        return
    if budget is None:
        raise UsageError("compact needs a budget, such as --budget 50k or --budget 70%")
    explain = explain or as_json
    if explain and output == STDOUT:
        raise UsageError("the explanation goes to standard output: give -o a file")
    chosen = with_settings(parse_policy(policy), configured(), summariser)
    if summariser is not None and not summarises(chosen):
        raise UsageError(f"--summariser: the policy {chosen.name} makes no summaries")
    if fields is not None:
        chosen = with_fields(chosen, _paths(fields))
    read, by_line = session_and_shape(file, thread=thread, whole=whole, format=format, store=store)
    made = None
    if repair:
        read, made = repairs.repaired(read)
    history = read.history
    if not repair:
        _tell_broken(history)
    counter = counter_for(model or history.model, unit)
    size = Projection(history, counter).size
    limit = parse_size(budget, whole=size)
    kept_free = parse_size(reserve, whole=limit) if reserve and reserve != "0" else 0
    plan = chosen.plan(history, Budget(limit, unit, kept_free, counter))
    edits = list(explained(plan))
    context = plan.projection.context()
    data, losses = written(context.messages, read, to, context.envelope, by_line)
    for line in fallbacks(edits):
        note(line)
    if output is not None or not explain:
        tell_losses(losses)
        deliver(data, output, before=lambda: _keep(edits, store))
    else:
        _keep(edits, store)  # the explanation names the ids: each can be recalled
    if as_json:
        found = _as_json(plan, edits, policy, limit, losses)
        emit_json({**found, "repairs": repairs.as_json(made)} if repair else found)
    elif explain:
        _print(plan, edits, policy, limit)
    if output is not None and output != STDOUT:
        note(f"{output}: {_in_short(plan, policy)}")


def _paths(text: str) -> list[str]:
    from trimtab.errors import UsageError

    paths = [path for part in text.split(",") if (path := part.strip())]
    if not paths:
        raise UsageError("--fields names no field: write --fields items[].id,total")
    return paths


def _tell_broken(history: History) -> None:
    """Say that the session breaks rules of its provider as it is."""
    from trimtab.cli.output import note
    from trimtab.history.rules import validate
    from trimtab.report.plain import plural

    found = validate(history, history.dialect, tools=history.tools, envelope=history.envelope)
    if found:
        broken = plural(len(found), "provider rule")
        note(f"the session breaks {broken}, first: {found[0].explanation}; --repair mends it")


def fallbacks(edits: Sequence[Explained]) -> Iterator[str]:
    """A line for each summary that was not made by the one that was asked first."""
    for edit in edits:
        report = json.loads(edit.report) if edit.report else {}
        failed = [a for a in report.get("attempts", ()) if a["reason"]]
        if failed:
            yield (
                f"the summary is by {report['summariser']}: {failed[-1]['summariser']} gave none "
                f"({failed[-1]['reason']})"
            )


def _keep(edits: Sequence[Explained], url: str | None) -> None:
    """Put what left into the store, all or nothing, before anything is written that lacks it."""
    from trimtab.cli.opened import writing

    blocks = [edit.data for edit in edits if edit.block is not None]
    if blocks:
        with writing(url) as store:
            store.put_blocks(blocks)


def _as_json(
    plan: Plan, edits: Sequence[Explained], policy: str, limit: int, losses: Sequence[str]
) -> dict[str, Any]:
    return {
        "edits": [
            {
                "kind": edit.kind,
                "target": edit.target,
                "reason": edit.reason,
                "block": edit.block,
                "tokens_before": edit.tokens_before,
                "tokens_after": edit.tokens_after,
                **({"text": edit.text} if edit.text else {}),
                **({"report": json.loads(edit.report)} if edit.report else {}),
            }
            for edit in edits
        ],
        "before": plan.before,
        "after": plan.after,
        "unit": plan.unit,
        "policy": policy,
        "budget": limit,
        "losses": list(losses),
    }


def _in_short(plan: Plan, policy: str) -> str:
    from trimtab.report.plain import percent, plural

    return (
        f"{policy}: {plan.before:,} → {plan.after:,} {plan.unit} "
        f"({percent(plan.reduction)} less, {plural(len(plan.edits), 'edit')})"
    )


def _print(plan: Plan, edits: Sequence[Explained], policy: str, limit: int) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.summary_report import told
    from trimtab.report.terminal import cell, console, show, table

    to = console()
    show(to, cell(_in_short(plan, policy), "bold"), cell(f"budget {limit:,} {plan.unit}", "dim"))
    if not edits:
        show(to, cell("Nothing had to leave."))
        return
    rows = [
        (
            edit.kind,
            edit.target,
            edit.tokens_before,
            edit.tokens_after,
            edit.block or "",
            edit.reason,
        )
        for edit in edits
    ]
    columns = [
        Column("edit"),
        Column("target"),
        Column("before", right=True),
        Column("after", right=True, spare=1),
        Column("block"),
        Column("reason", folds=True),
    ]
    show(to, "", table(columns, rows))
    for edit in edits:
        if edit.kind == "summarise":
            show(to, "", *(cell(line, "dim") for line in edit.text.splitlines()))
        if edit.report:
            show(to, "", *(cell(line) for line in told(json.loads(edit.report))))
