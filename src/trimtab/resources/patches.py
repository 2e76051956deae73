"""The files that a patch in the form of `apply_patch` changes."""

from __future__ import annotations

import re

_FILE = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)


def patched(text: str) -> list[str]:
    """The names that the patch says, in order, each once."""
    return list(dict.fromkeys(_FILE.findall(text)))
