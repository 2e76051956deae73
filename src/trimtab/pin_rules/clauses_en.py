"""English sentences as the rules read them: statements, cut into clauses.

Questions, reported speech and reasons are left out here, so that no rule has to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trimtab.pin_rules.words_en import FINITE, VERBS


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, without the words that lead into it.

    Attributes:
        text: normalised text.
        first, second: its first two words.
        order: it starts with an imperative.
        said: it starts with a subject of its own (so it tells something).
        past: it is about the past.
        just: `just` or `only` has led into this sentence.
        led: the words that lead into it (`please`, `but also`).
        after: what parts it from the clause before (`,`, `(`, a space before `and`, ...).
        joined: it hangs on the clause before by a bare `and`, `but` or `or`.
        asked: it has the word `please`.
    """

    text: str
    first: str
    second: str
    order: bool
    said: bool
    past: bool
    led: str
    just: bool
    after: str
    joined: bool
    asked: bool


# --- normal forms -----------------------------------------------------------------------------

_FORMS = {
    "do not": "don't",
    "dont": "don't",
    "don t": "don't",
    "do n't": "don't",
    "does not": "doesn't",
    "doesnt": "doesn't",
    "did not": "didn't",
    "didnt": "didn't",
    "can not": "can't",
    "cannot": "can't",
    "cant": "can't",
    "must not": "mustn't",
    "mustnt": "mustn't",
    "should not": "shouldn't",
    "shouldnt": "shouldn't",
    "shall not": "mustn't",
    "shan't": "mustn't",
    "is not": "isn't",
    "isnt": "isn't",
    "are not": "aren't",
    "arent": "aren't",
    "wont": "won't",
    "will not": "won't",
    "would not": "wouldn't",
    "pls": "please",
    "plz": "please",
    "u": "you",
    "youre": "you're",
    "has got to": "has to",
    "have got to": "have to",
    "needs to": "need to",
    "has to": "have to",
    "w/o": "without",
    "nothing else": "nothing more",
    "let's not": "don't",
    "lets not": "don't",
}
_FORM = re.compile(r"\b(?:" + "|".join(sorted(_FORMS, key=len, reverse=True)) + r")(?![\w'])")


def normal(sentence: str) -> str:
    """One form for each way to write a negation or a duty: `do not`, `dont` -> `don't`."""
    return _FORM.sub(lambda found: _FORMS[found.group()], sentence)


_LEAD = re.compile(
    r"(?:(?:please|kindly|also|and|but|so|then|just|simply|ok|okay|well|again|note(?: that)?"
    r"|important|attention|remember(?=[:,])|still|however|though|besides|plus|additionally"
    r"|finally|first|next|oh|hey|hi|hello|btw|fyi|nb|ps|p\.s\.|this time|for now|here|now|today"
    r"|in general|generally|yes|yeah|yep|actually|hmm+|alright|right|cool|great|thanks|thank you"
    r"|either way|in any case|at this stage|instead|meanwhile|obviously|of course|in particular"
    r"|especially|like i said|as i said|as before|as always|as usual|once more|one more thing"
    r"|otherwise|in addition|furthermore|moreover|lastly|seriously|absolutely|definitely|strictly"
    r"|or|i repeat|reminder|rule|note to self|warning|caution|very important|most importantly"
    r"|for this task|for this one|with that|you should|you can(?! only)|you may(?! only)"
    r"|you could|we should|i want you to|i need you to|i'd like you to|i ask you to"
    r"|i'm asking you to|try to|my advice|no wait|wait|therefore|hence|thus|ever|when done"
    r"|to be clear|to be safe|let's|lets)(?:[:,!]? |$))+"
)
_SPLIT = re.compile(
    r"[,;:)]+ | \(+|[,;:()]+$| [-–—]{1,2} |—|[.!?] | (?=(?:but|because|since|so that|although"
    r"|though|while|whereas|unless|until|when|if) )| (?=(?:and|or|then|so) (?:please |then |also "
    r"|just |always |only )?(?:don't|never|please|always|only|make|keep|do|use|ask|stay|no|avoid"
    r"|leave|stop|you|must|it|they|mustn't|let|wait)\b)"
)
_REASON = re.compile(r"(?:because|since|as|so that|although|though|while|whereas)\b")
_CONDITION = re.compile(
    r"(?:if|when|whenever|unless|until|in case|once|as soon as|even if|provided|before|after"
    r"|every time|each time|any time|wherever|in the event)\b"
)
_SUBJECT = re.compile(
    r"(?:i|we|you|he|she|it|they|that|this|there|these|those|who|which|what|someone|somebody"
    r"|nobody|no one|everyone|everybody|people|i'm|i've|i'll|i'd|we're|we've|it's|that's|there's"
    r"|they're|you're|you've|he's|she's|the|a|an|my|our|your|his|her|their|its|one|some|most|many"
    r"|any|each|every|all|both|nothing|everything|anything|none|normally|usually|currently"
    r"|right now|typically|often|sometimes|apparently|seems|looks like|guess|maybe|perhaps)\b"
)
RELATIVE = re.compile(r"\b(?:that|which|who|so|where|if|when|whether|because|how)\b")
PAST = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't|couldn't|yesterday|ago|used to|took"
    r"|found|came|went|tried|noticed|turned out|ended up|(?<!'ve )got|happened|failed|fixed|said"
    r"|told|thought|knew|made|ran|broke|saw|last (?:night|week|month|year|time|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|summer|winter|spring|autumn)|earlier today|been"
    r"|wrote|explains?|explained)\b"
)
_QUESTION_HEAD = re.compile(
    r"(?:(?:so|and|but|ok|okay|well|hey|hmm|also|then|wait|or|btw)[, ]+)*(?:(?:why|what|which|who"
    r"|whose|whom|how|where)(?:'s|'re)?\b(?! a\b)|when (?:do|does|did|is|are|can|should|will"
    r"|must)\b|(?:does|did|is|are|am|was|were|had|should|must|can|could|will|would|may|might"
    r"|shall|isn't|aren't|doesn't|didn't|wasn't|weren't|can't|couldn't|won't|wouldn't|shouldn't"
    r"|mustn't|hasn't|haven't|have|has|do|don't) (?:i|we|you|he|she|it|they|this|that|there|these"
    r"|those|anyone|someone|everyone|any of|my|our|your)\b(?! dare\b)|(?:does|did|is|are|was|were"
    r"|should|must|will|would|isn't|aren't|doesn't|can) the\b|any (?:idea|chance|reason"
    r"|thoughts)\b|is it\b)"
)
_QUESTION_INSIDE = re.compile(
    r"^(?:is|are|am|was|were|does|did|isn't|aren't|wasn't|doesn't|didn't)\b|, (?:what|why|how"
    r"|where|who|which) (?:would|do|does|did|is|are|should|can|could|happens)\b|\b(?:shouldn't"
    r"|should|couldn't|can't|don't|doesn't|isn't|mustn't) (?:we|i|it|they)\b|^(?:for example"
    r"|e\.g\.)"
)
_POLITE = re.compile(
    r"^(?:(?:so|and|but|ok|okay|also|then|hey|hi|please)[, ]+)*(?:can|could|would"
    r"|will) you(?: please| kindly| maybe| also| perhaps| just"
    r"| try to)*,? (?=\w)(?P<mind>mind )?(?P<rest>.*)$"
)
_EMBEDDED = re.compile(r"\b(?:what|as|which|whatever|how)(?: the| my| our| your)? $")
_TAIL = re.compile(
    r"[, ]+(?:ok|okay|k|right|please|alright|all right|yes|yeah|understood|got it|deal|clear"
    r"|thanks|will you|can you|could you|would you|yeah\?|fine|agreed|you hear)\s?[?!.]+$"
)
REPORT = re.compile(
    r"\b(?:docs?|documentation|readme|manual|errors?|error message|message|warning|linter"
    r"|compiler|logs?|spec|comment|banner|sign|ticket|page|article|tutorial|he|she|they|customer"
    r"|someone|people|reviewer|users?|it|which|that|line|text|label|button|mail|email|manager"
    r"|boss|wiki|changelog|output|popup|dialog|ci|website|site|book|paper|author|description|plan"
    r"|schema|test|i) (?:also |then |just |once |even |only |clearly |now )?(?:says?|said|states?"
    r"|stated|claims?|claimed|complains?|complained|reads?|mentions?|mentioned|wrote|writes"
    r"|warns?|warned|insists?|thinks?|suggests?|suggested|told me|tells me|reported|argued?"
    r"|argues)\b|\baccording to\b|\b\w+ (?:says|states|claims|complains|warns|insists|mentions"
    r"|reports that|told me|tells me)\b"
)


def statement_of(text: str) -> str | None:
    """The text without a question's form; `None` for a real question."""
    text = _TAIL.sub("", text)
    polite = _POLITE.match(text)
    if polite:
        rest = polite["rest"].rstrip("?!. ")
        if polite["mind"]:
            return re.sub(r"^not (\w+?)ing\b", r"don't \1", rest)
        return re.sub(r"^not (?=\w)", "don't ", rest)
    if text.rstrip(" ◇)*").endswith("?"):
        return None
    if _QUESTION_HEAD.match(text) or _QUESTION_INSIDE.search(text):
        return None
    return text.rstrip("!. ")


def clauses_of(text: str) -> Iterator[Clause]:
    reported = subject = just = False
    at = 0
    pieces = []
    for cut in _SPLIT.finditer(text):
        pieces.append((text[at : cut.start()], cut.group()))
        at = cut.end()
    pieces.append((text[at:], ""))
    mark = ""
    for piece, following in pieces:
        before, mark = mark, following
        piece = piece.strip(" ,;:()-–—")
        if not piece:
            continue
        if reported and not re.match(r"(?:but|so|however)\b", piece) and before.strip() != ";":
            continue
        report = REPORT.search(piece)
        reported = report is not None and not _EMBEDDED.search(piece[: report.start()])
        if reported or _REASON.match(piece):
            continue
        lead = _LEAD.match(piece)
        body = piece[lead.end() :] if lead else piece
        if not body:
            continue
        led = lead.group() if lead else ""
        just = just or led.startswith(("just", "only")) or body.startswith("only ")
        joined = subject and before == " " and led.startswith(("and", "or", "but", "then"))
        joined = joined and "please" not in led
        words = body.split(" ", 2)
        first = words[0].strip("'\"*_")
        second = words[1] if len(words) > 1 else ""
        told = _SUBJECT.match(body) is not None
        condition = _CONDITION.match(body) is not None
        clause = Clause(
            text=body,
            first=first,
            second=second.strip(".,"),
            order=not told and not condition and not joined and first in VERBS,
            said=told,
            past=PAST.search(body) is not None,
            led=led,
            just=just,
            after=before.strip(),
            joined=joined,
            asked="please" in piece,
        )
        subject = told and first != "you"
        yield clause


def has_modal(text: str) -> bool:
    return (
        re.search(r"\b(?:must|should|shall|to|have to|will|please|stays?|remains?)\b", text)
        is not None
    )


def is_finite(words: list[str]) -> bool:
    """Whether a fragment has a verb that makes it a statement of its own."""
    return not FINITE.isdisjoint(words) or any(
        w.endswith("ed") and w not in ("limited", "allowed", "required", "need", "combined")
        for w in words
    )
