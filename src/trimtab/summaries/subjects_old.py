"""What a statement says is no longer so: old values, and rules that it takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.summaries import subject_words_ja as ja
from trimtab.summaries.subjects_values import Value

_BEFORE = re.compile(
    r"(?:\bnot|\binstead of|\brather than|\bin place of|\bno longer(?: is| at| on| in| be)?"
    r"|\bi (?:said|wrote)"
    r"|\bpreviously|\bformerly|\bused to be|\breplac(?:es|ed|ing)|\bold one was|\bwas|\bfrom"
    r"|\bold \w+ was"
    r"|\bretire[ds]?|\bold|\bprevious|\bearlier|\bno more)\s+(?:the\s+|at\s+|in\s+|on\s+"
    r"|with\s+|by\s+)?[`\"'$]*$",
    re.I,
)
_AFTER = re.compile(
    r"^[)」』、\s]*(?:ではな|ではあり|じゃな|でな|でもな|の代わり|の替わり|をやめ|は(?:廃止|無効|中止|取り)"
    r"|\s*(?:->|→)|\s+(?:before|previously|earlier|was wrong|is wrong|no longer)\b)"
)
_FROM_JA = re.compile(
    r"^[)」』\s]*から(?![にと])[^、。]{0,30}(?:変|切|移|上げ|下げ|延|修正|訂正|替|代わ|交代|引き?継)"
)
_RANGE_FROM = re.compile(r"\bfrom\s+(?:the\s+)?$", re.I)
_CHANGE_VERB = re.compile(
    r"\b(?:chang|mov|switch|migrat|rais|lower|bump|renam|increas|decreas|reduc|extend|went|go"
    r"|cut|swap|upgrad"
    r"|shift|slip|postpon|updat)\w*\b",
    re.I,
)

_HANDOVER = re.compile(rf"{_CHANGE_VERB.pattern}|\bover\b|\bhand", re.I)


def old_values(text: str, values: Sequence[Value], change: bool) -> frozenset[int]:
    """The numbers of those values of a clause that it names as no longer, or not, true."""
    gone = set()
    for at, value in enumerate(values):
        before, after = text[: value.start], text[value.end :]
        if _BEFORE.search(before):
            # "open from 9:00 to 18:00" is a range, "moved from 9:00 to 10:00" a change.
            verb = _HANDOVER if value.kind == "name" else _CHANGE_VERB
            if _RANGE_FROM.search(before) and not verb.search(before):
                continue
            gone.add(at)
        elif _AFTER.match(after) or (change and _FROM_JA.match(after)):
            gone.add(at)
    return frozenset(gone)


_RULES = (
    r"(?:rule|limit|cap|freeze|restriction|constraint|requirement|instruction|preference"
    r"|deadline|budget|ban|hold"
    r"|ceiling|condition|policy|guideline|embargo|moratorium|request)s?"
)
_RETRACT = (
    re.compile(
        r"^\W*(?:(?:please|ok|okay|so|actually|and|also|update:?|you can|you may|we can"
        r"|just)[\s,]+)*"
        r"(?:forget|never ?mind)\s+(?:about\s+|what i said about\s+)?(?P<what>.+)",
        re.I,
    ),
    re.compile(
        r"^\W*(?:(?:please|ok|okay|so|actually|and|you can|you may|we can|you should)[\s,]+)*"
        r"(?:ignore|disregard|drop|scrap|cancel|lift|remove|withdraw|revoke|retract|rescind)\s+"
        r"(?P<what>(?:what i said (?:about|on)\s+.+|(?:the|that|this|my"
        r"|our)\s+(?:[\w$%-]+\s+){0,5}?" + _RULES + r"\b[^,;]*))",
        re.I,
    ),
    re.compile(
        r"^(?P<what>.{3,80}?)\s+(?:no longer (?:applies|apply|holds?|counts?|matters?|(?:is "
        r"|are )?(?:valid|needed"
        r"|required|in force|in effect|binding))|(?:is|are) no longer (?:valid|needed|required"
        r"|in force|in effect"
        r"|binding|necessary)|(?:does not|doesn't|do not|don't) apply (?:any ?more|any longer)"
        r"|(?:is|are|has been|"
        r"have been|was|were) (?:lifted|void|withdrawn|rescinded|revoked|retracted|scrapped|dropped"
        r"|called off|off the table))\b",
        re.I,
    ),
)
_RETRACT_JA = re.compile(ja.RETRACTION)


def retracted(text: str) -> str:
    """The words of a clause that name what it takes back; empty where it takes nothing back."""
    for pattern in _RETRACT:
        match = pattern.search(text)
        if match:
            return match["what"]
    match = _RETRACT_JA.search(text)
    if match and not text.isascii() and "ないで" not in text:
        return text[: match.start()]
    return ""
