"""One HTML file that needs nothing else: no network, light and dark, phone and desk."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from trimtab.report.plain import printable
from trimtab.report.svg import TEXTS, THEME

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,\
"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:22px;margin:0 0 2px;overflow-wrap:anywhere}
h2{font-size:19px;margin:44px 0 2px;overflow-wrap:anywhere}
h3{font-size:15px;margin:30px 0 8px}
p{margin:0 0 8px}.soft{color:var(--soft)}.quote{font-style:italic;overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:18px 0}
.card{background:var(--panel);border:1px solid var(--grid);border-radius:8px;padding:10px 14px}
.card b{display:block;font-size:21px;font-weight:600;font-variant-numeric:tabular-nums}
.card span{color:var(--soft);font-size:13px}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(380px,100%),1fr));gap:0 36px}
.two>*{min-width:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:500;color:var(--soft);text-align:left;border-bottom:1px solid var(--line);\
white-space:nowrap;vertical-align:bottom}
td{border-bottom:1px solid var(--grid);vertical-align:top}
th,td{padding:5px 14px 5px 0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr.end td{border-bottom-color:var(--line)}tr.sum td{font-weight:600}
.bar{min-width:70px;width:28%}.bar.short{width:12%}.bar i{display:block;height:10px;\
margin-top:6px;border-radius:2px;background:#0072b2}
code{font:12.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:nowrap}
.cut{max-width:420px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--soft)}
.any{overflow-wrap:anywhere;min-width:10em}.bad{color:var(--bad)}
.stack{display:flex;height:18px;border-radius:4px;overflow:hidden;background:var(--grid);\
margin:6px 0 8px}
.stack i{display:block}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:13px;color:var(--soft)}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px}
.legend .dash{height:0;border-top:2px dashed var(--ink);width:16px;vertical-align:4px;\
border-radius:0}
figure{margin:0}svg{display:block;height:auto}
@media(max-width:640px){figure{overflow-x:auto}figure svg{min-width:640px}.read{position:sticky;\
left:0}}
summary{cursor:pointer;color:var(--soft);font-size:14px;margin-top:6px}
svg .part{stroke:var(--paper);stroke-width:.6}
svg .reported{stroke:var(--ink);stroke-width:1.6;stroke-dasharray:5 3}
svg .limit{stroke:var(--bad);stroke-width:1;stroke-dasharray:2 3}
svg .cut{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
svg .cursor{stroke:var(--ink);stroke-width:1;visibility:hidden}
.read{min-height:21px;font-size:13px;color:var(--soft);font-variant-numeric:tabular-nums}
footer{margin-top:48px;color:var(--soft);font-size:13px}
"""


def page(title: str, body: Sequence[str], script: str = "") -> bytes:
    """The whole file, in UTF-8.

    Args:
        body: HTML, made with the functions below or escaped.
        script: JavaScript; the page tells everything without it too.
    """
    from trimtab import __version__

    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>\n{THEME}\n{TEXTS}{_STYLE}</style>\n</head>\n"
        "<body>\n<main>\n",
        "\n".join(body),
        f"\n<footer>Written by trimtab {__version__}</footer>\n</main>\n",
        f"<script>{script}</script>\n" if script else "",
        "</body>\n</html>\n",
    ]
    return "".join(parts).encode("utf-8", "replace")


def text(said: str) -> str:
    """Text for HTML: escaped, and without what cannot be shown."""
    return escape(printable(said))


def tag(name: str, said: str, klass: str = "") -> str:
    """An element with HTML inside."""
    return f'<{name} class="{klass}">{said}</{name}>' if klass else f"<{name}>{said}</{name}>"


def cards(pairs: Sequence[tuple[str, str]]) -> str:
    """Figures that are read first: (figure, what it is)."""
    inside = "".join(
        f'<div class="card"><b>{text(figure)}</b><span>{text(what)}</span></div>'
        for figure, what in pairs
    )
    return f'<div class="cards">{inside}</div>'


def table(
    heads: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[str]],
    *,
    ends: Sequence[int] = (),
    sums: Sequence[int] = (),
) -> str:
    """A table that scrolls by itself where the screen is narrow.

    Args:
        heads: (title, class) of each column; class `n` is for figures.
        rows: cells as HTML.
        ends: the numbers of the rows that end a group.
        sums: the numbers of the rows that sum up.
    """
    head = "".join(f'<th class="{klass}">{text(title)}</th>' for title, klass in heads)
    lines = []
    for number, row in enumerate(rows):
        klass = "sum" if number in sums else "end" if number in ends else ""
        cells = "".join(
            f'<td class="{klass}">{cell}</td>' for (_, klass), cell in zip(heads, row, strict=True)
        )
        lines.append(f'<tr class="{klass}">{cells}</tr>' if klass else f"<tr>{cells}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def bar(rate: float, colour: str = "") -> str:
    """A bar inside a cell of class `bar`."""
    style = f"width:{max(min(rate, 1.0), 0.0) * 100:.1f}%"
    return f'<i style="{style}{";background:" + colour if colour else ""}"></i>'
