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
from trimtab.summaries.guard_words import NEGATIVE_JA, ONLY_JA, is_order, stems_of
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

_MARKS = frozenset(
    [
        "not",
        "never",
        "no",
        "nor",
        "neither",
        "nothing",
        "nobody",
        "none",
        "cannot",
        "without",
        "avoid",
        "refrain",
        "forbid",
        "forbidden",
        "prohibit",
        "prohibited",
        "only",
        "solely",
        "exclusively",
        "must",
        "may",
        "can",
        "should",
        "shall",
        "need",
        "needs",
        "have",
        "allowed",
        "permitted",
        "required",
        "always",
        "unless",
        "until",
        "untouched",
        "unchanged",
        "intact",
        "off",
        "ok",
        "okay",
        "free",
        "fine",
        "please",
        "feel",
        "don't",
        "can't",
        "mustn't",
        "shouldn't",
        "won't",
        "isn't",
        "aren't",
        "doesn't",
        "mayn't",
        "hands",
        "as",
        "alone",
        "read-only",
    ]
)
"""Without one of these, and without a verb in front, an English sentence orders nothing."""

_LETTERS = re.compile(r"[a-z][a-z'-]*")
_JA = re.compile(r"[ぁ-んァ-ヶ一-鿿]")
_SPLIT = re.compile(
    r"[,;:](?=\s)|[、；：。]|\s[-–—]\s|\b(?:but|however|although|while|whereas)\b"
    r"|\b(?:and|then)\s+(?=(?:do|don't|never|not|always|only|must|may|please|you|i|we|it|[a-z]+\s+"
    r"(?:the|a|an|it|them|to|all|any|every|only|no))\b)|(?<=[てで])(?=[^いおはもあかくほしみ])",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|nobody|no one|cannot|avoid(?:ing|ed)?"
    r"|refrain(?:ing)?"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:ned|s)?|off[- ]limits|stop"
    r"|exclude[sd]?"
    r"|excluding|untouched|unchanged|unmodified|intact|alone|as[- ]is|as (?:it|they) (?:is|are"
    r"|stand)"
    r"|hands off|steer clear|(?:stay|keep) (?:away|out|off|clear)|lay off|out of scope|out of"
    r" bounds|read[- ]only)\b|n't\b|n’t\b",
    re.I,
)
_NARROW = re.compile(
    r"\b(?:only|solely|exclusively|without|unless|until|except|outside|limited|restrict(?:ed)?"
    r"|confined?"
    r"|nothing but|no other|just|once|first|after|before|pending|subject to|require[sd]?|needs?)\b"
    r"|承認|許可|確認(?:後|して|を)|まで|前に|後に|てから|" + ONLY_JA,
    re.I,
)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|limited to|restrict(?:ed)? to|confined? to|nothing but|no other"
    r"|stay (?:in|inside|within))\b|" + ONLY_JA,
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:without|unless|until|till|before|except|after)\b.*"
    r"|[^、はをがも\s]{1,20}?(?:なし(?:に|で)(?:は)?|前に(?:は)?|後に|てから|許可なく|まで(?:は|に)?|ない限り)",
    re.I | re.S,
)
_ASKS = re.compile(
    r"\b(?:ask|check|confirm|consult|wait|get|obtain|request|tell|notify|inform|approval"
    r"|approved|permission|sign-?off|go-ahead|consent)\b"
    r".{0,60}?\b(?:before|prior to) (?P<what>.{3,})"
    r"|(?P<ja>[^、。]{2,40}?)(?:する|の)?前に.{0,20}?(?:相談|確認|連絡|承認|許可|聞い|知らせ)",
    re.I,
)
_HANGS = re.compile(
    r"(?P<without>\bwithout\b|\bunless\b|なし(?:で|に|でも)|許可なく|無断)"
    r"|(?P<outside>\boutside\b|\bother than\b|\bexcept\b|以外|の外)|(?P<before>\bbefore\b"
    r"|\buntil\b|\btill\b|前に|まで)|(?P<after>\bafter\b|\bonce\b|後に|てから)",
    re.I,
)


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
    words = _LETTERS.findall(sentence.replace("’", "'").lower())
    return not _MARKS.isdisjoint(words) or (bool(words) and not VERBS.isdisjoint(words[:3]))


def clauses_of(sentence: str) -> Iterator[Statement]:
    """The clauses of one sentence. A clause without content words belongs to the one before."""
    read = BOUND_NOT.sub(" ", folded(sentence).replace("’", "'"))
    parts: list[str] = []
    for part in _SPLIT.split(read):
        if not part.strip():
            continue
        if parts and len(stems_of(part)[0]) < 2:
            parts[-1] += ", " + part
        else:
            parts.append(part)
    for part in parts:
        stems, _ = stems_of(part)
        if not stems:
            continue
        core, names = stems_of(_CONDITION.sub(" ", part))
        if not core:
            core, names = stems_of(part)
        negative = _NEGATIVE.search(part) is not None or NEGATIVE_JA.search(part) is not None
        narrow = _NARROW.search(part) is not None
        only = _ONLY.search(part) is not None
        hangs = _HANGS.search(part)
        condition = str(hangs.lastgroup) if hangs else ""
        order = is_order(part)
        if condition == "outside" and negative:  # nothing outside X: only X
            only, condition = True, ""
        asks = _ASKS.search(part)
        if asks is not None:  # `ask before you change X` forbids to change X without asking
            what = asks["what"] or asks["ja"]
            of, of_names = stems_of(what)
            if of:
                yield Statement(sentence, stems, of, of_names, True, True, False, "without", True)
                continue
        yield Statement(sentence, stems, core, names, negative, narrow, only, condition, order)


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
