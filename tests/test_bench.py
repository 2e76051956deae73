"""The benchmark runs, its figures have the shape that the page needs, and the page has not drifted.

No timing is judged here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import SECTIONS, run, write
from bench.histories import anthropic_request, openai_request, responses_items
from bench.japanese import with_japanese
from bench.render import number, page
from bench.shape import at_least, at_most
from trimtab.formats.wire import read_request
from trimtab.history.rules import validate

FOLDER = Path(__file__).resolve().parent.parent / "bench"


def check(name: str, section: dict[str, Any]) -> None:
    """A section has all that the page shows, in JSON's types."""
    assert set(section) - {"skipped"} == {"title", "about", "rows", "units", "aims"}, name
    assert section == json.loads(json.dumps(section)), name
    assert section["title"]
    assert section["rows"] or section.get("skipped"), name
    columns = {key for row in section["rows"] for key in row}
    compared = {"faster"}  # there only where the other library, a bench extra, is installed
    assert set(section["units"]) - compared <= columns or section.get("skipped"), name
    for aim in section["aims"]:
        assert set(aim) == {"what", "figure", "unit", "aim", "met"}, name
        limit = float(aim["aim"].rpartition(" ")[2])
        if aim["aim"].startswith("at most"):
            assert aim["met"] == (aim["figure"] <= limit), aim
        else:
            assert aim["met"] == (aim["figure"] >= limit), aim


@pytest.mark.parametrize("name", SECTIONS)
def test_a_quick_run_of_each_section(name: str, tmp_path: Path) -> None:
    results = run((name,), quick=True)
    check(name, results["sections"][name])
    write(results, tmp_path, keep=False)
    written = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert written == results
    text = (tmp_path / "RESULTS.md").read_text("utf-8")
    assert f"## {results['sections'][name]['title']}" in text


def test_sections_that_were_not_run_stay(tmp_path: Path) -> None:
    section = {"title": "t", "about": "a", "rows": [], "units": {}, "aims": [], "skipped": "no"}
    machine = {"cores": 1, "python": "3", "packages": {"a": "1"}}
    before = {"turns": section, "precision": {**section, "title": "old"}}
    first = {"machine": machine, "sections": before}
    (tmp_path / "results.json").write_text(json.dumps(first), "utf-8")
    new = {"machine": machine, "sections": {"precision": {**section, "title": "new"}}}
    write(new, tmp_path, keep=True)
    kept = json.loads((tmp_path / "results.json").read_text("utf-8"))["sections"]
    assert [(name, found["title"]) for name, found in kept.items()] == [
        ("turns", "t"),
        ("precision", "new"),
    ]


def test_the_page_is_the_rendering_of_the_committed_figures() -> None:
    results = json.loads((FOLDER / "results.json").read_text("utf-8"))
    assert tuple(results["sections"]) == SECTIONS
    for name, section in results["sections"].items():
        check(name, section)
    assert (FOLDER / "RESULTS.md").read_text("utf-8") == page(results)


def test_the_command_prints_the_aims() -> None:
    command = [sys.executable, "-m", "bench", "--quick", "--only", "startup"]
    ran = subprocess.run(
        command, cwd=FOLDER.parent, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    assert "import trimtab, above bare: " in ran.stdout


def test_an_unknown_section_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "--only", "nothing"]
    ran = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "no section nothing" in ran.stderr


def test_aims() -> None:
    assert at_most("a", 2.5, 2.5, "times")["met"]
    assert not at_most("a", 2.51, 2.5, "times")["met"]
    assert at_least("a", 20, 20, "times")["met"]
    assert not at_least("a", 19.9, 20, "times")["met"]


def test_numbers_as_people_read_them() -> None:
    assert [number(n) for n in (1234567, 1234.5, 0.0432, "a|b", True)] == [
        "1,234,567",
        "1,234",
        "0.0432",
        "a\\|b",
        "yes",
    ]


# -- the generated histories --------------------------------------------------------------------


@pytest.mark.parametrize("follow_ups", [True, False])
def test_generated_requests_are_what_they_say(follow_ups: bool) -> None:
    request = openai_request(700, 3, follow_ups)
    assert len(request["messages"]) == 700
    assert request == openai_request(700, 3, follow_ups)
    assert request != openai_request(700, 4, follow_ups)
    assert openai_request(300, 3, follow_ups)["messages"] == request["messages"][:300]
    users = sum(message["role"] == "user" for message in request["messages"])
    assert (users > 3) if follow_ups else (users == 1)
    results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    assert len(set(results)) > 0.9 * len(results)


def test_generated_requests_break_no_rule() -> None:
    for dialect, value in (
        ("openai", openai_request(699, 1)),
        ("anthropic", anthropic_request(700, 1)),
        ("responses", responses_items(700, 1)),
    ):
        history = read_request(value, dialect)
        broken = validate(tuple(history), dialect, tools=history.tools, envelope=history.envelope)
        assert [v for v in broken if v.index < len(history) - 5] == []
        exchanges = map(history.exchanges.__getitem__, range(len(history.exchanges)))
        parts = (history[exchange.start : exchange.stop] for exchange in exchanges)
        calls = [sum(len(list(message.calls())) for message in part) for part in parts]
        assert max(calls) > 1, "no parallel calls"


def test_japanese_stands_in_for_some_texts_and_changes_nothing_else() -> None:
    before, after = responses_items(700, 3), responses_items(700, 3)
    with_japanese(after, seed=1)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert 50 < len(changed) < 250
    for old, new in zip(before, after, strict=True):
        assert {**old, "output": "", "content": ""} == {**new, "output": "", "content": ""}
    assert all(re.search("[\u4e00-\u9fff]{2}", json.dumps(i, ensure_ascii=False)) for i in changed)
