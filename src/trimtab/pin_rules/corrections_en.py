"""English: what the user puts right: the value that holds, in place of one said before."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import REPORT, Clause

_AMOUNT = (
    r"(?:[$€£¥]?\d|◇|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
    r"|thirty|forty|fifty|sixty|ninety|hundred|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b)"
)
_NO_CONTRAST = (
    r"(?!sure\b|yet\b|really\b|too\b|that\b|so\b|only\b|just\b|because\b|quite\b|always\b|even\b"
    r"|necessarily\b|bad\b|working\b|as\b|to\b|if\b|when\b|until\b|what\b|why\b|how\b|all\b"
    r"|every|much\b|very\b|at all\b|for now\b|now\b|today\b|again\b|yours\b|mine\b|more than\b"
    r"|less than\b|any\b|possible\b|available\b|found\b|great\b|good\b|ideal\b|needed\b"
    r"|required\b|\w+ing\b|\w+ed\b|in production\b|supposed\b|able\b|it\b|this\b)"
)
_A_NOT_B = re.compile(
    r"(?:\b(?:is|are|be|means?|meant|said|say|wanted?|need|needs|called|named|uses?|asked for"
    r"|runs? on|lives? in|belongs? to)\b|'s |'re )(?P<a>[^,;]{1,70})(?:, (?:and )?| and | [-–—] "
    r")not "
    + _NO_CONTRAST
    + r"(?P<b>(?:an? |the |in |on |at |from |to |by |for )?[\w$€£%.◇/:'-]+(?: [\w%./'-]+){0,3})$"
)
_FRAGMENT = re.compile(
    r"^(?P<a>[^,;]{1,60}), (?:and )?not "
    + _NO_CONTRAST
    + r"(?P<b>(?:the |in |on |at |from |by )?[\w$€£%.◇/:'-]+(?: [\w%./'-]+){0,2})$"
)
_NOT_A_BUT_B = re.compile(
    rf"\bnot (?:the |in |on |at |from |by )?{_AMOUNT}[^;]{{0,30}}? but (?:rather )?(?:the |in |on "
    rf"|at |from |by )?(?:\w+ )?{_AMOUNT}"
)
_PUTS_RIGHT = re.compile(
    r"^(?:(?:oh|oops|sorry|ah|ok|wait|no|but|a|one|small|quick|minor|another|and)[,: ]+)*"
    r"(?:correction|erratum|errata|amendment|typo)s?(?: (?:to|of|on) [\w ]{1,30})?\s?[:,.–-]"
    r"|^correcting myself\b|\bi (?:misspoke|mistyped|misremembered|misread|mixed (?:it|them|that) "
    r"up|got (?:it|that|this|the \w+) wrong|had (?:it|that|the \w+) wrong|take that back"
    r"|stand corrected)\b|\bi meant(?: to (?:say|write))?\b(?! that| well| it| no)"
    r"|^(?:my (?:mistake|bad|error)|on second thoughts?|change of plans?|scratch that|strike that"
    r"|i(?:'ve| have) changed my mind)\b.{12,}"
)
_MAKE_THAT = re.compile(
    rf"^(?:(?:or|no|sorry|actually|wait|ok|rather|better|let's|please)[,: ]+)*(?:make|let's say"
    rf"|say|call) (?:that|it|this) (?:an? |the |at most |at least )?{_AMOUNT}"
)
_RATHER = re.compile(
    r"(?:^|, )(?:(?:actually|in fact)[,:]?|(?:sorry|oops|wait|no|i was wrong|to correct "
    r"myself)[,:])"
    r" [^?]{0,60}?"
    rf"(?:\b(?:is|are|be|means|make it|make that|use|needs?)\b|'s )[^?]{{0,30}}?{_AMOUNT}"
)
_CHANGED = re.compile(
    r"\b(?:is|are|has been|have been|was|were|gets?|will be|got) (?:now )?(?:changed|moved|raised"
    r"|lowered|increased|reduced|extended|shortened|cut|pushed(?: back| out)?|postponed|delayed"
    r"|brought forward|bumped|switched|corrected|set|revised) (?:back )?(?:from .{1,40} "
    rf")?(?:to|until|till) (?:the )?(?:\w+ )?{_AMOUNT}|\b(?:is|are) now (?:\w+ ){{0,2}}?{_AMOUNT}"
    rf"|\b(?:moves|changes|drops|rises|goes) (?:from .{{1,40}} )?to (?:\w+ )?{_AMOUNT}"
)
_UNSURE = re.compile(r"\b(?:might|may not|maybe|perhaps|probably|not sure|i think|i guess)\b")
_COUNTS = re.compile(r"^(?:i|it|he|she|they|there|we)\b|\b(?:tests?|times|errors?|failures?)\b")


def correction(text: str, clauses: list[Clause]) -> bool:
    if not clauses or REPORT.search(text) or _UNSURE.search(text) or text.startswith(("+", "//")):
        return False
    if _PUTS_RIGHT.search(text) or _NOT_A_BUT_B.search(text) or _MAKE_THAT.match(text):
        return True
    found = _A_NOT_B.search(text) or _FRAGMENT.match(text)
    if found and (found.re is _A_NOT_B or _alike(found["a"], found["b"])):
        return True
    if _RATHER.search(text):
        return True
    return _CHANGED.search(text) is not None and not _COUNTS.search(text)


_HAS_AMOUNT = re.compile(_AMOUNT)


def _alike(one: str, other: str) -> bool:
    """Both name an amount, a day or a thing in code: the one stands in for the other."""
    return _HAS_AMOUNT.search(one) is not None and _HAS_AMOUNT.search(other) is not None
