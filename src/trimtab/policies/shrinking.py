"""The last resort: results that are too large even where nothing older is left to leave.

The newest result may be larger than the window, or several of one answer together. They keep
head, tail and what acts in them; the whole is a block.
"""

from __future__ import annotations

from dataclasses import replace

from trimtab.context.budget import Budget
from trimtab.context.edits import Edit
from trimtab.context.projection import Projection
from trimtab.policies.policy import reached
from trimtab.policies.slim import Slim

LIMITS = (16_000, 3_200)
"""Characters that a result may keep, and down to an eighth of it, tried in turn."""
ALL = 2**31
REASON = "with it whole the context does not fit the budget"


def shrunk(at: Projection, available: int) -> list[Edit]:
    """Edits that shorten results until the context fits, as far as they can.

    Args:
        available: the size to come down to, in the counter's unit.
    """
    budget = Budget(max(available, 1), at.counter.unit, counter=at.counter)
    edits: tuple[Edit, ...] = ()
    for limit in LIMITS:
        plan = reached(Slim(limit, keep=ALL, least=1), at.history, budget, at)
        edits = plan.edits
        if plan.after <= available:
            break
    return [replace(edit, reason=REASON) if edit.kind == "slim" else edit for edit in edits]
