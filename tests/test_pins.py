"""Pins: what is required, by whom, how it is refused, and that the index only reads what is new."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.histories import DIALECTS, histories
from trimtab.errors import UsageError
from trimtab.history.log import History
from trimtab.history.message import Image, Message, Opaque, Text, ToolCall, ToolResult
from trimtab.history.placeholders import left_out
from trimtab.pins import RULES, Pin, find_pins, required_messages

TASK = Message("user", (Text("Tidy up the parser."),))


def user(text: str, *, required: bool | None = None, typed: bool = True) -> Message:
    return Message("user", (Text(text),), required=required, typed=typed)


def found(*messages: Message, dialect: str = "anthropic") -> list[tuple[int, str, str]]:
    """(message, text, rule) of each pin."""
    pins = find_pins(History(messages, dialect=dialect))
    return [(pin.message, pin.text, pin.rule) for pin in pins]


# -- whole messages --------------------------------------------------------------------------------


def test_system_prompt_and_first_task_are_required() -> None:
    history = History(
        [
            Message("system", (Text("Be brief."), Text("Be kind."))),
            Message("system", (Text("Be honest."),)),
            Message("assistant", (Text("Hello."),)),
            TASK,
            user("Thanks."),
            Message("system", (Text("A later note."),)),
        ]
    )
    assert [(p.message, p.block, p.text, p.rule) for p in find_pins(history)] == [
        (0, 0, "Be brief.", "system"),
        (0, 1, "Be kind.", "system"),
        (1, 0, "Be honest.", "system"),
        (3, 0, "Tidy up the parser.", "first-task"),
    ]
    assert list(required_messages(history)) == [0, 1, 3]


def test_what_a_harness_says_is_no_task() -> None:
    reminder = "<system-reminder>\nAlways be nice.\n</system-reminder>"
    assert found(
        user("This session is being continued ...", typed=False),
        user(reminder),
        user("/model"),
        Message("user", (ToolResult("c1", (Text("done"),)),)),
        Message("user", (Text(reminder), Text("Fix it."))),
    ) == [(4, reminder, "first-task"), (4, "Fix it.", "first-task")]


def test_a_picture_is_a_task() -> None:
    history = History([Message("user", (Image(url="x.png"),)), user("Do not resize it.")])
    assert list(find_pins(history)) == [
        Pin(0, 0, 0, 0, "", "first-task"),
        Pin(1, 0, 0, 17, "Do not resize it.", "en:prohibition"),
    ]


def test_marked_messages_are_required_as_a_whole() -> None:
    result = ToolResult("c1", (Text("port 8080"),))
    call = ToolCall("c1", "read", {})
    assert found(
        TASK,
        Message("assistant", (Text("I decided for B."), call), required=True),
        Message("user", (result,), required=True),
        Message("assistant", (call,), required=True),
    ) == [
        (0, "Tidy up the parser.", "first-task"),
        (1, "I decided for B.", "marked"),
        (2, "port 8080", "marked"),
        (3, "", "marked"),
    ]


def test_a_message_marked_false_holds_no_pin() -> None:
    assert found(
        Message("system", (Text("Be brief."),), required=False),
        user("Tidy up. Do not rename anything.", required=False),
        user("Never push. Use at most 3 calls.", required=False),
        user("Never pull."),
    ) == [(3, "Never pull.", "en:prohibition")]


@pytest.mark.parametrize("mark", [True, False])
def test_in_a_neutral_history_the_callers_marks_replace_the_rules(mark: bool) -> None:
    messages = [TASK, user("Never push."), user("Whatever.", required=mark)]
    neutral = [pin[0] for pin in found(*messages, dialect="neutral")]
    assert neutral == ([0, 2] if mark else [0])
    assert 1 in [pin[0] for pin in found(*messages, dialect="anthropic")]


def test_a_mark_that_comes_later_still_silences_the_rules() -> None:
    history = History([TASK, user("Never push.")], dialect="neutral")
    assert list(required_messages(history)) == [0, 1]
    history.append(user("Remember this.", required=True))
    assert list(required_messages(history)) == [0, 2]


def test_marks_beside_the_history_come_first_and_can_be_taken_back() -> None:
    history = History([TASK, user("Never push."), Message("assistant", (Text("B it is."),))])
    assert list(required_messages(history)) == [0, 1]
    history.mark(0, False)
    history.mark(2, True)
    assert list(required_messages(history)) == [1, 2]
    history.mark(1, False)
    assert list(required_messages(history)) == [2]
    history.mark(0, None)
    history.mark(1, None)
    history.mark(2, None)
    assert list(required_messages(history)) == [0, 1]


# -- found sentences -------------------------------------------------------------------------------


def test_only_the_users_typed_text_is_searched() -> None:
    order = "Do not touch the schema."
    assert found(
        TASK,
        Message("assistant", (Text(order),)),
        Message("tool", (ToolResult("c1", (Text(order),)),)),
        Message("user", (ToolResult("c1", (Text(order),)), Text("Go on. " + order))),
        user(order, typed=False),
        Message("system", (Text(order),)),
    ) == [(0, "Tidy up the parser.", "first-task"), (3, order, "en:prohibition")]


def test_a_pin_is_the_sentence_and_its_place() -> None:
    text = "Looks good. Please do not rename `run()`. 期限は3日以内でお願いします。次へ。"
    history = History([TASK, Message("user", (Text("Hm."), Text(text)))], dialect="openai")
    pins = find_pins(history)[1:]
    assert [(p.block, p.text, p.rule) for p in pins] == [
        (1, "Please do not rename `run()`.", "en:prohibition"),
        (1, "期限は3日以内でお願いします。", "ja:limit"),
    ]
    assert all(text[p.start : p.end] == p.text for p in pins)


@pytest.mark.parametrize(
    "heading", ["Constraints:", "## Rules", "**Ground rules**", "制約：", "守ること"]
)
def test_items_below_a_heading_are_required(heading: str) -> None:
    text = f"Build a page.\n\n{heading}\n- 200 KB\n- blue and white\n\nNice to have:\n- a map"
    pins = found(TASK, user(text))
    assert [pin[1] for pin in pins[1:]] == ["200 KB", "blue and white"]
    assert all(rule.endswith(":list") for _, _, rule in pins[1:])


def test_items_below_a_prohibition_are_required() -> None:
    text = "Please do not:\n1. rename files\n2. touch the lock file\n\nThen tell me the result."
    assert [pin[1:] for pin in found(TASK, user(text))[1:]] == [
        ("Please do not:", "en:list"),
        ("rename files", "en:list"),
        ("touch the lock file", "en:list"),
    ]
    text = "You must never do these:\n- rename files\n- push\n\nWhat do you think?"
    assert [pin[1] for pin in found(TASK, user(text))[1:]] == [
        "You must never do these:",
        "rename files",
        "push",
    ]


ORDERS = ("Do not touch the schema.", "Use at most 3 retries.", "スキーマは変更しないでください。")
HIDING = (
    "```\n{}\n```",
    "~~~text\n{}\n~~~",
    "> {}",
    "<command-stdout>{}</command-stdout>",
    "<system-reminder>\n{}\n</system-reminder>",
    "$ ./run\n{}",
    "Traceback (most recent call last):\n  {}\nValueError: x",
    "diff --git a/x b/x\n@@ -1 +1 @@\n+{}",
    "2024-05-01 10:00:00 WARN {}",
    "[ERROR] {}",
    'He said "{}"',
    "`{}`",
    "「{}」と書かれていました。",
    "print('{}')",
)


@pytest.mark.parametrize("hiding", HIDING)
@pytest.mark.parametrize("order", ORDERS)
def test_what_the_user_did_not_say_is_not_required(hiding: str, order: str) -> None:
    assert len(found(TASK, user(order))) == 2
    assert len(found(TASK, user(hiding.format(order)))) == 1


@pytest.mark.parametrize("hiding", HIDING[:8])
def test_what_stands_beside_it_is(hiding: str) -> None:
    text = f"Look:\n\n{hiding.format('x')}\n\nNever push to main."
    assert [pin[1] for pin in found(TASK, user(text))[1:]] == ["Never push to main."]


def test_an_unclosed_fence_does_not_hide_what_follows() -> None:
    text = "```\nx = 1\n\nNever push to main."
    assert [pin[1] for pin in found(TASK, user(text))[1:]] == ["Never push to main."]


def test_of_a_text_too_long_to_be_typed_both_ends_are_searched() -> None:
    paste = "2024-05-01 10:00:00 INFO must not\n" * 5_000 + "so it goes\n" * 5_000
    text = f"Never push to main.\n\n{paste}\nAsk me before you delete anything."
    assert [pin[1] for pin in found(TASK, user(text))[1:]] == [
        "Never push to main.",
        "Ask me before you delete anything.",
    ]
    fenced = "Look:\n```\n" + "never mind\n" * 9_000 + "do not do it\n```\nNever push."
    assert [pin[1] for pin in found(TASK, user(fenced))[1:]] == ["Never push."]


# -- refusal ---------------------------------------------------------------------------------------

MIXED = [
    Message("system", (Text("Be brief."),)),
    TASK,
    user("Never push. Use at most 3 retries."),
    user("出力は必ずJSONにすること。", required=True),
    user("Only change files under src."),
]


def test_rules_messages_and_pins_can_be_refused() -> None:
    history = History(MIXED, dialect="openai")
    pins = find_pins(history)
    assert [p.rule for p in pins] == [
        "system",
        "first-task",
        "en:prohibition",
        "en:limit",
        "marked",
        "en:scope",
    ]
    for refused in ("system", "first-task", "en:limit", "marked"):
        assert refused not in {p.rule for p in find_pins(history, [refused])}
    assert [p.message for p in find_pins(history, {2})] == [0, 1, 3, 4]
    assert list(required_messages(history, {0, 2, "en:scope"})) == [1, 3]
    assert list(find_pins(history, [pins[2]])) == [p for p in pins if p is not pins[2]]
    assert find_pins(history, list(RULES)) == ()
    assert list(find_pins(history)) == list(pins)


def test_a_refused_task_is_searched_like_any_message() -> None:
    history = History([user("Tidy up. Do not rename anything.")], dialect="openai")
    assert [p.text for p in find_pins(history, ["first-task"])] == ["Do not rename anything."]


def test_a_span_of_two_rules_stays_until_both_are_refused() -> None:
    history = History([TASK, user("Do not spend more than 40 euros.")], dialect="openai")
    both = [p.rule for p in find_pins(history)][1:]
    both += [p.rule for p in find_pins(history, both)][1:]
    assert both == ["en:prohibition", "en:limit"]
    assert len(find_pins(history, both)) == 1


def test_an_unknown_rule_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no rule is called 'en:limits'"):
        find_pins(History(), ["en:limits"])


# -- rules of every history ------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_pins_are_spans_in_order_and_the_index_grows(dialect: str, data: st.DataObject) -> None:
    whole = data.draw(histories(dialect))
    pins = find_pins(whole)
    check(whole, pins)
    grown = History(dialect=whole.dialect)
    for message in whole:
        grown.append(message)
        if data.draw(st.booleans()):
            find_pins(grown)
    assert find_pins(grown) == pins
    assert find_pins(grown) is find_pins(grown)
    assert list(required_messages(grown)) == sorted({p.message for p in pins})


def check(history: History, pins: Sequence[Pin]) -> None:
    places = [(p.message, p.block, p.start) for p in pins]
    assert places == sorted(set(places))
    for pin in pins:
        assert pin.rule in RULES
        message = history[pin.message]
        assert message.required is not False
        if pin.text or pin.end:
            block = message.blocks[pin.block]
            assert isinstance(block, Text | ToolResult)
            assert block.text[pin.start : pin.end] == pin.text
        if ":" in pin.rule:
            assert message.role == "user"
            assert message.typed


@given(st.lists(st.sampled_from([*ORDERS, "ok", "```", "> ", "\n", "\ud800", "「", '"', "<a-b>"])))
def test_any_text_can_be_searched(parts: list[str]) -> None:
    history = History([TASK, user(" ".join(parts)), user("".join(parts))], dialect="openai")
    check(history, find_pins(history))


@given(st.text())
def test_any_characters_can_be_searched(text: str) -> None:
    history = History([TASK, user(text), user("Never push. " + text)], dialect="openai")
    check(history, find_pins(history))


def test_new_messages_alone_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def requirements(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
        read.append(text)
        return []

    monkeypatch.setattr("trimtab.pin_rules.rules.requirements", requirements)
    history = History([TASK, user("one"), user("two")], dialect="openai")
    find_pins(history)
    find_pins(history)
    history.append(user("three"))
    required_messages(history)
    history.mark(1, True)
    find_pins(history)
    history.mark(1, None)
    find_pins(history, ["en:limit"])
    assert read == ["one", "two", "three"]


def test_what_stands_for_compacted_messages_is_required() -> None:
    summary = Message("user", (Text("Earlier: the parser was mended."),), typed=False, summary=True)
    block = Message("assistant", (Opaque("compaction", raw={"type": "compaction"}),))
    history = History([summary, block, Message("user", (Text("Go on."),))], dialect="anthropic")
    assert [(pin.message, pin.rule) for pin in find_pins(history)] == [
        (0, "summary"),
        (1, "summary"),
        (2, "first-task"),
    ]


def test_a_note_of_ours_is_no_task() -> None:
    note = Message("user", (Text(left_out(12)),))
    history = History([note, Message("user", (Text("Mend it."),))], dialect="openai")
    assert [(pin.message, pin.rule) for pin in find_pins(history)] == [(1, "first-task")]
