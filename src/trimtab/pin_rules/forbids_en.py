"""English: what must not be done, and where or on what alone to work."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import RELATIVE, Clause, has_modal, is_finite
from trimtab.pin_rules.words_en import (
    BARE_PAST,
    COUNTED,
    MAKES,
    NO_ORDER,
    NOT_FORBIDDEN,
    PEOPLE,
    VERBS,
)

_KEEP_AS_IS = re.compile(
    r"\b(?:leave|keep|let|leaving|keeping|stay|remain|be left|be kept|stays"
    r"|remains)\b.{0,90}?\b(?:alone|as[- ]is|as (?:it|they) (?:is|are|was|were|stand)|untouched"
    r"|unchanged|unmodified|intact|in peace|out of (?:it|this)|the way (?:it|they) (?:is|are|was"
    r"|were)|the same|be$)"
)
_NEGATIVE_MODAL = re.compile(
    r"\b(?:mustn't|shouldn't|(?:must|should|may|shall|ought to|is to|are to) never"
    r"|must (?:under no|in no|on no)|may not|(?:is|are|isn't|aren't) (?:not )?to (?:never )?be"
    r"|not to be|(?:not|never|isn't|aren't|no longer) (?:allowed|permitted|supposed|to be))\b"
)
_FORBIDDEN = re.compile(
    r"\b(?:forbidden|prohibited|off[- ]limits|banned|disallowed|no[- ]go|unacceptable|taboo"
    r"|out of bounds|out of scope|not acceptable|(?:isn't|aren't|not) (?:allowed|permitted"
    r"|an option|acceptable|up for discussion|negotiable))\b"
)
_UNWILLING = re.compile(
    r"\bi(?:'d| would| do)? (?:don't want|never want|wouldn't want|would not want) (?:you|any|the"
    r"|this|that|it|our|my|these|those|anything|to see|a)\b|\bwe don't want (?:you|any|to (?!know"
    r"|be sure)|the|it)\b|\bi(?:'d| would) (?:rather|prefer|like)(?: it)?(?: if"
    r"| that)? you (?:not|didn't|don't)\b|\bi(?:'d| would) (?:rather|prefer) (?:not|no)\b"
)
_CANT = re.compile(
    r"\b(?:can't|won't) (?:ever )?(?:be )?(?:break|change|changed|contain|include|exceed|use|used"
    r"|lose|lost|leak|leaked|modified|modify|touch|touched|alter|altered|delete|deleted|have any"
    r"|risk|allow|tolerate|accept|rename|renamed|expose|exposed|share|shared|spend|rely|depend"
    r"|go (?:over|beyond|above)|add|store|stored|send|sent|removed|remove|overwritten|overwrite"
    r"|shipped|ship)\b"
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:under no (?:circumstance|condition)s?|on no account|in no case|at no (?:point"
    r"|time) (?:should|must|may)|not under any circumstances?)\b"
)
_NOTHING = re.compile(
    r"^(?:nothing|nobody|no one|none of)\b.{0,70}?\b(?:may|must|should|gets?|goes|can|is to|shall"
    r"|leaves|is allowed)\b|\bnothing (?:[\w/.-]+ ){0,4}?(?:may|must|should|shall|is to) be\b"
)
_NOBODY_BUT = re.compile(
    r"\bneither\b.{1,60}?\bnor\b.{1,60}?\b(?:may|must|should|can|is to|shall)\b|\b(?:isn't|aren't"
    r"|not) (?:okay|ok|fine|alright|all right) (?:for you )?to\b|\b(?:nobody|no one"
    r"|nothing) (?:but|except) .{1,40}?\b(?:may|must|should|can|is to|gets)\b"
)
_NOT_TO = re.compile(
    r"\b(?:sure|careful|care|try|remember|want you|need you|ask you|like you|told you) not to\b"
)
_HINDSIGHT = re.compile(
    r"\b(?:should|must|could|would)(?:n't| never| not) have \w+|^(?:maybe|perhaps)\b"
)
_ODD_IT = re.compile(
    r"^(?:it|that|this(?: \w+)?|there) (?:shouldn't|should never|can't|may not) (?!change|contain"
    r"|touch|use)"
)

_STAYS_IN = re.compile(
    r"\b(?:stays?|remains?|belongs?|is kept|are kept|is to stay) (?:strictly |completely |well )?"
    r"(?:out of (?!sync)|off (?:the|our|limits)|away from|private|secret|confidential|internal"
    r"|local"
    r"|in-house|anonymous|offline|between (?:us|you and me)|(?:with|among) (?:us|the team)"
    r"|(?:with)?in (?:the (?:team|company|house)|our)|under wraps|off the record|on (?:this|my"
    r"|our) "
    r"(?:machine|laptop|server|network))\b"
)
_PRIVATE = re.compile(
    r"^(?!.*\b(?:repo|repository|method|function|class|field|variable|property|constructor|member"
    r"|key|route|endpoint|dm|channel)s?\b).*(?:\b(?:is|are)|'s) (?:strictly |highly |all |company "
    r")?(?:confidential|secret|sensitive|classified|under nda|off the record|embargoed|private"
    r"|not public|for internal use|for (?:my|your|our) eyes|nobody's business)\b|^(?:keep|hold"
    r"|leave) "
    r".{1,60}?\b(?:to yourself|to ourselves|between us|under wraps|off the record|in-house"
    r"|offline)\b"
)
_NOT_FOR = re.compile(
    r"(?:\b(?:is|are) not|\b(?:isn't|aren't)|'s not) (?:meant |intended |there |suitable |fit "
    r")?for "
    r"(?!now\b|me\b|sure\b|long\b|some\b|a while\b|nothing\b)\w|^not for (?:the|any|public|print"
    r"|production|sharing)"
)


def prohibition(text: str, clauses: list[Clause]) -> bool:
    if _NOBODY_BUT.search(text):
        return True
    if _CIRCUMSTANCE.search(text) or _UNWILLING.search(text) or _NOT_TO.search(text):
        return True
    ordered = False
    for clause in clauses:
        if _forbids(clause, ordered) or _without(clause, ordered):
            return True
        ordered = ordered or clause.order
    return bool(clauses) and clauses[0].order and _KEEP_AS_IS.match(text) is not None


def _forbids(clause: Clause, ordered: bool) -> bool:
    text, first, second = clause.text, clause.first, clause.second
    if not clause.joined:
        if first == "don't":
            words = [w for w in text.split(" ")[1:5] if w not in ("ever", "even", "just", "yet")]
            verb = words[0].strip(".,!") if words else ""
            if verb == "you":
                return words[1:2] == ["dare"]
            return bool(verb) and verb not in NO_ORDER and not _DONT_BE.match(text)
        if first == "never" and second:
            words = [w for w in text.split(" ")[1:4] if w not in ("ever", "again", "never")]
            if ordered and clause.after == "," and second in _NEVER_SO:
                return len(text.split()) <= 5
            return bool(words) and _is_base(words[0])
        if first in _SHUNS and second:
            return True
        if first in ("stop", "quit", "cease") and second.endswith("ing"):
            return True
        plainly = clause.after in _PLAIN_BREAK and not clause.led.startswith(("but", "still"))
        if first == "no" and (ordered or plainly) and _no_thing(text):
            return True
        if first == "not" and ordered and len(text.split()) <= _NOT_LENGTH.get(clause.after, 0):
            return True
        if _STAY_AWAY.match(text):
            return True
        if clause.order and first != "do" and second in ("nothing", "no", "none"):
            return True
    if first in _SOMEBODY or clause.past or _HINDSIGHT.search(text):
        return False
    if first in MAKES and RELATIVE.search(text):
        return False
    if _KEEP_AS_IS.search(text):
        return clause.order or first in ("keep", "leave", "let") or has_modal(text)
    if _ODD_IT.match(text):
        return _CANT.search(text) is not None and "exceed" in text
    if _NEGATIVE_MODAL.search(text):
        return first not in PEOPLE or first == "you"
    if _FORBIDDEN.search(text) or _NOTHING.search(text):
        return True
    if _STAYS_IN.search(text) or _PRIVATE.search(text) or _NOT_FOR.search(text):
        return True
    return _CANT.search(text) is not None and first not in ("they", "it", "that", "this")


_SHUNS = ("avoid", "refrain", "exclude", "omit", "disregard", "ignore")
_STAY_AWAY = re.compile(
    r"^(?:steer clear|stay (?:away|clear|off|out)|keep (?:your )?(?:away|clear|off|out|hands off)"
    r"|hands off|leave (?:[\w' ]{1,60} )?out|keep [\w' -]{1,60} out|do without|lay off"
    r"|forget about)\b|^(?:we're|we are|you're|you are) not (?:touch|chang|add|remov|delet|renam"
    r"|upgrad|updat|rewrit|refactor|deploy|merg|shipp|spend|buy|book|mov|send|ed|us|migrat|replac"
    r"|break|store|shar)\w*ing\b"
)
_DONT_BE = re.compile(
    r"^don't be (?:too )?(?:afraid|shy|sorry|discouraged|alarmed|surprised|scared|ashamed|hard"
    r"|sad|mad)\b"
)
_CHANGED_PLACE = ("to", "in", "outside", "beyond", "at", "of", "anywhere")
_SOMEBODY = ("i", "he", "she", "i'm", "i've", "he's", "she's", "they're")
_PLAIN_BREAK = ("", ",", ";", ".")
_NEVER_SO = ("in", "on", "as", "at", "with", "by", "from", "to")
"""What may follow `never` behind an order: `Report sizes in bytes, never in kilobytes`."""
_NOT_LENGTH = {",": 5, "(": 3}
"""How many words `not ...` may have behind an order: `Use tabs, not spaces`."""


def _is_base(verb: str) -> bool:
    """Whether `verb` can be an imperative after `never`."""
    verb = verb.strip(".,!;:")
    if verb in VERBS:
        return True
    return verb.isalpha() and not verb.endswith(("ed", "ing")) and verb not in BARE_PAST


def _no_thing(text: str) -> bool:
    """`no new files please`, but neither `no luck` nor `no test fails`."""
    words = text.replace("-", " ").split()[1:]
    if words[:1] in (["change"], ["changes"]) and words[1:2] and words[1] in _CHANGED_PLACE:
        return not is_finite(words)
    return (
        0 < len(words) <= 7
        and words[0].strip(".,!") not in NOT_FORBIDDEN
        and not words[0].startswith(("◇", "-", "`"))
        and not is_finite(words)
        and not words[-1].startswith(("required", "needed"))
    )


def _without(clause: Clause, ordered: bool) -> bool:
    text = clause.text
    at = text.find("without ")
    if at < 0:
        at = text.find("with no ")
        if at < 0:
            return False
        word = text[at + 8 :].split(" ")[0]
        return (clause.order or at == 0) and word not in NOT_FORBIDDEN
    word = text[at + 8 :].split(" ")[0].strip(".,")
    if word in ("exception", "exceptions", "fail", "problem", "problems", "success", "me", "my"):
        return False
    if at == 0:
        return word.endswith("ing") and (ordered or len(text.split()) <= 6)
    return clause.order


_INSIDE = re.compile(
    r"^(?:stay|keep|remain|work|operate|live)(?: \w+){0,2}? (?:strictly |only "
    r"|exclusively )?(?:inside|within|out of|away from)\b|^work (?:only|exclusively|solely"
    r"|strictly)\b|^(?:focus|concentrate) (?:only |solely |just |entirely )?on\b|^(?:we're|we are"
    r"|you're|you are) only \w+ing\b|^we only (?:care about|look at|consider|support|want|accept"
    r"|take)\b"
)
_CONFINE = re.compile(r"^(?:restrict|limit|confine|narrow|scope|constrain|reduce) .{1,60}?\bto\b")
_EXTENT = re.compile(
    r"^(?:this|that|it|your|the (?:task|scope|change|changes|rule|work|job|search|analysis|edits?"
    r"|refactoring|fix|review|assignment|request)|you|changes?|edits?"
    r"|everything)\b.{0,50}?\b(?:appl(?:y|ies) only|only appl(?:y|ies)|covers?(?: \w+){0,3} only"
    r"|only covers|(?:is|are|be|been) (?:strictly )?(?:limited|confined|restricted)(?: only)? to"
    r"|concerns? only|only concerns)\b"
)
_ONLY = re.compile(
    r"(?<![\w-])(?:only|solely|exclusively|nothing but|nothing outside|nothing more)(?![\w-])"
)
_ONLY_FITS = re.compile(
    r"^\w+ only\b|\bonly(?: please)?$|\bonly (?:in|on|to|under|from|within|inside|for|the|those"
    r"|these|files|with|among|at|if|what|use|when|after|by|via|through|my|our|your|\w+\.\w+)\b"
)
_NOTHING_MORE = (
    *("more", "but", "outside", "beyond", "before", "after", "above", "other", "except"),
    *("newer", "older", "later", "earlier", "larger", "bigger", "smaller", "longer", "shorter"),
)
_ALONE = re.compile(
    r"^(?:all|every|any)\b.{1,60} only$|\b(?:and|on|in) [\w ]{1,30} alone$|^your (?:job|task|role"
    r"|part)\b.{1,60}\b(?:only|alone)\b|^\w+ just (?:the|an?|these|this|those|my)\b"
)
_TELLS_WHO = re.compile(r"\b\w{3,}s (?:the|an?|my|our|his|her|how|what|why|it|that)\b")
_SHOWS = ("show", "list", "print", "display", "tell", "explain", "give")
_ONLY_MAY = re.compile(
    r"^only (?:[\w'-]+ ){1,5}?(?:may|must|should|can be|are allowed|is allowed|are to|is to)\b"
    r"|\b(?:you|we|users|it|\w+s) (?:may|must|should) only\b|\b(?:must|should|may) (?:only|solely"
    r"|exclusively) be\b"
)
_IN_SCOPE = re.compile(
    r"\b(?:out of|outside(?: of)?) scope\b|^(?:the |your |our |my )?scope (?:is|:|of)\b|\b(?:go"
    r"|stray) (?:beyond|outside)\b"
)

_COUNTS = re.compile(
    r"(?:\b(?:is|are)|'s) (?:the |our )?(?:only |single )?(?:one|ones|list|version|file|source"
    r"|reference|authority|document|figure|table|spec|copy|number)s? (?:that |which |we |to |you )?"
    r"(?:really |actually )?(?:counts?|matters?|holds?|applies|apply|go by|trust|use|rely on"
    r"|works? "
    r"from|believe)\b|\b(?:source|record) of truth\b|\b(?:is|are) (?:authoritative|binding"
    r"|canonical"
    r"|definitive|normative|what (?:counts|holds|applies|we go by))\b|\bprevails?\b|^(?:go by|rely "
    r"on|work from|trust) (?:the|my|our|what|these|only)\b|^base (?:it|them|this|your|the|all|any"
    r"|every\w*)\b.{0,40} on\b"
)
"""What to go by where several things could tell."""


def scope(text: str, clauses: list[Clause]) -> bool:
    before = ""
    ordered = False
    for clause in clauses:
        if _confines(clause, before, ordered):
            return True
        ordered = ordered or clause.order or clause.first in ("just", "only")
        before = clause.text
    return False


def _confines(clause: Clause, before: str, ordered: bool) -> bool:
    text, first = clause.text, clause.first
    if clause.joined or clause.past:
        return False
    if _INSIDE.match(text) or _CONFINE.match(text) or _EXTENT.match(text):
        return True
    if _COUNTS.search(text) and "?" not in text:
        return True
    if _ALONE.search(text) and (clause.order or not text[: len(first) + 5].endswith("just")):
        return first not in ("i", "it", "he", "she")
    if clause.just and before and first in ("leave", "skip", "ignore"):
        return True
    if first == "stick" and clause.second in ("to", "with"):
        return True
    if clause.led.startswith("strictly") and not clause.said and not is_finite(text.split()):
        return True
    if first == "not" and before and (clause.just or ordered) and len(text.split()) <= 6:
        return clause.just
    if first == "nothing" and clause.second in _NOTHING_MORE:
        return ordered or bool(before)
    if _IN_SCOPE.search(text) and first not in ("i", "he", "she"):
        return True
    if _ONLY_MAY.search(text):
        return first not in ("i", "he", "she", "they", "it")
    if first == "only":
        rest = text.split()[1:]
        if not rest or rest[0] in COUNTED:
            return False
        if rest[0] in VERBS and not rest[0].endswith("ed"):
            return True
        if _TELLS_WHO.search(text):
            return False
        alone = ordered or not before or clause.asked
        return alone and len(rest) <= 8 and not is_finite(rest) and not rest[0].endswith("ing")
    found = _ONLY.search(text)
    if not found:
        return False
    if not clause.order:
        words = text.split()
        last = words[-1] == "only" or words[-2:] == ["only", "please"]
        return last and not before and len(words) <= 7 and not is_finite(words)
    if RELATIVE.search(text[: found.start()]):
        return False
    if first in _SHOWS:
        return text.endswith(" only")
    return first not in MAKES or _ONLY_FITS.search(text) is not None
