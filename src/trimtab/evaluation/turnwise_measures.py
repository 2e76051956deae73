"""The measures of a session under a policy, each a plain function of its turns."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.evaluation.turnwise import TurnRun

Turns = Sequence[TurnRun]


def sent(turns: Turns) -> int:
    """The sum of what was sent over all turns, in the budget's unit.

    A turn whose budget could not be met counts with the context that would have been sent.
    """
    return sum(turn.size for turn in turns)


def sent_whole(turns: Turns) -> int:
    """What would have been sent over all turns without a policy, in the budget's unit."""
    return sum(turn.whole for turn in turns)


def peak(turns: Turns) -> int:
    """The size of the largest context that was sent; 0 where there is no turn."""
    return max((turn.size for turn in turns), default=0)


def compactions(turns: Turns) -> int:
    """At how many turns the policy made edits: each rewrites what the provider has cached."""
    return sum(1 for turn in turns if turn.edits)


def least_retention(turns: Turns) -> float:
    """The lowest required retention of any turn, 0..1; see `metrics.required_retention`."""
    return min((turn.retention for turn in turns), default=1.0)


def availability(turns: Turns) -> float:
    """Reference availability, 0..1.

    Of the literals (paths, ids, numbers of three digits or more, URLs, hashes, quoted strings)
    that an answer used and that occur earlier in H, the share that occurs in K at that turn. Each
    literal counts once an answer. 1 where no answer used one.
    """
    used = sum(turn.literals.used for turn in turns)
    return sum(turn.literals.here for turn in turns) / used if used else 1.0


def recallable(turns: Turns) -> float:
    """The share of the same literals that occurs in K or behind a block id that K names, 0..1."""
    used = sum(turn.literals.used for turn in turns)
    at_hand = sum(turn.literals.here + turn.literals.recallable for turn in turns)
    return at_hand / used if used else 1.0


def stale_exposure(turns: Turns) -> float:
    """Superseded observations that stand whole in K, mean over the turns.

    An observation is superseded when the same resource was seen again or changed later, see
    `trimtab.resources`.
    """
    return sum(turn.stale for turn in turns) / len(turns) if turns else 0.0


def violations(turns: Turns) -> int:
    """Contexts that break a provider rule which the history so far does not; must be 0.

    Checked at every turn with edits, and now and then at the others.
    """
    return sum(1 for turn in turns if turn.violations)


def overflows(turns: Turns) -> int:
    """Turns at which the policy could not meet the budget (`BudgetInfeasible`)."""
    return sum(1 for turn in turns if turn.overflow)
