"""A real PostgreSQL server for the tests: a cluster of its own, on a socket of its own."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

_numbers = itertools.count(1)


def new_url() -> str:
    """The URL of a schema that nobody else has. Skips where PostgreSQL is not installed.

    With `CI` in the environment that is a failure.
    """
    try:
        server = _server()
    except FileNotFoundError as absent:
        if os.environ.get("CI"):
            pytest.fail(str(absent))
        pytest.skip(str(absent))
    return f"{server}&schema=t{os.getpid()}_{next(_numbers)}"


def binaries() -> Path:
    """Debian's folder of the newest version, or where `initdb` is on the PATH."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    anywhere = shutil.which("initdb")
    if found:
        return found[-1].parent
    if anywhere:
        return Path(anywhere).resolve().parent
    raise FileNotFoundError("PostgreSQL's server is not installed (Debian: postgresql)")


@cache
def _server() -> str:
    """Start the server, once a process; it stops when the process ends."""
    programs = binaries()
    folder = Path(tempfile.mkdtemp(prefix="trimtab-pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # The server refuses to run as root; Debian's package brings a user for it.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user, user)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder), "TZ": "UTC"}

    errors = (folder / "errors").open("ab")
    atexit.register(errors.close)

    def start(*command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            user=user,
            group=user,
            extra_groups=[] if user else None,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )

    data = folder / "data"
    made = start(
        str(programs / "initdb"), "--pgdata", str(data), "--username", "trimtab", "--auth", "trust",
        "--encoding", "UTF8", "--no-locale", "--no-sync",
    )  # fmt: skip
    if made.wait(60):
        raise RuntimeError((folder / "errors").read_text())
    # Nothing here cuts the power: fsync would only make the tests slow.
    server = start(
        str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses=",
        "-c", "fsync=off", "-c", "shared_buffers=64MB", "-c", "max_connections=40",
    )  # fmt: skip
    atexit.register(_stop, server)
    socket = folder / ".s.PGSQL.5432"
    for _ in range(600):
        if socket.exists() and not _refuses(programs, folder):
            return f"postgresql://trimtab@/postgres?host={folder}"
        if server.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError((folder / "errors").read_text())


def _refuses(programs: Path, folder: Path) -> bool:
    asked = [str(programs / "pg_isready"), "--quiet", "--host", str(folder)]
    return subprocess.run(asked, check=False).returncode != 0


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGINT)  # at once, but cleanly
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
