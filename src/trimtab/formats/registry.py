"""All formats by name: what each is, and whether it is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes:
        kind: `wire` for what a provider takes, `transcript` for what an agent records.
        reads, writes: what trimtab does with it.
        about: one line for people.
    """

    kind: Literal["wire", "transcript"]
    reads: bool
    writes: bool
    about: str


def _wire(about: str) -> Format:
    return Format("wire", True, True, about)


def _transcript(about: str) -> Format:
    return Format("transcript", True, False, about)


FORMATS: Mapping[str, Format] = {
    "anthropic": _wire("Anthropic Messages: a request, or its list of messages"),
    "openai": _wire("OpenAI Chat Completions: a request, or its list of messages"),
    "responses": _wire("OpenAI Responses: a request, or its list of items"),
    "neutral": _wire("one message a line: role, content, optional id and required"),
    "claude-code": _transcript("Claude Code project JSONL, with sidechains and branches"),
    "codex": _transcript("Codex rollouts"),
    "gemini-cli": _transcript("Gemini CLI chats, JSON and JSONL"),
    "opencode": _transcript("opencode: export, JSON storage, and the SQLite database"),
    "pi": _transcript("pi sessions, a tree of entries"),
    "openhands": _transcript("OpenHands event logs, and conversation folders"),
    "cline": _transcript("Cline sessions"),
    "swe-agent": _transcript("SWE-agent trajectories (.traj)"),
    "mini-swe-agent": _transcript("mini-swe-agent trajectories (.traj.json)"),
}
