"""SVG by hand: elements, scales and the colours of light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from trimtab.report.plain import printable

THEME = """\
:root{--ink:#1b1f24;--soft:#5b6570;--line:#d5dae0;--grid:#e8ebef;--paper:#ffffff;--panel:#f6f7f9;\
--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4af;--line:#3a424c;--grid:#262c34;\
--paper:#12161b;--panel:#1a2027;--bad:#ff8a80}}"""
"""Custom properties of light and dark, for pages and for pictures that stand alone."""

TEXTS = """\
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
font-size:12px;fill:var(--ink)}
.soft{fill:var(--soft)}.bold{font-weight:600}.small{font-size:11px}
.grid{stroke:var(--grid);stroke-width:1}.axis{stroke:var(--line);stroke-width:1;fill:none}"""


def element(name: str, *children: str, **attributes: object) -> str:
    """An element; `_` in attribute names becomes `-`, `klass` is `class`, `None` leaves out."""
    said = "".join(
        f' {key.replace("klass", "class").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{said}>{inside}</{name}>" if inside else f"<{name}{said}/>"


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def words(x: float, y: float, said: str, klass: str = "", anchor: str | None = None) -> str:
    """Text at a place."""
    return element(
        "text", escape(printable(said)), x=x, y=y, klass=klass or None, text_anchor=anchor
    )


def line(x1: float, y1: float, x2: float, y2: float, klass: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, klass=klass)


def polyline(points: Iterable[tuple[float, float]], **attributes: object) -> str:
    """An open line through points."""
    return element("polyline", points=_spelt(points), fill="none", **attributes)


def polygon(points: Iterable[tuple[float, float]], **attributes: object) -> str:
    """A filled shape."""
    return element("polygon", points=_spelt(points), **attributes)


def _spelt(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def standalone(width: float, height: float, title: str, *children: str) -> str:
    """A picture that is a file of its own."""
    head = element("style", f"{THEME}\n{TEXTS}")
    paper = element("rect", width=width, height=height, style="fill:var(--paper)")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + inline(
        width, height, title, head, paper, *children
    )


def inline(width: float, height: float, title: str, *children: str) -> str:
    """A picture inside a page, as wide as there is room."""
    return element(
        "svg",
        element("title", escape(printable(title))),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        width="100%",
        style=f"max-width:{width:g}px",
    )


def ticks(top: float, most: int = 5) -> Sequence[float]:
    """Round values from 0 to just below `top`, at most `most` steps."""
    if top <= 0:
        return [0.0]
    step = 1.0
    while step * most < top:
        for factor in (2, 2.5, 2):  # 1, 2, 5, 10
            step *= factor
            if step * most >= top:
                break
    return [step * n for n in range(int(top / step) + 1)]
