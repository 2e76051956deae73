"""Secrets are found in any text, replaced without harm to it, and never abort anything."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.secrets_made import TOKENS, WORD, Maker, joined, named_values, one_of_each
from trimtab.store.redaction import Secret, find_secrets, redacted, redacted_bytes

EACH = one_of_each()
PUBLIC_PART = {"webhook", "telegram-token", "terraform-token", "url-password", "azure-key"}
"""Kinds of which a part is no secret and stays: a host, a number, a name."""
AROUND = [
    "",
    " ",
    "key ",
    "key=",
    '"',
    "'",
    "`",
    "(",
    "<",
    "\n",
    "\t",
    "\\n",
    "\\\\n",
    "\\u003d",
    "%3D",
    "\x1b[32m",
    "\\u001b[1;31m",
    "鍵は",
    "…",
    "     7→",
]
"""What may stand directly before a token."""


# -- what is found ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "token"), EACH, ids=[f"{k}-{n}" for n, (k, _) in enumerate(EACH)])
def test_each_form_is_found_whatever_stands_before_it(kind: str, token: str) -> None:
    for before in AROUND:
        if kind in ("telegram-token", "terraform-token") and before.strip():
            continue  # the part before the secret is read too
        text = f"{before}{token} and more"
        (found,) = find_secrets(text)
        assert found.kind == kind
        assert found.end <= len(before) + len(token)
        if kind not in PUBLIC_PART:
            assert text[found.start : found.end] == token, before
        secret = text[found.start : found.end]
        assert secret not in redacted(text)
        assert redacted(text).endswith(" and more")


@pytest.mark.parametrize(("kind", "value", "line"), named_values())
def test_a_value_whose_name_says_it(kind: str, value: str, line: str) -> None:
    (found,) = find_secrets(line)
    assert (found.kind, line[found.start : found.end]) == (kind, value)
    assert redacted(line) == line.replace(value, f"[redacted: {kind}]")


def test_a_token_with_a_name_has_its_own_kind_and_is_found_once() -> None:
    token = TOKENS["github-token"][0](Maker())
    for line in (f"token={token}", f'"password": "{token}"', f"https://me:{token}@github.com/a/b"):
        assert [s.kind for s in find_secrets(line)] == ["github-token"]
        assert token not in redacted(line)


def test_a_key_cut_off_escaped_or_numbered() -> None:
    maker = Maker(3)
    whole = maker.pem(lines=6)
    lines = whole.splitlines()
    forms = {
        "cut off": "\n".join(lines[:5]),
        "numbered": "\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, 1)),
        "removed in a diff": "\n".join("-" + line for line in lines),
        "windows": whole.replace("\n", "\r\n"),
        "in JSON": json.dumps(whole)[1:-1],
        "in JSON in JSON": json.dumps(json.dumps(whole))[3:-3],
    }
    for name, text in forms.items():
        less = redacted(f"before\n{text}\nafter")
        assert "[redacted: private-key]" in less, name
        assert less.startswith("before"), name
        assert less.endswith("after"), name
        assert not any(line[:30] in less for line in lines[1:5]), name


@pytest.mark.parametrize(
    "text",
    [
        "the password is checked by check_password(user, password)",
        "password = get_password(user1)",
        "password = os.environ['PGPASSWORD']",
        "password: ${DB_PASSWORD1}",
        "token = response.json1.token2",
        'token = "your-token-123"',
        '"max_tokens": 4096, "total_tokens": 12345678',
        "next_token = tokens[position1]",
        "secret: 2026-01-02",
        "secret_file=/run/secrets/database1",
        "password=********",
        "api_key=xxxxxxxxxxxx1234",
        "api_key=EXAMPLE1234abcd",
        "https://user:password@host/",
        "http://localhost:8000/a@b",
        "task-" + "0123456789abcdef" * 2,
        "sk-fading-circle-of-many-words",
        "disk-" + "a1" * 20,
        "a sha256 of " + "0123456789abcdef" * 4,
        "commit " + "0123456789" * 4,
        "123e4567-e89b-42d3-a456-426614174000",
        "[redacted: github-token]",
        "password=[redacted: password]",
        "eyJ is how it begins",
        joined("-----BEGIN ", "PRIVATE KEY----- is its first line; then comes the key itself"),
        joined("-----BEGIN ", "PUBLIC KEY-----\n") + "A1b2" * 16,
    ],
)
def test_what_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []
    assert redacted(text) is text


def test_the_kinds_of_tokens_have_all_been_tried() -> None:
    from trimtab.store.redaction import _rules

    tokens, named = _rules()
    assert {rule.kind for rule in tokens} == set(TOKENS)
    assert {kind for _, kind in named} == {kind for kind, _, _ in named_values()}


def test_no_fixture_is_redacted_already() -> None:
    """A test on what is redacted would show nothing."""
    for _, token in EACH:
        assert "redacted" not in token
        assert len(set(token)) > 8
    assert len({token for _, token in EACH}) == len(EACH)


# -- what is left ----------------------------------------------------------------------------------

PIECES = st.one_of(
    st.text(max_size=30),
    st.sampled_from([token for _, token in EACH]),
    st.sampled_from([line for _, _, line in named_values()]),
    st.sampled_from([*AROUND, ": ", "=", "password=", "token: ", "Bearer ", "-----BEGIN ", "://"]),
    st.text(alphabet=WORD + "-_./+= \\\"'", max_size=60),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
def test_what_was_redacted_stays_as_it_is(text: str) -> None:
    less = redacted(text)
    assert redacted(less) == less


@given(TEXTS)
def test_found_places_are_in_order_and_apart(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= s.start < s.end <= len(text) for s in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert (redacted(text) is text) == (not found)


SECRETS = st.sampled_from(
    [(token, kind) for kind, token in EACH if kind not in PUBLIC_PART]
    + [(line, kind) for kind, _, line in named_values()]
)
WORDS = st.sampled_from(["and", "then it says", "鍵は", "42", "{}", "a@b.c", "src/app.py"])
BETWEEN = st.sampled_from(["\n", " \n", "\r\n", "\n\n", "\\n "])


@given(st.lists(st.tuples(SECRETS, WORDS, BETWEEN), max_size=8))
def test_of_many_secrets_each_is_found(parts: list[tuple[tuple[str, str], str, str]]) -> None:
    text = "".join(f"{words}{between}{secret}{between}" for (secret, _), words, between in parts)
    assert [s.kind for s in find_secrets(text)] == [kind for (_, kind), _, _ in parts]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.one_of(st.sampled_from(["password", "token", "text"]), TEXTS), inner)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value)


@given(JSON, st.booleans())
def test_json_stays_json_of_the_same_shape(value: object, ascii: bool) -> None:
    less = json.loads(redacted(json.dumps(value, ensure_ascii=ascii)))
    assert shape(less) == shape(value)


@given(st.one_of(st.binary(), TEXTS.map(lambda t: t.encode("utf-8", "surrogatepass"))))
def test_any_bytes(data: bytes) -> None:
    less = redacted_bytes(data)
    assert redacted_bytes(less) == less
    if not find_secrets(data.decode("utf-8", "surrogateescape")):
        assert less is data


def test_bytes_that_are_no_text_keep_what_is_no_secret() -> None:
    token = TOKENS["github-token"][0](Maker()).encode()
    assert redacted_bytes(b"\xff\x00 \xed\xa0\x80" + token + b"\xfe") == (
        b"\xff\x00 \xed\xa0\x80[redacted: github-token]\xfe"
    )


def test_places_are_those_of_the_text_as_given() -> None:
    """Where a letter is two when it is small, what follows would be found elsewhere."""
    value = Maker().of(WORD, 20)
    text = "İİİİ password=" + value
    assert find_secrets(text) == [Secret("password", len(text) - 20, len(text))]


# -- how long it takes -----------------------------------------------------------------------------


SLOW = {
    "prose": "The quick brown fox jumps over the lazy dog, then rests. ",
    "marks": "sk-" * 20 + " ",
    "long marks": "-sk-ant-api03" * 100,
    "jwt": "eyJ" * 400 + ".",
    "jwt parts": ".eyJaaaaaaaaaaa",
    "names": "password token secret api_key ",
    "names and values": "password=token=secret=" * 3,
    "urls": "://a:",
    "keys": "-----BEGIN RSA PRIVATE KEY-----\n",
    "a long key": "-----BEGIN PRIVATE KEY-----" + "A1b2C3d4" * 1000,
    "bodies": "-----BEGIN PRIVATE KEY-----\n" + ("A" * 64 + "\n") * 20,
    "escapes": "\\" * 50 + "n",
    "quotes": 'password="' * 3,
    "one run": "a1",
    "bearer": "bearer ",
    "slack": "xox",
    "telegram": "12345678:AA",
}


@pytest.mark.parametrize("name", SLOW)
def test_a_megabyte_of_anything_comes_to_an_end(name: str) -> None:
    """A trap would take minutes for a megabyte; `make bench` has the figures."""
    piece = SLOW[name]
    started = time.monotonic()
    find_secrets((piece * (1_000_000 // len(piece) + 1))[:1_000_000])
    assert time.monotonic() - started < 30
