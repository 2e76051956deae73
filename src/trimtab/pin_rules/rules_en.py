"""English: which rules find a requirement in one sentence.

A sentence is read clause by clause. A rule looks for an order (an imperative at the start of a
clause), for a modal with a fitting subject, or for a fragment without a verb; what only tells
of the past, asks, or reports is no order.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from trimtab.pin_rules.bounds_en import approval, limit
from trimtab.pin_rules.clauses_en import Clause, clauses_of, normal, statement_of
from trimtab.pin_rules.corrections_en import correction
from trimtab.pin_rules.duties_en import obligation
from trimtab.pin_rules.forbids_en import prohibition, scope
from trimtab.pin_rules.forms_en import form
from trimtab.pin_rules.preferences_en import preference
from trimtab.pin_rules.words_en import HINTS


def rules(sentence: str) -> tuple[str, ...]:
    """The names of all rules that find a requirement in a sentence given by `plain`."""
    text = normal(sentence)
    words = set(_WORD.findall(text))
    possible = [
        (name, rule)
        for name, rule in _RULES
        if name not in HINTS or not HINTS[name].isdisjoint(words)
    ]
    if not possible:
        return ()
    statement = statement_of(text)
    if statement is None:
        return ()
    clauses = list(clauses_of(statement))
    return tuple(name for name, rule in possible if rule(statement, clauses))


_WORD = re.compile(r"[a-z']+(?:-[a-z]+)*")
_RULES: tuple[tuple[str, Callable[[str, list[Clause]], bool]], ...] = (
    ("en:approval", approval),
    ("en:prohibition", prohibition),
    ("en:limit", limit),
    ("en:scope", scope),
    ("en:obligation", obligation),
    ("en:correction", correction),
    ("en:preference", preference),
    ("en:form", form),
)
