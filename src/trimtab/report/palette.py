"""One colour for each part of a window, the same in the terminal and on the page.

The colours are Okabe and Ito's (https://jfly.uni-koeln.de/color/), which people with any kind of
colour blindness tell apart; no figure relies on colour alone.
"""

from __future__ import annotations

from trimtab.report.pieces import PARTS

COLOURS = dict(
    zip(
        PARTS,
        (
            "#8a9199",  # instructions: grey
            "#e69f00",  # user: orange
            "#56b4e9",  # assistant: sky blue
            "#cc79a7",  # thinking: purple
            "#009e73",  # tool calls: green
            "#0072b2",  # tool results: blue
            "#d55e00",  # pictures and files: vermilion
            "#c5bd42",  # other: dull yellow
        ),
        strict=True,
    )
)
"""Part -> colour."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""For up to six lines of a chart."""
