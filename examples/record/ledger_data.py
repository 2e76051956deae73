"""The ledger project's data: a quarter of invoices, and the bank's export that pays them.

Computed, so that nobody's bookkeeping is in it, with the faults that such exports have: a byte
order mark, semicolons inside quotes, parentheses, impossible dates, a day imported twice,
references in many spellings, bank fees taken off, partial and double payments.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

SEED = 318
INVOICES = 3600
FIRST = date(2025, 1, 2)
RATES = {"standard": 1900, "reduced": 700, "zero": 0}
GOODS = (
    ("dial gauge 0-10 mm", 4350, "standard"),
    ("caliper 150 mm", 2899, "standard"),
    ("surface plate 400x400", 31875, "standard"),
    ("feeler gauge set", 1245, "standard"),
    ("micrometer 0-25 mm", 6790, "standard"),
    ("calibration, per item", 2215, "standard"),
    ("handbook of metrology", 3833, "reduced"),
    ("gauge block set 87 pieces", 45903, "standard"),
    ("export certificate", 1550, "zero"),
    ("carrying case", 733, "standard"),
)
NAMES = (
    "Orrin Tools", "Vale; Sons & Co", "Brandt Lehrenbau", "Kestrel Works", "Ito Seiki",
    "Mora Precision", "Delft Castings", "Pike & Hollow", "Arden Motors", "Quay Marine",
    "Tarn Optics", "Nyborg Valves", "Sable Rail", "Ostrava Forge", "Wren Aero", "Halk Metall",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    booked: date
    amount: str
    payer: str
    reference: str

    def line(self) -> str:
        cells = (f"{self.booked:%d.%m.%Y}", self.amount, self.payer, self.reference)
        return ";".join(f'"{cell}"' if ";" in cell else cell for cell in cells)


def ledger_files() -> dict[str, str]:
    """The bank's CSV file and the shop's JSON file, by path."""
    random = Random(SEED)
    invoices = [_invoice(random, number) for number in range(1, INVOICES + 1)]
    text = json.dumps({"invoices": invoices}, indent=1, ensure_ascii=False) + "\n"
    return {"data/bank-2025.csv": _bank(random, invoices), "data/invoices-2025.json": text}


def _pick(random: Random, count: int) -> int:
    # random() alone is promised to give the same numbers in every version of Python
    return int(random.random() * count)


def _invoice(random: Random, number: int) -> dict[str, Any]:
    issued = FIRST + timedelta(days=number * 88 // INVOICES)
    lines: list[dict[str, Any]] = []
    for _ in range(1 + _pick(random, 4)):
        name, cents, rate = GOODS[_pick(random, len(GOODS))]
        line: dict[str, Any] = {
            "description": name,
            "quantity": 1 + _pick(random, 6),
            "unit_cents": cents,
            "rate": rate,
        }
        if random.random() < 0.2:
            line["discount_bp"] = (250, 300, 500, 1250)[_pick(random, 4)]
        lines.append(line)
    invoice: dict[str, Any] = {
        "number": f"INV-2025-{number:05d}",
        "customer": f"C-{1001 + _pick(random, 64)}",
        "issued": issued.isoformat(),
        "terms": (14, 30, 30, 60, "EOM")[_pick(random, 5)],
        "lines": lines,
    }
    if random.random() < 0.04:
        invoice["paid_cents"] = _gross(invoice) // 2
    return invoice


def _gross(invoice: dict[str, Any]) -> int:
    groups: dict[str, int] = {}
    for line in invoice["lines"]:
        whole = line["quantity"] * line["unit_cents"]
        net = whole - _half_up(whole * line.get("discount_bp", 0))
        groups[line["rate"]] = groups.get(line["rate"], 0) + net
    return sum(net + _half_up(net * RATES[rate]) for rate, net in groups.items())


def _half_up(parts: int) -> int:
    return (parts + 5000) // 10000


def _bank(random: Random, invoices: list[dict[str, Any]]) -> str:
    rows = [row for invoice in invoices for row in _payments(random, invoice)]
    for month in (1, 2, 3):
        for fee in ("4,50", "12,00", "0,85", "7,20"):
            rows.append(_Row(date(2025, month, 28), f"({fee})", "Bank", "account fee"))
    rows.sort(key=lambda row: (row.booked, row.reference, row.amount))
    last = max(number for number, row in enumerate(rows) if row.booked <= date(2025, 3, 31))
    rows = rows[: last + 1]
    # the bank sent the end of the last day twice
    rows += rows[-11:]
    lines = [row.line() for row in rows]
    lines.insert(604, "30.02.2025;118,00;C-1009 Nyborg Valves;INV-2025-00671")
    lines.insert(1102, "11.03.2025;64,50;C-1031")
    lines.insert(1377, "31.02.2025;1.204,91;C-1044 Sable Rail;INV-2025-01180")
    lines.insert(1520, "24.03.2025;12,5O;C-1002 Vale;INV-2025-01002")
    return "\ufeffBooked;Amount;Payer;Reference\r\n" + "".join(f"{line}\r\n" for line in lines)


def _payments(random: Random, invoice: dict[str, Any]) -> list[_Row]:
    if random.random() < 0.15:
        return []
    owed = _gross(invoice) - invoice.get("paid_cents", 0)
    serial = int(invoice["number"][-5:])
    issued = date.fromisoformat(invoice["issued"])
    booked = issued + timedelta(days=6 + _pick(random, 30))
    number = int(invoice["customer"][2:])
    payer = f"{invoice['customer']} {NAMES[number % len(NAMES)]}"
    reference = _reference(random, serial)
    fate = random.random()
    if fate < 0.03:
        owed -= 1 + _pick(random, 5)
    elif fate < 0.06:
        owed -= 6 + _pick(random, 44)
    elif fate < 0.085:
        owed //= 3
    elif fate < 0.095:
        owed += 2000
    elif fate < 0.115:
        first = owed // 2
        later = booked + timedelta(days=9)
        return [
            _Row(booked, _comma(first), payer, reference),
            _Row(later, _comma(owed - first), payer, _reference(random, serial)),
        ]
    return [_Row(booked, _comma(owed), payer, reference)]


def _reference(random: Random, serial: int) -> str:
    exact = f"INV-2025-{serial:05d}"
    kind = random.random()
    if kind < 0.5:
        return exact
    if kind < 0.90:
        spellings = (
            f"INV2025-{serial:05d}",
            f"inv 2025 {serial}",
            f"INV-2025/{serial:05d} thank you",
            f"Inv.2025.{serial:05d}",
            f"your invoice; {exact.lower()}",
            f"INV_2025_{serial:04d}",
        )
        return spellings[_pick(random, len(spellings))]
    if kind < 0.993:
        return ("thank you", "goods received", "March delivery", "as agreed")[_pick(random, 4)]
    return f"INV-2025-{7000 + serial:05d}"


def _comma(cents: int) -> str:
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02d}"
