"""The headings of a summary as models write them, and the lines below them."""

from __future__ import annotations

import re

_GOAL = (
    r"(?:(?:main |primary |overall |user'?s? |the |current )*(?:goals?|objectives?|task|intent"
    r"|request|mission)(?: and (?:constraints?|intent|requirements?|scope))?"
    r"|(?:hard |key )?(?:constraints?|requirements?)(?: and preferences)?|user preferences"
    r"|primary request and intent|目標|目的|ゴール|制約(?:条件|事項)?|要件|依頼(?:内容)?|タスク)"
)
_PROGRESS = (
    r"(?:(?:current |the )*(?:progress|status|state)(?: so far)?|done|completed(?: (?:work|steps"
    r"|tasks|so far))?|work (?:done|completed)(?: so far)?|what (?:was|has been|we have) done"
    r"|accomplish(?:ed|ments)|results?|経過|進捗(?:状況)?|進行状況|完了(?:した(?:作業|こと))?"
    r"|実施(?:内容|済み)|これまでの(?:作業|経過))"
)
_FACTS = (
    r"(?:(?:key |important |critical |known |relevant |the )*(?:facts?|details|findings"
    r"|information|data|context|values|technical details|technical context|files"
    r"|files and code(?: sections)?)|事実|重要な事実|情報|重要事項|詳細|ファイル|判明したこと)"
)
_DECISIONS = (
    r"(?:(?:key |important |main |the )*(?:decisions?|choices|decided)(?: (?:made|taken))?"
    r"(?:,? (?:and|with) (?:their )?(?:reasons?|rationale|reasoning))?|rationale|決定(?:事項"
    r"|内容|とその理由|と理由)?|判断|方針)"
)
_NEXT = (
    r"(?:(?:the |immediate |proposed |suggested )*next(?: steps?| actions?| up| tasks?)?"
    r"|to ?-?dos?|pending(?: (?:tasks?|work|items))?|remaining(?: (?:work|tasks?|steps?|items))?"
    r"|open (?:questions?|items|issues|points)|outstanding(?: (?:work|items))?|plan"
    r"|次(?:の(?:手順|ステップ|作業|行動))?|今後(?:の(?:予定|作業|手順|対応))?|残り(?:の作業)?"
    r"|残作業|未完了|未解決(?:事項)?|やること)"
)
_SECTIONS = {
    "goal": re.compile(_GOAL),
    "progress": re.compile(_PROGRESS),
    "facts": re.compile(_FACTS),
    "decisions": re.compile(_DECISIONS),
    "next_steps": re.compile(_NEXT),
}
_LEVEL = re.compile(r"\s*(#{1,6})\s*")
_NUMBER = re.compile(
    r"\s*(?:\(?\d{1,2}[.)、．）:]\s*|[①-⑳]\s*|(?:section|セクション)\s*\d+\s*[:.：-]\s*)", re.I
)
_BOLD = re.compile(r"\s*(?:\*\*|__)([^*_]{1,60}?)(?:\*\*|__)\s*[:：]?|\s*【([^【】]{1,40})】")
_COLON = re.compile(r"\s*([^:：]{1,60}?)\s*[:：](?!//|\\)")
_ASIDE = re.compile(r"\s*[(（][^()（）]{0,60}[)）]\s*$")
_BULLET = re.compile(
    r"\s*(?:[-*+–—][ \t]+|[•・●○■□◆▪‣][ \t　]*|\(?\d{1,3}[.)][ \t]+|\d{1,3}[、．）]\s*"
    r"|[①-⑳]\s*)(?:\[[ xX]\][ \t]*)?"
)
_NOTHING = re.compile(
    r"[\s(\[（*_-]*(?:none|nothing|n/?a|empty|not applicable|no (?:decisions|facts|next steps"
    r"|progress|items|pending tasks)(?: (?:yet|so far|made))?|なし|無し|特になし|該当なし|該当無し)"
    r"(?:\s*[-–—:(（].{0,60})?[\s.)\]）。*_]*",
    re.I,
)
_IDS = re.compile(r"blk_[0-9a-hjkmnp-tv-z]{12}")
_HIDDEN = re.compile(r"<(analysis|thinking|think|scratchpad)>.*?(?:</\1>|\Z)", re.S | re.I)
_INSIDE = re.compile(r"<(summary|state_snapshot)>(.*?)(?:</\1>|\Z)", re.S | re.I)
_ROLE = re.compile(r"\s*(?:\[(?:assistant|model|ai)\]|assistant\s*[:：])\s*", re.I)


def loosely(text: str) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The lines of each section that has a heading in `text`, and the ids of blocks named."""
    text = _HIDDEN.sub("\n", text)
    inside = _INSIDE.search(text)
    if inside:
        text = inside.group(2)
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    ids: tuple[str, ...] = ()
    for row in _ROLE.sub("", text, count=1).splitlines():
        if not row.strip() or row.lstrip().startswith("```") or _rule(row):
            continue
        if _recalls(row):
            ids += tuple(_IDS.findall(row))
            continue
        headed = section_of(row)
        if headed is not None:
            current = sections.setdefault(headed[0], [])
            row = headed[1]
        elif _LEVEL.match(row) or (
            _BOLD.fullmatch(row) and row.rstrip().endswith((":", "*", "】"))
        ):
            continue  # a heading below ours, or of another kind: its lines stay with the section
        if current is not None:
            _take(current, row, continues=headed is None)
    return sections, ids


def rows(text: str, start: int = 0) -> list[tuple[str | None, int, int]]:
    """The lines of a summary that another layer wrote: section and span in `text`.

    The section is `None` where a line stands below no heading that is one of ours.
    """
    found: list[tuple[str | None, int, int]] = []
    current: str | None = None
    at = start
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        row = text[at:stop]
        first, at = at, stop + 1
        if not row.strip() or row.lstrip().startswith(("```", "<")) or _rule(row) or _recalls(row):
            continue
        headed = section_of(row)
        if headed is not None:
            current = headed[0]
            first = stop - len(headed[1]) if row.endswith(headed[1]) else stop
        elif _LEVEL.match(row) or _BOLD.fullmatch(row):
            continue
        bullet = _BULLET.match(text, first, stop)
        first = bullet.end() if bullet else first
        words = text[first:stop]
        if words.strip() and not _NOTHING.fullmatch(words):
            first += len(words) - len(words.lstrip())
            found.append((current, first, first + len(words.strip())))
    return found


def section_of(row: str) -> tuple[str, str] | None:
    """The section that a row is the heading of, and what stands behind the heading."""
    level = _LEVEL.match(row)
    rest = row[level.end() :] if level else row
    bullet = _BULLET.match(rest) if not level else None
    number = _NUMBER.match(rest)
    if number:
        rest = rest[number.end() :]
    elif bullet:
        rest = rest[bullet.end() :]
    bold = _BOLD.match(rest)
    if bold:
        name = bold.group(1) or bold.group(2)
        return _named(name, rest[bold.end() :].strip().lstrip(":：").strip())
    if bullet and not number:
        return None
    colon = _COLON.match(rest)
    if colon:
        return _named(colon.group(1), rest[colon.end() :].strip())
    return _named(rest, "") if level or len(rest) <= 40 else None


def _named(name: str, behind: str) -> tuple[str, str] | None:
    plain = _ASIDE.sub("", name.strip().strip("*_").rstrip(":： ")).strip().lower()
    plain = plain.replace("’", "'").replace("_", " ").replace(" & ", " and ")
    for section, pattern in _SECTIONS.items():
        if pattern.fullmatch(plain):
            return section, behind
    return None


def _rule(row: str) -> bool:
    return len(row.strip()) >= 3 and not row.strip().strip("-=*_")


def _recalls(row: str) -> bool:
    return row.lower().lstrip("-* ").startswith("recall") and _IDS.search(row) is not None


def _take(lines: list[str], row: str, *, continues: bool) -> None:
    bullet = _BULLET.match(row)
    words = (row[bullet.end() :] if bullet else row).replace("**", "").strip()
    if not words or _NOTHING.fullmatch(words):
        return
    if continues and lines and not bullet and row[:2].isspace():
        lines[-1] = f"{lines[-1]} {words}"  # a list item goes on in the next row
    else:
        lines.append(words)
