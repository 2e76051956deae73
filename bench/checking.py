"""The checks of summaries: what the guard finds, and what replaces what, from their own sets."""

from __future__ import annotations

from bench.guarding import measure as measure_guard
from bench.shape import Section, at_least, at_most
from bench.subjects import measure as measure_subjects


def measure(quick: bool = False) -> Section:
    """One row a half and kind of fault; quick or not, the whole set."""
    guard = measure_guard()
    rows = [
        {"what": f"guard: {name}", "half": half, "right": _right(name, row), "of": row["summaries"]}
        for half, kinds in guard["halves"].items()
        for name, row in kinds.items()
    ]
    subjects = measure_subjects()
    for name, rates in subjects["splits"].items():
        share = {"precision": rates["precision"], "recall": rates["recall"]}
        pairs = sum(rates[key] for key in ("tp", "fp", "fn", "tn"))
        rows += [
            {"what": f"replaces: {what}", "half": name, "right": figure, "of": pairs}
            for what, figure in share.items()
        ]
    aims = []
    for half, kinds in guard["halves"].items():
        sure, honest = kinds["numbers, paths, ids"], kinds["honest: values"]
        aims += [
            at_least(f"guard, {half}: numbers, paths, ids", sure["share"], 1, "share"),
            at_most(f"guard, {half}: false alarms on values", honest["share"], 0.01, "share"),
            at_most(
                f"guard, {half}: false alarms of any kind", kinds["honest"]["share"], 0.01, "share"
            ),
        ]
    return Section(
        title="Summaries: what the guard finds, and what replaces what",
        about=(
            "Generated summaries with one known fault each, and honest ones in other words "
            "(`guarding.py`); pairs of statements of which the later replaces the earlier, or only "
            "looks like it (`subjects.py`). `right` is the share that was told as it is: of faults "
            "those reported, of honest summaries those left alone. Held-out cases were written "
            "before what they measure was tuned and were not looked at; `guarding.py` says more."
        ),
        rows=rows,
        units={"right": "share"},
        aims=aims,
    )


def _right(name: str, row: dict[str, float]) -> float:
    share = row["share"]
    return round(1 - share, 4) if name.startswith("honest") else share
