"""The policies' own rules, one by one; what all of them keep is in `test_policies_valid.py`."""

from __future__ import annotations

import pytest

from trimtab.context.budget import Budget
from trimtab.context.projection import Context, Projection
from trimtab.errors import BudgetInfeasible, UsageError
from trimtab.history.log import History
from trimtab.history.message import Message, Role, Text, Thinking, Tool, ToolCall, ToolResult
from trimtab.history.placeholders import is_placeholder
from trimtab.policies.clear_tool_results import ClearToolResults
from trimtab.policies.registry import (
    POLICIES,
    fit,
    parameters,
    parse_policy,
    policy_class,
    split_specs,
)

ROOMY = Budget(10**9, "chars")


def say(role: Role, text: str, required: bool | None = None) -> Message:
    return Message(role, (Text(text),), required=required, dialect="openai")


def history(
    rounds: int,
    size: int = 300,
    tool: str = "look",
    dialect: str = "openai",
    thinking: bool = False,
) -> History:
    """System, task, then rounds of one call and a result of `size` characters."""
    messages = [say("system", "You repair."), say("user", "Repair the thing.")]
    for n in range(rounds):
        mind = (Thinking(f"t{n}"),) if thinking else ()
        call = ToolCall(f"c{n}", tool, {"n": n})
        messages.append(Message("assistant", (*mind, call), dialect=dialect))
        result = ToolResult(f"c{n}", (Text(f"{n}".ljust(size, "x")),))
        messages.append(Message("tool", (result,), dialect=dialect))
    return History(messages, dialect=dialect)


def results(context: Context) -> list[str]:
    return [r.text for m in context.messages for r in m.results()]


def kept(text: str) -> bool:
    return not is_placeholder(text)


def cleared_count(policy: str, recorded: History, budget: Budget = ROOMY) -> int:
    context = fit(recorded, budget, policy).projection.context()
    return sum(not kept(text) for text in results(context))


# -- append, truncate, recent-first, required-first ------------------------------------------


def test_append_keeps_everything_or_says_what_it_needs() -> None:
    recorded = history(3)
    plan = fit(recorded, ROOMY, "append")
    assert plan.projection.context().messages == tuple(recorded)
    assert plan.edits == ()
    with pytest.raises(BudgetInfeasible) as caught:
        fit(recorded, Budget(100, "chars"), "append")
    assert (caught.value.needed, caught.value.available) == (plan.before, 100)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(("spec", "kept_rounds"), [("messages=4", 2), ("messages=5", 2)])
def test_truncate_counts_messages_and_cuts_between_exchanges(spec: str, kept_rounds: int) -> None:
    context = fit(history(6), ROOMY, f"truncate:{spec}").projection.context()
    assert len(results(context)) == kept_rounds
    assert context.messages[0].role == "system"


def test_truncate_counts_turns() -> None:
    assert len(results(fit(history(6), ROOMY, "truncate:turns=3").projection.context())) == 3


def test_truncate_counts_tokens_and_the_budget_holds_too() -> None:
    plan = fit(history(6), ROOMY, "truncate:tokens=1000")
    assert plan.after <= 1000
    assert fit(history(6), Budget(700, "chars"), "truncate:tokens=1000").after <= 700


@pytest.mark.parametrize("spec", ["truncate:messages=0", "truncate:turns=-1", "truncate:tokens=0"])
def test_truncate_refuses_what_would_keep_nothing(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(spec)


@pytest.mark.parametrize("policy", ["truncate", "recent-first", "required-first"])
def test_a_newest_exchange_that_does_not_fit_is_named(policy: str) -> None:
    recorded = history(3)
    recorded.extend(history(1, size=5_000)[2:])
    with pytest.raises(BudgetInfeasible, match="newest exchange") as caught:
        fit(recorded, Budget(1_000, "chars"), policy)
    assert caught.value.needed > 5_000


def test_tool_definitions_that_fill_the_budget_are_named_first() -> None:
    tool = Tool("read", "d" * 2_000, {"type": "object"})
    recorded = History([*history(3)], tools=(tool,))
    with pytest.raises(BudgetInfeasible, match="tool definitions") as caught:
        fit(recorded, Budget(1_000, "chars"), "required-first")
    assert caught.value.items[0].startswith("tool definitions: 2,0")


@pytest.mark.parametrize("policy", ["truncate", "recent-first", "required-first", "prune:N=0,W=0"])
def test_an_open_call_is_never_cut(policy: str) -> None:
    recorded = History(
        [
            say("user", "Repair."),
            Message("assistant", (ToolCall("slow", "wait", {}),)),
            *history(8)[2:],
        ],
        dialect="openai",
    )
    context = fit(recorded, Budget(1_200, "chars"), policy).projection.context()
    assert any(c.id == "slow" for m in context.messages for c in m.calls())


def test_required_first_keeps_the_task_the_marked_and_the_constraint() -> None:
    recorded = History(
        [
            *history(4),
            say("user", "Do not push to the main branch."),
            *history(4)[2:],
            say("user", "Here is a note.", required=True),
            *history(6)[2:],
        ],
        dialect="openai",
    )
    plan = fit(recorded, Budget(1_400, "chars"), "required-first")
    texts = [m.text for m in plan.projection.context().messages]
    for needed in ("You repair.", "Repair the thing.", "Do not push to the main branch."):
        assert needed in texts
    assert "Here is a note." in texts
    lost = [m.text for m in fit(recorded, Budget(1_400, "chars"), "recent-first").projection.items]
    assert "Do not push to the main branch." not in lost


def test_required_first_names_what_does_not_fit() -> None:
    recorded = History(
        [
            say("user", "Repair. " + "y" * 900, required=True),
            say("assistant", "yes"),
            say("user", "and"),
        ],
        dialect="openai",
    )
    with pytest.raises(BudgetInfeasible) as caught:
        fit(recorded, Budget(500, "chars"), "required-first")
    assert "message 0 (required, user)" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_users_words_beside_a_result_stay_when_required() -> None:
    recorded = History(
        [
            Message("user", (Text("Repair."),), dialect="anthropic"),
            Message("assistant", (ToolCall("a", "look", {}),), dialect="anthropic"),
            Message(
                "user",
                (ToolResult("a", (Text("z" * 400),)), Text("You must not touch the lock.")),
                dialect="anthropic",
            ),
            *(m for m in history(5, dialect="anthropic")[2:] if m.role == "assistant"),
        ],
        dialect="anthropic",
    )
    for n in range(5):
        recorded.append(
            Message("user", (ToolResult(f"c{n}", (Text("w" * 300),)),), dialect="anthropic")
        )
    texts = "\n".join(
        m.text for m in fit(recorded, Budget(1_900, "chars"), "required-first").projection.items
    )
    assert "You must not touch the lock." in texts
    assert "z" * 400 not in texts


# -- prune -----------------------------------------------------------------------------------


def test_prune_tells_of_the_call_its_arguments_and_its_outcome() -> None:
    recorded = history(7, tool="read_file")
    context = fit(recorded, ROOMY, "prune:N=5,W=1").projection.context()
    summary = context.messages[2]
    assert summary.role == "assistant"
    assert summary.text.startswith("Summary of previous tool calls: [read_file with n=1: ok, 1x")
    assert "read_file(" not in summary.text


def test_prune_never_makes_the_context_larger() -> None:
    recorded = history(9, size=60)
    for w in (-1, 1, 5):
        assert (
            fit(recorded, ROOMY, f"prune:N=1,W={w}").after <= fit(recorded, ROOMY, "append").after
        )


@pytest.mark.parametrize("spec", ["prune:N=-1", "prune:W=-2"])
def test_prune_refuses_numbers_that_mean_nothing(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(spec)


# -- clear-tool-results ------------------------------------------------------------------------


def test_clearing_waits_for_its_trigger() -> None:
    recorded = history(10)
    assert cleared_count("clear-tool-results", recorded) == 0
    assert cleared_count("clear-tool-results:trigger=100", recorded) == 7
    assert cleared_count("clear-tool-results:trigger=tool_uses:9", recorded) == 7
    assert cleared_count("clear-tool-results:trigger=tool_uses:10", recorded) == 0


def test_a_smaller_budget_is_the_trigger_unless_one_is_given() -> None:
    recorded = history(10)
    tight = Budget(2_500, "chars")
    assert cleared_count("clear-tool-results", recorded, tight) == 7
    with pytest.raises(BudgetInfeasible):
        fit(recorded, tight, "clear-tool-results:trigger=input_tokens:100000")


@pytest.mark.parametrize(("keep", "cleared"), [(0, 9), (1, 9), (4, 6), (99, 0)])
def test_keep_counts_the_newest_and_the_latest_is_never_cleared(keep: int, cleared: int) -> None:
    spec = f"clear-tool-results:trigger=1,keep={keep}"
    context = fit(history(10), ROOMY, spec).projection.context()
    marks = [kept(text) for text in results(context)]
    assert marks == [False] * cleared + [True] * (10 - cleared)


def test_excluded_tools_are_neither_cleared_nor_counted() -> None:
    recorded = history(3, tool="look")
    recorded.extend(_renamed(history(6, tool="note")[2:]))
    spec = "clear-tool-results:trigger=1,keep=1,exclude_tools=note"
    context = fit(recorded, ROOMY, spec).projection.context()
    assert [kept(text) for text in results(context)] == [False, False] + [True] * 7


def _renamed(messages: list[Message]) -> list[Message]:
    """The same rounds under other ids."""
    made = []
    for message in messages:
        blocks = tuple(
            ToolCall("n" + b.id, b.name, b.input)
            if isinstance(b, ToolCall)
            else ToolResult("n" + b.call_id, b.content)
            if isinstance(b, ToolResult)
            else b
            for b in message.blocks
        )
        made.append(Message(message.role, blocks, dialect=message.dialect))
    return made


def test_small_results_are_neither_cleared_nor_counted() -> None:
    recorded = history(3, size=300)
    recorded.extend(_renamed(history(5, size=46)[2:]))
    spec = "clear-tool-results:trigger=1,keep=1"
    context = fit(recorded, ROOMY, spec).projection.context()
    assert [kept(text) for text in results(context)] == [False, False] + [True] * 6


def test_an_incomplete_last_batch_is_left() -> None:
    recorded = history(11, size=400)
    each = 400 - 60
    spec = f"clear-tool-results:trigger=1,keep=1,clear_at_least={3 * each}"
    assert cleared_count(spec, recorded) in (6, 9)
    assert cleared_count("clear-tool-results:trigger=1,clear_at_least=99999", recorded) == 0


def test_the_cleared_front_only_grows_turn_by_turn() -> None:
    policy = ClearToolResults(trigger=1, keep=2, clear_at_least=900)
    growing = History(dialect="openai")
    at: Projection | None = None
    front: list[str] = []
    for message in history(20, size=400):
        growing.append(message)
        at = policy.plan(growing, ROOMY, at).projection
        texts = results(at.context())
        stubs = [text for text in texts if not kept(text)]
        assert stubs[: len(front)] == front
        assert [kept(t) for t in texts] == sorted(kept(t) for t in texts)
        front = stubs
    assert front
    assert cleared_count("clear-tool-results:trigger=1,keep=2", history(20, size=400)) >= len(front)


def test_clearing_again_changes_nothing() -> None:
    first = fit(history(10), ROOMY, "clear-tool-results:trigger=1").projection.context()
    again = fit(History(first.messages, dialect="openai"), ROOMY, "clear-tool-results:trigger=1")
    assert again.edits == ()


@pytest.mark.parametrize(
    "stub",
    [
        "[cleared]",
        "[Cleared by context management]",
        "[Old tool result content cleared]",
        "[tool result cleared]",
        "[superseded file read]",
        "Old environment output: (812 lines omitted)",
        "[Trimmed: bash output — 90210 chars → 200 char preview]\nabc...",
    ],
)
def test_the_placeholders_of_others_are_recognised(stub: str) -> None:
    assert is_placeholder(stub)
    assert not is_placeholder(stub + " and more text, which is a real result") or "preview" in stub


def test_inputs_are_cleared_when_asked() -> None:
    recorded = history(6, tool="write")
    for spec, count in (("true", 3), ("write", 3), ("other", 0), ("false", 0)):
        policy = f"clear-tool-results:trigger=1,clear_tool_inputs={spec}"
        context = fit(recorded, ROOMY, policy).projection.context()
        inputs = [c.input for m in context.messages for c in m.calls()]
        assert inputs.count({}) == count


def test_a_marked_result_is_never_cleared() -> None:
    recorded = history(6)
    messages = list(recorded)
    messages[3] = Message("tool", messages[3].blocks, required=True, dialect="openai")
    context = fit(
        History(messages, dialect="openai"), ROOMY, "clear-tool-results:trigger=1"
    ).projection.context()
    assert [kept(text) for text in results(context)] == [True, False, False, True, True, True]


@pytest.mark.parametrize(
    "spec",
    [
        "clear-tool-results:keep=-1",
        "clear-tool-results:trigger=often",
        "clear-tool-results:trigger=seconds:5",
        "clear-tool-results:clear_at_least=-4",
        "clear-thinking:keep=0",
        "clear-thinking:keep=some",
    ],
)
def test_fields_that_cannot_be_meant_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_policy(spec)


# -- clear-thinking ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "left"), [("1", 1), ("thinking_turns:3", 3), ("all", 5), ("9", 5)]
)
def test_thinking_of_the_newest_turns_stays(keep: str, left: int) -> None:
    context = fit(
        history(5, thinking=True), ROOMY, f"clear-thinking:keep={keep}"
    ).projection.context()
    minds = [b.text for m in context.messages for b in m.blocks if isinstance(b, Thinking)]
    assert minds == [f"t{n}" for n in range(5 - left, 5)]


def test_reasoning_items_stay_with_their_items() -> None:
    recorded = history(5, thinking=True, dialect="responses")
    assert fit(recorded, ROOMY, "clear-thinking").edits == ()


# -- the registry --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POLICIES)
def test_each_policy_is_registered_under_its_name_and_documents_its_parameters(name: str) -> None:
    assert policy_class(name).name == name
    for parameter in parameters(name):
        assert parameter.meaning, f"{name}: {parameter.name} has no meaning"


def test_a_list_of_policies_is_split_between_policies() -> None:
    text = "prune:N=5,W=3, append,clear-tool-results:keep=1,exclude_tools=a+b"
    assert split_specs(text) == [
        "prune:N=5,W=3",
        "append",
        "clear-tool-results:keep=1,exclude_tools=a+b",
    ]


@pytest.mark.parametrize(
    "spec", ["", "prun", "prune:", "prune:N", "prune:M=1", "prune:N=x", "append:N=1", "prune:N=1.5"]
)
def test_a_policy_that_is_misspelt_gets_one_clear_line(spec: str) -> None:
    if spec == "prune:":
        assert parse_policy(spec) == parse_policy("prune")
        return
    with pytest.raises(UsageError) as caught:
        parse_policy(spec)
    assert "\n" not in str(caught.value)


def test_an_empty_history_is_no_trouble() -> None:
    for name in POLICIES:
        plan = fit(History(dialect="openai"), ROOMY, name)
        assert plan.edits == ()
        assert plan.projection.context().messages == ()


def _with_rider(required: bool | None) -> History:
    """A result with the user's words beside it, and three more rounds."""
    words = Text("You must not touch the lock.")
    rider = (ToolResult("a", (Text("z" * 400),)), words)
    messages = [
        Message("user", (Text("Repair."),), dialect="anthropic"),
        Message("assistant", (ToolCall("a", "look", {}),), dialect="anthropic"),
        Message("user", rider, required=required, dialect="anthropic"),
    ]
    for n in range(3):
        call = ToolCall(f"c{n}", "look", {})
        messages.append(Message("assistant", (call,), dialect="anthropic"))
        result = ToolResult(f"c{n}", (Text("w" * 300),))
        messages.append(Message("user", (result,), dialect="anthropic"))
    return History(messages, dialect="anthropic")


@pytest.mark.parametrize(
    ("policy", "limit"),
    [
        ("required-first", 900),
        ("prune:N=1,W=0", 10**9),
        ("clear-tool-results:trigger=1,keep=1", 10**9),
    ],
)
def test_a_marked_message_keeps_its_result_and_an_unmarked_one_only_its_words(
    policy: str, limit: int
) -> None:
    for required, result_stays in ((None, False), (True, True)):
        plan = fit(_with_rider(required), Budget(limit, "chars"), policy)
        context = plan.projection.context()
        assert any("You must not touch the lock." in m.text for m in context.messages)
        assert ("z" * 400 in results(context)) is result_stays
