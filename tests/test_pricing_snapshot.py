"""The price snapshot against the package that it is generated from, and against our windows."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.metadata import requires, version
from pathlib import Path

import pytest

from scripts import refresh_prices
from trimtab.history.message import Usage
from trimtab.pricing import cost, price_table
from trimtab.pricing.snapshot import Snapshot, load_snapshot
from trimtab.tokens import window_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of pydantic's own, at import
    import genai_prices
    from genai_prices.data import providers

ROOT = Path(__file__).resolve().parent.parent
MOMENTS = [
    datetime(2025, 1, 1, 2, tzinfo=UTC),
    datetime(2026, 3, 13, 2, tzinfo=UTC),
    datetime(2026, 9, 15, 2, tzinfo=UTC),
    datetime(2026, 11, 30, 2, tzinfo=UTC),
    datetime(2026, 11, 30, 20, tzinfo=UTC),
]


# -- generated, dated, small ----------------------------------------------------------------------


def test_the_snapshot_says_when_and_from_what_it_is() -> None:
    table = price_table()
    assert date(2026, 11, 1) <= table.as_of <= datetime.now(UTC).date()
    assert table.source == f"genai-prices {version('genai-prices')}"
    price = table.price_of("gpt-5")
    assert price is not None
    assert price.source == f"{table.source}, {table.as_of}"


def test_the_snapshot_is_what_the_script_generates(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refresh_prices.main(["--check"]) == 0, capsys.readouterr().out
    text = refresh_prices.SNAPSHOT.read_text("utf-8")
    changed = tmp_path / "snapshot.json"
    changed.write_text(text.replace('"3 0.3 3.75 6 15"', '"3 0.3 3.75 6 16"', 1), "utf-8")
    monkeypatch.setattr(refresh_prices, "SNAPSHOT", changed)
    assert refresh_prices.main(["--check"]) == 1
    assert refresh_prices.main([]) == 0
    assert changed.read_text("utf-8").splitlines()[2:] == text.splitlines()[2:]


def test_the_snapshot_is_small_and_comes_with_its_licence() -> None:
    folder = refresh_prices.SNAPSHOT.parent
    assert refresh_prices.SNAPSHOT.stat().st_size < 300_000
    assert "Permission is hereby granted" in (folder / "LICENSE.genai-prices").read_text("utf-8")


def test_the_package_is_pinned_and_no_part_of_the_core() -> None:
    wanted = [line for line in requires("trimtab") or () if line.startswith("genai-prices")]
    assert wanted
    assert all("extra ==" in line and "==0." in line for line in wanted)


# -- the same answers as the package's ------------------------------------------------------------


def names(snapshot: Snapshot, seller: str) -> Iterator[str]:
    """All names that the data states for the seller's models."""
    for row, clauses in snapshot.rows(seller):
        yield row.model.lower()
        yield from (c[1:] for c in clauses if isinstance(c, str) and c[0] in "=^$*")


def sellers() -> list[str]:
    return sorted(load_snapshot().sellers)


@pytest.mark.parametrize("seller", sellers())
def test_every_name_and_price_is_as_in_the_package(seller: str) -> None:
    """Each name finds the same model; each usage costs the same, to the last digit, at any time."""
    snapshot = load_snapshot()
    theirs = next(provider for provider in providers if provider.id == seller)
    chance = random.Random(seller)
    compared = 0
    for name in dict.fromkeys(names(snapshot, seller)):
        row = snapshot.find(seller, name)
        model = theirs.find_model(name, all_providers=providers)
        assert (row and row.model) == (model and model.id), name
        if row is None or model is None:
            continue
        at = chance.choice(MOMENTS)
        price = snapshot.price(row, at)
        if price is None:
            rates = model.get_prices(at)
            assert rates.input_mtok is None or rates.output_mtok is None, name
            continue
        sizes = iter(chance.choices([0, 1_000, 90_000, 300_000], k=3))
        usage = Usage(next(sizes), next(sizes), next(sizes), chance.randrange(5_000))
        hour = 0 if "claude" in row.model else chance.randrange(usage.cache_write + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = model.calc_price(
                genai_prices.Usage(
                    input_tokens=usage.context,
                    cache_read_tokens=usage.cache_read,
                    cache_write_tokens=usage.cache_write,
                    cache_write_5m_tokens=usage.cache_write - hour,
                    cache_write_1h_tokens=hour,
                    output_tokens=usage.output,
                    output_reasoning_tokens=0,
                    output_citation_tokens=0,
                ),
                theirs,
                genai_request_timestamp=at,
            )
        # A price a request is no price of tokens.
        a_thousand = model.get_prices(at).requests_kcount or Decimal(0)
        assert isinstance(a_thousand, Decimal)
        fee = a_thousand / 1000
        assert cost(usage, price, cache_write_1h=hour).total == expected.total_price - fee, name
        compared += 1
    assert compared


@pytest.mark.parametrize("seller", ["anthropic", "aws", "google", "openrouter"])
def test_claude_written_for_an_hour_costs_what_the_package_says_or_twice_the_input(
    seller: str,
) -> None:
    snapshot = load_snapshot()
    theirs = next(provider for provider in providers if provider.id == seller)
    by_id = {model.id: model for model in theirs.models}
    stated = 0
    for row, _ in snapshot.rows(seller):
        price = snapshot.price(row, MOMENTS[-1])
        if price is None or "claude" not in row.model:
            continue
        given = by_id[row.model].get_prices(MOMENTS[-1])
        base = getattr(given.cache_write_1h_mtok, "base", given.cache_write_1h_mtok)
        if base is not None:
            stated += 1
            assert price.cache_write_1h == base
        elif given.cache_write_mtok is not None:
            assert price.cache_write_1h == 2 * price.input
    assert stated


# -- the windows ----------------------------------------------------------------------------------

MAKERS = ("anthropic", "openai", "google", "deepseek", "x-ai", "mistral", "moonshotai", "zai")

# The data rounds (1,000,000 for 1,048,576; 32,000 for 32,768): less than this is no difference.
ROUNDED = 0.05

# Where the hand-made table of `tokens/windows.py` says something else than the data, and why:
# models, what their names contain, the reason.
DIFFERENT = (
    (
        "gpt-5 gpt-5.1 gpt-5.2 gpt-5.5",
        ("-chat",),
        "the data puts the chat variants, whose windows are smaller, into their sibling's entry",
    ),
    (
        "gpt-5.3 gpt-5.4 gpt-5.4-pro gpt-5.5 gpt-5.5-pro gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra",
        ("gpt-5-",),
        "a dash for the point (`gpt-5-4`): ours does not read it so, and takes gpt-5's window",
    ),
    ("gpt-4o-mini-realtime-preview", ("",), "the data is right; a voice model, not for agents"),
    ("gemini-1.5-pro", ("",), "the data has the flash model's; the pro's was 2,097,152"),
    (
        "gemini-2.5-flash-lite-preview-tts gemini-2.5-flash-tts gemini-2.5-pro-tts",
        ("-tts",),
        "the data is right; ours takes the live models' window. Speech, not for agents",
    ),
    ("deepseek-chat deepseek-reasoner", ("",), "128k since V3.1; the data has the 64k before it"),
    ("codestral-embed-2505 mistral-ocr-2512", ("",), "embeddings and scans, not for agents"),
    ("ministral-3b-2512", ("",), "unsettled: ours is its larger siblings' window"),
    ("GLM-4.6V", ("",), "the data is right; ours has no line of its own for the vision model"),
)


def explained(model: str, name: str) -> bool:
    return any(
        model in models.split() and any(part in name for part in parts)
        for models, parts, _ in DIFFERENT
    )


def test_our_windows_do_not_contradict_the_data() -> None:
    snapshot = load_snapshot()
    differing = set()
    compared, unexplained = 0, []
    for seller in MAKERS:
        for row, clauses in snapshot.rows(seller):
            given = [c[1:] for c in clauses if isinstance(c, str) and c[0] in "=^"]
            for name in dict.fromkeys([row.model.lower(), *given]):
                ours = window_of(name)
                if ours is None or row.window is None:
                    continue
                compared += 1
                if abs(ours - row.window) > ROUNDED * row.window:
                    differing.add(row.model)
                    if not explained(row.model, name):
                        unexplained.append(f"{name}: {ours:,}, the data {row.window:,}")
    assert compared > 200
    assert unexplained == []
    listed = {model for models, _, _ in DIFFERENT for model in models.split()}
    assert sorted(listed - differing) == [], "these agree by now: take them off the list"
