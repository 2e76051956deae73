"""Charts of characters and of SVG: they show every value, in the room that there is."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.evaluation.compare import Row
from trimtab.history.message import Usage
from trimtab.report.area import MOST, area, thinned
from trimtab.report.growth import HEIGHT, growth
from trimtab.report.labels import LETTER, placed
from trimtab.report.means import means
from trimtab.report.palette import COLOURS, SERIES
from trimtab.report.pieces import PARTS
from trimtab.report.svg import ticks
from trimtab.report.tradeoff import asked, tradeoff, whole_sizes
from trimtab.report.turns import Turn

SVG = "{http://www.w3.org/2000/svg}"


def turn(number: int, *sizes: int, reported: int = 0, compacted: bool = False) -> Turn:
    parts = (*sizes, *[0] * (len(PARTS) - len(sizes)))
    usage = Usage(input=reported) if reported else None
    return Turn(number, number, parts, 1, usage, compacted)


many_turns = st.lists(
    st.tuples(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.integers(0, 10**7)),
    min_size=1,
    max_size=30,
).map(lambda rows: [turn(n, *sizes, reported=r) for n, (sizes, r) in enumerate(rows, 1)])


# -- characters ------------------------------------------------------------------------------------


@given(many_turns, st.integers(20, 200), st.booleans())
def test_growth_fits_and_shows_every_turn_that_there_is_room_for(
    turns: Sequence[Turn], width: int, stacked: bool
) -> None:
    rows = growth(turns, width, stacked=stacked)
    lines = ["".join(span.text for span in row) for row in rows]
    assert max(map(len, lines)) <= width
    plot = [row[1:] for row in rows[:HEIGHT]]
    for spans in plot:
        assert all(-1 <= span.part < len(PARTS) for span in spans)
        assert all(span.behind < 0 or span.part >= 0 for span in spans)
    if any(t.size for t in turns):
        assert any(span.part >= 0 for spans in plot for span in spans)
    else:
        assert not any(span.part >= 0 for spans in plot for span in spans)


def test_growth_of_a_known_window() -> None:
    turns = [turn(1, 10), turn(2, 20, 20), turn(3, 30, 50, reported=160)]
    rows = growth(turns, 30, stacked=False, height=4)
    lines = ["".join(span.text for span in row).rstrip() for row in rows]
    assert lines == [
        " 160┤                ········",
        "    │",
        "  80┤                ████████",
        "    │▂▂▂▂▂▂▂▂████████████████",
        "   0└────────────────────────",
        "     turn 1                 3",
    ]


def test_growth_marks_compactions() -> None:
    rows = growth([turn(1, 90), turn(2, 5, compacted=True)], 40, stacked=True)
    assert rows[-1][0].text.rstrip().endswith("▲ compacted")
    assert growth([], 40, stacked=True) == []


# -- SVG -------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(many_turns, st.one_of(st.none(), st.integers(1, 10**6)))
def test_areas_are_well_formed_and_inside(turns: Sequence[Turn], window: int | None) -> None:
    picture = ElementTree.fromstring(area(turns, "tokens", window))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    shown = {e.attrib["fill"] for e in picture.iter(f"{SVG}polygon")}
    wanted = {COLOURS[part] for n, part in enumerate(PARTS) if any(t.parts[n] for t in turns)}
    assert shown == wanted
    for element in (*picture.iter(f"{SVG}polygon"), *picture.iter(f"{SVG}polyline")):
        for point in element.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_many_turns_are_thinned_without_losing_the_highest() -> None:
    turns = [turn(n, n % 977) for n in range(1, 5_001)]
    kept = thinned(turns)
    assert len(kept) <= MOST + 1
    assert max(t.size for t in kept) == 976
    assert kept[-1] is turns[-1]
    assert [t.number for t in kept] == sorted(t.number for t in kept)
    assert thinned(turns[:MOST]) == turns[:MOST]


@given(st.floats(0.001, 1e9), st.integers(2, 8))
def test_ticks_are_few_and_inside(top: float, most: int) -> None:
    found = ticks(top, most)
    assert found[0] == 0
    assert found[-1] <= top
    assert len(found) <= most + 1


# -- the trade-off ---------------------------------------------------------------------------------


def row(
    file: str, policy: str, budget: str, used: int | None, kept: float = 1.0, needed: int = 0
) -> Row:
    return Row(
        file=file,
        policy=policy,
        budget=budget,
        capacity=int(float(budget.rstrip("%"))),
        used=used,
        reduction=None if used is None else 1 - used / 100,
        required_retention=None if used is None else kept,
        verbatim_fidelity=None if used is None else 1.0,
        valid=None if used is None else True,
        feasible=used is not None,
        needed=needed or None,
    )


def texts(picture: ElementTree.Element) -> list[str]:
    return [e.text or "" for e in picture.iter(f"{SVG}text")]


def test_every_policy_has_a_panel_and_every_budget_a_mark() -> None:
    rows = [
        row("f", "one", "100%", 100),
        row("f", "one", "50%", 49, 0.5),
        row("f", "two", "100%", 100),
        row("f", "two", "50%", None, needed=80),
    ]
    picture = ElementTree.fromstring(tradeoff(rows))
    said = texts(picture)
    assert said.count("one") == said.count("two") == 1
    assert said.count("100%") == said.count("50%") == 2
    crosses = [e for e in picture.iter(f"{SVG}path") if e.attrib.get("class") == "cross"]
    assert len(crosses) == 2  # the mark and its legend
    assert said.count("every budget met") == 1
    assert "budget cannot be met" in said


@pytest.mark.parametrize("files", [2, 6, 7, 40])
def test_several_files(files: int) -> None:
    rows = [
        row(f"file-{n}", policy, budget, 40 if n % 3 else None, needed=90)
        for n in range(files)
        for policy in ("one", "two")
        for budget in ("100%", "50%")
    ]
    picture = ElementTree.fromstring(tradeoff(rows))
    said = texts(picture)
    if files <= len(SERIES):
        assert all(f"file-{n}" in said for n in range(files))
    else:
        assert "each session" in said
        unmet = sum(1 for n in range(files) if n % 3 == 0)
        assert said.count(f"{unmet}×") == 4


def test_the_reduction_that_was_asked_for() -> None:
    met, unmet = row("f", "p", "50%", 40), row("f", "q", "25%", None, needed=80)
    assert whole_sizes([met, unmet]) == {"f": pytest.approx(100)}
    assert asked(unmet, whole_sizes([met, unmet])) == pytest.approx(0.75)
    assert whole_sizes([unmet]) == {"f": 80}


def test_means_are_over_those_that_met_the_budget() -> None:
    rows = [
        row("a", "p", "50%", 50, 1.0),
        row("b", "p", "50%", 25, 0.5),
        row("c", "p", "50%", None),
        row("a", "q", "50%", None),
        row("b", "q", "50%", None),
        row("c", "q", "50%", None),
    ]
    first, second = means(rows)
    assert (first.files, first.met, first.valid) == (3, 2, 2)
    assert first.reduction == pytest.approx(0.625)
    assert first.required_retention == pytest.approx(0.75)
    assert (second.met, second.reduction) == (0, None)
    assert means(rows[:1]) == []


@given(
    st.lists(
        st.tuples(st.floats(20, 220), st.floats(20, 170), st.sampled_from(["5%", "100%", "50k"])),
        max_size=4,
    )
)
def test_labels_stay_inside_and_apart_where_there_is_room(
    labels: list[tuple[float, float, str]],
) -> None:
    frame = (10.0, 10.0, 230.0, 180.0)
    found = placed(labels, [(x, y) for x, y, _ in labels], frame)
    assert [said for _, _, said in found] == [said for _, _, said in labels]
    for x, _, said in found:
        half = LETTER * len(said) / 2
        assert x - half >= frame[0] - half
        assert x + half <= frame[2] + half


def test_labels_of_neighbours_do_not_cover_each_other() -> None:
    labels = [(100.0, 50.0, "70%"), (112.0, 50.0, "50%"), (120.0, 50.0, "25%")]
    found = placed(labels, [(x, y) for x, y, _ in labels], (0.0, 0.0, 300.0, 200.0))
    for (x1, y1, a), (x2, y2, b) in combinations(found, 2):
        apart = abs(x1 - x2) >= LETTER * (len(a) + len(b)) / 2 or abs(y1 - y2) >= 12
        assert apart, found


def test_the_legend_of_several_files_gives_no_file_s_colour_to_what_all_share() -> None:
    rows = [row(file, "one", "50%", 40) for file in ("a", "b")]
    picture = ElementTree.fromstring(tradeoff(rows))
    shared = [e for e in picture.iter(f"{SVG}circle") if e.attrib["fill"] == "var(--soft)"]
    assert len(shared) == 1
    alone = ElementTree.fromstring(tradeoff(rows[:1]))
    assert all(e.attrib["fill"] != "var(--soft)" for e in alone.iter(f"{SVG}circle"))
