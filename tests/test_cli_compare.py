"""`trimtab compare`: the figures of the retention experiment, and the forms they come in."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command, chat, session_with_tools, written

KEYS = [
    "file",
    "policy",
    "budget",
    "capacity",
    "used",
    "reduction",
    "required_retention",
    "verbatim_fidelity",
    "valid",
    "feasible",
    "needed",
]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def compared(command: Command, *more: object) -> list[dict[str, Any]]:
    policies = "recent-first,required-first"
    words = ("compare", RECORDS, "--policies", policies, "--unit", "chars", *more)
    rows: list[dict[str, Any]] = command.json(*words, "--json")["rows"]
    return rows


def test_the_records_are_as_the_experiment_wants_them() -> None:
    records = [json.loads(line) for line in RECORDS.read_text("utf-8").splitlines()]
    lengths = [23, 27, 18, 13, 18, 21, 17, 24, 27, 22, 17, 18]
    assert [len(record["content"]) for record in records] == lengths
    assert [n for n, record in enumerate(records, 1) if record.get("required")] == [1, 3, 6, 9]
    texts = [record["content"] for record in records]
    assert len("\n".join(texts)) == 256
    assert len("\n".join(texts[n - 1] for n in (1, 3, 6, 9))) == 92


def test_the_retention_experiment(command: Command) -> None:
    rows = compared(command)
    assert {row["file"] for row in rows} == {str(RECORDS)}
    recent, required = rows[:4], rows[4:]
    assert {row["policy"] for row in recent} == {"recent-first"}
    assert {row["policy"] for row in required} == {"required-first"}
    for four in (recent, required):
        assert [row["budget"] for row in four] == ["100%", "70%", "50%", "25%"]
        assert [row["capacity"] for row in four] == [256, 179, 128, 64]
    assert [row["used"] for row in recent] == [256, 171, 112, 59]
    assert [row["required_retention"] for row in recent] == [1, 0.5, 0.25, 0]
    assert [row["used"] for row in required] == [256, 177, 111, None]
    assert [row["required_retention"] for row in required] == [1, 1, 1, None]
    assert [row["feasible"] for row in required] == [True, True, True, False]
    assert [row["needed"] for row in required] == [None, None, None, 92]
    for row in recent + required[:3]:
        assert row["valid"] is True
        assert row["verbatim_fidelity"] == 1
        assert row["reduction"] == pytest.approx(1 - row["used"] / 256)
    unmet = required[3]
    for key in ("used", "reduction", "required_retention", "verbatim_fidelity", "valid"):
        assert unmet[key] is None


def test_exactly_these_keys(command: Command) -> None:
    for row in compared(command):
        assert list(row) == KEYS


def test_the_table_without_a_terminal(command: Command) -> None:
    words = ("compare", RECORDS, "--unit", "chars", "--policies", "recent-first,required-first")
    result = command(*words)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [
        "25%",
        "64",
        "recent-first",
        "59",
        *["77", "%", "0", "%", "100", "%", "yes", "yes"],
    ] in lines
    assert ["required-first", "needs", "92", "–", "–", "–", "–", "no"] in lines
    assert all(line == line.rstrip() for line in result.stdout.splitlines())


def test_side_by_side_where_there_is_room(command: Command) -> None:
    words = ("compare", RECORDS, "--unit", "chars", "--policies", "recent-first,required-first")
    lines = [line.split() for line in command(*words, COLUMNS="180").stdout.splitlines()]
    both = "70% 179 171 33 % 50 % 100 % yes 177 31 % 100 % 100 % yes"
    assert both.split() in lines


def test_several_files_are_summed_up(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    words = ("compare", RECORDS, path, "--policies", "required-first", "--budgets", "100%,25%")
    result = command(*words)
    assert str(RECORDS) in result.stdout
    assert str(path) in result.stdout
    assert "All 2 sessions" in result.stdout
    files = [row["file"] for row in command.json(*words, "--json")["rows"]]
    assert files == [str(RECORDS)] * 2 + [str(path)] * 2


def test_policies_with_parameters(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    words = ("compare", path, "--policies", "prune:N=2,W=1,append", "--budgets", "100%")
    rows = command.json(*words, "--json")["rows"]
    assert [row["policy"] for row in rows] == ["prune:N=2,W=1", "append"]


def test_all_policies_if_none_is_named(command: Command) -> None:
    rows = command.json("compare", RECORDS, "--budgets", "100%", "--json")["rows"]
    listed = command.json("policies", "--json")["policies"]
    assert [row["policy"] for row in rows] == [policy["name"] for policy in listed]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--policies", "frob"), "policy 'frob' is unknown"),
        (("--budgets", "lots"), "size 'lots'"),
        (("--budgets", ","), "at least one policy and one budget"),
        (("--policies", "prune:X=1"), "no parameter of prune"),
    ],
)
def test_bad_usage_is_told_before_a_file_is_read(
    command: Command, words: tuple[str, ...], said: str
) -> None:
    assert said in command.refused("compare", "not-there.json", *words)


def test_pictures(command: Command, tmp_path: Path) -> None:
    svg, html = tmp_path / "out.svg", tmp_path / "out.html"
    words = ("compare", RECORDS, "--unit", "chars", "--policies", "recent-first,required-first")
    result = command(*words, "--svg", svg, "--html", html)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [f"{html} written", f"{svg} written"]
    picture = ElementTree.fromstring(svg.read_bytes())
    texts = {text for element in picture.iter() if (text := element.text)}
    assert {"recent-first", "required-first", "every budget met", "25%"} <= texts
    page = html.read_text("utf-8")
    assert "needs 92" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_a_picture_to_standard_output(command: Command) -> None:
    result = command("compare", RECORDS, "--svg", "-")
    ElementTree.fromstring(result.stdout_bytes)
    assert result.stderr == ""


def test_the_counter_of_another_model(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, chat(("user", "こんにちは、世界。" * 50), ("assistant", "ok")))
    words = ("compare", path, "--policies", "append", "--budgets", "100%", "--json")
    (one,) = command.json(*words)["rows"]
    (other,) = command.json(*words, "--model", "claude-opus-4-5")["rows"]
    assert one["capacity"] != other["capacity"]


def test_recorded_sessions(command: Command, shared_sessions: Path) -> None:
    files = [shared_sessions / "claude-code", shared_sessions / "swe-agent"]
    rows = command.json("compare", *files, "--policies", "required-first,prune", "--json")["rows"]
    assert len(rows) >= 8 * 14
    for row in rows:
        if row["feasible"]:
            assert row["used"] <= row["capacity"]
            assert row["valid"] is True
            assert 0 <= row["verbatim_fidelity"] <= 1
            assert row["required_retention"] == 1
        else:
            assert row["needed"] > row["capacity"]
