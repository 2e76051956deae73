"""A plan: the edits that a policy proposes, with the sizes before and after."""

from __future__ import annotations

from dataclasses import dataclass, field

from trimtab.context.edits import Edit
from trimtab.context.projection import Projection


@dataclass(frozen=True, slots=True)
class Plan:
    """What a policy proposes.

    Attributes:
        policy: its name.
        edits: the new edits, in the order of the history.
        before, after: the context's size without and with them, in `unit`.
        unit: `tokens` or `chars`.
        projection: the context with the edits applied.
    """

    policy: str
    edits: tuple[Edit, ...]
    before: int
    after: int
    unit: str
    projection: Projection = field(compare=False, repr=False)

    @property
    def reduction(self) -> float:
        """1 - after/before; 0 for an empty context."""
        return 1 - self.after / self.before if self.before else 0.0
