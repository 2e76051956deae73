"""Summaries in several rounds and on top of earlier ones; functions of the caller's; by a word."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.summariser_server import GOOD, Received, Says, SummariserServer, ledger
from tests.test_summaries_model import request_of
from trimtab.config import Settings
from trimtab.errors import InputError, UsageError
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Message, Text
from trimtab.summaries.checked import checked
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.model import CallableSummariser, ModelSummariser, summariser_of
from trimtab.summaries.model_outcomes import OUTCOMES
from trimtab.summaries.model_rounds import LEAST_WINDOW, still_true
from trimtab.summaries.request import Attempt, Request, Summarised
from trimtab.summaries.template import Line, Summary, parse, render
from trimtab.tokens import counter_for

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def server() -> Iterator[SummariserServer]:
    with SummariserServer() as running:
        yield running


def record_in(received: Received) -> str:
    """The quoted record of a request."""
    found = re.search(r"<quoted-record \w+>\n(.*)\n</quoted-record", received.text, re.DOTALL)
    assert found is not None
    return found[1]


def summary_with(facts: str) -> Says:
    return Says(
        f"Goal:\nThe ledger is migrated.\nProgress:\nWork goes on.\nFacts:\n{facts}\n"
        "Decisions:\nnone\nNext steps:\nnone"
    )


# -- several rounds --------------------------------------------------------------------------------


def test_a_small_window_takes_several_rounds_each_within_it(server: SummariserServer) -> None:
    """Each round is checked against what it read, and the summary holds all of them."""
    history = long_session()
    request = replace(request_of(history), limit=900)
    window = LEAST_WINDOW
    counter = counter_for("m")

    def says(body: dict[str, Any]) -> Says:
        rooms = re.findall(r"room (\d+) has (\d+) seats", record_in(server.received[-1]))
        return summary_with("\n".join(f"Room {r} has {s} seats." for r, s in rooms[:3]))

    server.plays(says)
    url = server.base_url("openai")
    made = ModelSummariser("m", base_url=url, api_key="k", window=window, rounds=4).summarise(
        request
    )
    assert 1 < len(server.received) <= 4
    for received in server.received:
        size = counter.text(received.system) + counter.text(received.text)
        assert size + received.room <= window
    facts = [line.text for line in made.summary.facts]
    assert len(facts) > 3
    assert made.summariser == "openai/m"


def test_orders_for_the_next_answer_fit_the_window_too(server: SummariserServer) -> None:
    names = [f"src/{'語' * 40}_{n}/{'a' * 60}.py" for n in range(30)]
    lines = "\n".join(f"The file {name} has {7 * n + 1001} lines." for n, name in enumerate(names))
    server.plays(replace(summary_with(lines), stop="length"))
    window = LEAST_WINDOW
    url = server.base_url("openai")
    summariser = ModelSummariser("m", base_url=url, api_key="k", window=window)
    made = summariser.summarise(replace(request_of(long_session()), limit=900))
    assert made.summariser == "extractive"
    counter = counter_for("m")
    assert any("which the record does not" in r.text for r in server.received)
    for received in server.received:
        size = counter.text(received.system) + counter.text(received.text)
        assert size + received.room <= window


def long_session() -> History:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Count the seats of all rooms."}]
    for n in range(60):
        seats = 100 + 7 * n
        words = " ".join(f"The light in it was checked on day {day}." for day in range(12))
        messages.append({"role": "assistant", "content": f"I saw that room {n} has {seats} seats."})
        messages.append({"role": "user", "content": f"Fine. {words}"})
    return read_request(messages, "openai")


def test_a_round_is_checked_against_its_own_messages(server: SummariserServer) -> None:
    """A value that another round read is an invention in this one."""
    history = long_session()
    request = replace(request_of(history), limit=900)

    def says(body: dict[str, Any]) -> Says:
        record = record_in(server.received[-1])
        mine = re.findall(r"room (\d+) has (\d+) seats", record)
        foreign = 100 + 7 * (59 if ("59", "513") not in mine else 1)
        lines = [f"Room {r} has {s} seats." for r, s in mine[:6]]
        return summary_with("\n".join([*lines, f"A hall has {foreign} seats."]))

    server.plays(says)
    url = server.base_url("openai")
    made = ModelSummariser(
        "m", base_url=url, api_key="k", window=LEAST_WINDOW, retries=0
    ).summarise(request)
    assert len(server.received) > 1
    assert "hall" not in render(made.summary)
    assert "Room 0 has 100 seats." in render(made.summary)


def test_a_round_that_fails_is_quoted_and_the_others_stand(server: SummariserServer) -> None:
    history = long_session()
    request = replace(request_of(history), limit=900)
    server.plays(summary_with("Room 0 has 100 seats."), Says("no", status=401))
    url = server.base_url("openai")
    made = ModelSummariser("m", base_url=url, api_key="k", window=LEAST_WINDOW).summarise(request)
    assert len(server.received) == 2  # no further round asks a server that turns it away
    text = render(made.summary)
    assert "Room 0 has 100 seats." in text
    assert "room 59 has 513 seats" in text
    assert any(a.reason.startswith("rejected: 401") for a in made.attempts)
    assert "quoted" in made.attempts[-1].summariser


# -- on top of an earlier summary ------------------------------------------------------------------


def standing_request(said: str) -> Request:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "The port is 8080. Use tabs in all files."},
        {"role": "assistant", "content": "Noted, the port is 8080."},
        {"role": "user", "content": said},
        {"role": "assistant", "content": "The service was started and it answers well."},
    ]
    history = read_request(messages, "openai")
    standing = Summary(goal=(Line("Use tabs in all files."),), facts=(Line("The port is 8080."),))
    return Request(history, (2, 3), 400, counter_for("gpt-5"), earlier=(0, 1), standing=standing)


def test_only_what_is_new_is_read_while_the_summary_is_true(server: SummariserServer) -> None:
    request = standing_request("Start the service on the new host called harbour.")
    assert still_true(request)
    server.plays(summary_with("The host is called harbour."))
    made = a_model(server).summarise(request)
    assert "8080" not in record_in(server.received[0])
    text = render(made.summary)
    assert "The port is 8080." in text
    assert "harbour" in text


def test_all_is_read_again_when_a_line_no_longer_holds(server: SummariserServer) -> None:
    request = standing_request("The port is 9090 now.")
    assert not still_true(request)
    server.plays(summary_with("The port is 9090."))
    made = a_model(server).summarise(request)
    assert "8080" in record_in(server.received[0])
    text = render(made.summary)
    assert "9090" in text
    assert "The port is 8080." not in text


def test_without_news_nothing_is_asked(server: SummariserServer) -> None:
    request = replace(standing_request("Go on."), numbers=())
    server.plays(Says(GOOD))
    made = a_model(server).summarise(request)
    assert server.received == []
    assert made.summary == request.standing


def test_nothing_is_never_summarised(server: SummariserServer) -> None:
    empty = replace(request_of(ledger()), numbers=())
    server.plays(Says(GOOD))
    for call in (a_model(server).summarise, CallableSummariser(lambda text: GOOD).summarise):
        with pytest.raises(UsageError, match="names no messages"):
            call(empty)
        with pytest.raises(UsageError, match="names no messages"):
            checked(call, empty)
    history = History([Message("user", (Text("  "),)), Message("assistant", ())])
    silent = Request(history, (0, 1), 400, counter_for(None))
    made = a_model(server).summarise(silent)
    assert server.received == []
    assert made.summariser == "extractive"
    assert made.model is None


def a_model(server: SummariserServer) -> ModelSummariser:
    return ModelSummariser(
        "m", base_url=server.base_url("openai"), api_key="k", sleep=lambda seconds: None
    )


# -- functions -------------------------------------------------------------------------------------


def test_a_function() -> None:
    seen: list[str] = []

    def function(text: str) -> str:
        seen.append(text)
        return GOOD

    made = CallableSummariser(function, name="mine").summarise(request_of(ledger()))
    assert made.summariser == "mine"
    assert render(made.summary) == render(parse(GOOD).summary)
    assert "The user said:" in seen[0]
    assert "Rules:" in seen[0]


class OwnError(Exception):
    pass


def raising(error: BaseException) -> Callable[[str], str]:
    def function(text: str) -> str:
        raise error

    return function


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raising(OwnError("boom")), "raised: OwnError: boom"),
        (raising(ValueError("boom")), "raised: ValueError: boom"),
        (raising(TimeoutError()), "raised: TimeoutError"),
        (raising(MemoryError()), "raised: MemoryError"),
        (lambda text: None, "empty"),
        (lambda text: 7, "malformed: the function returned a int"),
        (lambda: GOOD, "raised: TypeError"),
    ],
)
def test_a_function_that_fails(function: Any, reason: str) -> None:
    pauses: list[float] = []
    request = request_of(ledger())
    made = CallableSummariser(function, sleep=pauses.append).summarise(request)
    assert made.summariser == "extractive"
    assert made.attempts[0].reason.startswith(reason)
    assert made.summary == Extractive().summarise(request).summary


def test_the_wish_to_end_the_program_is_followed() -> None:
    for error in (SystemExit(3), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            CallableSummariser(raising(error)).summarise(request_of(ledger()))


def test_a_function_that_hangs() -> None:
    import threading

    end = threading.Event()

    def function(text: str) -> str:
        end.wait(10)
        return GOOD

    slow = CallableSummariser(function, timeout=0.05, retries=1, sleep=lambda seconds: None)
    made = slow.summarise(request_of(ledger()))
    end.set()
    assert [a.reason.partition(":")[0] for a in made.attempts] == ["timed-out", "timed-out", ""]


# -- whatever made it ------------------------------------------------------------------------------


def test_checked_holds_a_foreign_summary_against_its_sources() -> None:
    request = request_of(ledger())
    good = parse(GOOD).summary

    def made_of(summary: Summary) -> Callable[[Request], Summarised]:
        return lambda request: Summarised(summary, "theirs", (Attempt("theirs"),))

    assert checked(made_of(good), request).summary == good
    invented = replace(good, facts=(*good.facts, Line("The pool size was raised to 847.")))
    mended = checked(made_of(invented), request)
    assert mended.summariser == "theirs"
    assert "847" not in render(mended.summary)
    assert mended.guard is not None
    dropped = checked(made_of(replace(good, goal=good.goal[:1])), request)
    assert "Never touch src/legacy." in render(dropped.summary)


def test_checked_falls_back() -> None:
    request = request_of(ledger())

    def fails(request: Request) -> Summarised:
        raise OwnError("boom")

    made = checked(fails, request)
    assert made.summariser == "extractive"
    assert made.attempts[0].reason == "raised: OwnError: boom"
    text: Any = lambda request: GOOD  # noqa: E731
    assert checked(text, request).attempts[0].reason.startswith("malformed")
    empty = checked(lambda request: Summarised(Summary(), "theirs"), request)
    assert [a.reason for a in empty.attempts] == ["empty", ""]
    wild = Summary(facts=tuple(Line(f"It took {n}{n}7 days.") for n in range(11, 19)))
    invented = checked(lambda request: Summarised(wild, "theirs"), request)
    assert invented.summariser == "extractive"
    assert invented.attempts[0].reason.startswith("invented")


# -- by a word -------------------------------------------------------------------------------------


def settings_with(**table: Any) -> Settings:
    return Settings(tables={"summary": table})


def test_summarisers_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert isinstance(summariser_of(None), Extractive)
    assert isinstance(summariser_of("extractive"), Extractive)
    assert summariser_of("openai/gpt-5-mini").name == "openai/gpt-5-mini"
    assert summariser_of("anthropic/claude-haiku-4-5").name == "anthropic/claude-haiku-4-5"
    assert summariser_of("responses/gpt-5").name == "responses/gpt-5"
    assert summariser_of("openai/meta/llama-4").name == "openai/meta/llama-4"
    own = CallableSummariser(lambda text: text)
    assert summariser_of(own) is own

    def shorten(text: str) -> str:
        return text

    assert summariser_of(shorten).name == "shorten"


def test_the_table_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KEY", "secret")
    table: dict[str, Any] = {
        "model": "qwen3",
        "api": "openai",
        "base_url": "http://localhost:8000/v1",
        "key_env": "LOCAL_KEY",
        "timeout": 20,
        "window": 40_000,
        "retries": 1,
    }
    made = summariser_of(None, settings_with(**table))
    assert isinstance(made, ModelSummariser)
    assert (made.name, made.base_url, made.timeout) == ("openai/qwen3", table["base_url"], 20)
    assert (made.window, made.retries) == (40_000, 1)
    other = summariser_of("anthropic/claude-haiku-4-5", settings_with(**table))
    assert isinstance(other, ModelSummariser)
    # Neither the address nor the key of one provider goes to another.
    assert (other.base_url, other.key_env, other.timeout) == (None, None, 20)
    assert summariser_of("extractive", settings_with(**table)).name == "extractive"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"model": 5}, "summary.model: write a text"),
        ({"model": "openai/m", "timeout": "long"}, "summary.timeout: write a number"),
        ({"model": "openai/m", "window": 1.5}, "summary.window: write a whole number"),
        ({"model": "openai/m", "retries": True}, "summary.retries: write a whole number"),
        ({"model": "m", "api": "gemini"}, "summary.api: use openai, responses, anthropic"),
        ({"api": "openai"}, "summary.model: name the model"),
        ({"model": "openai/m", "key": "k"}, "summary.key: no such key"),
    ],
)
def test_a_table_that_is_not_as_it_should_be(table: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        summariser_of(None, settings_with(**table))


@pytest.mark.parametrize("spec", ["", "gpt-5", "openai/", "gemini/pro", "/m"])
def test_a_word_that_names_none(spec: str) -> None:
    with pytest.raises(UsageError, match="use extractive, openai/MODEL"):
        summariser_of(spec)


def test_what_cannot_be_meant() -> None:
    wrong: Any = 5
    with pytest.raises(UsageError, match="a int is no summariser"):
        summariser_of(wrong)
    with pytest.raises(UsageError, match="no API is called"):
        ModelSummariser("m", api="gemini", api_key="k")
    for given in ({"retries": -1}, {"rounds": 0}, {"window": 100}, {"timeout": 0.0}):
        numbers: Any = given
        with pytest.raises(UsageError):
            ModelSummariser("m", api_key="k", **numbers)


def test_a_missing_key_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set OPENAI_API_KEY, or name a variable in key_env"):
        summariser_of("openai/gpt-5")
    with pytest.raises(UsageError, match="the variable NO_SUCH_KEY is not set"):
        ModelSummariser("m", key_env="NO_SUCH_KEY")


@pytest.mark.parametrize(("api", "package"), [("openai", "openai"), ("anthropic", "anthropic")])
def test_a_missing_package_is_one_clear_line(
    api: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "trimtab.summaries.clients.find_spec", lambda name: None if name == package else found(name)
    )
    with pytest.raises(UsageError, match=r"pip install 'trimtab\[models\]'"):
        ModelSummariser("m", api=api, api_key="k")


def test_the_clients_load_only_when_they_are_asked() -> None:
    import subprocess

    code = "import sys, trimtab.summaries.model; print({'openai', 'anthropic'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


# -- the page --------------------------------------------------------------------------------------


def test_the_page_states_every_outcome() -> None:
    page = (ROOT / "docs" / "summaries.md").read_text("utf-8")
    table = page.partition("| outcome |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", table, re.MULTILINE))
    assert rows == {name: f"{o.what} | {o.again} | {o.then}" for name, o in OUTCOMES.items()}
