"""Turn by turn: a message is appended, then the context that fits is asked for.

trimtab keeps what it found out about the history so far; `trim_messages` of `langchain-core`
looks at all of it again at each turn. Both get the same messages, one after the other, in this
process. trimtab counts exactly, with the o200k vocabulary, texts that nobody has counted before;
`trim_messages` uses its approximate counter, the fast one that its documentation recommends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from time import process_time
from typing import Any

from bench.clock import settled
from bench.fresh import unseen
from bench.histories import openai_request
from bench.langchain_trim import as_openai, available, converted, trimmer
from bench.shape import Aim, Section, at_least, at_most, rounded
from trimtab.context.budget import Budget
from trimtab.context.writing import write
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.rules import validate
from trimtab.policies.registry import parse_policy

POLICIES = ("truncate", "recent-first", "required-first")
AIMS = {2_000: 20, 20_000: 200}
"""Length -> how many times faster than `trim_messages`."""


@dataclass(slots=True)
class Tally:
    """What came of the turns at the end of a run.

    Attributes:
        times: seconds of each turn.
        sent: how many contexts were looked at (those at which the model is called).
        user_first: of these, how many go from the system prompt to a user message.
        valid: of these, how many break no rule of the provider.
        empty: of these, how many hold nothing but the system prompt.
    """

    times: list[float]
    sent: int = 0
    user_first: int = 0
    valid: int = 0
    empty: int = 0

    def look_at(self, messages: Sequence[dict[str, Any]]) -> None:
        """Take up one context, as the Chat Completions messages that would be sent."""
        self.sent += 1
        rest = [message["role"] for message in messages if message["role"] != "system"]
        self.user_first += bool(rest) and rest[0] == "user"
        self.empty += not rest
        self.valid += bool(rest) and not validate(
            tuple(read_request(list(messages), "openai")), "openai"
        )


def called(messages: Sequence[dict[str, Any]], at: int) -> bool:
    """After message number `at` it is the model's turn: all calls have their results."""
    following = messages[at + 1]["role"] if at + 1 < len(messages) else "unknown"
    return messages[at]["role"] != "assistant" and following not in ("tool", "unknown")


def ours(policy: str, request: dict[str, Any], limit: int, last: int) -> Tally:
    """All turns of a session, from its first message to its last."""
    empty = read_request({**request, "messages": []}, "openai")
    messages = list(read_request(unseen(request), "openai"))
    history = History(
        tools=empty.tools, dialect="openai", envelope=empty.envelope, model=request["model"]
    )
    chosen, budget = parse_policy(policy), Budget(limit)
    raw = request["messages"]
    tally = Tally([])
    at = None
    chosen.plan(History(messages[:2], model=request["model"]), budget)  # load the vocabulary
    with settled():
        for number, message in enumerate(messages):
            start = process_time()
            history.append(message)
            plan = chosen.plan(history, budget, at)
            at = plan.projection
            context = at.context()
            tally.times.append(process_time() - start)
            if number >= len(messages) - last and called(raw, number):
                tally.look_at(write(context).value["messages"])
    return tally


def theirs(start_on: str | None, request: dict[str, Any], limit: int, last: int) -> Tally:
    """The last turns of the same session by `trim_messages`."""
    raw = request["messages"]
    messages = converted(raw)
    trim = trimmer(limit, start_on)
    grown = messages[:-last]
    trim(grown)
    tally = Tally([])
    with settled():
        for number in range(len(messages) - last, len(messages)):
            start = process_time()
            grown.append(messages[number])
            kept = trim(grown)
            tally.times.append(process_time() - start)
            if called(raw, number):
                tally.look_at(as_openai(kept))
    return tally


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of session, and the budget that it is held to, in tokens."""

    name: str
    follow_ups: bool
    limit: int


SCENARIOS = (
    Scenario("requests now and then", True, 100_000),
    Scenario("one long turn", False, 20_000),
)


def measure(quick: bool = False) -> Section:
    """Three policies and two ways to call `trim_messages`, on short and long sessions."""
    last = 20 if quick else 100
    rows: list[dict[str, Any]] = []
    aims: list[Aim] = []
    for scenario in SCENARIOS:
        for size in (60, 240) if quick else AIMS:
            request = openai_request(size, 1, scenario.follow_ups)
            limit = scenario.limit // 5 if quick else scenario.limit
            found, wanted = _side_by_side(scenario.name, request, limit, last)
            rows += found
            aims += wanted
    kinds = "; ".join(f"{s.name}: at most {s.limit:,} tokens" for s in SCENARIOS)
    return Section(
        title="Turn by turn",
        about=(
            f"Append a message, then ask for the context ({kinds}). *At the end*: mean of the "
            f"last {last} turns. *Whole run*: mean and longest of all turns. *User first* and "
            "*valid*: of the contexts among these at which the model is called, the share that "
            "goes from the system prompt to a user message, and that breaks no provider rule (a "
            "context of nothing but the system prompt is not valid). trimtab counts every text "
            "exactly and for the first time; `trim_messages` counts approximately, with "
            '`strategy="last"` and `include_system=True`. *Faster*: than the faster of its two '
            "ways." + ("" if available() else " `langchain-core` was not installed.")
        ),
        rows=rows,
        units={
            "at the end": "ms a turn",
            "whole run": "ms a turn",
            "longest": "ms",
            "user first": "share",
            "valid": "share",
            "faster": "times",
        },
        aims=aims,
    )


def _side_by_side(
    session: str, request: dict[str, Any], limit: int, last: int
) -> tuple[list[dict[str, Any]], list[Aim]]:
    size = len(request["messages"])
    shown = {"session": session, "messages": size}
    rows: list[dict[str, Any]] = []
    peers: list[float] = []
    for start_on in (None, "human") if available() else ():
        name = "trim_messages" + (f', start_on="{start_on}"' if start_on else "")
        tally = theirs(start_on, request, limit, last)
        peers.append(mean(tally.times))
        rows.append({**shown, "what": name, "at the end": ms(peers[-1]), **_shares(tally)})
    aims: list[Aim] = []
    for policy in POLICIES:
        tally = ours(policy, request, limit, last)
        end = mean(tally.times[-last:])
        row = {
            **shown,
            "what": policy,
            "at the end": ms(end),
            **_shares(tally),
            "whole run": ms(mean(tally.times)),
            "longest": ms(max(tally.times)),
        }
        rows.append(row)
        where = f"{size:,} messages, {session}"
        if peers:
            faster = min(peers) / end
            row["faster"] = rounded(faster)
        if peers and size in AIMS:
            what = f"{policy}: faster than trim_messages at {where}"
            aims.append(at_least(what, faster, AIMS[size], "times"))
        what = f"{policy}: invalid contexts at {where}"
        aims.append(at_most(what, tally.sent - tally.valid, 0, "contexts"))
    return rows, aims


def ms(seconds: float) -> float:
    """Milliseconds, to three digits."""
    return rounded(seconds * 1e3)


def _shares(tally: Tally) -> dict[str, Any]:
    return {
        "user first": rounded(tally.user_first / tally.sent),
        "valid": rounded(tally.valid / tally.sent),
        "only the system prompt": tally.empty,
    }
