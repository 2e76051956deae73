"""Parameters of policies swept over recorded sessions: which to use for sessions like these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from trimtab.context.budget import Budget, parse_size
from trimtab.context.projection import Projection
from trimtab.evaluation import turnwise_measures as measures
from trimtab.evaluation.turnwise import TurnRun, turnwise
from trimtab.history.log import History
from trimtab.history.tool_uses import tool_uses
from trimtab.policies.policy import Policy
from trimtab.policies.registry import parse_policy
from trimtab.policies.windows import DEFAULT, Category, Windows, most_used
from trimtab.tokens import counter_for

ORDER = (
    "valid contexts; fewest turns over the budget; required retention; reference availability; "
    "fewest tokens"
)
"""What comes first in the table, in words."""

NONE = "other"
"""The category of a session whose tools speak for none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One setting of a policy.

    Attributes:
        policy: its name.
        parameters: names and values, as in a spec.
        trigger: the budget's share, in percent, at which it begins, where that is a parameter.
    """

    policy: str
    parameters: tuple[tuple[str, int], ...]
    trigger: int | None = None

    @property
    def label(self) -> str:
        """As a spec is written; a trigger as a share of the budget."""
        share = [f"trigger={self.trigger}%"] if self.trigger is not None else []
        return f"{self.policy}:{','.join([*share, *(f'{k}={v}' for k, v in self.parameters)])}"

    def spec(self, budget: Budget) -> str:
        """The spec at a budget."""
        if self.trigger is None:
            return self.label
        size = max(budget.available * self.trigger // 100, 1)
        return self.label.replace(f"trigger={self.trigger}%", f"trigger={size}")


def candidates() -> list[Candidate]:
    """The settings that are swept.

    N and W of `prune`; `keep` and the trigger of `clear-tool-results`; `target` and `keep` of
    `auto`. Triggers and targets are shares of the budget.
    """
    swept = [
        Candidate("prune", (("N", n), ("W", w))) for n in (2, 3, 5, 8, 12) for w in (0, 3, 8, -1)
    ]
    swept += [
        Candidate("clear-tool-results", (("keep", keep),), trigger)
        for trigger in (60, 80, 100)
        for keep in (1, 3, 5, 10)
    ]
    swept += [
        Candidate("auto", (("target", target), ("keep", keep)))
        for target in (50, 60, 70, 80)
        for keep in (3, 5, 8)
    ]
    return swept


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session to tune for.

    Attributes:
        file: its name, as the caller gave it.
        history: H.
        budget: what holds at every turn.
        category: the kind of work, by the tools it uses; `other` for none.
    """

    file: str
    history: History
    budget: Budget
    category: str


def recorded(
    history: History,
    file: str,
    budget: str,
    model: str | None = None,
    windows: Windows = DEFAULT,
) -> Recorded:
    """A session with the budget that it is tuned at.

    Args:
        budget: a size such as `50k`, or a share of the session's own size such as `40%`.
        model: counts for this model; by default the history's own.
        windows: the kinds of work.

    Raises:
        UsageError: the budget cannot be meant as given.
    """
    counter = counter_for(model or history.model)
    size = Projection(history, counter).size
    category = most_used([use.name for use in tool_uses(history)], windows)
    limit = Budget(parse_size(budget, whole=size), counter=counter)
    return Recorded(file, history, limit, NONE if category is None else category.name)


@dataclass(frozen=True, slots=True)
class Trial:
    """One candidate on one session."""

    candidate: Candidate
    file: str
    category: str
    turns: tuple[TurnRun, ...]


def trial(session: Recorded, candidate: Candidate, settled: Settled | None = None) -> Trial:
    """Run one candidate over one session.

    Args:
        settled: fills in what `trimtab.toml` says besides a policy's parameters.
    """
    policy = parse_policy(candidate.spec(session.budget))
    made = turnwise(session.history, policy if settled is None else settled(policy), session.budget)
    return Trial(candidate, session.file, session.category, made.turns)


Settled = Callable[[Policy], Policy]


@dataclass(frozen=True, slots=True)
class Score:
    """A candidate over all its sessions; the measures are those of `turnwise_measures`.

    Attributes:
        candidate: the setting.
        sessions, turns: how many there were.
        violations, overflows: turns with a context that is not valid, or over the budget.
        required_retention: the lowest of any turn.
        availability, recallable: over the literals of all sessions.
        sent, sent_whole: tokens over all turns of all sessions, with and without it.
        compactions: turns with edits.
        stale: stale exposure, mean over all turns.
        undominated: no other candidate is as good in every column of the order and better in one.
    """

    candidate: Candidate
    sessions: int
    turns: int
    violations: int
    overflows: int
    required_retention: float
    availability: float
    recallable: float
    sent: int
    sent_whole: int
    compactions: int
    stale: float
    undominated: bool = False

    @property
    def rank(self) -> tuple[float, ...]:
        """What the table is ordered by, lowest first; see `ORDER`. Also what one can be better
        in than another."""
        return (
            self.violations,
            self.overflows,
            -self.required_retention,
            -self.availability,
            self.sent,
        )


def scores(trials: Iterable[Trial]) -> list[Score]:
    """The candidates of these trials, best first, with the undominated ones marked.

    The order is that of `ORDER`: each measure decides where those before it are the same.
    """
    by_candidate: dict[Candidate, list[Trial]] = {}
    for made in trials:
        by_candidate.setdefault(made.candidate, []).append(made)
    found = [_score(candidate, made) for candidate, made in by_candidate.items()]
    found.sort(key=lambda score: (score.rank, score.candidate.label))
    return [replace(s, undominated=not any(_dominates(o, s) for o in found)) for s in found]


def _score(candidate: Candidate, trials: Sequence[Trial]) -> Score:
    turns = [turn for made in trials for turn in made.turns]
    return Score(
        candidate,
        len(trials),
        len(turns),
        measures.violations(turns),
        measures.overflows(turns),
        measures.least_retention(turns),
        measures.availability(turns),
        measures.recallable(turns),
        measures.sent(turns),
        measures.sent_whole(turns),
        measures.compactions(turns),
        measures.stale_exposure(turns),
    )


def _dominates(one: Score, other: Score) -> bool:
    pairs = list(zip(one.rank, other.rank, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def best_windows(trials: Sequence[Trial], windows: Windows = DEFAULT) -> list[Category]:
    """The best N and W for each kind of work among the sessions, in the order of `windows`."""
    found = []
    for category in windows:
        of_it = [
            made
            for made in trials
            if made.category == category.name and made.candidate.policy == "prune"
        ]
        if of_it:
            best = dict(scores(of_it)[0].candidate.parameters)
            found.append(replace(category, N=best["N"], W=best["W"]))
    return found


def settings_lines(best: Sequence[Category]) -> list[str]:
    """The lines of `trimtab.toml` that set these windows."""
    tools = {category.name: category.tools for category in DEFAULT}
    lines: list[str] = []
    for category in best:
        lines += [f"[windows.{category.name}]", f"N = {category.N}", f"W = {category.W}"]
        if tools.get(category.name) != category.tools:
            names = ", ".join(f'"{tool}"' for tool in category.tools)
            lines.append(f"tools = [{names}]")
        lines.append("")
    return lines[:-1]
