"""Page snapshots of browser agents: what can be acted on, values, headings and alerts."""

from __future__ import annotations

import re
from collections import Counter

from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP
from trimtab.slimming.slimmed import Slimmed

_ACTS = frozenset(
    [
        "button",
        "link",
        "textbox",
        "searchbox",
        "combobox",
        "checkbox",
        "radio",
        "switch",
        "slider",
        "spinbutton",
        "menuitem",
        "tab",
        "option",
        "input",
        "select",
        "textarea",
        "a",
        "form",
        "treeitem",
        "menuitemcheckbox",
        "menuitemradio",
    ]
)
_TELLS = frozenset(
    [
        "heading",
        "alert",
        "alertdialog",
        "dialog",
        "status",
        "progressbar",
        "main",
        "title",
        "RootWebArea",
        "WebArea",
        "tooltip",
    ]
)
_OTHERS = frozenset(
    [
        "generic",
        "text",
        "statictext",
        "paragraph",
        "list",
        "listitem",
        "img",
        "image",
        "banner",
        "navigation",
        "contentinfo",
        "group",
        "region",
        "table",
        "row",
        "cell",
        "rowgroup",
        "columnheader",
        "gridcell",
        "article",
        "complementary",
        "document",
        "none",
        "presentation",
        "separator",
        "figure",
        "strong",
        "emphasis",
        "code",
        "iframe",
        "tabpanel",
        "tablist",
        "menu",
        "menubar",
        "tree",
        "grid",
        "section",
        "labeltext",
        "time",
        "term",
        "definition",
        "blockquote",
        "note",
        "log",
        "search",
        "form",
        "rowheader",
        "inlinetextbox",
        "layouttable",
        "layouttablerow",
        "layouttablecell",
        "div",
        "span",
        "p",
        "li",
        "ul",
        "h1",
        "h2",
        "h3",
        "td",
        "tr",
    ]
)
_LINE = re.compile(
    r"\s*(?:- |\* )?(?:uid=\S+ |\[[\w-]{1,12}\]:? ?|\d+: )*[<'\"]?(?P<role>[A-Za-z]\w{0,30})\b"
    r"(?P<rest>.*)"
)
_VALUE = re.compile(r"value(?:text)?=|: \S|\[(?:checked|selected|expanded|disabled|active|pressed)")
_MARK = re.compile(r"uid=|\[ref=|^\s*- |\[\w{1,12}\]|^\s*\d+: ")
_URL = re.compile(r"\s*(?:- )?(?:Page )?(?:/?url|title)\b:? ", re.IGNORECASE)
_LOUD = re.compile(r"error|invalid|required|warning|failed|必須|エラー", re.IGNORECASE)


def snapshot(page: Page) -> Slimmed | None:
    """An accessibility tree, or a list of a page's elements."""
    said = [line[:400] for line in page.sample if line.strip()]
    kinds: Counter[str] = Counter()
    marked = 0
    for line in said:
        match = _LINE.match(line)
        if match and match["role"].lower() in _KNOWN and _MARK.search(line):
            kinds[match["role"].lower()] += 1
            marked += 1
    if len(said) < 10 or marked < 0.4 * len(said) or not _ACTS & set(kinds) or len(kinds) < 3:
        return None
    sheet = page.sheet(6, "elements")
    for at, whole in enumerate(page.lines):
        line = whole[:400]
        if sheet.ranks[at] == DROP and page.noise.get(at) != "more of the line above":
            continue
        match = _LINE.match(line)
        role = match["role"].lower() if match else ""
        if not line.strip():
            sheet.mark(at, 8)
        elif _URL.match(line):
            sheet.mark(at, 0 if at < 15 else 7)
        elif role in _LOW:
            sheet.mark(at, 1)
        elif match and role in _ACTS:
            named = '"' in match["rest"] or "'" in match["rest"] or ":" in match["rest"]
            filled = _VALUE.search(match["rest"]) is not None and role not in ("link", "a")
            sheet.mark(at, 1 if filled else 3 if role in ("link", "a", "option") else 2)
            if not named:
                sheet.mark(at, 4)
        elif _LOUD.search(line):
            sheet.mark(at, 2)
        elif role in ("generic", "none", "presentation", "div", "group") and '"' not in line:
            sheet.mark(at, 8)
    return page.fit(sheet, "page snapshot")


_LOW = frozenset(role.lower() for role in _TELLS)
_KNOWN = _ACTS | _LOW | _OTHERS
