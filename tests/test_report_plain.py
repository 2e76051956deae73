"""Text and figures as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.report import plain


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    shown = plain.printable(text)
    assert len(shown) == len(text)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any("\x7f" <= c <= "\x9f" for c in shown)


def test_marks_that_turn_the_writing_direction() -> None:
    assert plain.printable("a\u202eb\u2066c") == "a·b·c"


@given(st.text(), st.integers(5, 100))
def test_one_line(text: str, length: int) -> None:
    line = plain.one_line(text, length)
    assert len(line) <= length
    assert "\n" not in line


def test_one_line_says_that_it_was_cut() -> None:
    assert plain.one_line("one two", 20) == "one two"
    assert plain.one_line("one two three", 8) == "one two…"
    assert plain.one_line(" " * 1000 + "late", 20).endswith("…")


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "–"),
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (0.004, "0.4 %"),
        (0.0001, "<0.1 %"),
        (0.996, "99.6 %"),
        (0.99999, ">99.9 %"),
        (-0.001, "0 %"),
        (-0.25, "-25 %"),
    ],
)
def test_a_rate_is_never_rounded_to_all_or_nothing(rate: float | None, shown: str) -> None:
    assert plain.percent(rate) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (950, "950"), (1_000, "1k"), (12_345, "12.3k"), (128_000, "128k"), (2e6, "2M")],
)
def test_short_figures(value: float, shown: str) -> None:
    assert plain.short(value) == shown


@given(st.floats(0, 5e9))
def test_short_figures_are_near(value: float) -> None:
    shown = plain.short(value)
    factor = {"k": 1e3, "M": 1e6}.get(shown[-1], 1)
    assert float(shown.rstrip("kM")) * factor == pytest.approx(value, rel=0.01, abs=0.01)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (61, "1 min"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (90_000, "25 h"),
        (200_000, "2 days"),
        (-5, "0 s"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert plain.duration(seconds) == shown


def test_counts_and_sizes() -> None:
    assert plain.plural(1, "policy", "policies") == "1 policy"
    assert plain.plural(2000, "policy", "policies") == "2,000 policies"
    assert plain.file_size(999) == "999 B"
    assert plain.file_size(3_200_000) == "3.2 MB"
    assert plain.age(0.5) == "now"
    assert plain.number(None) == "–"
