"""The command line, run in this process or in one of its own, with a home that no test shares."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from trimtab.cli.root import trimtab
from trimtab.store.open import open_store
from trimtab.store.protocol import Store

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "examples" / "sessions" / "records.neutral.jsonl"


@dataclass(frozen=True, slots=True)
class Command:
    """`trimtab`, with `home` as the user's home and the store in it."""

    home: Path

    @property
    def env(self) -> dict[str, str | None]:
        """Nothing of the real user's."""
        agents = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME")
        more = ("PI_CODING_AGENT_DIR", "OH_PERSISTENCE_DIR", "XDG_CONFIG_HOME", "COLUMNS")
        plain = ("FORCE_COLOR", "NO_COLOR", "TRIMTAB_DEBUG", "TRIMTAB_STORE")
        return {
            **dict.fromkeys((*agents, *more, *plain)),
            "HOME": str(self.home),
            "TRIMTAB_HOME": str(self.home / "trimtab"),
        }

    def __call__(
        self, *args: object, input: str | bytes | None = None, **env: str | None
    ) -> Result:
        """Run it in this process."""
        self.home.mkdir(exist_ok=True)
        words = [str(arg) for arg in args]
        return CliRunner().invoke(trimtab, words, input=input, env={**self.env, **env})

    def json(self, *args: object, exit: int = 0, input: str | bytes | None = None) -> Any:
        """What it prints as JSON; the exit status must be as expected."""
        result = self(*args, input=input)
        assert result.exit_code == exit, result.output
        return json.loads(result.stdout_bytes)

    def refused(self, *args: object, exit: int = 2, input: str | bytes | None = None) -> str:
        """The one line on standard error of a run that fails without any other word."""
        result = self(*args, input=input)
        assert result.exit_code == exit, result.output
        assert result.stdout_bytes == b""
        (line,) = result.stderr.splitlines()
        assert line.startswith("trimtab: ")
        return line.removeprefix("trimtab: ")

    def apart(
        self, *args: object, input: bytes | None = None, **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `python -m trimtab` in a process of its own."""
        self.home.mkdir(exist_ok=True)
        ours = {key: value for key, value in self.env.items() if value is not None}
        inherited = {k: v for k, v in os.environ.items() if k not in self.env}
        return subprocess.run(
            [sys.executable, "-m", "trimtab", *map(str, args)],
            input=input,
            capture_output=True,
            timeout=120,
            env={**inherited, **ours, **env},
            check=False,
        )

    @property
    def place(self) -> Path:
        """The store's file."""
        return self.home / "trimtab" / "trimtab.db"

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store, open."""
        with open_store(self.place) as store:
            yield store

    @property
    def blocks(self) -> list[str]:
        """The ids of the blocks in the store; none if there is no store."""
        if not self.place.exists():
            return []
        with self.store() as store:
            return list(store.block_ids())


def chat(*pairs: tuple[str, str]) -> dict[str, Any]:
    """A Chat Completions request of plain messages."""
    return {
        "model": "gpt-4o",
        "messages": [{"role": role, "content": content} for role, content in pairs],
    }


def session_with_tools() -> dict[str, Any]:
    """An Anthropic request: a system prompt, two reads of one file, a write, an error."""
    text = "line of the file\n" * 40
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "system": "You mend clocks.",
        "tools": [{"name": "read", "description": "Read a file", "input_schema": {}}],
        "messages": [
            {"role": "user", "content": "Read a.txt, then say what is in it."},
            *_round("t1", "read", {"path": "a.txt"}, text),
            *_round("t2", "write", {"path": "a.txt", "text": "new"}, "ok"),
            *_round("t3", "read", {"path": "a.txt"}, text.replace("line", "row")),
            *_round("t4", "run", {"cmd": "make"}, "make: *** no rule", error=True),
            *_round("t5", "run", {"cmd": "make"}, "done"),
            {"role": "assistant", "content": "It holds rows."},
        ],
    }


def _round(
    id: str, tool: str, given: dict[str, Any], answer: str, *, error: bool = False
) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": id, "name": tool, "input": given}
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": id, "content": answer}
    if error:
        result["is_error"] = True
    return [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]


def written(folder: Path, value: Any, name: str = "session.json") -> Path:
    """A file that holds a JSON value."""
    path = folder / name
    path.write_text(json.dumps(value), "utf-8")
    return path
