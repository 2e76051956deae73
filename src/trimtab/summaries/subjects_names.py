"""Names of people, places and firms in a statement, by their capitals or their titles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.summaries.subject_words_en import DEEDS, GENERIC, stem, stems, synonyms

_RUN = re.compile(
    r"(?:[A-Z][A-Za-z0-9&'-]*|@[A-Za-z][\w-]*)(?:[ ](?:(?:de|van|von|der|la"
    r"|&)[ ])?[A-Z][A-Za-z0-9&'-]*)*"
)
_JAPANESE = re.compile(
    r"(?P<name>[一-龥々]{1,4}|[ァ-ヴー]{2,8})(?:さん|氏|様|君|ちゃん|部長|課長|係長|先生)"
    r"|(?:担当者?|当番|承認者|責任者|レビュアー|リーダー|窓口|顧客|取引先)(?:は"
    r"|が)、?(?P<bare>[一-龥々]{1,4}|[ァ-ヴー]{2,8})"
    r"(?=です|でし|になり|に変|に交|に替|に代|の誤り|が|だ|。|$)"
)
_GROUP = re.compile(r"\b(?:the\s+)?([a-z]+)\s+(?:team|department|group|desk|committee)\b")
_GROUPS = ("team", "department", "group", "desk", "committee")
_ROLE = re.compile(
    r"approv|\bown|on[ -]call|pager|handl|responsib|review|in charge|sign|support|\bduty"
    r"|\blead|contact|takes over"
    r"|took over|\bmay\b",
)
_ARTICLE = re.compile(r"\b(?:the|our|my|your|its)$", re.I)
_BY = re.compile(r"\bby [A-Z]|\bto [A-Z]")
_START_VERB = re.compile(
    r"\s+(?:is|was|now|will|has|owns?|approves?|reviews?|handles?|carries|takes|took|leads?"
    r"|may|can|must"
    r"|should|signs|holds|looks after|manages?|maintains?|oversees?|heads|coordinates)\b"
)
_KNOWN = (
    stems(GENERIC)
    | stems(DEEDS)
    | frozenset(synonyms())
    | stems(
        "i ok api url db ci cd ui id sql http https ssl tls cpu gpu ram ttl dns qa pr vat sla kpi "
        "project budget launch release support access report status date time team quarter week "
        "monday tuesday wednesday thursday friday saturday sunday january february march april may "
        "june july august september october november december product sales marketing hardware "
        "interest discount round commit branch line batch base cache page section step phase the "
        "everything nobody somebody log level port timeout retry retries max min flights hotels "
        "hotel flight invoices invoice prices price comments dates correction actually never "
        "deployments deploys reply replies answers answer only under internally internal currently "
        "vendor payments contract field trip screenshots total travel conference documentation "
        "development production staging server service client customer requests request sort filter"
    )
)


def names(text: str) -> Iterator[tuple[str, int, int]]:
    """The names in `text`: normal form, start, end. At a start a capital alone proves nothing."""
    for match in _RUN.finditer(text):
        start, words = match.start(), match[0].split(" ")
        before = text[:start].rstrip(" \"'(")
        first = not before or before[-1] in ".!?:;。\n-*•"
        offset = start
        while words and stem(words[0].lower()) in _KNOWN:
            offset += len(words[0]) + 1
            words, first = words[1:], False
        while words and stem(words[-1].lower()) in _KNOWN:
            words.pop()
        if not words:
            continue
        end = offset + len(" ".join(words).removesuffix("'s"))
        if (
            len(words) == 1
            and words[0].isupper()
            and len(words[0]) <= 5
            and _ARTICLE.search(text[:offset].rstrip())
        ):
            continue  # "the CEO", "our SLA": what is spoken of, not what it is called
        if first and not _START_VERB.match(text[end:]):
            # "Rent SUVs", "Use American English": the first word has its capital from the start.
            offset += len(words[0]) + 1
            words = words[1:]
            if not words or stem(words[0].lower()) in _KNOWN:
                continue
        elif first and len(words) == 1 and (not _ROLE.search(text.lower()) or _BY.search(text)):
            continue
        yield text[offset:end].lower(), offset, end
    for match in () if text.isascii() else _JAPANESE.finditer(text):
        group = "name" if match["name"] else "bare"
        yield match[group], match.start(group), match.end() if group == "name" else match.end(group)
    if any(word in text for word in _GROUPS) and _ROLE.search(text.lower()):
        for match in _GROUP.finditer(text):
            if stem(match[1]) not in _KNOWN or match[1] in ("support", "sales", "marketing"):
                yield match[0].removeprefix("the ").strip(), match.start(), match.end()
