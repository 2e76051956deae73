"""What a value is: its kinds, and the form in which it is compared."""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS: dict[str, str] = {
    "number": "a number, also with a count noun: `1,204`, `42 tests`, `-0.5`, `50k`",
    "quantity": "a number with a unit of measure: `30 s`, `512 MB`, 5秒",
    "money": "an amount with a currency: `$500`, 50万円, `five hundred dollars`",
    "percentage": "`5 %`, `5 percent`, ５％",
    "date": "`2026-03-05`, `March 5`, 2026年3月5日, 令和8年3月5日, `3/5`",
    "time": "`10:30`, `3 pm`, 午後3時",
    "version": "`v1.2.3`, `Python 3.11`",
    "path": "`/etc/hosts`, `src/app.py`, `C:\\temp`, `app.py`",
    "url": "`https://example.com/a`, `example.com`",
    "email": "`ann@example.com`",
    "identifier": "`PR-123`, `#12`, `test_case_7`, a UUID, an IP address, a block id",
    "hash": "7 to 64 hexadecimal digits, `0x1f`",
    "error": "`ENOENT`, `HTTP 404`, `exit code 1`, `SQLSTATE 23505`",
    "quote": 'words in quotation marks or backticks: "…", `…`, 「…」',
    "negation": "what turns or bounds a constraint: `do not`, `only`, `without`, 禁止, しない",
    "count": "a whole number up to 20 that the writer may have counted, `three`, `5 files`",
}
"""Every kind with what it looks like."""

Need = tuple[str, ...]
"""Keys that must all be found in the sources."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value in a text.

    Attributes:
        kind: a key of `KINDS`.
        text: as it is written; `text[start:end]` of the text it was found in.
        start, end: its span, in characters.
        norm: the form for comparison only: full-width forms, thousands separators, trailing
            zeros, spellings of units and dates no longer matter. Equal norms of one kind are
            equal values.
        needs: what its sources must give, as alternatives; empty for what no source has to give.
        gives: the keys that a source with this value supports: itself and what it contains.
    """

    kind: str
    text: str
    start: int
    end: int
    norm: str
    needs: tuple[Need, ...] = field(default=(), compare=False, repr=False)
    gives: Need = field(default=(), compare=False, repr=False)
