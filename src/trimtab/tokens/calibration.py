"""Learning from reported usage: how a model's tokens differ from the estimate.

A provider reports the size of the whole context, including what we cannot see (a harness's
system prompt, hidden tools). Two consecutive reports differ by what was added between them, and
that we can see. So the factors are learned from differences, by recursive least squares; the
part that never changes falls into the intercept, never into a factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from trimtab.errors import UsageError
from trimtab.tokens.counter import Counter
from trimtab.tokens.estimate import starting_factors
from trimtab.tokens.models import Family, family_of
from trimtab.tokens.token_counter import estimate_counter, exact_counter
from trimtab.tokens.weight import SCALED, Weight

LEAST, MOST = 0.5, 3.0
"""No learned factor leaves these bounds."""

SPREAD = 0.25
"""How far a starting factor is expected to be off, as a share of it (one standard deviation)."""

NOISE = 30.0
NOISE_SHARE = 0.1
"""How far a difference is expected to be off besides: tokens, and a share of what was added.
Over recorded sessions the median miss was 8 % of what was added."""

TOO_FAR = 20_000
TOO_FAR_SHARE = 0.5
HIDDEN = 100_000
"""A report is doubted that lies this far off (tokens, and as a share of the expectation), or that
means more hidden tokens than this at first. A doubted report that the next one confirms counts."""

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A reported size and the weight of the context that had it."""

    weight: Weight
    reported: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned for one model family so far; immutable, each report makes a new one.

    Attributes:
        family: the model family that it belongs to.
        information, evidence: the least squares sums, of deviations from the starting factors.
        learned: differences that taught factors.
        accepted, refused: reports that were believed, or not.
        anchor: the last believed report of the session; `None` before the first.
        doubt: a report that awaits confirmation.
    """

    family: Family
    information: Matrix
    evidence: tuple[float, ...]
    learned: int = 0
    accepted: int = 0
    refused: int = 0
    anchor: Anchor | None = None
    doubt: Anchor | None = None

    @staticmethod
    def start(model: str | None) -> Calibration:
        """Nothing learned yet."""
        family = family_of(model)
        prior = _prior(family)
        size = len(SCALED)
        information = tuple(
            tuple((SPREAD * prior[i]) ** -2 if i == j else 0.0 for j in range(size))
            for i in range(size)
        )
        return Calibration(family, information, (0.0,) * size)

    def observe(self, weight: Weight, reported: int, window: int | None = None) -> Calibration:
        """Take up a reported size.

        Args:
            weight: of the context that was sent (messages and tool definitions).
            reported: `Usage.context` of that one call, in tokens. Not a sum over several calls.
            window: the model's context window, where known; a report above it is not believed.
        """
        if reported <= 0 or (window is not None and reported > window):
            return replace(self, refused=self.refused + 1)
        seen = Anchor(weight, reported)
        leap = self._doubtful(seen)
        if leap and not self._confirmed(seen):
            return replace(self, refused=self.refused + 1, doubt=seen)
        last = self.anchor
        after = replace(self, accepted=self.accepted + 1, anchor=seen, doubt=None)
        if last is None or leap or self.family.encoding:
            return after
        step = weight - last.weight
        return after._learn(step.scaled, reported - last.reported - step.fixed)

    def _learn(self, amounts: tuple[int, ...], grown: int) -> Calibration:
        """Least squares on one difference: `grown` tokens for these amounts."""
        prior = _prior(self.family)
        expected = [a * f for a, f in zip(amounts, prior, strict=True)]
        moved = sum(map(abs, expected))
        if moved < 2 * NOISE:
            return self
        miss = grown - sum(expected)
        if not (LEAST / MOST) * moved < grown + 2 * NOISE < MOST * moved + 10 * NOISE:
            return self  # something else changed as well: what came or went is not ours to price
        certainty = (NOISE + NOISE_SHARE * moved) ** -2
        size = range(len(SCALED))
        information = tuple(
            tuple(self.information[i][j] + certainty * amounts[i] * amounts[j] for j in size)
            for i in size
        )
        evidence = tuple(self.evidence[i] + certainty * amounts[i] * miss for i in size)
        return replace(self, information=information, evidence=evidence, learned=self.learned + 1)

    def _doubtful(self, seen: Anchor) -> bool:
        if self.anchor is None:
            return seen.reported - self._visible(seen.weight) > HIDDEN
        expected = self.predict(seen.weight)
        return abs(seen.reported - expected) > max(TOO_FAR, TOO_FAR_SHARE * expected)

    def _confirmed(self, seen: Anchor) -> bool:
        """The report agrees with the doubted one before it."""
        if self.doubt is None:
            return False
        step = self._visible(seen.weight) - self._visible(self.doubt.weight)
        off = abs(seen.reported - self.doubt.reported - step)
        return off < TOO_FAR / 4 + 0.1 * abs(step)

    @property
    def factors(self) -> dict[str, float]:
        """Class -> factor, as learned so far, within the bounds."""
        prior = _prior(self.family)
        solved = _solve(self.information, self.evidence)
        return {
            name: min(MOST, max(LEAST, start + change))
            for name, start, change in zip(SCALED, prior, solved, strict=True)
        }

    @property
    def hidden(self) -> int:
        """The intercept: tokens of the last report that the visible content does not explain."""
        if self.anchor is None:
            return 0
        return max(0, round(self.anchor.reported - self._visible(self.anchor.weight)))

    def predict(self, weight: Weight) -> int:
        """The expected size of a context: the last report, and what changed since at the factors.

        Before the first report it is the estimate of the visible content alone.
        """
        if self.anchor is None:
            return round(self._visible(weight))
        step = self._visible(weight) - self._visible(self.anchor.weight)
        return max(0, round(self.anchor.reported + step))

    def _visible(self, weight: Weight) -> float:
        factors = self.factors
        return weight.fixed + sum(
            amount * factors[name] for name, amount in zip(SCALED, weight.scaled, strict=True)
        )

    def counter(self) -> Counter:
        """A counter with the learned factors, whose `total` includes the hidden part."""
        if self.family.encoding:
            return exact_counter(self.family, hidden=self.hidden)
        return estimate_counter(self.family, self.factors, hidden=self.hidden)

    def new_session(self) -> Calibration:
        """What was learned about the model, without the hidden part of this session."""
        return replace(self, anchor=None, doubt=None)

    def to_dict(self) -> dict[str, Any]:
        """The state as a JSON value; the session's anchor is not part of it."""
        return {
            "version": 1,
            "family": self.family.name,
            "classes": list(SCALED),
            "information": [list(row) for row in self.information],
            "evidence": list(self.evidence),
            "learned": self.learned,
            "accepted": self.accepted,
            "refused": self.refused,
        }

    @staticmethod
    def from_dict(model: str | None, state: Mapping[str, Any]) -> Calibration:
        """The state that `to_dict` gave, for a model of the same family.

        Raises:
            UsageError: it belongs to another family, or is not such a state.
        """
        start = Calibration.start(model)
        if state.get("version") != 1 or state.get("classes") != list(SCALED):
            raise UsageError("this calibration was written by another version: start anew")
        if state.get("family") != start.family.name:
            raise UsageError(
                f"this calibration is for {state.get('family')}, not {start.family.name}"
            )
        try:
            information = tuple(tuple(map(float, row)) for row in state["information"])
            evidence = tuple(map(float, state["evidence"]))
            counts = [int(state[key]) for key in ("learned", "accepted", "refused")]
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"not a calibration: {error!r}") from error
        size = len(SCALED)
        if len(evidence) != size or [len(row) for row in information] != [size] * size:
            raise UsageError("not a calibration: its sums have the wrong size")
        return replace(
            start,
            information=information,
            evidence=evidence,
            learned=counts[0],
            accepted=counts[1],
            refused=counts[2],
        )


def _prior(family: Family) -> tuple[float, ...]:
    factors = starting_factors(family.name)
    return tuple(factors.get(name, 1.0) for name in SCALED)


def _solve(matrix: Matrix, right: tuple[float, ...]) -> list[float]:
    """Cholesky-free Gaussian elimination; the matrix is positive definite by its prior."""
    size = len(right)
    rows = [[*matrix[i], right[i]] for i in range(size)]
    for i in range(size):
        for k in range(i + 1, size):
            share = rows[k][i] / rows[i][i]
            if share:
                for j in range(i, size + 1):
                    rows[k][j] -= share * rows[i][j]
    solved = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][j] * solved[j] for j in range(i + 1, size))
        solved[i] = (rows[i][size] - rest) / rows[i][i]
    return solved
