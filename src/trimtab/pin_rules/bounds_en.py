"""English: limits in numbers, and what waits for the user's approval."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import REPORT, Clause, has_modal, is_finite
from trimtab.pin_rules.words_en import MAKES

_NUMBER = (
    r"(?:(?:about|around|roughly|the|an?|only) )?(?:[$€£¥]\s?)?(?:\d[\d,.]*|(?:one|two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    r"|hundred|thousand|half|single|couple|dozen|few|(?<=an )hour|(?<=a )(?:minute|second|day"
    r"|week|month|page|paragraph|sentence|line|screen))\b)"
)
_BOUND = re.compile(
    r"\b(?:at (?:the )?(?:very |absolute )?(?:most|least)|no (?:more|fewer|less|later|longer"
    r"|greater|larger|bigger|higher|lower|smaller|earlier) than|not (?:more|less|longer|fewer"
    r"|greater|later|larger) than|max(?:imum|\.)?(?: of|:)?|min(?:imum|\.)?(?: of|:)?|up to|under"
    r"|below|within|less than|fewer than|shorter than|smaller than|lower than|exceed(?:ing)?"
    r"|limited to|capped at|exactly|fit (?:in|into|on|within)(?:to)?) "
    + _NUMBER
    + r"|\b(?:don't|never|mustn't|can't|shouldn't|won't|not|nothing"
    r"|no [\w ]{1,20}) [\w ]{0,25}?\b(?:over|above|beyond|more than|longer than|larger than"
    r"|bigger than|exceed) "
    + _NUMBER
    + r"|"
    + _NUMBER
    + r"[^\s,;]{0,12}(?: [\w$€£%/]+){0,3}? (?:max(?:imum)?\b|min(?:imum)?\b"
    r"|at (?:the )?(?:very )?(?:most|least)|or (?:less|fewer|more|lower|under|below|shorter)"
    r"|tops\b)|\b(?:limit|cap|ceiling|maximum|minimum|budget|quota|max(?:imum)? [\w ]{1,30}"
    r"|deadline)\b(?: (?:for|on) [\w' ]{1,30}?)? ?(?:is|are|of|:|=|will be|stays at) ?(?:at "
    r"|limited to "
    r"|max )?" + _NUMBER
)
_SIGN = re.compile(r"(?:^|\s)(?:[<>]=?|[≤≥])\s?\d")
_NOT_THAN = re.compile(
    r"^(?:not|no) (?:longer|more|larger|bigger|later|higher|slower|wider) than\b"
)
_IN_SHORT = re.compile(
    r"\bin (?:a single|one|two|three|four|five|\d+) (?:words?|sentences?|lines?|paragraphs?"
    r"|pages?|bullets?|steps?|minutes?)\b|\bi can only (?:afford|spend|pay)\b"
)
_NO_MORE = ("no more", "not more", "nothing more", "not one more")
_CHANGES = ("remove", "raise", "increase", "lower", "drop", "lift", "change", "set", "bump")
_NAMED_BOUND = re.compile(r"limit|cap|ceiling|max|min|budget|quota|deadline")
_BY_WHEN = re.compile(
    r"\bby (?:(?:next |this |end of )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|day|week|month)|tomorrow|tonight|noon|midnight|eod|\d)"
)
_PER = re.compile(
    r"^(?:only |just )?(?:one|two|three|four|a single|\d+) (?:[\w-]+ ){1,4}?(?:per|for each|for "
    r"every"
    r"|at a time)\b"
)
_ENOUGH = re.compile(
    r"^(?:an? |one |two |three |four |half |\d+ )[\w ◇'-]{1,40}? (?:is|are|will be) (?:enough"
    r"|plenty"
    r"|sufficient|all (?:i|we|you) need)\b"
)
_REDUCE = re.compile(
    r"^(?:keep|limit|restrict|hold|cut|trim|cap|shorten|reduce) .{1,50}?\b(?:to|at|under|below"
    r"|within) " + _NUMBER
)
_ALLOWS = re.compile(
    r"\b(?:must|should|have to|need to|can|may|shall|mustn't|shouldn't|can't|will|i want|we want"
    r"|i need|i'd like|i would like|max|minimum|deadline|limited to|capped at|is at most"
    r"|are at most|is at least|is up to|is under|limit|budget|maximum|cap|ceiling|quota)\b"
)


def limit(text: str, clauses: list[Clause]) -> bool:
    ordered = False
    for clause in clauses:
        body = clause.text
        if clause.order and (_REDUCE.match(body) or _BY_WHEN.search(body)):
            return True
        if _PER.match(body) and clause.after != "(" and not is_finite(body.split()):
            return True
        if _ENOUGH.match(body):
            return True
        if _SIGN.search(body) and (clause.order or not is_finite(body.split())):
            return True
        if _IN_SHORT.search(body) and (clause.order or body.startswith("i can only")):
            return True
        if _NOT_THAN.match(body) and not is_finite(body.split()):
            return True
        if body in _NO_MORE and re.search(_NUMBER, text):
            return True
        bound = _BOUND.search(body)
        if bound and not clause.past:
            head = body[: bound.start()]
            if clause.first in MAKES and re.search(r"\b(?:that|which|who|returns)\b", head):
                continue
            told = clause.first in ("i", "he", "she", "they", "it", "there", "that", "this")
            if clause.first in _CHANGES and _NAMED_BOUND.match(bound.group()):
                continue
            if clause.order or clause.first in ("don't", "never", "no", "not"):
                return True
            if _ALLOWS.search(body) and not (told and not has_modal(head + " ")):
                return True
            if re.search(
                r"\b(?:i (?:can|will|would|want|need)|you(?:'ve got| have"
                r"| get)?)\b",
                head,
            ):
                return True
            words = body.split()
            if not told and len(words) <= 9 and not is_finite(words):
                return True
        ordered = ordered or clause.order
    return False


_ME = r"(?:me|us|the team|@\w+)"
_YES = (
    r"(?:approval|permission|consent|sign-?off|ok|okay|go-?ahead|confirmation|review|green light"
    r"|blessing|agreement|go|feedback|comments?|input|instructions?|signal|answer|reply|decision"
    r"|word|thumbs up)"
)
_ASKS = (
    r"(?:ask|check with|consult(?: with)?|confirm (?:[\w ]{1,40} )?with|contact|ping|message"
    r"|talk to|come (?:back )?to|clear (?:it|this|that|them) with|check in with|get back to"
    r"|double-?check with)"
)
_TELLS = r"(?:tell|notify|inform|warn|alert|let|show|send|email|mail|give|bring|forward|share with)"
_SAYS = (
    r"(?:say|said|confirm\w*|approve\w*|review\w*|give|given|gave|tell|told|agree\w*|ok'?d?"
    r"|okay\w*|sign(?:s|ed)? off|seen|see|look(?:ed)? (?:at|over|through)|check(?:ed)?|allow\w*"
    r"|had a (?:look|chance)|read|decide[ds]?|green-?light\w*)"
)
_OTHERS = r"(?!you\b|it\b|they\b|he\b|she\b|that\b|this\b|there\b|the\b|tests?\b|users?\b)[a-z]+"
_EARLY = r"(?:first|before|prior|beforehand|in advance|ahead of time)"
_APPROVAL = re.compile(
    rf"\b{_ASKS} {_ME}\b.{{0,60}}?\b(?:{_EARLY}|if|when|whenever|in case)\b"
    rf"|\b{_TELLS} {_ME}\b.{{0,60}}?\b{_EARLY}\b|\b(?:before|prior to|if|when"
    rf"|whenever)\b.{{1,80}}?\b{_ASKS} {_ME}\b(?! (?:about )?(?:what|why|how))|\b(?:before"
    rf"|prior to)\b.{{1,80}}?\b{_TELLS} {_ME}\b|\bask (?:{_ME} |for )?(?:first|permission"
    rf"|approval|before)\b|\bask for (?:my )?{_YES}\b|\b(?:for|so) (?:i can|{_ME} to) (?:review"
    rf"|approve|confirm|check)\b|\bwait (?:for|until|till)\b.{{0,40}}?\b(?:{_YES}|approve|confirm"
    rf"|me)\b|\b(?:until|till|unless|once|after|before|as soon as|only (?:if|when|after|once)"
    rf"|without) (?:i|we|{_OTHERS}) ?(?:'ve|have|has|had)? ?(?:explicitly |fully )?{_SAYS}\b"
    rf"|\b(?:need|needs|require|requires|get|obtain|seek|without|after|upon|pending|await"
    rf"|until) (?:\w+ ){{0,3}}?(?:my|our|explicit|prior|written|human|manual"
    rf"|\w+'s)(?: \w+){{0,2}}? {_YES}\b|\bwith my (?:\w+ )?{_YES}\b|\b(?:after|pending|without"
    rf"|until|needs?|requires?|subject to|get)(?: an?| any| the| explicit)? (?:approval|sign-?off"
    rf"|permission|confirmation|go-?ahead|consent)\b|\b(?:run|pass|clear) (?:it|this|that|them"
    rf"|any\w*|every\w*|the \w+) (?:by|past|with) {_ME}\b|\bshow {_ME} .{{0,60}}?\band wait\b"
    rf"|\bfirst,? show {_ME}\b|\b(?:and|then|stop) let {_ME} (?:look|review|check|see|approve"
    rf"|have a look|confirm|decide)\b|\bi(?: want| need| would like|'d like| have) to (?:approve"
    rf"|review|sign off|see|check|confirm|ok)\b.{{0,60}}?\b(?:every|each|all|any|before|first"
    rf"|myself)\b|\b(?:pause|stop|halt|wait) (?:right )?before\b|\bcheck in with {_ME}\b"
    rf"|\bso (?:that )?i can (?:take a look|have a look|look|review|check|approve|decide|confirm"
    rf"|see)\b|\bi(?:'ll| will) (?:merge|deploy|send|pay|push|publish|do|handle|decide"
    rf"|choose)\b.{{0,20}}\bmyself\b|^(?:check|confirm|verify|consult"
    rf"|clear)\b.{{0,30}}? with \w+.{{0,40}}?\b{_EARLY}\b|\b(?:need|needs|require|requires|get"
    rf"|without)(?: an?| the)? {_YES} from\b|\bi(?: want| need| would like|'d like"
    rf"| have) to (?:approve|sign off)\b|\b(?:run|pass) .{{1,30}}? (?:by|past) \w+ (?:before"
    rf"|first)\b|\bdiscuss .{{0,30}}with {_ME}\b|^(?:propose|suggest|outline|describe|draft"
    rf"|present|sketch)\b.{{0,40}}\bfirst\b|\b(?:goes|go|pass|passes) (?:through|past|by) {_ME}\b"
    rf"|\bhold (?:off|on)\b.{{0,80}}?\b(?:until|till)\b"
)
_NOT_ASKING = re.compile(r"\b(?:hesitate to ask|feel free to|free to ask|let me know if)\b")
_ALREADY = re.compile(
    r"^(?:i|he|she|they|it|the \w+|we)\b.{0,30}\b(?:approved|asked|waited|confirmed|came|got|was"
    r"|were|had|did|found|fixed|saw|told|noticed|tried|went|changed|merged)\b"
)

_MINE = re.compile(
    r"(?:\b(?:is|are|stays|remains)|'s) (?:(?:always|only|still|entirely|and remains) )?(?:my|our"
    r"|(?:the )?[\w-]+'s) (?:own )?(?:job|call|decision|business|task|responsibility|turf"
    r"|department|domain)\b|(?:\b(?:is|are|stays)|'s) (?:mine|ours|for me|for us|up to me|up to us)"
    r"(?: (?:to \w+|alone))?$|\bis something (?:only )?(?:i|we) (?:\w+ ){0,3}\w+$|^(?!.*\b(?:can't"
    r"|couldn't|don't|didn't|could|would|if|might)\b).*\b(?:i|we)(?:'ll| will| want to| prefer to"
    r"| always)? (?:\w+ ){1,5}?(?:myself|ourselves)\b|^leave .{1,60} to (?:me|us)$"
)
"""What the user does or decides, and nobody else."""


def approval(text: str, clauses: list[Clause]) -> bool:
    if any(not clause.past and _MINE.search(clause.text) for clause in clauses):
        return not REPORT.search(text)
    if not _APPROVAL.search(text) or _NOT_ASKING.search(text):
        return False
    if REPORT.search(text) and not re.search(r"\bi (?:say|said)\b", text):
        return False
    return not _ALREADY.match(text) and bool(clauses)
