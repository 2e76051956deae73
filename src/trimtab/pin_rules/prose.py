"""The user's own prose: what of a text is typed words.

Left out: code fences, `> ` quotes, blocks in tags that a harness writes, diffs, shell output,
tracebacks, log and code lines. Every step is one pass over the text, whatever the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from trimtab.pin_rules.sentences import Span

LONG_END = 20_000
"""Characters: of a text more than twice as long only so much at each end is searched. Nobody types
that much; what lies between the ends is pasted."""

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,300})?>")
_OWN = frozenset(
    [
        "instructions",
        "instruction",
        "rules",
        "rule",
        "constraints",
        "constraint",
        "task",
        "tasks",
        "requirements",
        "goal",
        "user_query",
        "user-query",
        "user_request",
        "user_message",
        "user-message",
        "user_input",
        "prompt",
        "important",
        "guidelines",
        "user_task",
        "feedback",
        "query",
    ]
)
_FOREIGN = frozenset(
    [
        "output",
        "stdout",
        "stderr",
        "returncode",
        "file",
        "files",
        "document",
        "documents",
        "example",
        "examples",
        "log",
        "logs",
        "code",
        "pre",
        "result",
        "results",
        "diff",
        "traceback",
        "error",
        "errors",
        "context",
        "environment",
        "source",
        "content",
        "tool",
        "response",
        "observation",
        "summary",
    ]
)
_UNCLOSED = re.compile(r"system-reminder$|.*-stdout$|.*-stderr$")
_FENCE = re.compile(r"[ \t]{0,12}(?:(?:[-*+]|\d{1,2}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)")
_DIFF = re.compile(
    r"^(?:diff --git |@@ .{0,60}@@|index [0-9a-f]{7,}\.\.|--- [^\n]+\n\+\+\+ )", re.M
)
_SHELL = re.compile(
    r"[ \t]*(?:\([\w.-]{1,30}\) ?)?(?:[\w.-]{1,30}@[^\s:]{1,60}:?\S{0,80} ?|~\S{0,80} ?"
    r"|PS [A-Z]:[^>\n]{0,99})?[$%❯➜>] +\S"
)
_TRACE = re.compile(r"Traceback \(most recent|(?:Exception in thread|Unhandled|Uncaught) ")
_TRACE_END = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b")
_LOG = re.compile(
    r"\s*(?:"
    r"\[?(?:19|20)\d\d-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d"  # a time
    r"|[\[(<]?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC|NOTICE)[\])>]?[\s:!|]"
    r"|\[(?:error|err|warn|warning|info|debug|trace|fatal|critical|notice)\]|(?:error"
    r"|warning) \w{2,12}:|(?:fatal|error|err|warning|panic|exception|hint|remote|エラー"
    r"|警告)(?:\[\w+\])?\s{0,2}[:：]|(?:npm|yarn|pnpm|pip|cargo|make|gcc|ld"
    r"|git)(?:\[\d+\])?:? (?:ERR!|WARN|error|warning)|make(?:\[\d+\])?: |(?:PASSED|FAILED|SKIPPED"
    r"|XFAIL)\b[: ]|(?:ok|not ok) \d+ - |[\w.$]{0,80}(?:Error|Exception|Warning)(?:\s\[\w+\])?: "
    r"|at [\w.$<>\[\] ]{1,80}\(|File \"[^\"\n]{1,300}\", line \d|E {2,}\S"
    r"|[^\s:]{1,200}\.\w{1,5}:\d+(?::\d+)?[: ]|\+ +\d+\b|\d+[ \t]*[|│→]|={6,}|-{6,}|[|┌└│├╭╰]"
    r"|[✅❌✓✔✗✘☑⚠🟢🔴🟡ℹ📊✨🚀]|Failed to |Permission denied|Access denied|Segmentation fault"
    r"|CONTAINER |Caused by: |Process finished |Exit code:? |\.{3} \d+ more)"
)
_CODE = re.compile(
    r"\s*(?:(?://|/\*|\*/|<!--|#include|#!|#\[|--\[\[)|(?:const|let|var|final|static|public"
    r"|private|protected|export)\s[^\n]{0,200}?(?:=\s|[;{]\s*$)|(?:def|fn|func|function"
    r"|class) ?\w{0,60}[(<{:]|(?:interface|struct|enum|impl|namespace) \w{1,60}[^\n]{0,60}\{"
    r"|import [\w.]+(?: as \w+)?\s*(?:#[^\n]*)?$|from [\w.]+ import |(?:if|elif|else|for|while"
    r"|with|try|except|switch|case|catch)\b(?=[^\n]{0,300}[<>=(\[_!])[^\n]{0,300}[:{]\s*$|(?:if"
    r"|for|while|switch|catch) ?\(|(?:raise|throw)(?: new)? \w+\(|print\w{0,3}\(|console\."
    r"|assert\b[^\n]{1,200}[=<>]|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP) [^\n]{1,300};"
    r"|[A-Za-z_][\w.\[\]]{0,60} ?[-+*/|&:]?= ?\S|@\w[\w.]*\(|[{}\]);]+,?\s*$|\"[\w$-]{1,60}\" ?:"
    r"|</?[a-zA-Z][^\n<>]{0,300}>\s*$|<(?:p|div|span|a|li|ul|ol|td|th|tr|h\d|button|label|input"
    r"|img|html|head|body|script|style|form|table|section|option|svg|path)\b)"
    r"|(?![-*•・]\s)(?=[^\n]{0,300}[=(){}<>*])[^\n]{0,300}[;{]\s*$"
)
_QUOTE_LINE = re.compile(r"\s{0,3}(?:>|＞)(?!=)")
_HARNESS = re.compile(
    r"\s*(?:Caveat: The messages below were generated|\[Request interrupted by user"
    r"|This session is being continued from a previous conversation)"
)


_COMMAND = re.compile(r"\s*/[\w:.-]{0,60}\s*")


def own_words(text: str) -> Iterator[Span]:
    """The runs of whole lines in `text` that are the user's own prose, in order.

    A run ends at a blank line and wherever something else (code, quote, log) begins.
    """
    if _HARNESS.match(text):
        return
    for first, last in _typed(text):
        for start, end in _outside_tags(text, first, last):
            yield from _prose(text, start, end)


def _typed(text: str) -> Iterator[Span]:
    """All of the text; of one that is too long to be typed, its two ends without the middle."""
    if len(text) <= 2 * LONG_END:
        yield 0, len(text)
        return
    stop = text.rfind("\n", 0, LONG_END) + 1 or LONG_END
    yield 0, stop
    start = text.find("\n", len(text) - LONG_END) + 1 or len(text) - LONG_END
    fences = text.count("\n```", 0, start) + text.startswith("```")
    if fences % 2:  # the end begins inside a fence
        fence = text.find("\n```", start)
        start = len(text) if fence < 0 else fence + 4
    opened = set()
    for tag in _TAG.finditer(text, start):
        if not tag.group(1):
            opened.add(tag.group(2))
        elif tag.group(2) not in opened and _foreign(tag.group(2)):
            start = tag.end()  # the end begins inside a tag
    yield start, len(text)


def only_harness(text: str) -> bool:
    """Whether `text` is all a harness's: what it writes in the user's name, or a bare command."""
    if _HARNESS.match(text) or _COMMAND.fullmatch(text):
        return True
    return not any(text[a:b].strip() for a, b in _outside_tags(text, 0, len(text)))


def _foreign(name: str) -> bool:
    lower = name.lower()
    return lower not in _OWN and ("-" in name or "_" in name or lower in _FOREIGN)


def _outside_tags(text: str, start: int, end: int) -> Iterator[Span]:
    closing: dict[str, list[int]] = {}
    tags = list(_TAG.finditer(text, start, end))
    for tag in tags:
        if tag.group(1):
            closing.setdefault(tag.group(2), []).append(tag.start())
    for tag in tags:
        name = tag.group(2)
        if tag.start() < start or tag.group(1) or not _foreign(name):
            continue
        ends = closing.get(name, ())
        after = bisect_left(ends, tag.end())
        if after < len(ends):
            stop = ends[after] + len(name) + 3
        elif _UNCLOSED.match(name.lower()):
            stop = end
        else:
            continue
        yield start, tag.start()
        start = stop
    yield start, end


def _prose(text: str, start: int, end: int) -> Iterator[Span]:
    """Outside tags: lines that are neither fenced, quoted, logged nor code, by paragraph."""
    lines: list[Span] = []
    fence = ""
    opened = 0
    for line_start, line_end in _lines(text, start, end):
        found = _FENCE.match(text, line_start, line_end)
        if fence:
            if found and found.group(1).startswith(fence) and not found.group(2).strip():
                fence = ""
            continue
        if found and found.group(1)[0] not in found.group(2):
            yield from _paragraph(text, lines)
            lines = []
            fence, opened = found.group(1), line_end
            if not _closes(text, fence, opened, end):
                fence = ""  # never closed: only code and log lines below it are left out
            continue
        if text[line_start:line_end].isspace() or line_start == line_end:
            yield from _paragraph(text, lines)
            lines = []
        else:
            lines.append((line_start, line_end))
    yield from _paragraph(text, lines)


def _closes(text: str, fence: str, start: int, end: int) -> bool:
    return text.find("\n" + fence, start, end) >= 0 or (
        re.compile(r"\n[ \t]+" + re.escape(fence)).search(text, start, end) is not None
    )


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        stop = text.find("\n", start, end)
        if stop < 0:
            stop = end
        yield start, stop
        start = stop + 1


def _paragraph(text: str, lines: list[Span]) -> Iterator[Span]:
    if not lines or _DIFF.search(text, lines[0][0], lines[-1][1]):
        return
    has_code = False
    output = trace = False
    keep: list[bool] = []
    for start, end in lines:
        if output or _QUOTE_LINE.match(text, start, end):
            keep.append(False)
        elif _SHELL.match(text, start, end):
            output = True
            keep.append(False)
        elif trace or _TRACE.match(text, start, end):
            trace = not (trace and _TRACE_END.match(text, start, end))
            keep.append(False)
        elif _LOG.match(text, start, end):
            keep.append(False)
        elif _CODE.match(text, start, end):
            has_code = True
            keep.append(False)
        else:
            keep.append(True)
    run = -1
    for (start, end), wanted in zip(lines, keep, strict=True):
        if wanted and has_code and text[start:end].lstrip().startswith("#"):
            wanted = False
        if wanted:
            run = start if run < 0 else run
        elif run >= 0:
            yield run, start - 1
            run = -1
    if run >= 0:
        yield run, lines[-1][1]
