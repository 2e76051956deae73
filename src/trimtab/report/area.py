"""The growth of a window as stacked areas, one for each part."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.report import svg
from trimtab.report.palette import COLOURS
from trimtab.report.pieces import PARTS
from trimtab.report.plain import short
from trimtab.report.turns import Turn

WIDTH, HEIGHT = 960, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 34
MOST = 600
"""More turns than this are thinned out: the picture has no room to show them."""


def thinned(turns: Sequence[Turn]) -> list[Turn]:
    """At most about `MOST` turns: of each run the one with the largest window, and the last."""
    if len(turns) <= MOST:
        return list(turns)
    run = -(-len(turns) // MOST)
    kept = [
        max(turns[at : at + run], key=lambda turn: turn.size) for at in range(0, len(turns), run)
    ]
    return kept if kept[-1] is turns[-1] else [*kept, turns[-1]]


def area(turns: Sequence[Turn], unit: str, window: int | None = None) -> str:
    """The picture, for a page; `turns` are few enough (`thinned`).

    Args:
        window: the model's window; drawn where the content comes near it.
    """
    reported = [
        turn.reported.context if turn.hidden is not None and turn.reported else 0 for turn in turns
    ]
    top = max(*(turn.size for turn in turns), *reported, 1)
    near = window is not None and window <= 2 * top
    if near and window is not None:
        top = max(top, window)
    top = round(top * 1.04) + 1
    plot = _Plot(turns, top)
    drawn = [*plot.grid(), *plot.areas()]
    if any(reported):
        drawn.append(plot.reported(reported))
    if near and window is not None:
        y = plot.y(window)
        drawn.append(svg.line(LEFT, y, WIDTH - RIGHT, y, "limit"))
        drawn.append(
            svg.words(WIDTH - RIGHT - 4, y - 5, f"window {short(window)}", "small soft", "end")
        )
    drawn += plot.compactions()
    drawn.append(svg.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis"))
    cursor = svg.element("line", klass="cursor", x1=0, x2=0, y1=TOP, y2=HEIGHT - BOTTOM)
    title = f"The window at each call of the model, in {unit}, by kind of content"
    return svg.inline(WIDTH, HEIGHT, title, *drawn, cursor)


class _Plot:
    """The places of turns and sizes on the picture."""

    def __init__(self, turns: Sequence[Turn], top: float) -> None:
        # A single turn is drawn as a plateau, or it would have no width.
        self.turns = [*turns, turns[0]] if len(turns) == 1 else list(turns)
        self.alone = len(turns) == 1
        self.top = top

    def x(self, at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (len(self.turns) - 1)

    def y(self, size: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * size / self.top

    def grid(self) -> list[str]:
        drawn = []
        for value in svg.ticks(self.top):
            y = self.y(value)
            drawn.append(svg.line(LEFT, y, WIDTH - RIGHT, y, "grid"))
            drawn.append(svg.words(LEFT - 7, y + 4, short(value), "soft", "end"))
        for at in self._labelled():
            anchor = "end" if at == len(self.turns) - 1 and at else "middle"
            said = f"turn {self.turns[at].number:,}" if at == 0 else f"{self.turns[at].number:,}"
            anchor = "start" if at == 0 else anchor
            drawn.append(svg.words(self.x(at), HEIGHT - BOTTOM + 17, said, "soft", anchor))
        return drawn

    def _labelled(self) -> list[int]:
        if self.alone:
            return [0]
        last = len(self.turns) - 1
        inner = [int(v) for v in svg.ticks(last, 6) if last * 0.08 < v < last * 0.92]
        return [0, *inner, last]

    def areas(self) -> list[str]:
        drawn = []
        below = [0] * len(self.turns)
        for number, part in enumerate(PARTS):
            above = [
                size + turn.parts[number] for size, turn in zip(below, self.turns, strict=True)
            ]
            if above != below:
                upper = [(self.x(at), self.y(size)) for at, size in enumerate(above)]
                lower = [(self.x(at), self.y(size)) for at, size in enumerate(below)]
                label = svg.element("title", part)
                shape = svg.polygon([*upper, *reversed(lower)], fill=COLOURS[part], klass="part")
                drawn.append(shape.replace("/>", f">{label}</polygon>"))
            below = above
        return drawn

    def reported(self, sizes: Sequence[int]) -> str:
        """The line of reported sizes, broken where none was reported."""
        sizes = [*sizes, sizes[0]] if self.alone else list(sizes)
        drawn: list[str] = []
        run: list[tuple[float, float]] = []
        for at, size in enumerate([*sizes, 0]):
            if size:
                run.append((self.x(at), self.y(size)))
            elif run:
                drawn.append(
                    svg.polyline(run if len(run) > 1 else [*run, run[0]], klass="reported")
                )
                run = []
        return "".join(drawn)

    def compactions(self) -> list[str]:
        drawn = []
        for at, turn in enumerate(self.turns):
            if turn.compacted and at:
                x = (self.x(at) + self.x(at - 1)) / 2
                drawn.append(svg.line(x, TOP, x, HEIGHT - BOTTOM, "cut"))
                drawn.append(svg.words(x + 4, TOP + 10, "compacted", "small soft"))
        return drawn
