"""English: what the user likes better, and what counts where two things compete."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import REPORT, Clause, is_finite
from trimtab.pin_rules.words_en import CHOOSES, OVER_A_PLACE, POINTING, TELLING

_WISHES = re.compile(
    r"\bi(?:'d| would)(?: (?:much|really|far|always|even))? (?:rather|sooner|prefer|favou?r"
    r"|(?:like|love) it (?:better |best |more |most )?(?:if|when|for)|appreciate it if"
    r"|be (?:happier|grateful|glad|more comfortable) (?:if|with))\b"
    r"|\b(?:i|we)(?: (?:much|really|strongly|usually|generally|always|personally|tend to"
    r"|slightly))? (?:prefer|favou?r)\b|\b(?:my|our) (?:\w+ )?preference (?:is|would be|goes)\b"
    r"|\b(?:my|our) (?:team|boss|lead|client|customers?|readers?|users?|reviewers?"
    r"|colleagues?) (?:\w+ly )?(?:prefers?|favou?rs?)\b"
)
_ME = (
    r"^(?:i|we|(?:my|our|the) (?:team|boss|lead|client|customers?|readers?|users?|reviewers?"
    r"|colleagues?|accountants?|lawyers?|editors?))(?:'m|'re| am| are| is)?"
    r"(?: (?:really|just|personally|generally|usually|always|also|much|absolutely|strongly"
    r"|quite|rather))*"
)
_THINGS = (
    r"(?!the\b|this\b|that\b|it\b|its\b|those\b|these\b|what\b|how\b|your\b|you\b|him\b|her\b"
    r"|them\b|where\b|why\b|when the\b|my\b|our\b|to (?:say|see|be|do|know|have)\b|◇)"
)
"""An object that is a kind of thing, not the one at hand: a taste, not a comment on some work."""
_DISLIKES = re.compile(
    _ME + r" (?:dislike|hate|loathe|detest|can't stand|(?:don't|doesn't) (?:really |much )?"
    r"(?:like|care for|enjoy|believe in|need|want)|(?:not|no) (?:an? )?(?:big |great |huge |real "
    r"|particularly |too |very )?(?:fan of|friend of|fond of|keen on|into|one for)|wary of"
    r"|allergic to|suspicious of|sick of)s? " + _THINGS + r"\w"
)
_LIKES = re.compile(
    _ME
    + r" (?:(?:like|love|enjoy|want|read|understand)s? "
    + _THINGS
    + r"\w[^,;]{1,60}?\b(?:better"
    r"|best|more than|most|over|rather than|short|small|simple|plain|explicit|brief|boring)\b"
    r"|(?:value|insist on|lean towards?|swear by|partial to|care (?:more |most |deeply )?about"
    r"|appreciate|cherish)s? "
    + _THINGS
    + r"\w|finds? "
    + _THINGS
    + r"\w[^,;]{1,50}? (?:hard|harder"
    r"|difficult|easy|easier|confusing|distracting|tiring|impossible|helpful|useful|noisy)\b)"
)
_IN_DOUBT = re.compile(
    r"\b(?:when|if|whenever|where|wherever)(?: (?:you're|you are|you feel|ever|at all|still"
    r"|it's|it is))? (?:in (?:any )?doubt|unsure|torn|undecided|uncertain|practical|feasible"
    r"|you (?:have|get|see) (?:the|a|any) choice|there(?:'s| is) a choice|given (?:the|a) choice"
    r"|you (?:can|may) choose|a toss-up|a tie|two options|both work)\b|\bgiven the choice\b"
    r"|\b(?:where|wherever|whenever|whereever|as far as) (?:possible|you can|feasible|practical)\b"
    r"|\b(?:preferably|by preference|ideally|for preference)\b|\b(?:err|erring) on the side of\b"
    r"|\bresist the (?:urge|temptation)\b|^(?:go easy|be sparing|be generous|be strict|be frugal"
    r"|be careful) (?:on|with)\b|^lean towards?\b|^opt for\b"
)
_WINS = re.compile(
    r"(?<!which )\b(?:wins|beats|trumps|comes? (?:first|before|second|last)|comes "
    r"ahead of|(?:has|have|takes?|gets?) (?:priority|precedence)|outweighs?|matters? (?:far |much "
    r"|a lot )?(?:more|most|less)|counts? (?:far |much )?(?:more|most)|(?:is|are) (?:far |much "
    r")?(?:more|less) (?:important|valuable|useful)(?: to (?:me|us))? than)\b|\bless is more\b"
    r"|\bthe (?:\w+er|more [\w ]+|less [\w ]+)(?: \w+)?,? the better\b|^(?!the\b|this\b|that\b"
    r"|it\b|your\b)[\w ◇-]{2,40} (?:is|are|beats) (?:always )?better than\b|^(?:short|small|simple"
    r"|few|slow|plain|clear|explicit)\w* (?:is|are|will be) (?:always )?(?:better|best|good|fine"
    r"|fine by me)\b"
)
_WELCOME = re.compile(
    r"^(?!any\b|your\b|this\b|that\b|it\b|help\b|suggestions?\b|feedback\b|thanks\b)"
    r"[\w ◇,'-]{3,60}? (?:(?:is|are|would be|much|not|strongly) )*(?:preferred|preferable"
    r"|discouraged|encouraged|frowned upon|unwelcome|unwanted|appreciated|welcome)(?: here)?$"
)
_OVER = re.compile(
    r"^(?P<a>[\w'◇ -]{2,45}?) over (?:an? |the )?(?P<b>(?!and\b|to\b|or\b|\w+ly\b)[\w'◇ -]{2,45})$"
)
_RATHER_THAN = re.compile(r"\b(?:rather than|in preference to)\b")
_INSTEAD = re.compile(r"\binstead of\b")
_BARE = ("rather than", "instead of", "in preference to")
_CONDITIONS = re.compile(r"(?:if|when|whenever|where|for|in|on|with|as for|please)\b")


def preference(text: str, clauses: list[Clause]) -> bool:
    if REPORT.search(text):
        return False
    if _IN_DOUBT.search(text) and not any(clause.past for clause in clauses):
        return True
    told = clauses and clauses[0].first in POINTING
    led = True
    for clause in clauses:
        body = clause.text
        if _WISHES.search(body):
            return True
        if clause.past:
            continue
        if _DISLIKES.match(body) or _LIKES.match(body):
            return True
        if not told and (_WINS.search(body) or _WELCOME.match(body)):
            return True
        if _favours(clause, led):
            return True
        led = clause.order or _CONDITIONS.match(body) is not None
    return False


def _favours(clause: Clause, led: bool) -> bool:
    """An order or a fragment that sets one thing before another.

    Args:
        led: nothing, an order or a condition precedes it.
    """
    body = clause.text
    words = body.split()
    fragment = led and not clause.said and not clause.order and len(words) <= 16
    fragment = fragment and not is_finite(words) and TELLING.isdisjoint(words)
    if not (fragment or clause.order) or body.startswith(_BARE):
        return False
    over = _OVER.match(body)
    if over and over["a"].split()[-1] not in OVER_A_PLACE and not over["b"][0].isdigit():
        return fragment or clause.first in CHOOSES
    if _RATHER_THAN.search(body):
        return True
    return _INSTEAD.search(body) is not None and (fragment or clause.first in CHOOSES)
