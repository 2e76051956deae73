"""What fills a window: every piece has a place, the pieces are the whole, the turns grow."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.context.projection import Projection
from trimtab.history.answers import answers
from trimtab.history.log import History
from trimtab.history.message import (
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from trimtab.report.fill import fill
from trimtab.report.pieces import PARTS, pieces
from trimtab.report.repeats import repeats
from trimtab.report.turns import turns
from trimtab.tokens import counter_for

CHARS = counter_for(None, "chars")


@pytest.mark.parametrize("unit", ["chars", "tokens"])
@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_pieces_are_the_whole(dialect: str, unit: str, data: st.DataObject) -> None:
    history = data.draw(histories(dialect))
    counter = counter_for("gpt-4o", unit)
    found = fill(history, counter, name="h")
    assert found.size == Projection(history, counter).size
    for sums in (found.roles, found.kinds, found.parts):
        assert sum(size for _, size in sums) == found.size
    of_tools = sum(tool.size for tool in found.tools)
    by_tool = [piece.size for piece in pieces(history, counter) if piece.kind.startswith("tool ")]
    assert of_tools >= sum(by_tool) - dict(found.kinds).get("tool definitions", 0)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_each_turn_sees_all_that_came_before_it(dialect: str, data: st.DataObject) -> None:
    history = data.draw(histories(dialect))
    found = pieces(history, CHARS)
    for turn in turns(history, found):
        before = sum(piece.size for piece in found if piece.message < turn.message)
        assert turn.size == before
    runs = list(answers(history))
    told = [number for start, stop in runs for number in range(start, stop)]
    assert told == [n for n, message in enumerate(history) if message.role == "assistant"]


def call(id: str, name: str, given: object) -> Message:
    return Message("assistant", (ToolCall(id, name, given),))


def result(id: str, text: str, *more: Image) -> Message:
    return Message("tool", (ToolResult(id, (Text(text), *more)),))


def used(text: str, usage: Usage | None, id: str | None = None) -> Message:
    return Message("assistant", (Text(text),), id=id, usage=usage)


def test_roles_and_parts() -> None:
    history = History(
        [
            Message("system", (Text("be kind"),)),
            Message("user", (Text("hello"),)),
            Message("user", (Text("reminder"),), typed=False),
            Message("assistant", (Thinking("hm"), Text("hi"), ToolCall("1", "look", {}))),
            result("1", "seen"),
        ]
    )
    found = fill(history, CHARS, name="h")
    roles = dict(found.roles)
    assert (roles["system"], roles["user"], roles["harness"]) == (7, 5, 8)
    assert roles["tool"] == 4
    parts = dict(found.parts)
    assert list(parts) == list(PARTS)
    assert parts["instructions"] == 7 + 8
    assert (parts["user"], parts["assistant"], parts["thinking"]) == (5, 2, 2)
    assert (parts["tool calls"], parts["tool results"]) == (len("look\n{}"), 4)


def test_pictures_in_a_result_are_pictures() -> None:
    picture = Image("image/png", data="AAAA", width=800, height=600)
    history = History([call("1", "shot", {}), result("1", "done", picture)])
    counter = counter_for("gpt-4o")
    found = fill(history, counter, name="h")
    assert dict(found.kinds)["image"] == counter.block(picture)
    (tool,) = found.tools
    assert (tool.calls, tool.results) == (1, 1)
    assert tool.size == sum(counter.block(block) for m in history for block in m.blocks)
    assert found.largest[0].size == counter.block(history[1].blocks[0])


def test_parts_of_one_answer_are_one_turn() -> None:
    usage = Usage(input=10)
    history = History(
        [
            Message("user", (Text("a"),)),
            used("b", None, "m1"),
            used("c", usage, "m1"),
            Message("user", (Text("d"),)),
            used("e", usage, "m2"),
            used("f", usage, "m3"),
        ]
    )
    assert list(answers(history)) == [(1, 3), (4, 5), (5, 6)]
    found = turns(history, pieces(history, CHARS))
    assert [turn.reported for turn in found] == [usage] * 3
    assert [turn.size for turn in found] == [1, 1 + 2 + 2 + 2, 1 + 2 + 2 + 2 + 2]


def test_what_was_reported_above_what_is_visible() -> None:
    usage = Usage(input=100, cache_read=20, cache_write=3, output=9)
    history = History([Message("user", (Text("a" * 50),)), used("b", usage)])
    found = fill(history, CHARS, name="h")
    assert found.reported is found.turns[0]
    assert found.turns[0].hidden == 123 - found.turns[0].size
    assert found.usage == usage
    without = fill(History([Message("user", (Text("a"),)), used("b", None)]), CHARS, name="h")
    assert without.reported is None
    assert without.usage is None


def test_a_compaction_starts_anew_with_the_system_prompt() -> None:
    history = History(
        [
            Message("system", (Text("s" * 10),)),
            Message("user", (Text("a" * 100),)),
            used("b", None),
            Message("user", (Text("summary"),), typed=False),
            used("c", None),
        ]
    )
    found = turns(history, pieces(history, CHARS), boundaries=[3])
    assert [turn.compacted for turn in found] == [False, True]
    assert found[0].size > 110
    assert found[1].size < 25
    at_answer = turns(history, pieces(history, CHARS), boundaries=[4])
    assert at_answer[1].compacted
    assert at_answer[1].size < 15


# -- repeated observations -------------------------------------------------------------------------


def observed(*looks: tuple[str, object, str]) -> History:
    messages = []
    for number, (tool, arguments, text) in enumerate(looks):
        messages += [call(str(number), tool, arguments), result(str(number), text)]
    return History(messages)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Read", {"file_path": "/a"}), ("Read", {"file_path": "/a", "offset": 9})),
        (("Read", {"file_path": "/a"}), ("view_file", {"path": "/a"})),
        (("Read", {"file_path": "/a"}), ("read", '{"file_path": "/a"}')),
        (
            ("str_replace_editor", {"command": "view", "path": "/a"}),
            ("str_replace_editor", {"command": "view", "path": "/a", "view_range": [1, 2]}),
        ),
        (("Bash", {"command": "ls", "timeout": 1}), ("Bash", {"timeout": 1, "command": "ls"})),
        (("status", {}), ("status", {})),
        (("status", ""), ("status", "{}")),
    ],
)
def test_one_resource(one: tuple[str, object], other: tuple[str, object]) -> None:
    history = observed((*one, "x" * 30), (*other, "y" * 20))
    (repeat,) = repeats(history, CHARS)
    assert (repeat.count, repeat.size, repeat.stale) == (2, 50, 30)
    assert repeat.messages == (1, 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Read", {"file_path": "/a"}), ("Read", {"file_path": "/b"})),
        (("Read", {"file_path": "/a"}), ("Write", {"file_path": "/a"})),
        (("read_file", {"path": "/a"}), ("edit_file", {"path": "/a"})),
        (("Bash", {"command": "ls"}), ("Bash", {"command": "ls -l"})),
        (
            ("str_replace_editor", {"command": "view", "path": "/a"}),
            ("str_replace_editor", {"command": "create", "path": "/a"}),
        ),
        (("status", {}), ("state", {})),
    ],
)
def test_two_resources(one: tuple[str, object], other: tuple[str, object]) -> None:
    assert repeats(observed((*one, "x"), (*other, "y")), CHARS) == []


def test_a_call_without_a_result_is_no_observation() -> None:
    history = observed(("status", {}, "x"))
    history.append(call("9", "status", {}))
    assert repeats(history, CHARS) == []


def test_the_most_stale_first() -> None:
    history = observed(
        ("a", {}, "x" * 5), ("b", {}, "x" * 90), ("a", {}, "x" * 100), ("b", {}, "x")
    )
    assert [repeat.resource for repeat in repeats(history, CHARS)] == ["b", "a"]
