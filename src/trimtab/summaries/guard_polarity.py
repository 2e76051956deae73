"""Which way a constraint points: what it forbids, narrows, or makes wait.

Two sentences speak of the same when they share their content words, as stems. They contradict
each other when one forbids what the other orders or allows. Nothing here understands a sentence:
it compares words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trimtab.pin_rules.words_en import VERBS
from trimtab.pins import sentences
from trimtab.summaries.guard_bounds import BOUND_NOT
from trimtab.summaries.guard_words import NEGATIVE_JA, ONLY_JA, is_order, stems_of, words_of
from trimtab.summaries.values import folded

LONGEST = 600
"""Characters: a longer sentence is a listing or code, and no constraint."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause that orders, allows, forbids or narrows.

    Attributes:
        text: the sentence it stands in.
        stems: its content words.
        core: the content words of what is ordered or forbidden, without its condition: of
            `do not push without approval`, that of `push`.
        names: those of the core that are names, paths or numbers.
        negative: it forbids.
        narrow: it says `only`, or waits for something (`without approval`, `unless`).
        only: it says `only`, or that it is confined to something.
        condition: what it hangs on: `without`, `before`, `after` something, or empty.
        order: it reads as an order, a permission or a rule, and does not report.
    """

    text: str
    stems: frozenset[str]
    core: frozenset[str]
    names: frozenset[str]
    negative: bool
    narrow: bool
    only: bool
    condition: str
    order: bool


# --- clauses -------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MARKS = _words(
    """
    not never no nor neither nothing nobody none cannot without avoid refrain forbid forbidden
    prohibit prohibited only solely exclusively must may can should shall need needs have allowed
    permitted required always unless until untouched unchanged intact off ok okay free fine please
    feel don't can't mustn't shouldn't won't isn't aren't doesn't mayn't hands as alone read-only
    """
)
"""Without one of these, and without a verb in front, an English sentence orders nothing."""

_JA = re.compile(r"[ぁ-んァ-ヶ一-鿿]")
_SPLIT = re.compile(
    r"[,;:](?=\s)|[、；：。]|\s[-–—]\s|\b(?:but|however|although|while|whereas)\b"
    r"|\b(?:and|then)\s+(?=(?:do|don't|never|not|always|only|must|may|please|you|i|we|it|[a-z]+\s+"
    r"(?:the|a|an|it|them|to|all|any|every|only|no))\b)|(?<=[てで])(?=[^いおはもあかくほしみ])",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|nobody|no one|cannot|avoid(?:ing|ed)?"
    r"|refrain(?:ing)?|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:ned|s)?"
    r"|off[- ]limits|stop|exclude[sd]?|excluding|untouched|unchanged|unmodified|intact|alone"
    r"|as[- ]is|as (?:it|they) (?:is|are|stand)|hands off|steer clear"
    r"|(?:stay|keep) (?:away|out|off|clear)|lay off|out of scope|out of bounds|read[- ]only)\b"
    r"|n't\b",
    re.I,
)
_NARROW = re.compile(
    r"\b(?:only|solely|exclusively|without|unless|until|except|outside|limited|restrict(?:ed)?"
    r"|confined?|nothing but|no other|just|once|first|after|before|pending|subject to"
    r"|require[sd]?|needs?)\b",
    re.I,
)
_NARROW_JA = re.compile(r"承認|許可|確認(?:後|して|を)|まで|前に|後に|てから|" + ONLY_JA)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|limited to|restrict(?:ed)? to|confined? to|nothing but|no other"
    r"|stay (?:in|inside|within))\b",
    re.I,
)
_ONLY_JA = re.compile(ONLY_JA)
_CONDITION = re.compile(r"\b(?:without|unless|until|till|before|except|after)\b.*", re.I | re.S)
_CONDITION_JA = re.compile(
    r"[^、はをがも\s]{1,20}?(?:なし(?:に|で)(?:は)?|前に(?:は)?|後に|てから|許可なく|まで(?:は|に)?|ない限り)"
)
_ASKS = re.compile(
    r"\b(?:ask|check|confirm|consult|wait|get|obtain|request|tell|notify|inform|approval"
    r"|approved|permission|sign-?off|go-ahead|consent)\b.{0,60}?\b(?:before|prior to) (.{3,})",
    re.I,
)
_ASKS_JA = re.compile(
    r"([^、。]{2,40})前に.{0,20}?(?:相談|確認|連絡|承認|許可|聞い|知らせ)",
)
_HANGS = re.compile(
    r"\b(?:(?P<without>without|unless)|(?P<outside>outside|other than|except)"
    r"|(?P<before>before|until|till)|(?P<after>after|once))\b",
    re.I,
)
_HANGS_JA = re.compile(
    r"(?P<without>なし(?:で|に|でも)|許可なく|無断)|(?P<outside>以外|の外)|(?P<before>前に|まで)"
    r"|(?P<after>後に|てから)"
)
_TURNING = _words(
    """
    not never no nor neither none nothing nobody cannot avoid avoiding avoided refrain refraining
    forbid forbids forbidden prohibit prohibits prohibited disallow disallows disallowed ban banned
    bans off off-limits stop exclude excludes excluded excluding untouched unchanged unmodified
    intact alone as as-is hands steer stay keep lay out read-only read only solely exclusively
    without unless until till except outside other limited restrict restricted confine confined
    just once first after before pending subject require requires required need needs
    """
)
"""Without one of these an English clause neither forbids nor narrows."""


_UNIT_END = re.compile(r"[0-9] ?(?:[A-Za-z]|min|max|sec|hrs)\.(?=\s+[A-Z])")


def parted(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text, as spans; a unit at the end of one is no abbreviation."""
    for start, end in sentences(text):
        for found in _UNIT_END.finditer(text, start, end):
            yield start, found.end()
            start = found.end()
            while start < end and text[start].isspace():
                start += 1
        yield start, end


def statements_of(text: str) -> tuple[Statement, ...]:
    """The clauses of a text that order, allow, forbid or narrow, in order."""
    return tuple(
        clause
        for start, end in parted(text)
        if end - start <= LONGEST and _worth(text[start:end])
        for clause in clauses_of(text[start:end])
        if clause.negative or clause.narrow or clause.order
    )


def _worth(sentence: str) -> bool:
    if not sentence.isascii() and _JA.search(sentence):
        return True
    words = words_of(sentence.replace("’", "'"))
    return not _MARKS.isdisjoint(words) or (bool(words) and not VERBS.isdisjoint(words[:3]))


def clauses_of(sentence: str) -> Iterator[Statement]:
    """The clauses of one sentence. A clause without content words belongs to the one before."""
    read = folded(sentence).replace("’", "'")
    if not read.isascii() or "n't" in read or not _TURNING.isdisjoint(words_of(read)):
        read = BOUND_NOT.sub(" ", read)
    parts: list[str] = []
    for part in _SPLIT.split(read):
        if not part.strip():
            continue
        if parts and len(stems_of(part)[0]) < 2:
            parts[-1] += ", " + part
        else:
            parts.append(part)
    for part in parts:
        stems, names = stems_of(part)
        if stems:
            yield _clause(sentence, part, stems, names)


def _clause(sentence: str, part: str, stems: frozenset[str], names: frozenset[str]) -> Statement:
    negative = narrow = only = False
    condition, core, asks = "", stems, None
    if "n't" in part or not _TURNING.isdisjoint(words_of(part)):
        negative = _NEGATIVE.search(part) is not None
        narrow = _NARROW.search(part) is not None
        only = narrow and _ONLY.search(part) is not None
        hangs = _HANGS.search(part)
        if hangs is not None:
            condition = str(hangs.lastgroup)
            core, names = stems_of(_CONDITION.sub(" ", part))
            asks = _ASKS.search(part) if condition == "before" else None
    if not part.isascii():
        negative = negative or NEGATIVE_JA.search(part) is not None
        only = only or _ONLY_JA.search(part) is not None
        narrow = narrow or _NARROW_JA.search(part) is not None
        hangs = _HANGS_JA.search(part)
        if hangs is not None:
            condition = condition or str(hangs.lastgroup)
            core, names = stems_of(_CONDITION_JA.sub(" ", part))
            asks = asks or (_ASKS_JA.search(part) if "前に" in part else None)
    if asks is not None:  # `ask before you change X` forbids to change X without asking
        of, of_names = stems_of(asks[1].removesuffix("の").removesuffix("する"))
        if of:
            return Statement(sentence, stems, of, of_names, True, True, False, "without", True)
    if not core:
        core, names = stems_of(part)
    if condition == "outside" and negative:  # nothing outside X: only X
        only, condition = True, ""
    return Statement(
        sentence, stems, core, names, negative, narrow, only, condition, is_order(part)
    )


def same(one: Statement, other: Statement) -> bool:
    """Whether `other` speaks of all, or nearly all, that `one` speaks of."""
    shared = len(one.core & other.stems)
    if one.names:
        return one.names <= other.stems and shared >= max(
            min(2, len(one.core)), 0.6 * len(one.core)
        )
    if len(one.core) == 1:
        return shared == 1 and len(other.core) <= 2
    return shared >= 2 and shared >= 0.8 * len(one.core)


def waits(one: Statement, other: Statement) -> bool:
    """Whether `one`, which orders, waits for what `other`, which forbids, waits for.

    `push only after approval` says what `do not push without approval` says; `push without
    approval` does not.
    """
    if one.only or not one.narrow:
        return one.only
    if one.condition in ("without", "outside"):
        return False
    return not (one.condition and one.condition == other.condition)
