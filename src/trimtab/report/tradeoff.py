"""What each policy pays for a smaller window: a small panel a policy, drawn alike.

Across: the reduction. Up: the required information that is still there word for word. A budget
that a policy cannot meet stands in the strip below, where the budget would have been: it is no
point of the curve, and it is not left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from trimtab.evaluation.compare import Row
from trimtab.report import svg
from trimtab.report.labels import placed
from trimtab.report.means import Mean, means
from trimtab.report.palette import SERIES
from trimtab.report.plain import one_line, percent

WIDTH = 960
PANEL, TALL = 236, 240
"""A panel with its margins."""
LEFT, RIGHT, TOP, STRIP, BOTTOM = 44, 12, 30, 34, 48
ACROSS = 4
_SHAPES = "osdt"
"""Circle, square, diamond, triangle: files are told apart by shape and colour."""

STYLE = """
.frame{fill:none;stroke:var(--line)}.strip{fill:var(--panel);stroke:var(--line)}
.cross{stroke:var(--bad);stroke-width:1.6;fill:none}.thin{stroke:var(--soft);stroke-width:1;\
opacity:.45;fill:none}
.hollow{fill:var(--paper)!important}.broken{stroke:var(--bad)!important;stroke-width:2.5}"""


@dataclass(slots=True)
class _Line:
    """One file's course under one policy."""

    file: str
    colour: str
    shape: str
    rows: list[Row] = field(default_factory=list)


def tradeoff(rows: Sequence[Row], *, inside: bool = False) -> str:
    """The chart as SVG.

    Args:
        rows: of `compare`, for one file or several.
        inside: for a page, which brings the colours; else a file of its own.
    """
    policies = list(dict.fromkeys(row.policy for row in rows))
    files = list(dict.fromkeys(row.file for row in rows))
    across = min(ACROSS, len(policies)) or 1
    width = max(across * PANEL + 24, 520)
    drawn = [
        svg.element("style", STYLE),
        svg.words(16, 24, "Required information kept, against size removed", "bold"),
    ]
    start = 40
    for at, policy in enumerate(policies):
        x, y = 12 + at % across * PANEL, start + at // across * TALL
        own = [row for row in rows if row.policy == policy]
        panel = _Panel(own, files, policy, whole_sizes(rows), left=at % across == 0)
        drawn.append(svg.element("g", *panel.draw(), transform=f"translate({x} {y})"))
    height: float = start + -(-len(policies) // across) * TALL + 10
    legend = list(_legend(rows, files, height, width))
    drawn += [element for element, _ in legend]
    height = max([height, *(y for _, y in legend)]) + 14
    title = "Required retention against reduction, by policy"
    if inside:
        return svg.inline(width, height, title, *drawn)
    return svg.standalone(width, height, title, *drawn)


def whole_sizes(rows: Sequence[Row]) -> dict[str, float]:
    """The size of each file before anything was removed, as far as the rows tell."""
    sizes: dict[str, float] = {}
    for row in rows:
        if row.used and row.reduction is not None and row.reduction < 1:
            sizes.setdefault(row.file, row.used / (1 - row.reduction))
    for row in rows:
        if row.file not in sizes and row.needed:  # at least; `append` needs just the whole
            own = [r.needed for r in rows if r.file == row.file and r.needed]
            sizes[row.file] = float(max(own))
    return sizes


def asked(row: Row, sizes: dict[str, float]) -> float:
    """The reduction that a budget asked for, 0..1."""
    whole = sizes.get(row.file)
    return max(0.0, 1 - row.capacity / whole) if whole else 0.0


class _Panel:
    """One policy."""

    def __init__(
        self,
        rows: Sequence[Row],
        files: Sequence[str],
        policy: str,
        sizes: dict[str, float],
        *,
        left: bool,
    ) -> None:
        self.rows, self.files, self.policy, self.sizes = rows, files, policy, sizes
        self.left = left

    def x(self, reduction: float) -> float:
        return LEFT + (PANEL - LEFT - RIGHT) * min(max(reduction, 0.0), 1.0)

    def y(self, retention: float) -> float:
        floor = TALL - BOTTOM - STRIP
        return floor - (floor - TOP) * retention

    def draw(self) -> Iterator[str]:
        yield svg.words(LEFT, TOP - 10, one_line(self.policy, 30), "bold")
        yield from self._frame()
        lines = self._lines()
        if len(lines) > len(SERIES):
            yield from self._many(lines)
        else:
            for line in lines:
                yield from self._one(line, labelled=len(lines) == 1)
        yield from self._unmet()

    def _frame(self) -> Iterator[str]:
        floor = self.y(0)
        for rate in (0, 0.25, 0.5, 0.75, 1):
            yield svg.line(self.x(rate), TOP, self.x(rate), floor, "grid")
            yield svg.line(LEFT, self.y(rate), PANEL - RIGHT, self.y(rate), "grid")
        for rate in (0, 0.5, 1):
            yield svg.words(LEFT - 6, self.y(rate) + 4, f"{rate * 100:g} %", "soft small", "end")
            anchor = "end" if rate == 1 else "start" if rate == 0 else "middle"
            bottom = TALL - BOTTOM + 14
            yield svg.words(self.x(rate), bottom, f"{rate * 100:g} %", "soft small", anchor)
        yield svg.words(self.x(0.5), TALL - BOTTOM + 29, "size removed", "soft small", "middle")
        yield svg.element(
            "rect", klass="strip", x=LEFT, y=floor, width=PANEL - LEFT - RIGHT, height=STRIP
        )
        yield svg.element(
            "rect", klass="frame", x=LEFT, y=TOP, width=PANEL - LEFT - RIGHT, height=floor - TOP
        )

    def _lines(self) -> list[_Line]:
        lines = []
        for number, file in enumerate(self.files):
            colour = SERIES[number % len(SERIES)]
            line = _Line(file, colour, _SHAPES[number % len(_SHAPES)])
            line.rows = [row for row in self.rows if row.file == file and row.feasible]
            lines.append(line)
        return lines

    def _place(self, row: Row) -> tuple[float, float]:
        return self.x(row.reduction or 0.0), self.y(row.required_retention or 0.0)

    def _one(self, line: _Line, *, labelled: bool) -> Iterator[str]:
        if not line.rows:
            return
        ordered = sorted(line.rows, key=lambda row: row.reduction or 0.0)
        places = [self._place(row) for row in ordered]
        yield svg.polyline(places, stroke=line.colour, stroke_width=1.8)
        labels: dict[tuple[int, int], tuple[float, float, list[str]]] = {}
        for row, (x, y) in zip(ordered, places, strict=True):
            yield _marker(line.shape, x, y, line.colour, _look(row), self._said(row))
            # Points that lie on each other share a label.
            labels.setdefault((round(x / 3), round(y / 3)), (x, y, []))[2].append(row.budget)
        if labelled:
            named = [(x, y, ", ".join(budgets)) for x, y, budgets in labels.values()]
            frame = (LEFT, TOP, PANEL - RIGHT, self.y(0))
            for x, y, said in placed(named, places, frame):
                yield svg.words(x, y, said, "small", "middle")

    def _many(self, lines: Sequence[_Line]) -> Iterator[str]:
        """More files than colours: all of them thin, and their mean for each budget."""
        for line in lines:
            ordered = sorted(line.rows, key=lambda row: row.reduction or 0.0)
            if ordered:
                yield svg.polyline([self._place(row) for row in ordered], klass="thin")
        line = _Line("mean", SERIES[0], "o")
        line.rows = [_point(mean) for mean in means(self.rows) if mean.met]
        yield from self._one(line, labelled=True)

    def _unmet(self) -> Iterator[str]:
        """The budgets that could not be met, in the strip."""
        unmet: dict[str, list[Row]] = {}
        for row in self.rows:
            if not row.feasible:
                unmet.setdefault(row.budget, []).append(row)
        y = self.y(0) + 11
        for budget, of_budget in unmet.items():
            x = self.x(sum(asked(row, self.sizes) for row in of_budget) / len(of_budget))
            count = f" in {len(of_budget)} of {len(self.files)}" if len(self.files) > 1 else ""
            yield svg.element(
                "path",
                svg.element("title", f"{budget} cannot be met{count}"),
                klass="cross",
                d=f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8",
            )
            said = f"{len(of_budget)}×" if count else budget
            inside = min(max(x, LEFT + 3.5 * len(said)), PANEL - RIGHT - 3.5 * len(said))
            yield svg.words(inside, y + 18, said, "small soft", "middle")
        if not unmet:
            yield svg.words(LEFT + 8, y + 10, "every budget met", "small soft")

    def _said(self, row: Row) -> str:
        return (
            f"{row.file}, {row.budget}: {percent(row.reduction)} less, "
            f"{percent(row.required_retention)} of the required kept, "
            f"{percent(row.verbatim_fidelity)} verbatim"
        )


def _point(mean: Mean) -> Row:
    """A mean as a point of its own."""
    return Row(
        file=f"mean of {mean.met}",
        policy=mean.policy,
        budget=mean.budget,
        capacity=0,
        used=0,
        reduction=mean.reduction,
        required_retention=mean.required_retention,
        verbatim_fidelity=mean.verbatim_fidelity,
        valid=mean.valid == mean.met,
        feasible=True,
        needed=None,
    )


def _look(row: Row) -> str:
    looks = []
    if row.verbatim_fidelity is not None and row.verbatim_fidelity < 1:
        looks.append("hollow")
    if row.valid is False:
        looks.append("broken")
    return " ".join(looks)


def _marker(shape: str, x: float, y: float, colour: str, look: str, said: str) -> str:
    title = svg.element("title", said) if said else ""
    ink = {"fill": colour, "stroke": colour, "stroke_width": 1.5, "klass": look or None}
    if shape == "s":
        return svg.element("rect", title, x=x - 3.5, y=y - 3.5, width=7, height=7, **ink)
    if shape == "d":
        return svg.element("path", title, d=f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z", **ink)
    if shape == "t":
        return svg.element("path", title, d=f"M{x:.1f} {y - 5:.1f}l5 8.5h-10z", **ink)
    return svg.element("circle", title, cx=x, cy=y, r=4, **ink)


def _legend(
    rows: Sequence[Row], files: Sequence[str], top: float, width: float
) -> Iterator[tuple[str, float]]:
    """Entries and their places, in as many lines as they need."""
    entries: list[tuple[str, str]] = []
    if 1 < len(files) <= len(SERIES):
        for number, file in enumerate(files):
            shape, colour = _SHAPES[number % len(_SHAPES)], SERIES[number % len(SERIES)]
            entries.append((_marker(shape, 0, 0, colour, "", ""), one_line(file, 60)))
    elif len(files) > 1:
        thick = svg.polyline([(-6, 0), (6, 0)], stroke=SERIES[0], stroke_width=1.8)
        entries.append((thick, "mean over the sessions that met the budget"))
        entries.append((svg.polyline([(-6, 0), (6, 0)], klass="thin"), "each session"))
    # Where colours tell files apart, what is said of all of them has none of theirs.
    colour = "var(--soft)" if 1 < len(files) <= len(SERIES) else SERIES[0]
    entries.append((_marker("o", 0, 0, colour, "", ""), "kept messages are unaltered"))
    looks = {look for row in rows if row.feasible for look in _look(row).split()}
    if "hollow" in looks:
        entries.append((_marker("o", 0, 0, colour, "hollow", ""), "some kept messages were cut"))
    if "broken" in looks:
        entries.append((_marker("o", 0, 0, colour, "broken", ""), "breaks a provider rule"))
    if any(not row.feasible for row in rows):
        cross = svg.element("path", klass="cross", d="M-4 -4l8 8m0 -8l-8 8")
        entries.append((cross, "budget cannot be met"))
    x, y = 24.0, top + 4
    yield svg.words(16, y + 4, "Across: size removed. Up: required information kept.", "soft"), y
    y += 20
    for mark, said in entries:
        length = 28 + 7 * len(said)
        if x > 24 and x + length > width:
            x, y = 24.0, y + 20
        yield svg.element("g", mark, transform=f"translate({x:g} {y:g})"), y
        yield svg.words(x + 12, y + 4, said, "soft"), y
        x += length
