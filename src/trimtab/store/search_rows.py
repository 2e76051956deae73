"""Search over the index, with each text found once."""

from __future__ import annotations

from trimtab.store.database import Database, Match, Transaction
from trimtab.store.protocol import Hit
from trimtab.store.search_text import Query
from trimtab.store.snippet import snippet

_ROUNDS = 8  # times that more pieces are fetched because several were of one text


def find(
    database: Database, tx: Transaction, query: Query, session: int | None, limit: int
) -> list[Hit]:
    """The best hits: texts with all terms; with any of them where there is none with all."""
    if not query.terms or limit < 1:
        return []
    found = _texts(database, tx, query, True, session, limit)
    if not found and len(query.terms) > 1:
        found = _texts(database, tx, query, False, session, limit)
    return [
        Hit(id, seq, turn, block, snippet(text, query), score)
        for id, seq, turn, block, text, score in found
    ]


def _texts(
    database: Database, tx: Transaction, query: Query, every: bool, session: int | None, limit: int
) -> list[Match]:
    best: dict[tuple[str, int, str], Match] = {}
    start, step = 0, limit + 4
    for _ in range(_ROUNDS):
        window = slice(start, start + step)
        matches = database.matches(tx, query, every, session, window)
        for match in matches:
            best.setdefault((match[0], match[1], match[3]), match)
        if len(best) >= limit or len(matches) < step:
            break
        start, step = start + step, step * 2
    return list(best.values())[:limit]
