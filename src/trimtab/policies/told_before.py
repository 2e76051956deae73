"""What the user requires by a summary of ours that came in as a message.

A caller who keeps nothing but the context hands it in again: the user's own messages are gone,
and only the summary says what they required. The same text could be the user's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.log import History
from trimtab.history.message import Text
from trimtab.history.placeholders import holds_summary_only
from trimtab.pin_rules.rules import requirements
from trimtab.pins import Pin
from trimtab.policies.cliff_text import is_record, taken_apart, users_words
from trimtab.summaries.template import RECALL, own_rows

Span = tuple[int, int, str]
"""Start and end in a text, and the rule that finds a requirement there."""


def told_before(history: History, number: int) -> list[Pin]:
    """The required spans of message `number`; none where it is no summary of ours."""
    message = history[number]
    if not holds_summary_only(message):
        return []
    found = []
    for at, block in enumerate(message.blocks):
        if isinstance(block, Text):
            spans = _of_record(block.text) if is_record(block.text) else _of_summary(block.text)
            for start, end, rule in spans:
                found.append(Pin(number, at, start, end, block.text[start:end], rule))
    return found


def _of_summary(text: str) -> Iterator[Span]:
    """Of the goal, where all that is required stands, and of what the user wrote below."""
    ended = text.find(f"\n{RECALL} blk_")
    for section, start, end in own_rows(text):
        if section == "goal" or 0 <= ended < start:
            rule = next((rules[0] for _, _, rules in requirements(text[start:end])), None)
            if rule is not None:
                yield start, end, rule


def _of_record(text: str) -> Iterator[Span]:
    """Of what it names as required, and of what the user says in it."""
    named, parts = taken_apart(text)
    found = dict.fromkeys(named, "en:list")
    for part in parts:
        words = users_words(part)
        found |= {words[start:end]: rules[0] for start, end, rules in requirements(words)}
    for words, rule in found.items():
        start = text.find(words)
        if words and start >= 0:
            yield start, start + len(words), rule
