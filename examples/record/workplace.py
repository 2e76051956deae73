"""The repository that a session works on: made anew in a temporary folder, the same each time."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECTS = Path(__file__).resolve().parent / "projects"

NEUTRAL = "/repo"
"""What stands in the recording for the temporary folder."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project and the commits that its repository starts with.

    Attributes:
        name: its folder under `projects/`; files there are named `<path>.txt`, so that no tool
            of this repository takes the projects' code (with its faults) for its own.
        branch: the branch that the session starts on, besides `main`.
        start: date of the first commit, ISO 8601 with offset.
        commits: (message, path beginnings) in order; what is left goes into the last.
        generated: path to content of data files that are computed.
    """

    name: str
    branch: str
    author: str
    email: str
    start: str
    commits: Sequence[tuple[str, Sequence[str]]]
    generated: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Workplace:
    """A folder to work in, and a clock that moves on with each command."""

    root: Path
    project: Project
    environment: dict[str, str]
    now: datetime
    _secrets: list[tuple[str, str]]

    def env(self) -> dict[str, str]:
        """What a command sees: nothing of the caller's own environment."""
        self.now += timedelta(seconds=97)
        stamp = self.now.isoformat()
        return {**self.environment, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}

    def neutral(self, text: str) -> str:
        """`text` without the paths of this machine."""
        for secret, word in self._secrets:
            text = text.replace(secret, word)
        return text


@contextmanager
def workplace(project: Project) -> Iterator[Workplace]:
    """A fresh repository of `project`; removed at the end."""
    with TemporaryDirectory(prefix="record-") as folder:
        base = Path(folder)
        root = base / "repo"
        place = Workplace(
            root,
            project,
            _environment(base, project),
            datetime.fromisoformat(project.start),
            _secrets(base, root),
        )
        _unpack(project, root)
        _commit(place)
        yield place


def _unpack(project: Project, root: Path) -> None:
    source = PROJECTS / project.name
    for file in sorted(source.rglob("*.txt")):
        name = str(file.relative_to(source)).removesuffix(".txt")
        target = root / (".gitignore" if name == "gitignore" else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    for name, content in project.generated.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode("utf-8"))


def _commit(place: Workplace) -> None:
    _git(place, "init", "-q", "-b", "main")
    for number, (message, beginnings) in enumerate(place.project.commits, start=1):
        last = number == len(place.project.commits)
        _git(place, "add", *(["-A"] if last else beginnings))
        place.now += timedelta(days=1, hours=number % 5)
        _git(place, "commit", "-q", "-m", message)
    _git(place, "switch", "-q", "-c", place.project.branch)


def _git(place: Workplace, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=place.root, env=place.env(), check=True)


def _environment(base: Path, project: Project) -> dict[str, str]:
    home, shim = base / "home", base / "bin"
    home.mkdir()
    shim.mkdir()
    python = shim / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    found = [shutil.which(name) for name in ("git", "make", "sh")]
    folders = [str(shim), *(str(Path(path).parent) for path in found if path), "/usr/bin", "/bin"]
    return {
        "PATH": os.pathsep.join(dict.fromkeys(folders)),
        "HOME": str(home),
        "TMPDIR": str(base),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "MAKEFLAGS": "--no-print-directory",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": project.author,
        "GIT_AUTHOR_EMAIL": project.email,
        "GIT_COMMITTER_NAME": project.author,
        "GIT_COMMITTER_EMAIL": project.email,
    }


def _secrets(base: Path, root: Path) -> list[tuple[str, str]]:
    pairs = [
        (str(root.resolve()), NEUTRAL),
        (str(root), NEUTRAL),
        (str(base.resolve()), "/tmp"),
        (str(base), "/tmp"),
        (str(base.resolve() / f"pytest-of-{getpass.getuser()}"), "/tmp/pytest"),
        (sys.executable, "/usr/local/bin/python"),
        (sys.prefix, "/usr/local"),
        (sys.base_prefix, "/usr/local"),
        (f"pytest-of-{getpass.getuser()}", "pytest-of-dev"),
        (str(Path.home()), "/home/dev"),
    ]
    # the longest first: a folder must not be replaced inside of its own subfolder's path
    return sorted(
        ((secret, word) for secret, word in pairs if len(secret) > 3),
        key=lambda pair: -len(pair[0]),
    )
