"""`trimtab tune`: which parameters to use for sessions like these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli import options

if TYPE_CHECKING:
    from trimtab.evaluation.tune import Recorded, Score, Trial
    from trimtab.evaluation.tune_runs import Outcome, Step
    from trimtab.policies.windows import Category, Windows


@click.command()
@options.files
@click.option(
    "--budget",
    metavar="N[k|m|%]",
    default="50%",
    show_default=True,
    help="What holds at every turn; a percentage is of each session's own size.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Run in so many processes.",
)
@options.model
@options.reading
@options.as_json
@click.pass_context
def tune(
    ctx: click.Context,
    files: tuple[str, ...],
    budget: str,
    jobs: int,
    model: str | None,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Find the parameters that suit recorded sessions.

    Runs each setting over each session turn by turn, as if it had been in charge: N and W of
    prune, keep and trigger of clear-tool-results, target and keep of auto. Prints the table, best
    first, and the lines of trimtab.toml that set the windows. No model is asked. Interrupted, it
    prints what was found so far.
    """
    from trimtab.cli.found import list_instead
    from trimtab.cli.output import emit_json
    from trimtab.cli.root import INTERRUPTED
    from trimtab.evaluation.tune import best_windows, scores, settings_lines
    from trimtab.report.tune_text import print_scores

    if not files:
        list_instead(as_json)
        return
    windows = _windows()
    sessions = _sessions(files, budget, model, windows, thread, whole, format, store)
    trials, interrupted = _trials(sessions, jobs)
    if trials:
        found = scores(trials)
        best = best_windows(trials, windows)
        if as_json:
            emit_json(_as_json(found, trials, sessions, budget, best))
        else:
            print_scores(found, settings_lines(best), budget)
    if interrupted:
        ctx.exit(INTERRUPTED)


def _windows() -> Windows:
    from trimtab.cli.configured import configured
    from trimtab.policies.windows import windows_of

    return windows_of(configured())


def _sessions(
    files: Sequence[str],
    budget: str,
    model: str | None,
    windows: Windows,
    thread: str | None,
    whole: bool,
    format: str | None,
    store: str | None,
) -> list[Recorded]:
    """The sessions that can be read and have an answer of a model; the others are told."""
    from trimtab.cli.files import sessions
    from trimtab.cli.output import note
    from trimtab.context.budget import parse_size
    from trimtab.errors import InputError, UsageError
    from trimtab.evaluation.tune import recorded
    from trimtab.history.answers import answers

    parse_size(budget, whole=1_000_000)  # before a file is read
    if list(files).count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    found: list[Recorded] = []
    failure: InputError | None = None
    for name in files:
        try:
            for read in sessions([name], thread=thread, whole=whole, format=format, store=store):
                if next(answers(read.history), None) is None:
                    failure = InputError(read.path, "no answer of a model is in it")
                    note(f"{failure}; skipped")
                    continue
                found.append(recorded(read.history, read.path, budget, model, windows))
        except InputError as error:
            failure = error
            if len(files) > 1:
                note(f"{error}; skipped")
    if not found and failure is not None:
        raise failure
    return found


def _trials(sessions: Sequence[Recorded], jobs: int) -> tuple[list[Trial], bool]:
    """The trials of all sessions that every setting was run on, and whether it was interrupted."""
    from trimtab.cli.configured import configured
    from trimtab.cli.output import note
    from trimtab.cli.progress import progress
    from trimtab.evaluation.tune import candidates
    from trimtab.evaluation.tune_runs import runner, steps_of
    from trimtab.policies.configured import configured as filled

    settings = configured()
    tables = {name: table for name, table in settings.tables.items() if name != "summary"}
    settled = partial(filled, settings=replace(settings, tables=tables))  # and no model is asked
    swept = candidates()
    steps = steps_of(sessions, swept)

    def name(step: Step) -> str:
        return f"{sessions[step[0]].file} {swept[step[1]].label}"

    done: list[Outcome] = []
    interrupted = False
    try:
        with runner(sessions, swept, settled, jobs) as run:
            for step in progress(steps, name):
                done.append(run(step))
    except KeyboardInterrupt:
        interrupted = True
        note(f"trimtab: interrupted after {len(done):,} of {len(steps):,} runs")
    failed = {o.step[0]: o.failure for o in reversed(done) if o.made is None}
    for number, reason in sorted(failed.items()):
        note(f"{sessions[number].file}: {reason}; skipped")
    good = [o for o in done if o.step[0] not in failed]
    whole = [o for o in good if o.step[0] < len(done) // len(swept)]
    return [o.made for o in whole or good if o.made is not None], interrupted


def _as_json(
    scores: Sequence[Score],
    trials: Sequence[Trial],
    sessions: Sequence[Recorded],
    budget: str,
    best: Sequence[Category],
) -> dict[str, Any]:
    from trimtab.evaluation.tune import ORDER, settings_lines

    turns = {made.file: len(made.turns) for made in trials}
    return {
        "budget": budget,
        "order": ORDER,
        "sessions": [
            {
                "file": session.file,
                "category": session.category,
                "budget": session.budget.available,
                "turns": turns[session.file],
            }
            for session in sessions
            if session.file in turns
        ],
        "rows": [
            {
                "setting": score.candidate.label,
                "policy": score.candidate.policy,
                "undominated": score.undominated,
                "valid": not score.violations,
                "violations": score.violations,
                "overflows": score.overflows,
                "required_retention": score.required_retention,
                "availability": score.availability,
                "recallable": score.recallable,
                "sent": score.sent,
                "sent_whole": score.sent_whole,
                "compactions": score.compactions,
                "stale_exposure": score.stale,
            }
            for score in scores
        ],
        "windows": {c.name: {"N": c.N, "W": c.W} for c in best},
        "toml": "".join(f"{line}\n" for line in settings_lines(best)),
    }
