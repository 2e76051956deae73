"""Twenty compactions of one session: requirements neither pile up nor vanish, the summary stays as
small as it was, what the user corrected is replaced, and what is marked never goes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.planting import lacking, wrong
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Message
from trimtab.history.placeholders import is_summary
from trimtab.policies.registry import parse_policy
from trimtab.tokens import counter_for

SESSION = ROOT / "examples" / "sessions" / "flaky-test.responses.json"
ROUNDS = 20
LIMIT = 6_000

SAID = {
    1: "Keep the diff small enough to review in one sitting.",
    2: "The tolerance must be 50 cents.",
    3: "返答は箇条書きで。",
    4: "Reports may have at most 3 pages.",
    5: "The release is called Kestrel.",
    7: "要約は200字以内でお願いします。",
    8: "The tolerance is 5 cents, not 50.",
    10: "I'd rather you added no new dependency for this.",
    12: "Correction: reports may have at most 5 pages.",
    15: "要約は120字以内でお願いします。",
}
"""What the user says in which round."""
REPLACED = {2: 8, 4: 12, 7: 15}
"""What is said in one round and put right in another."""
MARKED = 5


@cache
def items() -> list[dict[str, Any]]:
    """The items of the session behind its task, without what else the user says in it."""
    found: list[dict[str, Any]] = json.loads(SESSION.read_text("utf-8"))["input"]
    task = next(n for n, item in enumerate(found) if item.get("role") == "user")
    return [found[task], *(i for i in found[task + 1 :] if i.get("role") not in ("user", "system"))]


def varied(item: dict[str, Any], number: int) -> dict[str, Any]:
    """The item as it might be in another round: other ids, other figures."""

    def other(found: re.Match[str]) -> str:
        return str(int(found.group()) + 13 * number)

    made = dict(item)
    for key in ("call_id", "id"):
        if isinstance(made.get(key), str):
            made[key] = f"{made[key]}_{number}"
    if isinstance(made.get("output"), str):
        made["output"] = f"round {number}\n" + re.sub(r"\d{1,6}", other, made["output"])
    if made.get("role") == "assistant" and isinstance(made.get("content"), list):
        made["content"] = [
            {**part, "text": re.sub(r"\d{1,6}", other, part["text"])} if "text" in part else part
            for part in made["content"]
        ]
    return made


def rounds() -> Iterator[list[Message]]:
    """The messages of each round."""
    task, *rest = items()
    for number in range(1, ROUNDS + 1):
        some: list[Any] = [task] if number == 1 else []
        half = len(rest) // 2
        some += [varied(item, number) for item in rest[:half]]
        while some and some[-1].get("type") != "function_call_output":
            some.append(varied(rest[half], number))
            half += 1
        said: list[Message] = []
        if number in SAID:
            raw = {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": SAID[number]}],
            }
            said = list(read_request([raw], "responses"))
            if number == MARKED:
                said = [Message("user", said[0].blocks, raw=said[0].raw, required=True)]
        after = [varied(item, number) for item in rest[half:]]
        yield [
            *read_request(some, "responses"),
            *said,
            *(read_request(after, "responses") if after else ()),
        ]


@pytest.mark.parametrize("policy", ["compact", "auto", "pipeline", "cliff"])
def test_twenty_compactions(policy: str) -> None:
    history = History(dialect="responses")
    counter = counter_for(None)
    at = Projection(history, counter)
    plans = parse_policy(policy)
    summaries: list[int] = []
    compacted = 0
    for number, some in enumerate(rounds(), 1):
        for message in some:
            history.append(message)
        at.refresh()
        plan = plans.plan(history, Budget(LIMIT, counter=counter), at)
        compacted += bool(plan.edits)
        at = plan.projection
        context = at.context()
        assert wrong(context) == [], number
        gone = {old for old, new in REPLACED.items() if new <= number} - {MARKED}
        holds = {n: text for n, text in SAID.items() if n <= number and n not in gone}
        assert lacking(list(holds.values()), context) == [], number
        texts = [message.text for message in context.messages]
        for text in holds.values():
            assert sum(whole.count(text) for whole in texts) == 1, (number, text)
        if policy != "cliff":  # a verbatim record tells what was said, also what was put right
            for old in gone:
                assert not any(SAID[old] in whole for whole in texts), (number, SAID[old])
        summaries.append(sum(counter.text(whole) for whole in texts if is_summary(whole)))
    assert compacted == ROUNDS
    assert max(summaries) <= (LIMIT * 7 // 10 if policy == "cliff" else 3_000)
    assert max(summaries[10:]) <= 1.3 * max(summaries[3:10])
