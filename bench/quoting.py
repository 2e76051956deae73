"""What an extractive summary is worth to who goes on with the session: `python -m bench.quoting`.

Recorded sessions are cut after 30, 50 and 70 % of their messages; what `compact` would take out at
the cut is summarised. The *needed* literals (paths, ids, numbers, quotes; `evaluation.literals`)
are those that the recorded assistant uses after the cut, that occur in what left, and that what
stays does not show. Counted is the share of them that stands in the summary. Literals are not all
that matters: a sentence with none can be the one that tells why; and of the gain over the baselines
the larger part is due to the paths in use that stand bare.

Two halves. `develop`: read with the eyes while the rules were written; the bundled sessions are
among X

Beside it, at the same size: the last lines of what left, half of it first and half last lines,
sentences by the weight of their rare words (TF-IDF), and sentences at random.
"""

from __future__ import annotations

import math
import os
import random
import re
import sys
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.shape import Aim, Section, at_most, rounded
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.evaluation.literals import literals, literals_of
from trimtab.formats.recording import read_recording
from trimtab.history.log import History
from trimtab.history.message import Text, ToolResult
from trimtab.history.placeholders import is_placeholder
from trimtab.policies.compact import Compact
from trimtab.summaries.extractive import chosen
from trimtab.summaries.request import Request
from trimtab.summaries.template import render
from trimtab.tokens import Counter, counter_for

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "examples" / "sessions"
SHARED = Path(os.environ.get("TRIMTAB_SHARED") or ROOT.parent / "shared" / "sessions")

DEVELOP = (
    "flaky-test.responses.json",
    "keihi-seisan.openai.json",
    "ledger-fix.anthropic.json",
    "claude-code/project-c.jsonl",
    "claude-code/with-agents.jsonl",
    "pi/large-session.jsonl",
    "swe-agent/run-1.traj",
    "swe-agent/run-3.traj",
    "swe-agent/run-5.traj",
)
HELD_OUT = (
    "claude-code/long-with-compactions-a.jsonl",
    "claude-code/long-with-compactions-b.jsonl",
    "claude-code/project-a.jsonl",
    "claude-code/project-b.jsonl",
    "claude-code/subagent.jsonl",
    "cline/session.messages.json",
    "swe-agent/run-2.traj",
    "swe-agent/run-4.traj",
    "swe-agent/run-6.traj",
    "swe-agent/run-7.traj",
)
"""The recordings without redacted words that are long enough for a cut."""
CUTS = (30, 50, 70)
SIZES = (1_000, 2_000)
LEAST = 3
"""With fewer needed literals than this a cut says nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of what left: its words, and whether a tool put it out."""

    text: str
    raw: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One summary: the share of what is needed that it holds, its size in tokens, its lines, and
    how many of these are raw output of tools: a lone word, such as a path, is none."""

    share: float
    tokens: int
    lines: int
    raw: int


Pick = Callable[[Sequence[Row]], Iterator[Row]]
"""Rows in the order in which they are taken while there is room."""


def last_lines(rows: Sequence[Row]) -> Iterator[Row]:
    """The newest first."""
    return reversed(rows)


def head_and_tail(rows: Sequence[Row]) -> Iterator[Row]:
    """From both ends, in turns."""
    for number in range((len(rows) + 1) // 2):
        yield rows[number]
        if len(rows) - 1 - number > number:
            yield rows[len(rows) - 1 - number]


def at_random(rows: Sequence[Row]) -> Iterator[Row]:
    """In any order, always the same."""
    order = list(rows)
    random.Random(7).shuffle(order)
    return iter(order)


_WORD = re.compile(r"[^\W_][\w./-]*")


def by_rare_words(rows: Sequence[Row]) -> Iterator[Row]:
    """By the mean TF-IDF of their words; doubled rows once."""
    distinct = list({row.text: row for row in rows}.values())
    words = [[word.casefold() for word in _WORD.findall(row.text)] for row in distinct]
    often = Tally(word for some in words for word in some)
    among = Tally(word for some in words for word in set(some))

    def worth(some: Sequence[str]) -> float:
        if len(some) < 4:
            return 0.0
        total = sum(math.log1p(often[w]) * math.log(len(words) / among[w]) for w in some)
        return total / len(some)

    return (distinct[n] for n in sorted(range(len(words)), key=lambda n: -worth(words[n])))


BASELINES: dict[str, Pick] = {
    "last lines": last_lines,
    "head and tail": head_and_tail,
    "TF-IDF": by_rare_words,
    "random": at_random,
}


def rows_of(history: History, numbers: Sequence[int]) -> list[Row]:
    """The lines of messages, in order."""
    found: list[Row] = []
    for number in numbers:
        message = history[number]
        for block in message.blocks:
            if isinstance(block, Text | ToolResult) and not is_placeholder(block.text):
                raw = is_raw(history, number, block)
                found += (Row(t, raw) for t in map(str.strip, block.text.split("\n")) if t)
    return found


def is_raw(history: History, number: int, block: object) -> bool:
    """A tool put it out, or a harness in the user's name."""
    message = history[number]
    harness = message.role == "user" and not message.typed and not message.summary
    return isinstance(block, ToolResult) or harness or message.role == "tool"


def picked(rows: Sequence[Row], pick: Pick, counter: Counter, room: int) -> list[Row]:
    """Rows that fit, each that still does."""
    taken: list[Row] = []
    misses = 0
    for row in pick(rows):
        size = counter.text(row.text + "\n")
        if size <= room:
            taken.append(row)
            room -= size
        else:
            misses += 1
        if room < 4 or misses > 200:
            break
    return taken


def request_at(history: History, cut: int, size: int) -> Request | None:
    """What `compact` would ask its summariser for before message `cut`."""
    grown = History(
        history[:cut],
        tools=history.tools,
        dialect=history.dialect,
        envelope=history.envelope,
        model=history.model,
    )
    counter = counter_for(history.model)
    budget = Budget(10_000_000, counter=counter)
    made = Compact(summary=size, runs=0).prepare(Projection(grown, counter), budget)
    return None if made is None else replace(made.request, limit=size)


def needed(history: History, request: Request, cut: int) -> frozenset[str]:
    """The literals that are used after the cut and that only what left could tell."""
    known = literals_of(history)
    gone = {*request.numbers}
    left = frozenset().union(*map(known.message, gone))
    stays = frozenset().union(*(known.message(n) for n in range(cut) if n not in gone))
    later = [n for n in range(cut, len(history)) if history[n].role == "assistant"]
    return (frozenset().union(*map(known.message, later)) & left) - stays


def figures(history: History, cut: int, size: int) -> dict[str, Found]:
    """Every way of summarising at a cut; empty where the cut says nothing."""
    request = request_at(history, cut, size)
    want = frozenset() if request is None else needed(history, request, cut)
    if request is None or len(want) < LEAST:
        return {}
    summary = chosen(request).summary
    text = render(summary)
    tokens = request.counter.text(text)
    raw = sum(
        " " in line.text and is_raw(request.history, place[0], _block(request.history, place))
        for _, line in summary.lines()
        if (place := line.source)
    )
    result = {"compact": Found(_share(text, want), tokens, len(summary), raw)}
    rows = rows_of(request.history, request.numbers)
    for name, pick in BASELINES.items():
        taken = picked(rows, pick, request.counter, tokens)
        told = "\n".join(row.text for row in taken)
        result[name] = Found(
            _share(told, want),
            request.counter.text(told),
            len(taken),
            sum(row.raw and " " in row.text for row in taken),
        )
    return result


def _block(history: History, place: tuple[int, int, int, int]) -> object:
    return history[place[0]].blocks[place[1]]


def _share(text: str, want: frozenset[str]) -> float:
    return len(literals(text) & want) / len(want)


def sessions(names: Sequence[str]) -> Iterator[tuple[str, History]]:
    """Those of the recordings that are here."""
    for name in names:
        path = SHARED / name if "/" in name else BUNDLED / name
        if path.exists():
            yield name, read_recording(path).history


def measured(names: Sequence[str], sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Figures by session, size and way: the mean over the cuts of each session."""
    found: dict[str, Any] = {}
    for name, history in sessions(names):
        for size in sizes:
            at_cuts = [figures(history, len(history) * cut // 100, size) for cut in CUTS]
            if any(at_cuts):
                found[f"{name} {size}"] = [cut for cut in at_cuts if cut]
    return found


def _rows(half: str, found: dict[str, list[dict[str, Found]]], size: int) -> list[dict[str, Any]]:
    by_way: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for key, cuts in found.items():
        if not key.endswith(f" {size}"):
            continue
        for way in cuts[0]:
            each = [cut[way] for cut in cuts]
            by_way[way].append(
                (
                    _mean([f.share for f in each]),
                    _mean([f.share * 1_000 / max(f.tokens, 1) for f in each]),
                    _mean([f.raw / max(f.lines, 1) for f in each]),
                )
            )
    return [
        {
            "half": half,
            "at most": size,
            "way": way,
            "sessions": len(some),
            "needed literals in it": rounded(_mean([s[0] for s in some])),
            "a thousand tokens": rounded(_mean([s[1] for s in some])),
            "lines of tool output": rounded(_mean([s[2] for s in some])),
        }
        for way, some in by_way.items()
    ]


def _mean(of: Sequence[float]) -> float:
    return sum(of) / len(of) if of else 0.0


def measure(quick: bool = False) -> Section:
    """Both halves at both sizes; quick: the shortest bundled session alone."""
    halves = {"develop": DEVELOP[:1]} if quick else {"develop": DEVELOP, "held-out": HELD_OUT}
    rows: list[dict[str, Any]] = []
    aims: list[Aim] = []
    for half, names in halves.items():
        found = measured(names, SIZES[:1] if quick else SIZES)
        for size in SIZES:
            some = _rows(half, found, size)
            rows += some
            share = {row["way"]: row["needed literals in it"] for row in some}
            if share and not quick:
                best = max(value for way, value in share.items() if way != "compact")
                what = f"{half}, {size:,} tokens: best baseline against the summary"
                aims.append(at_most(what, best / max(share["compact"], 1e-9), 1, "times"))
    return Section(
        title="What extractive summaries hold of what is needed later",
        about=(
            "Recorded sessions cut after 30, 50 and 70 %; the share of the literals needed after "
            "the cut, and known only from what left, that the summary holds; means over sessions. "
            "Baselines have the size that the summary has. `quoting.py` says which sessions are in "
            "which half; those of others are measured only where they are at hand."
        ),
        rows=rows,
        units={
            "at most": "tokens",
            "needed literals in it": "share",
            "a thousand tokens": "share",
            "lines of tool output": "share of lines",
        },
        aims=aims,
    )


def main() -> int:
    """Print the table; with names of recordings: each of these, cut by cut."""
    if names := sys.argv[1:]:
        for key, cuts in measured(names).items():
            for cut, ways in enumerate(cuts):
                told = "  ".join(f"{w} {f.share:.2f} ({f.raw}/{f.lines})" for w, f in ways.items())
                print(f"{key} cut {cut}: {told}")
        return 0
    for row in measure()["rows"]:
        print("  ".join(f"{value!s:<13}" for value in row.values()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
