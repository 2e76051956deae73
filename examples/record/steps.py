"""What a script says: the user's words, and the agent's words with the tools that it calls.

A script is a generator. It yields one `Step` or `User` after the other; a `Step` with calls is
answered by the texts of their results, so that what the script does next may depend on them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    input: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent.

    Attributes:
        text: what it says; may be empty if it calls a tool.
        calls: the tools that it calls at once; none where it hands over to the user.
        expect: strings that the results must hold. The words around the call rely on them, so
            the recorder stops if they are missing.
        beside: what the user says while the tools run; it comes with their results.
    """

    text: str
    calls: tuple[Call, ...] = ()
    expect: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """What the user says."""

    text: str


Results: TypeAlias = tuple[str, ...]
Script: TypeAlias = Generator[Step | User, Results, None]


def user(text: str) -> User:
    """The user speaks."""
    return User(text.strip())


def say(text: str, *calls: Call, expect: str | tuple[str, ...] = (), beside: str = "") -> Step:
    """The agent speaks and calls tools."""
    wanted = (expect,) if isinstance(expect, str) else expect
    return Step(text.strip(), calls, wanted, beside.strip())


def read(path: str, start: int = 0, lines: int = 0) -> Call:
    """Reads a file, or `lines` lines of it from line `start` on (1 is the first)."""
    arguments: dict[str, Any] = {"path": path}
    if start:
        arguments["start"] = start
    if lines:
        arguments["lines"] = lines
    return Call("read_file", arguments)


def write(path: str, content: str) -> Call:
    """Writes a whole file."""
    return Call("write_file", {"path": path, "content": content.lstrip("\n")})


def edit(path: str, old: str, new: str) -> Call:
    """Replaces the one place where `old` stands in a file."""
    return Call("edit_file", {"path": path, "old": old.strip("\n"), "new": new.strip("\n")})


def run(command: str) -> Call:
    """Runs a command in a shell."""
    return Call("run", {"command": command})


def grep(pattern: str, path: str = ".") -> Call:
    """Looks for a regular expression."""
    return Call("grep", {"pattern": pattern, "path": path})


def list_dir(path: str = ".", deep: bool = False) -> Call:
    """Lists a folder."""
    return Call("list_dir", {"path": path, "recursive": True} if deep else {"path": path})


def found(pattern: str, text: str) -> str:
    """The first group of a regular expression that must match: a value out of a result.

    Raises:
        LookupError: it does not match.
    """
    match = re.search(pattern, text)
    if match is None:
        raise LookupError(f"nothing matches {pattern!r} in {text[-300:]!r}")
    return match.group(1)
