"""What PostgreSQL reports, as one line that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trimtab.errors import StoreError

if TYPE_CHECKING:
    import psycopg

_REASONS = {
    "53100": "the server's disk is full; nothing was changed: make room and try again",
    "53300": "the server has no connection left: try again",
    "55P03": "somebody else holds the lock; nothing was changed: try again",
    "40P01": "two writers waited for each other; nothing was changed: try again",
    "25006": "the server may only be read; nothing was changed: name the primary server",
    "XX001": "the server reports damaged data; nothing was changed: see the server's log",
    "XX002": "the server reports a damaged index; nothing was changed: see the server's log",
}


def refused(where: str, failure: psycopg.Error, what: str, lost: bool) -> StoreError:
    """The error for a database that could not be `what` (opened, read, written).

    Args:
        where: its address, without the password.
        failure: what psycopg raised.
        what: what was tried.
        lost: the connection broke, so that nobody knows whether a commit arrived.
    """
    state = failure.sqlstate or ""
    first = str(failure).strip().splitlines()
    reason = _REASONS.get(state) or (first[0].strip() if first else type(failure).__name__)
    if state == "42501":
        reason += "; ask for the right, or name a schema that is yours (?schema=NAME)"
    if lost and what == "written":
        reason += (
            "; the connection was lost, and the last write may have arrived or not: "
            "read the session again before it is repeated"
        )
    return StoreError(f"{where}: cannot be {what}: {reason}")
