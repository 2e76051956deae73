"""English words by what they mean for the subject of a statement."""

from __future__ import annotations

from functools import lru_cache

PHRASES = """
on call|on-call=oncall; time zone=timezone; time out|times out|timed out=timeout
support duty|support escalation|support rotation|support shift=supportduty
check in|check-in=checkin; check out|check-out=checkout; log in|sign in=login
log out|sign out=logout; drop off|drop-off=dropoff; pick up|pick-up=pickup
kick off|kick-off=kickoff; go live|goes live|going live|go-live=launch; off site=offsite
follow up|follow-up=followup; back up|back-up=backup; set up=setup; sign off|sign-off=approval
field trip|field-trip|business trip=travel; dead line=deadline; code name|code-name=codename
next week|coming week=nextweek; last week|previous week=lastweek; this week|current week=thisweek
next month=nextmonth; last month=lastmonth; next quarter=nextquarter; last quarter=lastquarter
read me=readme; work tree=worktree; data base=database; e mail|e-mail=email; web site=website
at least|no fewer than|no less than|not less than|or more=minimum
at most|no more than|not more than|up to|or less|or below|or fewer|as much as|or lower=maximum
may not pass|must not pass|not go past|not go over|not exceed|never exceed=maximum
no longer|any longer|any more=nolonger
from now on|going forward|from here on|from this point on=now
as of today|effective immediately|as of now|starting tomorrow|starting today|from tomorrow=now;
every change|each change|any change=edit
from today|starting now|as of tomorrow|starting next week|from next week=now
as high as|as large as=maximum
taken over as|takes over as|took over as|take over as|taking over as=-
taken over|takes over|took over|take over|taking over|looks after|look after=owner
taken care of|takes care of|take care of|taking care of|looked after=owner
with regard to|with respect to|a word on|a word about|in the matter of=-
one change|one correction|one update|one more change=-
front end|front-end=frontend
back end|back-end=backend; user name=username; file name=filename; first name=firstname
last name|family name=lastname; pull request|merge request=pr; open source=opensource
next step|next up|next task|next action=nextstep; fail over|fail-over=failover
pass word=password; pass code|passcode=code; hand book=handbook; day to day=daily
"""
"""Runs of words that count as one, `a|b=word`."""

SYNONYMS = """
budget: budget spend spending expense expenses expenditure cost outlay spendings
travel: travel trip journey travelling traveling
docs: docs documentation handbook manual doc
release: release ship shipping shipped rollout releasing
launch: launch launched
maximum: maximum max most cap capped ceiling limit upper below under within
minimum: minimum min least
freeze: freeze frozen freezing
deploy: deploy deployment deploys deployed
production: production prod
staging: staging stage stg
development: development dev
test: test testing tests
answer: answer reply response respond
approve: approve approval approver consent approved authorise authorize authorisation authorization
review: review reviewer reviewed reviewing
owner: owner own owns ownership lead responsible responsibility charge handle handled manage manages
maintainer: maintainer maintain maintains maintained
oncall: oncall pager
supportduty: supportduty
code: code passcode pin
password: password passphrase
codename: codename codenamed label designated designate designation
picture: picture image photo screenshot
folder: folder directory dir
database: database db
email: email mail
phone: phone telephone mobile
client: client customer
meeting: meeting
config: config configuration
repo: repo repository
indent: indent indentation indenting
delivery: delivery deliver
hour: hour hours hr
"""
"""Words that name one thing: `canonical: words`."""

ATTRIBUTES = {
    "budget": "spend",
    "maximum": "",
    "oncall": "oncall",
    "supportduty": "support",
    "code": "credential",
    "password": "credential",
    "credential": "credential",
    "token": "credential",
    "key": "credential",
    "secret": "credential",
    "codename": "codename",
    "approve": "approver",
    "review": "reviewer",
    "owner": "owner",
    "branch": "branch",
    "commit": "commit",
    "port": "port",
    "nextstep": "next",
}
"""The attribute that a canonical word stands for; the empty name only bounds another one."""

GENERIC = """
a an the this that these those it its it's they them their there here i i'd i'll we we'd we'll
we're you your yours you'll my our ours me us he she his her who which what any all every each
some both only just also please ok okay so then and or but nor as at by for from in into of off on
onto out over per to up down with without about above after before than via through toward towards
between is are be been being am was were isn't aren't that's become becomes becoming remain
remains stay stays has have had having do does did done don't doesn't can can't could may might
must shall should will would won't shouldn't cannot need needs needed want wants wanted prefer
prefers preferred preferring preference like rather let let's lets get gets got give make makes
made keep keeps kept put puts set sets setting use uses used using take takes took try go goes
went going come comes choose pick select look looking find search consider change changes changed
changing switch switches switched switching move moves moved moving update updates updated
updating bump bumped raise raised raising lower lowered increase increased decrease decreased
reduce reduced extend extended shift shifted slip slipped postpone postponed delay delayed bring
adjust adjusted modify rotate rotated rotation replace replaced upgrade upgraded rename renamed
decide decided agree agreed correct correction fix now new newly current currently quick today
henceforth instead actually anymore again still already always never not no none lie lies falls
nothing else nolonger said overall exactly precisely roughly around equal exceed explicit anything
sure ensure remember note given follow following live lives living run runs running locate located
sit sits reside listen listens listening serve serves served point points held hold holds happen
happens occur schedule scheduled plan planned land lands belong belongs
carry carries call called calling name named refer know known stick work working works fine good
enough way thing amount number figure rule constraint requirement placed express allow allowed
permit fixed climb climbs grow grows rise regarding concerning regards
regard format formatted formatting show shows shown display displayed displaying nobody
everyone anyone someone widen until till since pinned pin speak quote effort ask tell considered
while hit once much many other others more less longer shorter higher smaller bigger larger few
further consistent back thisweek week's it'll would've target targets targeted dropped drop rose
rise fell grew grow climbed jumped came cut rises when bar
"""
"""Words that never tell one subject from another."""

OF_KIND = {
    "spend": "approve pass let stay exceed amount money fund total cost limit remaining"
    " project-wide pay",
    "date": (
        "time user deadline due date day timing target target-date time schedule scheduled"
        " happen fixed "
        "plan past now move-to lands when week calendar finish"
    ),
    "time": "time begin start starts time clock hour o'clock schedule",
    "tz": "answer user timezone time timestamp clock zone report reported reporting status hour",
    "units": "answer user unit measurement measure report system length-unit",
    "style": (
        "answer write style tone voice manner register sound write length user dash em emoji"
        " bullet bullets "
        "exclamation jargon"
    ),
    "order": "sort price rating 評価 date name relevance order result",
    "format": "answer write save user format file export",
    "natlang": "explain describe talk communicate answer write user language locale talk",
    "proglang": "answer write user language code sample-code program implementation",
    "currency": "currency price-unit",
    "address": "address location",
    "branch": (
        "branch base based rebase development develop-on active current park parked unpushed push "
        "local git old new still checkout work working yet"
    ),
    "commit": "commit base based branch branched current work head sha tip",
    "credential": "user disclose reveal share tell leak expose user circumstances under old retire "
    "previous expire confirmation confirmations rotate publish anyone keep-secret secret",
    "codename": "internal project effort internal initiative product refer name",
    "oncall": "owner rotation week duty hold shift",
    "support": "owner week handle duty rotation",
    "maintainer": "owner person",
    "approver": "owner nobody else first one only allowed without explicit person sign",
    "reviewer": "owner person",
    "owner": "person",
    "url": "host url base endpoint address link site reachable available resolve",
    "host": "host hostname server-name address reachable available port resolve resolves",
    "region": "host region zone datacenter location",
    "path": "write save store place path file filename location folder saved name rename",
    "port": "port number reachable available connect bound bind expose exposed 番",
    "progress": "progress status stage step phase current",
    "status": "status state",
    "choice": "host write tool library framework backend service-choice install package"
    " manager option",
    "next": "step after this",
    "casing": "write case style naming",
    "frequency": "meet",
    "encoding": "write encoding charset save",
    "name": "send forward route",
    "email": "email address account-email contact-email",
    "version": "version release",
}
"""More words that say nothing beside a given attribute or kind of value."""

QUALIFIERS = """
default primary backup secondary failover staging production development test unit integration
first second third final draft last next nextweek lastweek nextmonth lastmonth main hotfix read
write connect upload download minimum inbound outbound return internal external public private
billing shipping delivery travel conference marketing hardware team personal night child
adult staging local remote global weekly monthly quarterly annual daily yearly old new ~if ~also
~only ~not
"""
"""Words that tell one of several: a later statement without them does not speak of that one."""

DEEDS = """
add fix create delete remove merge debug investigate check implement refactor click open close visit
scroll type press copy paste read test verify compare count print explain describe summarise
summarize analyse analyze commit push pull fetch clone build compile restart tell
invite contact email call fill submit tick upload download attach drag rerun revert undo
apply import export review-this buy try draft prepare collect gather list inspect look examine note
"""
"""Orders to do a thing once: two of them with different values are two deeds."""

RIDER = """
exceed approval explicit approve it them this that push unpushed permission first share disclose
tell reveal user asking ask without written sign confirm over pass go anyone move yet still
"""
"""Words of a second sentence that only underlines the first."""

CHANGE = (
    r"\b(?:now|from now on|instead|actually|update[ds]?|updat(?:e|ing)|correction|corrected|rather"
    r"|changed?|chang(?:es|ing)|moved?|moving|switch(?:ed|ing)?|rotat(?:ed|ion)|replac(?:ed|es"
    r"|e|ing)"
    r"|renam(?:e|ed)|upgrad(?:e|ed)|rais(?:e|ed)|lower(?:ed)?|bump(?:ed)?|increas(?:e|ed)"
    r"|decreas(?:e|ed)|rises|cut|reduc(?:e|ed)|extend(?:ed)?|slip(?:s|ped)|postponed|delayed"
    r"|pushed (?:back|out)"
    r"|brought forward|no longer|going forward|from here on|henceforth|new|went (?:up|down)"
    r"|effective (?:immediately|today)|as of (?:today|now)|scratch that|on second thoughts?"
    r"|changed my mind|i meant|sorry|my mistake|make (?:it|that)|widen|migrat(?:ed|ing)|rebased"
    r"|adjust(?:ed)?|revis(?:ed|ion)|re-?scheduled|shift(?:ed)?|from today|from tomorrow|hereafter"
    r"|in place of|supersed(?:es|ed)|overrid(?:es|e|den)|decided|swap(?:ped)?|moves|starting"
    r" (?:today|tomorrow|now|next)|"
    r"(?:dropped|rose|fell|grew|climbed|jumped|came down|went) (?:up |down )?to|took over"
    r"|tak(?:es|en|ing) (?:[\w-]+ ){0,4}?over|takes care of)\b"
)
"""A statement with one of these says that something is otherwise than before."""


def _table(text: str, inner: str) -> dict[str, str]:
    table = {}
    for entry in text.replace("\n", ";").split(";"):
        if inner in entry:
            left, _, right = entry.partition(inner)
            table[left.strip()] = right.strip()
    return table


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the endings that do not change its sense: `replies` and `reply` are one."""
    word = word.removesuffix("'s").removesuffix("'").replace("'", "")
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if (
            rest != word
            and len(rest) >= 3
            and rest[-1] != "e"
            and any(vowel in rest for vowel in "aeiouy")
        ):
            if rest[-1] == rest[-2] and rest[-1] not in "lsz":
                rest = rest[:-1]
            word = rest
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def stems(text: str) -> frozenset[str]:
    """The stems of a list of words."""
    return frozenset(stem(word) for word in text.split())


def synonyms() -> dict[str, str]:
    """Stem -> canonical word."""
    table = {}
    for line in SYNONYMS.strip().splitlines():
        canonical, _, words = line.partition(":")
        for word in words.split():
            table[stem(word)] = canonical.strip()
    return table


def phrases() -> dict[str, str]:
    """Run of words (lower case) -> the word that stands for it."""
    return {
        phrase.strip(): word
        for left, word in _table(PHRASES, "=").items()
        for phrase in left.split("|")
    }
