"""The ledger session, part 8: speed, documents, and a review of everything."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, list_dir, read, run, say, user

TASK = """
Thank you, that saves us the whole of tomorrow. Before I take it over, please:

1. The shop calls match() with five years of invoices. See whether it is fast enough there: at most 2 seconds
   for 20,000 invoices and 13,000 rows. Results must not change.
2. Bring README.md and docs/close.md up to date. No marketing.
3. Then go through the rules I gave you at the start and later, one by one, and show me for each that it holds.
"""

MEASURE = """
python - <<"END"
import time
from datetime import date, timedelta
from ledger import BankRow, Invoice, Line, match
day = date(2021, 1, 4)
inv = [Invoice(f"INV-{2021 + n // 4000}-{n % 4000:05d}", f"C-{1000 + n % 64}", day + timedelta(n % 360),
       (Line("x", 1, 1000 + n * 7 % 90000),)) for n in range(20000)]
rows = [BankRow(day, inv[n].gross, inv[n].customer + " x", inv[n].number if n % 10 else "thank you", n)
        for n in range(13000)]
start = time.perf_counter()
r = match(rows, inv)
took = time.perf_counter() - start
print(len(r.settled), len(r.partial), len(r.over), len(r.unmatched))
print(f"{took:.2f} s")
END
"""

PROFILE = (
    MEASURE.strip()
    .replace('<<"END"', '<<"END" | head -n 24')
    .replace(
        "r = match(rows, inv)",
        "import cProfile; cProfile.run('r = match(rows, inv)', sort='cumtime')",
    )
)

BEFORE = "make reconcile > before.tmp; make ageing >> before.tmp; make dunning >> before.tmp; sha256sum before.tmp"
AFTER = "make reconcile > after.tmp; make ageing >> after.tmp; make dunning >> after.tmp; sha256sum after.tmp; cmp before.tmp after.tmp && rm before.tmp after.tmp && echo same"

FOUND_OLD = """
    found = [
        invoice.number
        for invoice in invoices
        if abs(left[invoice.number] - row.amount) <= tolerance
        and left[invoice.number] > 0
        and row.payer.split()[0] == invoice.customer
    ]
"""

FOUND_NEW = """
    found = [
        number
        for number in by_customer.get(row.payer.split()[0], ())
        if abs(left[number] - row.amount) <= tolerance and left[number] > 0
    ]
"""

README_OLD = "  matches the bank's file with the open invoices, `make ageing` prints what is owed and since when."

README_NEW = """
  matches the bank's file with the open invoices, `make ageing` prints what is owed and since when.
- `make statement C=C-1009` prints what one customer owes, `make dunning` who gets a reminder.
  `DISPUTED` in `ledger/statement.py` names the customers in dispute; neither command shows theirs.
- A payment settles its invoice within 5 cents (`TOLERANCE` in `ledger/match.py`).
"""

CLOSE_OLD = "4. `make trial` has to end in `balance 0.00`."

CLOSE_NEW = """
4. `make trial` has to end in `balance 0.00`.
5. `make dunning AS_OF=...` lists the reminders: level 1 from 7 days, 2 from 21, 3 from 45; fees 0.00,
   10.00 and 25.00. What the bank's file brought is subtracted.

Bookings that the bank sent twice are moved to `data/quarantine/`, never deleted.
"""


def speed() -> Script:
    """Fast enough for five years, with the same results."""
    yield say(
        "Reminders are in: 172 tests pass, fees are 0, 10.00 and 25.00, C-1042 gets none, and what the "
        "bank's file brought is not dunned."
    )
    yield user(TASK)
    (before,) = yield say(
        "1. First a measurement at your size: 20,000 invoices over five years, 13,000 rows, every tenth "
        "without a reference.",
        run(MEASURE.strip()),
        expect=" s",
    )
    counts = found(r"^(\d+ \d+ \d+ \d+)", before)
    took = found(r"([\d.]+) s", before)
    yield say(
        f"{took} s against the 2 that you allow, and the counts are {counts}. Where does it go? I profile "
        "before I guess.",
        run(PROFILE),
        expect="_by_amount",
    )
    yield say(
        "Nearly all of it in `_by_amount`, which looks at every invoice for each row without a "
        "reference, and in `open_cents`. By customer there are 64 times fewer. The present outputs first, as the "
        'yardstick for "results must not change".',
        run(BEFORE),
        read("ledger/match.py", 36, 36),
        expect="before.tmp",
    )
    yield say(
        "The numbers of each customer are collected once; the order of the invoices stays.",
        edit("ledger/match.py", FOUND_OLD, FOUND_NEW),
        edit(
            "ledger/match.py",
            "row: BankRow, invoices: Sequence[Invoice], left: dict[str, int], tolerance: int\n",
            "row: BankRow, by_customer: dict[str, list[str]], left: dict[str, int], tolerance: int\n",
        ),
        edit(
            "ledger/match.py",
            "_by_amount(row, invoices, left, tolerance)",
            "_by_amount(row, by_customer, left, tolerance)",
        ),
        edit(
            "ledger/match.py",
            "    result = MatchResult()\n",
            "    by_customer: dict[str, list[str]] = {}\n    for invoice in invoices:\n"
            "        by_customer.setdefault(invoice.customer, []).append(invoice.number)\n    result = MatchResult()\n",
        ),
        run("make check T='tests/test_match.py tests/test_dunning.py' OPTS=-q"),
        expect="41 passed",
    )
    (after,) = yield say("And measured again:", run(MEASURE.strip()), expect=counts)
    took_after = found(r"([\d.]+) s", after)
    yield say(
        f"{took} s became {took_after} s, with the same counts {counts}. The real outputs, byte for byte:",
        run(AFTER),
        expect="same",
    )
    yield say(
        "Same. Also for other tolerances, since the shop may pass its own: settled, partial, over and "
        "unmatched for 0 to 100 cents, old code against new.",
        run(
            'git show HEAD:ledger/match.py > ledger/old_match.py; python - <<"END"\n'
            "from ledger import load_invoices, match, read_bank_csv\n"
            "from ledger.old_match import match as old\n"
            "inv, rows = load_invoices('data/invoices-2025.json'), read_bank_csv('data/bank-2025.csv', [])\n"
            "for t in (0, 1, 2, 3, 4, 5, 10, 20, 50, 100):\n"
            "    a, b = old(rows, inv, t), match(rows, inv, t)\n"
            "    same = [vars(a)[k] == vars(b)[k] for k in vars(a)]\n"
            "    print(t, [len(v) for v in vars(b).values()], all(same))\n"
            "END\n"
            "rm ledger/old_match.py; git status --short"
        ),
        expect="100 [",
    )
    yield say(
        "The same ten times. One thing that the profile reminded me of: a row with an empty payer would make "
        "`split()[0]` fail. Does the importer let one through?",
        run(
            'python -c "\n'
            "from datetime import date\n"
            "from ledger import BankRow, match\n"
            "print(match([BankRow(date(2025, 3, 1), 5, '', 'thank you', 2)], []))\n"
            '"'
        ),
        expect="IndexError",
    )
    yield say(
        "A crash of the whole close by one empty cell. Test, then fix.",
        edit(
            "tests/test_match.py",
            "def test_charges_are_left_out():",
            'def test_an_empty_payer_is_no_reason_to_fail():\n    result = match([row(777, "thank you", payer="")], [invoice(2, 777)])\n'
            '    assert [reason for _, reason in result.unmatched] == ["no reference"]\n\n\ndef test_charges_are_left_out():',
        ),
        edit(
            "ledger/match.py",
            "by_customer.get(row.payer.split()[0], ())",
            'by_customer.get(row.payer.partition(" ")[0], ())',
        ),
        run(
            "make check T=tests/test_match.py OPTS=-q && git commit -qam 'fix(318): matching looks at the invoices of the payer only' && git log --oneline -1"
        ),
        expect="27 passed",
    )


def documents() -> Script:
    """README.md and docs/close.md."""
    yield say(
        "2. The documents. I read them again, they were the first thing I saw today.",
        read("README.md"),
        read("docs/close.md"),
        expect="40 rows",
    )
    yield say(
        "Two commands, the tolerance, the quarantine and the reminders are missing. Values as they are "
        "now: 5 cents, 7/21/45 days, 0.00/10.00/25.00.",
        edit("README.md", README_OLD, README_NEW),
        edit("docs/close.md", CLOSE_OLD, CLOSE_NEW),
        run("git diff"),
        expect="TOLERANCE",
    )
    yield say(
        "Do the documents and the code agree? The values straight from the code:",
        grep(r"^(TOLERANCE|FEES|LEVELS|LEAST|DISPUTED)", "ledger"),
        run(
            "git commit -qam 'fix(318): documents say what the commands do' && git log --oneline -1"
        ),
        expect=("TOLERANCE = 5", "2: 1000"),
    )


def review() -> Script:
    """Every rule, with its proof."""
    yield say(
        "3. Now your rules. Rule 1, nothing under migrations/, against main, with the guard test:",
        run("git diff --stat main -- migrations; git log --oneline main.. -- migrations | wc -l"),
        run("make check T=tests/test_migrations.py OPTS=-v"),
        expect="2 passed",
    )
    yield say(
        "No commit touched it. Rule 2, public names and their parameters:",
        run(
            "git diff main -- ledger/__init__.py | wc -l; make check T=tests/test_public_names.py OPTS=-v"
        ),
        expect="2 passed",
    )
    yield say(
        "Rule 3, no float may touch an amount. The same search as in the "
        "beginning, when it found float(), round() or a division in money.py, tax.py and invoice.py:",
        grep(r"float\(|/ |round\(", "ledger"),
    )
    yield say(
        "No division and no round() left in ledger/; what grep shows is text, if anything. To be sure, "
        "the syntax tree instead of a pattern:",
        run(
            'python - <<"END"\n'
            "import ast, pathlib\n"
            "for path in sorted(pathlib.Path('ledger').glob('*.py')):\n"
            "    tree = ast.parse(path.read_text())\n"
            "    bad = []\n"
            "    for n in ast.walk(tree):\n"
            "        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div):\n"
            "            bad.append((n.lineno, ast.unparse(n)))\n"
            "        if isinstance(n, ast.Name) and n.id in ('float', 'round'):\n"
            "            bad.append((n.lineno, n.id))\n"
            "    print(path.name, bad)\n"
            "END"
        ),
        expect="db.py",
    )
    yield say(
        'One hit, db.py, and it joins paths: `... / "migrations"`. No amount in sight. Rule 4, dependencies, and rule 5, '
        "nothing pushed and one branch:",
        run(
            "git diff main -- pyproject.toml | wc -l; grep -n dependencies pyproject.toml; git grep -hE '^(import|from) ' -- ledger | sort -u"
        ),
        run("git remote -v | wc -l; git branch -a; git log --oneline main..HEAD"),
        expect=("dependencies = []", "fix/march-close"),
    )
    yield say(
        "0 of 2 dependencies, no remote, one branch. Rule 6, data: everything that main had is still there, "
        "in one file or the other. And C-1042's invoices are untouched:",
        run(
            "git diff --stat main -- data; (cat data/bank-2025.csv; tail -n 11 data/quarantine/2025-03-31-dup.csv) | sha256sum; "
            "git show main:data/bank-2025.csv | sha256sum; git diff main -- data/invoices-2025.json | wc -l"
        ),
        expect="2025-03-31-dup.csv",
    )
    yield say(
        "And nothing of C-1042 goes out, in any of the new commands, on any month's end:",
        run(
            "for d in 2025-01-31 2025-02-28 2025-03-31 2025-12-31; do make dunning AS_OF=$d | grep -c C-1042; "
            "make statement C=C-1042 AS_OF=$d; done; make ageing | grep C-1042"
        ),
        expect="in dispute, no statement",
    )
    (names,) = yield say(
        "Only the ageing table shows it, which is for the portal and had it before. Rule 8 as you changed it, 30 files, and the form of the commit messages:",
        run(
            "git diff --name-only main | tee /dev/stderr | wc -l; git log --format=%s main.. | grep -vcE '^(fix|feat)\\(318\\): '"
        ),
        expect="docs/close.md",
    )
    count = found(r"(?m)^(\d+)$", names)
    yield say(
        f"{count} files of 30, and no message without its prefix. Rule 7 is about how I worked: I ran tests by "
        "`make check` only. Now once more the whole suite, verbose, and the other targets.",
        run("make check"),
        run("make reconcile | tail -n 1; make trial; make ageing | tail -n 1"),
        expect=("173 passed", "balance 0.00"),
    )
    yield say(
        "Everything holds. The layout of the table for the portal, once more against main: same header, "
        "same width.",
        run(
            "make ageing | head -n 3; make ageing | awk '{print length($0)}' | sort | uniq -c; git log --stat --oneline main.. | tail -n 40"
        ),
        expect="82",
    )
    yield say(
        "One test of the tests: I break eight places, one at a time, and count what `make check` says. "
        "Each has to fail.",
        run(
            'try() { cp $1 keep.tmp; sed -i "$2" $1; cmp -s $1 keep.tmp && echo "$1 unchanged by $2"; '
            "echo \"$1 $2: $(make check OPTS='-q --tb=no' | grep -E 'passed|failed' | tail -n 1)\"; mv keep.tmp $1; }\n"
            "try ledger/money.py 's/2 \\* abs(parts) + whole/2 * abs(parts) + whole - 1/'\n"
            "try ledger/tax.py 's/nets.get(rate, 0) + net/net/'\n"
            "try ledger/invoice.py 's/as_of > self.due/as_of >= self.due/'\n"
            "try ledger/dates.py 's/weekday() < 5/weekday() < 6/'\n"
            "try ledger/csvimport.py 's/utf-8-sig/utf-8/'\n"
            "try ledger/match.py 's/left.number. -= row.amount/pass/'\n"
            "try ledger/report.py 's/days <= 60/days < 60/'\n"
            "try ledger/statement.py 's/C-1042/C-1043/'\n"
            "git status --short"
        ),
        expect="ledger/statement.py s/C-1042/C-1043/",
    )
    yield say(
        "For your review, the whole difference without the data and the tests:",
        run("git diff main -- ledger Makefile README.md docs"),
        list_dir(".", deep=True),
        expect="diff --git",
    )
    (log,) = yield say(
        "And the list of commits for the release notes.",
        run("git log --reverse --format='%h %s' main.."),
        expect="fix(318): tolerance is 5 cents",
    )
    commits = len(log.splitlines())
    yield say(
        f"The March close balances. {commits} commits on fix/march-close, {count} files of 30, 173 tests pass, none "
        "skipped.\n\n"
        "- make trial ends in balance 0.00; make reconcile leaves 37 unmatched rows (limit 40) and names the four "
        "unreadable lines 606, 1104, 1379 and 1522, which you settle with the bank.\n"
        "- Tax per rate group, halves away from zero; tolerance 5 cents (it was 50 for a while, the commit that "
        "says so is superseded by the one after it).\n"
        "- The 11 repeated bookings of 31.03. are in data/quarantine/2025-03-31-dup.csv, nothing was deleted.\n"
        "- New: make statement C=..., make dunning (7/21/45 days, fees 0, 10.00, 25.00). C-1042 is in dispute and "
        "shows in neither.\n"
        "- match() stays well under your 2 seconds for the five years of the shop.\n\n"
        "Rules 1 to 8 hold, each shown above. Open: the references 7000 too high (INV-2025-07391 and 14 others), left "
        "as you said."
    )
    yield user(
        "Perfect. Merge it yourself? No: leave it on the branch, I review tonight. Thank you!"
    )
    yield say(
        "It stays on fix/march-close, unmerged and unpushed. The commit to start with is the one on tax "
        "per rate group; it is the only one that changes what an invoice costs."
    )
