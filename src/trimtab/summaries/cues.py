"""What a sentence is about and how much later work needs it: general cues, English and Japanese.

A cue never decides about more than the section and the order in which statements go when there
is no room; what is required is found by the rules of `trimtab.pins`.
"""

from __future__ import annotations

import re

from trimtab.pin_rules.sentences import plain

# -- weights: what goes first when there is no room has the least --------------------------------

RULE = 55
"""A requirement, a preference or a condition of the user's."""
USER_VALUE = 50
"""What the user said that holds a value: a name, a number, a place."""
DECISION = 45
NEXT = 42
OUTCOME = 30
"""What came of the work."""
VALUE = 22
"""What someone else said that holds a value."""
USER_OTHER = 14
OTHER = 6
REPEATED = 2
"""Said over and over in the same words."""
BOILERPLATE = 1

# -- values --------------------------------------------------------------------------------------

_VALUE = re.compile(
    r"\d|[０-９]|https?://|(?<![\w.])[~.]{0,2}/[\w.-]+|\b[\w-]+(?:/[\w.-]+)+"
    r"|\b\w+[_.]\w+\b|`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+”|「[^」\n]+」|『[^』\n]+』"
    r"|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*|(?<=[a-z,;:(] )[A-Z][\w'’-]+|^[A-Z][a-z]+ [A-Z][a-z]+"
    r"|\b(?:hundred|thousand|million|billion|dozen|percent|dollars|euros|yen|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday)\b|[一二三四五六七八九十百千万億]+(?:円|人|件"
    r"|日|月|年|時|分|秒|個|回|台|本|枚|%|％)|[^\s、。]{1,8}(?:さん|氏)|[ァ-ヶー]{4,}"
    r"|[一-鿿]{2,6}(?:倉庫|支店|本店|本社|支社|工場|営業所|部|課|市|区|県|駅|店|室|棟|号室)(?![一-鿿])",
)


def has_value(text: str) -> bool:
    """`text` holds a name, a number, a place or something else that cannot be guessed."""
    return _VALUE.search(text) is not None


# -- boilerplate ---------------------------------------------------------------------------------

_POLITE = re.compile(
    r"(?:noted|acknowledged|understood|got it|sure|of course|certainly|absolutely|ok(?:ay)?|yes"
    r"|yep|right|great|perfect|thanks|thank you|you're welcome|no problem|will do|sounds good"
    r"|hello|hi|hey|good (?:morning|afternoon|evening)|continuing|proceeding|on it|recorded"
    r"|i(?:'ve| have) (?:noted|recorded)|let me know|i(?:'ll| will) keep (?:that|this) in mind"
    r"|承知|了解|かしこまりました|わかりました|分かりました|はい|ありがとう|こんにちは"
    r"|おはよう|こんばんは|よろしくお願い|お疲れ|記録しました|引き続き|続け(?:ます|てください)"
    r"|どういたしまして|ご確認)(?![\w'’-])",
)
_JAPANESE_POLITE = re.compile(
    r"(?:承知|了解|かしこまりました|わかりました|分かりました|ありがとう|こんにちは|おはよう"
    r"|こんばんは|よろしく|お疲れ|記録し|引き続き|どういたしまして)"
)
_ANNOUNCES = re.compile(
    r"(?:(?:now |next,? |first,? |then,? |okay,? |alright,? )?(?:let me|let's|i(?:'ll| will"
    r"|'m going to| am going to| need to)(?: now| first)?|now i)\b|(?:まず|では|それでは)、?"
    r".*(?:します|ましょう)。?$)"
)


_MARKUP = re.compile(
    r"#{1,6} |(?:\d{1,2}[.)] |[-*+] )?\*\*[^*]+\*\*\W*$|\[[^\[\]]*\]$|<[^<>]*>$|\|"
)
_STRONG = re.compile(
    r"`[^`\n]+`|https?://|[\w-]+[/_]\w|\w\.[a-z]\w|(?=\w*\d)(?=\w*[A-Za-z])\w{4,}|\d{3}|[a-z][A-Z]"
)
"""What nobody says by chance: code, a path, a name, a number of three digits."""
TELLING = 50
"""Characters: an announcement of less tells nothing of what was done."""
SHORT = 4
"""With so few words and nothing strong an assistant's sentence leans on what stood before it."""
_WORD = re.compile(r"[぀-ヿ㐀-鿿]|[^\W\d_]{2,}")


def is_boilerplate(text: str, role: str, reading: str | None = None) -> bool:
    """`text` acknowledges, greets, announces or only leads in, and says nothing by itself."""
    if _MARKUP.match(text):
        return True
    reading = plain(text) if reading is None else reading
    if not has_value(text) and len(_WORD.findall(text)) <= 2:
        return True  # "Good.", a heading, a word of a list
    if role == "assistant" and _is_stub(text):
        return True
    if role == "user":
        polite = _POLITE.match(reading) or _JAPANESE_POLITE.match(reading)
        return bool(polite) and len(reading) <= 30 and not has_value(text[1:])
    if _POLITE.match(reading) or _JAPANESE_POLITE.match(reading):
        return True
    return _announces(reading) and (len(text) < TELLING or not _STRONG.search(text))


def _announces(reading: str) -> bool:
    """It tells what the assistant is about to do, or leads in to what follows."""
    return _ANNOUNCES.match(reading) is not None or reading.endswith((":", "："))


def _is_stub(text: str) -> bool:
    """ "16 of 16.", "Now the data.": what it is about stood before it."""
    if len(text) > 60 or _STRONG.search(text) or _PROGRESS.search(text.lower()):
        return False
    if text.isascii():
        return len(text.split()) <= SHORT
    return len(text) <= 8 or (len(text) <= 30 and _JAPANESE_STUB.search(text) is not None)


_JAPANESE_STUB = re.compile(r"^[^\d０-９A-Za-z「『]*(?:の\w{1,6}です|[^せ]ます|ましょう)。?$")
"""Only leads in (「失敗の中身です。」) or tells what comes now (「日を数えます。」)."""


# -- sections ------------------------------------------------------------------------------------

_GOAL = re.compile(
    r"\b(?:never|must|shall|do not|don't|cannot|may not|always|only|prefers?|preferred|rather"
    r"|wants?|would like|i'd like|please|from now on|stick to|make sure|ensure|at most|at least"
    r"|no more than|no later than|at or below|below|under|within|limit(?:ed)?|cap|ceiling"
    r"|budget|deadline|approv\w+|consent|permission|sign-?off|escalate|ask (?:me|us|first|before)"
    r"|forbidden|not allowed|prohibited|required|requirements?|in scope|out of scope|goal"
    r"|objective|need(?:s)? to|should|keep|avoid|instead of)\b|してほしい|して欲しい|ください"
    r"|下さい|こと。?$|ないで|禁止|必ず|以内|まで(?:に|。|$)|希望|好み|お願い|したい|べき|目標"
    r"|目的|期限|上限|予算|承認|許可|厳守|に限"
)
_CONDITION = re.compile(
    r"^(?:if|when|whenever|unless|in case|before|after|once|until)\b.{3,}?[,;].{0,40}?\b(?:stop"
    r"|escalate|ask|refuse|wait|notify|report|tell|do not|don't|never|roll back|abort|check"
    r"|confirm|page|call|use)\b|^(?:stop|ask|refuse|wait|notify|tell|check|abort|escalate)\b"
    r".*\b(?:if|when|whenever|before|unless|until|once|in case)\b|(?:場合|とき|時|たら|なら)"
    r"(?:は|、|には).{1,60}(?:こと|ください|して|停止|中止|報告|相談|連絡|確認)"
)
_IMPERATIVE = re.compile(
    r"^(?:(?:please|now|then|also|next|first|finally|and),? )?(?:(?:add|fix|write|implement|build"
    r"|create|make|remove|delete|refactor|find|read|investigate|explain|migrate|rename|deploy"
    r"|configure|install|convert|translate|summari[sz]e|send|prepare|compare|analy[sz]e|improve"
    r"|optimi[sz]e|keep|reply|set up|look (?:at|into|for)|ship|merge|revert|upgrade)\b|(?:update"
    r"|change|run|test|check|review|search|move|plan|design|debug|document|report|use|put|answer"
    r"|format|show|list|schedule|book|cancel|order|help|continue|start|finish|draft|switch) (?:the"
    r"|an?|all|my|our|this|that|these|those|it|me|us|them|up|for|to|with|every|each|any|only|if"
    r"|whether|what|how|◇|\d))"
)
_DECIDES = re.compile(
    r"\b(?:decided|decision|decide|we(?:'ll| will)? go with|going with|went with|chose|chosen"
    r"|opted|agreed|settled on|because|rationale|the reason|rather than|in favou?r of|picked"
    r"|rejected|ruled out|trade-?off)\b|決め(?:た|まし)|決定|採用|ことにし(?:た|まし)|ため、"
    r"|理由|却下|見送"
)
_NEXT = re.compile(
    r"\b(?:next steps?|next up|next (?:is|task|action)|after (?:this|that),? the next|to-?do"
    r"|open questions?|open (?:item|issue|point)s?|awaiting|waiting (?:for|on)|await"
    r"|remaining|remains|left to do|still (?:open|to do|need|needs|missing|pending)|pending"
    r"|follow-?ups?|not yet|outstanding|blocked (?:on|by)|unresolved|tbd)\b|次は|次の(?:手順"
    r"|ステップ|作業|タスク)|残り|残って|未完了|未解決|未定|未着手|これから|今後|待ち|保留"
)
_PROGRESS = re.compile(
    r"\b(?:done|finished|completed?|passed|passes|passing|pass|fail(?:s|ed|ing|ures?)?|fixed"
    r"|committed|merged|deployed|implemented|added|created|updated|removed|migrated|renamed"
    r"|refactored|resolved|succeeded|successful(?:ly)?|works now|working now|verified|confirmed"
    r"|tested|released|shipped|installed|wrote|written|errors?|exception|crash(?:ed|es)?"
    r"|timed out|rolled back|reverted|pushed|opened|closed|found|reproduced)\b|完了|終了|済み"
    r"|成功|失敗|修正し|追加し|実装し|作成し|更新し|削除し|通り(?:ました|ます)|解決|エラー"
    r"|確認し(?:た|まし)"
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|runs?|running|lives?|hosted|owns?|owner|belongs|called|named"
    r"|located|version|port|url|id|uses?|based on|moved|now)\b"
    r"|は.*(?:です|だ|である|ます)|\w[:：] ?\S"
)
_CORRECTS = re.compile(
    r"\b(?:now|no longer|instead|moved|changed?|changes|switched|replaced|renamed|correction"
    r"|update|actually|taken over|took over|takes over|from (?:now|today) on|as of)\b|変更"
    r"|訂正|修正|替わ|代わ|変わ|になりました|改め|に移"
)
"""What changes something said before: whoever misses it holds what is no longer true."""
_QUESTION = re.compile(r"[?？]\s*$")


def classified(text: str, role: str, *, required: bool = False) -> tuple[str, int]:
    """The section that a sentence belongs to and its weight.

    Args:
        role: who said it: `user`, `assistant`, `tool`, `system`.
        required: a rule found a requirement in it.
    """
    reading = plain(text)
    if is_boilerplate(text, role, reading):
        return "progress" if role != "user" else "facts", BOILERPLATE
    value = has_value(text)
    if role == "user":
        return _said_by_user(reading, value, required)
    if role == "tool":
        return "progress", OUTCOME if value else VALUE
    if _QUESTION.search(reading):
        return "next_steps", REPEATED  # most often it asks itself
    if _IMPERATIVE.match(reading) or _announces(reading):
        return "progress", REPEATED  # better than nothing, where little else was said
    if _DECIDES.search(reading):
        return "decisions", DECISION if value else OUTCOME
    if _NEXT.search(reading):
        return "next_steps", NEXT if value else OUTCOME
    if _PROGRESS.search(reading):
        return "progress", OUTCOME if value else VALUE
    return "facts", VALUE if value else OTHER


def _said_by_user(reading: str, value: bool, required: bool) -> tuple[str, int]:
    if required or _CONDITION.search(reading):
        return "goal", RULE
    if _QUESTION.search(reading):
        return "goal", USER_OTHER
    if _NEXT.search(reading):
        return "next_steps", max(NEXT, USER_VALUE if value else 0)
    if _DECIDES.search(reading):
        return "decisions", max(DECISION, USER_VALUE if value else 0)
    wants = _GOAL.search(reading) is not None
    if wants or _IMPERATIVE.match(reading):
        return "goal", USER_VALUE if value or wants else USER_OTHER * 2
    if _PROGRESS.search(reading):
        return "progress", USER_VALUE if value else USER_OTHER
    stated = value and (_STATES.search(reading) is not None or len(_WORD.findall(reading)) >= 4)
    if stated or (_CORRECTS.search(reading) and (value or not reading.isascii())):
        return "facts", USER_VALUE
    return "facts", VALUE if value else USER_OTHER


def is_question(text: str) -> bool:
    """`text` ends as a question."""
    return _QUESTION.search(text) is not None


def is_ask(text: str) -> bool:
    """`text` asks for a piece of work, which is open until it is done."""
    return _IMPERATIVE.match(plain(text)) is not None


def weight_in(section: str, text: str, *, required: bool = False) -> int:
    """The weight of a line that a summary already holds in `section`: never so low that it goes
    without need."""
    if is_boilerplate(text, "assistant"):
        return REPEATED
    value = has_value(text)
    if section == "goal":
        asks = required or _CONDITION.search(plain(text)) or _GOAL.search(plain(text))
        return RULE if required else USER_VALUE if value or asks else USER_OTHER * 2
    if section == "facts":
        return USER_VALUE if value else max(classified(text, "user")[1], REPEATED)
    least, most = {
        "progress": (USER_OTHER, OUTCOME),
        "decisions": (OUTCOME, DECISION),
        "next_steps": (OUTCOME, NEXT),
    }[section]
    return most if value else least


# -- labels --------------------------------------------------------------------------------------

_KIND = (
    r"(?:hard|soft|safety|security|user|system|project|team|global|general|key|core|current|new"
    r"|important|critical|standing|open|side|my|our|final|quick|design|technical|business)"
)
_WHAT = (
    r"(?:rules?|constraints?|facts?|notes?|preferences?|goals?|goal state|state|status|context"
    r"|requirements?|decisions?|reminders?|warnings?|info(?:rmation)?|updates?|corrections?"
    r"|changes?|limits?|polic(?:y|ies)|instructions?|important|attention|todo|fyi|n\.?b\.?"
    r"|background|details?|memo|remark|hint|tip|caution|scope|directives?|guidelines?|caveat)"
)
_WORDS = rf"(?:{_KIND}[ _-])*{_WHAT}(?:[ _-]\d{{1,2}})?"
_JAPANESE_LABEL = (
    r"(?:重要|注意|注記|備考|補足|制約(?:条件|事項)?|条件|ルール|規則|事実|前提(?:条件)?|好み"
    r"|希望|要望|状況|目標|目的|連絡|訂正|変更|更新|お知らせ|メモ|情報|決定(?:事項)?|方針"
    r"|禁止事項|必須|要件|参考)"
)
_LABEL = re.compile(
    rf"(?:(?:{_WORDS})\s?[:：]|[\[(]\s*(?:{_WORDS}|{_JAPANESE_LABEL})\s*[\])]\s*[:：]?"
    rf"|[【〔［（]\s*(?:{_WORDS}|{_JAPANESE_LABEL})\s*[】〕］）]\s*[:：]?|{_JAPANESE_LABEL}\s?[:：])\s*",
    re.IGNORECASE,
)


def label_end(text: str) -> int:
    """How many characters at the front of `text` only name the kind of statement.

    `NOTE: `, `HARD CONSTRAINT: `, `[Rule] `, 「制約：」: capitals or brackets, and words for kinds
    of statements alone, so that `DB: Postgres 15` loses nothing. 0 where all would go.
    """
    found = _LABEL.match(text)
    if found is None or found.end() >= len(text):
        return 0
    label = found.group()
    plainly = label[0] in "[(【〔［（" or not label.isascii() or label == label.upper()
    return found.end() if plainly else 0
