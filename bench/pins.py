"""Precision and recall of the found rules on `pins_labelled.jsonl`: `python -m bench.pins`.

Three splits. `develop`: the rules were tuned on it. `held-out`: written before any rule, never
tuned on. `late`: written when the rules were done, never tuned on. Earlier late rounds were folded
into `develop` after they were measured, in turn: precision .85, .93, .97, .91 and recall .59, .79,
.73, .79. Those rounds looked for unusual wordings: expect a recall of about .8 on such.

A line of the set is one text with one label, or a whole message (`kind` "message") with the parts
that are `required` and those that only look so (`traps`). Counted are units: a text, or a part. A
pin in a message that touches no required part is a false one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.pins import Pin, find_pins

LABELLED = Path(__file__).with_name("pins_labelled.jsonl")
COVERED = 0.9
"""A part of a message counts as found when this share of its characters is pinned."""


def labelled() -> list[dict[str, Any]]:
    """The labelled lines."""
    return [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]


def pins_of(text: str) -> list[Pin]:
    """What the rules find in `text` as the user's second message."""
    task = Message("user", (Text("Go."),))
    history = History([task, Message("user", (Text(text),))], dialect="anthropic")
    return [pin for pin in find_pins(history) if pin.message == 1]


def judge(item: dict[str, Any]) -> list[tuple[str, str]]:
    """The units of one line: `(tp, fp, fn or tn; what it is about)`."""
    found = pins_of(item["text"])
    if "required" not in item:
        verdict = ("tp" if found else "fn") if item["label"] else ("fp" if found else "tn")
        return [(verdict, item["text"])]
    text = item["text"]
    pinned = {i for pin in found for i in range(pin.start, pin.end)}
    units = []
    wanted: set[int] = set()
    for part in item["required"]:
        body = part["text"].lstrip("-*・ ")
        start = text.index(body)
        span = range(start, start + len(body))
        wanted.update(span)
        covered = sum(i in pinned for i in span) / len(span)
        units.append(("tp" if covered >= COVERED else "fn", part["text"]))
    for part in item["traps"]:
        start = text.index(part["text"])
        hit = any(i in pinned and i not in wanted for i in range(start, start + len(part["text"])))
        units.append(("fp" if hit else "tn", part["text"]))
    traps = {i for part in item["traps"] for i in _span(text, part["text"])}
    for pin in found:
        span = range(pin.start, pin.end)
        if wanted.isdisjoint(span) and traps.isdisjoint(span):
            units.append(("fp", pin.text))
    return units


def _span(text: str, part: str) -> range:
    start = text.index(part)
    return range(start, start + len(part))


def measure() -> dict[str, Any]:
    """Counts, precision and recall for each split and language, and which units went wrong."""
    counts: dict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(("tp", "fp", "fn", "tn"), 0)
    )
    wrong = []
    for item in labelled():
        for verdict, about in judge(item):
            for key in (item["split"], f"{item['split']} {item['lang']}"):
                counts[key][verdict] += 1
            if verdict in ("fp", "fn"):
                wrong.append({"split": item["split"], "verdict": verdict, "text": about})
    return {"splits": {key: _rates(counts[key]) for key in sorted(counts)}, "wrong": wrong}


def _rates(count: dict[str, int]) -> dict[str, float]:
    found = count["tp"] + count["fp"]
    there = count["tp"] + count["fn"]
    return {
        **count,
        "units": sum(count.values()),
        "traps": count["fp"] + count["tn"],
        "precision": round(count["tp"] / found, 4) if found else 1.0,
        "recall": round(count["tp"] / there, 4) if there else 1.0,
    }


def main() -> None:
    """Print the table."""
    result = measure()
    print(f"{'split':<14}{'units':>7}{'traps':>7}{'tp':>6}{'fp':>5}{'fn':>5}  precision  recall")
    for name, row in result["splits"].items():
        print(
            f"{name:<14}{row['units']:>7}{row['traps']:>7}{row['tp']:>6}{row['fp']:>5}{row['fn']:>5}"
            f"{row['precision']:>11.3f}{row['recall']:>8.3f}"
        )


if __name__ == "__main__":
    main()
