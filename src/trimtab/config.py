"""Settings from `trimtab.toml`: the user's own, and those of the folder that one works in.

Read are the file in the platform's configuration directory and the nearest one in the working
directory or above it. Both count: what either wants redacted is redacted, so that no project can
undo what the user has set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trimtab.errors import InputError

NAME = "trimtab.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the files say.

    Attributes:
        redact: keys, tokens and passwords are replaced before anything is written to the store
            (`redact` of `[store]`).
        pins: texts that must stay word for word wherever somebody says them (`text` of `[[pins]]`).
        tables: the tables whose content their own parts of trimtab read: `summary`, `windows`,
            `resources`. Of a table the project's keys win; lists are joined, the user's
            first. `summary` comes from the user's own file alone: it says where a history is sent
            and which variable holds the key.
        files: the files that were read.
        unknown: one line for each key that means nothing here.
    """

    redact: bool = False
    pins: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    unknown: tuple[str, ...] = ()


_KNOWN: dict[str, dict[str, type]] = {"store": {"redact": bool}}
_TABLES: dict[str, type] = {"summary": dict, "windows": dict, "resources": list, "pins": list}
_OWN = ("summary",)


def settings(directory: str | Path | None = None) -> Settings:
    """The settings that hold in a directory.

    Args:
        directory: the working directory by default.

    Raises:
        InputError: a file cannot be read or is no TOML, or a value is of the wrong kind. Settings
            that protect are not skipped silently.
    """
    files = tuple(_files(Path.cwd() if directory is None else Path(directory)))
    tables = [(file, _table(file)) for file in files]
    return Settings(
        redact=any(table.get("store", {}).get("redact", False) for _, table in tables),
        pins=tuple(dict.fromkeys(e["text"] for _, table in tables for e in table.get("pins", ()))),
        tables=_merged(tables),
        files=files,
        unknown=tuple(line for file, table in tables for line in _unknown(file, table)),
    )


def _merged(tables: list[tuple[Path, dict[str, Any]]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name, kind in _TABLES.items():
        given = [table[name] for file, table in tables if name in table and _may(file, name)]
        if kind is list:
            merged[name] = [item for part in given for item in part]
        else:
            merged[name] = {key: value for part in given for key, value in part.items()}
    return merged


def _may(file: Path, name: str) -> bool:
    """A folder that was fetched from somewhere must not choose where a history is sent."""
    return name not in _OWN or file.parent == _own_folder()


def _files(directory: Path) -> Iterator[Path]:
    own = _own_folder()
    if own is not None and _is_there(own / NAME):
        yield own / NAME
    for folder in (directory.absolute(), *directory.absolute().parents):
        if _is_there(folder / NAME):
            if folder != own:
                yield folder / NAME
            return


def _is_there(file: Path) -> bool:
    try:
        return file.is_file()
    except PermissionError as failure:  # a folder that may not be entered, as after `sudo -u`
        raise InputError(str(file), f"cannot be read ({failure.strerror})") from None


def _own_folder() -> Path | None:
    """The user's: `$XDG_CONFIG_HOME/trimtab` or `~/.config/trimtab` (XDG base directories);
    macOS: `~/Library/Application Support/trimtab`; Windows: `%APPDATA%\\trimtab`.
    """
    try:
        user = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or user / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = user / "Library" / "Application Support"
    else:
        named = os.environ.get("XDG_CONFIG_HOME", "")
        base = Path(named) if os.path.isabs(named) else user / ".config"
    return base / "trimtab"


def _table(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(file.read_text("utf-8-sig"))
    except OSError as failure:
        raise InputError(str(file), f"cannot be read ({failure.strerror})") from None
    except ValueError as failure:  # no TOML, or no UTF-8
        raise InputError(str(file), f"no TOML: {failure}") from None
    for name, known in _KNOWN.items():
        part = table.get(name, {})
        if not isinstance(part, dict):
            raise InputError(str(file), f"{name} is a table: write [{name}] on a line of its own")
        for key, kind in known.items():
            if key in part and not isinstance(part[key], kind):
                raise InputError(str(file), f"{name}.{key} is true or false")
    for name, kind in _TABLES.items():
        part = table.get(name, kind())
        if not isinstance(part, kind):
            written = f"[[{name}]]" if kind is list else f"[{name}]"
            raise InputError(str(file), f"{name}: write {written} on a line of its own")
        if isinstance(part, list) and not all(isinstance(item, dict) for item in part):
            raise InputError(str(file), f"{name}: write [[{name}]] on a line of its own")
    for entry in table.get("pins", ()):
        if not isinstance(entry.get("text"), str) or not entry["text"].strip():
            raise InputError(str(file), "pins.text is the text that must stay word for word")
    return table


def _unknown(file: Path, table: dict[str, Any]) -> Iterator[str]:
    for name, part in table.items():
        if name == "pins":
            for key in sorted({key for entry in part for key in entry} - {"text"}):
                yield f"{file}: pins.{key} is no setting of trimtab's"
        if name in _TABLES:
            if not _may(file, name):
                own = _own_folder()
                there = f" ({own / NAME})" if own is not None else ""
                yield f"{file}: {name} is read from your own file alone{there}"
            continue
        if name not in _KNOWN:
            yield f"{file}: {name} is no setting of trimtab's"
        else:
            for key in part:
                if key not in _KNOWN[name]:
                    yield f"{file}: {name}.{key} is no setting of trimtab's"
