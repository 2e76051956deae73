"""The expense project's data: one open month, one closed month, the employees.

Computed, like the ledger's: nobody's travels are in it.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from random import Random

BUMON = ("営業部", "開発部", "総務部", "品質保証部")
HEAD = "社員番号,日付,種類,金額,泊数,人数,備考,領収書番号"
CITIES = ("大阪", "名古屋", "福岡", "東京", "札幌", "仙台")


def keihi_files() -> dict[str, str]:
    """The CSV files of two months and the JSON file of the employees, by path."""
    random = Random(907)
    people = [f"E-{number:04d}" for number in range(101, 125)]
    shain = {
        person: {
            "部門": BUMON[index % len(BUMON)],
            "仮払金": (0, 0, 30000, 0, 50000)[_pick(random, 5)],
        }
        for index, person in enumerate(people[:-1])
    }
    shain["E-0199"] = {"部門": "総務部", "仮払金": 20000}
    september = _month(random, people, date(2025, 9, 1), 430)
    september.insert(57, "E-0110,2025-09-31,交通費,480,,,新大阪―本社,R-20931")
    september.insert(203, "E-0104,2025/9/18,会議費,弐万円,,5,定例,R-20932")
    september.insert(388, september[120])
    september.insert(401, september[33])
    return {
        "data/経費明細_2025年9月.csv": "\n".join([HEAD, *september]) + "\n",
        "過去分/経費明細_2025年8月.csv": "\n".join(
            [HEAD, *_month(random, people, date(2025, 8, 1), 260)]
        )
        + "\n",
        "data/社員.json": json.dumps(shain, ensure_ascii=False, indent=1) + "\n",
    }


def _pick(random: Random, count: int) -> int:
    return int(random.random() * count)


def _month(random: Random, people: list[str], first: date, count: int) -> list[str]:
    rows = []
    for number in range(count):
        day = first + timedelta(days=number * 29 // count)
        person = people[_pick(random, len(people))]
        kind = random.random()
        city = CITIES[_pick(random, len(CITIES))]
        receipt = f"R-{20000 + first.month * 1000 + number}"
        if kind < 0.45:
            cells = ("交通費", 180 + 10 * _pick(random, 1500), "", "", f"{city}往復")
        elif kind < 0.65:
            nights = 1 + _pick(random, 3)
            price = nights * (8800 + 200 * _pick(random, 27))
            cells = ("宿泊費", price, str(nights), "", f"{city}のホテル")
        elif kind < 0.82:
            heads = 2 + _pick(random, 7)
            price = heads * (1500 + 250 * _pick(random, 16)) + _pick(random, 3)
            told = str(heads) if random.random() < 0.95 else ""
            cells = ("会議費", price, "", told, "客先と打合せ")
        else:
            reason = "終電後" if random.random() < 0.5 else ""
            cells = ("タクシー", 900 + 100 * _pick(random, 45), "", "", reason)
        shurui, yen, paku, ninzuu, biko = cells
        when, much = _day(random, day), _yen(random, yen)
        rows.append(f"{person},{when},{shurui},{much},{paku},{ninzuu},{biko},{receipt}")
    return rows


def _day(random: Random, day: date) -> str:
    forms = (
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"令和{day.year - 2018}年{day.month}月{day.day}日",
    )
    return forms[_pick(random, 3)]


def _yen(random: Random, yen: int) -> str:
    wide = str(yen).translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})
    return (str(yen), f'"{yen:,}円"', f'"¥{yen:,}"', f"{wide}円")[_pick(random, 4)]
