"""`trimtab inspect`: every figure has its place, on the terminal, as JSON and on the page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.command import RECORDS, Command, chat, session_with_tools, written
from trimtab.context.blocks import block_id


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path, session_with_tools())


def inspected(command: Command, *words: object) -> dict[str, Any]:
    (found,) = command.json("inspect", *words, "--json")["sessions"]
    assert isinstance(found, dict)
    return found


def test_the_parts_sum_up(command: Command, session: Path) -> None:
    for unit in ("tokens", "chars"):
        found = inspected(command, session, "--unit", unit)
        for key in ("by_role", "by_kind", "by_part"):
            assert sum(found[key].values()) == found["size"], key
    assert found["unit"] == "chars"
    assert found["exact"] is True


def test_characters_of_the_records(command: Command) -> None:
    found = inspected(command, RECORDS, "--unit", "chars")
    assert (found["size"], found["messages"]) == (256, 12)
    assert found["by_role"] == {"user": 245, "overhead": 11}
    assert found["by_turn"] == []


def test_tools_turns_and_repeats(command: Command, session: Path) -> None:
    found = inspected(command, session)
    tools = {tool["tool"]: tool for tool in found["by_tool"]}
    assert {name: tool["calls"] for name, tool in tools.items()} == {
        "read": 2,
        "run": 2,
        "write": 1,
    }
    assert tools["run"]["errors"] == 1
    assert found["by_tool"][0]["tool"] == "read"
    assert [turn["turn"] for turn in found["by_turn"]] == [1, 2, 3, 4, 5, 6]
    sizes = [turn["window"] for turn in found["by_turn"]]
    assert sizes == sorted(sizes)
    assert all(sum(turn["parts"].values()) == turn["window"] for turn in found["by_turn"])
    (file, make) = found["repeated"]
    assert (file["resource"], file["tools"], file["count"]) == ("a.txt", ["read"], 2)
    assert file["messages"] == [3, 7]
    assert 0 < file["stale"] < file["size"]
    assert (make["resource"], make["count"]) == ('run {"cmd":"make"}', 2)
    assert "write" not in json.dumps(found["repeated"])


def test_the_largest_blocks_have_the_ids_that_recall_takes(
    command: Command, session: Path, tmp_path: Path
) -> None:
    found = inspected(command, session)
    assert len(found["largest"]) == 10
    sizes = [large["size"] for large in found["largest"]]
    assert sizes == sorted(sizes, reverse=True)
    assert {(large["message"], large["kind"]) for large in found["largest"][:2]} == {
        (3, "tool result"),
        (7, "tool result"),
    }
    policy = "clear-tool-results:trigger=1,keep=1"
    words = ("compact", session, "--policy", policy, "--budget", "100%", "-o", tmp_path / "out")
    evicted = {edit["block"] for edit in command.json(*words, "--json")["edits"]}
    assert evicted <= {large["block"] for large in found["largest"]}
    text = session_with_tools()["messages"][2]["content"][0]["content"]
    assert block_id(text.encode()) in evicted


def test_on_the_terminal(command: Command, session: Path) -> None:
    result = command("inspect", session, COLUMNS="100")
    assert result.exit_code == 0
    found = inspected(command, session)
    for said in (
        str(session),
        "claude-sonnet-4-5 · 13 messages · 6 turns",
        f"{found['size']:,} tokens (estimated",
        "Growth: the window at each call of the model",
        "By role",
        "By kind",
        "By tool",
        "By turn",
        "The 10 largest blocks",
        "Observed again: 2 resources",
        found["largest"][0]["block"],
    ):
        assert said in result.stdout, said


@pytest.mark.parametrize("width", [30, 60, 80, 100, 200])
def test_it_fits_the_terminal(command: Command, session: Path, width: int) -> None:
    result = command("inspect", session, RECORDS, FORCE_COLOR="1", COLUMNS=str(width))
    plain = re.sub(r"\x1b\[[\d;]*m", "", result.stdout)
    assert max(map(len, plain.splitlines())) <= width
    assert "█" in plain
    if width >= 60:
        assert all(f"{n:,}" in plain for n in inspected(command, session)["by_role"].values())


def test_several_sessions_and_their_sum(command: Command, session: Path) -> None:
    result = command("inspect", session, RECORDS)
    assert "All sessions" in result.stdout
    found = command.json("inspect", session, RECORDS, "--json")
    sizes = [each["size"] for each in found["sessions"]]
    assert found["total"]["size"] == sum(sizes)
    assert f"{sum(sizes):,}" in result.stdout
    assert "All sessions" not in command("inspect", session).stdout


def test_reported_usage_and_the_hidden_part(command: Command, shared_sessions: Path) -> None:
    path = shared_sessions / "claude-code" / "with-agents.jsonl"
    found = inspected(command, path)
    usage = found["usage"]
    assert usage["last_hidden"] == usage["last_context"] - usage["last_visible"]
    reported = [turn for turn in found["by_turn"] if turn["reported"]]
    assert reported[-1]["turn"] == usage["last_turn"]
    assert all(turn["hidden"] == turn["reported"] - turn["window"] for turn in reported)
    text = command("inspect", path).stdout
    assert f"{usage['last_hidden']:,} hidden" in text
    assert "reported by the provider" in text


def test_a_compaction_starts_the_window_anew(command: Command, shared_sessions: Path) -> None:
    path = shared_sessions / "claude-code" / "long-with-compactions-a.jsonl"
    found = inspected(command, path, "--whole")
    (cut,) = [n for n, turn in enumerate(found["by_turn"]) if turn["compacted"]]
    assert found["by_turn"][cut]["window"] < found["by_turn"][cut - 1]["window"] / 5
    assert "▲ compacted" in command("inspect", path, "--whole").stdout
    assert inspected(command, path)["messages"] < found["messages"]


def test_all_recorded_sessions(command: Command, shared_sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.html"
    found = command.json("inspect", shared_sessions, "--json", "--html", out)
    assert found["total"]["sessions"] >= 30
    for session in found["sessions"]:
        for key in ("by_role", "by_kind", "by_part"):
            assert sum(session[key].values()) == session["size"]
            assert min(session[key].values()) >= 0
    check_page(out.read_text("utf-8"))


# -- the page --------------------------------------------------------------------------------------

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Balanced(HTMLParser):
    """Fails on an element that is not closed, or on anything that would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.svgs = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.svgs += tag == "svg"
        assert tag not in ("link", "img", "iframe", "object", "embed")
        for name, value in attrs:
            assert name not in ("src", "srcset", "action"), (tag, name)
            if name == "href":
                assert (value or "").startswith("#")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(html: str) -> Balanced:
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert "url(" not in html
    assert "@import" not in html
    assert "Content-Security-Policy" in html
    assert "default-src 'none'" in html
    assert "prefers-color-scheme:dark" in html
    assert "width=device-width" in html
    return parser


def test_the_page(command: Command, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    result = command("inspect", session, "--html", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{out} written\n"
    html = out.read_text("utf-8")
    assert check_page(html).svgs == 1
    for large in inspected(command, session)["largest"]:
        assert large["block"] in html
    piped = command("inspect", session, "--html", "-")
    assert piped.stdout_bytes == out.read_bytes()


def test_a_sessions_text_is_data_on_the_page(command: Command, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\ud800"
    path = written(tmp_path, chat(("user", evil), ("assistant", evil)))
    out = tmp_path / "page.html"
    assert command("inspect", path, "--html", out).exit_code == 0
    html = out.read_text("utf-8")
    check_page(html)
    assert html.count("<script>") == 1
    assert "\x1b" not in html
    shown = command("inspect", path)
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    (found,) = command.json("inspect", path, "--json")["sessions"]
    assert found["messages"] == 2


def test_a_session_without_turns_or_tools(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, chat(("user", "hi")))
    assert command("inspect", path).exit_code == 0
    out = tmp_path / "page.html"
    command("inspect", path, "--html", out)
    assert check_page(out.read_text("utf-8")).svgs == 0
