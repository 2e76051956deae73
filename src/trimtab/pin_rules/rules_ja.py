"""Japanese: which rules find a requirement in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

from trimtab.pin_rules.clauses_ja import Clause, clauses_of, is_fragment, is_left_out
from trimtab.pin_rules.preferences_ja import correction, form, preference

# --- prohibition ------------------------------------------------------------------------------

_AGENT = (
    r"(?:使わ|使用し|利用し|変え|変更し|直さ|触ら|触れ|いじら|消さ|削除し|追加し|増やさ|送ら"
    r"|送信し|出さ|書か|書き換え|入れ|含め|上げ|下げ|加え|載せ|貼ら|壊さ|移さ|動かさ|編集し"
    r"|コミットし|プッシュし|プルし|マージし|実行し|公開し|共有し|保存し|(?:を|は)し"
    r"|[一-鿿ァ-ヶーa-z]{2,}(?:は|を)し|混ぜ|省か|省略し|飛ばさ|スキップし|付け|つけ|始め|進め"
    r"|勧め|作ら|作成し|読ま|呼ば|開か|閉じ|止め|買わ|選ば|予約し|漏らさ|渡さ|見せ|残さ"
    r"|インストールし|依存し|アクセスし)"
)
_FORBID = re.compile(
    r"ないで(?!い[るたまな]|済|す|も[いよ]|いい|しょう|欲しかった|ほしかった|よか)|ない(?:方向"
    r"|方針|前提|形|範囲)で|ない(?:で|ように|よう|こと|事)(?:は|に)?(?:ね|よ|$|[。!]|、|ください"
    r"|下さい|くれ|ほしい|欲しい|もら|いただ|頂|お願い|する|します|して|しな|心|気をつけ|気を付け"
    r"|注意|とする|とします|です|だけ|留意|徹底|を)|(?:て|で|ちゃ|じゃ)は?(?:いけない|いけません"
    r"|ならない|なりません|ならず|だめ|ダメ|駄目|ng|いかん|ならぬ)|の(?:は|も)(?:絶対に?|全部"
    r"|なるべく)?(?:だめ|ダメ|駄目|ng|禁止|やめ|止め|避け|控え|なし)|(?:は|も|が|を|に)?(?:一切"
    r"|全面|絶対|原則)?(?:に)?(?:使用|利用|変更|編集|追加|削除|操作|改変|改名|接続|実行|持ち出し"
    r"|書き換え|公開|転載|送信|アクセス|上書き|投稿|更新|[一-鿿ァ-ヶー]{0,8})(?:厳禁|禁止|不可"
    r"|禁物)(?:です|だ|とする|とします|で|に(?:する|します|して)|ね|よ|[。!、]|$)|禁止(?:します"
    r"|する)|無用(?:です|で|に|[。!]|$)|ノータッチ|も[^、。]{1,12}もなし[。!]*$|(?:無視|除外"
    r"|割愛)(?:し(?:て|ます)|する|で)|[一-鿿ァ-ヶー]ng(?:です|で|[。!]|$)|読み取り専用(?:で|と"
    r"|です|に|扱い)|禁じ(?:ます|る)|御法度|(?:認め|認められ|許可し|許し|許され|許さ|許容し"
    r"|受け付け)(?:ない|ません)[。!]*$|(?:は|も|を)?やめて(?:ください|下さい|ほしい|欲しい|くれ"
    r"|もら|いただ|頂|ね|よ|お|$|[。!、])|(?:避け|控え|慎ん|遠慮し|除外し|除い)(?:て"
    r"|で)(?:ください|下さい|ほしい|欲しい|くれ|もら|いただ|頂|ね|$|[。!、])|避けること"
    r"|控えること|べきで(?:は)?(?:ない|ありません)|べからず|べきじゃない|(?:は|が|も)(?:絶対に?"
    r"|全部)?(?:だめ|ダメ|駄目|ng)(?:です|だ|ね|よ|$|[。!])|(?:社外秘|部外秘|極秘|機密|内密|内緒|秘密|オフレコ|他言無用"
    r"|口外無用|非公開|匿名)(?:扱い|として)?(?:で(?!は)|に(?:し|す|願|お|$|[。!])|です|だ[。!]*$|扱|として扱"
    r"|の(?:まま|扱い))|(?:なし|無し|抜き)(?:で|に)(?:お願い"
    r"|して|する|$|[。!、]|頼|やって|実装|書いて|作って)"
)
_UNTOUCHED = re.compile(
    r"(?:その|この|今の|現状の|元の|もとの|現在の|既存の)まま(?:に|で|の状態で|を)?(?:して"
    r"|し(?:て)?おいて|お願い|残|保|維持|とする|とします|にする|使って|置いて|$|[。!、])|(?:手"
    r"|変更)を(?:加え|付け|つけ|入れ)(?:ないで|ないこと|ないように|ず)"
)
_IMPERATIVE_NA = re.compile(r"(?:[うくぐすつぬぶむ]|(?<![いあせてで気が])る)な(?:よ)?[。!]*$")
_NOT_NA = re.compile(
    r"(?:だろ|でしょ|そ|よ|ろ|か|思|気がす|違|いいよ|みた)[うる]?な|気がするな|かな[。!]*$"
)
_PLAIN_NOT = re.compile(
    _AGENT
    + r"ない[。!]*$|(?:は|を|に|へ|も|同時に)(?!(?:存在|変化|発生|成功|改善|動作|反応|起動|機能"
    r"|完了|終了|解決|一致|関係|影響|対応|失敗|矛盾|到達|収束|該当|作動|稼働|進行|適合|成立"
    r"|通用))[一-鿿ァ-ヶー]{2,6}しない[。!]*$"
)
_NOBODY = re.compile(r"(?:誰|だれ|彼|彼女|私|僕)(?:も|は)")
_NOT_DOING = re.compile(
    r"(?<!必)(?<!忘れ)(?<!まだ)(?:さ|わ|ら|か|が|え|せ|け|た|ま|ば|べ|れ|げ|め|て|し|じ|き|び|み"
    r"|ぎ|り)ずに?(?=[^。?]{0,30}(?:ください|下さい|て|ほしい|こと|お願い|する|取る|行う"
    r"|たい)(?:ね|よ|です)?[。!]*$)"
)


def _prohibition(text: str, clauses: list[Clause]) -> bool:
    for clause in clauses:
        body = clause.text
        if not clause.told and (_FORBID.search(body) or _UNTOUCHED.search(body)):
            return True
        if _IMPERATIVE_NA.search(clause.end) and not _NOT_NA.search(clause.end):
            return True
        if _PLAIN_NOT.search(body) and not _NOBODY.search(body):
            return True
    return clauses[-1].ruled and _NOT_DOING.search(text) is not None


# --- limit ------------------------------------------------------------------------------------

_N = r"(?:\d[\d,.]*|[一二三四五六七八九十百千万半数]+|ひと|ふた|いく)"
_BOUND = re.compile(
    rf"{_N}[^、。\s]{{0,12}}?(?:以内|以下|未満|以上|まで|を超え|を越え|を上回|を下回|を上限"
    rf"|を限度|が上限|が限度|に抑え|に収め|に留め|にとどめ|に納め|限度|程度に|前後に)|(?:最大"
    rf"|最高|最小|最低|最長|上限|下限|少なくとも|多くても|せいぜい|ちょうど|高々|長くても"
    rf"|短くても|遅くとも|合計)(?:は|を|で|でも|の|が|:|："
    rf"|\s){{0,3}}[^、。\d一二三四五六七八九十]{{0,12}}{_N}"
    r"|(?:前日|当日|明日|今日|今週|週末|来週|月末|曜日?|正午|夕方|朝|昼|夜|年内|今月|今月中"
    r"|本日)(?:中)?までに"
    rf"|{_N}[^、。\s]{{0,6}}?に(?:縮め|削|絞|まとめ|抑え|収め|納め|短く)"
    r"|(?:[一二三四五六七八九十]|\d+)(?:文|言|行|語|段落|ページ|枚|単語|項目)で(?!す)"
)
_KEPT_WITHIN = re.compile(
    r"超え(?:ない|て?は|ては|ず)|越え(?:ない|ては)|(?:抑え|収め|留め|とどめ|納め|保ち|守り)(?:る"
    r"|ます|て|た)|返す|保つ|守る|とする|とします|なければ(?:ならない|なりません|いけ)|上限と"
    r"|限度と"
)
_FROM_TO = re.compile(r"\dから?[^、。]{0,12}\d[^、。]{0,6}まで|[日時分月年頃]から[^、。]{0,20}まで")
_NO_MORE = re.compile(r"\d[^、。]{0,6}までしか")
_WITHIN = re.compile(r"以内|まで(?:に|で|とする)|以下")
_MAKES_LIMIT = re.compile(
    r"(?:設定|引き上げ|引き下げ|実装|追加|作成|教え|説明|見せ|表示|探し|調べ)"
)


def _limit(text: str, clauses: list[Clause]) -> bool:
    last = clauses[-1]
    for clause in clauses:
        body = clause.text
        if _NO_MORE.search(body):
            return True
        if clause.told or not _BOUND.search(body) or _FROM_TO.search(body):
            continue
        if _KEPT_WITHIN.search(body):
            return True
        if _MAKES_LIMIT.search(body) and not _WITHIN.search(body):
            continue
        if clause.ordered or (is_fragment(clause) and (clause is last or not last.told)):
            return True
        if not clause.states and clause is not last and last.ordered:
            return True
    return False


# --- approval ---------------------------------------------------------------------------------

_YES = (
    r"(?:承認|許可|了承|了解|同意|合意|承諾|確認|ok|オーケー|ゴーサイン|go|指示|返事|返答|回答"
    r"|レビュー|合図|許し|決裁|サイン)"
)
_APPROVAL = re.compile(
    rf"{_YES}(?:の)?(?:後|あと)(?:に|で|、|のみ|[。!]|$)|{_YES}(?:が|を"
    rf"|の)?[^、。]{{0,8}}?(?:てから|るまで|次第|たら|たうえで|た上で|た後|待ち|待って|待つ"
    rf"|までは?|し(?:てから|た後))|{_YES}(?:を|も)?(?:なく|なし(?:に|で)|得ずに|取らずに|とらずに"
    rf"|無しに|もらわずに)|{_YES}(?:を|も)(?:必ず|先に|事前に)?(?:取|と|得|もら|貰|仰|求め|いただ"
    rf"|頂)(?:って|て|ること|り|い|っ)"
    r"|前に[^。]{0,25}?(?:確認|相談|聞い|連絡|声を|報告|見せ|ok|許可|承認|知らせ|教え|尋ね|一報"
    r"|伺い|止ま)|(?:事前|先|前もって|あらかじめ|その都度|都度)(?:に|、)?[^。]{0,20}?(?:確認し"
    r"|確認を|相談|聞い|連絡|声を|報告し|言って|見せ|知らせ|教え|許可|承認|尋ね|一報)|(?:まず"
    r"|いったん|一旦|一度)[^。]{0,20}?(?:私に|相談|声を|見せ|許可|承認|知らせ)|(?:場合|時|とき"
    r"|なら|たら|れば)(?:は|には)?[^。]{0,15}?(?:確認して(?:くだ|下|ほ|か|ね|$|。)|相談して"
    r"|声をかけ|質問して|聞いて(?:くだ|下|ほ|か|ね|$|。)|止まって|止めて|連絡して|私に)|(?:確認"
    r"|相談|レビュー|承認|見せ)(?:し|を受け)?てから|それまで[^。]{0,10}待"
    r"|勝手に[^。]{0,20}(?:ない|ず|な[。!]*$)|無断で|断りなく|私が[^。]{1,15}(?:まで|てから|たら)"
    r"|(?:確認|許可|承認|ok)が(?:取れ|出|下り|降り|もらえ|得られ)(?:る|て|た)"
    r"|前に[^。]{0,20}?(?:送っ|共有し|渡し|提出し|回し)て|(?:一声|ひと声|声)(?:を)?(?:かけ|掛け)"
    r"|(?:確認|チェック|見|判断|レビュー|承認|決め)させ"
    rf"|{_YES}が(?:必要|前提|条件|不可欠|要り|要る)"
    r"|私が(?:決め|判断|選[ばびぶん]|最終)"
)
_MINE = re.compile(
    r"(?:私|僕|俺|わたし|こちら|うち|弊社|人間|人手|担当者|当方|[^、。\s]{1,6}(?:さん|部長|課長))"
    r"(?:が|で|の(?:ほう|方)で|自身が|自身で)[^、。]{0,8}?(?:や(?:り|る)|行(?:い|う)|し|する|対応|実施|決め"
    r"|判断|担当|引き受け|進め|押し|流し|送[りる]|作[りる]|書[きく])[^、。]{0,4}?(?:ます|る|う|く)"
    r"(?:から|ので|んで)?[。!]*$|(?:私|こちら|うち|当方)の(?:仕事|担当|役目|判断)(?:です|だ|なので)"
)
"""What the user does or decides, and nobody else."""
_WAITS = re.compile(
    r"(?:ください|下さい|こと|ほしい|欲しい|て|で|から|に|な|せて|ように|たい|です|ね|お願い"
    r"|のみ)[。!]*$|後(?:に)?[。!]*$"
)


_APPROVAL_FEATURE = re.compile(
    r"(?:承認|許可|確認|レビュー)(?:画面|機能|ボタン|フロー|処理|ダイアログ)"
)


def _approval(text: str, clauses: list[Clause]) -> bool:
    last = clauses[-1]
    if not last.told and _MINE.search(text):
        return True
    return (
        not last.told
        and (last.ruled or _WAITS.search(text) is not None)
        and _APPROVAL.search(text) is not None
        and not _APPROVAL_FEATURE.search(text)
    )


# --- scope ------------------------------------------------------------------------------------

_NARROW = re.compile(
    r"(?<!少し)(?<!ちょっと)(?<!でき)(?<!出来)(?<!これ)(?<!それ)(?<!あれ)(?<!どれ)(?<!一つ)(?<!1つ)(?<!ひとつ)(?<!一度)(?<!一回)(?<!る)(?<!た)(?<!な)だけ(?!で(?:は|も)?な|じゃな|ど|れど|質問|聞きたい|気に|確認したい)|のみ(?!なら|込)|(?:に|へ)?限定(?:し|する|で|です|とす|$|[。!])|に限(?:る|り|って|ります|定)|(?:に|へ)絞(?:って|る|り|ること)|(?:以外|外側?)(?:は|の[^、。]{1,20}?(?:は|を|に|には))[^。]{0,25}?(?:ない|な[。!]|ず|禁止|対象外|不可|ません)|の外(?:は|に|へ|を)[^。]{0,20}?(?:ない|な[。!]|ず|禁止)|対象外|範囲外|担当外|管轄外|最[小低]限(?:に|で|の)|(?:範囲|スコープ|対象)(?:は|を)[^。]{1,30}?(?:と(?:する|します)|に(?:する|します|して)|だけ|のみ|まで|内)|に(?:集中|専念|フォーカス)(?:して|する|し)|に限った|(?:中|内|範囲)(?:に|で)(?:収め|留め|とどめ|完結)"
)
_TOPIC = re.compile(
    r"(?:対象|範囲|スコープ|修正|変更|作業|編集|使|調べ|調査|検索|対応|扱|読|書|見|直|や|進め|作"
    r"|入れ|て(?:い|良|よ)い(?:の|もの|ファイル)?|許可|触)[^。]{0,20}?(?:は|の)"
)


_WITHIN_NOUN = re.compile(r"(?:だけ|のみ)[^、。]{1,10}[うくぐすつぬぶむる][一-鿿ァ-ヶ]")
_OUTSIDE = re.compile(
    r"(?:対象外|範囲外|担当外|管轄外|に限った(?:話|もの|こと))(?:です|だ|とする|とします)?[。!]*$"
)
_ENOUGH = re.compile(
    r"(?:だけ|のみ)[^、。]{0,6}ば(?:いい|良い|よい)|(?:だけ|のみ)で(?:いい|よい|良い|結構|十分"
    r"|大丈夫|ok)"
)
_ENDS_NARROW = re.compile(
    r"(?:だけ|のみ|限定|限(?:る|り|ります)|対象外|範囲外|担当外|管轄外|内)(?:です|だ|とする"
    r"|とします|ね|よ)*[。!]*$"
)
_COPULA = re.compile(r"です|だ[。!]*$")

_COUNTS = re.compile(
    r"(?:が|を)正(?:です|しい(?:もの|値|数字|方)です|とし|とする|と考え|と見な|とみな|で(?:す|お願い))|(?:を"
    r"|に)(?:基準|根拠|正本|前提|出典|よりどころ|拠り所)(?:に|と)(?:し|する|考え)|(?:が|のほうが)(?:正本"
    r"|基準|根拠|優先|有効)(?:です|だ|となり|とする|とします)"
)
"""What to go by where several things could tell."""


def _scope(text: str, clauses: list[Clause]) -> bool:
    last = clauses[-1]
    if not last.told and _COUNTS.search(text):
        return True
    for clause in clauses:
        body = clause.text
        if clause.told or not _NARROW.search(body) or _WITHIN_NOUN.search(body):
            continue
        if clause.ordered or _ENOUGH.search(body) or _OUTSIDE.search(clause.end):
            return True
        if _ENDS_NARROW.search(clause.end) and (_TOPIC.search(body) or not _COPULA.search(body)):
            return True
        if clause is not last and last.ordered and not clause.states:
            return True
    return False


# --- obligation -------------------------------------------------------------------------------

_MUST = re.compile(
    r"必ず|かならず|(?<![正非通異平経日])常に|いつも|毎回|毎度|絶対に|忘れずに|都度"
    r"|原則(?:として)?|徹底(?:的に)?|例外なく|一貫して|(?:の|る|た)(?:たび|度)に|(?:ごと|毎)に"
)
_RULE_WORD = re.compile(
    r"(?:厳守|必須|遵守|義務|徹底|絶対条件|鉄則|マスト|大前提)(?:です|だ|とする|とします"
    r"|で(?:お願い|す)?|して|すること|のこと|ください|に|ね|[。!、]|$)"
)
_IS_RULE = re.compile(
    r"(?:が|は)(?:絶対)?(?:条件|前提|ルール|決まり|原則|大事|重要|肝心|大切)(?:です|だ"
    r"|となります)?[。!]*$"
)
_KOTO = re.compile(
    r"(?<!という)(?<!との)(?<!な)(?:[うくぐすつぬぶむるい])(?:こと|事)(?:とする|とします|。|!|$)"
)
_NEEDS = re.compile(
    r"(?:で|く)?な(?:ければ|くては|きゃ)(?:なら(?:ない|ぬ)|なりません|いけない|いけません|だめ"
    r"|ダメ)(?:です|もの)?[。!]*$|ねばならない|ねばなりません|(?:である|く|ぶ|う|を満たす|に従う"
    r"|と一致する|に対応する|を保つ|を維持する)必要が(?:あります|ある)"
)
_PERSON = re.compile(r"(?:私|僕|俺|自分|彼|彼女|うち)(?:は|が|も)|(?:急|出かけ|帰ら|行か|起き|寝)")
_LANGUAGE = re.compile(
    r"(?:日本|英|中国|韓国|フランス|ドイツ|スペイン|敬|標準|丁寧)語で[^、。]{0,8}?(?:回答|応答"
    r"|返答|返信|会話|出力|記述|書|答え|話|やり取り|対応|説明|統一|コメント|行|お願い)"
)
_HENCEFORTH = re.compile(
    r"(?:今日|明日|次回|次)から|(?:今後|これから|以後|以降|次回から|今日から|ここから先)(?:は|も"
    r"|、)"
)
_HOLD = re.compile(
    r"(?:維持|保持|統一|遵守|担保|保証|確保|尊重)(?:し|する|して|せ)|(?:保|守)(?:って|つ|る"
    r"|ること|ち)|互換性|(?:に|へ)従(?:って|う|い)|に準拠|に沿って"
)
_SO_THAT = re.compile(
    r"(?:^|[^ れ])(?:る|す|く|う|む|ぶ|つ|い)よう(?:に)?(?:して(?:ください|下さい|ほしい|欲しい"
    r"|もら|いただ)|お願い|すること|にすること|心がけ|徹底)"
)
_MANNER = re.compile(
    r"(?:ずつ|順番(?:に|どおり|通り)|[^、。]{1,6}順に|上から順|一つひとつ|ひとつひとつ|段階的に|小さく"
    r"|小分けに|先に|その前に|最後に必ず|手順(?:どおり|通り))(?!並)[^。]{0,30}?(?:進め|直|やっ|片付け|確認"
    r"|変え|試|処理|対応|着手|行っ|取り組|出し|コミット|見たい|見せ|知りたい|聞きたい|ほしい)"
)
_POLICY = re.compile(
    r"(?:する|る|く|う|つ|す|む)(?:方針|決まり|ルール|運用|約束|流儀|取り決め|流れ)(?:です|だ|で|とし"
    r"|に(?:し|な)|と(?:し|な))"
)
_FIRST_OF_ALL = re.compile(
    r"(?:(?:とき|時|際|場合|たび)(?:は|に|には)|前には?)、?(?:先に|まず|事前に|前もって|最初に)"
)
"""A standing order: what comes first whenever something is done."""
_ABLE = re.compile(r"(?:でき|出来|見え|[えけせてねべめれげ]|られ|なる|表示され)る?よう")


_NOT_KOTO = re.compile(r"ない(?:こと|事)")
_UNTIL = re.compile(r"まで$|か$")
_POLITE_END = re.compile(r"(?:ます|です|い)[。!]*$")
_RULE_END = re.compile(r"(?:[うくぐすつぬぶむる]|[一-鿿ァ-ヶ]|で|に|も)[。!]*$")


def _obligation(text: str, clauses: list[Clause]) -> bool:
    last = clauses[-1]
    for clause in clauses:
        body, end = clause.text, clause.end
        if _KOTO.search(end) and not _NOT_KOTO.search(end):
            return True
        if _NEEDS.search(body) and not _PERSON.search(body):
            return True
        if clause.told:
            continue
        if _RULE_WORD.search(body) or _IS_RULE.search(end):
            return True
        follows = clause is not last and last.ruled
        if _MUST.search(body) and not _UNTIL.search(end):
            if clause.ordered or (not _POLITE_END.search(end) and _RULE_END.search(end)):
                return True
            if follows and not clause.states:
                return True
        if _HOLD.search(body) and (clause.ordered or follows):
            return True
        if _POLICY.search(body):
            return True
        if clause.ruled and _LANGUAGE.search(body):
            return True
        if _SO_THAT.search(body) and not _ABLE.search(body):
            return True
    if last.ordered and (_MANNER.search(text) or _FIRST_OF_ALL.search(text)):
        return True
    return last.ordered and _HENCEFORTH.search(text) is not None


_RULES: tuple[tuple[str, Callable[[str, list[Clause]], bool]], ...] = (
    ("ja:approval", _approval),
    ("ja:prohibition", _prohibition),
    ("ja:limit", _limit),
    ("ja:scope", _scope),
    ("ja:obligation", _obligation),
    ("ja:preference", preference),
    ("ja:form", form),
)


def rules(sentence: str) -> tuple[str, ...]:
    """The names of all rules that find a requirement in a sentence given by `plain`."""
    clauses = clauses_of(sentence)
    found = [name for name, rule in _RULES if rule(sentence, clauses)] if clauses else []
    if not is_left_out(sentence) and correction(sentence):
        found.append("ja:correction")
    return tuple(found)
