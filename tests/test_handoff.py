"""The report of a sub-agent: its size, its quotations, its blocks; the policy and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import Command, written
from tests.histories import DIALECTS, histories
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.evaluation.metrics import required_retention
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Text
from trimtab.history.placeholders import is_summary
from trimtab.history.rules import validate
from trimtab.pins import required_messages
from trimtab.policies.handoff import Handoff as HandoffPolicy
from trimtab.policies.registry import parse_policy
from trimtab.summaries.guard import Evidence, check
from trimtab.summaries.handoff import WORDS, handoff
from trimtab.summaries.template import parse
from trimtab.tokens import counter_for

SESSIONS = Path(__file__).resolve().parent.parent / "examples" / "sessions"
NAMES = ("flaky-test.responses.json", "keihi-seisan.openai.json", "ledger-fix.anthropic.json")
quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
TOKENS = counter_for(None)
CHARS = counter_for(None, "chars")


TASK = "Find out why port 8417 is taken. Do not restart the host."


def recorded(name: str) -> History:
    return read_recording(SESSIONS / name).history


def request() -> dict[str, Any]:
    """A sub-agent that mends a port, with a command that failed and then did not."""

    def used(n: int, name: str, given: dict[str, Any], text: str, error: bool = False) -> Any:
        call = {"type": "tool_use", "id": f"t{n}", "name": name, "input": given}
        result: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": f"t{n}",
            "content": text,
        }
        if error:
            result["is_error"] = True
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]

    filler = "a line of no importance\n" * 120
    return {
        "model": "claude-sonnet-4-5",
        "system": "You mend ports.",
        "messages": [
            {
                "role": "user",
                "content": "Find out why port 8417 is taken. Do not restart the host.",
            },
            *used(1, "Bash", {"command": "make check"}, f"{filler}2 failed, 5 passed", True),
            *used(2, "Read", {"file_path": "conf/ports.toml"}, f"{filler}port = 8417"),
            *used(3, "Edit", {"file_path": "conf/ports.toml", "old": "a", "new": "b"}, "ok"),
            *used(4, "Bash", {"command": "make check"}, f"{filler}7 passed"),
            *used(5, "Bash", {"command": "ls"}, filler),
            {
                "role": "assistant",
                "content": "The port 8417 was taken by ntpd.\nI moved it to 8418.\n"
                "It is still open whether the firewall lets 8418 through.",
            },
        ],
    }


def small() -> History:
    return read_request(request(), "anthropic")


# -- the report ------------------------------------------------------------------------------------


def test_what_the_report_holds() -> None:
    made = handoff(small(), TOKENS)
    summary = made.summary
    assert summary.goal[0].text == "Find out why port 8417 is taken."
    assert any(line.text == "Do not restart the host." for line in summary.goal)
    progress = [line.text for line in summary.progress]
    at = progress.index(WORDS)
    assert progress[at + 1 : at + 4] == [
        "The port 8417 was taken by ntpd.",
        "I moved it to 8418.",
        "It is still open whether the firewall lets 8418 through.",
    ]
    assert "changed conf/ports.toml" in progress
    assert "ran make check: 7 passed" in progress  # as it ended last
    assert not any("2 failed" in line and "ran" in line for line in progress)
    assert not any(line.startswith("ran ls") for line in progress)
    assert is_summary(made.text)
    assert parse(made.text).summary.progress[at].text == WORDS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tokens", [200, 1_000, 1_500, 2_000, 8_000])
def test_it_is_within_its_size_and_uses_it(name: str, tokens: int) -> None:
    made = handoff(recorded(name), TOKENS, tokens)
    assert made.size == TOKENS.text(made.text) <= tokens
    if tokens <= 2_000:
        assert made.size > tokens * 0.7


@pytest.mark.parametrize("name", NAMES)
def test_every_line_with_a_place_stands_there(name: str) -> None:
    history = recorded(name)
    quoted = 0
    for _, line in handoff(history, TOKENS).summary.lines():
        if line.source is not None:
            message, at, start, end = line.source
            block = history[message].blocks[at]
            text = block.text if hasattr(block, "text") else ""
            assert " ".join(text[start:end].split()) == " ".join(line.text.split())
            quoted += 1
    assert quoted > 10


@pytest.mark.parametrize("name", NAMES)
def test_the_guard_finds_nothing_invented(name: str) -> None:
    history = recorded(name)
    made = handoff(history, TOKENS)
    text = "\n".join(line.text for _, line in made.summary.lines())
    report = check(text, Evidence.of(history, range(len(history)), []))
    assert report.inventions == ()


def test_the_blocks_bring_all_messages_back() -> None:
    history = small()
    made = handoff(history, TOKENS)
    assert [b.start for b in made.blocks] == [1, *[b.stop for b in made.blocks][:-1]]
    assert made.blocks[-1].stop == len(history)
    lines = b"\n".join(block.data for block in made.blocks).split(b"\n")
    assert len(lines) == len(history) - history.head
    assert parse(made.text).ids == tuple(block.id for block in made.blocks)
    assert len(made.blocks) <= 8
    for block in made.blocks:  # a pair is never cut in two
        assert history.exchanges.holding(block.start).start == block.start


@pytest.mark.parametrize("tokens", [0, -5, 199, 8_001, 10**9])
def test_a_size_out_of_range_is_refused(tokens: int) -> None:
    with pytest.raises(UsageError, match=r"tokens must be 200 to 8,000"):
        handoff(small(), TOKENS, tokens)
    with pytest.raises(UsageError, match=r"tokens must be 200 to 8,000"):
        parse_policy(f"handoff:tokens={tokens}")


def test_nothing_to_report_of_is_one_line() -> None:
    with pytest.raises(UsageError, match="no message"):
        handoff(History(), TOKENS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_session_can_be_reported(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.integers(200, 2_000))
    def holds(history: History, tokens: int) -> None:
        before = list(history)
        made = handoff(history, TOKENS, tokens)
        assert made.size <= tokens
        assert made == handoff(history, TOKENS, tokens)
        assert list(history) == before
        assert parse(made.text).missing == ()

    holds()


# -- the policy ------------------------------------------------------------------------------------


def test_all_but_what_is_required_and_the_newest_exchange_becomes_the_report() -> None:
    history = small()
    size = Projection(history, TOKENS).size
    plan = HandoffPolicy(400).plan(history, Budget(size // 2, counter=TOKENS))
    context = plan.projection.context()
    required = set(required_messages(history))
    assert set(plan.projection.sources) == required | {len(history) - 1}
    (report,) = [edit for edit in plan.edits if edit.kind == "summarise"]
    assert TOKENS.text(report.text) <= 400
    assert "ran make check: 7 passed" in report.text
    assert validate(context.messages, history.dialect) == ()
    assert required_retention(history, plan.projection) == 1


def test_within_the_budget_nothing_happens() -> None:
    history = small()
    plan = HandoffPolicy().plan(history, Budget(10**6, counter=TOKENS))
    assert plan.edits == ()


def test_what_cannot_fit_is_said() -> None:
    with pytest.raises(BudgetInfeasible, match="handoff"):
        HandoffPolicy().plan(small(), Budget(20, counter=TOKENS))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_turn_by_turn_it_is_valid_monotone_and_idempotent(dialect: str) -> None:
    @quick
    @given(histories(dialect), st.integers(50, 100))
    def holds(history: History, percent: int) -> None:
        policy = HandoffPolicy(200)
        limit = max(Projection(history, CHARS).size * percent // 100, 1)
        budget = Budget(limit, "chars", counter=CHARS)
        grown = History(dialect=dialect, tools=history.tools, envelope=history.envelope)
        at = Projection(grown, CHARS)
        gone: set[int] = set()
        for message in history:
            grown.append(message)
            at.refresh()
            try:
                plan = policy.plan(grown, budget, at)
            except BudgetInfeasible:
                continue
            at = plan.projection
            now = set(range(len(grown))) - set(at.sources)
            assert gone <= now
            gone = now
            assert at.size <= limit
            assert policy.plan(grown, budget, at).edits == ()
            made = at.context()
            faults = validate(made.messages, dialect, tools=grown.tools, envelope=made.envelope)
            assert len(faults) <= len(validate(grown, dialect, envelope=grown.envelope))

    holds()


def test_a_later_report_takes_the_place_of_the_one_before() -> None:
    history = recorded("ledger-fix.anthropic.json")
    budget = Budget(30_000)
    grown = History(dialect=history.dialect, tools=history.tools, model=history.model)
    policy = HandoffPolicy(1_000)
    at = Projection(grown, budget.counter_of(history))
    reports = 0
    for message in history:
        grown.append(message)
        if message.role == "user":
            plan = policy.plan(grown, budget, at)
            at = plan.projection
            reports += any(edit.kind == "summarise" for edit in plan.edits)
    assert reports > 3
    texts = [
        block.text
        for message in at.context().messages
        for block in message.blocks
        if isinstance(block, Text) and is_summary(block.text)
    ]
    assert len(texts) == 1
    assert required_retention(grown, at) == 1


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def test_the_command_prints_the_report_and_stores_the_blocks(
    command: Command, tmp_path: Path
) -> None:
    path = written(tmp_path, request())
    result = command("handoff", path, "--tokens", 500)
    assert result.exit_code == 0
    assert result.stderr == ""
    ids = parse(result.stdout).ids
    assert set(ids) == set(command.blocks)
    assert (
        "2 failed, 5 passed" in command("recall", ids[0]).stdout + command("recall", ids[1]).stdout
    )
    assert result.stdout.endswith("\n")


def test_json_and_a_file(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, request())
    told = command.json("handoff", path, "--json")
    assert told["tokens"] <= 1_500
    assert set(told["sections"]) == {"goal", "progress", "facts", "decisions", "next_steps"}
    assert told["blocks"][0]["first"] == 1
    out = tmp_path / "report.txt"
    result = command("handoff", path, "-o", out)
    assert result.stdout_bytes == b""
    assert out.read_text("utf-8").rstrip("\n") == told["text"]
    assert f"{out}: a report of {told['tokens']}" in result.stderr


def test_what_cannot_be_meant_is_one_line(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, request())
    assert "tokens must be 200 to 8,000" in command.refused("handoff", path, "--tokens", 20)
    assert command.blocks == []
    nowhere = tmp_path / "no" / "folder.txt"
    assert "cannot be written" in command.refused("handoff", path, "-o", nowhere)
    assert command.blocks == []
