"""What of a tool's result may be quoted: what came of a check, what was changed, what it is called.

Most of a result is what somebody wanted to look at: files, listings, matches. Of that nothing is
quoted; whoever needs it again reads it again, as it is then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trimtab.history.message import ToolCall

LONGEST = 300
"""Characters: a line of a result that is longer is no statement."""
READ = 40_000
"""Characters: of a longer result only so much is read, half of it at each end."""
OF_A_RESULT = 3
"""So many lines of a result may be quoted besides outcomes and changes."""

Told = tuple[int, int, str]
"""A span of the text, and its topic: `tests`, `lint`, ... for the outcome of a check,
`detail` for what such an outcome is about, `changed PATH`, `acts`, `names`."""

# -- calls ----------------------------------------------------------------------------------------

_LOOKS = re.compile(
    r"(?:read|view|open|cat|show|get|list|ls|tree|glob|grep|find|search|rg|ripgrep|codebase"
    r"|notebook)_?(?:(?:all|many|multiple)_?)?(?:files?|file_?contents?|dir(?:ectory|ectories)?"
    r"|folders?|code(?:base)?|matches|notebook|search|read|grep|range|tree|definitions?"
    r"|symbols?)?\Z|todo_?(?:write|read)\Z|update_?plan\Z|(?:create|edit)_?todos?\Z",
    re.IGNORECASE,
)
"""Tools that show files and places in them, or keep a list of what to do."""
_COMMAND_KEYS = ("command", "cmd", "commands", "script")
_COMMAND = re.compile(r'"(?:command|cmd)"\s*:\s*"((?:[^"\\]|\\.){1,2000})')
_SIMPLE = re.compile(r"&&|\|\|?|;|\n")
_WORDY = re.compile(
    r"\s*(?:\w+=\S*\s+)*(?:sudo\s+|time\s+|timeout\s+\S+\s+)?(?:\S*/)?([\w.-]+)(?:\s+([\w.-]+))?"
)
_READERS = re.compile(
    r"(?:cat|head|tail|less|more|sed|awk|nl|[ef]?grep|rg|ag|find|fd|ls|tree|wc|stat|file|du|diff"
    r"|strings|jq|cut|sort|uniq|open|goto|set_cursors|scroll_\w+|search_\w+|find_file)\Z"
)
_GIT_READERS = re.compile(r"(?:diff|show|log|status|blame|grep|ls-files|branch)\Z")
_NEUTRAL = re.compile(r"(?:cd|echo|export|set|true|pwd|source|printf|xargs)\Z")


def command_of(call: ToolCall) -> str:
    """The command line that a call runs; empty where it runs none."""
    given: Any = call.input
    if isinstance(given, str):
        found = _COMMAND.search(given[:4_000])
        if found is None:
            return ""
        try:
            return str(json.loads(f'"{found.group(1)}"'))
        except ValueError:
            return found.group(1)
    if isinstance(given, dict):
        for key in _COMMAND_KEYS:
            value = given.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                return ("\n" if key == "commands" else " ").join(value)
    return ""


def only_looks(name: str, command: str) -> bool:
    """A call of tool `name`, or of a shell with `command`, that shows what is there already."""
    if not command:
        return _LOOKS.match(name) is not None
    looks = False
    for part in _SIMPLE.split(command[:2_000]):
        words = _WORDY.match(part)
        if words is None or _NEUTRAL.match(words[1]):
            continue
        git = words[1] == "git" and _GIT_READERS.match(words[2] or "")
        if not git and not _READERS.match(words[1]):
            return False
        looks = True
    return looks


# -- outcomes -------------------------------------------------------------------------------------

_TESTS = re.compile(
    r"\b\d+ (?:tests? |specs? |examples? |assertions? )?(?:passed|passing|passes|pass|failed"
    r"|failing|fails?|failures?)\b|\ball (?:of )?(?:the )?(?:\w+ )?(?:tests|\d+)\b.{0,40}?\bpass"
    r"|\btests? (?:are |is |now |still |all ){0,3}(?:pass|passes|passing|passed|fail|failed"
    r"|failing)\b|\btest result: |^(?:OK|FAILED) \([^)]*\)$|^ok\s+\S+\s+[\d.]+s|\d+ errors? in "
    r"[\d.]+ ?s|[0-9０-９]+件(?:すべて|とも|中|のうち)?.{0,20}(?:通り|通過|成功|失敗)",
    re.IGNORECASE,
)
_LINT = re.compile(
    r"\bAll checks passed\b|^Found \d+ errors?\.|\b(?:lint|ruff|eslint|linter)\w*\b.{0,30}\b(?:pass"
    r"|clean|fail|no issues|error)|\d+ problems? \(",
    re.IGNORECASE,
)
_TYPES = re.compile(
    r"\bSuccess: no issues found|\bFound \d+ errors? in \d+ files?|\d+ errors?, \d+ warnings?"
)
_BUILD = re.compile(
    r"\bbuil[dt]\b.{0,40}\b(?:succe|fail|passes|passed|complete|works|ok)|\bcompil\w+\b.{0,30}"
    r"\b(?:succe|fail|clean|without|error)|^BUILD (?:SUCCESSFUL|FAILED)|could not compile",
    re.IGNORECASE,
)
_CHECKS = (("types", _TYPES), ("lint", _LINT), ("tests", _TESTS), ("build", _BUILD))
CHECKS = frozenset(name for name, _ in _CHECKS)
_FAILS = re.compile(
    r"[1-9]\d* (?:tests? |specs? )?(?:fail|error|problem)|\bfail(?!ed: 0\b|ures: 0\b)"
    r"|\bFound \d+ error|could not|失敗",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(\d+) (?:passed|passing|failed|failing|tests?|errors?|pass|fail)|(\d+)件")


def check_of(text: str) -> str:
    """Which kind of check `text` tells the outcome of; empty for none."""
    return next((name for name, form in _CHECKS if form.search(text)), "")


_REST = 35
"""Characters: what an outcome may have beside it and still say nothing else."""


def check_alone(text: str) -> str:
    """As `check_of`, where `text` tells little else."""
    for name, form in _CHECKS:
        found = form.search(text)
        if found:
            return name if len(text) - len(found.group()) <= _REST else ""
    return ""


def fails(text: str) -> bool:
    """An outcome that something failed."""
    return _FAILS.search(text) is not None


_TROUBLE = re.compile(r"error|exception|fail|fatal|panic|not found|no such|cannot", re.I)


def trouble(text: str) -> bool:
    """A line of a result that tells of an error."""
    return _TROUBLE.search(text) is not None


def count_of(text: str) -> int:
    """How many cases an outcome is about, as far as it says so."""
    return sum(int(a or b) for a, b in _COUNT.findall(text)[:6])


# -- lines ----------------------------------------------------------------------------------------

_CHANGED = re.compile(
    r"(?:(?:The )?(?:new )?file )?(?P<a>[\w.@~+/\\-]*[\w@]\.\w{1,8}|[\w.@~+-]*/[\w.@~+/-]+) "
    r"(?:has been |was |is )?(?:created|updated|written|edited|modified|deleted|overwritten|saved)"
    r"(?: successfully)?|(?:[Ff]ile |[Ss]uccess(?:fully|\.)?:? )?\b(?:[Cc]reated|[Uu]pdated"
    r"|[Ee]dited|[Mm]odified|[Ww]rote|[Ww]ritten|[Dd]eleted|[Rr]eplaced|[Ss]aved)\b"
    r"(?: successfully)?[^\n\"'`:]{0,30}?(?: (?:to|in|at|into|file)|:)*[: ]+"
    r"(?P<b>[\w.@~+/\\-]*[\w@]\.\w{1,8}|[\w.@~+-]*/[\w.@~+/-]*\w)"
    r"|^(?P<d>[MAD] +[\w.@~+/-]+\.\w{1,8})$"
)
_ACTS = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|ures|ing)?|passed|fatal|panic|denied|refused|timed out"
    r"|timeout|not found|no such|cannot|unable|invalid|created|deleted|updated|deployed|committed"
    r"|merged|pushed|uploaded|succeeded|success(?:ful|fully)?|completed|confirmed|confirmation"
    r"|booked|cancel+ed|refunded|warning)\b|\b\w*(?:Error|Exception)\b|エラー|失敗|成功|完了|作成"
    r"|更新|削除|警告|予約|確定|合計"
)
_NAMES = re.compile(
    r"\b(?:id|commit|branch|version|url|port|host|ticket|order|invoice|number|status|owner|path"
    r"|revision|sha\d*|key|region|total)\b[\"']?\s?[:=#]?\s?[^\s\d]{0,20}\d",
    re.IGNORECASE,
)
_COMMITTED = re.compile(r"\[[\w./-]+(?: \([\w -]+\))? [0-9a-f]{7,}\] \S")
_DETAIL = re.compile(
    r"(?:FAILED|ERROR|FAIL:?|E {2,}|--- FAIL:|✗|✘|×|not ok) ?\S|error(?:\[\w+\])?: "
)
_SOURCE = re.compile(
    r"\s*\d+\s?[→|│:\t]|.*(?:[{};,(\[\\|]|=>|->|\bdo)\s*$|.*(?:=>|->|:=|==|<-|\|>|&&|</)"
    r"|\s*(?:[^\w\[(（「【]|_{2}|\d[\d.,]*\s{2}|[\[(](?!\w+[\w./-]* )|[\w.\[\]]+(?:, [\w.]+)* = "
    r"|[\w.]+\([^()]*\)$|(?:def|class|import|from|return|if|elif|else|for|while|const|let|var"
    r"|function|func|fn|public|private|except|raise|throw|try|catch|end|case|use|alias|assert"
    r"|with|async|await|export|type|interface|struct|self|this|throws?|in|at|on|hint:)\b)"
    r"|\S+\.\w{1,6}:\d+|[\w./-]+\.\w{1,6}:\s*\d*:?\s|File \"|\S+::\S+ (?:PASSED|OK)"
    r"|(?:total|Exit code|exit status|Traceback|File:|usage:|Usage:) ?:?\s*[\w(]*$"
    r"|\w+ [0-9a-f]{40}$|make(?:\[\d+\])?: |npm (?:ERR!|error|warn)|Todos have been"
    r"|The user doesn't want to (?:proceed|take)|DO NOT |\((?:Open file|Current directory)"
    r"|\w+_CURSOR moved|.*(?:\x1b\[|\.{5}|\[ *\d+%\])"
)
"""A line of a program, of a listing, a trace or of advice: the bulk of most results."""
_LINE = re.compile(r"[^\n]+")


def told(text: str, *, is_error: bool = False, looks: bool = False) -> Iterator[Told]:
    """What of a result may be quoted, in order.

    Args:
        is_error: the tool failed: its lines are the news.
        looks: the call only shows what is there.
    """
    if looks and not is_error:
        return
    ends = [(0, len(text))]
    if len(text) > READ:
        ends = [(0, READ // 2), (len(text) - READ // 2, len(text))]
    found: list[Told] = []
    for begin, stop in ends:
        for line in _LINE.finditer(text, begin, stop):
            row = line.group()
            words = row.strip()
            if not 4 <= len(words) <= LONGEST * 2 or not any(c.isalpha() for c in words):
                continue
            first = line.start() + len(row) - len(row.lstrip())
            found += _of_line(words, first, is_error)
    yield from sorted(_few(found))


def _of_line(words: str, first: int, is_error: bool) -> Iterator[Told]:
    last = first + len(words)
    changed = _CHANGED.search(words) if not is_error else None
    if changed is not None and changed.start() < 60:
        path = changed["a"] or changed["b"] or changed["d"].split()[-1]
        yield first + changed.start(), first + changed.end(), f"changed {path}"
        return
    if len(words) > LONGEST:
        return
    check = check_of(words) if len(words) <= 200 else ""
    if check and not _DETAIL.match(words) and not _SOURCE.match(words.strip("= ")):
        inner = words.strip("= ")
        start = first + words.index(inner)
        yield start, start + len(inner), check
    elif _DETAIL.match(words):
        yield first, last, "detail"
    elif _COMMITTED.match(words):
        yield first, last, "acts"
    elif not _SOURCE.match(words) and (" " in words or not words.isascii()):
        if _ACTS.search(words) or is_error:
            yield first, last, "acts"
        elif _NAMES.search(words):
            yield first, last, "names"


def _few(found: list[Told]) -> Iterator[Told]:
    """The last outcome of each check, the first details, the newest of what changed, and of the
    rest the last."""
    newest: dict[str, Told] = {}
    rest: dict[str, list[Told]] = {"acts": [], "names": [], "detail": []}
    for one in found:
        if one[2] in rest:
            rest[one[2]].append(one)
        else:
            newest[one[2]] = one
    yield from newest.values()
    yield from rest["detail"][:1] + rest["detail"][1:][-(OF_A_RESULT - 1) :]
    acts = rest["acts"][-OF_A_RESULT:]
    yield from acts
    if room := OF_A_RESULT - len(acts):
        yield from rest["names"][-room:]
