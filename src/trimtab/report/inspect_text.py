"""`trimtab inspect` in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trimtab.report.fill import Fill, Large, ToolFill
from trimtab.report.fitted import Column
from trimtab.report.growth import growth
from trimtab.report.palette import COLOURS
from trimtab.report.pieces import PARTS
from trimtab.report.plain import duration, moment, number, one_line, percent, plural, short
from trimtab.report.repeats import Repeat
from trimtab.report.terminal import bar, beside, cell, coloured, console, flow, room, show, table
from trimtab.report.turns import Turn

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

TURNS = 8
TOOLS = 12
REPEATS = 10
BAR = COLOURS["tool results"]
TWO_TABLES = 92
"""Columns that two tables with bars need side by side."""


def print_fills(fills: Sequence[Fill]) -> None:
    """A section for each session, and a table of all where there are several."""
    to = console()
    between = ("", cell("─" * room(to), "dim"), "")
    for at, fill in enumerate(fills):
        show(to, *(between if at else ()), *_section(fill, to))
    if len(fills) > 1:
        show(to, *between, totals(fills))


def _section(fill: Fill, to: Console) -> Iterator[RenderableType]:
    width = room(to)
    yield from _heading(fill, to)
    if fill.turns:
        yield ""
        yield cell("Growth: the window at each call of the model", "bold")
        yield from _chart(fill.turns, to)
    yield ""
    yield beside(
        _sums(fill, "By role", "role", fill.roles),
        _sums(fill, "By kind", "kind", fill.kinds),
        width,
        TWO_TABLES,
    )
    if fill.tools:
        yield ""
        yield _tools(fill)
    if fill.turns:
        yield ""
        yield _turns(fill)
    if fill.largest:
        yield ""
        yield _largest(fill.largest, fill.unit)
    if fill.repeats:
        yield ""
        yield _repeats(fill)
    if fill.secrets:
        yield ""
        yield _secrets(fill)


def _heading(fill: Fill, to: Console) -> Iterator[RenderableType]:
    yield cell(fill.name, "bold")
    yield from flow((cell(said, "dim") for said in described(fill)), " · ", room(to))
    if fill.title:
        yield cell(f"“{one_line(fill.title, max(room(to) - 2, 20))}”", "italic")
    yield ""
    yield cell(size_line(fill), "bold")
    width = min(room(to), 100)
    if coloured(to):
        whole = max(fill.window or 0, fill.size) or 1
        yield _stack(fill, width, whole)
        yield from flow(_legend(fill), "   ", width)
    elif fill.window:
        used = min(round(fill.size / fill.window * width), width)
        yield cell("█" * used + "░" * (width - used))
    reported = reported_line(fill)
    if reported:
        yield cell(reported)
    if fill.usage is not None:
        yield cell(usage_line(fill))


def described(fill: Fill) -> Iterator[str]:
    """What is known of a session, for its subtitle."""
    if fill.format:
        yield fill.format
    yield fill.model or "model not recorded"
    yield plural(fill.messages, "message")
    yield plural(len(fill.turns), "turn")
    if fill.compactions:
        yield plural(fill.compactions, "compaction")
    if fill.threads:
        yield plural(fill.threads, "other thread")
    if fill.started is not None:
        lasted = fill.ended - fill.started if fill.ended is not None else 0
        yield moment(fill.started) + (f", {duration(lasted)}" if lasted >= 1 else "")


def size_line(fill: Fill) -> str:
    """How large the window's content is, and how that was counted."""
    how = "exact" if fill.exact else "estimated"
    how = "" if fill.unit == "chars" else f" ({how}, {fill.counter})"
    line = f"{fill.size:,} {fill.unit}{how}"
    if fill.window:
        line += f"; {percent(fill.size / fill.window)} of a window of {fill.window:,}"
    return line


def reported_line(fill: Fill) -> str:
    """What the provider reported at the last call, beside what the recording shows of it."""
    turn = fill.reported
    if turn is None or turn.reported is None or turn.hidden is None or fill.unit != "tokens":
        return ""
    line = (
        f"Reported at turn {turn.number}: {turn.reported.context:,} tokens sent; "
        f"{turn.size:,} of them visible in the recording"
    )
    if turn.hidden >= 0:
        return f"{line}, {turn.hidden:,} hidden (system prompt, tools, error of the estimate)"
    return f"{line}, which is {-turn.hidden:,} too many: the estimate is high"


def usage_line(fill: Fill) -> str:
    """All reported usage, summed up."""
    usage = fill.usage
    assert usage is not None
    sent = usage.context
    cached = f", {percent(usage.cache_read / sent)} read from the cache" if sent else ""
    return f"Reported over all calls: {sent:,} tokens sent{cached}; {usage.output:,} answered"


def _stack(fill: Fill, width: int, whole: int) -> Text:
    """One bar, as long as the window, with the parts in their colours."""
    from rich.text import Text

    line, done, total = Text(), 0, 0
    for part, size in fill.parts:
        total += size
        end = round(total / whole * width)
        line.append("█" * (end - done), COLOURS[part])
        done = max(end, done)
    return line.append("░" * (width - done), "dim")


def _legend(fill: Fill) -> Iterator[Text]:
    from rich.text import Text

    for part, size in fill.parts:
        if size > 0:
            said = Text("■", style=COLOURS[part])
            yield Text().append(said).append(f" {part} {percent(size / fill.size)}", "dim")


def _chart(turns: Sequence[Turn], to: Console) -> Iterator[RenderableType]:
    from rich.style import Style
    from rich.text import Text

    stacked = coloured(to)
    for row in growth(turns, min(room(to), 120), stacked=stacked):
        line = Text(no_wrap=True)
        for span in row:
            if stacked and span.part >= 0:
                behind = COLOURS[PARTS[span.behind]] if span.behind >= 0 else None
                line.append(span.text, Style(color=COLOURS[PARTS[span.part]], bgcolor=behind))
            else:
                line.append(span.text)
        yield line
    if any(turn.hidden is not None for turn in turns):
        yield cell("  · reported by the provider", "dim")


def _sums(fill: Fill, title: str, what: str, sums: Sequence[tuple[str, int]]) -> RenderableType:
    most = max((size for _, size in sums), default=0) or 1
    whole = fill.size or 1
    return table(
        [
            Column(what),
            Column(fill.unit, right=True),
            Column("share", right=True),
            Column("", spare=1),
        ],
        [(name, size, percent(size / whole), bar(size / most, 12, BAR)) for name, size in sums],
        title=title,
    )


def _tools(fill: Fill) -> RenderableType:
    shown, rest = fill.tools[:TOOLS], fill.tools[TOOLS:]
    rows = [_tool_row(tool, fill) for tool in shown]
    if rest:
        more = ToolFill(
            f"{len(rest)} more",
            *(
                sum(getattr(tool, name) for tool in rest)
                for name in ("calls", "results", "errors", "call_size", "result_size")
            ),
        )
        rows.append(_tool_row(more, fill))
    return table(
        [
            Column("tool", yields=True),
            Column("calls", right=True),
            Column("errors", right=True, spare=1),
            Column("in calls", right=True, spare=2),
            Column("in results", right=True, spare=2),
            Column("together", right=True),
            Column("share", right=True),
            Column("", spare=3),
        ],
        rows,
        title="By tool",
    )


def _tool_row(tool: ToolFill, fill: Fill) -> tuple[object, ...]:
    share = tool.size / (fill.size or 1)
    return (
        one_line(tool.name, 40),
        tool.calls,
        tool.errors or "",
        tool.call_size,
        tool.result_size,
        tool.size,
        percent(share),
        bar(share, 12, BAR),
    )


def _turns(fill: Fill) -> RenderableType:
    """All turns where they are few, else those that added most."""
    added = added_by_turn(fill.turns)
    chosen = sorted(range(len(added)), key=lambda at: -added[at])[:TURNS]
    chosen = sorted(chosen) if len(added) > TURNS else list(range(len(added)))
    with_usage = fill.unit == "tokens" and any(t.hidden is not None for t in fill.turns)
    columns = [
        Column("turn", right=True),
        Column("message", right=True, spare=2),
        Column("window", right=True),
        Column("added", right=True),
        Column("answer", right=True, spare=1),
    ]
    if with_usage:
        columns += [Column("reported", right=True, spare=1), Column("hidden", right=True)]
    rows: list[tuple[object, ...]] = []
    for at in chosen:
        turn = fill.turns[at]
        row: tuple[object, ...] = (
            turn.number,
            turn.message,
            turn.size,
            f"{added[at]:+,}",
            turn.answer,
        )
        if with_usage:
            known = turn.reported is not None and turn.hidden is not None
            reported = turn.reported.context if known and turn.reported else None
            row += (number(reported), number(turn.hidden))
        rows.append(row)
    few = len(added) <= TURNS
    title = "By turn" if few else f"By turn: the {len(chosen)} of {len(added):,} that added most"
    return table(columns, rows, title=title)


def added_by_turn(turns: Sequence[Turn]) -> list[int]:
    """How much larger the window was at each call than at the one before."""
    sizes = [turn.size for turn in turns]
    return [size - before for before, size in zip([0, *sizes], sizes, strict=False)]


def _largest(largest: Sequence[Large], unit: str) -> RenderableType:
    return table(
        [
            Column(unit, right=True),
            Column("what"),
            Column("message", right=True),
            Column("block id"),
            Column("begins", style="dim", yields=True, spare=1),
        ],
        [
            (
                large.size,
                one_line(" ".join(filter(None, (large.tool, large.kind))), 32),
                f"{large.message}.{large.block}",
                large.id,
                one_line(large.excerpt, 60),
            )
            for large in largest
        ],
        title=f"The {plural(len(largest), 'largest block')}"
        if len(largest) > 1
        else "The largest block",
    )


def _repeats(fill: Fill) -> RenderableType:
    shown: Sequence[Repeat] = fill.repeats[:REPEATS]
    title = (
        f"Observed again: {plural(len(fill.repeats), 'resource')}, "
        f"{short(fill.stale)} {fill.unit} besides the newest of each"
    )
    return table(
        [
            Column("times", right=True),
            Column(fill.unit, right=True),
            Column("older", right=True),
            Column("by", spare=1),
            Column("resource", yields=True),
        ],
        [
            (r.count, r.size, r.stale, one_line(", ".join(r.tools), 24), one_line(r.resource, 200))
            for r in shown
        ],
        title=title,
    )


def _secrets(fill: Fill) -> RenderableType:
    return table(
        [Column("times", right=True), Column("kind"), Column("messages", folds=True)],
        [(found.count, found.kind, numbers(found.messages)) for found in fill.secrets],
        title=secrets_line(fill),
    )


def secrets_line(fill: Fill) -> str:
    """How many keys, tokens and passwords there are."""
    return f"Keys, tokens and passwords: {sum(found.count for found in fill.secrets):,}"


def numbers(messages: Sequence[int], most: int = 20) -> str:
    """Message numbers as a list for people."""
    shown = ", ".join(f"{number:,}" for number in messages[:most])
    return shown + (f" and {len(messages) - most:,} more" if len(messages) > most else "")


def totals(fills: Sequence[Fill]) -> RenderableType:
    """All sessions in one table."""
    rows: list[tuple[object, ...]] = [
        (
            fill.name,
            fill.format,
            fill.messages,
            len(fill.turns),
            fill.size,
            percent(fill.size / fill.window) if fill.window else "",
            fill.stale,
        )
        for fill in fills
    ]
    rows.append(
        (
            plural(len(fills), "session"),
            "",
            sum(fill.messages for fill in fills),
            sum(len(fill.turns) for fill in fills),
            sum(fill.size for fill in fills),
            "",
            sum(fill.stale for fill in fills),
        )
    )
    return table(
        [
            Column("session", yields=True),
            Column("format", spare=1),
            Column("messages", right=True, spare=3),
            Column("turns", right=True, spare=2),
            Column(fills[0].unit, right=True),
            Column("of window", right=True),
            Column("observed again", right=True, spare=1),
        ],
        rows,
        title="All sessions",
        ends=(len(rows) - 2,),
    )
