"""The policy `slim` on the arguments of calls: which, how, in every dialect, and with secrets."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, requests
from tests.secrets_made import Maker, named_values, one_of_each
from tests.test_policies_valid import broken
from trimtab import Session
from trimtab.context.blocks import block_bytes, block_id, evicted
from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.plan import Plan
from trimtab.context.projection import Projection
from trimtab.context.writing import write
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.history.tool_uses import tool_uses
from trimtab.pins import required_messages
from trimtab.policies.slim import Slim
from trimtab.slimming.arguments import shorter_arguments
from trimtab.store.open import open_store
from trimtab.store.redaction import redacted

MARK = re.compile(
    r"\[\.\.\. ([\d,]+) of ([\d,]+) characters left out; recall (blk_[0-9a-z]{12}) \.\.\.\]"
)
ID = "blk_" + "0" * 12
ROOMY = Budget(10**9, "chars")
ALL = Slim(keep=0, trigger=1, least=0, inputs=200)
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def lines(count: int, word: str = "row") -> str:
    return "\n".join(f"{word} {n} is written" for n in range(count))


# -- texts -------------------------------------------------------------------------------------


def test_only_long_strings_change_and_all_else_stays_character_for_character() -> None:
    long = lines(400)
    source = '{ "path":"a.py", "n": 1.10, "big": 123456789012345678901234567890,"content" : %s }'
    made = shorter_arguments(source % json.dumps(long), 1_000, ID)
    assert made is not None
    before, after = (source % "@").split("@")
    assert made.text.startswith(before)
    assert made.text.endswith(after)
    text = json.loads(made.text)["content"]
    head, mark, tail = text.partition(MARK.search(text)[0])  # type: ignore[index]
    assert mark
    assert long.startswith(head.removesuffix("\n"))
    assert long.endswith(tail.removeprefix("\n"))
    assert head.endswith("is written\n")
    assert tail.startswith("\nrow ")
    assert len(text) <= 1_000
    left_out, whole, block = MARK.search(text).groups()  # type: ignore[union-attr]
    assert block == ID
    assert int(whole.replace(",", "")) == len(long)
    kept = len(head.removesuffix("\n")) + len(tail.removeprefix("\n"))
    assert int(left_out.replace(",", "")) == made.dropped == len(long) - kept


def test_keys_that_are_long_or_come_twice_stay() -> None:
    key = "k" * 3_000
    source = f'{{"{key}": 1, "a": "x", "a": "{"y" * 3_000}"}}'
    made = shorter_arguments(source, 300, ID)
    assert made is not None
    assert made.text.startswith(f'{{"{key}": 1, "a": "x", "a": "yyy')


@pytest.mark.parametrize(
    "source",
    [
        '{"content": "' + "x" * 3_000,  # cut off
        "not JSON " * 500,
        "[" * 100_000,
        json.dumps({"numbers": list(range(3_000))}),
        json.dumps({"content": "x" * 300}),
        "",
    ],
)
def test_arguments_that_are_left_alone(source: str) -> None:
    assert shorter_arguments(source, 300, ID) is None


def test_plain_text_only_where_the_tool_takes_it() -> None:
    patch = f"*** Begin Patch\n{lines(200)}\n*** End Patch"
    assert shorter_arguments(patch, 400, ID) is None
    made = shorter_arguments(patch, 400, ID, free_form=True)
    assert made is not None
    assert made.text.startswith("*** Begin Patch\nrow 0")
    assert made.text.endswith("\n*** End Patch")
    assert shorter_arguments(made.text, 300, ID, free_form=True) is None
    data = json.dumps({"patch": patch})
    as_json = shorter_arguments(data, 400, ID, free_form=True)
    assert as_json is not None
    assert json.loads(as_json.text).keys() == {"patch"}


@quick
@given(st.text(min_size=1, max_size=9), st.integers(200, 2_000), st.sampled_from(["", "\ud800"]))
def test_any_text_is_shortened_once_and_splits_no_character(
    part: str, most: int, lone: str
) -> None:
    value = {"a": [part, {"b": (part + lone) * 900}], "c": None}
    source = json.dumps(value)
    made = shorter_arguments(source, most, ID)
    if made is None:
        assert len(value["a"][1]["b"]) <= most or MARK.search(part)  # type: ignore[index]
        return
    read = json.loads(made.text)
    assert same_shape(value, read)
    assert len(read["a"][1]["b"]) <= most + 64
    assert shorter_arguments(made.text, most, ID) is None


# -- histories of every dialect ----------------------------------------------------------------


def grown(value: Any, text: str) -> Any:
    """The request with long texts in the input of each call that the client runs."""
    more = {"content": text, "more": {"parts": [1, None, text, "short"]}}

    def arguments(given: str) -> str:
        return json.dumps({**json.loads(given or "{}"), **more}, ensure_ascii=len(text) % 2 == 0)

    def walk(part: Any) -> None:
        if isinstance(part, list):
            for item in part:
                walk(item)
        if not isinstance(part, dict):
            return
        match part.get("type"):
            case "tool_use" | "tool_call" if not part.get("server"):
                part["input"] = {**part["input"], **more}
            case "function" if "function" in part and "id" in part:
                part["function"]["arguments"] = arguments(part["function"]["arguments"])
            case "custom" if "id" in part:
                part["custom"]["input"] = text
            case "function_call":
                part["arguments"] = arguments(part["arguments"])
            case "custom_tool_call":
                part["input"] = text
            case "local_shell_call":
                part["action"]["command"].append(text)
            case "shell_call":
                part["action"]["commands"].append(text)
        if "function_call" in part:
            call = part["function_call"]
            call["arguments"] = arguments(call["arguments"])
        for key in ("messages", "input", "content"):
            walk(part.get(key))

    value = copy.deepcopy(value)
    walk(value)
    return value


TEXTS = st.tuples(
    st.sampled_from(['line "x"\n', "日本語。", "\\n\t\x00", "a\ud800", "e\u0301👩‍👧"])
)
LONG = TEXTS.map(lambda made: f"begin {made[0] * 400} end")


def enlarged(dialect: str) -> st.SearchStrategy[History]:
    made = st.tuples(requests(dialect), LONG)
    return made.map(lambda both: read_request(grown(*both), dialect))


def same_shape(before: Any, after: Any) -> bool:
    """Same keys, types and order; strings may be shorter where they say so."""
    if type(before) is not type(after):
        return False
    if isinstance(before, dict):
        return list(before) == list(after) and all(
            same_shape(v, after[k]) for k, v in before.items()
        )
    if isinstance(before, list):
        return len(before) == len(after) and all(map(same_shape, before, after))
    if isinstance(before, str) and before != after:
        head, mark, tail = re.split(r"\n?(\[\.\.\. [^\]\n]+ \.\.\.\])\n?", after, maxsplit=1)
        fits = before.startswith(head) and before.endswith(tail)
        return fits and bool(MARK.fullmatch(mark)) and len(after) < len(before)
    return bool(before == after)


def read_input(call: ToolCall) -> Any:
    if not isinstance(call.input, str):
        return call.input
    try:
        return json.loads(call.input)
    except ValueError:
        return call.input


def calls(messages: Any) -> list[ToolCall]:
    return [call for message in messages for call in message.calls()]


def of_calls(history: History, edits: Any) -> Iterator[tuple[Edit, ToolCall]]:
    for edit in edits:
        for number in edit.blocks:
            block = history[edit.start].blocks[number]
            if isinstance(block, ToolCall):
                yield edit, block


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_written_has_the_same_calls_of_the_same_shape(dialect: str) -> None:
    seen: list[ToolCall] = []

    @quick
    @given(enlarged(dialect))
    def holds(history: History) -> None:
        assert broken(list(history), history, None) == []
        plan = ALL.plan(history, ROOMY)
        context = plan.projection.context()
        assert broken(context.messages, history, plan) == []
        again = read_request(json.loads(json.dumps(write(context).value)), dialect)
        assert broken(list(again), again, plan) == []
        before, after = calls(history), calls(again)
        assert [(c.id, c.name, type(c.input)) for c in before] == [
            (c.id, c.name, type(c.input)) for c in after
        ]
        for one, other in zip(before, after, strict=True):
            assert same_shape(read_input(one), read_input(other))
            if one.server:
                assert one.input == other.input
            assert keys_beside(one) == keys_beside(other)
        for edit, call in of_calls(history, plan.edits):
            seen.append(call)
            assert edit.kind == "slim"
            data = evicted(history, edit)
            assert data == block_bytes(call)
            assert block_id(data) in edit.text
        for number in required_messages(history):
            assert calls([history[number]]) == calls(
                plan.projection.items[plan.projection.position(number) :][:1]
            )

    holds()
    kinds = {"custom" if "custom" in str(call.raw.get("type")) else "json" for call in seen}
    assert "json" in kinds
    assert ("custom" in kinds) >= (dialect == "responses")


def keys_beside(call: ToolCall) -> Any:
    """All of a call's wire form but its input."""
    raw = copy.deepcopy(call.raw)
    if not isinstance(raw, dict):
        return raw
    inner = raw.get("function") or raw.get("custom") or raw.get("function_call") or raw
    for key in ("arguments", "input", "action"):
        inner.pop(key, None)
    return raw


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_second_run_finds_nothing_even_in_what_was_written(dialect: str) -> None:
    @quick
    @given(enlarged(dialect))
    def holds(history: History) -> None:
        plan = ALL.plan(history, ROOMY)
        assert ALL.plan(history, ROOMY, plan.projection).edits == ()
        less = Slim(keep=0, trigger=1, least=0, inputs=200, limit=200)
        assert not list(of_calls(history, less.plan(history, ROOMY, plan.projection).edits))
        assert ALL.plan(history, ROOMY).projection.context() == plan.projection.context()
        again = read_request(write(plan.projection.context()).value, dialect)
        left = {
            c.id for c in calls(history) if any(c is b for _, b in of_calls(history, plan.edits))
        }
        for _, call in of_calls(again, ALL.plan(again, ROOMY).edits):
            assert call.id not in left

    holds()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_turn_by_turn_an_edit_stays_and_open_calls_are_whole(dialect: str) -> None:
    @settings(quick, max_examples=30)
    @given(enlarged(dialect))
    def holds(history: History) -> None:
        growing = History(tools=history.tools, dialect=dialect, envelope=history.envelope)
        at: Projection | None = None
        settled: dict[tuple[int, int], str] = {}
        for message in history:
            growing.append(message)
            plan = Slim(keep=1, trigger=1, least=0, inputs=200).plan(growing, ROOMY, at)
            at = plan.projection
            answered = {(use.message, use.block) for use in tool_uses(growing) if use.result}
            for edit, _ in of_calls(growing, plan.edits):
                assert (edit.start, edit.blocks[0]) in answered
                assert (edit.start, edit.blocks[0]) not in settled
                settled[edit.start, edit.blocks[0]] = edit.text
            for (number, place), text in settled.items():
                now = at.block_now(number, place)
                assert isinstance(now, ToolCall)
                assert now.input == (text if isinstance(now.input, str) else json.loads(text))

    holds()


# -- which calls -------------------------------------------------------------------------------


def session_of(
    *results: ToolResult | None, text: str = lines(1_000), required: bool | None = None
) -> History:
    messages = [Message("user", (Text("Write the files."),), dialect="anthropic")]
    for n, result in enumerate(results):
        call = ToolCall(f"c{n}", "write_file", {"path": f"f{n}", "content": text})
        messages.append(Message("assistant", (call,), dialect="anthropic", required=required))
        if result is not None:
            messages.append(Message("user", (result,), dialect="anthropic"))
    return History(messages, dialect="anthropic")


def done(n: int, said: str = "written", error: bool = False) -> ToolResult:
    return ToolResult(f"c{n}", (Text(said),), is_error=error)


def shortened(plan: Plan) -> list[int]:
    return [edit.start for edit, _ in of_calls(plan.projection.history, plan.edits)]


def test_old_calls_lose_their_middle_whatever_came_of_them() -> None:
    history = session_of(done(0), done(1, "no space", True), done(2), done(3), done(4))
    plan = Slim(trigger=1).plan(history, ROOMY)
    assert shortened(plan) == [1, 3]
    (call,) = plan.projection.items[1].calls()
    assert call.input["path"] == "f0"
    assert 3_500 < len(call.input["content"]) <= 4_000
    reasons = [edit.reason for edit in plan.edits]
    assert all(re.fullmatch(r"arguments: [\d,]+ characters left out", r) for r in reasons)


def test_the_newest_only_when_it_must_be_and_they_succeeded() -> None:
    history = session_of(done(0), done(1, "Error: disk is full"), done(2, "", True), done(3))
    whole = Slim(trigger=1, inputs=0).plan(history, ROOMY).before
    plan = Slim(keep=9).plan(history, Budget(whole - 20_000, "chars"))
    assert shortened(plan) == [1, 7]
    assert Slim(keep=9, trigger=1).plan(history, ROOMY).edits == ()


def test_the_rescue_leaves_less_of_each_string_and_no_more_than_it_must() -> None:
    history = session_of(*(done(n) for n in range(6)))
    plan = Slim().plan(history, Budget(14_000, "chars"))
    sizes = [len(call.input["content"]) for call in calls(plan.projection.items)]
    assert plan.after <= 14_000
    assert any(size > 1_500 for size in sizes)
    assert all(size <= 4_000 for size in sizes)


@pytest.mark.parametrize(
    "policy", [Slim(keep=0, trigger=1, inputs=0), Slim(trigger=1, least=10**6)]
)
def test_parameters_that_leave_them_alone(policy: Slim) -> None:
    assert policy.plan(session_of(done(0), done(1), done(2), done(3), done(4)), ROOMY).edits == ()


def test_left_alone() -> None:
    assert ALL.plan(session_of(done(0), done(1), required=True), ROOMY).edits == ()
    assert shortened(ALL.plan(session_of(done(0), None, done(2)), ROOMY)) == [1]
    excluded = Slim(keep=0, trigger=1, exclude_tools=("write_file",))
    assert excluded.plan(session_of(done(0), done(1)), ROOMY).edits == ()
    others = Slim(keep=0, trigger=1, tools=("read",))
    assert others.plan(session_of(done(0), done(1)), ROOMY).edits == ()


def test_a_value_that_is_no_json_stays() -> None:
    history = session_of(done(0), done(1))
    call = ToolCall("c0", "write_file", {"content": lines(1_000), "odd": object()})
    odd = [history[0], history[1].with_blocks((call,)), *history[2:]]
    assert ALL.plan(History(odd, dialect="anthropic"), ROOMY).edits == ()


# -- in a session ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["anthropic", "openai", "openai-custom", "responses"])
def test_recall_brings_the_whole_call_back(tmp_path: Path, form: str) -> None:
    text = lines(3_000, 'a "quoted" 行')
    given = {"path": "a.py", "content": text}
    path = tmp_path / "s.db"
    dialect = form.partition("-")[0]
    with Session(
        dialect=dialect, store=path, budget=4_000, policy="slim", model="gpt-4o", id="one"
    ) as session:
        session.append("Write it.")
        raws: list[Any] = []
        for n in range(5):
            raw, messages = wire(form, f"c{n}", given)
            raws.append(raw)
            for message in messages:
                session.append(message)
        sent = json.dumps(session.context(), ensure_ascii=False)
        ids = dict.fromkeys(found[2] for found in MARK.findall(sent))
        assert len(ids) >= 4
        for id, raw in zip(ids, raws, strict=False):
            assert json.loads(session.recall(id)) == raw
            whole = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
            assert session.recall(id) == whole.encode()
    with Session.restore("one", store=path) as restored:
        assert json.dumps(restored.context(), ensure_ascii=False) == sent


def wire(form: str, id: str, given: Any) -> tuple[Any, list[Any]]:
    """A call as the provider has it, and the messages of the round."""
    arguments = json.dumps(given)
    patch = f"*** Begin Patch\n{given['content']}\n*** End Patch"
    raw: Any
    if form == "anthropic":
        raw = {"type": "tool_use", "id": id, "name": "write_file", "input": {**given, "n": id}}
        result = {"type": "tool_result", "tool_use_id": id, "content": "ok"}
        return raw, [
            {"role": "assistant", "content": [raw]},
            {"role": "user", "content": [result]},
        ]
    if form.startswith("openai"):
        function = {"name": "write_file", "arguments": arguments}
        raw = {"id": id, "type": "function", "function": function}
        if form == "openai-custom":
            raw = {"id": id, "type": "custom", "custom": {"name": "patch", "input": patch}}
        said = {"role": "assistant", "content": None, "tool_calls": [raw]}
        return raw, [said, {"role": "tool", "tool_call_id": id, "content": "ok"}]
    raw = {"type": "custom_tool_call", "call_id": id, "name": "apply_patch", "input": patch}
    return raw, [raw, {"type": "custom_tool_call_output", "call_id": id, "output": "ok"}]


# -- secrets -----------------------------------------------------------------------------------


def pieces(secret: str, held: str) -> list[str]:
    """What may be left of a secret that was cut: its rows, how they begin, how they end.

    Args:
        held: the text that it stands in.
    """
    row = re.sub(r"-----[A-Z ]+-----", "", secret)
    rows = [part for part in re.split(r"[^A-Za-z0-9+/_=.-]+", row) if len(part) >= 12]
    shown = redacted(held)  # some begin with what is no secret, such as a host
    found = [part for row in rows for part in (row, row[:20], row[-12:])]
    return [part for part in found if part not in shown]


def everything_written(path: Path) -> str:
    with open_store(path) as store:
        kept = [b"".join(store.export_session(info.id)) for info in store.sessions()]
        kept += [event.body for info in store.sessions() for event in store.events(info.id)]
        kept += [store.get_block(id) for id in store.block_ids()]
    return b"\n".join(kept).decode("utf-8", "replace")


def with_secrets(seed: int) -> list[tuple[str, str]]:
    """Each secret with the line or lines that hold it."""
    made = [(text, text) for _, text in one_of_each(seed)]
    return made + [(value, line) for _, value, line in named_values(seed)]


@pytest.mark.parametrize("dialect", ["anthropic", "openai"])
def test_no_part_of_a_secret_is_written_down_in_a_shorter_form(
    tmp_path: Path, dialect: str
) -> None:
    path = tmp_path / "s.db"
    secrets = with_secrets(7)
    policy = "slim:limit=400,inputs=400,keep=1"
    with Session(
        dialect=dialect, store=path, budget=60_000, policy=policy, model="gpt-4o", redact=True
    ) as session:
        session.append("Read the settings. Never print them.")
        for n, (_, held) in enumerate(secrets):
            said = f"{lines(40)}\nERROR {held}\n{lines(40)}"
            given = f"{'. ' * (60 + n % 50)}{held}\n{lines(99)}"  # a cut would go through it
            _, messages = wire(dialect, f"c{n}", {"path": f"f{n}", "content": given})
            for message in messages:
                answered = json.dumps(message).replace('"ok"', json.dumps(said))
                session.append(json.loads(answered))
            session.context()
        sent = json.dumps(session.context())
    written = everything_written(path)
    assert '"kind":"edits"' in written
    assert "characters left out; recall blk_" in written
    assert not {piece for secret in secrets for piece in pieces(*secret) if piece in written}
    with Session.restore(session.id, store=path) as restored:
        assert all(
            id in json.dumps(restored.context()) for id in re.findall("blk_[0-9a-z]{12}", sent)
        )


@pytest.mark.parametrize(
    "policy",
    [
        "compact",
        "auto",
        "pipeline",
        "cliff",
        "offload:keep=1,index=200",
    ],
)
def test_no_part_of_a_secret_is_written_down_in_a_summary(tmp_path: Path, policy: str) -> None:
    budget = 6_000 if policy == "cliff" else 8_000
    path = tmp_path / "s.db"
    tokens = dict(one_of_each(5))
    word = named_values(5)[0][1]
    key = Maker(5).pem()
    token = tokens["github-token"]
    with Session(
        dialect="openai", store=path, budget=budget, policy=policy, model="gpt-4o", redact=True
    ) as session:
        session.append(f"Deploy with password={word}, never print it. The key stays secret:\n{key}")
        for n in range(30):
            _, messages = wire("openai", f"c{n}", {"path": f"f{n}", "content": lines(60)})
            said = json.dumps(f"ok\nThe login needs password: {word}.\n{lines(60)}")
            for message in messages:
                session.append(json.loads(json.dumps(message).replace('"ok"', said)))
            decided = f"We decided to use password={word} for step {n}, and the token {token}."
            session.append({"role": "assistant", "content": f"{decided} The file has:\n{key}\n"})
            session.append(f"Step {n + 1}: use password={word}, never log {token}. {lines(20)}")
            session.context()
    written = everything_written(path)
    assert '"kind":"edits"' in written
    secrets = [(word, f"password={word}"), (token, token), (key, key)]
    assert not {piece for secret in secrets for piece in pieces(*secret) if piece in written}
