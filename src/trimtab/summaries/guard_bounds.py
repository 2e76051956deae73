"""Bounds: a value with a direction, `at most 5`. It contradicts its opposite, `at least 5`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trimtab.summaries.values import Value

BOUND_NOT = re.compile(
    r"\b(?:no|not) (?:more|fewer|less|later|earlier|sooner|longer|larger|greater|higher"
    r"|lower)(?: than)?\b"
    r"|(?:\b(?:not|never|cannot|nothing)|n't)\b(?= (?:[\w']+ ){0,6}?(?:(?:more|less|fewer"
    r"|longer|later|earlier"
    r"|greater|higher|lower|larger) than|exceed\w*|over|above|beyond|under|below)(?:"
    r" [a-z]{1,6}){0,2} ?[$€£¥]?[0-9]"
    r"(?![^.\n]{0,60}?\b(?:without|unless)\b))"
    r"|(?:を|は)?(?:超え|越え|上回っ)ては(?:いけ|なら|だめ|ダメ|駄目)(?:ない|ません|です)?"
    r"|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず|ません)"
    r"|\bnot only\b|\b(?:do not|don't|never|not) (?:forget|fail|hesitate|miss|neglect|skip)\b"
    r"|\bno (?:problem|issue|matter|doubt|need)s?\b|\bwhether or not\b|なければ(?:ならない"
    r"|なりません)"
    r"|ないと(?:いけない|いけません)|だけで(?:なく|はなく)|に?(?:違い|間違い|問題)ない",
    re.I,
)
"""Negations that do not forbid: those of a bound, and double ones."""

_BEFORE = {
    phrase: (which, turns)
    for which, turns, phrases in (
        (
            "most",
            False,
            "at most|at the most|at the very most|no more than|not more than|no longer than"
            "|not longer than|no larger than|no greater than|no higher than|not exceed|never exceed"
            "|up to|max|max.|maximum|maximum of|max of|a maximum of|capped at|limited to|within"
            "|≤|<="
            "|budget|budget of|budget is|limit|limit is|limit of|cap|cap of|cap is|ceiling of"
            "|quota of"
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
        ("most", True, "before|by|until|till|prior to|due|due on|due by|deadline|deadline is"),
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
    r"(?:(?P<most>最大|最高|上限は?|予算は?|締め?切り?は?|期限は?|納期は?)|(?P<least>最低|最小|下限は?"
    r"|少なくとも))[^\s、。,.0-9]{0,6}$"
)
_BEHIND_JA = re.compile(
    r"[^\s。、,.0-9]{0,5}?(?:(?P<most>以内|以下|未満|(?:を|は)?(?:超え|越え|上回ら)(?:ない|ず"
    r"|ては|ません)"
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
                turns = turns and not _asked(text, value)
                first = max(0, value.start - 40)
                at = text[first : value.start].lower().rfind(words[-size])
                at = first + at if at >= 0 else value.start
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


_ASKS = re.compile(r"\b(?:ask|check|confirm|approval|permission|sign-?off|human)\b", re.I)
_ASKED = re.compile(r"[^.\n]{0,40}?\b(?:without|unless|needs?|requires?|ask)\b", re.I)


def _asked(text: str, value: Value) -> bool:
    """Whether the value is no limit, but from where on somebody is asked."""
    return (
        _ASKED.match(text, value.end) is not None
        or _ASKS.search(text, max(0, value.start - 60), value.start) is not None
    )


def bounds_of(text: str, found: Sequence[Value]) -> set[str]:
    """The bounds of a folded text as keys."""
    return {bound_key(direction, value) for direction, value, _, _ in bounds(text, found)}


def bound_key(direction: str, value: Value) -> str:
    """The key of a bound: `bound:most 5`."""
    return f"bound:{direction} {value.norm}"


def _turned(text: str, at: int) -> bool:
    start = max(0, at - 60)
    clause = re.split(r"[.!?;\n,](?![0-9])", BOUND_NOT.sub(" ", text[start:at]))[-1]
    return _TURNS.search(clause) is not None
