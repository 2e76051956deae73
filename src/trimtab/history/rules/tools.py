"""Tool definitions: rules that Anthropic and OpenAI share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.history.message import Tool
from trimtab.history.rules.violation import Request, Violation

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def _named(tool: Tool) -> bool:
    """It has a name of its own; a provider's built-in tool may go by its type only."""
    raw = tool.raw
    return not isinstance(raw, dict) or any(key in raw for key in ("name", "function"))


def tool_names_unique(request: Request) -> Iterator[Violation]:
    """No two definitions have one name."""
    seen: set[str] = set()
    for tool in filter(_named, request.tools):
        if tool.name in seen:
            yield Violation(
                "duplicate-tool-name", -1, f"two tool definitions are named {tool.name!r:.80}"
            )
        seen.add(tool.name)


def tool_names_fit(request: Request) -> Iterator[Violation]:
    """Names are of letters, digits, underscore and hyphen, 128 at most."""
    for tool in filter(_named, request.tools):
        if not _NAME.fullmatch(tool.name):
            yield Violation(
                "bad-tool-name",
                -1,
                f"the tool name {tool.name!r:.80} is not of letters, digits, _ and - only",
            )
