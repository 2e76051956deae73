"""Japanese text for the benchmark: what an agent reads and says about the same accounts.

Most words have two characters, as they do in Japanese; one that is read with another becomes a
longer word. A search has to find each wherever it stands, although nothing marks where words end.
"""

from __future__ import annotations

from random import Random
from typing import Any

COMMON = (
    "請求", "金額", "顧客", "予算", "会計", "税率", "口座", "残高", "承認", "期限", "部門", "月次",
    "年度", "明細", "発注", "納品", "在庫", "仕訳", "経費", "精算", "出張", "契約", "見積", "取引",
    "振込", "入金", "支払", "返金", "割引", "合計", "小計", "端数", "集計", "照合", "登録", "更新",
    "検索", "帳票", "伝票", "科目", "監査", "移行", "権限", "画面", "項目", "履歴", "通知", "取消",
)  # fmt: skip
RARE = ("稟議", "貸倒", "按分", "源泉", "償却", "与信", "棚卸", "為替", "督促", "繰越")
"""One line in five hundred has one of these."""
LINES = (
    "{a}の{b}を確認し、{c}へ反映した。差は{n}円。",
    "{a}{b}表の{c}が{n}円ずれている原因は、{d}の順序にある。",
    "{n}行目：{a}が空のとき、{b}{c}は{d}を参照しない。",
    "次に{a}{b}の試験を直し、{c}が{n}件を超えないことを確かめる。",
    "「{a}の{b}」は{c}後に{d}する。未処理は{n}件。",
)


def line(rng: Random) -> str:
    """One sentence."""
    a, b, c, d = rng.sample(COMMON, 4)
    if rng.random() < 0.002:
        a = rng.choice(RARE)
    return rng.choice(LINES).format(a=a, b=b, c=c, d=d, n=rng.randint(1, 9999))


def with_japanese(items: list[dict[str, Any]], seed: int, share: float = 0.25) -> None:
    """Make the text of a share of Responses items Japanese, with as many lines as there were."""
    rng = Random(seed)
    for item in items:
        if rng.random() < share:
            if item["type"] == "function_call_output":
                item["output"] = _lines(rng, item["output"])
            elif item.get("role") == "assistant":
                item["content"][0]["text"] = _lines(rng, item["content"][0]["text"])


def _lines(rng: Random, text: str) -> str:
    return "\n".join(line(rng) for _ in text.splitlines())
