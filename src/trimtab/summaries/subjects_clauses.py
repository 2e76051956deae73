"""A statement taken apart: headings off, questions out, clauses and what each is like."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from trimtab.summaries import subject_words_en as en
from trimtab.summaries import subject_words_ja as ja

_BULLET = re.compile(
    r"^(?:[-*•・▪>]+\s+|\d{1,3}[.)]\s+|\[(?:user|system|assistant|tool)\]\s*)+", re.I
)
_CAPS = re.compile(r"^\[?[A-Z][A-Z'-]*(?:[ _-][A-Z][A-Z'-]*){0,3}\]?\s*:\s*(?=\S)")
_TITLE = re.compile(
    r"^(?:hard |user |safety |style |project )?(?:constraint|note|fact|preference|rule|goal"
    r"|reminder"
    r"|important|decision|decided|requirement|heads[- ]up|fyi|n\.?b\.?|context|status|policy)s?"
    r"(?:\s*\([^)]{1,20}\))?\s*[::]\s*",
    re.I,
)
_JA_HEADING = re.compile(rf"^[【\[(「]?(?:{ja.HEADINGS})[】\])」]?\s*:\s*|^【[^】]{{1,8}}】\s*")
_EN_WORD = re.compile(r"[A-Za-z]{2,}")

_SENTENCE = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?!It(?:'s| is) now)(?=[^\sa-z])|(?<=[。!?])(?=[^\s。!?」』)])|\n+"
)
_CLAUSE = re.compile(
    r"\s*;\s+(?!it(?:'s| is| will)\b)|\s+[—–]\s+|,?\s+\band\s+(?=(?:the|our|its"
    r"|your)\s+[\w' -]{1,30}?\s(?:is|are|has|was)\b)"
)
_QUESTION = re.compile(r"\?[\"')\]]*\s*$")
_JA_QUESTION = re.compile(ja.QUESTION)

# These are tried on texts in lower case: that costs a fourth of a search that ignores case.
_CHANGE = re.compile(en.CHANGE)
_STRONG = re.compile(
    r"\b(?:instead|actually|correction|rather|chang(?:e|ed|es|ing)|moved?|switch(?:ed|ing)?"
    r"|replac(?:ed?|es|ing)|moves|rebased|checked out"
    r"|renam(?:e|ed)|no longer|from now on|going forward|from here on|make (?:it|that)|scratch"
    r" that|i meant"
    r"|(?:is|are|will|must|should) now|now \w+s\b|now (?:is|are|use|run|go|call)|update:|sorry"
    r"|in place of)\b|\bnow[.!]?$",
)
_JA_CHANGE = re.compile(ja.CHANGE)
_TENTATIVE = re.compile(
    r"\b(?:maybe|perhaps|might|what if|suppose|imagine|considering|thinking (?:of|about)|possibly"
    r"|wonder(?:ing)?|in theory|for example|e\.g\.|hypothetical(?:ly)?|would it|could we"
    r"|could (?:use|be|also|try)|should we"
    r"|propos(?:e[ds]?|al|ing)|suggest(?:s|ed|ing)?|rumou?r|probably|i think|i guess|not sure"
    r"|unsure"
    r"|would have|could have|had we|if we had|someone asked|asked whether|not decided|undecided"
    r"|(?:may|could|can|would|will|wants? to|wish(?:es)? to|hopes? to|offer(?:s|ed)? to|plans? to"
    r"|asked to|volunteer(?:s|ed) to) take (?:[\w-]+ ){0,4}?over"
    r"|(?:has|have|had|did|does|is|are)(?:n't| not)(?: yet)? (?:tak(?:en|e) (?:[\w-]+ ){0,4}?over"
    r"|own|manage|handle|lead|maintain|in charge|responsible|listen\w*|reachable|available))\b",
)
_JA_TENTATIVE = re.compile(ja.TENTATIVE)
_BE_PAST = re.compile(
    r"\b(?:was|were|had|did)\b(?!\s+(?:\w+ly\s+)?(?:chang|mov|rotat|rais|lower|set\b|cut\b"
    r"|reset|updat|switch"
    r"|renam|replac|upgrad|bump|extend|postpon|delay|reduc|increas|decreas|shift|push|brought"
    r"|revis|correct"
    r"|re-?schedul|wrong|mistaken|meant|migrat))",
)
_DEED = re.compile(
    r"\b(?<!is )(?<!are )(?<!be )(?<!been )(?<!now )(?<!i )(?<!I )(?<!every )(?<!each )(?<!all )"
    r"(?<!the )(?<!any )(?<!an )(?<!a )"
    r"(?:met|spent|ran|took|found|saw|sent|got|added|fixed|broke"
    r"|failed(?! \w+s\b)|peaked|crashed|created|wrote|tried|merged|tested|removed|deleted"
    r"|opened|closed"
    r"|measured"
    r"|used to|said|asked|finished|returned|reported|arrived|called|bought|paid|cost us|lasted"
    r"|grew|fell|dropped)\b",
)
_DONE = re.compile(
    r"^\W*(?:claimed|added|fixed|removed|created|implemented|updated|refactored|extracted"
    r"|verified|committed|pushed"
    r"|installed|wrote|ran|built|tested|completed|finished|resolved|deployed)\b|^\W*[➜❯$%✗]",
)
_INTENT = re.compile(
    r"\b(?:let me|i'll|i will|i'm going to|i am going to|i need to|i have to|i can see|i see"
    r"|i've|i found)\b"
    r"|\blet's (?:fix|add|check|look|run|see|try|test|implement|create|write|also|first|verify"
    r"|start)\b"
    r"|^\W*(?:now )?(?:need to|going to|trying to)\b",
)
# Listings, code, logs and lines that introduce something set nothing.
_NO_PROSE = re.compile(
    r"[:{\\]\W{0,3}$|^\W*\d+\s*[:│|]|[│└├]|[^\s]\(\)|=>|::|[;{]\s*$|</?[a-z][\w-]*>"
    r"|^\s*[\[(<].*[\])>]\.?$"
    r"|^\W{0,3}#|\s:[a-z]\w*|^\s*(?:sed|grep|cd|ls|cat|git|curl|sudo|def|class|import|const"
    r"|var|return)\s"
    r"|\bself\.|==|!=|&&|\|\|"
)
_PROGRESS = re.compile(
    r"^\W*[A-Z][a-z]+ing\b(?!.*\b(?:is|are|must|should|may|can|will|has|have|takes?|needs?"
    r"|costs?|moves?|uses?"
    r"|goes|lives?|runs?|listens?|points?|serves?|expires?|starts?|ends?)\b)"
)
# An update may as well tell what was.
_LEAD = re.compile(
    r"\W*(?:\w+ ){0,2}(?:update|news)(?: (?:on|about|to|from|regarding) [^:,]{1,60})?[:,]\s*"
)
_CODE_SPAN = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_JA_PAST = re.compile(ja.PAST)
_PROHIBITION = re.compile(
    r"\b(?:never|do not|don'?t|must not|mustn'?t|may not|should not|shouldn'?t|cannot|can'?t"
    r"|no one|nobody may"
    r"|avoid|refrain|under no circumstances|forbidden|prohibited|off[- ]limits|not allowed"
    r"|keep .{1,30} away)\b"
    r"|^\W*no\s(?!longer)",
)
_JA_PROHIBITION = re.compile(ja.PROHIBITION)
_OBLIGATION = re.compile(
    r"\b(?:must|always|only|require[sd]?|make sure|ensure|needs?)\b|必ず|厳守|こと[。]?$"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|except|in case|only (?:when|for|if|in)|as long as|whenever|provided|apart from"
    r"|other than|but for|just for|when(?! \w+ing\b)|while|during)\b",
)
_JA_NARROW = re.compile(ja.NARROW)
_ALSO = re.compile(
    r"\b(?:also|as well|too|additionally|in addition|additional|another|plus|second(?:ary)?"
    r" one|on top of"
    r"|besides)\b",
)
_JA_ALSO = re.compile(ja.ALSO)
_BOUND = re.compile(
    r"\b(?:exceed\w*|over|above|more|below|under|less|fewer|beyond|past|after|before|pass"
    r"|longer|later"
    r"|earlier|within|until|than|go)\b|超|以上|以下|以内|未満|まで|以降",
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a statement and what it is like."""

    text: str
    told: bool
    """Tells of a deed, or of what may be: sets nothing."""
    forbids: bool
    bounded: bool
    obliges: bool
    narrow: bool
    change: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """A statement without headings and questions.

    `change`: it says that something is otherwise than before; `strong`: in so many words; `also`:
    that something comes besides.
    """

    text: str
    clauses: tuple[Clause, ...]
    change: bool
    strong: bool
    also: bool


def without_heading(statement: str) -> str:
    """The statement in NFKC without bullet, mark-up and heading."""
    text = unicodedata.normalize("NFKC", statement).replace("**", "").replace("’", "'")
    text = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    text = _BULLET.sub("", text)
    for heading in (_CAPS, _TITLE, _JA_HEADING):
        match = heading.match(text)
        if match:
            rest = text[match.end() :]
            # `TTL: 10 minutes` is no heading with a statement, but all of the statement.
            if len(_EN_WORD.findall(rest)) >= 3 or len(re.findall(r"[ぁ-ん]", rest)) >= 2:
                text = rest
    return text


def parts(statement: str) -> Parts:
    """Take a statement apart."""
    text = without_heading(statement)
    clauses: list[Clause] = []
    for sentence in _SENTENCE.split(text):
        if not sentence or _is_question(sentence):
            continue
        clauses.extend(
            _clause(piece) for piece in _CLAUSE.split(sentence) if piece and piece.strip()
        )
    return Parts(
        text,
        tuple(clauses),
        any(clause.change for clause in clauses),
        any(_either(_STRONG, _JA_CHANGE, clause.text.lower()) for clause in clauses),
        any(_either(_ALSO, _JA_ALSO, clause.text.lower()) for clause in clauses),
    )


def _either(english: re.Pattern[str], japanese: re.Pattern[str], text: str) -> bool:
    return bool(english.search(text) or (not text.isascii() and japanese.search(text)))


def _is_question(sentence: str) -> bool:
    return _either(_QUESTION, _JA_QUESTION, sentence)


def _clause(text: str) -> Clause:
    text = text.strip()
    bare = _CODE_SPAN.sub("x", text) if "`" in text or '"' in text else text
    low = text.lower()
    plain = bare.lower()
    change = now = _either(_CHANGE, _JA_CHANGE, plain)
    if change and _LEAD.match(low):
        now = _either(_CHANGE, _JA_CHANGE, _LEAD.sub("", plain))
    told = (
        bool(not now and (_BE_PAST.search(low) or _either(_DEED, _JA_PAST, low)))
        or _either(_TENTATIVE, _JA_TENTATIVE, low)
        or bool(_INTENT.search(low) or _DONE.match(low) or _PROGRESS.match(text))
        or bool(_NO_PROSE.search(bare))
    )
    return Clause(
        text,
        told,
        _either(_PROHIBITION, _JA_PROHIBITION, low),
        bool(_BOUND.search(low)),
        bool(_OBLIGATION.search(low)),
        _either(_CONDITION, _JA_NARROW, low),
        change,
    )
