"""Tables that fit: figures are never cut off, text is, and columns go before figures do."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from trimtab.report.fitted import Column, Fitted
from trimtab.report.terminal import bar, cell, console, flow, room, show, table


def printed(made: object, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False, markup=False).print(made)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def sample(*columns: Column) -> Fitted:
    values = ["1,234,567", "a long text that goes on and on", "blk_0123456789ab", "99 %"]
    return Fitted(columns, [[cell(value) for value in values[: len(columns)]]] * 2)


COLUMNS = (
    Column("size", right=True),
    Column("text", yields=True),
    Column("id"),
    Column("share", right=True, spare=1),
)


def test_where_there_is_room_nothing_is_cut() -> None:
    lines = printed(sample(*COLUMNS), 200)
    assert lines[2] == "1,234,567   a long text that goes on and on   blk_0123456789ab    99 %"


@pytest.mark.parametrize("width", range(42, 75))
def test_text_yields_to_figures(width: int) -> None:
    lines = printed(sample(*COLUMNS), width)
    assert max(map(len, lines)) <= width
    assert all("1,234,567" in line and "blk_0123456789ab" in line for line in lines[2:])
    if width < 70:
        assert "…" in lines[2]
    assert ("99 %" in lines[2]) == (width >= 49)


@given(
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.text("ab本", max_size=30)),
        min_size=1,
        max_size=6,
    ),
    st.integers(5, 120),
)
def test_what_is_shown_fits(columns: list[tuple[bool, bool, int, str]], width: int) -> None:
    made = Fitted(
        [Column("c", yields=y, folds=f and not y, spare=s) for y, f, s, _ in columns],
        [[cell(text) for *_, text in columns]],
    )
    shown = made.fit(width)
    total = sum(shown.values()) + 3 * max(len(shown) - 1, 0)
    left_to_drop = [at for at in shown if columns[at][2]]
    assert total <= width or not left_to_drop
    if made.width <= width:
        assert list(shown.values()) == made.widths()


def test_a_table_takes_text_as_it_is() -> None:
    made = table([Column("a"), Column("b", right=True)], [("[bold]x[/]\x1b[2J", 1234), (None, "")])
    lines = printed(made, 80)
    assert lines[2].split() == ["[bold]x[/]·[2J", "1,234"]


def test_entries_flow_without_breaking() -> None:
    entries = [Text("one two"), Text("three"), Text("four five six")]
    lines = [line.plain for line in flow(entries, " · ", 16)]
    assert lines == ["one two · three", "four five six"]
    assert list(flow([], " ", 10)) == []


@given(st.floats(-1, 2), st.integers(1, 40))
def test_a_bar_is_as_long_as_its_rate(rate: float, width: int) -> None:
    drawn = bar(rate, width).plain
    assert len(drawn) <= width
    assert bool(drawn) == (rate > 0)
    assert abs(len(drawn) - max(0.0, min(rate, 1.0)) * width) <= 1


def test_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    out = io.StringIO()
    to = console(out)
    assert room(to) == 100
    monkeypatch.setenv("COLUMNS", "132")
    assert room(to) == 132
    long = "x" * 500
    show(to, table([Column("a", yields=True), Column("b")], [(long, "end")]))
    assert long in out.getvalue()
    assert all(line == line.rstrip() for line in out.getvalue().splitlines())
