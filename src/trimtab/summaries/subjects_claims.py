"""A claim, and the claims whose value is plain words: a next step, the last word of a clause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trimtab.summaries.subjects_clauses import Clause
from trimtab.summaries.subjects_tokens import GENERIC, OF_KIND, words_of
from trimtab.summaries.subjects_values import Value

PUNCTUATION = re.compile(r"[\s.。!、,]+$|^[\s\"']+")

NEXT = re.compile(
    r"(?P<the>\bthe |after this,? |\bour )?\bnext (?:step|up|task|action|item)\b(?: now)?(?:"
    r" is|:| will be|,)?"
    r"\s*(?:now )?(?P<what>\S.*)|(?P<ja>次(?:の(?:ステップ|手順|作業|工程|一手))?は)(?P<was>.+)",
    re.I,
)
"""A next step, and what it is."""
_TAIL = re.compile(
    r"(?:\b(?:is|are|be|to|by|in|with|as|at|on|via|into|under|called|against)|:)\s+(?:now "
    r"|still |again |already |currently |the |a |an |our )*"
    r"(?P<what>[A-Za-z][\w-]*(?:\.[\w-]+)*(?: [\w-]+){0,2}?)\s*(?:,?\s*(?:instead|now|from now"
    r" on|please|anymore|rather"
    r"|from here on|going forward))*[.!]*$"
)
_JA_TAIL = re.compile(
    r"(?:は|を|も|が)(?P<what>[一-龥ァ-ヴーA-Za-z0-9々の._ -]{1,24}?)"
    r"\s*(?:を使|で実行|に変|へ変|に切|へ切|に移|にし|です|で(?:お願い|す|決)|になり|に訂|に修"
    r"|とし|に改|だ[。]?$)"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One attribute of one thing, with its value.

    Attributes:
        attribute: what is said, as in `spend`; empty where the kind of value alone says it.
        kind: the kind of value, as in `money`. Only like replaces like.
        scope: of what: the content words that are left.
        values: normal forms, in order.
        facets: of a style: tone, length.
        loose: replaced or replacing only with a sign of change.
        unit: of a bare number, the word of what is counted.
    """

    attribute: str
    kind: str
    scope: frozenset[str]
    values: tuple[str, ...]
    facets: frozenset[str] = frozenset()
    loose: bool = False
    unit: str = ""


def normal(text: str) -> str:
    return PUNCTUATION.sub("", " ".join(text.lower().split()))


def next_claim(found: re.Match[str]) -> Claim:
    what = normal(found["what"] or found["was"] or "")
    definite = bool(found["the"] or found["ja"] or re.search("next up", found[0], re.I))
    # "Next step is X" trails what was said before; which steps these are stands there.
    scope = frozenset() if definite else frozenset([f"~{what}"])
    return Claim("next", "clause", scope, (what,))


def tail_claim(
    clause: Clause, tokens: Sequence[str], gone: frozenset[int], values: Sequence[Value]
) -> Claim | None:
    """A value that is a plain word at the end: `sort by rating`, `moved to Porto`."""
    text = clause.text
    match = _TAIL.search(text) if text.isascii() else _JA_TAIL.search(text)
    if match is None or "`" in text or "→" in text:
        return None
    start, end = match.span("what")
    span = Value("word", normal(match["what"]), start, end)
    others = [value for value in values if value.end <= start or value.start >= end]
    rest = words_of(text, sorted([*others, span], key=lambda value: value.start))
    scope = {token for token in rest if token not in GENERIC}
    scope.update("=" + value.norm for value in others if values.index(value) not in gone)
    if "branch" in rest:
        scope -= OF_KIND["branch"] | {"branch"}
        return Claim(
            "branch",
            "branch",
            frozenset(scope | ({"~if"} if clause.narrow else set())),
            (span.norm,),
        )
    if clause.narrow:
        scope.add("~if")
    if not scope:
        return None
    kind = "code" if re.search(r"[._\d]", span.norm) else "word"
    return Claim("", kind, frozenset(scope), (span.norm,), loose=True)
