"""One compaction of a whole history: does its cost a message stay the same as it grows?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.clock import seconds, typical
from bench.fresh import unseen
from bench.histories import anthropic_request, openai_request
from bench.shape import Aim, Section, at_most, rounded
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.context.writing import write
from trimtab.errors import BudgetInfeasible
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.policies.policy import Policy
from trimtab.policies.registry import POLICIES, parse_policy

LIMIT = 2.5
SHARES = {"append": 100, "clear-thinking": 100}
"""The budget, in percent of the history's size: what the policy can meet. 50 for all others."""
DIALECTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "openai": openai_request,
    "anthropic": anthropic_request,
}


def compacted(history: History, policy: Policy, budget: Budget) -> float:
    """Seconds for the plan (counting included), the context and the request."""
    return seconds(lambda: write(policy.plan(history, budget).projection.context()))


def measure(quick: bool = False) -> Section:
    """Every policy on a short and a ten times longer history, in both wire formats."""
    short, long = (40, 400) if quick else (2_000, 20_000)
    rows: list[dict[str, Any]] = []
    aims: list[Aim] = []
    for dialect, make in DIALECTS.items():
        requests = {size: make(size) for size in (short, long)}
        for name in POLICIES:
            row = _row(dialect, name, requests, short, long, quick)
            rows.append(row)
            if "ratio" in row:
                what = f"{name}, {dialect}: cost a message at {long:,} against {short:,}"
                aims.append(at_most(what, row["ratio"], LIMIT, "times"))
    return Section(
        title="One compaction",
        about=(
            "Plan, context and request of a history that nobody has counted before, at half of "
            "its size (`append` and `clear-thinking`: at its whole size), median of several "
            "runs. *Again*: the same texts once more, so that sizes come from the cache. "
            "OpenAI sizes are exact o200k counts, Anthropic ones estimates."
        ),
        rows=rows,
        units={
            f"at {short:,}": "µs a message",
            f"at {long:,}": "µs a message",
            f"again at {short:,}": "µs a message",
            f"again at {long:,}": "µs a message",
        },
        aims=aims,
    )


def _row(
    dialect: str,
    name: str,
    requests: dict[int, dict[str, Any]],
    short: int,
    long: int,
    quick: bool,
) -> dict[str, Any]:
    policy = parse_policy(name)
    row: dict[str, Any] = {"policy": name, "format": dialect}
    first: dict[int, float] = {}
    again: dict[int, float] = {}
    for size, repeats in ((short, 1 if quick else 7), (long, 1 if quick else 3)):
        request = requests[size]
        budget = _budget(read_request(request, dialect), SHARES.get(name, 50))
        runs = []
        try:
            for _ in range(repeats):
                new = unseen(request)
                runs.append(
                    [compacted(read_request(new, dialect), policy, budget) for _ in range(2)]
                )
        except BudgetInfeasible as unmet:
            return {**row, "note": str(unmet)}
        first[size], again[size] = (
            typical([run[at] for run in runs]) / size * 1e6 for at in (0, 1)
        )
    return {
        **row,
        **{f"at {size:,}": rounded(first[size]) for size in (short, long)},
        "ratio": rounded(first[long] / first[short]),
        **{f"again at {size:,}": rounded(again[size]) for size in (short, long)},
        "again ratio": rounded(again[long] / again[short]),
    }


def _budget(history: History, share: int) -> Budget:
    """A share of the history's size; at 100 percent with room for the words that make it new."""
    whole = Projection(history, Budget(1).counter_of(history)).size
    return Budget(whole * (share + 20 if share == 100 else share) // 100)
