"""Placeholders: the short texts that stand where something was taken out.

Each names the block id that brings it back. Our own and those of other layers are recognised, so
nothing is cut twice.
"""

from __future__ import annotations

import re
from typing import Any

from trimtab.history.message import Message, ToolCall, ToolResult

_OWN = re.compile(
    r"\[(?:cleared: .{0,120} recall (blk_[0-9a-hjkmnp-tv-z]{12})"
    r"|removed: .{0,80}"
    r"|\d[\d,]* earlier messages? left out"
    r"|The record above is of work already done\. Continue the task\.)\]",
    re.DOTALL,
)
_FOREIGN = re.compile(
    r"\[Cleared by context management\]"  # LiteLLM
    r"|\[cleared\]"  # LangChain
    r"|\[Old tool result content cleared\]"  # Claude Code, opencode
    r"|\[tool result cleared\]|\[superseded file read\]"  # pydantic-ai-harness
    r"|Old environment output: \(\d+ lines omitted\)"  # SWE-agent
    r"|\[Trimmed: .{1,200} char preview\]\n.*"  # openai-agents
    r"|\[image: [\w./-]+, \d+ bytes\]",  # Strands
    re.DOTALL,
)
_LONGEST = 2_000


def cleared(what: str, size: str, block: str) -> str:
    """The placeholder of a cleared tool result.

    Args:
        what: the tool's name.
        size: what was there, such as `1,204 tokens`.
        block: the id that brings it back.
    """
    return f"[cleared: {what} result, {size}; recall {block}]"


def left_out(messages: int) -> str:
    """The user's-side note at the front of a context whose first messages were left out."""
    return f"[{messages:,} earlier message{'s' if messages != 1 else ''} left out]"


CONTINUE = "[The record above is of work already done. Continue the task.]"
"""The user's-side note behind a summary that would otherwise end the context in an answer."""


def emptied(message: Message) -> str:
    """What stands in a message that lost all its content."""
    return f"[removed: the {message.role} message's content]"


def call_placeholder(call: ToolCall) -> Any:
    """The input of a call whose input was cleared: an empty object, in the provider's form."""
    return "{}" if isinstance(call.input, str) else {}


def is_placeholder(text: str) -> bool:
    """`text` as a whole is a placeholder, ours or another layer's."""
    if len(text) > _LONGEST:
        return False
    stripped = text.strip()
    return bool(_OWN.fullmatch(stripped) or _FOREIGN.fullmatch(stripped))


def is_cleared(result: ToolResult) -> bool:
    """The result already holds nothing but a placeholder."""
    return len(result.content) == 1 and is_placeholder(result.text)
