"""HTML pages: title, headings, forms with their fields and values, links, main text."""

from __future__ import annotations

import re

from trimtab.slimming.markup import attributes, pieces
from trimtab.slimming.page import Page
from trimtab.slimming.sheet import DROP, Sheet
from trimtab.slimming.slimmed import Slimmed

_PAGE = re.compile(r"<!doctype html|<html[\s>]|<(?:body|head)[\s>]", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][\w:-]*[\s>/]")
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "nav",
        "aside",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "br",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "form",
        "label",
        "legend",
        "fieldset",
        "blockquote",
        "pre",
        "dl",
        "dt",
        "dd",
        "figure",
        "title",
        "option",
        "select",
        "details",
        "summary",
        "dialog",
        "caption",
        "address",
    ]
)
_ASIDE = frozenset(("nav", "footer", "aside"))
_FIELDS = frozenset(("input", "select", "textarea", "button"))
_SHOWN = (
    "type",
    "name",
    "id",
    "value",
    "placeholder",
    "checked",
    "disabled",
    "required",
    "readonly",
)
_LOUD = re.compile(r"error|alert|warning|invalid|danger|flash", re.IGNORECASE)


def html_page(page: Page) -> Slimmed | None:
    """A page or a part of one."""
    text = page.text
    head = text[:4_000].lstrip("\ufeff \n\t")
    if page.numbered or (not head.startswith("<") and not _PAGE.search(head)):
        return None
    if head.startswith("<?xml") and not _PAGE.search(head):
        return None
    if not _PAGE.search(head) and len(_TAG.findall(text[:8_000])) < 8:
        return None
    reading = _Reading()
    for kind, said, rest in pieces(text):
        if kind == "text":
            reading.words(said)
        else:
            reading.tag(said, rest)
    reading.line()
    if not reading.lines:
        return None
    sheet = Sheet(reading.lines)
    seen: set[str] = set()
    for at, (rank, label) in enumerate(reading.marks):
        if reading.lines[at] in seen and rank > 2:
            rank = DROP
        seen.add(reading.lines[at])
        sheet.mark(at, rank, label)
    made = page.fit(sheet, "HTML page")
    if made is None:
        return None
    return Slimmed(made.text, made.what, max(len(page.lines) - made.text.count("\n") - 1, 0))


class _Reading:
    """A page as it is read: the lines so far, and the one being put together."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.marks: list[tuple[int, str]] = []
        self.parts: list[str] = []
        self.rank, self.label, self.before = 4, "lines of text", ""
        self.aside = 0
        self.href = ""

    def words(self, text: str) -> None:
        said = " ".join(text.split())
        if said:
            self.parts.append(said)

    def line(self) -> None:
        """End the line that is being put together."""
        said = " ".join(self.parts)
        self.parts = []
        if said:
            rank = self.rank
            if rank == 4:
                rank = 7 if self.aside else 4 if len(said) > 40 else 5
            self.lines.append(self.before + said)
            self.marks.append((rank, self.label))
        self.rank, self.label, self.before = 4, "lines of text", ""

    def add(self, said: str, rank: int, label: str) -> None:
        self.line()
        self.lines.append(said)
        self.marks.append((rank, label))

    def tag(self, name: str, rest: str) -> None:
        closing = name.startswith("/")
        plain = name.lstrip("/")
        if plain in ("a", "span", "b", "i", "em", "strong", "code"):
            self._inline(plain, closing, rest)
            return
        if plain in _FIELDS and not closing:
            self._field(plain, rest)
            return
        if plain == "option" and not closing:
            self.line()
            chosen = "selected" in attributes(rest)
            self.rank, self.label, self.before = (2 if chosen else 6), "options", "    option: "
            if chosen:
                self.before = "    option (selected): "
            return
        if plain not in _BLOCKS and not plain.startswith("/"):
            return
        self.line()
        if plain in _ASIDE:
            self.aside = max(self.aside + (-1 if closing else 1), 0)
        if closing:
            return
        if plain == "title":
            self.rank, self.before, self.label = 0, "title: ", "titles"
        elif plain in ("h1", "h2", "h3", "h4", "h5", "h6"):
            level = int(plain[1])
            self.rank, self.before, self.label = (
                (1 if level < 3 else 2),
                "#" * level + " ",
                "headings",
            )
        elif plain == "form":
            given = attributes(rest)
            said = f"form: {given.get('method', 'get')} {given.get('action', '')}".rstrip()
            self.add(said[:300], 1, "forms")
        elif plain in ("label", "legend", "th"):
            self.rank, self.label = 3, f"{plain}s" if plain != "th" else "column heads"
        elif (
            (_LOUD.search(rest[:300]) and plain not in ("div", "section"))
            or 'role="alert"' in rest
            or "error" in attributes(rest).get("class", "")
        ):
            self.rank = 1

    def _inline(self, name: str, closing: bool, rest: str) -> None:
        if name != "a":
            if _LOUD.search(rest[:300]) and not closing:
                self.rank = min(self.rank, 2)
            return
        if closing:
            if self.href and self.parts:
                self.parts.append(f"({self.href[:200]})")
                if self.rank == 4 and len(self.parts) < 4:
                    self.rank, self.label = (7 if self.aside else 5), "links"
            self.href = ""
        else:
            self.href = attributes(rest).get("href", "")

    def _field(self, name: str, rest: str) -> None:
        given = attributes(rest)
        if given.get("type") == "hidden":
            self.add(
                f"  hidden: {given.get('name', '')}={given.get('value', '')}"[:200], 3, "fields"
            )
            return
        said = [name]
        for key in _SHOWN:
            if key in given:
                said.append(f"{key}={given[key][:200]}" if given[key] else key)
        if name == "button":
            self.line()
            self.rank, self.label, self.before = 2, "buttons", f"  {' '.join(said)}: "
        elif name == "textarea":
            self.line()
            self.rank, self.label, self.before = 2, "fields", f"  {' '.join(said)}: "
            self.parts.append("")
        else:
            self.add("  " + " ".join(said), 2, "fields")
