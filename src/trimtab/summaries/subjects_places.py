"""How a value stands in its clause: what it is the value of, or whether it names the subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.summaries.subjects_clauses import Clause
from trimtab.summaries.subjects_tokens import GENERIC, canonical
from trimtab.summaries.subjects_values import Value

ROLES = (
    ("oncall", "oncall"),
    ("supportduty", "support"),
    ("approve", "approver"),
    ("review", "reviewer"),
    ("maintainer", "maintainer"),
    ("owner", "owner"),
)
"""Canonical word -> the role that it stands for."""
_CREDENTIALS = frozenset(("code", "password", "token", "key", "secret", "credential"))
_CALLED = re.compile(
    r"\b(?:call(?:ed|ing)?|nam(?:e|ed)|known as|refer(?:red)? to|design?at(?:ed|ion))\b", re.I
)
_THING = re.compile(r"\b(?:project|effort|initiative|product)\b", re.I)
_VERB = re.compile(
    r"\b(?:is|are|was|has|have|will|must|should|may|can|lives?|runs?|listens?|needs?|requires?"
    r"|moved|changed"
    r"|takes?|goes|stays?|ships?|starts?|ends?|expires?|launches|opens|closes|arrives|leaves"
    r"|meets|passes|shows"
    r"|returns|adds|supports|introduces|broke|fixed|failed|passed|costs?|contains?|uses?"
    r"|depends?)\b|[はがも]|:\s|→|->",
    re.I,
)
_THEN_VERB = re.compile(
    r"\s*(?:now\s+|also\s+|still\s+)?(?:$|[.,;:]|\b(?:is|are|was|has|have|will|must|should|may"
    r"|can|costs?|needs?|takes?|goes|stays?|lists?|runs?"
    r"|ships?|starts?|ends?|expires?|launches|opens|closes|arrives|leaves|passes|shows|returns"
    r"|adds|supports)\b)"
)
_PREDICATE = re.compile(
    r"\s*(?:(?:is|will be|becomes|as of \w+ is)\s+(?:now\s+)?(?:the|our|my|your)\b"
    r"|(?:has |have )?(?:taken|takes?|took) over as\b|(?:now )?(?:serves|acts) (?:now )?as\b)",
    re.I,
)
_AT_NAME = re.compile(
    r"(?:\b(?:is|are|be|to|in|at|by|with|as|from|of|into|called|named|uses?|using|via|on"
    r"|through|choose|pick|select"
    r"|prefer|against|follow|for|under|run|file|folder|onto|visit|call)|[:=])\s*(?:(?:now|the"
    r"|our|my)\s+)*(?:\w+\s)?$",
    re.I,
)
_AT_STATE = re.compile(r"(?:\b(?:is|are|be|been|now|still|status|marked|as)|:)[\s\"'*]*$", re.I)


def attribute_of(value: Value, tokens: Sequence[str], clause: Clause) -> tuple[str, str, bool]:
    """The attribute, the kind under which values compare, and whether the words make it sure."""
    kind = value.kind
    hexes = kind == "commit" or (kind in ("code", "number") and value.end - value.start >= 7)
    if hexes and "commit" in tokens:
        return ("commit", "commit", not is_subject(clause.text, value))
    if kind == "ident":
        kind = "code"
    if kind == "commit":
        return ("commit", "commit", False)
    if kind in ("path", "code", "name", "quoted", "number") and _near_branch(clause.text, value):
        return ("branch", "branch", not clause.forbids)
    if kind == "number" and ("port" in tokens or _at_port(clause.text, value)):
        return ("port", "port", not clause.forbids)
    if kind in ("code", "quoted") and _CREDENTIALS.intersection(tokens):
        return ("credential", "credential", True)
    if kind == "number" and {"code", "password"}.intersection(tokens):
        return ("credential", "credential", True)
    called = "codename" in tokens or (_CALLED.search(clause.text) and _THING.search(clause.text))
    if called and kind in ("code", "name", "quoted"):
        return ("codename", "codename", not clause.forbids)
    if kind == "name" and _style(clause.text, value):
        return ("", "style", True)
    if kind in ("name", "email"):
        for word, role in ROLES:
            if word in tokens:
                return (role, "person", True)
    if kind == "money":
        spend = "budget" in tokens or "maximum" in tokens
        return ("spend" if spend else "", kind, False)
    if kind == "date":
        return ("date", kind, False)
    return ("", kind, False)


_BRANCH = r"\bbranch\b(?! (?:office|manager|director|bank|library|location|store)s?\b)"


def _near_branch(text: str, value: Value) -> bool:
    """Whether a word speaks of the value as a branch."""
    before, after = text[: value.start].lower(), text[value.end :].lower()
    return bool(
        re.search(
            rf"(?:{_BRANCH}|ブランチ)\W*(?:\w+\W+){{0,6}}?$|ブランチ[はをがも]?\W*$|rebased? (?:on"
            r"|onto)\W*$|check(?:ed)? out\W*$",
            before,
        )
        or re.match(rf"\W*(?:の)?(?:{_BRANCH}|ブランチ)", after)
    )


_PORT_BEFORE = re.compile(
    r"\b(?:listen(?:s|ing)?|bound|binds|reachable|available|served|exposed|runs|running)(?: now)?"
    r" (?:on|at|under|to)\W*$",
    re.I,
)
_PORT_AFTER = re.compile(r"番(?:ポート)?で(?:待ち?受|受け付|リッスン|動|公開)")


def _at_port(text: str, value: Value) -> bool:
    """Whether a bare number is where a service listens."""
    written = text[value.start : value.end]
    if not (written.isdecimal() and 2 <= len(written) <= 5):
        return False
    if _PORT_AFTER.match(text, value.end):
        return True
    return bool(_PORT_BEFORE.search(text[: value.start])) and not unit_of(text, value)


def is_subject(text: str, value: Value) -> bool:
    """Whether the value names what the clause is about: it stands before the verb."""
    verb = _VERB.search(text)
    if verb is None or value.end > verb.start() or _PREDICATE.match(text[value.end :]):
        return False
    head = text[: value.start].split()
    return len(head) <= 3


def is_named(text: str, value: Value) -> bool:
    """Whether a name stands where a value does, rather than amid the other words."""
    return (
        not text.isascii()
        or bool(_AT_NAME.search(text[: value.start]))
        or bool(_PREDICATE.match(text[value.end :]))
    )


def is_state(text: str, value: Value) -> bool:
    """Whether a word says in which state something is, as in "is done", not "the done items"."""
    return not text.isascii() or bool(_AT_STATE.search(text[: value.start]))


def _style(text: str, value: Value) -> bool:
    """Whether a word speaks of the value as a style."""
    return bool(
        re.match(r"\s+(?:style|tone|voice)\b", text[value.end :])
        or re.search(r"(?:style|tone|voice)\s*(?:is|:|to|should be)\s*$", text[: value.start])
    )


def unit_of(text: str, value: Value) -> str:
    """What a bare number counts: the word after it."""
    after = re.match(r"\s?([a-z]+)", text[value.end :]) if value.kind == "number" else None
    word = canonical(after[1]) if after else ""
    return "" if word in GENERIC else word


def is_number_of(text: str, value: Value) -> bool:
    """Whether a number names one of many, as in "Invoice 881 is paid"."""
    if value.kind != "number" or not text.isascii():
        return False
    before = re.search(r"([A-Za-z]+)\s+#?$", text[: value.start])
    then = _THEN_VERB.match(text[value.end :])
    if before is None or then is None:
        return False
    if not then[0].strip(" .,;:") and not is_subject(text, value):
        return False
    word = canonical(before[1].lower())
    return word not in GENERIC and word not in ("minimum", "port")
