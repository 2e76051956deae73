"""The content words of a statement in their canonical form, English and Japanese alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.summaries import subject_words_ja as ja
from trimtab.summaries import subject_words_en as en
from trimtab.summaries.subjects_values import Value

_SYNONYMS = en.synonyms()
_PHRASES = en.phrases()
_PHRASE = re.compile(
    r"\b(?:"
    + "|".join(sorted((re.escape(p) for p in _PHRASES), key=lambda p: (-len(p), p)))
    + r")\b"
)
_TERMS = ja.terms()
_TERM = re.compile("|".join(sorted(map(re.escape, _TERMS), key=lambda p: (-len(p), p))))
_TOKEN = re.compile(r"[a-z][a-z0-9_+#'-]*|[一-龥々]+(?:[ァ-ヴー]+)?|[ァ-ヴー]{2,}")
_VERB = re.compile(r"(?<![一-龥々])[一-龥々](?=[ぁ-ん])(?![はがをにへとでのもや])")

GENERIC = en.stems(en.GENERIC) | {"maximum", "amount-money"}
QUALIFIERS = frozenset(_SYNONYMS.get(en.stem(word), word) for word in en.QUALIFIERS.split())
RIDER = frozenset(_SYNONYMS.get(en.stem(word), en.stem(word)) for word in en.RIDER.split()) | {
    "maximum"
}


def canonical(word: str) -> str:
    """The word by which all its synonyms go."""
    stemmed = en.stem(word)
    return _SYNONYMS.get(stemmed, stemmed)


OF_KIND = {
    kind: frozenset(canonical(word) for word in words.split()) for kind, words in en.OF_KIND.items()
}
SETTERS = en.stems(en.SETTERS)


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
        text = _VERB.sub(" ", text)
    text = _PHRASE.sub(lambda match: _PHRASES[match[0]], text)
    words = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        if "-" in word and word not in ("every-week", "every-month", "every-day"):
            words.extend(canonical(part) for part in word.split("-") if part)
        else:
            words.append(canonical(word))
    return words


def is_setter(clause: str) -> bool:
    """Whether an English clause has a verb that sets something or says how it is."""
    return any(en.stem(word) in SETTERS for word in re.findall(r"[a-z]+", clause.lower()))
