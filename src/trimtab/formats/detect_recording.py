"""Which agent recorded a file, judged by what is in it and never by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trimtab.formats.detect import detect_dialect
from trimtab.formats.transcript import word

_CODEX_TYPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
_CODEX_BARE = frozenset({"reasoning", "function_call", "function_call_output"})
_CLAUDE_TYPES = frozenset(
    {
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "progress",
        "last-prompt",
        "custom-title",
        "permission-mode",
    }
)
_PI_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom"})
_OPENHANDS_KINDS = ("Event", "Observation", "Condensation", "Action", "CondensationRequest")
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def of_lines(lines: Iterable[Mapping[str, Any]]) -> str | None:
    """The format of a file of one object a line, from its first lines.

    Returns:
        A name of `registry.FORMATS`; `chat-jsonl` for one request or conversation a line; or
        `None`.
    """
    for line in lines:
        found = _of_line(line)
        if found:
            return found
    return None


def _of_line(line: Mapping[str, Any]) -> str | None:
    kind = word(line.get("type"))
    if kind in _CODEX_TYPES and isinstance(line.get("payload"), Mapping):
        return "codex"
    if kind in _CODEX_BARE or line.get("record_type") == "state":
        return "codex"
    if not kind and isinstance(line.get("id"), str) and "instructions" in line:
        return "codex"
    if kind == "session" and "id" in line:
        return "pi"
    if "projectHash" in line and "sessionId" in line:
        return "gemini-cli"
    if kind in ("user", "assistant", "system", "attachment") and (
        "parentUuid" in line or "sessionId" in line or "uuid" in line
    ):
        return "claude-code"
    if kind in _CLAUDE_TYPES and not isinstance(line.get("message"), str):
        return "claude-code"
    told = line.get("message")
    if kind == "message" and isinstance(told, Mapping) and word(told.get("role")) in _PI_ROLES:
        return "pi"
    if _is_openhands_event(line):
        return "openhands"
    if word(line.get("role")) in ROLES and ("content" in line or "tool_calls" in line):
        return "codex" if kind == "message" else "neutral"
    if isinstance(line.get("messages"), list):
        return "chat-jsonl"
    return "chat-jsonl" if detect_dialect(dict(line)) else None


def _is_openhands_event(value: Mapping[str, Any]) -> bool:
    kind = value.get("kind")
    return (
        isinstance(kind, str)
        and kind.endswith(_OPENHANDS_KINDS)
        and "source" in value
        and "id" in value
    )


def of_document(value: Any) -> str | None:
    """The format of a file that is one JSON value.

    Returns:
        A name of `registry.FORMATS`, a wire format among them; `openhands-state` and
        `opencode-session` for files that lie beside the messages; or `None`.
    """
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, Mapping):
        return None
    messages = value.get("messages")
    if isinstance(value.get("trajectory"), list) and (
        "history" in value or "info" in value or "environment" in value
    ):
        return "swe-agent"
    if isinstance(messages, list):
        if "trajectory_format" in value or _is_mini(value.get("info")):
            return "mini-swe-agent"
        if "sessionId" in value and ("projectHash" in value or _has_gemini(messages)):
            return "gemini-cli"
        if isinstance(value.get("info"), Mapping) and any(
            isinstance(m, Mapping) and "info" in m for m in messages
        ):
            return "opencode"
        if "sessionId" in value and ("system_prompt" in value or "agent" in value):
            return "cline"
    if isinstance(value.get("id"), str) and "projectID" in value and "directory" in value:
        return "opencode-session"
    if "execution_status" in value and "agent" in value and "confirmation_policy" in value:
        return "openhands-state"
    return detect_dialect(value)


def _of_list(value: list[Any]) -> str | None:
    if not value or not all(isinstance(item, Mapping) for item in value):
        return None
    if any(_is_openhands_event(item) for item in value[:20]):
        return "openhands"
    if _is_mini_list(value):
        return "mini-swe-agent"
    return detect_dialect(value)


def _is_mini(info: object) -> bool:
    return isinstance(info, Mapping) and ("mini_version" in info or "exit_status" in info)


def _is_mini_list(messages: list[Any]) -> bool:
    """The bare list of early versions: its commands stand in fences of their own."""
    if messages[0].get("role") != "system":
        return False
    return any(
        isinstance(m.get("content"), str) and "```mswea_" in m["content"] for m in messages[:3]
    )


def _has_gemini(messages: list[Any]) -> bool:
    return any(isinstance(m, Mapping) and m.get("type") == "gemini" for m in messages)


def seen(value: Any) -> str:
    """What a value is, for the message that says that no format was recognised."""
    if isinstance(value, Mapping):
        keys = ", ".join(str(k) for k in list(value)[:8])
        return f"a JSON object with the keys {keys}" if keys else "an empty JSON object"
    if isinstance(value, list):
        return f"a JSON list of {len(value)}, first {seen(value[0])}" if value else "a JSON []"
    return f"a JSON {type(value).__name__}"
