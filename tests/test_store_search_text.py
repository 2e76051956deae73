"""How text is cut into words: rules that hold of every text."""

from __future__ import annotations

import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from trimtab.store.search_text import PIECE, Term, fold, pieces, query_of, words
from trimtab.store.snippet import snippet

JAPANESE = st.text(
    st.sampled_from("予算案国会議東京サーバー設定はをがぁ々〆ー"), min_size=1, max_size=12
)
MIXED = st.text(
    st.sampled_from("abcXYZ019 _-./\n\t\"'予算案国会ｱｶﾞＡ１éßΩЖ한국ไทย、。・　👍\0\ud800"),
    max_size=60,
)
ANY = st.text(st.characters(exclude_categories=()), max_size=40)


def holds(indexed: list[str], term: Term) -> bool:
    """Whether a database finds the term: its words side by side, the last perhaps only begun."""
    size = len(term.words)
    for start in range(len(indexed) - size + 1):
        run = indexed[start : start + size]
        last = run[-1].startswith(term.words[-1]) if term.begun else run[-1] == term.words[-1]
        if last and tuple(run[:-1]) == term.words[:-1]:
            return True
    return False


@given(MIXED, JAPANESE, MIXED)
def test_a_japanese_word_is_found_in_whatever_stands_around_it(
    before: str, word: str, after: str
) -> None:
    (term,) = query_of(word).terms
    assert holds(words(before + word + after), term)


@given(JAPANESE, JAPANESE)
def test_a_japanese_word_is_found_only_where_it_stands(text: str, word: str) -> None:
    (term,) = query_of(word).terms
    assert holds(words(text), term) == (fold(word) in fold(text))


@given(MIXED)
def test_a_quoted_text_is_found_in_itself(text: str) -> None:
    text = text.replace('"', " ")
    terms = query_of(f'"{text}"').terms
    assert len(terms) == (1 if words(text) else 0)
    for term in terms:
        assert holds(words(text), term)
        assert holds(words(f"before {text} after"), term)


@given(ANY)
def test_no_text_is_an_error_and_no_word_holds_a_sign(text: str) -> None:
    for word in words(text):
        assert word
        assert len(word) <= 64
        # Neither database cuts them again, and there is nothing to quote.
        assert not set(word) & set(" '\"\\:*&|!()<>-^{}\0\t\n")
        assert all(
            letter.isalnum() or unicodedata.category(letter)[0] in "MNL" for letter in word
        ) or (not word.isascii())
    for term in query_of(text).terms:
        assert term.words
    snippet(text, query_of(text))


@given(MIXED)
def test_case_and_width_make_no_difference(text: str) -> None:
    assume(all(letter not in text for letter in "ßΩ"))
    assert words(text.upper()) == words(text.lower()) == words(text)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert words(wide) == words(text)


@given(st.lists(st.sampled_from(["a", "予算", "b" * 30, "\n", " ", "x" * 9000]), max_size=2000))
def test_pieces_hold_all_of_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    cut = list(pieces(text))
    assert all(len(piece) <= PIECE for piece in cut)
    if len(text) <= PIECE:
        assert cut == [text]
    at = 0  # how far the text is covered without a gap
    for piece in cut:
        start = text.rfind(piece, 0, at + len(piece))  # the last place that leaves no gap
        assert start >= 0
        at = start + len(piece)
    assert at == len(text)
