"""English: what must always or surely be done."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import PAST, RELATIVE, Clause, is_finite
from trimtab.pin_rules.words_en import MAKES, PEOPLE, VERBS

_SURE = re.compile(
    r"^(?:(?:make|be) (?:absolutely |very |damn )?sure|ensure|see to it|take care (?:to|that)"
    r"|be careful to|remember to|don't forget|guarantee|i (?:need|want) (?:every|all"
    r"|each)\b.{1,60}ed\b|(?:it is|it's) (?:very |really |absolutely )?(?:important|crucial"
    r"|essential|imperative|vital|critical|mandatory|necessary|required)(?: that| to| for)"
    r"|i (?:expect|insist|demand|require)|we require)\b"
)
_MUST = re.compile(r"\b(?:must|have to|need to|shall|ought to|(?:'re|are|is) required to)\b")
_UNSURE = re.compile(
    r"(?:\b|')(?:no|d|would|might|may|could|probably|maybe|perhaps|don't|doesn't|didn't|won't"
    r"|never|not|if|used|says|wish|think|guess|suppose|wonder|seems?|know|why|how|what|which|who"
    r"|whether)\b"
)
_EPISTEMIC = re.compile(
    r"must (?:have|'ve) (?:been|had|gone|\w+ed|\w+en|got|done|lost|come|run)\b|must be (?:a |an "
    r"|the |some|because|due|related|tired|joking|kidding|mad|right|wrong|crazy|new|busy"
    r"|coincidence|broken|missing|cached|stale|that|why|how|there|hard|nice|fun|great|annoying)"
    r"|must (?:admit|say|confess)|have to (?:say|admit|go|leave)|need to (?:know|talk|leave|go)"
)
_CULPRIT = re.compile(r"\b(?:culprit|reason|cause|problem|bug|explanation|fault|there)\b")
_NEEDED = re.compile(
    r"\b(?:is|are|remains|stays|be) (?:strictly |absolutely )?(?:mandatory|required|compulsory"
    r"|obligatory|a must|non-?negotiable|essential|imperative|a (?:hard )?requirement|vital"
    r"|crucial)\b(?! by\b)"
)
_EACH_NEEDS = re.compile(
    r"^(?:every|each|all)\b.{1,40}?\bneeds? (?:an?|the|at least|its|their|\d)\b"
)
_HENCEFORTH = re.compile(
    r"\b(?:from (?:now|here|today|tomorrow|this point|monday) on(?:wards?)?|going forward"
    r"|henceforth|in (?:the )?future|for the rest of (?:this|the|our)|for all (?:further|future)"
    r"|until further notice)\b"
)
_EACH_TIME = re.compile(
    r"^(?:whenever|every time|each time|any time|anytime|(?:after|before|with|at|on|for) (?:each"
    r"|every)|before any (?!of\b|more\b))\b"
)
_EACH_STEP = re.compile(
    r"\b(?:after|before|with|at|on) (?:each|every|any) (?:\w+ )?(?:change|commit|step|edit"
    r"|release|run|iteration|turn|push|merge|deploy|task|time|message|reply|answer|session|build"
    r"|phase|stage)\b"
)
_ALWAYS_SO = re.compile(
    r"\b(?:throughout|at all times|without (?:exceptions?|fail)|in all cases|no matter what"
    r"|every (?:single )?time|consistently|always|strictly)\b"
)
_PRESERVE = re.compile(
    r"^(?:preserve|maintain|retain|respect|honou?r|obey|adhere|comply|conform)\b|^follow (?:the"
    r"|our|my|this|these|pep)\b|^prefer\b|^keep me (?:posted|informed|updated|in the loop)"
    r"|^(?:reply|answer|respond|write|speak|talk|communicate)\b.{0,30}?\bin (?:english|french"
    r"|german|spanish|italian|japanese|chinese|korean|portuguese|dutch|russian|plain|british"
    r"|american)\b|^keep .{1,60}?(?:compatib|stable|consistent|valid|in sync|up[- ]to[- ]date"
    r"|working|green|passing|secret|private|confidential|short|concise|simple|minimal|order"
    r"|backward|brief|small)"
)

_TREAT = re.compile(
    r"^treat .{1,60} as\b|^(?:assume|presume|take it) (?:that|the|an?|no|every|all|i|we|you|my|our"
    r"|they|there|◇)\b|^(?:keep|bear) (?:this |that |it |the .{1,30} )?in mind\b"
)
_EACH_GETS = re.compile(
    r"^(?:every|each)\b[^,;]{1,50}? (?:gets?|goes (?:in|into|under|through|to)|belongs (?:in|to"
    r"|under)|comes with|starts with|ends with|carries|has its own|is (?:covered|backed|preceded"
    r"|followed|accompanied|signed|reviewed|tested) by|lives in|cites|names"
    r"|should (?!(?:have|take|already|now|still|only take|be (?:fine|ok"
    r"|okay|able|easy|enough|there|gone|done|possible))\b)\w+)\b"
)
_WITH_EACH = re.compile(r"\b(?:after|before|with|at) (?:each|every)\b")
_MANNER = re.compile(
    r"\b(?:step by step|one (?:\w+ )?at a time|one by one|bit by bit|piece by piece|(?:in|by) "
    r"(?:small"
    r"|tiny|little|single|baby) (?:steps|commits|batches|chunks|pieces|increments)|in (?:the|that"
    r"|this|exactly this|the same|the given) order|(?:from )?top to bottom|in small doses)\b"
)
_FIRST = re.compile(r"^(?!me\b|you\b|at\b|let|safety\b)[\w ◇'-]{2,40} first$")
_WANTS_WHEN = re.compile(
    r"^(?:i'd like|i would like|i want|i need|i expect|we want|we need)(?: to (?:see|have|get|read"
    r"|know|hear))? (?!to\b).{1,60}?\b(?:before|first|(?:every|each) time|(?:after|with|in|for) "
    r"(?:each|every)"
    r")\b"
)

_WHEN_YOU = re.compile(
    r"^(?:when|whenever|before|after|once|while) you(?:'re| are)? (?:answer|reply|respond|finish"
    r"|done"
    r"|start|begin|give|recommend|cite|write|change|edit|touch|commit|push|run|use|make|compare"
    r"|quote"
    r"|name|add|delete|remove|create|show|report|send|summari[sz]e|explain|refer|list|suggest"
    r"|propose"
    r"|encounter|hit|get|open|read|call|test|review|describe|talk|mention|introduce|present|rename"
    r"|move|estimate|translate|ask|plan|present|work|feel|format|print|return)"
)
"""A standing order: what to do whenever something is done."""


def _manner(clause: Clause) -> bool:
    """How to go about the work: in what order, in what steps."""
    body = clause.text
    words = body.split()
    if clause.past or clause.said or clause.joined:
        return not clause.past and _WANTS_WHEN.match(body) is not None
    if _MANNER.search(body) and (clause.order or not is_finite(words)):
        return True
    if is_finite(words) or len(words) > 9 or clause.after == "(":
        return False
    return not clause.order and bool(_WITH_EACH.search(body) or _FIRST.match(body))


def obligation(text: str, clauses: list[Clause]) -> bool:
    each = ordered = False
    henceforth = _HENCEFORTH.search(text) is not None
    for clause in clauses:
        body, first = clause.text, clause.first
        if not clause.joined and _SURE.match(body):
            return True
        if _EACH_TIME.match(body) and not clause.past:
            if ordered and len(body.split()) <= 3:
                return True
            each = True
        each = each or (not clause.past and _WHEN_YOU.match(body) is not None)
        ordered = ordered or clause.order
        if first == "always" and not clause.joined and _always(body):
            return True
        if clause.order and (
            each
            or henceforth
            or _PRESERVE.match(body)
            or _ALWAYS_SO.search(body)
            or _EACH_STEP.search(body)
        ):
            return True
        if _EACH_NEEDS.match(body) or _binds(clause) or _manner(clause):
            return True
        if not clause.past and (_TREAT.match(body) or _EACH_GETS.match(body)):
            return True
        if _NEEDED.search(body) and not clause.past and not _UNSURE.search(body):
            return True
    return henceforth and not any(c.past or c.first in ("i", "we", "it") for c in clauses)


def _always(text: str) -> bool:
    words = text.split()[1:]
    if not words:
        return False
    word = words[0].strip(".,")
    if word in VERBS:
        return True
    return len(words) <= 4 and not is_finite(words) and not word.endswith(("s", "ed"))


def _binds(clause: Clause) -> bool:
    """A modal whose subject is the agent or the thing that is made."""
    found = _MUST.search(clause.text)
    if not found:
        always = re.search(r"\b(?:should|will|can) always\b", clause.text)
        return always is not None and not clause.past and clause.first not in ("i", "he", "she")
    head = clause.text[: found.start()]
    tail = clause.text[found.start() :]
    modal = found.group()
    if tail.startswith("must never") or _UNSURE.search(head) or _EPISTEMIC.match(tail):
        return False
    if PAST.search(head) or tail[len(modal) :].startswith(("n't", " not")):
        return False
    words = head.split()
    first = words[-1] if words and words[-1] in PEOPLE | {"we", "you"} else clause.first
    if first in PEOPLE - {"they"} or first in ("i'll", "she'll", "he'll", "who", "which"):
        return False
    if first == "we" and re.match(
        r"(?:need|have) to (?:stay|keep|remain|support|preserve|avoid|not)\b", tail
    ):
        return True
    if first in ("we", "they", "it", "that", "this", "there", "we'll"):
        wanted = modal in ("must", "shall") or first not in ("we", "we'll")
        return wanted and first != "there" and _thing_verb(tail, modal)
    if first in MAKES and RELATIVE.search(head):
        return False
    if not head.strip():
        return modal in ("must", "have to")
    return not _CULPRIT.search(head)


def _thing_verb(tail: str, modal: str) -> bool:
    words = tail[len(modal) :].split()
    if not words:
        return False
    if words[0] == "be" and modal in ("have to", "need to"):
        return len(words) > 1 and words[1] not in ("a", "an", "the", "some", "because", "something")
    if words[0] == "be":
        return len(words) > 1 and words[1].endswith(("ed", "able", "ible", "en", "ent"))
    return words[0] not in ("have", "feel", "think", "know", "want", "look", "seem")
