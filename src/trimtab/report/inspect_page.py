"""`trimtab inspect --html`: the same figures on one page, with the whole growth to look into."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trimtab.report.area import LEFT, RIGHT, WIDTH, area, thinned
from trimtab.report.fill import Fill
from trimtab.report.inspect_text import (
    added_by_turn,
    described,
    numbers,
    reported_line,
    secrets_line,
    size_line,
    usage_line,
)
from trimtab.report.page import bar, cards, page, table, tag, text
from trimtab.report.palette import COLOURS
from trimtab.report.pieces import PARTS
from trimtab.report.plain import number, percent, plural, short
from trimtab.report.turns import Turn

REPEATS = 50
ALL_TURNS = 2_000
"""Rows of the table of turns; more make a page slow."""

_SCRIPT = """
for (const figure of document.querySelectorAll('figure[data-turns]')) {
  const rows = JSON.parse(figure.dataset.turns), names = JSON.parse(figure.dataset.names);
  const svg = figure.querySelector('svg'), cursor = svg.querySelector('.cursor');
  const read = figure.querySelector('.read'), still = read.textContent;
  const [left, right, width] = JSON.parse(figure.dataset.plot);
  const format = new Intl.NumberFormat('en').format;
  const show = event => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * width / box.width;
    const last = Math.max(rows.length - 1, 1);
    const at = Math.round((x - left) / (width - left - right) * last);
    const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
    const place = left + (width - left - right) * rows.indexOf(row) / last;
    cursor.setAttribute('x1', place); cursor.setAttribute('x2', place);
    cursor.style.visibility = 'visible';
    const parts = names.map((name, n) => [name, row.parts[n]]).filter(pair => pair[1]);
    read.textContent = `turn ${format(row.turn)}: ${format(row.size)}` +
      (row.reported ? `, reported ${format(row.reported)}` : '') + ' = ' +
      parts.map(pair => `${pair[0]} ${format(pair[1])}`).join(' + ');
  };
  svg.addEventListener('pointermove', show);
  svg.addEventListener('pointerdown', show);
  svg.addEventListener('pointerleave', () => {
    cursor.style.visibility = 'hidden'; read.textContent = still;
  });
}
"""


def inspect_page(fills: Sequence[Fill]) -> bytes:
    """The page, in UTF-8."""
    many = len(fills) > 1
    title = "What fills the window" if many else f"What fills the window: {fills[0].name}"
    body: list[str] = []
    if many:
        body += [tag("h1", text(title)), _totals(fills)]
    for at, fill in enumerate(fills):
        body.append(f'<section id="s{at}">')
        body += _section(fill, "h2" if many else "h1")
        body.append("</section>")
    return page(title, body, _SCRIPT)


def _section(fill: Fill, heading: str) -> list[str]:
    body = [
        tag(heading, text(fill.name)),
        tag("p", text(" · ".join(described(fill))), "soft"),
    ]
    if fill.title:
        body.append(tag("p", f"“{text(fill.title)}”", "quote"))
    body += [_cards(fill), _stack(fill), _legend(fill)]
    for said in (reported_line(fill), usage_line(fill) if fill.usage else ""):
        if said:
            body.append(f'<p class="soft" style="margin-top:8px">{text(said)}</p>')
    if fill.turns:
        body += [tag("h3", "Growth: the window at each call of the model"), _growth(fill)]
    body.append(
        tag(
            "div",
            tag("div", tag("h3", "By role") + _sums(fill, fill.roles, "role"))
            + tag("div", tag("h3", "By kind") + _sums(fill, fill.kinds, "kind")),
            "two",
        )
    )
    if fill.tools:
        body += [tag("h3", "By tool"), _tools(fill)]
    if fill.largest:
        body += [tag("h3", "The largest blocks"), _largest(fill)]
    if fill.repeats:
        body += [tag("h3", "Observed again"), _repeats(fill)]
    if fill.secrets:
        body += [tag("h3", secrets_line(fill)), _secrets(fill)]
    if fill.turns:
        body += [tag("h3", "By turn"), _turns(fill)]
    if fill.problems:
        lines = "".join(tag("li", text(line)) for line in fill.problems)
        body += [tag("h3", "Problems of the recording"), tag("ul", lines)]
    return body


def _cards(fill: Fill) -> str:
    shown = [(number(fill.size), size_line(fill).partition(" ")[2].partition(";")[0])]
    if fill.window:
        shown.append((percent(fill.size / fill.window), f"of a window of {short(fill.window)}"))
    turn = fill.reported
    if turn is not None and turn.reported is not None and fill.unit == "tokens":
        shown.append((number(turn.reported.context), "reported at the last call"))
        shown.append((number(turn.hidden), "of them not in the recording"))
    shown.append((number(len(fill.turns)), "turns"))
    if fill.stale:
        shown.append(
            (percent(fill.stale / fill.size), f"observed again since ({short(fill.stale)})")
        )
    return cards(shown)


def _stack(fill: Fill) -> str:
    whole = max(fill.window or 0, fill.size) or 1
    inside = "".join(
        f'<i style="width:{size / whole * 100:.2f}%;background:{COLOURS[part]}" '
        f'title="{text(part)} {size:,}"></i>'
        for part, size in fill.parts
        if size > 0
    )
    return f'<div class="stack">{inside}</div>'


def _legend(fill: Fill) -> str:
    whole = fill.size or 1
    entries = [
        f'<span><i style="background:{COLOURS[part]}"></i>'
        f"{text(part)} {percent(size / whole)}</span>"
        for part, size in fill.parts
        if size > 0
    ]
    if any(turn.hidden is not None for turn in fill.turns):
        entries.append('<span><i class="dash"></i>reported by the provider</span>')
    return f'<div class="legend">{"".join(entries)}</div>'


def _growth(fill: Fill) -> str:
    shown = thinned(fill.turns)
    rows = [
        {
            "turn": turn.number,
            "size": turn.size,
            "reported": _context(turn),
            "parts": turn.parts,
        }
        for turn in shown
    ]
    data = text(json.dumps(rows, separators=(",", ":")))
    names = text(json.dumps(PARTS))
    said = (
        "Point at the picture to read a turn."
        if len(shown) == len(fill.turns)
        else f"Point at the picture to read a turn ({len(shown):,} of {len(fill.turns):,} shown)."
    )
    return (
        f'<figure data-turns="{data}" data-names="{names}" data-plot="[{LEFT},{RIGHT},{WIDTH}]">'
        f"{area(shown, fill.unit, fill.window)}"
        f'<figcaption class="read">{said}</figcaption></figure>'
    )


def _context(turn: Turn) -> int:
    return turn.reported.context if turn.reported is not None else 0


def _sums(fill: Fill, sums: Sequence[tuple[str, int]], what: str) -> str:
    most = max((size for _, size in sums), default=0) or 1
    whole = fill.size or 1
    return table(
        [(what, ""), (fill.unit, "n"), ("share", "n"), ("", "bar")],
        [
            [text(name), number(size), percent(size / whole), bar(size / most)]
            for name, size in sums
        ],
    )


def _tools(fill: Fill) -> str:
    most = fill.tools[0].size or 1
    heads = [("tool", "any"), ("calls", "n"), ("errors", "n"), ("in calls", "n")]
    heads += [("in results", "n"), ("together", "n"), ("share", "n"), ("", "bar")]
    return table(
        heads,
        [
            [
                text(tool.name),
                number(tool.calls),
                number(tool.errors) if tool.errors else "",
                number(tool.call_size),
                number(tool.result_size),
                number(tool.size),
                percent(tool.size / (fill.size or 1)),
                bar(tool.size / most),
            ]
            for tool in fill.tools
        ],
    )


def _largest(fill: Fill) -> str:
    heads = [(fill.unit, "n"), ("what", "any"), ("message", "n"), ("block id", "")]
    return table(
        [*heads, ("begins", "cut")],
        [
            [
                number(large.size),
                text(" ".join(filter(None, (large.tool, large.kind)))),
                f"{large.message}.{large.block}",
                tag("code", large.id),
                text(large.excerpt),
            ]
            for large in fill.largest
        ],
    )


def _repeats(fill: Fill) -> str:
    shown = fill.repeats[:REPEATS]
    said = (
        f"{plural(len(fill.repeats), 'resource')}; {fill.stale:,} {fill.unit} besides the newest "
        "observation of each."
    )
    if len(shown) < len(fill.repeats):
        said += f" The first {len(shown)}:"
    heads = [("times", "n"), (fill.unit, "n"), ("older", "n"), ("by", ""), ("resource", "any")]
    return tag("p", said, "soft") + table(
        heads,
        [
            [
                number(r.count),
                number(r.size),
                number(r.stale),
                text(", ".join(r.tools)),
                text(r.resource[:300]),
            ]
            for r in shown
        ],
    )


def _secrets(fill: Fill) -> str:
    return table(
        [("times", "n"), ("kind", ""), ("messages", "any")],
        [[number(f.count), text(f.kind), text(numbers(f.messages, 100))] for f in fill.secrets],
    )


def _turns(fill: Fill) -> str:
    added = added_by_turn(fill.turns)
    known = any(turn.hidden is not None for turn in fill.turns)
    heads = [("turn", "n"), ("message", "n"), ("window", "n"), ("added", "n"), ("answer", "n")]
    heads += [("reported", "n"), ("hidden", "n")] if known else []
    heads += [("", "bar")]
    most = max(turn.size for turn in fill.turns) or 1
    rows = []
    for turn, more in list(zip(fill.turns, added, strict=True))[:ALL_TURNS]:
        row = [
            number(turn.number) + (" (compacted before)" if turn.compacted else ""),
            number(turn.message),
            number(turn.size),
            f"{more:+,}",
            number(turn.answer),
        ]
        if known:
            row += [number(_context(turn) or None), number(turn.hidden)]
        rows.append([*row, bar(turn.size / most)])
    many = len(fill.turns) > ALL_TURNS
    label = (
        f"The first {ALL_TURNS:,} of {len(fill.turns):,} turns"
        if many
        else f"All {plural(len(fill.turns), 'turn')}"
    )
    return f"<details><summary>{label}</summary>{table(heads, rows)}</details>"


def _totals(fills: Sequence[Fill]) -> str:
    heads = [("session", "any"), ("format", ""), ("messages", "n"), ("turns", "n")]
    heads += [(fills[0].unit, "n"), ("of window", "n"), ("observed again", "n")]
    rows = [
        [
            f'<a href="#s{at}" style="color:inherit">{text(fill.name)}</a>',
            text(fill.format),
            number(fill.messages),
            number(len(fill.turns)),
            number(fill.size),
            percent(fill.size / fill.window) if fill.window else "",
            number(fill.stale),
        ]
        for at, fill in enumerate(fills)
    ]
    rows.append(
        [
            plural(len(fills), "session"),
            "",
            number(sum(fill.messages for fill in fills)),
            number(sum(len(fill.turns) for fill in fills)),
            number(sum(fill.size for fill in fills)),
            "",
            number(sum(fill.stale for fill in fills)),
        ]
    )
    return table(heads, rows, ends=[len(rows) - 2], sums=[len(rows) - 1])
