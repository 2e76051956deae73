"""Fixtures that several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_sessions() -> Path:
    """The folder of third-party recorded sessions; skips, saying so, where it is absent."""
    folder = Path(os.environ.get("TRIMTAB_SHARED", ROOT.parent / "shared")) / "sessions"
    if not folder.is_dir():
        reason = f"the recorded sessions are not at {folder}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
