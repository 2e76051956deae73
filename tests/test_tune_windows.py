"""Windows by kind of work: what is read from `trimtab.toml`, how a kind is found, and kept."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trimtab.config import Settings
from trimtab.context.budget import Budget
from trimtab.context.projection import Projection
from trimtab.errors import InputError, UsageError
from trimtab.formats.wire import read_request
from trimtab.history.log import History
from trimtab.history.rules import validate
from trimtab.policies.configured import configured
from trimtab.policies.prune import Prune
from trimtab.policies.registry import parse_policy, spec_of
from trimtab.policies.windows import DECIDES, DEFAULT, Category, category_of, most_used, windows_of
from trimtab.tokens import counter_for

CHARS = counter_for(None, "chars")
LARGE = Budget(10**9, "chars", counter=CHARS)


def given_windows(text: str) -> Settings:
    return Settings(tables=tomllib.loads(text))


def used(*tools: str) -> History:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for n, tool in enumerate(tools):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": {"n": n}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"result {n} " * 20}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
    return read_request({"model": "claude-sonnet-4-5", "messages": messages}, "anthropic")


def pairs(policy: Prune, history: History, at: Projection | None = None) -> int:
    context = policy.plan(history, LARGE, at).projection.context()
    return sum(1 for message in context if any(message.calls()))


# -- the table -------------------------------------------------------------------------------------


def test_a_table_is_read_and_comes_before_the_defaults() -> None:
    settings = given_windows('[windows.farming]\nN = 7\nW = -1\ntools = ["plough*", "sow"]')
    read = windows_of(settings)
    assert read == (Category("farming", 7, -1, ("plough*", "sow")), *DEFAULT)


def test_a_default_is_changed_key_by_key() -> None:
    read = windows_of(given_windows("[windows.browser]\nN = 2"))
    was = next(category for category in DEFAULT if category.name == "browser")
    assert read[0] == Category("browser", 2, was.W, was.tools)
    assert [category.name for category in read].count("browser") == 1
    assert windows_of(Settings()) == DEFAULT


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[windows.coding]\nN = -1", "windows.coding.N"),
        ("[windows.coding]\nW = -2", "windows.coding.W"),
        ("[windows.coding]\nN = true", "windows.coding.N"),
        ('[windows.coding]\nN = "5"', "windows.coding.N"),
        ("[windows.coding]\nsize = 5", "windows.coding.size"),
        ("[windows.coding]\ntools = 5", "windows.coding.tools"),
        ('[windows.coding]\ntools = ["a", 5]', "windows.coding.tools"),
        ("[windows.mine]\nN = 5\nW = 3", "windows.mine.tools is missing"),
        ("[windows]\ncoding = 8", "[windows.coding] on a line of its own"),
    ],
)
def test_what_cannot_be_meant_is_one_line_that_names_the_key(text: str, key: str) -> None:
    with pytest.raises(InputError) as error:
        windows_of(given_windows(text))
    assert key in str(error.value)
    assert "\n" not in str(error.value)


# -- the kind of work ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tools", "name"),
    [
        (["Bash", "Read", "Edit", "Grep"], "coding"),
        (["exec_command", "apply_patch", "shell"], "coding"),
        (["execute_bash", "str_replace_editor"], "coding"),
        (["browser_click", "browser_navigate", "page_snapshot"], "browser"),
        (["mcp__playwright__browser_click", "fill_form", "browser_type"], "browser"),
        (["web_search", "fetch_url", "arxiv_lookup"], "research"),
        (["open_form", "create_expense_record", "find_customer"], "business"),
        (["WebSearch", "Read", "Bash", "Bash"], "coding"),
    ],
)
def test_the_kind_that_most_calls_speak_for(tools: list[str], name: str) -> None:
    found = most_used(tools)
    assert found is not None
    assert found.name == name


def test_tools_that_nobody_knows_speak_for_none() -> None:
    assert most_used(["zork", "xyzzy"]) is None
    assert most_used([]) is None


def test_it_is_decided_once() -> None:
    """Whatever is called after the first calls."""
    history = used(*["bash"] * (DECIDES - 1))
    assert category_of(history) is None
    for message in list(used(*["bash"] * DECIDES))[len(history) :]:
        history.append(message)
    found = category_of(history)
    assert found is not None
    assert found.name == "coding"
    whole = used(*["bash"] * DECIDES, *["browser_click"] * 40)
    for message in list(whole)[len(history) :]:
        history.append(message)
    assert category_of(history) is found
    assert category_of(whole) is found


# -- prune ---------------------------------------------------------------------------------------


def test_the_spec_says_it_and_says_it_again() -> None:
    policy = parse_policy("prune:category=auto,N=2")
    assert policy == Prune(2, 3, "auto")
    assert parse_policy(spec_of(policy)) == policy
    assert Prune().category is None  # only when asked for


def test_n_and_w_are_those_of_the_kind() -> None:
    clicks = used(*["browser_click"] * 30)
    assert pairs(Prune(category="auto"), clicks) == 4
    assert pairs(Prune(category="auto"), used(*["bash"] * 30)) == 8
    assert pairs(Prune(category="coding"), clicks) == 8
    assert pairs(Prune(2, 0, "auto"), used(*["zork"] * 30)) == 2
    assert Prune(category="browser").plan(clicks, LARGE) == Prune(4, 3).plan(clicks, LARGE)


def test_an_unknown_kind_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"category 'cooking' is unknown; there are auto, coding"):
        Prune(category="cooking").plan(used("bash"), LARGE)


def test_settings_give_the_windows() -> None:
    settings = given_windows("[windows.coding]\nN = 2")
    policy = configured(parse_policy("prune:category=auto"), settings)
    assert isinstance(policy, Prune)
    assert pairs(policy, used(*["bash"] * 30)) == 2
    plain = configured(parse_policy("prune:N=9"), settings)
    assert plain == Prune(9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["bash", "browser_click", "web_search", "zork"]), max_size=25),
    st.integers(0, 15),
)
def test_turn_by_turn_gives_what_a_new_reading_gives(tools: list[str], n: int) -> None:
    """Pure and monotone: no message comes back, and the way there does not matter."""
    policy = Prune(n, 2, "auto")
    whole = used(*tools)
    grown = History([whole[0]], dialect="anthropic", model=whole.model)
    at = Projection(grown, CHARS)
    gone: set[int] = set()
    for number in range(1, len(whole)):
        grown.append(whole[number])
        at = policy.plan(grown, LARGE, at).projection
        now = set(range(len(grown))) - set(at.sources)
        assert gone <= now
        gone = now
        fresh = policy.plan(History(list(grown), dialect="anthropic"), LARGE).projection.context()
        assert at.context().messages == fresh.messages
        assert validate(fresh.messages, "anthropic") == ()
        again = policy.plan(grown, LARGE, at)
        assert again.edits == () or policy.plan(grown, LARGE, again.projection).after == again.after
