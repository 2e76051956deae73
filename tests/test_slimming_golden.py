"""What real tools put out, slimmed: the form as it stands, and that what acts is in it."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from trimtab.slimming import slim

SAMPLES = ROOT / "tests" / "golden" / "slimming"

CASES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "pytest": (
        "pytest output",
        (
            "ValueError: count -3 of bolt is below zero",
            "FAILED test_stock.py::test_take",
            "pkg/stock.py:7: ValueError",
            "19 failed, 102 passed",
            "[... 102 passing tests, ",
        ),
        ("test_level[1] PASSED",),
    ),
    "unittest": (
        "unittest output",
        ("AssertionError: 15 != 14", "FAILED (failures=1, errors=1)", "[... 60 passing tests ...]"),
        ("test_fine_3 ",),
    ),
    "junit": ("JUnit report", ("count -3 of bolt", 'failures="19"', "passing tests"), ()),
    "ruff": ("compiler or linter output", ("Found 154 errors.", "F821 Undefined name"), ()),
    "mypy": ("compiler or linter output", ("pkg/stock.py:6: error:", "Found 32 errors"), ()),
    "gcc": ("compiler or linter output", ("error: expected ‘;’ before ‘}’ token",), ()),
    "tap": ("TAP output", ("not ok 61 - total", "36 !== 37", "# fail 1"), ("ok 30 - ",)),
    "node": (
        "JavaScript stack trace",
        ("Error: settings cannot be read", "[cause]: SyntaxError", "/home/dev/stock/boom.js:1:71"),
        ("node:internal/modules",),
    ),
    "java": (
        "Java stack trace",
        ("IllegalStateException: invoice 17 cannot be paid", 'For input string: "12,50"'),
        ("jdk.internal.reflect",),
    ),
    "traceback": (
        "Python traceback",
        ("KeyError: 'row 17 has no amount'", "json.decoder.JSONDecodeError", "direct cause"),
        ("raw_decode",),
    ),
    "cargo": ("cargo test output", ("total of the order", "test result: FAILED"), ("fine_30 ",)),
    "gitdiff": ("diff", ("diff --git a/a0.py b/a0.py", "@@ -"), ("+400\n",)),
    "gitlog": (
        "git log",
        ("    Change the prices, part 14", "    Change the prices, part 1\n"),
        (),
    ),
    "ls": ("directory listing", ("src/trimtab/formats:", "migrations", "entries: .py"), ()),
    "find": ("list of paths", ("trimtab/cli/__init__.py", "entries: .py"), ()),
    "grep": ("search results", ("matches: ", "trimtab/formats/"), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_real_output_keeps_what_acts(name: str) -> None:
    what, kept, gone = CASES[name]
    text = (SAMPLES / f"{name}.txt").read_text("utf-8")
    form = slim(text)
    assert form is not None
    assert form.what == what
    assert len(form.text) <= 2_000
    for part in kept:
        assert part in form.text
    for part in gone:
        assert part not in form.text
    for line in form.text.split("\n"):
        assert line in text or line.startswith("[... ")
    assert slim(form.text) is None
    golden = SAMPLES / f"{name}.slim"
    assert form.text == golden.read_text("utf-8")
