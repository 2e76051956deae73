"""How large it is: counters, pictures, tool schemas, calibration from reported usage."""

from trimtab.tokens.counter import Counter, counter_for
from trimtab.tokens.windows import window_of

__all__ = ["Counter", "counter_for", "window_of"]
