"""English: what form the user wants answers, amounts, dates, names and changes in."""

from __future__ import annotations

import re

from trimtab.pin_rules.clauses_en import REPORT, Clause, is_finite
from trimtab.pin_rules.words_en import VERBAL

_PUT_OUT = (
    r"(?:answer|reply|replie|response|output|report|summarie|summary|result|message|comment"
    r"|docstring|date|time|timestamp|duration|amount|price|total|sum|cost|fee|number|figure"
    r"|percentage|currencie|currency|unit|measurement|length|distance|temperature|size|commit"
    r"|branche|branch|name|identifier|variable|function|method|class|classe|test|table|list"
    r"|heading|headline|title|caption|path|link|url|quote|quotation|explanation|text|prose|doc"
    r"|documentation|sentence|paragraph|bullet|decimal|log|string|label|spelling|language"
    r"|example|footnote|reference|citation|plot|chart|diagram|email|letter|note|status|update"
    r"|diff|patch|patche|column|row|key|field|import|indentation|code|error message|abbreviation"
    r"|acronym|address|addresse|phone number|file name|filename|translation|step|option"
    r"|finding|question|everything|change|version|id|query|querie|snippet)s?"
)
_KIND = (
    r"(?:(?:all|any|every|each|the|your|my|our|most|both|longer|short|shorter|brief|plain|simple"
    r"|commit|error|log|test|file|variable|function|class|branch|column|status|code|doc|user"
    r"|table|money|unit|release|pull request|pr|section|api|final|public|new|internal|weekly"
    r"|interim|progress|monetary|relative|other) )*"
)
_SUBJECT = (
    _KIND + _PUT_OUT + r"(?: (?:names?|messages?|titles?|in the (?:report|summary|table)|of \w+))?"
)
_WAY = (
    r"(?:british|american|english|german|french|spanish|italian|japanese|chinese|korean|dutch"
    r"|portuguese|latin|plain|simple|active|passive|present|past|imperative|first|second|third"
    r"|euros?|dollars?|yen|pounds|cents?|metric|imperial|si|utc|gmt|local time|iso|rfc|markdown"
    r"|json|csv|yaml|toml|html|latex|tsv|xml|ascii|bullets?|bullet points|tables?|prose|sentences?"
    r"|lines?|words?|paragraphs?|lower|upper|title case|sentence case|\w+ ?case|\w+_case"
    r"|alphabetical|chronological|monospace|bold|italics?|quotes|backticks|hours?|minutes?"
    r"|seconds?|ms|bytes?|[kmg]i?b|percent|thousands?|millions?|digits?|decimals?|places?"
    r"|spelling|style|tone|voice|mood|tense|person|case|format|form|notation|units?|order"
    r"|currency|separators?|commas?|prefix|suffix|spaces|tabs|indentation|figures|numerals"
    r"|net|gross|tax|vat|rounded|relative|absolute|root|unabbreviated|full|alphabetically"
    r"|inclusive|exclusive|left|right|top|bottom|end|beginning|front|footnotes?|brackets"
    r"|parentheses|emojis?|jargon|headings?|ticket|number|id|oldest|newest|least|most|severity"
    r"|scope|summary|conclusion|source|sources|reasons?|short|brief|terse|detail|[\d◇]\S*)"
)
_LINKS = (
    r"(?:in|as|with|without|to|by|at|under|per|from|sorted|ordered|grouped|rounded"
    r"|relative|net|gross|written|spelled|spelt|named|separated|prefixed|followed|first|last"
    r"|not|only)"
)
_FRAGMENT = re.compile(rf"^{_SUBJECT},? (?:always )?{_LINKS}\b(?P<rest>.*)$")
_IN_A_WAY = re.compile(rf"\b{_WAY}\b")
_SHORT = (
    r"(?:short|shorter|brief|briefer|concise|terse|crisp|compact|plain|simple|simpler|full"
    r"|complete|small|smaller|tiny|minimal|one-line|single-line|clean|clear|dry|factual|formal"
    r"|informal|polite|neutral|friendly|detailed|long|longer|precise|exact|explicit|honest"
    r"|technical|non-technical|lowercase|uppercase|relative|absolute|descriptive|meaningful"
    r"|numbered|bulleted|sober|modest|early|atomic|self-contained)"
)
_ADJECTIVE = re.compile(
    rf"^(?:only |just )?{_SHORT}(?:,? (?:and )?{_SHORT})* (?:{_PUT_OUT}|ones|words|english"
    rf"|language)"
    r"(?: (?:only|throughout|everywhere|always))?$"
)
_PLAIN_FORM = re.compile(
    r"^(?:british|american|us|uk|metric|imperial|oxford|sentence case|title case|snake[_ ]case"
    r"|camel ?case|kebab[- ]case|pascal ?case|iso(?: 8601)?|utc|markdown|plain (?:text|english"
    r"|language|words)|tabs|(?:two|four|2|4|8) spaces|(?:single|double) quotes|active voice"
    r"|passive voice|present tense|past tense|first person|third person|imperative mood"
    r"|full sentences|bullet points|bullets|(?:one|two|three|no|\d) decimals?(?: places?)?"
    r"|type hints|english|german|french|spanish|italian|japanese|chinese|korean|dutch)\b"
    r"(?:,? (?:and|or|plus)? ?[\w-]+){0,2}?(?: (?:for|in|on|throughout|everywhere|only|always"
    r"|at all times|as)\b.{0,40}| (?:spelling|units|comma|dates|time|english|format|style))*$"
)
_SHOWN = re.compile(
    rf"^(?:all |every |each |our |any )?(?:[\w-]+ ){{0,2}}?{_PUT_OUT}(?: in the (?:report|summary"
    r"|table|output))? (?:(?:is|are|should be|get|gets) (?:always |only |to be )?(?:shown|written"
    r"|given|displayed|printed|formatted|rounded|sorted|listed|named|quoted|spelled|spelt|kept"
    r"|expressed|stated|reported|rendered|counted|stored|measured|capitali[sz]ed|indented|wrapped"
    r"|phrased|worded|numbered|labelled|labeled|grouped|separated|aligned|abbreviated|relative"
    r"|absolute|in|signed|prefixed|tagged|due)|(?:go|goes|start|starts|end|ends|read|reads|begin"
    r"|begins|follow|follows|use|uses|carry|carries|come|comes)) (?P<rest>.+)$"
)
_WRONG = re.compile(
    r"\b(?:but|wrong|instead|currently|still|now|incorrect\w*|nan|undefined|null|empty|missing"
    r"|broken|bug|error|errors|failed|twice|again|somehow|strange|weird|odd)\b"
)
_WRITE = re.compile(
    r"^(?:show|write|give|state|quote|print|format|round|list|report|express|spell|name|number"
    r"|label|phrase|word|mark|cite|abbreviate|capitali[sz]e|present|separate|group|prefix|keep"
    rf"|answer|reply|respond|wrap|measure|tag) (?:(?:all|any|every|each) )?{_SUBJECT},? (?:first"
    r"|last|(?:in|as|with|without|to|by|at|under|per|net|gross|relative|up)\b.*?\b"
    + _WAY
    + r"\b).*$"
)
_UP_FRONT = re.compile(
    r"^(?:put|state|give|list|place|lead with|open with|start with|begin with|end with|close with"
    r"|finish with) (?:the |your |any |a |all )?(?:short |brief |one-line )?(?:conclusion|answer"
    r"|summary|verdict|bottom line|recommendation|short version|caveat|assumption|source|open "
    r"question|risk|headline|takeaway|punchline|tl;?dr|result)s?\b.*\b(?:first|last|at the (?:very "
    r")?(?:top|end|start|bottom|beginning)|up ?front|before)\b|^(?:lead|open|start|begin|end"
    r"|close|finish|conclude) (?:every|each|all|any|your) (?:answer|reply|replies|message|report"
    r"|summary|section|response|commit message|update)s? with\b"
)
_ALL_ALONG = re.compile(r"\b(?:please|only|always|throughout|everywhere)\b")


def form(text: str, clauses: list[Clause]) -> bool:
    if REPORT.search(text) or text.startswith(("the following", "here")):
        return False
    polite = _ALL_ALONG.search(text) is not None
    for number, clause in enumerate(clauses):
        body = clause.text
        words = body.split()
        if clause.past or clause.joined:
            continue
        if clause.order and (_WRITE.match(body) or _UP_FRONT.match(body)):
            return True
        shown = _SHOWN.match(body)
        if shown and not _WRONG.search(text) and _IN_A_WAY.search(shown["rest"]):
            return not clause.first.startswith(("the", "this", "that", "it"))
        if is_finite(words) or len(words) > 12 or not VERBAL.isdisjoint(words):
            continue
        alone = number == 0 or polite
        found = _FRAGMENT.match(body)
        if found and alone and not _WRONG.search(text):
            rest = found["rest"]
            as_such = re.search(r" as\b", body) is not None and not clause.order
            if (_IN_A_WAY.search(rest) or as_such) and not clause.order:
                return True
        if (_ADJECTIVE.match(body) or _PLAIN_FORM.match(body)) and (polite or number == 0):
            return True
    return False
