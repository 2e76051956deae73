"""Writing a context out in a wire format."""

from __future__ import annotations

from trimtab.context.projection import Context
from trimtab.formats.wire import Written, write_request
from trimtab.history.log import History


def write(context: Context | History, to: str | None = None) -> Written:
    """The context as a request of a wire format.

    Args:
        context: K, or a history, which is written whole.
        to: `anthropic`, `openai`, `responses` or `neutral`; by default the history's own.

    Returns:
        The JSON value, and one line for each kind of thing that the format has no place for.
    """
    if isinstance(context, History):
        return write_request(list(context), context, to)
    history = context.history
    shell = History(
        tools=history.tools,
        dialect=history.dialect,
        envelope=context.envelope,
        model=history.model,
    )
    return write_request(context.messages, shell, to)
