"""Exchanges: what may be cut, matched by position, per occurrence."""

from __future__ import annotations

from trimtab.history.exchanges import riders
from trimtab.history.log import History
from trimtab.history.message import Block, Message, Role, Text, Thinking, ToolCall, ToolResult
from trimtab.history.tool_uses import tool_uses


def call(id: str, name: str = "read") -> ToolCall:
    return ToolCall(id, name, {})


def result(id: str, text: str = "ok", **more: bool) -> ToolResult:
    return ToolResult(id, (Text(text),), **more)


def say(role: Role, *blocks: Block | str, dialect: str = "") -> Message:
    made = tuple(Text(b) if isinstance(b, str) else b for b in blocks)
    return Message(role, made, dialect=dialect)


def shape(*messages: Message) -> list[tuple[int, int, bool, bool]]:
    """(start, stop, has_calls, open) of each exchange."""
    index = History(messages).exchanges
    return [(e.start, e.stop, e.has_calls, e.open) for e in (index[n] for n in range(len(index)))]


def test_plain_messages_stand_alone() -> None:
    assert shape(say("system", "s"), say("user", "u"), say("assistant", "a")) == [
        (0, 1, False, False),
        (1, 2, False, False),
        (2, 3, False, False),
    ]


def test_parallel_calls_answered_in_one_message() -> None:
    assert shape(
        say("user", "u"),
        say("assistant", call("a"), call("b"), call("c")),
        say("user", result("a"), result("b"), result("c"), "and one thing more"),
    ) == [(0, 1, False, False), (1, 3, True, False)]


def test_parallel_calls_answered_in_several_messages_are_not_parted() -> None:
    group = (
        say("assistant", call("a"), call("b")),
        say("tool", result("a")),
        say("tool", result("b")),
    )
    assert shape(*group, say("assistant", call("c")), say("tool", result("c"))) == [
        (0, 3, True, False),
        (3, 5, True, False),
    ]


def test_a_late_result_joins_everything_between() -> None:
    assert shape(
        say("assistant", call("slow")),
        say("user", "meanwhile"),
        say("assistant", "yes?"),
        say("tool", result("slow")),
        say("assistant", "done"),
    ) == [(0, 4, True, False), (4, 5, False, False)]


def test_an_interim_answer_does_not_close_the_call() -> None:
    assert shape(say("assistant", call("a")), say("tool", result("a", pending=True))) == [
        (0, 2, True, True)
    ]


def test_an_id_used_twice_makes_two_pairs() -> None:
    pairs = [say("assistant", call("x")), say("tool", result("x"))] * 2
    assert shape(*pairs) == [(0, 2, True, False), (2, 4, True, False)]
    history = History(pairs)
    assert [use.result for use in tool_uses(history)] == [(1, 0), (3, 0)]


def test_errors_and_refusals_close_a_call() -> None:
    assert shape(say("assistant", call("a")), say("user", result("a", is_error=True))) == [
        (0, 2, True, False)
    ]


def test_an_orphan_is_reported_and_breaks_nothing() -> None:
    history = History([say("tool", result("gone")), say("assistant", "a")])
    assert len(history.exchanges) == 2
    assert history.exchanges.orphans == [0]


def test_the_items_of_one_response_belong_together() -> None:
    items = (
        say("user", "u", dialect="responses"),
        say("assistant", Thinking("hm", "sealed"), dialect="responses"),
        say("assistant", "first", dialect="responses"),
        say("assistant", call("a"), dialect="responses"),
        say("assistant", call("b"), dialect="responses"),
        say("tool", result("a"), dialect="responses"),
        say("tool", result("b"), dialect="responses"),
        say("assistant", call("c"), dialect="responses"),
    )
    assert shape(*items) == [(0, 1, False, False), (1, 7, True, False), (7, 8, True, True)]


def test_thinking_in_a_message_of_its_own_belongs_to_the_next() -> None:
    assert shape(
        say("assistant", Thinking("hm", "sig", bound=True)),
        say("assistant", call("a")),
        say("user", result("a")),
    ) == [(0, 3, True, False)]


def test_a_server_tool_is_answered_in_its_own_message() -> None:
    message = say(
        "assistant",
        ToolCall("s", "web_search", {}, server=True),
        ToolResult("s", (), server=True),
        "found",
    )
    assert shape(message) == [(0, 1, True, False)]


def test_the_index_follows_a_growing_history() -> None:
    history = History()
    for message in (say("assistant", call("a")), say("tool", result("a")), say("user", "u")):
        history.append(message)
        assert history.exchanges.length == len(history)
    whole = History(list(history)).exchanges
    assert history.exchanges.starts == whole.starts


def test_riders_are_the_users_own_words_beside_results() -> None:
    assert riders(say("user", result("a"), "stop after this", " ")) == (1,)
    assert riders(say("user", "only words")) == ()
    assert riders(say("tool", result("a"))) == ()


def test_only_the_leading_system_messages_are_the_head() -> None:
    history = History([say("system", "s"), say("user", "u"), say("system", "note")])
    assert history.head == 1


def test_a_system_message_in_mid_conversation_belongs_to_its_neighbours() -> None:
    head = say("system", "s", dialect="anthropic")
    note = say("system", "note", dialect="anthropic")
    assert shape(
        head,
        say("user", "u", dialect="anthropic"),
        say("assistant", "a", dialect="anthropic"),
        say("user", "more", dialect="anthropic"),
        note,
        say("assistant", call("x"), dialect="anthropic"),
        say("user", result("x"), dialect="anthropic"),
        say("assistant", "b", dialect="anthropic"),
    ) == [
        (0, 1, False, False),
        (1, 2, False, False),
        (2, 3, False, False),
        (3, 7, True, False),
        (7, 8, False, False),
    ]


def test_system_messages_elsewhere_stand_alone() -> None:
    assert len(shape(say("user", "u"), say("system", "note"), say("assistant", "a"))) == 3
