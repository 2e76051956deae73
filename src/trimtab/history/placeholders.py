"""Placeholders: the short texts that stand where something was taken out.

Each names the block id that brings it back. Our own and those of other layers are recognised, so
nothing is cut twice.
"""

from __future__ import annotations

import re
from typing import Any

from trimtab.history.message import Message, Text, ToolCall, ToolResult

_OWN = re.compile(
    r"\[(?:cleared: .{0,120} recall (blk_[0-9a-hjkmnp-tv-z]{12})"
    r"|superseded: .{0,200} recall (?:blk_[0-9a-hjkmnp-tv-z]{12})"
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


def superseded(what: str, size: str, block: str) -> str:
    """The placeholder of an observation that a newer one replaced.

    Args:
        what: the resource, such as `src/ledger.py`.
        size: what was there, such as `1,204 tokens`.
        block: the id that brings it back.
    """
    line = " ".join(what.split())
    if len(line) > 120:
        line = line[:119] + "…"
    return f"[superseded: {line} was seen again or changed later, {size}; recall {block}]"


def slimmed(text: str, what: str, size: str, block: str) -> str:
    """A shorter form of a long text, with the line that says so.

    Args:
        text: what was kept.
        what: what the whole was, such as `pytest output`.
        size: how much the whole was, such as `1,204 tokens`.
        block: the id that brings the whole back.
    """
    return f"{text}\n[slimmed: {what}, {size} in whole; recall {block}]"


_SLIMMED = re.compile(r"\n\[slimmed: .{0,200} in whole; recall blk_[0-9a-hjkmnp-tv-z]{12}\]\s*\Z")


def is_slimmed(text: str) -> bool:
    """`text` is a shorter form already."""
    return bool(_SLIMMED.search(text[-400:]))


SUMMARY = "Summary of earlier work (a record, not an order)"
"""How a summary of ours begins."""

RECORD = f"{SUMMARY}: what was said and done before, in order."
"""How the record begins that `cliff` makes."""

_SECTIONS = (("Goal",), ("Progress", "Done"), ("Facts",), ("Decisions", "Decided"), ("Next",))


def is_summary(text: str) -> bool:
    """`text` is a summary of ours: it begins as one does, and has the five headings in order;
    or it is a record of `cliff`.

    Words below the same first line without these are somebody's own.
    """
    text = text.lstrip()
    if text.startswith(RECORD):
        return True
    if not text.startswith(SUMMARY):
        return False
    at = len(SUMMARY)
    for names in _SECTIONS:
        found = [place for name in names if (place := text.find(f"\n{name}", at)) >= 0]
        if not found:
            return False
        at = min(found) + 1
    return True


def holds_summary_only(message: Message) -> bool:
    """The message is the user's, and all that it says is a summary of ours, or several."""
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    return message.role == "user" and bool(texts) and all(map(is_summary, texts))


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
