"""One name for one thing: paths, addresses and arguments brought to one form."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urldefrag, urlsplit, urlunsplit

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_LONGEST = 200
ASIDE = frozenset(
    {"description", "timeout", "summary", "security_risk", "thought", "explanation", "reason"}
    | {
        "toolSummary",
        "toolAction",
        "is_background",
        "run_in_background",
        "justification",
        "yield_time_ms",
    }
)
"""Arguments that say nothing of what is asked."""


def path(name: str, directory: str = "") -> str:
    """A path without `.`, `..`, doubled and closing slashes; case is kept.

    Args:
        directory: what a relative one is relative to; empty: it stays relative. One that begins
            with `?` is not known: nothing leads out of it.
    """
    name = name.strip()
    if name.startswith("file://"):
        name = name[7:]
    if _DRIVE.match(name):
        name = name.replace("\\", "/")
    elif directory and not name.startswith(("/", "~")):
        if directory.startswith("?"):
            return f"{directory}/{posixpath.normpath(name)}"
        name = f"{directory}/{name}"
    flat = posixpath.normpath(name) if name else "."
    return flat[1:] if flat.startswith("//") else flat


def url(name: str) -> str:
    """An address without its fragment; scheme and host in lower case."""
    try:
        parts = urlsplit(urldefrag(name.strip()).url)
    except ValueError:  # as in `http://[`
        return name.strip()
    return urlunsplit(
        (parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, "")
    )


def arguments(
    given: Mapping[str, Any], named: tuple[str, ...] = (), form: Callable[[str], str] = str
) -> str:
    """Arguments as one text, the same for the same question: sorted, without what says nothing.

    Args:
        named: those that name a thing.
        form: brings such a name to one form.
    """
    told = []
    for key in sorted(given):
        value = given[key]
        if key in ASIDE or value is None or value == "" or value is False:
            continue
        if isinstance(value, str):
            shown = form(value) if key in named else value
        else:
            shown = json.dumps(value, ensure_ascii=False, sort_keys=True)
        told.append(f"{key}={shown}")
    return ", ".join(told)


def short(text: str) -> str:
    """`text` on one line; a long one is cut and tells itself apart by a hash of the whole."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{line[:100]}… #{mark}"
