"""Did it work: measures of one context, and policies side by side."""

from trimtab.evaluation.compare import Row, compare
from trimtab.evaluation.metrics import (
    reduction,
    required_retention,
    validity,
    verbatim_fidelity,
)

__all__ = [
    "Row",
    "compare",
    "reduction",
    "required_retention",
    "validity",
    "verbatim_fidelity",
]
