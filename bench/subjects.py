"""Precision and recall of `superseded` on labelled pairs: `python -m bench.subjects`.

A line of `tests/subject_pairs.jsonl` is an earlier and a later statement, and whether the later one
replaces the earlier. Three splits. `develop`: the rules were tuned on it. `held-out`: written
before any rule; measured first at precision .968 and recall .882 when `develop` was at 1.0 and .98,
then looked at and repaired. `fresh`: written when the rules were done; measured first at precision
.970 (one false replacement, since repaired) and recall .941. Four rounds that were folded into
`develop` were measured first at precision .98, .98, .98, 1.0 and recall .66, .77, .74, .78: on
wordings of any kind believe a precision of about .97 and a recall of about .8.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from trimtab.summaries.subjects import superseded

PAIRS = Path(__file__).resolve().parent.parent / "tests" / "subject_pairs.jsonl"
MANY = 10_000


def pairs() -> list[dict[str, Any]]:
    """The labelled pairs."""
    return [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]


def replaces(pair: dict[str, Any]) -> bool:
    """What `superseded` says of a pair."""
    return superseded([pair["earlier"], pair["later"]]) == {0: 1}


def many(count: int = MANY) -> list[str]:
    """So many different statements, on many subjects, with replacements among them."""
    bases = [text for pair in pairs() for text in (pair["earlier"], pair["later"])]
    return [
        f"{bases[at % len(bases)].rstrip('.。')} (part {at // len(bases)})." for at in range(count)
    ]


def measure() -> dict[str, Any]:
    """Counts, precision and recall for each set and language; which went wrong; the time.

    Returns:
        `splits`: by name, `tp fp fn tn precision recall`; `wrong`: the pairs; `seconds`: for
        10,000 statements, read for the first time.
    """
    counts: dict[str, dict[str, int]] = {}
    wrong = []
    for pair in pairs():
        found, true = replaces(pair), pair["replaces"]
        verdict = ("t" if found == true else "f") + ("p" if found else "n")
        name = pair["split"]
        for key in (name, f"{name} {pair['lang']}"):
            counts.setdefault(key, dict.fromkeys(("tp", "fp", "fn", "tn"), 0))[verdict] += 1
        if found != true:
            wrong.append({"split": name, "verdict": verdict, **pair})
    statements = many()
    start = time.perf_counter()
    superseded(statements)
    seconds = time.perf_counter() - start
    return {
        "splits": {key: _rates(counts[key]) for key in sorted(counts)},
        "wrong": wrong,
        "statements": len(statements),
        "seconds": round(seconds, 3),
    }


def _rates(count: dict[str, int]) -> dict[str, float]:
    found = count["tp"] + count["fp"]
    there = count["tp"] + count["fn"]
    return {
        **count,
        "pairs": sum(count.values()),
        "precision": round(count["tp"] / found, 4) if found else 1.0,
        "recall": round(count["tp"] / there, 4) if there else 1.0,
    }


def main() -> None:
    """Print the table."""
    result = measure()
    for name, row in result["splits"].items():
        print(f"{name:<14}" + "".join(f"  {key} {value}" for key, value in row.items()))
    for pair in result["wrong"]:
        print(f"{pair['split']} {pair['verdict']}: {pair['earlier']} | {pair['later']}")
    print(f"{result['statements']} statements in {result['seconds']} s")


if __name__ == "__main__":
    main()
