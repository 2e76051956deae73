"""The errors that trimtab raises, as one small tree.

Each message is one line that says what is wrong, where, and what to do. The command line prints
that line and exits with the class's `exit_code`; a program catches `TrimtabError` or a subclass.
"""

from __future__ import annotations

from collections.abc import Sequence

NAMED = 12
"""How many of the items that do not fit an error names; all are in its `items`."""


class TrimtabError(Exception):
    """Anything that trimtab itself reports. Exit code 2: bad usage or input."""

    exit_code = 2


class UsageError(TrimtabError):
    """A parameter, policy name, budget or option that cannot be meant as given."""


class InputError(TrimtabError):
    """A file or request that cannot be read.

    Args:
        where: the file (and line, where known) that the reason belongs to.
        reason: what is wrong and what to do, in one line.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


class UnknownFormatError(InputError):
    """The content fits no known format."""


class BlockNotFound(TrimtabError):
    """No block of this id is stored here."""


class BlockDamaged(TrimtabError):
    """A stored block's bytes no longer have the hash that its id names."""


class StoreError(TrimtabError):
    """The store cannot be written or read: no permission, a full disk, a lock, damage, no place."""


class SessionNotFound(TrimtabError):
    """No session of this id is stored here."""


class SessionConflict(TrimtabError):
    """Somebody else wrote to this session in between; nothing was written.

    Args:
        session: the id of the session.
        reason: what was expected and what was found, in one line.
        expected: the number that the writer meant its first event to have.
        found: the number of events that the session has.
    """

    def __init__(self, session: str, reason: str, *, expected: int = 0, found: int = 0) -> None:
        super().__init__(f"session {session}: {reason}")
        self.session = session
        self.reason = reason
        self.expected = expected
        self.found = found


class BudgetInfeasible(TrimtabError):
    """What must stay does not fit the budget; nothing was changed or written.

    Args:
        needed: the size that must stay, in `unit`.
        available: the budget's limit less its reserve, in `unit`.
        unit: `tokens` or `chars`.
        items: one short line for each required item that does not fit.
        policy: the name of the policy that found it.
        reached: the `Plan` of what can leave, which is not enough; for a layer that follows.
    """

    exit_code = 3

    def __init__(
        self,
        needed: int,
        available: int,
        unit: str,
        items: Sequence[str] = (),
        policy: str = "",
        *,
        reached: object = None,
    ) -> None:
        self.reached = reached
        self.needed = needed
        self.available = available
        self.unit = unit
        self.items = tuple(items)
        self.policy = policy
        shown = "; ".join(self.items[:NAMED])
        if len(self.items) > NAMED:
            shown += f"; and {len(self.items) - NAMED} more"
        by = f"{policy}: " if policy else ""
        does_not_fit = f"; does not fit: {shown}" if shown else ""
        super().__init__(f"{by}needs {needed:,} {unit}, {available:,} available{does_not_fit}")
