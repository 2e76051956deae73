"""Which way a constraint points: what it forbids, bounds, or makes wait.

Two sentences speak of the same when they share their content words, as stems. They contradict
each other when one forbids what the other orders or allows. A bound is a direction and a value
(`at most 5`); it contradicts its opposite (`at least 5`). Nothing here understands a sentence:
it compares words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.pins import sentences
from trimtab.summaries.guard_words import NEGATIVE_JA, ONLY_JA, is_order, stems_of
from trimtab.summaries.values import Value, folded

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

_MARK = re.compile(
    r"\b(?:not|never|no|nor|neither|nothing|nobody|none|cannot|without|avoid|refrain|forbid|forbidden"
    r"|prohibit|prohibited|only|solely|exclusively|must|may|can|should|shall|need|needs|have to|allowed"
    r"|permitted|required|always|unless|until|untouched|unchanged|intact|as is|off.limits|ok|okay|free to"
    r"|fine|please|feel free)\b|n't\b|n’t\b|[ァ-ヿぁ-ん一-鿿]",
    re.I,
)
_SPLIT = re.compile(
    r"[,;:](?=\s)|[、；：。]|\s[-–—]\s|\b(?:but|however|although|while|whereas)\b"
    r"|\b(?:and|then)\s+(?=(?:do|don't|never|not|always|only|must|may|please|you|i|we|it|[a-z]+\s+"
    r"(?:the|a|an|it|them|to|all|any|every|only|no))\b)|(?<=[てで])(?=[^いおはもあ])",
    re.I,
)
_BOUND_NOT = re.compile(
    r"\b(?:no|not) (?:more|fewer|less|later|earlier|sooner|longer|larger|greater|higher|lower)(?: than)?\b"
    r"|(?:\b(?:not|never|cannot|nothing)|n't)\b(?= (?:[\w']+ ){0,6}?(?:(?:more|less|fewer|longer|later|earlier"
    r"|greater|higher|lower|larger) than|exceed\w*|over|above|beyond|under|below)(?: [a-z]{1,6}){0,2} ?[$€£¥]?[0-9])"
    r"|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず|ては|ません)"
    r"|\bnot only\b|\b(?:do not|don't|never|not) (?:forget|fail|hesitate|miss|neglect|skip)\b"
    r"|\bno (?:problem|issue|matter|doubt|need)s?\b|\bwhether or not\b|なければ(?:ならない|なりません)"
    r"|ないと(?:いけない|いけません)|だけで(?:なく|はなく)|に?(?:違い|間違い|問題)ない",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|nobody|no one|cannot|avoid(?:ing|ed)?|refrain(?:ing)?"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:ned|s)?|off[- ]limits|stop|exclude[sd]?"
    r"|excluding|untouched|unchanged|unmodified|intact|alone|as[- ]is|as (?:it|they) (?:is|are|stand)"
    r"|stay away|keep out|keep away|out of scope|out of bounds|read[- ]only)\b|n't\b|n’t\b",
    re.I,
)
_NARROW = re.compile(
    r"\b(?:only|solely|exclusively|without|unless|until|except|outside|limited|restrict(?:ed)?|confined?"
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
    r"\b(?:without|unless|until|till|before|except|after)\b.*|^.{0,40}?(?:なし(?:に|で)(?:は)?|前に(?:は)?"
    r"|許可なく|まで(?:は|に)?|ない限り)",
    re.I | re.S,
)
_ASKS = re.compile(
    r"\b(?:ask|check|confirm|consult|wait|get|obtain|request|tell|notify|inform|approval|approved|permission)\b"
    r".{0,60}?\b(?:before|prior to) (?P<what>.{3,})"
    r"|(?P<ja>[^、。]{2,40}?)(?:する|の)?前に.{0,20}?(?:相談|確認|連絡|承認|許可|聞い|知らせ)",
    re.I,
)
_HANGS = re.compile(
    r"(?P<without>\bwithout\b|\bunless\b|なし(?:で|に|でも)|許可なく|無断)"
    r"|(?P<outside>\boutside\b|\bother than\b|\bexcept\b|以外|の外)|(?P<before>\bbefore\b|\buntil\b|\btill\b|前に|まで)|(?P<after>\bafter\b|\bonce\b|後に|てから)",
    re.I,
)


def statements_of(text: str) -> tuple[Statement, ...]:
    """The clauses of a text that order, allow, forbid or narrow, in order."""
    return tuple(
        clause
        for start, end in sentences(text)
        if end - start <= LONGEST and _worth(text, start, end)
        for clause in clauses_of(text[start:end])
        if clause.negative or clause.narrow or clause.order
    )


def _worth(text: str, start: int, end: int) -> bool:
    return _MARK.search(text, start, end) is not None or is_order(text[start : start + 40])


def clauses_of(sentence: str) -> Iterator[Statement]:
    """The clauses of one sentence. A clause without content words belongs to the one before."""
    read = _BOUND_NOT.sub(" ", folded(sentence).replace("’", "'"))
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


# --- bounds --------------------------------------------------------------------------------------

_BEFORE_VALUE = re.compile(
    r"(?P<most>\bat (?:the )?(?:very )?most|\b(?:no|not) (?:more|longer|larger|greater|higher) than"
    r"|\bup to|\bmax(?:imum)?\.?(?: of)?|\bcapped at|\blimited to|\bwithin|\b(?:limit|cap|keep|restrict|hold)\b[^.;\n]{0,40}?\b(?:to|at)(?= [0-9$€£¥])"
    r"|\b(?:budget|limit|cap|ceiling|quota)\b(?: (?:is|of|was))?:?|予算は?|≤|<=|最大|最高|上限は?)"
    r"|(?P<least>\bat (?:the )?(?:very )?least|\b(?:no|not) (?:less|fewer|lower|shorter) than"
    r"|\bmin(?:imum)?\.?(?: of)?|≥|>=|最低|最小|下限は?|少なくとも)"
    r"|(?P<under>\bunder|\bbelow|\b(?:less|fewer|lower|shorter|smaller) than|<)"
    r"|(?P<over>\bover|\babove|\b(?:more|greater|higher|longer|larger) than|\bexceed(?:s|ing|ed)?|>)"
    r"|(?P<until>\b(?:no|not) later than|\bbefore|\bby|\buntil|\btill|\bprior to)"
    r"|(?P<since>\b(?:no|not) earlier than|\bafter|\bsince|\bfrom)",
    re.I,
)
_BEHIND_VALUE = re.compile(
    r"(?P<most>\bor (?:less|fewer|below|under)|\bmax(?:imum)?\b|\bat (?:the )?most|\btops\b|以内|以下|未満"
    r"|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず|ては|ません)|まで(?!に))"
    r"|(?P<least>\bor (?:more|above|over|greater)|\bmin(?:imum)?\b|\bat (?:the )?least)"
    r"|(?P<over>以上|(?:を|は)?超(?:え|過)(?!な|ず|て)|より多)"
    r"|(?P<until>までに|以前|(?:より|の)?前(?!後))|(?P<since>以降|以後|(?:より|の)?後(?!で))",
    re.I,
)
_TURNS = re.compile(r"\b(?:not|never|no|cannot|nothing|nor|avoid)\b|n't\b", re.I)
_TURNS_JA = re.compile(r"[^。\n]{0,30}?(?:ない|ません|ず(?:に)?[、。]|禁止|不可)")
_DIRECTION = {
    "most": ("most", "most"),
    "least": ("least", "least"),
    "under": ("most", "least"),
    "over": ("least", "most"),
    "until": ("most", "least"),
    "since": ("least", "most"),
}
"""Which way a marker points, plainly and behind a negation."""

OPPOSITE = {"most": "least", "least": "most"}
_BOUNDED = frozenset(
    ("number", "count", "quantity", "money", "percentage", "date", "time", "version")
)
_GAP = 10
_GAP_BEHIND = 14
_STOPS = re.compile(r"[.!?。、,;\n](?![0-9])")


def bounds(text: str, found: Sequence[Value]) -> Iterator[tuple[str, Value, int, int]]:
    """The bounds of a folded text: direction (`most`, `least`), value, span of the marker."""
    able = sorted((v for v in found if v.kind in _BOUNDED), key=lambda value: value.start)
    if not able:
        return
    starts = [value.start for value in able]
    ends = [value.end for value in able]
    for mark in _BEFORE_VALUE.finditer(text):
        at = bisect_left(starts, mark.end())
        if at < len(able) and starts[at] - mark.end() <= _GAP:
            if not _STOPS.search(text, mark.end(), starts[at]):
                what = mark.lastgroup or "most"
                if what in ("until", "since") and able[at].kind not in ("date", "time"):
                    continue
                turns = what not in ("most", "least") and mark.group()[:2].lower() not in ("no",)
                turned = turns and _turned(text, mark.start())
                yield _DIRECTION[what][turned], able[at], *mark.span()
    for mark in _BEHIND_VALUE.finditer(text):
        at = bisect_left(ends, mark.start() + 1) - 1
        if at >= 0 and mark.start() - ends[at] <= _GAP_BEHIND:
            if not _STOPS.search(text, ends[at], mark.start()):
                what = mark.lastgroup or "most"
                turned = what in ("over", "until", "since") and bool(
                    _TURNS_JA.match(text, mark.end())
                )
                yield _DIRECTION[what][turned], able[at], *mark.span()


def bounds_of(text: str, found: Sequence[Value]) -> set[str]:
    """The bounds of a folded text as keys."""
    return {bound_key(direction, value) for direction, value, _, _ in bounds(text, found)}


def bound_key(direction: str, value: Value) -> str:
    """The key of a bound: `bound:most 5`."""
    return f"bound:{direction} {value.norm}"


def _turned(text: str, at: int) -> bool:
    start = max(0, at - 60)
    clause = re.split(r"[.!?;\n,](?![0-9])", _BOUND_NOT.sub(" ", text[start:at]))[-1]
    return _TURNS.search(clause) is not None
