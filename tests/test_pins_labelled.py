"""The rules on the labelled set: its size and make-up, and the precision and recall on it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from bench.pins import judge, labelled, measure
from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.pins import RULES, find_pins

REQUIRED = {"prohibition", "limit", "approval", "scope", "obligation"}
TRAPS = {
    "question",
    "quotation",
    "tool-output",
    "code",
    "narration",
    "hypothetical",
    "reassurance",
    "request",
}


@cache
def figures() -> dict[str, Any]:
    return measure()


def test_the_set_is_large_mixed_and_half_traps() -> None:
    items = labelled()
    assert len({item["text"] for item in items}) == len(items)
    units = Counter((item["split"], item["lang"]) for item in items)
    assert units["held-out", "en"] + units["held-out", "ja"] >= 200
    for item in items:
        if item["kind"] == "message":
            assert {part["kind"] for part in item["required"]} <= REQUIRED
            assert {part["kind"] for part in item["traps"]} <= TRAPS
            assert all(
                item["text"].count(part["text"]) == 1 for part in item["required"] + item["traps"]
            )
        else:
            assert item["kind"] in (REQUIRED if item["label"] else TRAPS), item
    for name in ("develop", "held-out"):
        split = figures()["splits"][name]
        assert 0.4 <= split["traps"] / split["units"] <= 0.6
        japanese = figures()["splits"][f"{name} ja"]
        assert 0.4 <= japanese["units"] / split["units"] <= 0.6


@pytest.mark.parametrize(
    ("split", "precision", "recall"),
    [
        ("develop", 0.97, 0.97),
        ("held-out", 0.95, 0.95),
        ("held-out en", 0.95, 0.94),
        ("held-out ja", 0.95, 0.94),
        ("late", 0.95, 0.95),
    ],
)
def test_precision_and_recall(split: str, precision: float, recall: float) -> None:
    row = figures()["splits"][split]
    wrong = [w for w in figures()["wrong"] if w["split"] == split.split()[0]]
    assert row["precision"] >= precision, wrong
    assert row["recall"] >= recall, wrong


def test_the_judge_tells_right_from_wrong() -> None:
    message = {
        "text": "Never push. I never liked it. Only read a.py.",
        "label": True,
        "kind": "message",
        "required": [{"text": "Never push.", "kind": "prohibition"}],
        "traps": [{"text": "I never liked it.", "kind": "narration"}],
    }
    assert [verdict for verdict, _ in judge(message)] == ["tp", "tn", "fp"]
    lost = {"text": "Nice.", "label": True, "kind": "limit"}
    assert judge(lost) == [("fn", "Nice.")]
    wrong = {"text": "Never push.", "label": False, "kind": "narration"}
    assert judge(wrong) == [("fp", "Never push.")]


def test_every_found_rule_finds_what_its_name_says() -> None:
    """Of the texts of a kind that are found, most are found by the rule of that name."""
    for lang in ("en", "ja"):
        for kind in REQUIRED:
            rules: list[set[str]] = []
            for item in labelled():
                if item["kind"] == kind and item["lang"] == lang:
                    rules.append(all_rules(item["text"]))
            named = sum(f"{lang}:{kind}" in found for found in rules)
            assert named / len(rules) >= 0.8, (lang, kind)


def all_rules(text: str) -> set[str]:
    history = History(
        [Message("user", (Text("Go."),)), Message("user", (Text(text),))], dialect="x"
    )
    rules: set[str] = set()
    while True:
        pins = [p for p in find_pins(history, rules) if p.message == 1]
        if not pins:
            return rules
        rules |= {pin.rule for pin in pins}
        assert rules <= RULES.keys()
