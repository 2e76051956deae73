"""The content words of a statement in their canonical form, English and Japanese alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trimtab.summaries import subject_words_en as en
from trimtab.summaries import subject_words_ja as ja
from trimtab.summaries.subjects_values import Value

_SYNONYMS = en.synonyms()
_PHRASES = en.phrases()
_PHRASE = re.compile(
    r"\b(?:"
    + "|".join(sorted((re.escape(p) for p in _PHRASES), key=lambda p: (-len(p), p)))
    + r")\b"
)
_TERMS = ja.terms()
# Before another noun such a word says of what kind that is: 「設定ファイル」.
_ALONE = frozenset(
    [
        "設定",
        "使用",
        "利用",
        "表示",
        "実行",
        "指定",
        "対応",
        "作業",
        "作成",
        "更新",
        "実施",
        "開催",
        "共有",
        "合計",
        "全体",
        "変更",
        "予定",
        "移動",
        "今",
        "方",
        "件",
    ]
)
_TERM = re.compile(
    "|".join(
        re.escape(term) + (r"(?![一-龥々ァ-ヴー])" if term in _ALONE else "")
        for term in sorted(_TERMS, key=lambda term: (-len(term), term))
    )
)
_TOKEN = re.compile(r"[a-z][a-z0-9_+#'-]*|[一-龥々]+(?:[ァ-ヴー]+)?|[ァ-ヴー]{2,}")
_VERB = re.compile(r"(?<![一-龥々])[一-龥々](?=[ぁ-ん])(?![はをのへ]|が(?![りっるられろ]))")
_FROM = re.compile(r"(?:\bfrom|\bout of|\boff)\s+(?:the\s+)?$", re.I)
_COUNTER = re.compile(r"◇\s*(?:回|名|人|個|件|文字|行|枚|台|冊|本|部|つ|泊|点|社|箱|ページ)")
# 「帰りの」「受け取りは」: a verb made a noun names a thing.
_NOUN = re.compile(
    r"[一-龥々]+[いきしちりみびぎえけせてめれげ](?:[一-龥々]+[いきしちりみびぎえけせてめれげ])?(?=[はがをの])"
)

GENERIC = en.stems(en.GENERIC) | {"maximum", "amount-money"}
QUALIFIERS = frozenset(_SYNONYMS.get(en.stem(word), word) for word in en.QUALIFIERS.split())
RIDER = frozenset(_SYNONYMS.get(en.stem(word), en.stem(word)) for word in en.RIDER.split()) | {
    "maximum"
}


@lru_cache(maxsize=65536)
def canonical(word: str) -> str:
    """The word by which all its synonyms go."""
    stemmed = en.stem(word)
    return _SYNONYMS.get(stemmed, stemmed)


OF_KIND = {
    kind: frozenset(canonical(word) for word in words.split()) for kind, words in en.OF_KIND.items()
}
_DEEDS = frozenset(en.DEEDS.split())
_FIRST = re.compile(r"^\W*(?:please |then |now |also |ok,? |and )*([a-z]+)")


_REWRITES = (
    (
        ("may", "can", "could"),
        re.compile(
            r"\b(?:may|can|could)(?: now)? (?:reach|(?:climb|grow|rise|go|get|run|stretch) to)\b"
        ),
        "maximum",
    ),
    (
        ("may now", "can now"),
        re.compile(r"\b(?:may|can) now (be|cost|take|use|last|hold|weigh)\b"),
        r"maximum \1",
    ),
    (
        (" over",),
        re.compile(r"\bt(?:ak(?:es?|en|ing)|ook) ((?:the|our|this|my) [\w -]{1,40}?) over\b"),
        r"owner \1",
    ),
    (("◇ 's",), re.compile(r"◇ 's (?:job|task|responsibility|duty|concern)\b"), "◇ owner"),
)
"""Turns of phrase: what is in a text with one, the turn, the word for what it says."""


def words_of(clause: str, values: Sequence[Value]) -> list[str]:
    """The canonical words of a clause in order, its values left out; generic ones are still in."""
    rest = []
    last = 0
    for value in values:
        rest.append(clause[last : value.start])
        last = value.end
    rest.append(clause[last:])
    text = " ◇ ".join(rest).lower().replace("’", "'")
    if not text.isascii():
        text = _TERM.sub(lambda match: f" {_TERMS[match[0]]} ", text)
        text = _COUNTER.sub(" ◇ ", text)
        nouns = _NOUN.findall(text)
        text = _VERB.sub(" ", _NOUN.sub(" ", text))
    else:
        nouns = []
    for signs, pattern, word in _REWRITES:
        if any(sign in text for sign in signs):
            text = pattern.sub(word, text)
    text = _PHRASE.sub(lambda match: _PHRASES[match[0]], text)
    words: list[str] = list(nouns)
    for match in _TOKEN.finditer(text):
        word = match[0]
        if "-" in word and word not in ("every-week", "every-month", "every-day"):
            words.extend(canonical(part) for part in word.split("-") if part)
        else:
            words.append(canonical(word))
    return words


_NO_DEED = re.compile(
    r"(?:look for|check[ -](?:in|out)\b|pull request|test \w+ (?:is|are|must))", re.I
)


def direction(clause: str, value: Value) -> list[str]:
    """`["~from"]` for a place that is a start: it is not replaced by one that is an end."""
    away = _FROM.search(clause[: value.start]) or re.match(r"[)」』\s]*から", clause[value.end :])
    return ["~from"] if away else []


def is_deed(clause: str) -> bool:
    """Whether an English clause orders something to be done once, rather than sets something."""
    first = _FIRST.match(clause.lower())
    if first is None or first[1] not in _DEEDS:
        return False
    return not _NO_DEED.match(clause, first.start(1))
