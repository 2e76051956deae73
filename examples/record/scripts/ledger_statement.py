"""The ledger session, part 6: the duplicates move out, and a new command."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, list_dir, read, run, say, user, write

MOVE = """
python - <<"END"
from pathlib import Path
bank = Path("data/bank-2025.csv")
lines = bank.read_bytes().splitlines(keepends=True)
assert lines[-11:] == lines[-22:-11], "the last 11 do not repeat the 11 before"
target = Path("data/quarantine/2025-03-31-dup.csv")
target.parent.mkdir()
target.write_bytes(lines[0] + b"".join(lines[-11:]))
bank.write_bytes(b"".join(lines[:-11]))
print(len(lines), "->", len(lines) - 11, "and", 11)
END
"""

STATEMENT = '''
"""What one customer owes, invoice by invoice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from ledger.dates import days_late
from ledger.invoice import Invoice
from ledger.money import format_cents

DISPUTED = frozenset({"C-1042"})
"""Customers in dispute: no amounts go out to them. This is the only list of them."""


@dataclass(frozen=True)
class Item:
    """One open invoice of a statement."""

    number: str
    issued: date
    due: date
    late: int
    open_cents: int


def statement(invoices: Iterable[Invoice], customer: str, as_of: date) -> list[Item]:
    """The open invoices of `customer`, the earliest due first; none where it is in dispute."""
    if customer in DISPUTED:
        return []
    items = [
        Item(i.number, i.issued, i.due, days_late(i.due, as_of), i.open_cents)
        for i in invoices
        if i.customer == customer and i.open_cents != 0
    ]
    return sorted(items, key=lambda item: (item.due, item.number))


def statement_text(customer: str, items: list[Item]) -> str:
    """The statement as the customer gets it."""
    if customer in DISPUTED:
        return f"{customer}: in dispute, no statement\\n"
    lines = [f"{'invoice':<16}{'issued':<12}{'due':<12}{'late':>5}{'open':>14}"]
    for item in items:
        lines.append(
            f"{item.number:<16}{item.issued!s:<12}{item.due!s:<12}"
            f"{item.late:>5}{format_cents(item.open_cents):>14}"
        )
    total = format_cents(sum(item.open_cents for item in items))
    lines.append(f"{'total':<45}{total:>14}")
    return "\\n".join(lines) + "\\n"


def statement_json(customer: str, items: list[Item]) -> str:
    """The same for programs; amounts are cents."""
    value = {
        "customer": customer,
        "disputed": customer in DISPUTED,
        "invoices": [
            {
                "number": item.number,
                "issued": item.issued.isoformat(),
                "due": item.due.isoformat(),
                "late": item.late,
                "open_cents": item.open_cents,
            }
            for item in items
        ],
        "total_cents": sum(item.open_cents for item in items),
    }
    return json.dumps(value, indent=1) + "\\n"
'''

TESTS = """
import json
from datetime import date

from ledger import Invoice, Line
from ledger.statement import statement, statement_json, statement_text

AS_OF = date(2025, 3, 31)


def owed(serial, customer, issued, cents, paid=0):
    line = Line("x", 1, cents, "zero")
    return Invoice(f"INV-2025-{serial:05d}", customer, issued, (line,), 14, paid)


INVOICES = [
    owed(1, "C-1009", date(2025, 3, 20), 500),
    owed(2, "C-1009", date(2025, 2, 3), 700, paid=200),
    owed(3, "C-1009", date(2025, 2, 3), 900, paid=900),
    owed(4, "C-1010", date(2025, 2, 3), 100),
    owed(5, "C-1042", date(2025, 2, 3), 99999),
]


def test_open_invoices_by_due_date():
    items = statement(INVOICES, "C-1009", AS_OF)
    assert [(i.number, i.late, i.open_cents) for i in items] == [
        ("INV-2025-00002", 42, 500),
        ("INV-2025-00001", 0, 500),
    ]


def test_the_total_is_at_the_end():
    text = statement_text("C-1009", statement(INVOICES, "C-1009", AS_OF))
    assert text.splitlines()[-1].split() == ["total", "10.00"]


def test_no_amount_for_a_customer_in_dispute():
    text = statement_text("C-1042", statement(INVOICES, "C-1042", AS_OF))
    assert text == "C-1042: in dispute, no statement\\n"
    assert "999" not in statement_json("C-1042", statement(INVOICES, "C-1042", AS_OF))


def test_json_holds_cents():
    value = json.loads(statement_json("C-1009", statement(INVOICES, "C-1009", AS_OF)))
    assert value["total_cents"] == 1000
    assert value["invoices"][0]["due"] == "2025-02-17"


def test_a_customer_without_invoices():
    assert statement_text("C-1", []).splitlines()[-1].split() == ["total", "0.00"]
"""

CLI_PARSER = """
    state = commands.add_parser("statement")
    state.add_argument("--invoices", required=True)
    state.add_argument("--customer", required=True)
    state.add_argument("--as-of", required=True, type=date.fromisoformat)
    state.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
"""

CLI_RUN = """
    if args.command == "statement":
        items = statement(load_invoices(args.invoices), args.customer, args.as_of)
        write = statement_json if args.json else statement_text
        print(write(args.customer, items), end="")
        return 0
    return _trial(args.invoices)
"""

MAKE = """
trial:
	@python -m ledger.cli trial --invoices data/invoices-2025.json

statement:
	@python -m ledger.cli statement --invoices data/invoices-2025.json --as-of $(AS_OF) --customer $(C)
"""


def quarantine() -> Script:
    """The eleven lines move out; nothing is deleted."""
    yield say(
        "First the move: the last 11 lines into data/quarantine/2025-03-31-dup.csv, with the header. "
        "The script refuses if they do not repeat the 11 before them byte for byte.",
        run("tail -n 11 data/bank-2025.csv; sha256sum data/bank-2025.csv"),
        expect="31.03.2025",
    )
    yield say("Now move them.", run(MOVE.strip()), expect="and 11")
    (result,) = yield say(
        "Nothing may be lost: both files together have to give the old bytes, and the list has to "
        "shrink by the duplicates only.",
        run(
            "(cat data/bank-2025.csv; tail -n 11 data/quarantine/2025-03-31-dup.csv) | sha256sum; "
            "git show main:data/bank-2025.csv | sha256sum; make reconcile | tail -n 1"
        ),
        expect="unmatched",
    )
    unmatched = found(r"(\d+) unmatched", result)
    yield say(
        f"The two checksums are equal, so every byte is still there. {unmatched} unmatched: below the 40 of "
        "docs/close.md. The commit message names the lines of the original, as you asked.",
        run(
            "git add data/quarantine && git commit -qam 'fix(318): 11 repeated bookings move to quarantine\n\n"
            "Lines 2406 to 2416 of data/bank-2025.csv as imported; nothing is deleted.' && "
            "git show --stat --format=%B HEAD"
        ),
        expect="data/quarantine/2025-03-31-dup.csv",
    )
    yield say(
        "I wrote 2406 to 2416 from memory; the file had a header and 4 bad lines, so I had better count. "
        "The end of the old file out of git, and its length:",
        run(
            "git show main:data/bank-2025.csv | tail -n +2395 | head -n 4; git show main:data/bank-2025.csv | wc -l"
        ),
    )
    (count,) = yield say(
        "The file ends where wc says, so the last 11 are the ones before that:",
        run("n=$(git show main:data/bank-2025.csv | wc -l); echo $((n - 10)) to $n"),
    )
    first, last = found(r"(\d+) to", count), found(r"to (\d+)", count)
    yield say(
        f"{first} to {last}. The message was wrong; the commit is local and not pushed (rule 5), so I may amend it.",
        run(
            "git commit -q --amend -m 'fix(318): 11 repeated bookings move to quarantine\n\n"
            f"Lines {first} to {last} of data/bank-2025.csv as imported; nothing is deleted.' && "
            "git show --stat --format=%B HEAD"
        ),
        expect=f"Lines {first} to {last}",
    )
    yield say(
        "Now the statement, in three sentences:\n\n"
        "A new file ledger/statement.py gets `statement(invoices, customer, as_of)`, which returns the "
        "open invoices as items, and `statement_text`, which lays them out; neither goes into "
        "ledger/__init__.py, so the public names stay. The customers in dispute are one frozenset "
        '`DISPUTED = {"C-1042"}` in that file, and for them the function returns no item at all, so that '
        "no later layout can leak an amount. The command `statement` in ledger/cli.py and a target in the "
        "Makefile call it; I expect about 80 lines, against your limit of 100."
    )
    yield user(
        "Good, go ahead. Two changes: order by due date, not by number, and add --json with amounts in "
        "cents, the shop wants to read it. DISPUTED is fine there; dunning will need the same list later."
    )


def statement() -> Script:
    """The new command."""
    yield say(
        "By due date, and --json in cents. The tests first, so that they can fail.",
        write("tests/test_statement.py", TESTS),
        run("make check T=tests/test_statement.py OPTS='--tb=line -q'"),
        expect="No module named 'ledger.statement'",
    )
    yield say(
        "They fail for the right reason. The module:",
        write("ledger/statement.py", STATEMENT),
        run("make check T=tests/test_statement.py OPTS='--tb=short -q'"),
        expect="5 passed",
    )
    yield say(
        "All 5 pass. I look at the command line again before I add to it; it is some time since I read it.",
        read("ledger/cli.py"),
        expect="return _trial(args.invoices)",
    )
    yield say(
        "Subcommand and target.",
        edit("ledger/cli.py", "    args = parser.parse_args(argv)", CLI_PARSER),
        edit("ledger/cli.py", "    return _trial(args.invoices)", CLI_RUN),
        edit(
            "ledger/cli.py",
            "from ledger.store import load_invoices",
            "from ledger.statement import statement, statement_json, statement_text\nfrom ledger.store import load_invoices",
        ),
        edit(
            "Makefile",
            "trial:\n\t@python -m ledger.cli trial --invoices data/invoices-2025.json",
            MAKE,
        ),
        edit(
            "Makefile",
            ".PHONY: check reconcile ageing trial",
            ".PHONY: check reconcile ageing trial statement",
        ),
        run("make statement C=C-1009"),
        expect="INV-2025-",
    )
    yield say(
        "That is the customer from your example. The disputed one, one that does not exist, and JSON:",
        run("make statement C=C-1042; make statement C=C-9999"),
        run(
            "python -m ledger.cli statement --invoices data/invoices-2025.json --as-of 2025-03-31 --customer C-1017 --json"
        ),
        expect=("C-1042: in dispute, no statement", '"total_cents"'),
    )
    yield say(
        "C-9999 does not exist, and the answer is a statement over 0.00. A typo would look like a "
        "customer without debts. It should be an error; the test first.",
        edit(
            "tests/test_statement.py",
            "def test_a_customer_without_invoices():",
            'def test_an_unknown_customer_is_refused():\n    with pytest.raises(LookupError, match="C-9999"):\n'
            '        statement(INVOICES, "C-9999", AS_OF)\n\n\ndef test_a_customer_without_open_invoices():',
        ),
        edit(
            "tests/test_statement.py",
            "from datetime import date\n\nfrom ledger",
            "from datetime import date\n\nimport pytest\n\nfrom ledger",
        ),
        run("make check T=tests/test_statement.py OPTS='--tb=short -q'"),
        expect="DID NOT RAISE",
    )
    yield say(
        "And the code: a customer is known if any invoice names it.",
        edit(
            "ledger/statement.py",
            "    items = [\n        Item(",
            '    own = [i for i in invoices if i.customer == customer]\n    if not own:\n        raise LookupError(f"no invoice of customer {customer}")\n    items = [\n        Item(',
        ),
        edit(
            "ledger/statement.py",
            "        for i in invoices\n        if i.customer == customer and i.open_cents != 0",
            "        for i in own\n        if i.open_cents != 0",
        ),
        run("make check T=tests/test_statement.py OPTS='--tb=short -q'; make statement C=C-9999"),
        expect=("6 passed", "no invoice of customer C-9999"),
    )
    yield say(
        "Correct, but a traceback is no message for an accountant. The command should say it in one line "
        "and exit with 2.",
        edit(
            "ledger/cli.py",
            "        items = statement(load_invoices(args.invoices), args.customer, args.as_of)",
            "        try:\n            items = statement(load_invoices(args.invoices), args.customer, args.as_of)\n"
            "        except LookupError as error:\n            parser.error(str(error))",
        ),
        run("make statement C=C-9999; make statement C=C-1042"),
        expect="error: no invoice of customer C-9999",
    )
    (lines,) = yield say(
        "How many lines of new code is that, against the limit of 100?",
        run("git add -N . && git diff --numstat -- ledger Makefile"),
        expect="ledger/statement.py",
    )
    new = sum(int(line.split()[0]) for line in lines.splitlines())
    yield say(
        f"{new} lines of 100. That is close, and statement_json repeats the fields of Item by hand; "
        "the items are dataclasses, so `asdict` can write them.",
        read("ledger/statement.py", 59, 24),
        expect="def statement_json",
    )
    yield say(
        "Dates become text by `default=str`, which gives the ISO form for a date.",
        edit(
            "ledger/statement.py",
            STATEMENT[
                STATEMENT.index('        "invoices": [') : STATEMENT.index('        "total_cents"')
            ].strip("\n"),
            '        "invoices": [asdict(item) for item in items],',
        ),
        edit(
            "ledger/statement.py",
            "return json.dumps(value, indent=1)",
            "return json.dumps(value, indent=1, default=str)",
        ),
        edit(
            "ledger/statement.py",
            "from dataclasses import dataclass",
            "from dataclasses import asdict, dataclass",
        ),
        run(
            "make check T=tests/test_statement.py OPTS='--tb=short -q'; git diff --numstat -- ledger Makefile"
        ),
        expect="6 passed",
    )
    yield say(
        "85 lines now. The whole suite, then the commit.",
        run(
            "make check OPTS=-q && git add -A && git commit -qm 'feat(318): make statement, one customer at a time' && git log --oneline -2"
        ),
        expect="157 passed",
    )
    yield say(
        "Four customers through the statement at another day, to see AS_OF at work:",
        run(
            "for c in C-1003 C-1017 C-1042 C-1060; do make statement C=$c AS_OF=2025-02-28 | sed -n '1,8p;$p'; done"
        ),
        expect="C-1042: in dispute",
    )
    yield say(
        "Days late follow AS_OF. Did anything slip in that should not have? Files in the commit, and what is in data/ now.",
        run("git show --stat --format=%s HEAD; git status --short"),
        list_dir("data", deep=True),
        grep(r"DISPUTED|C-1042", "ledger"),
        expect="quarantine/2025-03-31-dup.csv",
    )
