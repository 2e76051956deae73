"""The measures, and policies side by side: the 12 records of the retention experiment."""

from __future__ import annotations

from dataclasses import asdict, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.errors import UsageError
from trimtab.evaluation import (
    Row,
    compare,
    reduction,
    required_retention,
    validity,
    verbatim_fidelity,
)
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.tokens import counter_for

LENGTHS = (23, 27, 18, 13, 18, 21, 17, 24, 27, 22, 17, 18)
REQUIRED = (1, 3, 6, 9)
RECORDS = (
    "台帳は変更せず、写しの上だけで作業を行うこと。",
    "会計係から、九月分の請求書が三件ほど合わないとの連絡。",
    "削除は必ず私が承認した後に行うこと。",
    "原因の候補は二つあります。",
    "まず九月分の請求書を一覧にしました。",
    "支払いは一件につき五万円を上限とすること。",
    "三件とも端数の丸め方が違いました。",
    "古い版では切り捨て、新しい版では四捨五入でした。",
    "報告は金曜の正午までに、経理課の共有棚へ必ず置くこと。",
    "丸め方を新しい版に合わせ、試験を足しました。",
    "試験はすべて通り、差額も零でした。",
    "残りは報告書を書いて、送るだけです。",
)
CHARS = counter_for(None, "chars")


def records() -> History:
    """The 12 records, 1, 3, 6 and 9 required."""
    return History(
        Message("user", (Text(text),), required=number in REQUIRED or None, dialect="neutral")
        for number, text in enumerate(RECORDS, start=1)
    )


def session() -> History:
    """A short session with one call, marked by the caller, in a provider's format."""
    return History(
        [
            Message("system", (Text("Be brief."),)),
            Message("user", (Text("Look at a.txt."),), required=True),
            Message("assistant", (ToolCall("c1", "read", {"path": "a.txt"}),)),
            Message("tool", (ToolResult("c1", (Text("word " * 80),)),)),
            Message("assistant", (Text("It says word."),)),
        ],
        dialect="openai",
    )


def test_the_records_are_those_of_the_experiment() -> None:
    assert tuple(map(len, RECORDS)) == LENGTHS
    assert Projection(records(), CHARS).size == 256
    required = [RECORDS[number - 1] for number in REQUIRED]
    assert len("\n".join(required)) == 92


@pytest.mark.parametrize(
    ("budget", "recent", "required"),
    [
        ("100%", (256, 1.0), (256, 1.0)),
        ("70%", (171, 0.5), (177, 1.0)),
        ("50%", (112, 0.25), (111, 1.0)),
        ("25%", (59, 0.0), None),
    ],
)
def test_retention_by_order_and_by_requirement(
    budget: str, recent: tuple[int, float], required: tuple[int, float] | None
) -> None:
    first, second = compare(
        records(), "r.jsonl", ["recent-first", "required-first"], [budget], unit="chars"
    )
    assert (first.used, first.required_retention) == recent
    if required is None:
        assert second.feasible is False
        assert second.needed == 92
        assert second.capacity == 64
    else:
        assert (second.used, second.required_retention) == required
    assert first.reduction == pytest.approx(1 - recent[0] / 256)


def test_an_infeasible_row_has_no_figures() -> None:
    (row,) = compare(records(), "r.jsonl", ["append"], ["91"], unit="chars")
    assert asdict(row) == {
        "file": "r.jsonl",
        "policy": "append",
        "budget": "91",
        "capacity": 91,
        "used": None,
        "reduction": None,
        "required_retention": None,
        "verbatim_fidelity": None,
        "valid": None,
        "feasible": False,
        "needed": 256,
    }


def test_rows_come_policy_by_policy() -> None:
    rows = compare(records(), "r", ["append", "truncate:messages=2"], ["100%", "300"], "chars")
    assert [(row.policy, row.budget, row.capacity) for row in rows] == [
        ("append", "100%", 256),
        ("append", "300", 300),
        ("truncate:messages=2", "100%", 256),
        ("truncate:messages=2", "300", 300),
    ]
    assert all(row.feasible and row.needed is None for row in rows)


@pytest.mark.parametrize(
    ("policies", "budgets", "unit"),
    [
        (["no-such"], ["100%"], "chars"),
        (["append"], ["lots"], "chars"),
        (["append"], ["5"], "ells"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    policies: list[str], budgets: list[str], unit: str
) -> None:
    with pytest.raises(UsageError):
        compare(records(), "r", policies, budgets, unit)


def test_a_model_decides_how_tokens_are_counted() -> None:
    sizes = {
        model: compare(session(), "s", ["append"], ["1m"], model=model)[0].used
        for model in ("gpt-4o", "claude-opus-4-7")
    }
    assert sizes["gpt-4o"] != sizes["claude-opus-4-7"]


# -- the measures -----------------------------------------------------------------------------


def test_reduction() -> None:
    assert reduction(200, 50) == 0.75
    assert reduction(100, 110) == pytest.approx(-0.1)
    assert reduction(0, 0) == 0.0


def test_a_cleared_item_is_kept_but_not_verbatim() -> None:
    kept = Projection(session(), CHARS)
    assert verbatim_fidelity(kept) == 1.0
    kept.apply([Edit("clear", 3, 4, (0,), "[gone]")])
    assert verbatim_fidelity(kept) == pytest.approx(4 / 5)
    kept.apply([Edit("drop", 4, 5)])
    assert verbatim_fidelity(kept) == pytest.approx(3 / 4)


def test_a_summary_is_no_kept_item() -> None:
    kept = Projection(session(), CHARS)
    kept.apply([Edit("drop", 2, 4), Edit("summarise", 2, 4, (), "a.txt was read")])
    assert verbatim_fidelity(kept) == 1.0


def test_what_is_required_may_leave_with_its_message() -> None:
    history = records()
    kept = Projection(history, CHARS)
    kept.apply([Edit("drop", 0, 1)])
    assert required_retention(history, kept) == 0.75


def test_what_is_required_may_leave_with_its_block() -> None:
    history = History(
        [Message("user", (Text("Never push."), Text("Hello.")), required=True)], dialect="neutral"
    )
    kept = Projection(history, CHARS)
    whole = required_retention(history, kept)
    kept.apply([Edit("drop", 0, 1, (0,))])
    assert whole == 1.0
    assert required_retention(history, kept) < 1.0


def test_a_summary_that_holds_it_word_for_word_keeps_it() -> None:
    history = records()
    kept = Projection(history, CHARS)
    kept.apply([Edit("drop", 0, 1), Edit("summarise", 0, 1, (), f"You said: {RECORDS[0]}")])
    assert required_retention(history, kept) == 1.0
    told = Projection(history, CHARS)
    told.apply([Edit("drop", 0, 1), Edit("summarise", 0, 1, (), "台帳は変更しないこと。")])
    assert required_retention(history, told) == 0.75


def test_nothing_required_is_nothing_lost() -> None:
    history = History([Message("assistant", (Text("Hi."),))])
    assert required_retention(history, Projection(history, CHARS)) == 1.0


def test_a_result_without_its_call_is_not_valid() -> None:
    history = session()
    kept = Projection(history, CHARS)
    assert not validity(history, kept.context())
    kept.apply([Edit("drop", 2, 3)])
    assert validity(history, kept.context())


@given(st.lists(st.tuples(st.booleans(), st.text(min_size=1, max_size=9)), min_size=1), st.data())
def test_rates_are_rates_and_the_budget_holds(
    items: list[tuple[bool, str]], data: st.DataObject
) -> None:
    history = History(Message("user", (Text(text),), required=required) for required, text in items)
    whole = Projection(history, CHARS).size
    budget = data.draw(st.integers(1, max(1, whole)))
    before = list(history)
    for row in compare(history, "f", ["recent-first", "required-first"], [str(budget)], "chars"):
        assert (row.needed is None) == row.feasible == (row.used is not None)
        if row.used is None:
            assert row.needed is not None
            assert row.needed > row.capacity
            continue
        assert row.used <= row.capacity == Budget(budget, "chars").available
        assert row.reduction == reduction(whole, row.used)
        assert row.required_retention is not None
        assert 0 <= row.required_retention <= 1
        assert row.verbatim_fidelity == 1.0
        assert row.valid
        if row.policy == "required-first":
            assert row.required_retention == 1.0
    assert list(history) == before


def test_the_fields_are_those_of_the_json_rows() -> None:
    names = (
        "file, policy, budget, capacity, used, reduction, required_retention, "
        "verbatim_fidelity, valid, feasible, needed"
    )
    assert ", ".join(field.name for field in fields(Row)) == names
