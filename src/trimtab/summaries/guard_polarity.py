"""Which way a constraint points: what it forbids, bounds, or makes wait.

Two sentences speak of the same when they share their content words, as stems. They contradict
each other when one forbids what the other orders or allows. A bound is a direction and a value
(`at most 5`); it contradicts its opposite (`at least 5`). Nothing here understands a sentence:
it compares words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trimtab.pin_rules.words_en import VERBS
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
    r"(?:the|a|an|it|them|to|all|any|every|only|no))\b)|(?<=[てで])(?=[^いおはもあ])",
    re.I,
)
_BOUND_NOT = re.compile(
    r"\b(?:no|not) (?:more|fewer|less|later|earlier|sooner|longer|larger|greater|higher|lower)(?: than)?\b"
    r"|(?:\b(?:not|never|cannot|nothing)|n't)\b(?= (?:[\w']+ ){0,6}?(?:(?:more|less|fewer|longer|later|earlier"
    r"|greater|higher|lower|larger) than|exceed\w*|over|above|beyond|under|below)(?: [a-z]{1,6}){0,2} ?[$€£¥]?[0-9])"
    r"|(?:を|は)?(?:超え|越え|上回っ)ては(?:いけ|なら|だめ|ダメ|駄目)(?:ない|ません|です)?"
    r"|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず|ません)"
    r"|\bnot only\b|\b(?:do not|don't|never|not) (?:forget|fail|hesitate|miss|neglect|skip)\b"
    r"|\bno (?:problem|issue|matter|doubt|need)s?\b|\bwhether or not\b|なければ(?:ならない|なりません)"
    r"|ないと(?:いけない|いけません)|だけで(?:なく|はなく)|に?(?:違い|間違い|問題)ない",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|nobody|no one|cannot|avoid(?:ing|ed)?|refrain(?:ing)?"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:ned|s)?|off[- ]limits|stop|exclude[sd]?"
    r"|excluding|untouched|unchanged|unmodified|intact|alone|as[- ]is|as (?:it|they) (?:is|are|stand)"
    r"|hands off|steer clear|(?:stay|keep) (?:away|out|off|clear)|lay off|out of scope|out of bounds|read[- ]only)\b|n't\b|n’t\b",
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
    r"\b(?:ask|check|confirm|consult|wait|get|obtain|request|tell|notify|inform|approval|approved|permission|sign-?off|go-ahead|consent)\b"
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

_BEFORE = {
    phrase: (which, turns)
    for which, turns, phrases in (
        (
            "most",
            False,
            "at most|at the most|at the very most|no more than|not more than|no longer than"
            "|not longer than|no larger than|no greater than|no higher than|not exceed|never exceed"
            "|up to|max|max.|maximum|maximum of|max of|a maximum of|capped at|limited to|within|≤|<="
            "|budget|budget of|budget is|limit|limit is|limit of|cap|cap of|cap is|ceiling of|quota of"
            "|quota is|ceiling is|no later than|not later than",
        ),
        (
            "least",
            False,
            "at least|at the least|at the very least|no less than|not less than|no fewer than"
            "|not fewer than|no lower than|min|min.|minimum|minimum of|min of|a minimum of|≥|>="
            "|no earlier than|not earlier than|not before",
        ),
        ("most", True, "under|below|less than|fewer than|lower than|shorter than|smaller than|<"),
        (
            "least",
            True,
            "over|above|more than|greater than|higher than|longer than|larger than|exceed|exceeds"
            "|exceeding|exceeded|beyond|>",
        ),
    )
    for phrase in phrases.split("|")
}
"""What stands before a bounded value: the direction, and whether a negation turns it."""

_BEFORE_DATE = {
    phrase: (which, turns)
    for which, turns, phrases in (
        ("most", True, "before|by|until|till|prior to"),
        ("least", True, "after|since|from"),
    )
    for phrase in phrases.split("|")
}
_BEHIND = {
    "or less": "most", "or fewer": "most", "or below": "most", "or under": "most", "max": "most",
    "maximum": "most", "at most": "most", "tops": "most", "or more": "least", "or above": "least",
    "or over": "least", "min": "least", "minimum": "least", "at least": "least",
}  # fmt: skip
_BEFORE_JA = re.compile(
    r"(?:(?P<most>最大|最高|上限は?|予算は?)|(?P<least>最低|最小|下限は?|少なくとも))[^\s、。,.0-9]{0,6}$"
)
_BEHIND_JA = re.compile(
    r"[^\s。、,.0-9]{0,5}?(?:(?P<most>以内|以下|未満|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず|ては|ません)"
    r"|までに?|以前|(?:より|の)?前)|(?P<least>以上|(?:を|は)?超(?:え|過)|より多|以降|以後))"
)
_FILLER = frozenset(
    ("the", "about", "of", "a", "an", "around", "total", "some", "is", "to", "exactly")
)
_LIMITS = re.compile(r"\b(?:limit|cap|keep|restrict|hold|limited|capped|kept)\b", re.I)
_TURNS = re.compile(r"\b(?:not|never|no|cannot|nothing|nor|avoid)\b|n't\b", re.I)
_TURNS_JA = re.compile(r"[^。\n]{0,30}?(?:ない|ません|ず(?:に)?[、。]|禁止|不可)")
OPPOSITE = {"most": "least", "least": "most"}
_BOUNDED = frozenset(
    ("number", "count", "quantity", "money", "percentage", "date", "time", "version")
)
_SENTENCE = re.compile(r"[.,;:!?()\n0-9]")
_SPACE = " \t(:$€£¥"


def bounds(text: str, found: Sequence[Value]) -> Iterator[tuple[str, Value, int, int]]:
    """The bounds of a folded text: direction (`most`, `least`), value, span with its marker."""
    for value in found:
        if value.kind not in _BOUNDED:
            continue
        start, end = value.start, value.end
        marked = _marked_behind(text, start, end) or _marked_before(text, value)
        if marked is not None:
            yield marked[0], value, marked[1], marked[2]


def _marked_behind(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The direction of the marker behind a value, with the span of both."""
    tail = text[end : end + 48]
    first = tail.lstrip(" ")[:1]
    if not first.isascii():
        behind = _BEHIND_JA.match(text, end)
        if behind is None:
            return None
        which = behind.lastgroup or "most"
        if behind[which] == "以上" and _TURNS_JA.match(text, behind.end()):
            which = "most"
        return which, start, behind.end()
    if first.isalpha() and tail[0] == " ":
        words = _SENTENCE.split(tail, maxsplit=1)[0].lower().split()[:8]
        for at, word in enumerate(words):
            which = _BEHIND.get(" ".join(words[at : at + 2])) or (
                _BEHIND.get(word, "") if at < 3 else ""
            )
            if which:
                return which, start, end
    return None


def _marked_before(text: str, value: Value) -> tuple[str, int, int] | None:
    """The direction of the marker before a value, with the span of both."""
    head = text[max(0, value.start - 32) : value.start].rstrip(_SPACE)
    if not head:
        return None
    if not head[-1].isascii():
        before = _BEFORE_JA.search(head)
        if before is not None:
            which = str(before.lastgroup)
            return which, value.start - (len(head) - before.start()), value.end
        if head[-1] not in "≤≥":
            return None
    elif not (head[-1].isalpha() or head[-1] in "<>=."):
        return None
    words = head.lower().split()
    dated = value.kind in ("date", "time")
    for _ in range(3):
        for size in (4, 3, 2, 1):
            phrase = " ".join(words[-size:])
            mark = _BEFORE.get(phrase) or (_BEFORE_DATE.get(phrase) if dated else None)
            if mark is not None and len(words) >= size:
                which, turns = mark
                at = text.lower().rfind(words[-size], max(0, value.start - 40), value.start)
                at = max(0, at if at >= 0 else value.start)
                return OPPOSITE[which] if turns and _turned(text, at) else which, at, value.end
        if (
            words
            and words[-1] in ("to", "at")
            and _LIMITS.search(text, max(0, value.start - 60), value.start)
        ):
            return "most", value.start, value.end
        if not words or words[-1] not in _FILLER:
            return None
        words.pop()
    return None


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
