"""`trimtab guard`: a summary against its sources."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trimtab.history.log import History
    from trimtab.pins import Pin
    from trimtab.summaries.guard import Finding, GuardReport

MOST = 1_000
"""So many values stand in the table."""


@click.command()
@click.argument("summary", metavar="SUMMARY")
@click.option("--source", metavar="FILE", required=True, help="The session that it stands for.")
@click.option("--all", "everything", is_flag=True, help="Also what stands in the session alone.")
@click.option("--verbatim", is_flag=True, help="What is required has to stand word for word.")
@options.as_json
@options.reading
@click.pass_context
def guard(
    ctx: click.Context,
    summary: str,
    source: str,
    everything: bool,
    verbatim: bool,
    as_json: bool,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
) -> None:
    """Check a summary against the session that it stands for.

    SUMMARY is a text file, or - for standard input; whoever wrote it. Each number, amount, date,
    path, URL, identifier and quotation in it must stand in the session, and what the user
    required there must stand in the summary, with the same values and the same direction. Exits
    with 1 if something is invented or lost.
    """
    from trimtab.cli.files import session
    from trimtab.cli.output import emit_json
    from trimtab.errors import InputError, UsageError
    from trimtab.summaries.guard import Evidence, check

    if summary == source == "-":
        raise UsageError("standard input (-) can be named once only")
    text = _text(summary)
    if not text.strip():
        raise InputError(summary, "is empty: there is no summary to check")
    history = session(source, thread=thread, whole=whole, format=format, store=store).history
    required = list(required_of(history))
    evidence = Evidence.of(history, range(len(history)), required)
    report = check(text, evidence, verbatim=verbatim)
    if as_json:
        found = report.to_json(recallable=everything)
        emit_json({"summary": summary, "source": source, "required": len(required), **found})
    else:
        _print(summary, source, text, report, everything)
    if not report.ok:
        ctx.exit(1)


def required_of(history: History) -> Iterator[Pin]:
    """What a summary of the whole history has to hold.

    The requirements that were found in the user's words, those inside the first task too, and
    what was marked; not the system prompt, which stays where it is.
    """
    from trimtab.history.message import Text
    from trimtab.pin_rules.rules import requirements
    from trimtab.pins import Pin, find_pins

    for pin in find_pins(history):
        if pin.rule in ("system", "summary") or not pin.text.strip():
            continue
        block = history[pin.message].blocks[pin.block]
        if pin.rule == "first-task" and isinstance(block, Text):
            for start, end, rules in requirements(block.text):
                yield Pin(pin.message, pin.block, start, end, block.text[start:end], rules[0])
        else:
            yield pin


def _text(name: str) -> str:
    import sys
    from pathlib import Path

    from trimtab.errors import InputError

    if name == "-":
        data = sys.stdin.buffer.read()
    else:
        try:
            data = Path(name).read_bytes()
        except OSError as failure:
            reason = failure.strerror or str(failure)
            raise InputError(name, f"cannot be read ({reason})") from failure
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise InputError(name, f"is no UTF-8 text (byte {failure.start})") from failure


def _print(summary: str, source: str, text: str, report: GuardReport, everything: bool) -> None:
    from trimtab.report.fitted import Column
    from trimtab.report.plain import one_line, plural
    from trimtab.report.terminal import cell, console, show, table

    to = console()
    breaks = [at for at, sign in enumerate(text) if sign == "\n"]
    findings = [*report.findings, *(report.recallable if everything else ())]
    rows: list[tuple[Any, ...]] = [
        (f.state, f.kind, one_line(f.text, 300), _place(breaks, f), f.reason)
        for f in findings[:MOST]
    ]
    if rows:
        columns = [
            Column("state"),
            Column("kind"),
            Column("value", folds=True),
            Column("where"),
            Column("why", folds=True),
        ]
        show(to, table(columns, rows, title=f"{summary} against {source}"), "")
    if len(findings) > MOST:
        show(to, f"and {len(findings) - MOST:,} more values; --json lists all", "")
    wrong = [
        plural(len(found), one, many)
        for found, one, many in (
            (report.inventions, "invention", "inventions"),
            (report.losses, "loss", "losses"),
        )
        if found
    ]
    show(to, cell(f"{summary}: {', '.join(wrong) or 'nothing invented, nothing lost'}"))


def _place(breaks: list[int], finding: Finding) -> str:
    """Where a value stands: the line of the summary, the message of the session."""
    places = []
    if finding.start >= 0:
        places.append(f"line {bisect_left(breaks, finding.start) + 1}")
    if finding.source >= 0:
        places.append(f"message {finding.source}")
    return ", ".join(places)
