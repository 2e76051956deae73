"""Japanese sentences as the rules read them: statements, cut into clauses.

What counts is how a clause ends: as an order or a rule (`〜ください`, `〜こと`, `〜とする`, a bare
noun), not as a report (`〜た`, `〜ている`, `〜らしい`). Questions, reported speech, guesses and
comfort are left out here, so that no rule has to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENDING = 20
"""Characters: how much of a clause's end tells an order from a report."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, without the words that lead into it.

    Attributes:
        text: normalised text; `end` its last characters.
        told: it reports (`〜た`, `〜ている`).
        ordered: it ends as an order.
        ruled: it ends as an order, or in a plain verb as rules are written (`〜を取る。`).
        states: it ends in a verb.
    """

    text: str
    end: str
    told: bool
    ordered: bool
    ruled: bool
    states: bool


# --- what is left out -------------------------------------------------------------------------

_POLITE = re.compile(
    r"(?:もら|頂|いただ|くだ|下さ|くれ)(?:え|け|い|さ)?(?:ます|ません|る|ない|ないで"
    r"|れば)?(?:でしょう)?か?[。?!、]*$"
)
_ASKED = re.compile(
    r"[?？][」』)]*$|(?:です|ます|でし|まし|ません|でしょう|だろう|の|ん|い|る|た|う)か[。!]*$"
    r"|(?:かな|かしら|っけ|のかな|んだろう|のだろう|の\?|だっけ)[。!?]*$|(?:なぜ|どうして|何で"
    r"|なんで|いくつ|どの|どれ|どこ|いつ|誰|だれ|何が|何を)[^、。]{0,40}(?:か|の)(?:教えて|説明"
    r"|調べて|を|$)"
)
_REPORT = re.compile(
    r"(?:と|って)(?:、)?(?:書(?:か|い)|記載|言(?:った(?!場合|時|とき|ら)|って(?!から)|われ|い"
    r"|います|う(?!まで|場合|時|とき))|出(?:ます|る|て|た)|表示|発言|ある[。、]?|あった|あります"
    r"|怒られ|注意され|聞い(?:た|て)|聞き|のこと|伝え|返(?:って|す)|いう(?:エラー|警告|メール"
    r"|コメント|表記|記述|注意|メッセージ))|によれば|によると|(?:る|い|た|だ)そうです|らしい"
    r"|とのこと"
)
_COMFORT = re.compile(
    r"(?:心配|気に|遠慮|無理|ためら|躊躇|緊張|恐縮|焦ら|慌て|落ち込|恥ずかし|悩|怒|驚|泣|謝"
    r"|がっかり)[^、。]{0,6}(?:な|ず)|なくて(?:も)?(?:いい|良い|よい|構|かま|大丈夫|結構|ok"
    r"|オーケー|問題)|必要(?:は|も|が)?(?:ない|ありません|なし|無い|無さ)|(?:制限|上限|期限|問題"
    r"|支障)(?:は|も)?(?:ない|ありません|なし|無)|ても(?:いい|良い|よい|構|かま|大丈夫"
    r"|問題)(?:です|ありません|ない|いません|わない)?[。!]*$|必ずしも|わけでは|わけじゃ|とは限ら"
)
_MAYBE = re.compile(
    r"かもしれ|かも[。!]*$|だろう[。!]*$|でしょう[。!]*$|に違いな|はず(?:です|だ|でした)?[。!]*$"
    r"|と思(?:う|い|って)|気がする|みたい(?:です|だ)?[。!]*$|よう(?:です|だ)[。!]*$|ようでした"
    r"|ばよかった|ば良かった|ほうがまし|よりはまし|ところでした|ところです[。!]*$"
)
_TOLD = re.compile(
    r"(?:(?<!し)た|だった|でした|ました|ている|ています|ていました|てる|てます|しまった|(?:て"
    r"|で)しまう|(?:て|で)しまいます|んです(?:よ)?(?:ね)?|のです"
    r"|(?<!いけ)(?<!なり)(?<!認め)(?<!許し)(?<!許され)(?<!認められ)(?<!許さ)(?<!ではあり)ません"
    r"|ませんでした|なかった|困って(?:い)?(?:ます|る)?|だよね|ですよね|てない|ていない)[。!〜~]*$"
)
_CLAUSES = re.compile(
    r"、|。|,|;|!|(?<=[いすだるた])が(?=、)|(?<=[すだるた])(?:ので|から|けど|けれど)、?|\(|\)|:"
)
_LEAD = re.compile(
    r"(?:(?:ただし?|但し|なお|また|あと|それと|それから|そして|でも|しかし|ちなみに|とりあえず"
    r"|注意|重要|補足|今回は|お願い(?:です)?|くれぐれも|どうか|できれば|とにかく|ごめん"
    r"|すみません(?:が)?)[、:,!\s]*)+"
)

# --- how an order ends ------------------------------------------------------------------------

_ORDER_END = re.compile(
    r"(?:(?:て|で)(?:ね|よ|よね|から)?|(?:ください|下さい|なさい|くれ|ほしい|欲しい)(?:です|ね"
    r"|な)?|(?:もら|いただ|頂)(?:え|け|い|き)(?:ます|ません|る|ない|ると|たい)?(?:です)?(?:か"
    r"|と幸い|と助かり)?(?:ます)?|お願い(?:し|いた|致)?(?:し)?(?:ます|たい|ね)?(?:です)?"
    r"|こと(?:で|とします|とする|です|だ|に)?|事|よう(?:に)?(?:ね)?|べき(?:です|だ)?|(?:に"
    r"|と)(?:する|します)|せよ|しろ|[えけせてねべめれ]ろ|たい(?:です)?|で(?:お願い)?)[。!〜~]*$"
)
_NOUN_END = re.compile(
    r"(?:以内|以下|未満|以上|まで|だけ|のみ|限定|厳守|必須|禁止|不可|上限|下限|なし|ng"
    r"|[一-鿿ァ-ヶー\d\w%]|も(?:の)?|分|つ)(?:です|だ|である|とする|とします|で|ね|よ"
    r"|に)*[。!〜~]*$"
)


_STATES = re.compile(r"(?:ます|る|う|く|す|つ|ぬ|ぶ|む|い)[。!]*$")
_PLAIN_END = re.compile(r"(?<!ま)(?<!で)(?<!てい)(?<!あ)[うくぐすつぬぶむる][。!]*$")


def _clause(text: str) -> Clause:
    end = text[-_ENDING:]
    told = _TOLD.search(end) is not None
    ordered = _ORDER_END.search(end) is not None
    return Clause(
        text=text,
        end=end,
        told=told,
        ordered=ordered,
        ruled=ordered or (not told and _PLAIN_END.search(end) is not None),
        states=_STATES.search(end) is not None,
    )


def is_fragment(clause: Clause) -> bool:
    """A clause that ends in a noun, or in a noun and `です`: a rule stated as a fact."""
    return not clause.told and _NOUN_END.search(clause.end) is not None


_POLITE_BOUND = re.compile(
    r"ない|だけ|のみ|以内|まで|以下|必ず|ず|限|そのまま|前に|から|未満|絞|常に"
)


def is_left_out(text: str) -> bool:
    """A question, reported speech or a guess."""
    asked = _ASKED.search(text) is not None and not _POLITE.search(text[-2 * _ENDING :])
    return asked or _REPORT.search(text) is not None or _MAYBE.search(text) is not None


def clauses_of(sentence: str) -> list[Clause]:
    """The clauses of a sentence given by `plain` that can hold a requirement; maybe none."""
    text = sentence.rstrip(" 〜~…♪☆")
    polite = _POLITE.search(text[-2 * _ENDING :]) is not None
    if not polite and _ASKED.search(text):
        return []
    if polite and not _POLITE_BOUND.search(text):
        return []
    if _REPORT.search(text) or _MAYBE.search(text):
        return []
    clauses = []
    for piece in _CLAUSES.split(text):
        piece = piece.strip()
        lead = _LEAD.match(piece)
        body = piece[lead.end() :] if lead and lead.end() < len(piece) else piece
        if body and not _COMFORT.search(body):
            clauses.append(_clause(body))
    if len(clauses) == 1 and clauses[0].told:
        return []
    return clauses
