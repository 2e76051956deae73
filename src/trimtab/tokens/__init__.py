"""How large it is: counters, pictures, tool schemas, calibration from reported usage."""

from typing import TYPE_CHECKING

from trimtab.tokens.counter import Counter, counter_for
from trimtab.tokens.windows import window_of

if TYPE_CHECKING:
    from trimtab.tokens.calibration import Calibration
    from trimtab.tokens.weight import Weight, weigh

__all__ = ["Calibration", "Counter", "Weight", "counter_for", "weigh", "window_of"]


def __getattr__(name: str) -> object:
    """Calibration is loaded by those who use it."""
    if name == "Calibration":
        from trimtab.tokens.calibration import Calibration

        return Calibration
    if name in ("Weight", "weigh"):
        from trimtab.tokens import weight

        return getattr(weight, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
