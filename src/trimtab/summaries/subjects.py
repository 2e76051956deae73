"""Which statements of a conversation a later one replaces: same subject, another value.

    Project budget cap is $800 total.
    ...
    Quick update: keep project spend under five hundred dollars.

No model is asked. A statement is read as claims (an attribute of something, with a value of some
kind), in English and Japanese; a claim is replaced by a later one of the same attribute, the same
things and the same kind of value. A false replacement loses a constraint that still binds, so
whatever is in doubt stays: questions, proposals, tales of what was done, exceptions, additions and
narrower cases replace nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trimtab.summaries.subjects_claims import Claim
from trimtab.summaries.subjects_reading import SINGULAR, Reading, read
from trimtab.summaries.subjects_tokens import QUALIFIERS
from trimtab.summaries.subjects_values import MEASURES, same

RANKS = {"system": 2, "developer": 2, "user": 1, "assistant": 0, "tool": 0}
"""Whose words weigh more. A statement replaces none of a higher rank."""
FAR = 16
"""Statements on one subject that are looked at, newest first."""
WIDE = 64
"""Subjects of one attribute: with more of them an unnamed subject is anyone's guess."""
RARE = 200
"""Statements with the rarest word of a retraction: with more it names none."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a statement is about.

    Attributes:
        attribute: what it says of it: `spend`, `branch`, or the kind of value, as in `duration`.
        scope: of what: content words in canonical form, sorted.
    """

    attribute: str
    scope: tuple[str, ...]


def subject_of(statement: str) -> Subject | None:
    """The subject of a statement (of its first claim), or `None` where it sets no value."""
    claims = read(statement).claims
    if not claims:
        return None
    return Subject(claims[0].attribute or claims[0].kind, tuple(sorted(claims[0].scope)))


def superseded(statements: Sequence[str], *, roles: Sequence[str] | None = None) -> dict[int, int]:
    """Which statements a later one replaces.

    Args:
        statements: in the order in which they were made; lines of an earlier summary first.
        roles: who made each: `system`, `user`, `assistant`, `tool`. What a user laid down is not
            replaced by what an assistant or a tool says. Unknown roles and `None` count as `user`.

    Returns:
        Number of a replaced statement -> number of the one that stands in its place, which is
        later and itself not replaced. A statement that says the same in other words replaces
        nothing; one that is equal word for word replaces the earlier.

    Raises:
        ValueError: `roles` and `statements` differ in length.
    """
    if roles is not None and len(roles) != len(statements):
        raise ValueError(f"{len(statements)} statements but {len(roles)} roles")
    record = _Record()
    for number, statement in enumerate(statements):
        record.add(number, read(statement), RANKS.get(roles[number], 1) if roles else 1)
    return record.replaced()


class _Record:
    """The statements so far, by what they are about."""

    def __init__(self) -> None:
        self._readings: list[Reading] = []
        self._ranks: list[int] = []
        self._by: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._masks: dict[str, list[int]] = defaultdict(list)
        self._exact: dict[tuple[str, str, frozenset[str]], list[int]] = defaultdict(list)
        self._scopes: dict[tuple[str, str], dict[frozenset[str], None]] = defaultdict(dict)
        self._kinds: dict[str, list[int]] = defaultdict(list)
        self._words: dict[str, list[int]] = defaultdict(list)

    def replaced(self) -> dict[int, int]:
        """Each replaced statement with the last one that stands."""
        last: dict[int, int] = {}
        for number in sorted(self._by, reverse=True):
            later = self._by[number]
            last[number] = last.get(later, later)
        return dict(sorted(last.items()))

    def add(self, number: int, reading: Reading, rank: int) -> None:
        """Take up the next statement."""
        self._readings.append(reading)
        self._ranks.append(rank)
        if reading.question:
            return
        if reading.text:
            equal = self._texts.get(reading.text)
            if equal is not None:
                self._replace(equal, number)
            self._texts[reading.text] = number
        if reading.retracts is not None:
            self._retract(number, reading.retracts)
        elif not reading.also:
            self._replace_masked(number, reading)
            self._replace_claims(number, reading)
            if reading.pointing:
                self._replace_pointed(number, reading)
        self._index(number, reading)

    def _index(self, number: int, reading: Reading) -> None:
        if reading.claims:
            self._masks[reading.mask].append(number)
        for claim in reading.claims:
            self._exact[claim.attribute, claim.kind, claim.scope].append(number)
            self._scopes[claim.attribute, claim.kind].setdefault(claim.scope)
            self._kinds[claim.kind].append(number)
        if reading.retracts is None:
            for word in reading.words:
                self._words[word].append(number)

    def _replace(self, earlier: int, later: int) -> bool:
        if earlier in self._by or self._ranks[later] < self._ranks[earlier]:
            return False
        self._by[earlier] = later
        return True

    def _living(self, numbers: list[int]) -> list[int]:
        """The newest living of `numbers`; the dead at the end are taken off."""
        while numbers and numbers[-1] in self._by:
            numbers.pop()
        return [number for number in numbers[-FAR:] if number not in self._by]

    # --- the same words, another value ---------------------------------------------------------

    def _replace_masked(self, number: int, reading: Reading) -> None:
        if not reading.claims or any(claim.loose for claim in reading.claims):
            return
        for earlier in self._living(self._masks.get(reading.mask, [])):
            slots = self._readings[earlier].slots
            other = [
                (mine, its)
                for mine, its in zip(reading.slots, slots, strict=False)
                if not same(mine[1], its[1])
            ]
            enough = 1 if len(other) == 1 else 2
            if other and all(mine[2] >= enough and its[2] >= enough for mine, its in other):
                self._replace(earlier, number)

    # --- the same subject, in whatever words ---------------------------------------------------

    def _replace_claims(self, number: int, reading: Reading) -> None:
        covered: dict[int, set[Claim]] = defaultdict(set)
        other: dict[int, set[Claim]] = defaultdict(set)
        for claim in reading.claims:
            for scope in self._rivals(claim, reading):
                for earlier in self._living(self._exact[claim.attribute, claim.kind, scope]):
                    for rival in self._readings[earlier].claims:
                        if (rival.attribute, rival.kind, rival.scope) != (
                            claim.attribute,
                            claim.kind,
                            scope,
                        ):
                            continue
                        if _agree(claim, rival):
                            covered[earlier].add(rival)
                        elif _replaces(claim, rival, reading, self._ranks[number]):
                            covered[earlier].add(rival)
                            other[earlier].add(rival)
        for earlier, differing in other.items():
            was = self._readings[earlier]
            rivals = covered[earlier]
            if not reading.change and len(differing) > 1 and _names(differing):
                continue
            # A word at the end that may be a value binds nothing where there are sure ones.
            bound = {rival for rival in was.claims if not rival.loose} or set(was.claims)
            if bound <= rivals and was.residual <= reading.residual:
                self._replace(earlier, number)

    def _rivals(self, claim: Claim, reading: Reading) -> list[frozenset[str]]:
        """The scopes that an earlier statement on the same subject may have."""
        scopes = self._scopes.get((claim.attribute, claim.kind), {})
        if claim.scope in scopes and self._living(
            self._exact[claim.attribute, claim.kind, claim.scope]
        ):
            return [claim.scope]
        name = claim.attribute or claim.kind
        if not (reading.change or reading.old or name in SINGULAR):
            return []
        if claim.kind == "person" and name not in SINGULAR and not reading.old:
            return []  # who has the app need not have its back end
        if not (claim.scope or name in SINGULAR or reading.old) or len(scopes) > WIDE:
            return []
        wider = [
            scope
            for scope in scopes
            if (claim.scope < scope or (name == "progress" and scope < claim.scope))
            and self._counts(claim, scope)
        ]
        if reading.old:
            named = [scope for scope in wider if self._says(claim, scope, reading.old)]
            if named:
                return named if len(named) == 1 else []
        if len(wider) != 1 or _qualified(wider[0] ^ claim.scope):
            return []
        return wider

    def _counts(self, claim: Claim, scope: frozenset[str]) -> bool:
        """Whether a living statement of that scope counts the same things."""
        return any(
            (rival.attribute, rival.kind, rival.scope, rival.unit)
            == (claim.attribute, claim.kind, scope, claim.unit)
            for number in self._living(self._exact[claim.attribute, claim.kind, scope])
            for rival in self._readings[number].claims
        )

    def _says(self, claim: Claim, scope: frozenset[str], old: Iterable[str]) -> bool:
        """Whether a living statement of that scope has one of the values named as old."""
        return any(
            same(value, gone)
            for number in self._living(self._exact[claim.attribute, claim.kind, scope])
            for rival in self._readings[number].claims
            if (rival.attribute, rival.kind, rival.scope) == (claim.attribute, claim.kind, scope)
            for value in rival.values
            for gone in old
        )

    # --- "make it 14:00" ------------------------------------------------------------------------

    def _replace_pointed(self, number: int, reading: Reading) -> None:
        kinds = {slot[0]: slot[1] for slot in reading.slots if slot[1] not in reading.old}
        if reading.claims or len(kinds) != 1 or number == 0:
            return
        ((kind, value),) = kinds.items()
        living = self._living(self._kinds[kind])
        near = [earlier for earlier in living if earlier >= number - 2]
        for earlier in near if len(near) == 1 else living if len(living) == 1 else []:
            was = self._readings[earlier]
            if len(was.claims) == 1 and not same(was.claims[0].values[0], value):
                self._replace(earlier, number)

    # --- "that rule no longer applies" ----------------------------------------------------------

    def _retract(self, number: int, words: frozenset[str]) -> None:
        if not words:
            return
        lists = [self._words.get(word, []) for word in sorted(words)]
        rarest = min(lists, key=len)
        if len(rarest) > RARE:
            return
        named = [
            earlier
            for earlier in rarest
            if earlier not in self._by and words <= self._readings[earlier].words
        ]
        if len(named) == 1:
            self._replace(named[0], number)


def _agree(claim: Claim, rival: Claim) -> bool:
    """Whether two claims on one subject say the same."""
    return len(rival.values) == len(claim.values) and all(map(same, rival.values, claim.values))


def _names(claims: Iterable[Claim]) -> bool:
    """Whether one of the values may be a name: "release 2.0" and "release 2.1" are two things."""
    return any(
        not claim.attribute and (claim.kind == "number" or claim.kind not in MEASURES)
        for claim in claims
    )


def _replaces(claim: Claim, rival: Claim, reading: Reading, rank: int) -> bool:
    """Whether a claim says otherwise than an earlier one on the same subject."""
    if claim.loose or rival.loose:
        # A tool is one of a known few; a plain word may be anything.
        sign = reading.strong if claim.kind in ("word", "code") else reading.change
        if not (sign and rank):
            return False
    if set(rival.values) < set(claim.values):
        return False
    facets = rival.facets - claim.facets
    return not facets or "both" in claim.facets or facets <= {"both"}


def _qualified(extra: frozenset[str]) -> bool:
    """Whether the words that one of two subjects lacks tell the two apart."""
    return any(word in QUALIFIERS or word[0] in "=" for word in extra)
