"""Secrets on the command line: told by `inspect`, kept out of the store where that is wanted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command, session_with_tools, written
from tests.secrets_made import TOKENS, Maker, joined, one_of_each
from trimtab import Session
from trimtab.context.blocks import block_id

GITHUB = TOKENS["github-token"][0](Maker(7))
AWS = TOKENS["aws-access-key"][0](Maker(7))
GONE = "[redacted: github-token]"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path / "home")


def wanted(folder: Path, text: str = "[store]\nredact = true\n") -> None:
    (folder / "trimtab.toml").write_text(text)


def leaking() -> dict[str, Any]:
    """A session with secrets in a question, a call, two results and the words of the model."""
    value = session_with_tools()
    messages = value["messages"]
    messages[0]["content"] = f"Use {GITHUB} for the push."
    messages[1]["content"][0]["input"]["token"] = GITHUB
    messages[2]["content"][0]["content"] = f"KEY={AWS}\n{GITHUB} " + "and so on " * 300
    messages[6]["content"][0]["content"] = f"again {GITHUB} " + "and so on " * 300
    messages[-1]["content"] = f"I used {GITHUB}."
    return value


# -- inspect ---------------------------------------------------------------------------------------


def test_inspect_tells_how_many_and_where(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, leaking())
    (session,) = command.json("inspect", path, "--json")["sessions"]
    assert session["secrets"] == [
        {"kind": "github-token", "count": 5, "messages": [1, 2, 3, 7, 12]},
        {"kind": "aws-access-key", "count": 1, "messages": [3]},
    ]
    text = command("inspect", path).stdout
    assert "Keys, tokens and passwords: 6" in text
    assert "github-token" in text
    assert "1, 2, 3, 7, 12" in text


def test_inspect_never_tells_what_they_are(command: Command, tmp_path: Path) -> None:
    """Neither in its list nor where it shows how something begins."""
    path = written(tmp_path, leaking())
    page = tmp_path / "page.html"
    outputs = [
        command("inspect", path).stdout,
        command("inspect", path, COLUMNS="300", FORCE_COLOR="1").stdout,
        command("inspect", path, "--json").stdout,
        command("inspect", path, "--html", page).stdout,
        page.read_text(),
    ]
    assert GONE in outputs[2]
    assert GONE in outputs[4]
    for output in outputs:
        for secret in (GITHUB, AWS):
            for length in (len(secret), 12):
                assert secret[:length] not in output


def test_inspect_of_a_session_without_secrets_says_nothing(command: Command) -> None:
    assert command.json("inspect", RECORDS, "--json")["sessions"][0]["secrets"] == []
    assert "Keys, tokens" not in command("inspect", RECORDS).stdout


@pytest.mark.parametrize("cut", range(100, 180, 7))
def test_no_half_of_one_is_shown(command: Command, tmp_path: Path, cut: int) -> None:
    """Where what is shown of a block ends within one."""
    value = session_with_tools()
    value["messages"][2]["content"][0]["content"] = "x" * cut + f" {GITHUB} " + "y " * 2000
    output = command("inspect", written(tmp_path, value), "--json").stdout
    assert GITHUB[:8] not in output


def test_recorded_sessions_are_not_full_of_secrets(command: Command, shared_sessions: Path) -> None:
    """They were cleaned before they were published: whatever is found is found wrongly."""
    for session in command.json("inspect", shared_sessions, "--json")["sessions"]:
        assert session["secrets"] == [], session["file"]


# -- compact and the store -------------------------------------------------------------------------


def compacted(command: Command, path: Path, out: Path) -> list[str]:
    words = ("compact", path, "--policy", "clear-tool-results:trigger=1,keep=1")
    edits = command.json(*words, "--budget", "100%", "-o", out, "--json")["edits"]
    return [edit["block"] for edit in edits if edit["block"]]


def test_only_the_store_is_redacted_and_its_ids_fit(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, leaking())
    wanted(tmp_path)
    out = tmp_path / "out.json"
    ids = compacted(command, path, out)
    assert set(command.blocks) == set(ids)
    result = json.loads(out.read_bytes())
    assert GITHUB in json.dumps(result)  # the context is unaltered
    assert result["messages"][0] == leaking()["messages"][0]
    placeholders = json.dumps(result)
    for id in ids:
        assert id in placeholders
        data = command("recall", id).stdout
        assert GITHUB not in data
        assert block_id(data.encode()) == id
    assert any(GONE in command("recall", id).stdout for id in ids)
    assert GITHUB.encode() not in command.place.read_bytes()
    shown = {
        large["block"]
        for large in command.json("inspect", path, "--json")["sessions"][0]["largest"]
    }
    assert shown & set(ids)


def test_without_the_setting_everything_comes_back_byte_for_byte(
    command: Command, tmp_path: Path
) -> None:
    path = written(tmp_path, leaking())
    ids = compacted(command, path, tmp_path / "out.json")
    assert any(GITHUB in command("recall", id).stdout for id in ids)
    wanted(tmp_path, "[store]\nredact = false\n")
    assert compacted(command, path, tmp_path / "out.json") == ids


@pytest.mark.parametrize("seed", range(3))
def test_a_session_of_nothing_but_secrets_is_compacted(
    command: Command, tmp_path: Path, seed: int
) -> None:
    wanted(tmp_path)
    value = session_with_tools()
    secrets = [token for _, token in one_of_each(seed)]
    value["messages"][2]["content"][0]["content"] = "\n".join(secrets)
    compacted(command, written(tmp_path, value), tmp_path / "out.json")
    kept = "".join(command("recall", id).stdout for id in command.blocks)
    whole = [s for s in secrets if not s.startswith(("https://", "postgres", "redis"))]
    assert [secret for secret in whole if secret in kept] == []


def test_an_import_is_redacted(command: Command, tmp_path: Path) -> None:
    with (
        command.store() as store,
        Session(model="claude-sonnet-4-5", store=store, budget=50_000, id="ses_leaks") as session,
    ):
        session.append(leaking()["messages"])
    out, other = tmp_path / "all.jsonl", tmp_path / "other.db"
    command("store", "export", "-o", out)
    assert GITHUB in out.read_text()
    wanted(tmp_path)
    assert command("store", "import", out, "--store", other).exit_code == 0
    again = command("session", "restore", "ses_leaks", "--store", other)
    assert GITHUB not in again.stdout
    assert GONE in again.stdout
    assert command("store", "check", "--store", other).exit_code == 0


# -- the settings ----------------------------------------------------------------------------------


def test_unknown_settings_are_told_once(command: Command, tmp_path: Path) -> None:
    wanted(tmp_path, "[store]\nredakt = true\n")
    result = command("inspect", RECORDS, RECORDS)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        f"{tmp_path / 'trimtab.toml'}: store.redakt is no setting of trimtab's"
    ]


@pytest.mark.parametrize("text", ["[store", "[store]\nredact = 'on'"])
def test_a_wrong_file_stops_before_anything_is_stored(
    command: Command, tmp_path: Path, text: str
) -> None:
    wanted(tmp_path, text)
    out = tmp_path / "out.jsonl"
    words = ("compact", RECORDS, "--unit", "chars", "--budget", "50%", "-o", out)
    assert command.refused(*words).startswith(str(tmp_path / "trimtab.toml"))
    assert command.blocks == []
    assert not out.exists()


def test_the_fixtures_hold_whole_secrets() -> None:
    assert GITHUB.startswith(joined("gh", "p_"))
    assert len(GITHUB) == 40
    assert json.dumps(leaking()).count(GITHUB) == 5
