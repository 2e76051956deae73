"""The ledger session, part 1: the task, a look at everything, the first questions."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import (
    Script,
    found,
    grep,
    list_dir,
    read,
    run,
    say,
    user,
)

SYSTEM = """
You are a coding agent. You work in one git repository by means of tools: read_file, write_file,
edit_file, run, grep and list_dir. Paths are relative to the root of the repository, /repo.

- Look before you change. Read the test before the code that it tests.
- Say in a sentence or two what you do and why, then call the tools. Calls that do not depend on
  each other go out together.
- Keep changes small, and commit each that stands by itself.
- When a decision is the user's, ask, and wait for the answer.
- Long outputs are shortened in the middle by the tool; narrow the command if you need that part.
""".strip()

TASK = """
The March close does not balance and I need it by tomorrow. Please get `make check`, `make reconcile`
and `make trial` of this repository into order; it is ticket 318, docs/close.md has the story.

What binds you:

1. Do not touch anything under migrations/. Production has applied 0001 to 0004.
2. The public names in ledger/__init__.py and their parameters stay as they are, the shop imports them.
3. Amounts are whole cents (int) everywhere. No float may touch an amount, not even for a moment.
4. At most 2 new dependencies, and only if the standard library really cannot do it.
5. Never push. Commit on the branch fix/march-close only.
6. Ask me before you delete any data, be it a line of a file in data/.
7. Run the tests through `make check` only (T=... for one file); our CI measures nothing else.
8. The whole change must stay within 40 files.
"""

ANSWER = """
Good questions.

- Tax: per rate group, as the README says. The docstring is from the old shop. Round half away from
  zero, always, for negative amounts too.
- Tolerance: 50 cents. Our bank takes fees off. It must be the default of match(), so that the shop gets it.
- The columns of the ageing table must not move: the portal reads them by position, 12 characters for
  the customer and 14 for each number.
- Commit messages must start with "fix(318): " or "feat(318): ", the release notes are made of them.
- Customer C-1042 is in dispute with us. Do not write anything to its invoices, reading is fine.

Work on by yourself now, I am in meetings until four.
"""


def start() -> Script:
    """Looks at the repository and asks what the documents leave open."""
    yield user(TASK)
    yield say(
        "I start with the lie of the land: all files, with their sizes.",
        list_dir(".", deep=True),
        expect=("migrations/0004_journal.sql", "data/bank-2025.csv"),
    )
    yield say(
        "Small enough to read whole. First what the documents promise, and what the make targets do.",
        read("README.md"),
        read("Makefile"),
        read("docs/close.md"),
        expect=("per rate group", "40 rows"),
    )
    yield say(
        "Where the branch stands, and who changed what lately.",
        run("git status --short --branch && git log --stat --format='%h %ad %s' --date=short"),
        expect="fix/march-close",
    )
    (first,) = yield say(
        "Now the tests, the way that CI runs them.",
        run("make check"),
        expect="79 failed, 72 passed",
    )
    took = found(r"passed in ([\d.]+)s", first)
    yield say(
        f"79 of 151 fail, in {took} s, so running everything is cheap. The middle of that output was "
        "left out; I want the bare list, counted by file.",
        run("make check OPTS='-q --tb=no' | grep FAILED | cut -d: -f1 | sort | uniq -c"),
        expect="25 FAILED tests/test_money.py",
    )
    yield say(
        "test_money.py leads with 25, and nearly everything imports money. Before I go there, the "
        "other two targets that you named, and the ageing table.",
        run("make reconcile"),
        run("make trial | tail -n 12"),
        run("make ageing | head -n 20"),
        expect=("ValueError: time data '\\ufeffBooked'", "balance"),
    )
    yield say(
        "`make reconcile` does not even start: the byte order mark becomes part of the first cell, so "
        "the header is taken for a booking. Now the code, bottom up, each file with its test.",
        read("ledger/money.py"),
        read("tests/test_money.py"),
        expect="int(float(cleaned) * 100)",
    )
    yield say(
        "`int(float(cleaned) * 100)` breaks your rule 3 and is plainly wrong: 1.15 becomes 114. "
        "`format_cents` uses divmod, which rounds down, so -5 is shown as -1.95. Next: tax.",
        read("ledger/tax.py"),
        read("tests/test_tax.py"),
        expect="The tax of each line is rounded",
    )
    yield say(
        "Here the documents contradict each other: README.md says per rate group, the docstring of "
        "`tax_table` says per line. I note it as a question and go on.",
        read("ledger/invoice.py"),
        read("tests/test_invoice.py"),
        read("ledger/dates.py"),
        expect="as_of >= self.due",
    )
    yield say(
        "`NUMBER.match` accepts trailing characters, `as_of >= self.due` calls an invoice overdue on "
        "its due date, and holidays are listed but never used. Now import and matching.",
        read("ledger/csvimport.py"),
        read("ledger/match.py"),
        read("tests/test_match.py"),
        expect="TOLERANCE = 0",
    )
    yield say(
        "The importer splits on semicolons by hand, ignores `problems`, and `duplicates` compares two "
        "of four cells. `match` ignores `tolerance` altogether. The rest of the code:",
        read("ledger/journal.py"),
        read("ledger/report.py"),
        read("ledger/store.py"),
        expect="abs(p.cents) * -1",
    )
    yield say(
        "`reverse` makes every posting negative and keeps the old day. `save_invoices` loses "
        "discount_bp and paid_cents, and truncates the file before it writes.",
        read("ledger/cli.py"),
        read("ledger/db.py"),
        read("ledger/__init__.py"),
    )
    yield say(
        "Two guards that I have to respect: the names, and the checksums of the migrations.",
        read("tests/test_public_names.py"),
        read("tests/test_migrations.py"),
        run("cd migrations && wc -l *.sql"),
        expect='"match": ["rows", "invoices", "tolerance"]',
    )
    yield say(
        "Every float that may touch an amount, so that rule 3 can be checked at the end.",
        grep(r"float\(|/ |round\(", "ledger"),
        expect="ledger/tax.py:",
    )
    size, _ = yield say(
        "Now the data. How much is it, and what does it look like?",
        run("wc -l data/*; grep -c '\"number\"' data/invoices-2025.json"),
        run("head -n 120 data/bank-2025.csv"),
        expect=("3600", "your invoice; inv-2025"),
    )
    rows = found(r"(\d+) data/bank-2025\.csv", size)
    yield say(
        f"{rows} lines from the bank against 3,600 invoices. The first 120 lines alone spell the "
        "reference in half a dozen ways. The end of the file, where the last import stopped, and one invoice:",
        run("tail -n 40 data/bank-2025.csv"),
        run("head -n 60 data/invoices-2025.json"),
        expect="INV-2025-00001",
    )
    yield say(
        "One look at the middle as well; a file is not always what its two ends promise.",
        read("data/bank-2025.csv", 560, 90),
        expect="30.02.2025;118,00",
    )
    yield say(
        "Line 606 books a payment on 30.02.2025. The last 11 lines repeat the 11 before them, as if 31.03. had been sent twice. I leave them "
        "alone for now (rule 6). How many lines have each spelling?",
        run(
            "grep -c 'INV-2025-[0-9]\\{5\\}' data/bank-2025.csv; "
            "grep -ci 'inv[ ._]*2025' data/bank-2025.csv; "
            "grep -cE 'thank you$|goods received|delivery|as agreed' data/bank-2025.csv; "
            "grep -c 'account fee' data/bank-2025.csv"
        ),
    )
    yield say(
        "I have what I need, and three decisions that are yours:\n\n"
        "1. Tax: README.md says per rate group, the docstring in ledger/tax.py says per line. On three "
        "lines of 13 cents the difference is 6 against 7 cents. The tests side with the README. Which one "
        "binds, and how is a half rounded below zero?\n"
        "2. Tolerance: `match()` has the parameter, its default is 0. Does a payment that lacks a few "
        "cents settle its invoice, and up to how much?\n"
        "3. The ageing table goes to the portal. May I change its layout, for instance its order?"
    )
    yield user(ANSWER)
