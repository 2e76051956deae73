"""The sessions: which script runs on which project, and the form it is written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from examples.record import wire
from examples.record.keihi_data import keihi_files
from examples.record.ledger_data import ledger_files
from examples.record.loop import Session
from examples.record.scripts import flaky, keihi, ledger
from examples.record.steps import Script
from examples.record.workplace import Project


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one bundled session is made."""

    file: str
    model: str
    system: str
    project: Callable[[], Project]
    script: Callable[[], Script]
    write: Callable[[Session], dict[str, Any]]


def _ledger() -> Project:
    return Project(
        name="ledger",
        branch="fix/march-close",
        author="Mara Lindqvist",
        email="mara@halden-marsh.example",
        start="2025-03-24T08:10:00+00:00",
        commits=(
            (
                "Amounts and tax",
                (
                    "pyproject.toml",
                    ".gitignore",
                    "ledger/money.py",
                    "ledger/tax.py",
                ),
            ),
            (
                "Invoices, due dates, the JSON file",
                (
                    "ledger/dates.py",
                    "ledger/invoice.py",
                    "ledger/store.py",
                ),
            ),
            ("Schema for production", ("migrations", "ledger/db.py")),
            ("Import of the bank's file, matching", ("ledger/csvimport.py", "ledger/match.py")),
            (
                "Journal and ageing",
                (
                    "ledger/journal.py",
                    "ledger/report.py",
                    "ledger/cli.py",
                    "ledger/__init__.py",
                ),
            ),
            ("What the close needs: docs, make targets", ("README.md", "docs", "Makefile")),
            ("Tests for ticket 318, most of them failing", ("tests",)),
            ("First quarter of 2025", ("data",)),
        ),
        generated=ledger_files(),
    )


def _keihi() -> Project:
    return Project(
        name="keihi",
        branch="kensa-9gatsu",
        author="桐生 美帆",
        email="kiryu@keihi.example",
        start="2025-09-29T00:30:00+00:00",
        commits=(
            (
                "経費: 規程と金額",
                (
                    "README.md",
                    "pyproject.toml",
                    ".gitignore",
                    "規程",
                    "keihi/kingaku.py",
                ),
            ),
            ("経費: 明細と照合", ("keihi/meisai.py", "keihi/kitei.py", "keihi/__init__.py")),
            ("経費: 精算と部門別集計", ("keihi", "Makefile")),
            ("経費: 8月分を締める", ("過去分",)),
            ("経費: 試験と9月分の明細", ("tests", "data")),
        ),
        generated=keihi_files(),
    )


def _taskq() -> Project:
    return Project(
        name="taskq",
        branch="flaky",
        author="Idris Vance",
        email="idris@taskq.example",
        start="2025-06-02T13:00:00+00:00",
        commits=(
            (
                "Plans",
                (
                    "README.md",
                    "pyproject.toml",
                    ".gitignore",
                    "taskq/__init__.py",
                    "taskq/graph.py",
                ),
            ),
            ("A cache on disk", ("taskq/cache.py",)),
            ("Run tasks", ("taskq/runner.py",)),
            ("Tests", ("tests",)),
        ),
    )


RECIPES: dict[str, Recipe] = {
    "ledger-fix": Recipe(
        "ledger-fix.anthropic.json",
        "claude-sonnet-4-5",
        ledger.SYSTEM,
        _ledger,
        ledger.session,
        wire.anthropic,
    ),
    "keihi-seisan": Recipe(
        "keihi-seisan.openai.json",
        "gpt-5.1",
        keihi.SYSTEM,
        _keihi,
        keihi.session,
        wire.openai_chat,
    ),
    "flaky-test": Recipe(
        "flaky-test.responses.json",
        "gpt-5.1",
        flaky.SYSTEM,
        _taskq,
        flaky.session,
        wire.openai_responses,
    ),
}
