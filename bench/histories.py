"""Histories for the benchmark: seeded, of any length, shaped as real tool loops are.

An agent works on a repository: it lists, searches, reads and edits files, runs tests, now and
then with parallel calls; every few dozen rounds it answers, and the user asks for the next thing,
sometimes with a constraint. No two results are the same, so nothing is counted for free.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

WORDS = (
    "account", "adapter", "amount", "archive", "balance", "batch", "booking", "branch", "buffer",
    "cache", "column", "commit", "config", "counter", "currency", "customer", "cursor", "date",
    "decimal", "default", "delivery", "discount", "draft", "entry", "export", "field", "filter",
    "folder", "format", "handler", "header", "history", "import", "index", "invoice", "item",
    "journal", "ledger", "limit", "line", "loader", "lookup", "mapping", "match", "migration",
    "model", "month", "number", "offset", "option", "order", "owner", "parser", "payment",
    "period", "pointer", "prefix", "price", "queue", "rate", "reader", "record", "reference",
    "refund", "report", "request", "result", "retry", "rounding", "row", "schema", "session",
    "setting", "sheet", "source", "state", "status", "store", "stream", "supplier", "table",
    "tax", "token", "total", "transfer", "unit", "update", "user", "value", "vendor", "version",
    "view", "voucher", "week", "window", "writer", "year",
)  # fmt: skip
SENTENCES = (
    "The {a} {b} is wrong when the {c} is empty, so I look at where it is read.",
    "That explains it: the {a} is rounded before the {b} is added, and the {c} loses a cent.",
    "Next I check whether the {a} handles a missing {b}; the test for the {c} still fails.",
    "The {a} now keeps its {b}. Let me run the tests for the {c} again.",
    "I search for every use of the {a} {b} before I change how the {c} is stored.",
)
REQUESTS = (
    "Now the {a} report shows the {b} twice. Find out why and fix it.",
    "Good. Please add a {a} column to the {b} export, with tests.",
    "Do not change the public names of the {a} module. Then make the {b} import faster.",
    "The {a} must stay below 200 ms for 10,000 {b} rows; measure it before you change anything.",
    "請求書の{a}を直してください。{b}テーブルは変更しないこと。",
)
SYSTEM = (
    "You are a careful software engineer who works in a repository by calling tools. Read before "
    "you write, run the tests after each change, and keep changes small.\n"
) * 8
TASK = (
    "The ledger service loses a cent on some invoices. Find the cause, fix it and add tests. "
    "Do not change the database schema. Only touch files under ledger/ and tests/. "
    "Ask me before you delete anything."
)
TOOLS = ("read_file", "grep", "run", "edit_file", "list_files")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and its result."""

    id: str
    name: str
    input: dict[str, Any]
    result: str


@dataclass(frozen=True, slots=True)
class Round:
    """One step of the loop: a request of the user, or what the agent says and calls."""

    user: str = ""
    said: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = field(default=())


def rounds(seed: int, follow_ups: bool = True) -> Iterator[Round]:
    """An endless tool loop, the same for the same seed.

    Args:
        follow_ups: the agent answers now and then and the user asks for the next thing; without,
            it is one long autonomous turn.
    """
    rng = Random(seed)
    number = 0
    until_answer = 24
    yield Round(user=TASK)
    while True:
        if follow_ups and until_answer == 0:
            until_answer = rng.randint(12, 60)
            yield Round(said=" ".join(_sentence(rng, SENTENCES) for _ in range(4)))
            yield Round(user=_sentence(rng, REQUESTS))
        until_answer -= 1
        parallel = 1 if rng.random() < 0.8 else rng.randint(2, 4)
        calls = []
        for _ in range(parallel):
            number += 1
            calls.append(_call(rng, number))
        thought = " ".join(_sentence(rng, SENTENCES) for _ in range(rng.randint(1, 5)))
        said = _sentence(rng, SENTENCES) if rng.random() < 0.6 else ""
        yield Round(said=said, thought=thought, calls=tuple(calls))


def _sentence(rng: Random, of: tuple[str, ...]) -> str:
    a, b, c = rng.choices(WORDS, k=3)
    return rng.choice(of).format(a=a, b=b, c=c)


def _call(rng: Random, number: int) -> Call:
    name = rng.choice(TOOLS)
    path = f"ledger/{rng.choice(WORDS)}_{rng.choice(WORDS)}.py"
    # Sizes as in real sessions: half of the results are short, a few are very long.
    lines = min(400, max(1, int(rng.lognormvariate(2.6, 1.1))))
    make: Callable[[Random, str, int], str] = _MAKERS[name]
    arguments = {"path": path}
    if name == "run":
        arguments = {"command": f"python -m pytest tests/test_{rng.choice(WORDS)}.py -q"}
    elif name == "grep":
        arguments = {"pattern": rng.choice(WORDS), "path": "ledger"}
    elif name == "edit_file":
        arguments |= {"old": _code(rng, path, 3), "new": _code(rng, path, 4)}
        lines = 1
    return Call(f"call_{number:06d}", name, arguments, make(rng, path, lines))


def _code(rng: Random, path: str, lines: int) -> str:
    out = []
    for at in range(lines):
        a, b, c = rng.choices(WORDS, k=3)
        out.append(f"{at + 1:>5}  {a}_{b} = self.{c}.get({a!r}, {rng.randint(0, 9999)})")
    return "\n".join(out)


def _matches(rng: Random, path: str, lines: int) -> str:
    return "\n".join(
        f"{path}:{rng.randint(1, 900)}:    return {rng.choice(WORDS)}.{rng.choice(WORDS)}(row)"
        for _ in range(lines)
    )


def _tests(rng: Random, path: str, lines: int) -> str:
    out = [
        f"tests/test_{rng.choice(WORDS)}.py::test_{rng.choice(WORDS)}_{at} "
        f"{'FAILED' if rng.random() < 0.1 else 'PASSED'} [{rng.randint(0, 999)} ms]"
        for at in range(lines)
    ]
    return "\n".join(out) + f"\n{rng.randint(0, 9)} failed, {lines} run in {rng.random():.3f}s"


def _listing(rng: Random, path: str, lines: int) -> str:
    return json.dumps(
        [{"name": f"{rng.choice(WORDS)}.py", "size": rng.randint(80, 90_000)} for _ in range(lines)]
    )


def _edited(rng: Random, path: str, lines: int) -> str:
    return f"edited {path}: 1 place, {rng.randint(1, 900)} lines now"


_MAKERS: dict[str, Callable[[Random, str, int], str]] = {
    "read_file": _code,
    "grep": _matches,
    "run": _tests,
    "edit_file": _edited,
    "list_files": _listing,
}


def _schema(name: str) -> dict[str, Any]:
    field = {"run": "command", "grep": "pattern"}.get(name, "path")
    return {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}


def openai_request(messages: int, seed: int = 0, follow_ups: bool = True) -> dict[str, Any]:
    """A Chat Completions request body with exactly `messages` messages, the system one included.

    The last round may be cut short, as it is between a call and its result.
    """
    out: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for step in rounds(seed, follow_ups):
        if len(out) >= messages:
            break
        if step.user:
            out.append({"role": "user", "content": step.user})
            continue
        spoken: dict[str, Any] = {"role": "assistant", "content": step.said or None}
        if step.calls:
            spoken["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.input)},
                }
                for call in step.calls
            ]
        out.append(spoken)
        out += [
            {"role": "tool", "tool_call_id": call.id, "content": call.result} for call in step.calls
        ]
    tools = [
        {"type": "function", "function": {"name": name, "parameters": _schema(name)}}
        for name in TOOLS
    ]
    return {"model": "gpt-4o", "messages": out[:messages], "tools": tools}


def anthropic_request(messages: int, seed: int = 0) -> dict[str, Any]:
    """An Anthropic Messages request body with `messages` messages (one more or less), thinking
    and all."""
    out: list[dict[str, Any]] = []
    for step in rounds(seed):
        if len(out) >= messages:
            break
        if step.user:
            out.append({"role": "user", "content": step.user})
            continue
        blocks: list[dict[str, Any]] = []
        if step.thought:
            seal = f"sig{len(out):06d}" * 20
            blocks.append({"type": "thinking", "thinking": step.thought, "signature": seal})
        if step.said:
            blocks.append({"type": "text", "text": step.said})
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
            for call in step.calls
        ]
        out.append({"role": "assistant", "content": blocks})
        if step.calls:
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": call.result}
                for call in step.calls
            ]
            out.append({"role": "user", "content": results})
    tools = [{"name": name, "input_schema": _schema(name)} for name in TOOLS]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8000,
        "thinking": {"type": "enabled", "budget_tokens": 4000},
        "system": SYSTEM,
        "messages": out,
        "tools": tools,
    }


def responses_items(messages: int, seed: int = 0) -> list[dict[str, Any]]:
    """Exactly `messages` input items of the Responses format, as an agent loop collects them.

    The last round may be cut short, as it is between a call and its result.
    """
    out: list[dict[str, Any]] = []
    for step in rounds(seed):
        if len(out) >= messages:
            break
        if step.user:
            out.append({"type": "message", "role": "user", "content": step.user})
            continue
        if step.said:
            text = {"type": "output_text", "text": step.said, "annotations": []}
            spoken = {"type": "message", "id": f"msg_{len(out)}", "role": "assistant"}
            out.append({**spoken, "status": "completed", "content": [text]})
        for call in step.calls:
            asked = {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id}
            given = {"name": call.name, "arguments": json.dumps(call.input)}
            out.append({**asked, **given, "status": "completed"})
        out += [
            {"type": "function_call_output", "call_id": call.id, "output": call.result}
            for call in step.calls
        ]
    return out[:messages]
