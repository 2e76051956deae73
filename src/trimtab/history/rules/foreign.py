"""What belongs to another dialect.

A block that no one knows is carried through untouched; a block of another provider's is a sign
that the request was taken for what it is not, and its calls and results went unchecked.
"""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.message import Opaque, ToolResult
from trimtab.history.rules.violation import Request, Violation

_KINDS = {
    "anthropic": frozenset(
        {
            "document",
            "image",
            "mcp_tool_use",
            "redacted_thinking",
            "server_tool_use",
            "thinking",
            "tool_result",
            "tool_use",
        }
    ),
    "openai": frozenset({"file", "image_url"}),
    "responses": frozenset(
        {
            "function_call",
            "function_call_output",
            "input_file",
            "input_image",
            "input_text",
            "output_text",
            "reasoning",
        }
    ),
    "neutral": frozenset({"tool_call"}),
}
_OPENAI_KEYS = ("tool_calls", "tool_call_id", "function_call")


def no_foreign_blocks(request: Request) -> Iterator[Violation]:
    """No block and no key is another dialect's."""
    foreign = {kind: d for d, kinds in _KINDS.items() if d != request.dialect for kind in kinds}
    for at, message in enumerate(request.messages):
        raw = request.native(message)
        if raw is not None and request.dialect != "openai":
            for key in _OPENAI_KEYS:
                if raw.get(key):
                    yield _found(at, f"key {key}", "openai", request.dialect)
        for block in message.blocks:
            parts = block.content if isinstance(block, ToolResult) else (block,)
            for part in parts:
                if isinstance(part, Opaque) and part.kind in foreign:
                    yield _found(at, f"block {part.kind}", foreign[part.kind], request.dialect)


def _found(at: int, what: str, owner: str, dialect: str) -> Violation:
    return Violation("foreign-block", at, f"the {what} is of {owner}, not of {dialect}")
