"""The tools by which a model uses its session: recall, search, compress, note.

session = Session(model=..., tools=[*mine, *SessionTools.definitions("anthropic")])
tools = SessionTools(session)
if tools.handles(call.name):
    text, failed = tools.call(call.name, call.input)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trimtab.errors import TrimtabError, UsageError
from trimtab.session import Session

_STRING = {"type": "string"}
_TOOLS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "recall": (
        "Bring back, word for word, something that left the context. Placeholders and the index "
        "name the id.",
        {
            "id": {**_STRING, "description": "The block's id, blk_ and 12 characters."},
            "range": {**_STRING, "description": "Only these lines, such as 10:40, from 1."},
        },
        ("id",),
    ),
    "search": (
        "Find what left the context by words in it. Gives ids for recall, with the turn.",
        {"query": {**_STRING, "description": 'Words; a "quoted phrase" is found as it stands.'}},
        ("query",),
    ),
    "compress": (
        "Replace the older part of the conversation by an index of at most 300 tokens: one line "
        "a block (what it holds), then status and next step. All details go into the blocks.",
        {
            "summary": {**_STRING, "description": "The index, status and next step."},
            "blocks": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {**_STRING, "description": "What the index calls it."},
                        "content": {**_STRING, "description": "Its text, or else three anchors:"},
                        "start": {**_STRING, "description": "20 to 100 characters, verbatim."},
                        "middle": {**_STRING, "description": "A passage between, verbatim."},
                        "end": {**_STRING, "description": "The last characters, verbatim."},
                    },
                    "required": ["name"],
                },
            },
        },
        ("summary", "blocks"),
    ),
    "note": (
        "Keep a value under a name, word for word, for this and later sessions; without a value, "
        "look it up.",
        {
            "name": {**_STRING, "description": "Such as: budget limit."},
            "value": {**_STRING, "description": "The exact value to keep."},
        },
        ("name",),
    ),
}


class SessionTools:
    """Tool definitions for the model, and what answers its calls.

    Args:
        session: the session that they act on.
        prefix: put before each name, where another tool has one of these names.
    """

    def __init__(self, session: Session, prefix: str = "") -> None:
        self._session = session
        self._prefix = prefix

    @staticmethod
    def definitions(dialect: str, prefix: str = "") -> list[dict[str, Any]]:
        """The definitions as `tools` of a request, for `Session(tools=...)`: they count too.

        Args:
            dialect: `anthropic`, `openai` or `responses`.
            prefix: as in `SessionTools`.

        Raises:
            UsageError: another format has no tools.
        """
        made: list[dict[str, Any]] = []
        for tool, (about, properties, required) in _TOOLS.items():
            schema = {"type": "object", "properties": properties, "required": list(required)}
            called = prefix + tool
            if dialect == "anthropic":
                made.append({"name": called, "description": about, "input_schema": schema})
            elif dialect == "openai":
                function = {"name": called, "description": about, "parameters": schema}
                made.append({"type": "function", "function": function})
            elif dialect == "responses":
                made.append(
                    {"type": "function", "name": called, "description": about, "parameters": schema}
                )
            else:
                raise UsageError(f"no tool definitions for the format {dialect!r}")
        return made

    def handles(self, name: str) -> bool:
        """A call of this name is answered here."""
        return name.startswith(self._prefix) and name.removeprefix(self._prefix) in _TOOLS

    def call(self, name: str, input: Any) -> tuple[str, bool]:
        """Answer a call of the model.

        Args:
            name: the tool's name.
            input: its arguments, an object or its JSON.

        Returns:
            The text of the tool result, and whether it is an error. No call raises; a call that
            cannot be carried out changes nothing and is answered with the reason.
        """
        try:
            return self._answer(name.removeprefix(self._prefix), _arguments(input)), False
        except TrimtabError as refusal:
            return f"Error: {refusal}", True

    def _answer(self, tool: str, given: Mapping[str, Any]) -> str:
        session = self._session
        if tool == "recall":
            lines = given.get("range") or None
            data = session.recall(_word(given, "id"), lines=lines)
            return data.decode("utf-8", "replace")
        if tool == "search":
            return self._found(_word(given, "query"))
        if tool == "compress":
            blocks = given.get("blocks")
            if not isinstance(blocks, list):
                raise UsageError("compress: blocks is a list of objects")
            ids = session.compress(_word(given, "summary"), blocks)
            return "Compressed. " + "; ".join(f"{name}: {id}" for name, id in ids.items())
        if tool == "note":
            name = _word(given, "name")
            if given.get("value") is None:
                found = session.lookup(name)
                return found if found is not None else f"There is no note named {name!r}."
            session.note(name, _word(given, "value"))
            return f"Noted {name!r}."
        raise UsageError(f"there is no tool {tool!r}; there are {', '.join(_TOOLS)}")

    def _found(self, query: str) -> str:
        hits = self._session.search(query)
        if not hits:
            return "Nothing that left this context holds these words."
        return "\n".join(
            f"{hit.block or 'stage'} (turn {hit.turn}): {' '.join(hit.text.split())}"
            for hit in hits
        )


def _arguments(input: Any) -> Mapping[str, Any]:
    if isinstance(input, str):
        try:
            input = json.loads(input or "{}")
        except ValueError:
            raise UsageError("the arguments are no JSON object") from None
    if not isinstance(input, Mapping):
        raise UsageError("the arguments are no JSON object")
    return input


def _word(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{key} is missing")
    return value
