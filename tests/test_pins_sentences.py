"""Sentences, English and Japanese: where they end and where they do not."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.pin_rules.sentences import LONGEST
from trimtab.pins import find_pins, sentences

CASES = {
    "One. Two! Three? Four": ["One.", "Two!", "Three?", "Four"],
    "See e.g. this, i.e. that, etc. and so on. Done.": [
        "See e.g. this, i.e. that, etc. and so on.",
        "Done.",
    ],
    "It is 3.5 km to v2.4.1 of https://a.b/c.d?e=f. Go.": [
        "It is 3.5 km to v2.4.1 of https://a.b/c.d?e=f.",
        "Go.",
    ],
    "Stay in src/. Edit a.py. No. 5 is next.": ["Stay in src/.", "Edit a.py.", "No. 5 is next."],
    'He said "Stop. Now." and left. Then...': ['He said "Stop. Now." and left.', "Then..."],
    "wait... for it. (Yes.) Ok?": ["wait... for it.", "(Yes.)", "Ok?"],
    "一つ。二つ！三つ？四つ": ["一つ。", "二つ！", "三つ？", "四つ"],
    "彼は「はい。行く。」と言った。終わり": ["彼は「はい。行く。」と言った。", "終わり"],
    "いいね!次へ": ["いいね!", "次へ"],
    "- one\n* two\n3. three\n・四\n①五": ["one", "two", "three", "四", "五"],
    "Title\n\nText": ["Title", "Text"],
    "You should leave the cells at the top of the notebook exactly as they\nare. Ok.": [
        "You should leave the cells at the top of the notebook exactly as they\nare.",
        "Ok.",
    ],
    "学習のセルは決して今から\n再実行しない。": ["学習のセルは決して今から", "再実行しない。"],
    "読み込みのセルはそのまま残し、学習のセルは\n再実行しない。": [
        "読み込みのセルはそのまま残し、学習のセルは\n再実行しない。"
    ],
    " \n\t": [],
    "": [],
}


@pytest.mark.parametrize("text", CASES)
def test_sentences(text: str) -> None:
    assert [text[start:end] for start, end in sentences(text)] == CASES[text]


BULLETS = re.compile(r"(?:\s|[-*+–・]|\(?\d{1,3}[.)、．）]|[a-z][.)])*")


@given(st.text(st.sampled_from("aB1.!?。、「」\"' \n-*・:e,　\ud800"), max_size=80))
def test_sentences_cover_all_but_space_and_bullets(text: str) -> None:
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert end - start <= LONGEST
        assert BULLETS.fullmatch(text, last, start)
        assert text[start:end].strip() == text[start:end]
        last = end
    assert BULLETS.fullmatch(text, last)


def test_a_run_without_an_end_is_cut() -> None:
    text = "no end, " * 1_000
    spans = list(sentences(text))
    assert all(end - start <= LONGEST for start, end in spans)
    assert all(text[end - 1] == "," for _, end in spans)


MILLION = 1_000_000
HOSTILE = {
    "don't": "don't ",
    "spaces": " ",
    "letters": "a",
    "dots": ".",
    "marks": "!?",
    "quotes": '"',
    "brackets": "「",
    "apostrophes": "'a ",
    "fences": "```x\n",
    "tags": "<a-b> ",
    "newlines": "\n",
    "bullets": "- ",
    "commas": "not, ",
    "negations": "ない",
    "approvals": "確認してから、",
    "before": "before you ",
    "no": "no ",
    "log": "2024-01-01 10:00:00 ERROR must not\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_time(name: str) -> None:
    """A million characters take a hundredth of the bound; with a bad pattern, hours."""
    unit = HOSTILE[name]
    text = (unit * (MILLION // len(unit))) + "a"
    messages = [Message("user", (Text("Go."),)), Message("user", (Text(text),))]
    began = time.monotonic()
    find_pins(History(messages, dialect="openai"))
    assert time.monotonic() - began < 20
