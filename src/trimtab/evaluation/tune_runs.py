"""Many trials, one after the other or in several processes; one that fails stops no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from trimtab.errors import TrimtabError
from trimtab.evaluation.tune import Candidate, Recorded, Settled, Trial, trial

Step = tuple[int, int]
"""The numbers of a session and of a candidate."""
Run = Callable[[Step], "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a step: a trial, or why there is none."""

    step: Step
    made: Trial | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Task:
    sessions: Sequence[Recorded]
    candidates: Sequence[Candidate]
    settled: Settled | None

    def __call__(self, step: Step) -> Outcome:
        session, candidate = self.sessions[step[0]], self.candidates[step[1]]
        try:
            return Outcome(step, trial(session, candidate, self.settled))
        except TrimtabError as error:
            return Outcome(step, None, str(error))


def steps_of(sessions: Sequence[Recorded], candidates: Sequence[Candidate]) -> list[Step]:
    """All steps, session by session: after each session the table is whole for those before."""
    return [(s, c) for s in range(len(sessions)) for c in range(len(candidates))]


@contextmanager
def runner(
    sessions: Sequence[Recorded],
    candidates: Sequence[Candidate],
    settled: Settled | None = None,
    jobs: int = 1,
) -> Iterator[Run]:
    """A function that does a step; with several jobs all steps are under way at once.

    Args:
        settled: as in `trial`; with several jobs it must be such that it can be sent to another
            process.
        jobs: how many processes.
    """
    task = _Task(sessions, candidates, settled)
    if jobs < 2:
        yield task
        return
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(jobs, initializer=_start, initargs=(task,))
    try:
        under_way = {step: pool.submit(_do, step) for step in steps_of(sessions, candidates)}
        yield lambda step: under_way[step].result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_TASK: list[_Task] = []


def _start(task: _Task) -> None:
    """In a process of its own: an interruption is the parent's to deal with."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _TASK[:] = [task]


def _do(step: Step) -> Any:
    return _TASK[0](step)
