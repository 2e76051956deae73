"""Search: Japanese and other scripts, phrases, ranking, hostile queries; on both databases."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.stores import KINDS, Backend, backend, backend_of, store
from trimtab.store.protocol import Hit, Indexed, Store

__all__ = ["backend", "store"]  # fixtures

TEXTS = [
    "来年度の予算案を国会に提出する。上限は200万円、承認後に実行。",
    "The deployment failed: max_retries=5 exceeded in src/app/server.py line 42",
    "会議は東京都で行う。ＡＢＣ社のサーバー設定を確認。ﾊﾝｶｸのｶﾞｲﾄﾞ",
    "Café naïve résumé; the error was at /var/log/app.log",
    "国",
    "한국어 문서 검색",
    "ภาษาไทยไม่มีช่องว่าง",
    "予 算 は ば ら ば ら",
    "Übergröße STRASSE",
    "deployment deployment deployment of the deployment",
]


def fill(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    store.append(
        "one", 0, [("message", b"")] * len(TEXTS),
        texts=[Indexed("one", n, n + 100, "", text) for n, text in enumerate(TEXTS)],
    )  # fmt: skip


@pytest.fixture(scope="module", params=KINDS)
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """A store with the texts; no test writes to it."""
    with backend_of(request.param, tmp_path_factory.mktemp("search")).open() as store:
        fill(store)
        yield store


def found(store: Store, query: str) -> set[int]:
    return {hit.seq for hit in store.search(query)}


@pytest.mark.parametrize(
    ("query", "seqs"),
    [
        ("予算", {0}),  # a word of two characters, in the middle of a run
        ("算案", {0}),
        ("予算案を国会", {0}),
        ("予案", set()),  # neighbours only
        ("国会 予算", {0}),
        ("国", {0, 4}),  # one character: within a run, and alone
        ("会", {0, 2}),
        ("る", {0}),  # the last of a run
        ("東京", {2}),
        ("京都", {2}),
        ("サーバー", {2}),
        ("ｻｰﾊﾞｰ", {2}),  # half-width kana
        ("ハンカク", {2}),
        ("ガイド", {2}),
        ("カイト", set()),  # voicing marks tell words apart
        ("abc社", {2}),
        ("ＡＢＣ", {2}),
        ("２００万円", {0}),
        ("200万円", {0}),
        ("予　算", {0, 7}),  # a wide space is a space: two words
        ('"予 算"', {7}),
        ("문서", {5}),
        ("국어", {5}),
        ("ไทย", {6}),
        ("max_retries", {1}),
        ("MAX RETRIES", {1}),
        ("src/app/server.py", {1}),
        ("server.py:42", set()),
        ('"line 42"', {1}),
        ('"42 line"', set()),
        ('"failed max retries"', {1}),
        ("“line 42”", {1}),
        ("cafe", {3}),
        ("CAFÉ resume", {3}),
        ("cafe\u0301", {3}),
        ("strasse", {8}),
        ("straße", {8}),
        ("übergrösse", {8}),
        ("log error", {3}),
        ("error nowhereword", {3}),  # none has all words: those with any
        ("deploy", set()),  # whole words
        ("", set()),
        ("   ", set()),
        ("!?*", set()),
    ],
)
def test_what_is_found(filled: Store, query: str, seqs: set[int]) -> None:
    assert found(filled, query) == seqs


def test_a_hit_says_where_it_is(filled: Store) -> None:
    (hit,) = filled.search("max_retries")
    assert (hit.session, hit.seq, hit.turn, hit.block) == ("one", 1, 101, "")
    assert "max_retries=5" in hit.text
    assert hit.score > 0


def test_hits_are_ranked(filled: Store) -> None:
    hits = filled.search("deployment")
    assert [hit.seq for hit in hits] == [9, 1]
    assert hits[0].score > hits[1].score
    assert [hit.seq for hit in filled.search("deployment", limit=1)] == [9]
    assert filled.search("deployment", limit=0) == []


def test_a_search_can_be_of_one_session(store: Store) -> None:
    fill(store)
    for id in ("two", "11", "1"):
        store.create_session(id, dialect="neutral", model=None)
        store.append(id, 0, [("message", b"")], texts=[Indexed(id, 0, 0, "", "予算 deployment")])
    assert {hit.session for hit in store.search("予算")} == {"one", "two", "11", "1"}
    for id in ("one", "two", "11", "1"):
        assert {hit.session for hit in store.search("予算", session=id)} == {id}
        assert {hit.session for hit in store.search("deployment none", session=id)} == {id}
    # The session's number stands in SQLite's index: it is no word of the text.
    assert {hit.seq for hit in store.search("1")} == set()


HOSTILE = [
    '"', '""', '"""', '"a', 'a"b"c', "'", "''", "a'b", "\\", "\\'", "a\\", "*", "a*", "^a", "a:b",
    "words:a", "session:1", "{words}:a", "NEAR(a b, 2)", "a AND", "AND", "OR OR", "NOT a", "a NOT",
    "(", ")", "(a", "a)", "a+b", "a & b", "a | b", "!a", "a <-> b", "a:*", ":*", "%", "_", "?",
    "%s", "$1", "{}", ";", "--", "/* */", "\0", "a\0b", "\ud800", "a\udfffb", "\n\t", "\u3000",
    "\u202e", "\ufeff", "👍", "é" * 3000, "a " * 3000, "予" * 3000, "x" * 100_000, "\u0301",
    "ﷺ" * 500,    "İstanbul ıI", "ǅ", "①②", "½", "x²",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_is_an_error(filled: Store, query: str) -> None:
    for asked in (query, f"予算 {query}", f"{query}deployment", f'"{query}" line'):
        assert all(isinstance(hit, Hit) for hit in filled.search(asked))
        filled.search(asked, session="one")


def test_any_text_can_be_indexed_and_removed_again(store: Store) -> None:
    for number, text in enumerate(HOSTILE):
        store.create_session("one", dialect="neutral", model=None)
        words = f"{text} ankerwort"
        store.append("one", 0, [("message", b"")], texts=[Indexed("one", 0, 0, "", words)])
        assert len(store.search("ankerwort")) == 1, number
        store.delete_session("one")
        assert store.search("ankerwort") == [], number
    assert store.check() == []


def test_words_are_found_anywhere_in_a_long_text(store: Store) -> None:
    rng = random.Random(3)
    filler = [f"w{rng.randrange(5000)}" for _ in range(30_000)]
    for place, word in [(0, "anfang"), (12_345, "mitte punkt"), (29_999, "ende")]:
        filler[place] = word
    store.create_session("one", dialect="neutral", model=None)
    text = " ".join(filler)
    store.append(
        "one", 0, [("message", b"")] * 2,
        texts=[Indexed("one", 0, 0, "", text), Indexed("one", 1, 0, "", "予算" * 30_000 + "終")],
    )  # fmt: skip
    for query in ("anfang", '"mitte punkt"', "ende", filler[777]):
        hits = store.search(query)
        assert [hit.seq for hit in hits] == [0], query  # once, though it is kept in pieces
        assert query.strip('"') in hits[0].text
    assert found(store, "算終") == {1}
    assert found(store, "終") == {1}


def test_a_phrase_across_the_pieces_of_a_text(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    words = [f"a{n}" for n in range(6_000)]
    store.append("one", 0, [("message", b"")], texts=[Indexed("one", 0, 0, "", " ".join(words))])
    for n in range(0, 5_990, 7):
        assert found(store, f'"{words[n]} {words[n + 1]} {words[n + 2]}"') == {0}, n


def test_of_a_word_that_is_everywhere_the_newest_are_found(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    count = 5_000
    texts = ["rare common", "common"] * (count // 2)
    store.append(
        "one", 0, [("message", b"")] * count,
        texts=[Indexed("one", n, n, "", text) for n, text in enumerate(texts)],
    )  # fmt: skip
    hits = store.search("common", limit=50)
    assert len(hits) == 50
    assert min(hit.seq for hit in hits) >= count - 1_000
    assert len(store.search("common", session="one", limit=5)) == 5
    assert len(store.search("rare", limit=5)) == 5


def test_a_snippet_shows_what_was_found(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    long = "あいうえお\n" * 40
    texts = [
        long + "ここに予算案がある。" + long,
        "x " * 500 + "Needle_in\t\n the   haystack " + "y " * 500,
        long + "ＡＢＣ＿ＤＥＦ" + long,
    ]
    store.append(
        "one", 0, [("message", b"")] * 3,
        texts=[Indexed("one", n, 0, "", text) for n, text in enumerate(texts)],
    )  # fmt: skip
    for query, shown in [
        ("予算案", "予算案"),
        ("案", "案"),
        ('"needle in the haystack"', "Needle_in the haystack"),
        ("abc_def", "ＡＢＣ＿ＤＥＦ"),
    ]:
        (hit,) = store.search(query)
        assert shown in hit.text, query
        assert len(hit.text) < 220
        assert "\n" not in hit.text
        assert hit.text.startswith("…")
        assert hit.text.endswith("…")


def test_a_hit_names_its_block(backend: Backend) -> None:
    store = backend.open()
    store.create_session("one", dialect="neutral", model=None)
    id = store.put_block(b"the text of the block")
    store.append(
        "one", 0, [("edit", b"")], texts=[Indexed("one", 0, 7, id, "the text of the block")]
    )
    (hit,) = store.search("block")
    assert hit.block == id
    assert store.get_block(hit.block) == b"the text of the block"
