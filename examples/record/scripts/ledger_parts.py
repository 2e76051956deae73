"""The ledger session, part 3: invoices, dates, the JSON file, the ageing report."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, read, run, say

MONTHS_OLD = """
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, day.day)
"""

MONTHS_NEW = """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))
"""

HOLIDAYS_OLD = """
HOLIDAYS = frozenset(
    {
        date(2025, 1, 1),
        date(2025, 4, 18),
        date(2025, 4, 21),
        date(2025, 5, 1),
        date(2025, 12, 25),
        date(2025, 12, 26),
    }
)
"""

HOLIDAYS_NEW = '''
FIXED_HOLIDAYS = frozenset({(1, 1), (5, 1), (12, 25), (12, 26)})
"""Month and day of the holidays that do not move."""

EASTER_HOLIDAYS = frozenset({date(2025, 4, 18), date(2025, 4, 21)})
"""Good Friday and Easter Monday of the years that the books are open for."""


def is_working_day(day: date) -> bool:
    """Neither a weekend nor a holiday."""
    fixed = (day.month, day.day) in FIXED_HOLIDAYS
    return day.weekday() < 5 and not fixed and day not in EASTER_HOLIDAYS
'''

DUE_OLD = """
    if due.weekday() >= 5:
        due += timedelta(days=7 - due.weekday())
    return due
"""

DUE_NEW = """
    while not is_working_day(due):
        due += timedelta(days=1)
    return due
"""

SAVE_OLD = """
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"invoices": [_write(invoice) for invoice in invoices]}, file, indent=1)
"""

SAVE_NEW = """
    content = {"invoices": [_write(invoice) for invoice in invoices]}
    target = Path(path)
    beside = target.with_name(target.name + ".tmp")
    with open(beside, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\\n")
    os.replace(beside, target)
"""

AGEING_OLD = """
        columns = owed.setdefault(invoice.customer, [0] * len(BUCKETS))
        columns[bucket(days_late(invoice.due, as_of))] += invoice.gross
    return owed
"""

AGEING_NEW = """
        if invoice.open_cents == 0:
            continue
        columns = owed.setdefault(invoice.customer, [0] * len(BUCKETS))
        columns[bucket(days_late(invoice.due, as_of))] += invoice.open_cents
    return owed
"""


def invoices() -> Script:
    """Discounts, numbers, and when an invoice is overdue."""
    yield say(
        "Next is invoice.py: 6 failures. The discount, the number and the status.",
        run("make check T=tests/test_invoice.py OPTS='--tb=long -v'"),
        expect="6 failed, 9 passed",
    )
    yield say(
        "The discount goes through `/ 10000` and int(), so a float touches an amount (rule 3). "
        "`half_away` from money.py is what it needs: 199 at 500 basis points gives 9.95, so 10, so 189.",
        edit(
            "ledger/invoice.py",
            "return int(self.quantity * self.unit_cents * self.discount_bp / 10000)",
            "return half_away(self.quantity * self.unit_cents * self.discount_bp, 10000)",
        ),
        edit(
            "ledger/invoice.py",
            "from ledger.tax import RATES, tax_table",
            "from ledger.money import half_away\nfrom ledger.tax import RATES, tax_table",
        ),
        run("make check T=tests/test_invoice.py OPTS='--tb=line -q'"),
        expect="3 failed, 12 passed",
    )
    yield say(
        "Now the number, with fullmatch, and the status: due today is not overdue.",
        edit("ledger/invoice.py", "NUMBER.match(self.number)", "NUMBER.fullmatch(self.number)"),
        edit(
            "ledger/invoice.py", '"overdue" if as_of >= self.due', '"overdue" if as_of > self.due'
        ),
        run("make check T=tests/test_invoice.py OPTS='--tb=line -q'"),
        expect="15 passed",
    )
    yield say(
        "Does every invoice of the shop have a number that passes the stricter check?",
        run(
            "python -c \"from ledger import load_invoices; i = load_invoices('data/invoices-2025.json'); "
            'print(len(i), i[0].number, i[-1].number, sum(x.gross for x in i))"'
        ),
        expect="3600 INV-2025-00001 INV-2025-03600",
    )
    (total,) = yield say(
        "All 3,600 load. I keep the sum of their gross amounts as a check for later, per status too.",
        run(
            'python -c "\n'
            "from collections import Counter\n"
            "from datetime import date\n"
            "from ledger import load_invoices\n"
            "i = load_invoices('data/invoices-2025.json')\n"
            "print(Counter(x.status(date(2025, 3, 31)) for x in i), sum(x.gross for x in i), "
            "sum(x.paid_cents for x in i))\n"
            '"'
        ),
        expect="'overdue'",
    )
    gross = found(r"\) (\d+) \d+", total)
    paid = found(r"\) \d+ (\d+)", total)
    yield say(
        f"Gross {gross} cents, of which {paid} were paid before. These two numbers must not move from "
        "here on. Commit.",
        run(
            "git commit -qam 'fix(318): discounts without floats, whole invoice numbers, due today is open' && git log --oneline -1"
        ),
    )


def dates() -> Script:
    """Month ends and working days."""
    yield say(
        "dates.py, 10 failures. add_months first: the 31st of a month with 28 days.",
        run("make check T=tests/test_dates.py OPTS='--tb=short -v'"),
        expect="10 failed, 6 passed",
    )
    yield say(
        "`calendar.monthrange` knows the length of a month, so no dependency is needed (rule 4: still "
        "0 of 2 used).",
        edit("ledger/dates.py", MONTHS_OLD, MONTHS_NEW),
        edit(
            "ledger/dates.py",
            "from datetime import date, timedelta",
            "from calendar import monthrange\nfrom datetime import date, timedelta",
        ),
        run("make check T=tests/test_dates.py OPTS='--tb=short -q'"),
        expect="5 failed, 11 passed",
    )
    yield say(
        "Five left: due dates and `days_late`. HOLIDAYS is not used anywhere? I make sure before I "
        "replace it, because the name might be imported.",
        grep("HOLIDAYS"),
        expect="ledger/dates.py",
    )
    yield say(
        "Only its definition. It lists 2025 alone, but an invoice of 18.12.2025 is due on 1.1.2026. "
        "Holidays with a fixed date go by month and day, Easter stays listed: 18.04. and 21.04.2025.",
        edit("ledger/dates.py", HOLIDAYS_OLD, HOLIDAYS_NEW),
        edit("ledger/dates.py", DUE_OLD, DUE_NEW),
        edit("ledger/dates.py", "return (as_of - due).days", "return max(0, (as_of - due).days)"),
        run("make check T=tests/test_dates.py OPTS='--tb=short -q'"),
        expect="16 passed",
    )
    yield say(
        "16 of 16. Due dates moved, so how many invoices changed their status at 2025-03-31 compared "
        "with before? No holiday lies before Easter but 1 January, so I expect none.",
        run(
            'python -c "\n'
            "from collections import Counter\n"
            "from datetime import date\n"
            "from ledger import load_invoices\n"
            "i = load_invoices('data/invoices-2025.json')\n"
            "print(Counter(x.status(date(2025, 3, 31)) for x in i), sum(x.gross for x in i), "
            "sum(x.paid_cents for x in i))\n"
            '"'
        ),
        read("ledger/dates.py"),
        expect="'overdue'",
    )
    yield say(
        "Same counts, same two sums. And no due date may fall on a weekend or a holiday any more:",
        run(
            'python - <<"END"\n'
            "from collections import Counter\n"
            "from ledger import load_invoices\n"
            "from ledger.dates import is_working_day\n"
            "due = Counter(i.due for i in load_invoices('data/invoices-2025.json'))\n"
            "print(sum(not is_working_day(d) for d in due), 'on a day off')\n"
            "for day, n in sorted(due.items()):\n"
            "    print(f'{day:%Y-%m-%d %a} {n:>4}')\n"
            "END"
        ),
        expect=("0 on a day off", "2025-04-22 Tue"),
    )
    yield say(
        "None, and 18.04. to 21.04. went to Tuesday, 22.04. Commit, and on to the store.",
        run(
            "git commit -qam 'fix(318): month ends and holidays in due dates' && git log --oneline -1"
        ),
        run("make check T=tests/test_store.py OPTS='--tb=short -v'"),
        expect="3 failed",
    )


def store() -> Script:
    """A file that stays whole."""
    yield say(
        "Three failures, three causes: fields that are not written, escaped text, and a file that is "
        "truncated before the invoices are all there. I look at store.py again for the exact lines.",
        read("ledger/store.py", 1, 28),
        expect="json.dump({",
    )
    yield say(
        "Everything is turned into a value first, written beside the target, and moved over it in one "
        "step. The name ends in .tmp, which .gitignore covers.",
        edit("ledger/store.py", SAVE_OLD, SAVE_NEW),
        edit("ledger/store.py", "import json\n", "import json\nimport os\n"),
        edit(
            "ledger/store.py",
            '                "rate": line.rate,',
            '                "rate": line.rate,\n                "discount_bp": line.discount_bp,',
        ),
        run("make check T=tests/test_store.py OPTS='--tb=short -q'"),
        expect="1 failed, 2 passed",
    )
    yield say(
        "`paid_cents` is missing still, at the level of the invoice.",
        edit(
            "ledger/store.py",
            '        "terms": invoice.terms,',
            '        "terms": invoice.terms,\n        "paid_cents": invoice.paid_cents,',
        ),
        run("make check T=tests/test_store.py OPTS='--tb=short -q'"),
        expect="3 passed",
    )
    yield say(
        "The real test: load all 3,600, save them to out/ (git ignores it), load again, compare. The file in data/ "
        "stays as it is, and so do the invoices of C-1042.",
        run(
            'python -c "\n'
            "import os\n"
            "from ledger import load_invoices, save_invoices\n"
            "a = load_invoices('data/invoices-2025.json')\n"
            "os.mkdir('out')\n"
            "save_invoices('out/again.json', a)\n"
            "b = load_invoices('out/again.json')\n"
            "print(a == b, len(b), sum(i.customer == 'C-1042' for i in b))\n"
            '" && rm -r out && git status --short'
        ),
        expect="True 3600",
    )
    yield say(
        "Equal. The change once more as a diff, since losing half a file would be the worst of all faults here:",
        run("git diff -U6 -- ledger/store.py"),
        expect="os.replace(beside, target)",
    )
    yield say(
        "`os.replace` on the same folder is one step for the file system. Commit.",
        run(
            "git commit -qam 'fix(318): saving keeps every field and never leaves half a file' && git diff --stat main"
        ),
        expect="ledger/store.py",
    )


def ageing() -> Script:
    """What is owed, in the columns that the portal reads."""
    yield say(
        "7 files so far, of 40. Now report.py. Its tests, and the table as it is today, whole:",
        run("make check T=tests/test_report.py OPTS='--tb=short -v'"),
        run("make ageing"),
        expect="6 failed, 8 passed",
    )
    yield say(
        "Three things: the bounds are off by one (day 30 belongs to 0-30), the gross is summed where "
        "the open amount is meant, and customers come in the order of their first invoice.",
        edit("ledger/report.py", "    if days < 30:", "    if days <= 30:"),
        edit("ledger/report.py", "    if days < 60:", "    if days <= 60:"),
        edit("ledger/report.py", "    if days < 90:", "    if days <= 90:"),
        edit("ledger/report.py", AGEING_OLD, AGEING_NEW),
        edit(
            "ledger/report.py",
            "for customer, columns in owed.items():",
            "for customer, columns in sorted(owed.items()):",
        ),
        run("make check T=tests/test_report.py OPTS='--tb=short -q'"),
        expect="14 passed",
    )
    (table,) = yield say(
        "14 of 14, including the one that holds the columns (12 and 14 characters, as you said). The "
        "table again:",
        run("make ageing"),
        expect="C-1042",
    )
    owed = found(r"total .* ([\d,.]+)\n?$", table)
    yield say(
        f"64 customers in order; {owed} owed in all. Does that equal the gross minus what was paid, "
        "from the check that I noted after invoice.py?",
        run(
            'python -c "from ledger import load_invoices as l, format_cents as f; '
            "i = l('data/invoices-2025.json'); print(f(sum(x.gross for x in i) - sum(x.paid_cents for x in i)))\""
        ),
        expect=owed,
    )
    yield say(
        "To the cent. Commit, and the width of each line once more, because the portal is strict.",
        run(
            "git commit -qam 'fix(318): ageing by open amounts, with the right bounds, in order' && git log --oneline -1"
        ),
        run("make ageing | awk '{print length($0)}' | sort | uniq -c"),
        expect="82",
    )
