"""`python -m bench.conformance [--seeds 1-4] [--budgets 10%,20%,30%]`.

Prints the public suite and the variant, trimtab beside the suite's reference strategies.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.conformance.adapter import Trimtab, turn_texts
from bench.conformance.variant import Compaction, Figures, measured, trimtab
from trimtab.history.message import Message


def seeds_of(text: str) -> list[int]:
    """`1-4,9` as numbers.

    Raises:
        ValueError: it is none of that.
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def shares_of(text: str) -> list[float]:
    """`10%,20%` as shares.

    Raises:
        ValueError: it is none of that.
    """
    return [float(part.strip().removesuffix("%")) / 100 for part in text.split(",")]


def public(seeds: Sequence[int], shares: Sequence[float]) -> str:
    """The table of the public suite."""
    from compaction_kit.benchmark import (  # type: ignore[import-untyped]
        budget_benchmark_to_markdown,
        run_budget_benchmark,
    )
    from compaction_kit.cli import COMPACTORS  # type: ignore[import-untyped]

    made = run_budget_benchmark({"trimtab": Trimtab, **COMPACTORS}, budgets=shares, seeds=seeds)
    return str(budget_benchmark_to_markdown(made))


def references() -> dict[str, Compaction]:
    """The suite's reference strategies as compactors of the variant."""
    from compaction_kit.cli import COMPACTORS
    from compaction_kit.session import Turn  # type: ignore[import-untyped]

    def of(make: type) -> Compaction:
        def compact(new: Sequence[Message], text: str, budget: int) -> str:
            turns = [Turn("system", text)] if text else []
            turns += [Turn(role, said) for role, said in turn_texts(new)]
            return str(make().compact(turns, round_num=1, budget_chars=budget).text)

        return compact

    return {name: of(make) for name, make in COMPACTORS.items()}


def variant(seeds: Sequence[int], shares: Sequence[float]) -> str:
    """The table of the variant."""
    rows = ["# Variant: no labels, corrections in other words, Japanese, tool work, new turns", ""]
    for share in shares:
        rows += [
            f"## Budget {share:.0%}",
            "",
            "| Compactor | Compliant | Survival | Resolved | Stale present | Distinct pairs"
            " | Final output |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        found = {
            name: measured(compaction, seeds, share)
            for name, compaction in {"trimtab": trimtab, **references()}.items()
        }
        ranked = sorted(found.items(), key=lambda pair: -pair[1].survival)
        rows += [_row(name, figures) for name, figures in ranked]
        rows.append("")
    return "\n".join(rows)


def _row(name: str, figures: Figures) -> str:
    return (
        f"| {name} | {'yes' if figures.within else 'NO'} | {figures.survival:.1%} "
        f"| {figures.resolution:.1%} | {figures.stale}/{figures.changed} "
        f"| {figures.distinct:.1%} | {figures.characters / figures.of:.1%} |"
    )


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.conformance", description=__doc__)
    parser.add_argument("--seeds", default="1-4", help="such as 1-4 or 1,3,5 (default: 1-4)")
    parser.add_argument("--budgets", default="10%,20%,30%", help="shares of the first text")
    parser.add_argument("--suite", choices=["public", "variant", "both"], default="both")
    options = parser.parse_args()
    try:
        seeds, shares = seeds_of(options.seeds), shares_of(options.budgets)
    except ValueError as failure:
        parser.error(str(failure))
    if options.suite != "variant":
        print(public(seeds, shares))
    if options.suite != "public":
        print(variant(seeds, shares))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
