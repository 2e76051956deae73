"""Constraints of a summary that point another way than in their source, or are gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trimtab.summaries.guard_bounds import OPPOSITE, bound_key, bounds
from trimtab.summaries.guard_evidence import Evidence, Said
from trimtab.summaries.guard_polarity import Statement, clauses_of, parted, same, waits
from trimtab.summaries.guard_words import stems_of
from trimtab.summaries.values import Value, folded, values
from trimtab.summaries.values_quotes import squeezed

LONGEST = 600
COVERED = 0.5
"""The share of a required sentence's content words that one sentence of the summary must have."""

Contradiction = tuple[int, int, str, int, str]
"""Start, end and words in the summary; the number of the source; why."""


def contradictions(
    text: str, found: Sequence[Value], evidence: Evidence
) -> Iterator[Contradiction]:
    """The bounds and the constraints of `text` that its sources have the other way round."""
    read = folded(text)
    for direction, value, start, end in bounds(read, found):
        turned = bound_key(OPPOSITE[direction], value)
        if not evidence.has(bound_key(direction, value)) and evidence.has(turned):
            first, last = min(start, value.start), max(end, value.end)
            source = evidence.number_of(turned)
            yield first, last, text[first:last], source, "its source bounds it the other way"
    known: dict[Statement, Said | None] = {}
    for start, end in parted(text):
        if end - start > LONGEST:
            continue
        for clause in clauses_of(text[start:end]):
            if clause not in known:
                known[clause] = _against(clause, evidence)
            against = known[clause]
            if against is not None and not evidence.has(f"said:{folded(text[start:end]).lower()}"):
                number, statement = against
                reason = f"turns round: {' '.join(statement.text.split())}"
                yield start, end, text[start:end], number, reason
                break


def _against(clause: Statement, evidence: Evidence) -> Said | None:
    """A source that says the opposite of an order, where no source says the same."""
    if not clause.order:
        return None
    against: Said | None = None
    for said in evidence.about(clause.stems):
        if _backs(said[1], clause):
            return None
        if against is None and _turns(clause, said[1]):
            against = said
    if against is not None and any(_backs(said, clause) for _, said in evidence.answers()):
        return None
    return against


def _backs(statement: Statement, clause: Statement) -> bool:
    """Whether a source says what the clause says."""
    if not same(statement, clause):
        return False
    if clause.negative:
        return statement.negative or statement.only or _otherwise(clause, statement)
    return statement.order and not statement.negative and not _drops(clause, statement)


def _turns(clause: Statement, statement: Statement) -> bool:
    """Whether the clause says the opposite of a source."""
    if not same(statement, clause):
        return False
    if statement.negative and not clause.negative:
        return not waits(clause, statement)
    if not statement.order or not same(clause, statement):
        return False
    if clause.negative:
        return statement.condition != "after" and not _backs(statement, clause)
    return _drops(clause, statement)


def _otherwise(clause: Statement, statement: Statement) -> bool:
    """`not without approval` and `after approval` say the same."""
    return "" not in (clause.condition, statement.condition) and (
        clause.condition != statement.condition
    )


def _drops(clause: Statement, statement: Statement) -> bool:
    """Whether an order leaves out what narrows the order of its source."""
    if statement.only:
        return not clause.narrow or clause.condition == "outside"
    return statement.condition == "after" and clause.condition == "without"


def lost_of(
    sentence: str, text: str, found: Sequence[Value]
) -> Iterator[tuple[str, str, str, str]]:
    """What of a required sentence the summary does not hold: kind, text, norm, reason."""
    given = {key for value in found for key in value.gives}
    flat = squeezed(folded(text))
    own = values(sentence)
    for value in own:
        if value.kind in ("count", "negation"):
            continue
        if value.kind == "quote":
            if value.norm not in flat:
                yield value.kind, value.text, value.norm, "is required"
        elif not _held(value, given, flat):
            yield value.kind, value.text, value.norm, "is required"
    held = {bound_key(d, v) for d, v, _, _ in bounds(folded(text), found)}
    bounded = False
    for direction, value, _, _ in bounds(folded(sentence), own):
        bounded = True
        key = bound_key(direction, value)
        if key not in held:
            turned = bound_key(OPPOSITE[direction], value) in held
            reason = "is bounded the other way" if turned else "its bound is required"
            yield "constraint", value.text, key, reason
            return
    if not _said(sentence, text, bounded):
        yield "constraint", sentence, squeezed(sentence), "no sentence says so"


def _held(value: Value, given: set[str], flat: str) -> bool:
    """Whether a summary has a value: in its values, or its letters."""
    if any(all(key in given for key in need) for need in value.needs):
        return True
    return value.norm.lower() in flat or value.text.lower() in flat


def _said(sentence: str, text: str, bounded: bool) -> bool:
    """Whether a sentence of the text has the content words and the direction of `sentence`.

    Args:
        bounded: its bounds are all there, which is enough where it forbids nothing.
    """
    wanted, _ = stems_of(folded(sentence))
    parts = [part for part in clauses_of(sentence) if part.negative or part.only]
    if not wanted or (bounded and not parts):
        return True
    for start, end in parted(text):
        stems, _ = stems_of(folded(text[start:end]))
        if len(wanted & stems) < max(1, COVERED * len(wanted)):
            continue
        there = list(clauses_of(text[start:end]))
        if all(any(_agrees(part, own) for part in there) for own in parts):
            return True
    return False


def _agrees(part: Statement, own: Statement) -> bool:
    """Whether a clause of the summary points where a clause that forbids or narrows points."""
    if own.negative:
        if part.condition == "without" and own.condition != "without":
            return True  # `twelve slides without animations` forbids animations
        return part.negative or waits(part, own)
    return part.only or part.negative
