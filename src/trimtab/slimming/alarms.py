"""Words that a failure is told in, in English and Japanese."""

from __future__ import annotations

import re

_ALARM = re.compile(
    r"\b(?:errors?|fatal|fail(?:ed|ure|ures|s)?|exceptions?|panic(?:ked)?|traceback|denied|refused"
    r"|cannot|can't|could not|unable|undefined|unresolved|not found|no such|invalid|illegal"
    r"|timed? ?out|timeout|abort(?:ed)?|killed|segfault|segmentation|core dumped|unreadable"
    r"|mismatch|conflict|missing|corrupt(?:ed)?|unexpected|forbidden|unauthori[sz]ed|critical"
    r"|exit (?:code|status)|exited with)\b"
    r"|\w(?:Error|Exception)\b|エラー|失敗|例外|警告|異常|できません|できない|見つかりません|拒否|不正|読めない",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bwarn(?:ing|ings)?\b|\bdeprecat", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|issues?)\b", re.IGNORECASE
)
EXIT = re.compile(
    r"\bexit(?:ed)?\b[^\n]{0,40}?-?\b\d+\b|\bError \d+$|\breturn ?code\b",
    re.IGNORECASE,
)
"""A process told how it ended."""
_LONGEST = 2_000


def alarming(line: str) -> bool:
    """The line tells of a failure."""
    line = line[:_LONGEST]
    found = _ALARM.search(line)
    return found is not None and not (_NONE.search(line) and len(_ALARM.findall(line)) == 1)


def warning(line: str) -> bool:
    """The line warns."""
    line = line[:_LONGEST]
    return _WARNING.search(line) is not None and not _NONE.search(line)
