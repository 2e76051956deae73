"""What a call costs: arithmetic by hand, names in all their dresses, one's own prices."""

from __future__ import annotations

import decimal
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.errors import UsageError
from trimtab.history.message import Usage
from trimtab.pricing import Money, Price, PriceTable, cost, price_of, price_table, read_overrides
from trimtab.pricing.snapshot import load_snapshot
from trimtab.session import Session
from trimtab.session_log import TurnUsage

LONG_AGO = date(2025, 1, 1)
LATE = date(2026, 11, 30)


def priced(model: str, at: date | None = LATE) -> Price:
    price = price_of(model, at)
    assert price is not None, model
    return price


def dollars(money: Money) -> str:
    return f"{money.total.normalize():f}"


# -- the arithmetic, by hand ----------------------------------------------------------------------


def test_sonnet_by_hand() -> None:
    """100,000 sent, of which 80,000 read and 10,000 written; 1,000 answered."""
    spent = cost(Usage(10_000, 80_000, 10_000, 1_000), priced("claude-sonnet-4-5"))
    assert spent == Money(
        input=Decimal("0.03"),  # 0.01 M at $3
        cache_read=Decimal("0.024"),  # 0.08 M at $0.30
        cache_write=Decimal("0.0375"),  # 0.01 M at $3.75
        output=Decimal("0.015"),  # 0.001 M at $15
    )
    assert dollars(spent) == "0.1065"
    assert str(spent) == "$0.1065"


def test_an_hour_in_the_cache_costs_twice_the_input() -> None:
    price = priced("claude-sonnet-4-5")
    spent = cost(Usage(cache_write=10_000), price, cache_write_1h=4_000)
    # 0.006 M at $3.75 and 0.004 M at $6
    assert dollars(spent) == "0.0465"
    for wrong in (-1, 10_001):
        with pytest.raises(ValueError, match="for an hour"):
            cost(Usage(cache_write=10_000), price, cache_write_1h=wrong)


@pytest.mark.parametrize(
    ("model", "read", "written", "hour"),
    [
        ("claude-sonnet-4-5", "0.1", "1.25", "2"),
        ("claude-opus-4-7", "0.1", "1.25", "2"),
        ("claude-haiku-4-5", "0.1", "1.25", "2"),
        ("claude-sonnet-5", "0.1", "1.25", "2"),
        # The newest read at a twentieth, or a fortieth.
        ("claude-opus-5-5", "0.05", "1.25", "2"),
        ("claude-fable-5-2", "0.025", "1.25", "2"),
        # OpenAI: no surcharge on writes before GPT-5.6, then 1.25; no lifetime of an hour.
        ("gpt-5", "0.1", "1", "1"),
        ("gpt-5.6-sol", "0.1", "1.25", "1.25"),
    ],
)
def test_the_published_multipliers_of_the_input_price(
    model: str, read: str, written: str, hour: str
) -> None:
    price = priced(model)
    assert price.cache_read / price.input == Decimal(read)
    assert price.cache_write_5m / price.input == Decimal(written)
    assert price.cache_write_1h / price.input == Decimal(hour)


def test_a_long_context_is_charged_at_its_tier_with_its_answer() -> None:
    price = priced("claude-sonnet-4-5")
    # Cached tokens count towards the tier; exactly 200,000 is not above it.
    at = cost(Usage(50_000, 150_000, 0, 1_000), price)
    above = cost(Usage(50_001, 150_000, 0, 1_000), price)
    assert dollars(at) == "0.21"  # 0.05 x 3 + 0.15 x 0.3 + 0.001 x 15
    assert dollars(above) == "0.412506"  # 0.050001 x 6 + 0.15 x 0.6 + 0.001 x 22.5
    assert price.rates(200_000) is price


def test_two_tiers() -> None:
    price = priced("openrouter/qwen/qwen3-coder-flash")
    assert [tokens for tokens, _ in price.tiers] == [32_000, 128_000]
    found = [price.rates(context).input for context in (32_000, 32_001, 128_000, 128_001)]
    assert found == [Decimal(rate) for rate in ("0.195", "0.325", "0.325", "0.52")]


def test_gpt_by_hand() -> None:
    """OpenAI's example shape: 120 sent of which 100 cached, 7 answered, at $1.25/0.125/10."""
    assert dollars(cost(Usage(20, 100, 0, 7), priced("gpt-5"))) == "0.0001075"


COUNTS = st.integers(0, 10**10)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS)


@given(st.lists(USAGES, max_size=20))
def test_sums_are_exact_in_any_order(usages: list[Usage]) -> None:
    price = priced("openrouter/qwen/qwen3.7-flash")
    costs = [cost(usage, price) for usage in usages]
    there = sum(costs, Money())
    back = sum(reversed(costs), Money())
    assert there == back
    assert there.total == sum((one.total for one in costs), Decimal(0))


@given(USAGES)
def test_the_callers_precision_does_not_matter(usage: Usage) -> None:
    price = priced("claude-haiku-4-5")
    charged = (
        (usage.input, price.input),
        (usage.cache_read, price.cache_read),
        (usage.cache_write, price.cache_write_5m),
        (usage.output, price.output),
    )
    expected = sum(tokens * Fraction(rate) / 10**6 for tokens, rate in charged)
    with decimal.localcontext() as context:
        context.prec = 3
        total = cost(usage, price).total
    assert Fraction(total) == expected


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "seller", "rate"),
    [
        ("claude-sonnet-4-5", "anthropic", "3"),
        ("claude-sonnet-4-5-20250929", "anthropic", "3"),
        ("Claude-Sonnet-4-5", "anthropic", "3"),
        ("anthropic/claude-sonnet-4.5", "anthropic", "3"),
        ("claude-sonnet-4-5[1m]", "anthropic", "3"),
        ("claude-opus-4-7[1m]", "anthropic", "5"),
        ("claude-haiku-4-5@20251001", "anthropic", "1"),
        ("my-gateway/claude-opus-4-7", "anthropic", "5"),
        ("azure/claude-opus-4-7", "anthropic", "5"),
        ("openrouter/anthropic/claude-sonnet-4.5", "openrouter", "3"),
        ("openrouter/anthropic/claude-sonnet-4.5:thinking", "openrouter", "3"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "aws", "3"),
        # A region costs a tenth more than the global route.
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws", "3.3"),
        ("bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws", "3"),
        ("bedrock/us-east-1/anthropic.claude-3-5-sonnet-20240620-v1:0", "aws", "3"),
        ("vertex_ai/claude-sonnet-4@20250514", "google", "3"),
        ("gpt-4o", "openai", "2.5"),
        ("gpt-4o-2024-05-13", "openai", "5"),
        ("gpt-5.2-20251211", "openai", "1.75"),
        ("gpt-5.2-2027-01-01", "openai", "1.75"),
        ("azure/gpt-5", "openai", "1.25"),
        ("ft:gpt-4o-2024-08-06:organisation::id", "openai", "3.75"),
        ("models/gemini-2.5-pro", "google", "1.25"),
        ("gemini/gemini-2.5-pro", "google", "1.25"),
        ("grok-4", "x-ai", "3"),
        ("glm-4.6", "zai", "0.6"),
        ("kimi-k2-0905-preview", "moonshotai", "0.6"),
        ("groq/llama-3.3-70b-versatile", "groq", "0.59"),
        ("qwen/qwen3-coder", "openrouter", "0.3"),
    ],
)
def test_names_in_their_dresses(model: str, seller: str, rate: str) -> None:
    price = priced(model)
    assert (price.seller, price.input) == (seller, Decimal(rate))


@pytest.mark.parametrize(
    "model",
    [
        None,
        "",
        " ",
        "/",
        "claude",
        "opus",
        "<synthetic>",
        "claude-opus-9",
        "claude-opus-4-10",  # not the next digit of 4.1
        "gpt-99",
        "my-own-model",
        "qwen/qwen3-coder:free",  # what is free today is billed tomorrow
        "text-embedding-3-large",  # half a price: nothing for an answer
        "whisper-1",
        # Open weights on a host that is not in the data.
        "ollama/deepseek-r1",
        "hosted_vllm/kimi-k2",
        "groq/claude-sonnet-4-5",
    ],
)
def test_the_unknown_has_no_price_and_no_cost(model: str | None) -> None:
    assert price_of(model, LATE) is None
    assert TurnUsage(1, model, Usage(1_000_000)).cost is None


@given(st.text(max_size=40))
def test_any_text_is_a_name(text: str) -> None:
    price = price_of(text, LATE)
    assert price is None or price.input > 0


def test_nothing_in_the_snapshot_is_free() -> None:
    snapshot = load_snapshot()
    for seller in snapshot.sellers:
        for row, _ in snapshot.rows(seller):
            for at in (LONG_AGO, LATE):
                price = snapshot.price(row, at)
                if price is not None:
                    assert min(price.input, price.output) > 0, row


# -- when -----------------------------------------------------------------------------------------


def test_a_price_that_changed() -> None:
    before, after = date(2026, 3, 12), date(2026, 3, 13)
    assert [tokens for tokens, _ in priced("claude-sonnet-4-6", before).tiers] == [200_000]
    assert priced("claude-sonnet-4-6", after).tiers == ()
    assert [priced("o3", at).input for at in (LONG_AGO, LATE)] == [Decimal(10), Decimal(2)]


def test_a_price_that_goes_by_the_hour() -> None:
    def at(hour: int) -> Decimal:
        return priced("deepseek-flash", datetime(2026, 11, 30, hour, 0, tzinfo=UTC)).input

    cheap, dear = Decimal("0.15"), Decimal("0.3")
    assert [at(hour) for hour in (0, 1, 3, 4, 6, 9, 10, 23)] == [
        cheap, dear, dear, cheap, dear, dear, cheap, cheap,
    ]  # fmt: skip
    # A day without an hour: never too low, even where the dear hours are the longer ones.
    assert priced("deepseek-flash").input == dear
    assert priced("deepseek-chat").input == Decimal("0.27")
    assert price_of("deepseek-flash") is not None


# -- one's own prices -----------------------------------------------------------------------------

OWN = """
[prices."claude-sonnet-4-5"]
input = 2.7
output = 13.5
cache_read = 0.27

[prices."my-own-model"]
input = 0.1
output = 0
window = 32_000

[[prices."my-own-model".above]]
tokens = 16_000
input = 0.2
output = 0.3
"""


def own() -> PriceTable:
    return price_table().with_override(tomllib.loads(OWN)["prices"], "trimtab.toml: prices")


@pytest.mark.parametrize(
    "model",
    ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5-20250929", "Claude-Sonnet-4-5[1m]"],
)
def test_own_prices_come_first_in_every_dress(model: str) -> None:
    price = own().price_of(model)
    assert price is not None
    rates = (price.input, price.cache_read, price.cache_write_5m, price.cache_write_1h)
    # As written, not as the binary float: 2.7 is 2.7; what is not stated is as the input.
    assert rates == (Decimal("2.7"), Decimal("0.27"), Decimal("2.7"), Decimal("2.7"))
    assert price.tiers == ()
    assert price.source == 'trimtab.toml: prices."claude-sonnet-4-5"'


def test_own_prices_with_a_tier_and_without_cost() -> None:
    price = own().price_of("my-own-model")
    assert price is not None
    assert price.window == 32_000
    assert dollars(cost(Usage(16_000, output=5), price)) == "0.0016"
    assert dollars(cost(Usage(16_001, output=10), price)) == "0.0032032"


def test_the_snapshot_itself_is_not_changed_by_them() -> None:
    assert own().price_of("gpt-4o", LATE) == price_of("gpt-4o", LATE)
    assert priced("claude-sonnet-4-5").input == 3
    assert price_of("my-own-model") is None
    later = own().with_override({"my-own-model": {"input": 1, "output": "2.50"}})
    assert [later.price_of(m) is not None for m in ("my-own-model", "claude-sonnet-4-5")] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (3.0, "a table"),
        ({}, "input is missing"),
        ({"input": 1}, "output is missing"),
        ({"input": 1, "output": -1}, "output: a number"),
        ({"input": True, "output": 1}, "input: a number"),
        ({"input": float("nan"), "output": 1}, "input: a number"),
        ({"input": float("inf"), "output": 1}, "input: a number"),
        ({"input": "three", "output": 1}, "input: a number"),
        ({"input": 1, "output": 1, "cached": 1}, "no such key 'cached'"),
        ({"input": 1, "output": 1, "window": 0}, "window: a number of tokens"),
        ({"input": 1, "output": 1, "above": {}}, "above: a list"),
        ({"input": 1, "output": 1, "above": [{"input": 1, "output": 1}]}, "tokens: a number"),
        ({"input": 1, "output": 1, "above": [{"tokens": 5, "input": 1}]}, "output is missing"),
    ],
)
def test_what_is_wrong_with_an_own_price_is_said(entry: object, says: str) -> None:
    with pytest.raises(UsageError, match=says) as failure:
        read_overrides({"m": entry}, "trimtab.toml: prices")
    assert str(failure.value).startswith('trimtab.toml: prices."m"')


def test_own_prices_stated_twice_are_refused() -> None:
    entry = {"input": 1, "output": 1}
    with pytest.raises(UsageError, match="stated twice"):
        read_overrides({"Model": entry, "model[1m]": entry})


# -- a session's turn, and the load ---------------------------------------------------------------


def test_a_turn_knows_its_cost() -> None:
    turn = TurnUsage(1, "claude-sonnet-4-5-20250929", Usage(10_000, 80_000, 10_000, 1_000))
    assert turn.cost is not None
    assert dollars(turn.cost) == "0.1065"


def test_a_session_says_what_each_turn_cost(tmp_path: Path) -> None:
    session = Session(model="claude-sonnet-4-5", store=tmp_path / "s.db", budget=100_000)
    sent = {"input_tokens": 10_000, "cache_read_input_tokens": 80_000, "output_tokens": 1_000}
    for model in ("claude-sonnet-4-5-20250929", "claude-of-the-future"):
        session.append("Go on.")
        session.append(
            {
                "role": "assistant",
                "model": model,
                "content": [{"type": "text", "text": "Done."}],
                "usage": {**sent, "cache_creation_input_tokens": 10_000},
            }
        )
    known, unknown = (turn.cost for turn in session.usage())
    assert known is not None
    assert dollars(known) == "0.1065"
    assert unknown is None
    session.close()


def test_the_snapshot_is_read_on_first_use_and_fast() -> None:
    code = (
        "import sys, trimtab.pricing as p, trimtab.pricing.snapshot as s\n"
        "assert s.load_snapshot.cache_info().currsize == 0\n"
        "p.price_of('gpt-5')\n"
        "assert s.load_snapshot.cache_info().currsize == 1\n"
        "heavy = {'msgspec', 'click', 'rich', 'genai_prices', 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
