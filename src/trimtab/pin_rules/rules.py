"""The rules over one text: sentence by sentence, with lists below a heading or a lead-in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.pin_rules.prose import own_words
from trimtab.pin_rules.sentences import BULLET, plain, sentences

_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿ｦ-ﾟ]")
_HEADING_EN = re.compile(
    r"(?:#{1,6} *)?(?:(?:hard|key|some|important|ground|general|additional|other|further|my|the"
    r"|our|house|strict|basic|a few|following|project|coding) )*(?:constraints?|rules?"
    r"|requirements?|restrictions?|limits?|guidelines|conditions|musts?|must[- ]haves?|don'?ts"
    r"|do ?n[o']t|please (?:do not|don't)|boundaries|guardrails|non-?goals|out of scope|in scope"
    r"|scope|acceptance criteria|never|always|important|polic(?:y|ies))(?: (?:to follow"
    r"|for this task|that apply|here))?"
)
_HEADING_JA = re.compile(
    r"(?:#{1,6} *)?[【\[■●◆]?(?:以下の|共通|基本|重要な?|絶対|主な|厳守)?(?:の)?(?:制約(?:条件"
    r"|事項)?|前提条件|条件|ルール|規則|決まり(?:ごと)?|約束(?:ごと)?|要件|必須(?:要件|事項"
    r"|条件)?|禁止(?:事項)?|注意(?:点|事項)?|遵守事項|守(?:って(?:ほしい|欲しい"
    r"|ください)?)?(?:る)?こと|守ってください|やってはいけないこと|しないこと|対象外|範囲"
    r"|制限(?:事項)?|ガイドライン|お約束|ng)[】\]]?"
)
_TURNS = re.compile(r"don'?t|do not|never|out of|non-?goal|禁止|しない|いけない|対象外|ng")
"""A heading that turns the meaning of what stands below it is required with it."""

_COLON = re.compile(r"[:：]\s*$")
_LONGEST_ITEM = 500
_LONGEST_LEAD = 90
_SHORTEST = 3
_LONGEST_HEADING = 50


def requirements(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The required sentences of one typed text: `(start, end, rules that found it)`."""
    inherited: tuple[str, ...] = ()
    for run_start, run_end in own_words(text):
        run = text[run_start:run_end]
        line_start = 0
        for start, end in sentences(run):
            line_start = run.rfind("\n", line_start, start) + 1 or line_start
            item = BULLET.match(run, line_start, end) is not None
            if not item and not _same_item(run, line_start, start):
                inherited = ()
            if end - start < _SHORTEST and not (item and inherited):
                continue
            reading = plain(run[start:end])
            japanese = not reading.isascii() and _JAPANESE.search(reading) is not None
            rules = _rules(reading, japanese)
            if item and inherited and end - start <= _LONGEST_ITEM:
                yield (
                    run_start + start,
                    run_start + end,
                    (*rules, *(r for r in inherited if r not in rules)),
                )
                continue
            leads = _COLON.search(run[start:end]) is not None
            may_head = not item and len(reading) <= _LONGEST_HEADING
            if may_head and (leads or _alone(run, line_start, start, end)):
                heading = _HEADING_JA if japanese else _HEADING_EN
                if heading.fullmatch(reading.rstrip(" :*")):
                    inherited = ("ja:list" if japanese else "en:list",)
                    if _TURNS.search(reading):
                        yield run_start + start, run_start + end, (*rules, *inherited)
                    continue
            if rules:
                yield run_start + start, run_start + end, rules
            if not item and leads and rules and len(reading) <= _LONGEST_LEAD:
                inherited = tuple(rule for rule in rules if not rule.endswith("limit"))


def _rules(reading: str, japanese: bool) -> tuple[str, ...]:
    """The rules of one language are loaded when its first sentence comes."""
    if japanese:
        from trimtab.pin_rules.rules_ja import rules as japanese_rules

        return japanese_rules(reading)
    from trimtab.pin_rules.rules_en import rules as english_rules

    return english_rules(reading)


def _same_item(run: str, line_start: int, start: int) -> bool:
    """Whether the sentence at `start` continues a list item that began on its line."""
    return BULLET.match(run, line_start, start) is not None


def _alone(run: str, line_start: int, start: int, end: int) -> bool:
    """Whether the sentence has its line to itself."""
    before = run[line_start:start].strip(" #*")
    after = run[end : end + 80].split("\n", 1)[0].strip(" *:：")
    return not before and not after
