"""Keys, tokens and passwords in text: where they are, and the text without them.

The rules are a table, `secret_rules.toml`. Literal beginnings are looked for first, and a pattern
is tried only where one stands, so that a megabyte takes about a tenth of a second.

Of the libraries for this, detect-secrets 1.5.0 (the newest, of May 2024) takes 1.9 seconds for that
megabyte, finds neither keys of Anthropic and Google nor GitHub's fine-grained and npm's bare
tokens, and tells of others (GitHub, GitLab, JWT) only how they begin, too little to replace them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_RULES = Path(__file__).with_name("secret_rules.toml")

_GLUED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
"""After these a token does not begin: it would be the rest of a longer word."""
_ESCAPE = re.compile(
    r"\\[nrtbfv0]$|\\u[0-9a-fA-F]{4}$|\\x[0-9a-fA-F]{2}$|%[0-9A-Fa-f]{2}$"
    r"|(?:\x1b|\\u001b|\\x1b|\\e|\\033)\[[\d;]{0,12}m$"
)
_LONGEST_ESCAPE = 20

_QUOTE = r"\\{0,16}[\"'`]"
_NAMED_VALUE = re.compile(
    rf"(?:{_QUOTE}\]?)?[ \t]{{0,4}}(?:=>|:=|={{1,2}}|:(?:[ \t]?str[ \t]?=)?)[ \t]{{0,4}}"
    rf"(?:(?:Bearer|Basic|Token)[ \t]+)?(?:{_QUOTE}(?P<quoted>[^\s\"'`\\<>]{{6,2000}})"
    r"|(?P<bare>[^\s\"'`\\<>()\[\]{},;|&=]{8,500}={0,2}))",
    re.I,
)
_SPACED_VALUE = re.compile(
    rf"[ \t]{{1,4}}(?:{_QUOTE})?(?P<bare>[^\s\"'`\\<>()\[\]{{}},;|&=]{{8,2000}}={{0,2}})"
)
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z_-]{0,30}$")
_LONGEST_OPTION = 34

_NO_SECRET = re.compile(
    r"^[$%{<@~]|^[./\\]|://|^(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*$|^\d{4}-\d\d-\d\d|\.{3}|…"
    r"|\*{3}|x{4}|^[\w.-]+@[\w.-]+\.\w+$|^-",
    re.I,
)
_NO_SECRET_WORDS = (
    "example",
    "placeholder",
    "your",
    "changeme",
    "change_me",
    "dummy",
    "redacted",
    "password",
    "secret",
    "token",
    "credential",
    "api_key",
    "apikey",
    "privatekey",
    "environ",
    "getenv",
    "process.env",
    "undefined",
)
_POOR_PASSWORDS = frozenset(
    ("password", "pass", "passwd", "pwd", "pw", "secret", "token", "user", "username", "xxx")
)
_BITS = 3.0
"""Per character, that a value made by chance has at the least."""
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_LOOKED_AT = 80
"""Characters of a value that tell whether it is one."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A key, token or password in a text.

    Args:
        kind: what it is, such as `github-token`.
        start, end: where it is: characters `start <= i < end`.
    """

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    inside: bool
    random: bool


def find_secrets(text: str) -> list[Secret]:
    """The keys, tokens and passwords in a text, in order; none overlaps another.

    Args:
        text: any text: prose, code, or JSON with its escapes.
    """
    tokens, named = _rules()
    found = [secret for rule in tokens for secret in _tokens(text, rule)]
    found += _named_values(text, named)
    return _apart(found)


def redacted(text: str) -> str:
    """The text with a placeholder, such as `[redacted: github-token]`, for each secret.

    What was redacted once stays as it is. JSON stays JSON: no quotation mark is touched.
    """
    while secrets := find_secrets(text):  # again: what stood beside a secret now stands alone
        pieces: list[str] = []
        at = 0
        for secret in secrets:
            pieces += (text[at : secret.start], f"[redacted: {secret.kind}]")
            at = secret.end
        text = "".join((*pieces, text[at:]))
    return text


def redacted_bytes(data: bytes) -> bytes:
    """The same for the bytes of a text. Bytes that are no UTF-8 are left as they are."""
    text = data.decode("utf-8", "surrogateescape")
    less = redacted(text)
    return data if less is text else less.encode("utf-8", "surrogateescape")


# -- tokens that say what they are -----------------------------------------------------------------


def _tokens(text: str, rule: _Token) -> Iterator[Secret]:
    for mark in rule.marks:
        at = text.find(mark)
        while at >= 0:
            next_at = at + len(mark)
            if rule.inside or _begins(text, at):
                match = rule.pattern.match(text, at)
                if match is not None:
                    start, end = match.span(match.lastindex or 0)
                    if _meant(match, rule, text[start:end]):
                        yield Secret(rule.kind, start, end)
                        next_at = end
            at = text.find(mark, next_at)


def _begins(text: str, at: int) -> bool:
    """A word may begin at this place: nothing is glued to it, or only an escape is."""
    if at == 0 or text[at - 1] not in _GLUED:
        return True
    return _ESCAPE.search(text[max(at - _LONGEST_ESCAPE, 0) : at]) is not None


def _meant(match: re.Match[str], rule: _Token, value: str) -> bool:
    user = match.groupdict().get("user")
    if user is not None:  # a URL
        poor = value.lower() in _POOR_PASSWORDS or value == user or len(set(value)) < 3
        return not poor and "***" not in value and "..." not in value
    return not rule.random or (_mixed(value) and _bits(value) >= _BITS)


# -- values with a name that says it ---------------------------------------------------------------


def _named_values(text: str, words: Iterable[tuple[str, str]]) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # only this letter becomes two
        lowered = text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "i").lower()
    for word, kind in words:
        at = lowered.find(word)
        while at >= 0:
            after = at + len(word)
            match = _NAMED_VALUE.match(text, after)
            if match is None and (word == "bearer" or _is_option(lowered, after)):
                match = _SPACED_VALUE.match(text, after)
            if match is not None:
                group = match.lastgroup or "bare"
                start, end = match.span(group)
                if group == "bare":
                    end = start + len(text[start:end].rstrip(".:!?"))
                if _is_secret(text, start, end, quoted=group == "quoted"):
                    yield Secret(kind, start, end)
                    after = end
            at = lowered.find(word, after)


def _is_option(lowered: str, end: int) -> bool:
    """The word that ends here is an option: `--api-key`."""
    return _OPTION.search(lowered[max(end - _LONGEST_OPTION, 0) : end]) is not None


def _is_secret(text: str, start: int, end: int, *, quoted: bool) -> bool:
    value = text[start : min(end, start + _LOOKED_AT)]
    if len(value) < (6 if quoted else 8) or not _mixed(value):
        return False
    if not quoted and text[end : end + 1] in ("(", "[", "{"):  # a call
        return False
    lowered = value.lower()
    if any(word in lowered for word in _NO_SECRET_WORDS):
        return False
    if _bits(value) < (_BITS if len(value) >= 10 else 2.5):
        return False
    return _NO_SECRET.search(value) is None


def _mixed(value: str) -> bool:
    """Letters and digits."""
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def _bits(value: str) -> float:
    """Shannon entropy, in bits per character."""
    length = len(value)
    counts = [value.count(c) for c in set(value)]
    return -sum(n / length * math.log2(n / length) for n in counts)


# -- both ------------------------------------------------------------------------------------------


def _apart(found: Iterable[Secret]) -> list[Secret]:
    """In order; of what overlaps, one that covers all of it, named as the one that begins first.

    A token that says what it is comes before a name that says so of the same characters.
    """
    apart: list[Secret] = []
    for secret in sorted(found, key=lambda s: s.start):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            apart.append(secret)
    return apart


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[_Token, ...], tuple[tuple[str, str], ...]]:
    import tomllib

    table = tomllib.loads(_RULES.read_text("utf-8"))
    tokens = tuple(
        _Token(
            rule["kind"],
            tuple(rule["marks"]),
            re.compile(rule["pattern"]),
            rule.get("inside", False),
            rule.get("random", False),
        )
        for rule in table["token"]
    )
    named = tuple((word, rule["kind"]) for rule in table["named"] for word in rule["words"])
    return tokens, named
