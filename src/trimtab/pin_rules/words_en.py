"""English word lists that the rules read."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = _words(
    """
    accept add adhere adjust agree align allow alter analyse analyze annotate answer append
    apply approve arrange ask assign assume attach avoid backup base be begin block book
    bring build bump buy calculate call cancel cap change charge check choose cite clean
    clear close collect combine come comment commit compare compile complete compress
    compute concentrate configure confine confirm connect consider consult contact continue
    convert copy correct count cover crawl create cut debug define delete deliver deploy
    describe design disable discuss display disregard disturb do document double-check
    download draft draw drop edit email enable end ensure erase escape estimate evaluate
    examine exclude execute explain export expose extend extract fetch fiddle fill filter
    find finish fix focus follow forget format generate get give go group guarantee guess
    hand handle have help hide highlight hire hold honor honour ignore implement import
    improve include increase indent index inform inline insert inspect install integrate
    interrupt introduce invent investigate invite invoke issue join keep label launch lead
    leave lend let lift limit link list load lock log look lower maintain make map mark
    match measure meet mention merge mess message migrate mock modify monitor move name
    narrow normalise normalize note notify obey obtain offer omit open optimise optimize
    order organise organize output overwrite pack park parse pass paste patch pause pay
    perform pick pin ping place plan play point port post postpone prefer prepare present
    preserve print prioritise prioritize process produce promise propose provide prune
    publish pull purchase purge push put query quit quote raise rank rate reach read rebase
    reboot rebuild recheck recommend reconcile record redirect reduce refactor refer
    reference regenerate register reinstall reject release reload rely remain remember
    remove rename render renew rent reopen reorder repair repeat rephrase replace reply
    report request rerun research resend reserve reset resize resolve respect respond
    restart restore restrict restructure retain retry return reuse reveal revert review
    rework rewrite rotate round route run sanitise sanitize save say scan schedule scope
    seal search secure see seek select sell send separate serve set settle share ship
    shorten show sign silence simplify sketch skip slice smooth solve sort spawn speak
    specify spell spend split squash stage start stash state stay steer stick stop store
    stream strip structure stub style submit subscribe substitute suggest sum summarise
    summarize supply support swap switch sync tackle tag take talk tamper target tell test
    throw tidy tighten toggle touch trace track train transcribe transform translate treat
    trim trust try tune turn tweak type undo unify uninstall unpack update upgrade upload
    use validate vary verify vet view visit visualise visualize wait wake walk warn watch
    wipe wire withdraw work wrap write
    """
)
"""Verbs that begin an order when a clause starts with one."""

MAKES = _words(
    """
    add build create define delete design explain find fix generate get implement insert
    list make remove rename replace return search show test write
    """
)
"""Verbs of ordinary requests: a relative clause behind them describes what is asked for."""

NO_ORDER = _words(
    """
    believe blame bother care expect feel forget get have he hesitate i it know like mind
    need panic people recall remember see seem she sorry sweat they think understand want we
    worry
    """
)
"""After `don't`: told about oneself, or said to comfort; not a prohibition."""

NOT_FORBIDDEN = _words(
    """
    and answer are at bad big biggie but can can't chance change changes clear clue concern
    concerns db dice did difference do does doubt dude effect entries entry error errors
    failures fewer for from good hard he hits how hurry i i'm i've idea ideas in is issue
    issues it it's its joy just later less limit limits longer luck man match matches matter
    more my need never news no not notes of on one output please pressure problem problems
    question questions real reason reasons reply response result results rush she sign sir
    so such support sweat tests thank thanks that that's thats the there there's they this
    to wait warnings was way we we're were what why with wonder worries worry wrong yes you
    """
)
"""After `no`: an answer or a report, not a prohibition."""

FINITE = _words(
    """
    am appeared appears applies are aren't became breaks broke came comes crashed crashes
    did didn't do does doesn't don't exist existed exists fail fails gets goes got had
    happened happens has have he helped helps i i'm i've is isn't it it's left made makes
    matters needs ran remain remains runs said says seemed seems she showed shows stopped
    take takes that's there's they took was wasn't we went were worked works
    """
)
"""Verbs and subjects that make a fragment a statement."""

BARE_PAST = _words(
    """
    a again an at been before broke came comes crashed did easy ends fails felt found gave
    gets got had happened happens heard in knew knows liked made mattered mind my on one
    quite ran really returns said saw seen so stops that the this thought to took understood
    was went were works wrote
    """
)
"""After `never` or `always`: told, not ordered."""

COUNTED = _words(
    """
    a an because eight few five four half if issue last now once one problem recently seven
    six some then thing this three today two when yesterday
    """
)
"""After a leading `only`: tells how many or when."""

PEOPLE = _words(
    """
    everyone he i people she someone they who
    """
)
"""Subjects that tell of somebody, not of the work."""

OVER_A_PLACE = _words(
    """
    all carry carried cross drag fall flip flow go hand hanging hover hovering iterate
    iterating iteration left loop looping map mouse move moved moving pass passing popup
    roll run running scroll sits spread start starting switch take think tooltip turn
    walk
    """
)
"""Before `over`: it tells of a movement, not of what is liked better."""

CHOOSES = _words(
    """
    base choose favor favour give go keep pick prefer put quote read rely report show
    speak stick store take tell trust use write
    """
)
"""Verbs that order a choice between two things."""

TELLING = _words(
    """
    will would can could should may might has where there i we lets let's
    """
)
"""In a fragment: it is a statement after all."""

POINTING = _words(
    """
    it this that there they he she these those
    """
)
"""Subjects that point at the work at hand."""

VERBAL = _words(
    """
    covers shows has contains needs should would will can could uses lists gives holds
    works looks goes means says there i we they which that where
    """
)
"""Verbs and subjects of a statement, where a form is named without any."""

HINTS = {
    "en:prohibition": _words(
        """
        neither isn't
        belong belongs classified confidential embargoed eyes hold internal kept nda private
        public record remain remains secret sensitive stay stays
        acceptable account allowed are aren't avoid avoiding away banned bounds can't cease
        clear disallowed disregard do don't exclude forbidden forget go hands ignore isn't
        keep keeping lay leave leaves leaving let limits may must mustn't negotiable never
        no no-go nobody none not nothing off off-limits omit option out permitted prefer
        prohibited quit rather refrain remain remains scope should shouldn't stay stays
        steer stop taboo unacceptable under want we're with without won't wouldn't you're
        """
    ),
    "en:limit": _words(
        """
        in only
        not no you
        for enough plenty sufficient
        above below beyond bigger budget by can't cap capped ceiling cut deadline each
        earlier exactly exceed exceeding fewer fit greater higher hold keep larger later
        least less limit limited longer lower max maximum min minimum more most over per
        quota reduce restrict shorten shorter smaller than time tops trim under up within
        """
    ),
    "en:approval": _words(
        """
        bring discuss
        verify i
        first through past by prior permission
        after alert approval approve ask before check clear come confirm confirmation
        consent consult contact double-check email feedback forward get give go-ahead green
        halt hold i'll in inform let mail message my myself notify ok okay once pass pause
        pending permission ping review run send share show sign sign-off signoff so stop
        job call decision business responsibility turf department domain mine ours us
        myself ourselves leave something task
        talk tell till unless until upon wait warn
        """
    ),
    "en:scope": _words(
        """
        we
        leave skip ignore
        applies apply authoritative base binding canonical count counts definitive go holds
        matter matters normative on prevail prevails rely trust truth use
        alone all every any before after above
        are beyond concentrate confine confined constrain cover covers exclusively focus
        just keep limit limited live narrow not nothing only operate outside reduce remain
        restrict restricted scope solely stay stick strictly we're work you're
        """
    ),
    "en:obligation": _words(
        """
        today tomorrow monday on
        assume bear first in mind one order presume piece step steps time top treat with
        after before at
        all
        adhere always answer any anytime be can cases communicate comply compulsory conform
        consistently critical crucial demand don't each ensure essential every exception
        exceptions expect fail follow forward further future guarantee have henceforth here
        honor honour i imperative important insist keep maintain make mandatory matter must
        necessary need negotiable non-negotiable notice now obey obligatory onward ought
        point prefer preserve remember reply require required requirement respect respond
        rest retain see shall should single speak strictly take talk throughout times vital
        we whenever will write
        """
    ),
    "en:preference": _words(
        """
        allergic appreciate appreciated beat beats best better by care choice choose counts
        discouraged dislike doubt easy encouraged enjoy err erring expect fan fastidious
        favor favour favors favours feasible feel find finds first fond frowned generous
        glad grateful happier hate ideally important insist instead keen lean less like likes
        loathe love matter matters more need one opt outweigh outweighs over partial
        possible practical precedence prefer preferable preferably preference preferred
        prefers priority rather read resist sick simple sooner sparing stand strict
        suspicious swear than tie torn trump trumps two uncertain undecided unsure unwanted
        unwelcome value want wary welcome win wins
        """
    ),
    "en:correction": _words(
        """
        actually bad brought bumped but call changed changes changed corrected correcting
        correction corrections cut delayed drops errata erratum amendment error extended fact
        goes increased lowered make meant misread misremembered misspoke mistake mistyped
        mixed moved moves mind no not now oops plan plans postponed pushed raised reduced
        revised right rises say scratch second set shortened sorry stand strike switched take
        thought thoughts typo wait wrong
        """
    ),
}
"""For each rule, the words without one of which it finds nothing: they spare most of the work."""
