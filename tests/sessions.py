"""Generated sessions, free of any provider's form: what was said, called and answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

TEXTS = (
    "Fix the failing test in src/parser.py, please.",
    "Do not touch the public API; only change what is needed.",
    "The limit is 4,096 tokens and must hold at 2026-08-31T12:00:00Z.",
    "ok",
    "テストを直してください。公開APIは変更しないこと。",
    "上限は千二百円に限定する。承認後に実行。",
    'It failed with exit code 1:\n  File "a.py", line 3\nAssertionError: 1 != 2',
    "half a pair \ude00 and on",
    "\ud83d alone at the front",
    "emoji 🚀 and <|endoftext|> in the text",
    "line\n" * 12 + "end",
    "a" * 300,
    '{"looks": "like json"}',
    "見て: https://example.com/a?b=c#d と /usr/lib/x.so.1",
)
OUTPUTS = (
    "1 passed in 0.02s",
    "def f(x):\n    return x + 1\n",
    "E   ValueError: bad value 17\n" * 6,
    "検索結果: 3件\n- 甲\n- 乙\n- 丙",
    "\udcff undecodable",
    "0123456789abcdef" * 40,
    "[]",
    " ",
)
NAMES = ("read", "bash", "grep", "write_file", "search-web")
INPUTS: tuple[dict[str, Any], ...] = (
    {},
    {"path": "src/parser.py"},
    {"path": "src/parser.py", "start": 1, "end": 2**70},
    {"command": "pytest -x", "timeout": 1.5, "nested": {"deep": [1, None, True, "ž"]}},
    {"query": "日本語の検索"},
    {"path": "big.txt", "content": "word " * 120},
)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="

texts = st.sampled_from(TEXTS)


@dataclass(frozen=True)
class Call:
    """A call and what came of it. `kind`: text, list, none, image, error or blank."""

    name: str
    input: dict[str, Any]
    kind: str
    output: str


@dataclass(frozen=True)
class Round:
    """One assistant message and the results that follow.

    `thinking` is "", signed, redacted or plain; `server` is "", own or shared: a tool run by the
    provider, in a message of its own or in this one. `order` shuffles the results; `apart` gives
    each a message of its own where the dialect has a choice; `rider` is the user's text that comes
    with them, `late` puts it in front of them where that is legal.
    """

    thinking: str
    text: str
    calls: tuple[Call, ...]
    order: int
    apart: bool
    rider: str
    late: bool
    server: str
    split: bool
    interim: bool


@dataclass(frozen=True)
class Turn:
    """What the user says (`extra`: "", image, document, opaque), the rounds, the answer."""

    user: tuple[str, ...]
    extra: str
    required: bool | None
    rounds: tuple[Round, ...]
    answer: str


@dataclass(frozen=True)
class Session:
    """A whole session; `end` is whole, pending (calls without results) or paused."""

    system: tuple[str, ...]
    note: str
    turns: tuple[Turn, ...]
    end: str
    reuse_ids: bool
    strange_ids: bool
    extras: bool
    bare: bool


_kinds = st.sampled_from(("text", "text", "list", "none", "image", "error", "blank"))
_calls = st.builds(
    Call,
    name=st.sampled_from(NAMES),
    input=st.sampled_from(INPUTS),
    kind=_kinds,
    output=st.sampled_from(OUTPUTS),
)
_rounds = st.builds(
    Round,
    thinking=st.sampled_from(("", "", "signed", "redacted", "plain")),
    text=st.sampled_from(("", "", *TEXTS)),
    calls=st.lists(_calls, min_size=1, max_size=3).map(tuple),
    order=st.integers(0, 5),
    apart=st.booleans(),
    rider=st.sampled_from(("", "", "", *TEXTS)),
    late=st.booleans(),
    server=st.sampled_from(("", "", "", "own", "shared")),
    split=st.sampled_from((False, False, True)),
    interim=st.sampled_from((False, False, False, True)),
)


def _turns(rounds: int) -> st.SearchStrategy[Turn]:
    return st.builds(
        Turn,
        user=st.lists(texts, min_size=1, max_size=2).map(tuple),
        extra=st.sampled_from(("", "", "", "image", "document", "opaque")),
        required=st.sampled_from((None, None, None, True, False)),
        rounds=st.lists(_rounds, max_size=rounds).map(tuple),
        answer=st.sampled_from(("", *TEXTS)),
    )


_shapes = st.one_of(
    st.lists(_turns(2), min_size=1, max_size=4).map(tuple),
    st.tuples(_turns(9)),  # one long autonomous turn
)

sessions: st.SearchStrategy[Session] = st.builds(
    Session,
    system=st.lists(texts, max_size=2).map(tuple),
    note=st.sampled_from(("", "", "", *TEXTS)),
    turns=_shapes,
    end=st.sampled_from(("whole", "whole", "pending", "paused")),
    reuse_ids=st.booleans(),
    strange_ids=st.booleans(),
    extras=st.booleans(),
    bare=st.sampled_from((False, False, True)),
)
