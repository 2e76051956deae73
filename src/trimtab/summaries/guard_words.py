"""Content words as stems, in English and Japanese, and what makes a clause an order."""

from __future__ import annotations

import re
from functools import lru_cache

from trimtab.pin_rules.words_en import VERBS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIVE_JA = re.compile(
    r"(?:し|[わらさかたばまがえれけせてめみいきりち])(?:ない|ません|ぬ)(?!か)"
    r"|[さらわかまばたがえけせれめべ]ず(?:に|[、,。\s]|$)|禁止|厳禁|不可|禁物|(?<![A-Z])NG(?![A-Z])|ダメ|だめ"
    r"|駄目|やめ|控え|避け|除外|対象外|べからず|触るな|するな|使うな|そのまま"
)
"""A Japanese clause that forbids, or says that something is not done."""

ONLY_JA = r"だけ|のみ|限定|限(?:り|る|って)"

_WORD = re.compile(r"[A-Za-z0-9_][\w./:@#'+-]*|[一-鿿々〆]+|[ァ-ヺー]{2,}", re.A | re.I)
_STOP = _words(
    """
    usd eur gbp jpy yen dollar dollars euro euros cents percent second seconds minute minutes
    hour hours day days week weeks month months year years metres meters ms kb mb gb
    a an the this that these those it its they them their there here he she his her we us
    our you your i my me mine and or but nor so as at by for from in into of on onto to up
    with about over under out off is are was were be been being am do does did done doing
    have has had having will would shall should can could may might must need needs not no
    never none nothing nobody neither only solely exclusively just without unless until
    except always ever please make sure than then when while if whether because since also
    too very any all every each some such same other another more most less least fewer few
    many much own via per which who whom whose what where why how cannot don't doesn't
    didn't mustn't shouldn't can't won't isn't aren't mayn't allowed allow permitted permit
    forbidden forbid prohibited prohibit disallowed avoid avoiding refrain required requires
    require ok okay fine free feel let let's keep kept stay stays remain remains user users
    asked wants wanted say says said constraint constraints rule rules note important limit
    within before after during untouched unchanged unmodified intact alone first once
    again still yet now later earlier prior outside under below above between either both
    limited restricted strictly explicitly explicit hand hands work working agent assistant
    one thing things anything everything something way
    """
)
_STOP_JA = _words(
    """
    毎回 常 毎度 都度 一切
    禁止 厳禁 不可 必 場合 事 際 時 等 約 前 後 内 以内 以下 以上 未満 限定 対象外 中 件 回 個
    人 年 月 日 必須 許可 以外 間 分 秒 円 万円 点 行 可 可能 制約 条件 注意 絶対 今後 以降
    使用者 作業
    """
)
_IRREGULAR = {
    "sent": "send",
    "ran": "run",
    "wrote": "write",
    "written": "write",
    "made": "make",
    "spent": "spend",
    "bought": "buy",
    "paid": "pay",
    "broke": "break",
    "broken": "break",
    "left": "leave",
    "told": "tell",
    "shown": "show",
    "gave": "give",
    "given": "give",
    "took": "take",
    "taken": "take",
    "chose": "choose",
    "chosen": "choose",
    "built": "build",
    "prod": "production",
    "db": "database",
    "repo": "repository",
    "used": "use",
    "uses": "use",
    "using": "use",
    "config": "configuration",
    "configs": "configuration",
    "deps": "dependency",
    "docs": "documentation",
}
_SAME = {
    "chang": "modify modified change edit alter touch rewrite rewritten amend modification 変更"
    " 編集 修正"
    " 改変 触 変 書き換 update",
    "delet": "delete deletion remove removal erase drop 削除 消去 消",
    "send": "send 送信 送",
    "approv": "approve approval confirm confirmation sign-off signoff consent ok permission"
    " agree 承認 確認 同意",
    "publish": "publish post release 公開 投稿",
    "spend": "spend pay cost expenditure 支払 支出 費用",
    "use": "use usage 使用 使 利用",
    "push": "push プッシュ",
    "commit": "commit コミット",
    "deploy": "deploy deployment デプロイ",
    "merg": "merge マージ",
    "test": "test テスト",
    "production": "production 本番",
    "file": "file ファイル",
    "databas": "database データベース",
    "add": "add addition introduce 追加",
    "dependenci": "dependency dependencies package library ライブラリ 依存",
    "run": "run execute execution 実行",
    "book": "book reserve booking reservation 予約",
    "exceed": "exceed surpass 超 超過",
    "reply": "reply answer respond response 回答 返信 返答",
    "japanes": "japanese 日本",
    "customer": "customer client 顧客",
    "share": "share disclose reveal 共有 開示",
    "branch": "branch ブランチ",
    "budget": "budget 予算",
}


def _stemmed(word: str) -> str:
    word = word.removesuffix("'s")
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word.endswith("ss"):
                break
            word = word.removesuffix(ending)
            if ending in ("ies", "ied"):
                word += "y"
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sle":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


_MEANING: dict[str, str] = {}
for _stem, _alike in _SAME.items():
    for _word in _alike.split():
        _MEANING[_stemmed(_word) if _word.isascii() else _word] = _stem


_LETTERS = re.compile(r"[a-z][a-z'-]*")


def words_of(text: str) -> list[str]:
    """The English words of a text, in lower case."""
    return _LETTERS.findall(text.lower())


_AMOUNT = re.compile(r"[0-9.]+(?:[a-z]{1,3}|st|nd|rd|th)")


@lru_cache(32768)
def _stem_of(word: str) -> tuple[str, bool]:
    """The stem of a word, and whether it is a name, a path or a number."""
    lower = word.lower().rstrip(".,:/'-+#@")
    if not lower or lower in _STOP:
        return "", False
    if any(c.isdigit() or c in "_/@" for c in lower) or "." in lower:
        if not any(c.isalpha() for c in lower) or _AMOUNT.fullmatch(lower):
            return "", False  # numbers are compared as values
        return lower, True
    stem = _stemmed(lower)
    return _MEANING.get(stem, stem), False


@lru_cache(8192)
def stems_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The content words of a clause as stems, and those of them that are names or numbers."""
    stems, names = set(), set()
    for found in _WORD.findall(text):
        if found[0].isascii():
            stem, name = _stem_of(found)
            if stem:
                stems.add(stem)
                if name:
                    names.add(stem)
        elif found in _MEANING:
            stems.add(_MEANING[found])
        elif found not in _STOP_JA:
            stems |= {_MEANING.get(part, part) for part in _pieces(found)} - _STOP_JA
    return frozenset(stems), frozenset(names)


def _pieces(run: str) -> list[str]:
    """A run of kanji in pairs; a word of katakana as it is."""
    if len(run) <= 2 or "ァ" <= run[0] <= "ー":
        return [run]
    return [run[at : at + 2] for at in range(0, len(run) - 1, 2)]


# --- orders --------------------------------------------------------------------------------------

_MODAL = re.compile(
    r"\b(?:must|may|can|should|shall|need(?:s)? to|have to|has to|allowed|permitted|free to"
    r"|okay? to|is fine"
    r"|are fine|required|always|never|please|only|don't|do not|cannot|can't|mustn't|forbidden"
    r"|prohibited"
    r"|no longer|to be|off[- ]limits)\b",
    re.I,
)
_PAST = re.compile(
    r"\b(?:was|were|did|didn't|had|has been|have been|has|have|could not|couldn't|failed|is being"
    r"|i'll|i will|we'll|i've|i have|i|found|because)\b",
    re.I,
)
_LEAD = re.compile(
    r"[\s\W]*(?:please |then |next,? |now |constraints?: ?|todo:? )?([A-Za-z'-]+)", re.I
)
_ORDER_JA = re.compile(
    r"(?:る|す|う|く|む|ぶ|つ|ぐ|ぬ|こと|可|よい|良い|いい|可能|ください|下さい|OK|許可"
    r"|してよい|ない|禁止|厳禁"
    r"|不可|必須|厳守|ません|内|下|上|満|のみ|だけ|限定|ます|ずに|対象外|です|まま|で|に|は|を"
    r"|[一-鿿])[。！!\s]*$"
)
_PAST_JA = re.compile(
    r"(?:た|ました|済み|済|でした|ている|ています|であった|だった|完了)(?:。|！|\s|$|が|ので|ため)"
)


_MODAL_WORDS = _words(
    """
    must may can should shall need needs have has allowed permitted free ok okay fine required
    always never please only don't do cannot can't mustn't forbidden prohibited longer be off
    off-limits
    """
)


def is_order(clause: str) -> bool:
    """Whether a clause orders, allows or rules, and does not tell what was done."""
    if not clause.isascii() and _JA.search(clause):
        text = clause.strip(" ,、。\n・-*")
        return _PAST_JA.search(text) is None and _ORDER_JA.search(text[-12:]) is not None
    lead = _LEAD.match(clause)
    if lead and lead[1].lower() in VERBS:
        return True
    if _MODAL_WORDS.isdisjoint(words_of(clause)):
        return False
    return _MODAL.search(clause) is not None and _PAST.search(clause) is None


_JA = re.compile(r"[ぁ-んァ-ヺ一-鿿]")
