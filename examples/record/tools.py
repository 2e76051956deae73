"""The six tools of the loop: they work on one folder and really do what they say."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.record.steps import Call

HEAD, TAIL = 13_000, 6_000
"""Characters of a long output that are shown from its beginning and from its end."""

SECONDS = 120
"""How long a command may run."""

STRING = {"type": "string"}
NUMBER = {"type": "integer", "minimum": 1}

SCHEMAS: tuple[tuple[str, str, dict[str, Any], tuple[str, ...]], ...] = (
    (
        "read_file",
        "Read a text file of the repository. Gives numbered lines; "
        "`start` and `lines` choose a part.",
        {"path": STRING, "start": NUMBER, "lines": NUMBER},
        ("path",),
    ),
    (
        "write_file",
        "Write a whole text file; folders are made as needed.",
        {"path": STRING, "content": STRING},
        ("path", "content"),
    ),
    (
        "edit_file",
        "Replace `old` by `new` in a file. `old` must occur exactly once.",
        {"path": STRING, "old": STRING, "new": STRING},
        ("path", "old", "new"),
    ),
    (
        "run",
        "Run a shell command at the root of the repository. Gives its output, and its exit code "
        "unless 0.",
        {"command": STRING},
        ("command",),
    ),
    (
        "grep",
        "Search the files under `path` for a regular expression. Gives path:line:text.",
        {"pattern": STRING, "path": STRING},
        ("pattern",),
    ),
    (
        "list_dir",
        "List a folder with the sizes of its files in bytes.",
        {"path": STRING, "recursive": {"type": "boolean"}},
        ("path",),
    ),
)
"""Name, description, properties and required properties of each tool."""


class ToolError(Exception):
    """A tool could not do what was asked; the agent is told why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call."""

    text: str
    failed: bool = False


def schema(properties: Mapping[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def use(call: Call, root: Path, env: Mapping[str, str]) -> Outcome:
    """Does what a call asks in the folder `root`; commands see `env` alone."""
    try:
        if call.tool == "run":
            return _run(call.input["command"], root, env)
        return Outcome(_shorten(_TOOLS[call.tool](root, **call.input)))
    except (ToolError, OSError) as error:
        return Outcome(f"error: {error}", failed=True)


def _run(command: str, root: Path, env: Mapping[str, str]) -> Outcome:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=root,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    text = _shorten(done.stdout.decode("utf-8", "replace").rstrip("\n"))
    if done.returncode:
        return Outcome(f"{text}\n[exit {done.returncode}]".lstrip("\n"), failed=True)
    return Outcome(text or "[no output]")


def _read_file(root: Path, path: str, start: int = 1, lines: int = 0) -> str:
    content = _inside(root, path).read_text(encoding="utf-8").splitlines()
    stop = start - 1 + lines if lines else len(content)
    chosen = content[start - 1 : stop]
    numbered = [f"{number:>5}\t{line}" for number, line in enumerate(chosen, start)]
    if stop < len(content):
        numbered.append(f"[{len(content)} lines in all]")
    return "\n".join(numbered)


def _write_file(root: Path, path: str, content: str) -> str:
    target = _inside(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8")
    return f"wrote {path}: {content.count(chr(10))} lines"


def _edit_file(root: Path, path: str, old: str, new: str) -> str:
    target = _inside(root, path)
    content = target.read_text(encoding="utf-8")
    times = content.count(old)
    if times != 1:
        raise ToolError(f"`old` occurs {times} times in {path}; it must occur once")
    target.write_text(content.replace(old, new), encoding="utf-8")
    first = content[: content.index(old)].count("\n") + 1
    return f"edited {path} at line {first}: {_lines(old)} lines became {_lines(new)}"


def _grep(root: Path, pattern: str, path: str = ".") -> str:
    regex = re.compile(pattern)
    hits = []
    for file in _files(_inside(root, path)):
        text = file.read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), start=1):
            if regex.search(line):
                hits.append(f"{file.relative_to(root.resolve())}:{number}:{line.strip()}")
    return "\n".join(hits) or "no match"


def _list_dir(root: Path, path: str, recursive: bool = False) -> str:
    folder = _inside(root, path)
    if not folder.is_dir():
        raise ToolError(f"{path} is not a folder")
    if recursive:
        found = _files(folder)
        return "\n".join(f"{f.stat().st_size:>8}  {f.relative_to(folder)}" for f in found)
    entries = sorted(e for e in folder.iterdir() if e.name != ".git")
    return "\n".join(
        f"{'-':>8}  {e.name}/" if e.is_dir() else f"{e.stat().st_size:>8}  {e.name}"
        for e in entries
    )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*") if p.is_file() and ".git" not in p.parts)


def _inside(root: Path, path: str) -> Path:
    target = (root / path).resolve()
    if not target.is_relative_to(root.resolve()):
        raise ToolError(f"{path} is outside of the repository")
    return target


def _lines(text: str) -> int:
    return text.count("\n") + 1


def _shorten(text: str) -> str:
    if len(text) <= HEAD + TAIL:
        return text
    left_out = len(text) - HEAD - TAIL
    return f"{text[:HEAD]}\n[... {left_out} characters left out ...]\n{text[-TAIL:]}"


_TOOLS: dict[str, Callable[..., str]] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "edit_file": _edit_file,
    "grep": _grep,
    "list_dir": _list_dir,
}
