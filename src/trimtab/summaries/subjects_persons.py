"""Of several names in a clause, those that are its value; the others say what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.summaries.subjects_places import ROLES
from trimtab.summaries.subjects_tokens import GENERIC, canonical
from trimtab.summaries.subjects_values import Value

_LINK = re.compile(r"\s*(?:,|,? and|,? or|&|/|と|、|・)\s*")
_OF = re.compile(r"\b(?:the|our|my|your|its|this)\s+$", re.I)
_NOUN = re.compile(r"\s+([a-z]+)")
_OWN = re.compile(r"(?:\b(?:is|are|be|now|by|to|as)|[:=])\s+(?:now\s+)?$", re.I)
_WORD = re.compile(r"\w+")
_ROLES = frozenset(word for word, _ in ROLES)


def spoken_of(
    text: str, values: Sequence[Value], live: Sequence[int], tokens: Sequence[str]
) -> set[int]:
    """The numbers of the names that are no value, as Turin in "the Turin office is led by Ann"."""
    named = [at for at in live if values[at].kind == "name"]
    if len(named) < 2 or not text.isascii():
        return set()
    other = {at for at in named if _is_modifier(text, values[at])}
    named = [at for at in named if at not in other]
    if not named:
        return set()
    if _ROLES.isdisjoint(tokens):
        return other
    groups = [[named[0]]]
    for at in named[1:]:
        between = text[values[groups[-1][-1]].end : values[at].start]
        if _LINK.fullmatch(between):
            groups[-1].append(at)
        else:
            groups.append([at])
    if len(groups) > 1:
        holders = [group for group in groups if _OWN.search(text[: values[group[0]].start])]
        if not _WORD.search(text[: values[named[0]].start]):
            holders = groups[:1]
        if holders:
            other.update(at for at in named if at not in holders[-1])
    return other


def _is_modifier(text: str, value: Value) -> bool:
    noun = _NOUN.match(text, value.end)
    return bool(
        noun and _OF.search(text[: value.start]) and canonical(noun[1]) not in GENERIC | _ROLES
    )
