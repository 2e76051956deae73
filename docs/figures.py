"""Figures of the benchmark, as `bench/results.json` has them."""

from __future__ import annotations

import json
from typing import Any

from docs.console import ROOT
from docs.markdown import table

_HEADS = {
    "en": ("session of {messages:,} messages", "", "ms a turn", "valid contexts"),
    "ja": (
        "{messages:,} メッセージのセッション",
        "",
        "1 ターンの時間（ミリ秒）",
        "有効なコンテキスト",
    ),
}
_SESSIONS_JA = {"requests now and then": "時々依頼が入る", "one long turn": "一つの長いターン"}


def turns(messages: str, policy: str, language: str = "en") -> str:
    """A policy beside `trim_messages`, turn by turn, at the end of a session of that length."""
    rows = [
        (
            _SESSIONS_JA[row["session"]] if language == "ja" else row["session"],
            f"`{row['what']}`",
            f"{row['at the end']:,}",
            f"{row['valid']:.0%}",
        )
        for row in _rows("turns")
        if row["messages"] == int(messages)
        and (row["what"] == policy or row["what"].startswith("trim_messages"))
    ]
    return table([head.format(messages=int(messages)) for head in _HEADS[language]], rows)


def _rows(section: str) -> list[dict[str, Any]]:
    results = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = results["sections"][section]["rows"]
    return found
