"""The paths of the memory tool: which names a path means, and which paths are refused.

A path is taken apart here and never handed to the operating system whole: what leaves this module
is a tuple of names, none of which can lead out of the folder that it is looked up in. The same
paths are refused on every platform and in a store, so that a memory can be moved between them.
"""

from __future__ import annotations

import os
import re
import unicodedata
from urllib.parse import unquote_to_bytes

from trimtab.store.memory_errors import MemoryToolError, shown, unseen

ROOT = "/memories"
LONGEST_PATH = 480
"""Characters of a path, `/memories` included; a store's keys have at most 500."""
LONGEST_NAME = 255
"""Bytes of a name in UTF-8, as the file systems in use allow."""
DEEPEST = 32
"""Folders and file in one path; each is held open while a path is followed."""

Names = tuple[str, ...]
"""The names from the root down; `()` is the root itself."""

TEMPORARY = re.compile(r"\.trimtab-[0-9a-f]{16}\.new")
"""What a file is called while it is written; never a name of the model's."""

_DRIVE = re.compile(r"[A-Za-z]:")
_SEPARATORS = b"/\\\0\xc0\xc1"
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])( *\..*)?", re.IGNORECASE)
_WINDOWS = os.name == "nt"


def names_of(path: str, *, windows: bool = _WINDOWS) -> Names:
    """The names that a path of the model's means, in Unicode's composed form (NFC).

    `.` and empty names are left out and `..` goes up, as far as the root and no further.
    Full-width dots and slashes, and other look-alikes, are letters of a name.

    Args:
        path: as the model wrote it.
        windows: refuse what Windows alone takes for a device or a stream of a file.

    Raises:
        MemoryToolError: it is not below `/memories`, or holds a name that is refused: one that
            some system or some decoder would take for a way out (backslash, drive letter,
            percent-encoded dots and slashes, a dot or space at the end), that cannot be shown
            (control characters), or that is too long.
    """
    if not (path == ROOT or path.startswith(ROOT + "/")):
        raise MemoryToolError(f"Path must start with {ROOT}, got: {shown(path)}")
    if any(map(unseen, path)):
        raise _invalid(path, "a name holds a control character")
    names: list[str] = []
    for name in path[len(ROOT) :].split("/"):
        if name in ("", "."):
            continue
        if name != "..":
            name = unicodedata.normalize("NFC", name)
            _check(path, name, windows)
            names.append(name)
        elif names:
            names.pop()
        else:
            raise _escape(path)
    found = tuple(names)
    if len(found) > DEEPEST:
        raise _invalid(path, f"at most {DEEPEST} names may follow one another")
    if len(path_of(found)) > LONGEST_PATH:
        raise _invalid(path, f"it has more than {LONGEST_PATH} characters")
    return found


def path_of(names: Names) -> str:
    """The path that means these names."""
    return "/".join((ROOT, *names))


def is_name(name: str) -> bool:
    """A path of the model's can hold this name: what cannot be named is not listed."""
    if name in ("", ".", "..") or "/" in name:
        return False
    try:
        names_of(f"{ROOT}/{name}")
    except MemoryToolError:
        return False
    return True


def _check(path: str, name: str, windows: bool) -> None:
    if len(name.encode()) > LONGEST_NAME:
        raise _invalid(path, f"a name has more than {LONGEST_NAME} bytes")
    if "\\" in name or _DRIVE.match(name) or _hides_a_way_out(name):
        raise _escape(path)
    if name[-1] in ". ":
        raise _invalid(path, "a name ends in a dot or a space")
    if TEMPORARY.fullmatch(name.lower()):
        raise _invalid(path, "the name is kept for files that are being written")
    if windows and (":" in name or _DEVICE.fullmatch(name)):
        raise _escape(path)


def _hides_a_way_out(name: str) -> bool:
    """Percent-decoded as often as it changes, the name is `.` or `..`, or holds a separator.

    Nothing here decodes, but what stands behind a mount or a proxy might. The overlong UTF-8 forms
    of `.` and `/` begin with the bytes C0 and C1, which no text has.
    """
    data, before = name.encode(), b""
    while data != before:
        data, before = unquote_to_bytes(data), data
    return data in (b".", b"..") or any(byte in _SEPARATORS for byte in data)


def _escape(path: str) -> MemoryToolError:
    return MemoryToolError(f"Path {shown(path)} would escape {ROOT} directory")


def _invalid(path: str, reason: str) -> MemoryToolError:
    return MemoryToolError(f"Invalid path {shown(path)}: {reason}")
