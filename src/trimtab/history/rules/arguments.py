"""Tool arguments as OpenAI has them: a string of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from trimtab.history.message import ToolCall
from trimtab.history.rules.violation import Request, Violation


def arguments_are_json(request: Request) -> Iterator[Violation]:
    """Arguments are a string; and JSON where an edit wrote them.

    What a model wrote may be no JSON: OpenAI accepts its own back.
    """
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        for call in message.calls():
            if call.server:
                continue
            if call.edited and not _free_text(call) and not _is_json(call.input):
                why = "the edited arguments are no JSON"
            elif raw is not None and not _free_text(call) and not isinstance(call.input, str):
                why = "the arguments are no string"
            else:
                continue
            yield Violation("invalid-arguments", at, f"{call.id!r:.60}: {why}")


def _free_text(call: ToolCall) -> bool:
    """A custom tool's input, which may be any text, or an item with an action of its own."""
    raw = call.raw
    if not isinstance(raw, dict):
        return False
    kind = raw.get("type")
    return "custom" in raw or (isinstance(kind, str) and kind not in ("function", "function_call"))


def _is_json(value: object) -> bool:
    if not isinstance(value, str):
        return True  # the writer makes JSON of it
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
