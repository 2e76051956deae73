"""Source code and documents: an outline with the line numbers that they came with."""

from __future__ import annotations

import re

from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Sheet
from trimtab.slimming.slimmed import Slimmed

_DEFINES = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub"
    r"(?:\(\w+\))?|unsafe|const|override|virtual|inline|extern|open|data|sealed|partial) +)*"
    r"(?:def|defp|defmodule|defmacro|class|func|fn|function\*?|interface|struct|enum|trait|impl"
    r"|type|module|namespace|record|object|sub|macro_rules!|CREATE +(?:TABLE|VIEW|FUNCTION|INDEX))"
    r"\b[ (*<]"
)
_CONST = re.compile(r"(?:export +)?(?:const|let|var|final)? ?[A-Z][A-Z0-9_]{2,40}\b ?[=:]")
_ARROW = re.compile(
    r"(?:export +)?(?:const|let|var) +\w+ *(?::.{0,80})?= *(?:async *)?(?:\(|function)"
)
_TYPED = re.compile(r"[\w:<>,*&\[\] ]{2,80} [*&]?[\w:~]{1,60}\([^;]{0,200}\) *(?:const)? *\{?$")
_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|require|include|#include|alias|extern crate|package|@import)\b"
    r"|(?:const|let|var) .{1,80}= *require\("
)
_DECORATED = re.compile(r"\s*(?:@\w|#\[)")
_COMMENT = re.compile(r"\s*(?://|#|\*|/\*|--|\"\"\"|;;|%%)")
_TODO = re.compile(r"\b(?:TODO|FIXME|XXX|HACK|BUG|WARNING)\b")
_MARKUP = re.compile(r"\s*</?[a-zA-Z][\w:-]*[\s>/]|\s*\{[%{]")
_TITLE = re.compile(r"#{1,6} \S|\S.*\n")
_STYLE = re.compile(r"[^\s{}][^{}]{0,200}\{\s*$|\s*[\w-]{2,40}: [^;{}]{1,200};$")
_READERS = ("read", "view", "cat", "open", "str_replace", "show")


def source(page: Page) -> Slimmed | None:
    """A file of source code: definitions, imports, remarks on what is to be done."""
    said = [line[:300] for line in page.bare[:2_000] if line.strip()]
    if len(said) < 12:
        return None
    defines = sum(1 for line in said if _defines(line))
    imports = sum(1 for line in said if _IMPORT.match(line))
    styles = sum(1 for line in said if _STYLE.match(line))
    braces = sum(1 for line in said if line.rstrip().endswith(("{", "}", ";", "):", "};", "do")))
    read = page.numbered or page.tool.lower().startswith(_READERS)
    least = 0.01 if read else 0.03
    if defines + imports < max(2, least * len(said)) and not (read and styles > 0.4 * len(said)):
        return None
    if not read and defines + imports + braces < 0.2 * len(said):
        return None
    sheet = page.sheet(6)
    decorated = False
    spoken = 0  # inside a text of several lines
    for at, line in enumerate(page.bare):
        if sheet.ranks[at] == DROP and page.noise.get(at) != "more of the line above":
            continue
        line = line[:300]
        indent = len(line) - len(line.lstrip())
        quotes = line.count('"""') + line.count("'''")
        if not line.strip():
            sheet.mark(at, 8)
        elif spoken and not quotes:
            sheet.mark(at, 7)
        elif _defines(line):
            sheet.mark(at, 1 if indent == 0 else 2 if indent <= 4 else 3)
        elif _TODO.search(line):
            sheet.mark(at, 2)
        elif _CONST.match(line):
            sheet.mark(at, 3)
        elif _IMPORT.match(line) or _DECORATED.match(line) or decorated:
            sheet.mark(at, 5)
        elif _COMMENT.match(line):
            sheet.mark(at, 7)
        elif styles and _STYLE.match(line) and line.rstrip().endswith("{"):
            sheet.mark(at, 3)
        decorated = _DECORATED.match(line) is not None
        spoken = (spoken + quotes) % 2
    _first(page, sheet)
    return page.fit(sheet, "source code")


def _defines(line: str) -> bool:
    if _DEFINES.match(line) or _ARROW.match(line):
        return True
    return line[:1].isalpha() and _TYPED.match(line) is not None and "return " not in line


def _first(page: Page, sheet: Sheet) -> None:
    """The first lines say what the file is, the last where it ends."""
    said = [at for at, line in enumerate(page.lines) if line.strip()]
    for at in (*said[:2], *said[-2:]):
        sheet.mark(at, min(sheet.ranks[at], 1))


def document(page: Page) -> Slimmed | None:
    """Prose with headings: the headings, and how each part begins."""
    bare = page.bare
    titles = 0
    fenced = False
    heads: set[int] = set()
    for at, line in enumerate(bare):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and _heading(bare, at):
            heads.add(at)
            titles += 1
    said = sum(1 for line in bare if line.strip())
    if titles < 3 or titles > 0.6 * said:
        return None
    sheet = page.sheet(6)
    since = 0
    fenced = False
    for at, line in enumerate(bare):
        if sheet.ranks[at] == DROP:
            continue
        mark = line.lstrip().startswith(("```", "~~~"))
        if at in heads:
            depth = len(line) - len(line.lstrip("#"))
            sheet.mark(at, 1 if depth <= 2 else 2)
            since = 0
        elif not line.strip() or mark:
            sheet.mark(at, 8)
        else:
            since += 1
            listed = line.lstrip().startswith(("- ", "* ", "1.", "2.", "3."))
            sheet.mark(at, 7 if fenced else 3 if since == 1 else 4 if listed and since < 6 else 6)
        fenced = fenced != mark
    _first(page, sheet)
    return page.fit(sheet, "document")


def _heading(lines: list[str], at: int) -> bool:
    line = lines[at][:200]
    if line.startswith("#"):
        return re.match(r"#{1,6} \S", line) is not None
    following = lines[at + 1][:200] if at + 1 < len(lines) else ""
    under = following.rstrip()
    return (
        bool(line[:1].strip())
        and len(under) >= 3
        and set(under) in ({"="}, {"-"})
        and (len(under) >= len(line.rstrip()) - 2)
    )
