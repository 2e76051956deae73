"""What a statement says: its claims, each an attribute of something with a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from trimtab.summaries.subject_words_values import CHOICES
from trimtab.summaries.subjects_claims import (
    NEXT,
    PUNCTUATION,
    Claim,
    next_claim,
    normal,
    tail_claim,
)
from trimtab.summaries.subjects_clauses import Clause, parts
from trimtab.summaries.subjects_old import old_values, retracted
from trimtab.summaries.subjects_persons import spoken_of
from trimtab.summaries.subjects_places import (
    ROLES,
    attribute_of,
    is_named,
    is_number_of,
    is_state,
    is_subject,
    unit_of,
)
from trimtab.summaries.subjects_tokens import (
    GENERIC,
    OF_KIND,
    RIDER,
    canonical,
    direction,
    is_deed,
    words_of,
)
from trimtab.summaries.subjects_values import MEASURES, Value, find_values

SINGULAR = frozenset(
    [
        "credential",
        "codename",
        "branch",
        "commit",
        "oncall",
        "support",
        "tz",
        "next",
        "progress",
        "style",
        "units",
        "spend",
        "port",
    ]
)
"""Attributes of which a conversation has one by nature: the subject need not be named again."""
BARE = SINGULAR | frozenset(
    [
        "natlang",
        "proglang",
        "currency",
        "encoding",
        "indent",
        "loglevel",
        "order",
        "theme",
        "reviewer",
        "approver",
        "owner",
        "deadline",
    ]
)
"""Attributes that are a subject without a word more."""

_TOOLS = (frozenset(CHOICES) | {"model"}) - MEASURES
_TEXT = frozenset(("word", "character", "line", "pag", "sentenc", "paragraph"))
_MANNERS = frozenset(("style", "units", "natlang", "format"))
_DUE = frozenset((canonical("deadline"), canonical("due")))
_PERIODIC = frozenset(
    map(canonical, ["weekly", "monthly", "daily", "quarterly", "every-week", "every-month"])
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one statement says.

    Attributes:
        text: in normal form: two equal texts say the same.
        mask: the text with a sign for each value.
        slots: the values behind the signs: kind, normal form, and `0` (names its subject), `1`
            (is the value of a claim) or `2` (of a claim whose attribute is known).
        claims: what is set.
        change, strong, also, question: see `Parts`; a question sets nothing.
        old: the values that it names as no longer true.
        residual: sentences that demand something besides the claims.
        words: its content words and values, for a retraction that names it.
        retracts: the words of what it takes back, or `None`.
        pointing: it sets a value of "it", whatever that was.
    """

    text: str
    mask: str
    slots: tuple[tuple[str, str, int], ...]
    claims: tuple[Claim, ...]
    change: bool
    strong: bool
    also: bool
    question: bool
    old: tuple[str, ...]
    residual: frozenset[str]
    words: frozenset[str]
    retracts: frozenset[str] | None
    pointing: bool


_POINTING = re.compile(
    r"\b(?:make|set|change|move|put) (?:it|that|this)\b|^\W*(?:actually|correction|sorry|no"
    r"|rather|scratch that)\b"
    r"|^(?:訂正|やっぱり|やはり|すみません|いや)",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?:quick |small |minor )?(?:update|correction|change|note)\s*[:,-]\s*|(?:actually"
    r"|now|ok|okay|please|from"
    r" now on|going forward|sorry|so|and|but)\b,?\s*|(?:今後(?:は)?|やはり|やっぱり|訂正|修正"
    r"|変更|更新)[、,:]?\s*)+"
)


# "One change to the rehearsal. It is now on June 10."
_ANAPHOR = re.compile(r"^\W*(?:(?:so|and|but|from now on|now)\b,? )*(?:it|they)\b", re.I)


@lru_cache(maxsize=65536)
def read(statement: str) -> Reading:
    """Read one statement. Pure; the last 16,384 are kept."""
    whole = parts(statement)
    claims: list[Claim] = []
    residual: list[str] = []
    words: set[str] = set()
    old: list[str] = []
    mask: list[str] = []
    slots: list[tuple[str, str, int]] = []
    retracts: frozenset[str] | None = None
    topic: list[str] = []
    for clause in whole.clauses:
        values = find_values(clause.text)
        gone = old_values(clause.text, values, whole.change)
        tokens = words_of(clause.text, values)
        if topic and _ANAPHOR.match(clause.text):
            tokens = [*topic, *tokens]
        taken_back = retracted(clause.text)
        if taken_back:
            retracts = frozenset(
                [
                    *_named(words_of(taken_back, find_values(taken_back))),
                    *_ids(find_values(taken_back)),
                ]
            )
            found: dict[int, Claim] = {}
        else:
            found = _claims(clause, values, gone, tokens, whole.change)
        claims.extend(dict.fromkeys(found.values()))
        topic = [] if values or found or clause.told else tokens
        words.update(_named(tokens))
        words.update(_ids(values))
        old.extend(values[at].norm for at in gone)
        if not found and (clause.forbids or clause.obliges):
            residual.append(normal(clause.text))
        last = 0
        for at, value in enumerate(values):
            mask.append(clause.text[last : value.start].lower() + f"«{value.kind}»")
            last = value.end
            claim = found.get(at)
            slots.append(
                (
                    value.kind,
                    value.norm,
                    0 if claim is None else 2 if claim.attribute or value.kind in MEASURES else 1,
                )
            )
        mask.append(clause.text[last:].lower() + "|")
    riders = {word for claim in claims for word in claim.scope} | RIDER | GENERIC
    kept = frozenset(
        text for text in residual if claims and not set(words_of(text, ())) <= riders | _OPEN
    )
    text = normal(whole.text)
    return Reading(
        text,
        PUNCTUATION.sub("", _LEAD.sub("", "".join(mask))),
        tuple(slots),
        tuple(claims),
        whole.change,
        whole.strong,
        whole.also,
        not whole.clauses,
        tuple(old),
        kept,
        frozenset(words),
        retracts,
        bool(_POINTING.search(whole.text)),
    )


_OPEN = frozenset(("budget", "code", "branch", "approve", "share", "anyone"))


def _id_words(value: Value) -> list[str]:
    if value.kind == "name":
        return [word for word in map(canonical, value.norm.split()) if word not in GENERIC]
    return ["=" + value.norm]


def _ids(values: Sequence[Value]) -> list[str]:
    return [canonical(v.norm) if v.norm.isalpha() else "=" + v.norm for v in values]


_NAMING = frozenset(
    [
        "rule",
        "requirement",
        "restriction",
        "instruction",
        "about",
        "apply",
        "said",
        "matter",
        "topic",
        "thing",
    ]
)


def _named(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if token not in GENERIC and token not in _NAMING]


# --- the claims of a clause --------------------------------------------------------------------


def _claims(
    clause: Clause, values: Sequence[Value], gone: frozenset[int], tokens: list[str], change: bool
) -> dict[int, Claim]:
    """The claims of a clause by the number of the value; `-1` for one without a typed value."""
    if clause.told:
        return {}
    following = NEXT.search(clause.text)
    if following:
        return {-1: next_claim(following)}
    live = [at for at in range(len(values)) if at not in gone]
    numbered = {at for at in live if is_number_of(clause.text, values[at])}
    numbered |= spoken_of(clause.text, values, live, tokens)
    known = {at: attribute_of(values[at], tokens, clause) for at in live}
    gate = (
        change
        or clause.forbids
        or not clause.text.isascii()
        or ":" in clause.text
        or not is_deed(clause.text)
        or any(values[at].kind in _MANNERS for at in live)
    )
    measured = any(values[at].kind in MEASURES and not known[at][2] for at in live)
    chosen: dict[tuple[str, str], list[int]] = {}
    for at in live:
        attribute, kind, sure = known[at]
        value = values[at]
        if at in numbered:
            continue
        if value.kind in MEASURES:
            if value.kind == "status" and not is_state(clause.text, value):
                continue
            if clause.forbids and not (sure or clause.bounded):
                continue
        elif (not sure and (measured or clause.forbids or is_subject(clause.text, value))) or (
            not sure and value.kind not in _TOOLS and not is_named(clause.text, value)
        ):
            continue
        if gate:
            chosen.setdefault((attribute, kind), []).append(at)
    found: dict[int, Claim] = {}
    manner = frozenset().union(*(OF_KIND[kind] for _, kind in chosen if kind in _MANNERS))
    for (attribute, kind), numbers in chosen.items():
        if not attribute and len(numbers) > 1 and values[numbers[0]].kind not in MEASURES | _TOOLS:
            continue  # a list of things
        scope = _scope(attribute, kind, tokens, clause) - manner
        if unit_of(clause.text, values[numbers[0]]) in _TEXT:
            scope.discard("length")  # "under 200 words" and "length: 300 words" bound one thing
        scope |= {
            word
            for at in live
            for word in _id_words(values[at])
            if at in numbered
            or (
                at not in numbers
                and values[at].kind not in MEASURES
                and not (known[at][2] and known[at][:2] in chosen)
            )
        }
        if not attribute and values[numbers[0]].kind not in MEASURES:
            scope.update(direction(clause.text, values[numbers[0]]))
        loose = any(is_subject(clause.text, values[at]) for at in numbers) and kind == "branch"
        bare = (attribute in BARE or kind in BARE) and (attribute != "spend" or "budget" in tokens)
        if not scope - {"~if"} and not bare:
            if kind == "date" and _DUE.intersection(tokens):
                scope.add("deadline")
            elif kind in _TOOLS:
                loose = True
            elif kind != "path" and not OF_KIND.get(kind, frozenset()).isdisjoint(tokens):
                scope.add(kind)
            else:
                continue
        if loose and scope and kind == "branch":
            continue
        claim = Claim(
            attribute,
            kind,
            frozenset(scope),
            tuple(values[at].norm for at in numbers),
            frozenset(values[at].facet or "both" for at in numbers if kind == "style"),
            loose,
            unit_of(clause.text, values[numbers[0]]),
        )
        found.update(dict.fromkeys(numbers, claim))
    if not found and not measured and not clause.forbids:
        tail = tail_claim(clause, tokens, gone, values)
        if tail:
            found[-1] = tail
    return found


def _scope(attribute: str, kind: str, tokens: Sequence[str], clause: Clause) -> set[str]:
    drop = OF_KIND.get(attribute, frozenset()) | OF_KIND.get(kind, frozenset())
    if kind in _TOOLS:
        drop |= OF_KIND["choice"]
    named = {"code", "password"} if attribute == "credential" else {attribute}
    scope = {token for token in tokens if token not in GENERIC and token not in drop} - named
    if attribute == "spend":
        scope.discard("budget")
    for word, role in ROLES:
        if role == attribute:
            scope.discard(word)
    if attribute == "codename":
        scope -= {"call", "name", "project", "internal"}
    if kind == "date" and not _PERIODIC.isdisjoint(scope):
        scope -= {"send", "receiv", "delivery"}
    if clause.narrow:
        scope.add("~if")
    return scope
