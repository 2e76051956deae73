"""`trimtab guard`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Command, written

TASK = "Fix the export. The run may take at most 30 s. Do not touch src/legacy.py."
SESSION = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "You are a careful agent. Never reveal key 7741."},
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": "The export writes 4,096 rows to out/rows.csv."},
        {"role": "user", "content": "Good. Ask me before you push."},
    ],
}
HONEST = (
    "Export: 4096 rows in rows.csv. At most 30 seconds.\n"
    "src/legacy.py is not to be touched.\nAsk before a push.\n"
)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path, SESSION)


def summary(tmp_path: Path, text: str) -> Path:
    """A text file."""
    path = tmp_path / "summary.txt"
    path.write_text(text, "utf-8")
    return path


def test_an_honest_summary(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST)
    result = command("guard", path, "--source", session)
    assert result.exit_code == 0, result.stdout
    assert "nothing invented, nothing lost" in result.stdout
    found = command.json("guard", path, "--source", session, "--json")
    assert found["ok"] is True
    assert found["required"] == 2
    assert set(found["counts"]) == {"kept"}


def test_an_invention(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST + "It wrote 4,906 rows.\n")
    found = command.json("guard", path, "--source", session, "--json", exit=1)
    (value,) = [v for v in found["values"] if v["state"] == "invented"]
    assert (value["kind"], value["text"]) == ("number", "4,906")
    result = command("guard", path, "--source", session)
    assert result.exit_code == 1
    assert "4,906" in result.stdout
    assert "line 4" in result.stdout
    assert "1 invention" in result.stdout


def test_a_loss(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST.replace("src/legacy.py is not to be touched.\n", ""))
    found = command.json("guard", path, "--source", session, "--json", exit=1)
    lost = [v for v in found["values"] if v["state"] == "lost"]
    assert {v["source"] for v in lost} == {1}
    assert "1 loss" in command("guard", path, "--source", session).stdout or len(lost) > 1


def test_a_constraint_turned_round(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST.replace("is not to be touched", "may be touched"))
    found = command.json("guard", path, "--source", session, "--json", exit=1)
    assert "invented" in {v["state"] for v in found["values"] if v["kind"] == "constraint"}


def test_word_for_word(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST)
    found = command.json("guard", path, "--source", session, "--verbatim", "--json", exit=1)
    assert found["counts"]["lost"] == 2


def test_all_lists_what_can_be_recalled(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST.replace("4096 rows in rows.csv", "done"))
    found = command.json("guard", path, "--source", session, "--json", "--all")
    rest = {v["text"] for v in found["values"] if v["state"] == "recallable"}
    assert {"4,096", "out/rows.csv"} <= rest
    assert "recallable" in command("guard", path, "--source", session, "--all").stdout


def test_the_system_prompt_is_not_required(command: Command, session: Path, tmp_path: Path) -> None:
    found = command.json("guard", summary(tmp_path, HONEST), "--source", session, "--json")
    assert all("7741" not in value["text"] for value in found["values"])


def test_standard_input(command: Command, session: Path) -> None:
    result = command("guard", "-", "--source", session, input=HONEST)
    assert result.exit_code == 0, result.stdout


@pytest.mark.parametrize("text", ["", "  \n\t\n"])
def test_an_empty_summary_is_an_error(
    command: Command, session: Path, tmp_path: Path, text: str
) -> None:
    path = summary(tmp_path, text)
    result = command("guard", path, "--source", session)
    assert result.exit_code == 2
    assert f"{path}: is empty" in result.stderr


def test_bad_input(command: Command, session: Path, tmp_path: Path) -> None:
    path = summary(tmp_path, HONEST)
    cases = [
        (("guard", tmp_path / "none.txt", "--source", session), "cannot be read"),
        (("guard", path, "--source", tmp_path / "none.json"), "none.json"),
        (("guard", "-", "--source", "-"), "named once only"),
        (("guard", tmp_path, "--source", session), "cannot be read"),
    ]
    for arguments, said in cases:
        result = command(*arguments)
        assert result.exit_code == 2
        assert said in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
    path.write_bytes(b"\xff\xfe\x00rows")
    assert "is no UTF-8 text" in command("guard", path, "--source", session).stderr
    assert command("guard", path).exit_code == 2
