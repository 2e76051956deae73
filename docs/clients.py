"""Stand-ins for the official clients, so that the loops on the pages run without a key.

A snippet imports `anthropic` or `openai` as a reader would. Here those names lead to a client that
plays a model: it reads two pages with the tool `read`, if it has one, then answers. It refuses a
request that breaks a rule of its provider, and counts what it was sent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

from trimtab.context.budget import Budget
from trimtab.formats.wire import read_request
from trimtab.history.rules import validate
from trimtab.policies.registry import fit

Json = dict[str, Any]

SCRIPT = (
    ("I look at the page on edits.", "docs/context-and-edits.md"),
    ("And at the one on exchanges.", "docs/history-and-exchanges.md"),
    ("An edit drops, clears or summarises; an exchange is the least that it may take.", ""),
)
"""What the model says, and the page that it wants to read; nothing in its last answer."""


class Record(SimpleNamespace):
    """A response object: attributes for the loop, the JSON for what takes it in.

    The input of a call is a plain dict, as in the official client.
    """

    def __init__(self, raw: Json) -> None:
        super().__init__(
            **{k: value if k == "input" else _recorded(value) for k, value in raw.items()}
        )
        self._raw = raw

    def model_dump(self, **_: object) -> Json:
        """The response as its JSON value."""
        return self._raw


def _recorded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Record(dict(value))
    return [_recorded(item) for item in value] if isinstance(value, list) else value


class RefusedRequest(Exception):
    """What a provider answers with status 400."""


def _size(request: Json, dialect: str) -> int:
    """The tokens of a request.

    Raises:
        RefusedRequest: the provider would not take it.
    """
    history = read_request(request, dialect)
    broken = validate(history, dialect, tools=history.tools, envelope=history.envelope)
    if broken:
        raise RefusedRequest("; ".join(map(str, broken)))
    return fit(history, Budget(10**9), "append").before


def _anthropic() -> Any:
    steps = iter(enumerate(SCRIPT))

    def create(**request: Any) -> Record:
        size = _size(request, "anthropic")
        number, (words, page) = next(steps)
        content: list[Json] = [{"type": "text", "text": words}]
        if page and "tools" in request:
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": "read"}
            content.append({**call, "input": {"path": page}})
        return Record(
            {
                "id": f"msg_{number}",
                "type": "message",
                "role": "assistant",
                "model": request["model"],
                "content": content,
                "stop_reason": "tool_use" if len(content) > 1 else "end_turn",
                "usage": {"input_tokens": size, "output_tokens": 20 * len(content)},
            }
        )

    return SimpleNamespace(messages=SimpleNamespace(create=create))


def _openai() -> Any:
    steps = iter(enumerate(SCRIPT))

    def create(**request: Any) -> Record:
        size = _size(request, "openai")
        number, (words, page) = next(steps)
        calls = []
        if page and "tools" in request:
            function = {"name": "read", "arguments": json.dumps({"path": page})}
            calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        message: Json = {"role": "assistant", "content": words, "tool_calls": calls or None}
        return Record(
            {
                "id": f"chatcmpl-{number}",
                "model": request["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": size, "completion_tokens": 20},
            }
        )

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


@contextmanager
def stand_ins() -> Iterator[None]:
    """While it is open, `import anthropic` and `import openai` lead to the stand-ins."""
    names = {"anthropic": ("Anthropic", _anthropic), "openai": ("OpenAI", _openai)}
    before = {name: sys.modules.get(name) for name in names}
    for name, (client, made) in names.items():
        module = ModuleType(name)
        setattr(module, client, made)
        sys.modules[name] = module
    try:
        yield
    finally:
        for name, module_before in before.items():
            if module_before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module_before
