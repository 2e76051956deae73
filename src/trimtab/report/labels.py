"""Labels beside the points of a chart, placed so that none covers another or a point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

LETTER, LINE = 7.0, 12.0
"""Pixels that a small letter and a line take, about."""
_POINT = 5.0


def placed(
    labels: Sequence[tuple[float, float, str]], points: Iterable[tuple[float, float]], frame: Box
) -> list[tuple[float, float, str]]:
    """Where the middle of each label's base line goes.

    Below its point, else above, further below or above, or beside: the first place that is free
    and inside the frame. Where none is free, below, all the same: a label is never left out.

    Args:
        labels: the point's place and the words.
        points: the places of all points.
        frame: what no label may leave.
    """
    taken = [(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points]
    found = []
    for x, y, said in labels:
        half = LETTER * len(said) / 2
        middle = min(max(x, frame[0] + half + 2), frame[2] - half - 2)
        places = [
            (middle, y + 17),
            (middle, y - 8),
            (x + half + 8, y + 4),
            (x - half - 8, y + 4),
            (middle, y + 30),
            (middle, y - 21),
            (middle, y + 43),
        ]
        place = next(
            (p for p in places if _free(_box(p, half), taken, frame)),
            places[0],
        )
        taken.append(_box(place, half))
        found.append((*place, said))
    return found


def _box(place: tuple[float, float], half: float) -> Box:
    x, y = place
    return x - half, y - LINE + 3, x + half, y + 3


def _free(box: Box, taken: Sequence[Box], frame: Box) -> bool:
    left, top, right, bottom = box
    if left < frame[0] or right > frame[2] or top < frame[1] or bottom > frame[3]:
        return False
    return not any(left < r and a < right and top < b and t < bottom for a, t, r, b in taken)
