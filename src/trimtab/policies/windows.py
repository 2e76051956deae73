"""Windows by kind of work: how many pairs stay (N) and are told (W), by the tools that are used.

    [windows.coding]
    N = 8
    W = 3
    tools = ["bash", "read*"]

The category of a session is decided once, when its first `DECIDES` calls are seen: the one whose
patterns match most of them. It does not change after that, whatever is called later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from trimtab.config import Settings
from trimtab.errors import InputError
from trimtab.history.log import History
from trimtab.history.tool_uses import tool_uses

DECIDES = 8
"""Calls that are seen before the category is decided."""
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of work.

    Attributes:
        name: as in `[windows.NAME]`.
        N, W: as in `prune`.
        tools: patterns of tool names (`*` and `?`), matched without regard to case.
    """

    name: str
    N: int
    W: int
    tools: tuple[str, ...]

    def matches(self, tool: str) -> bool:
        """A tool of this name speaks for this category."""
        return any(fnmatchcase(tool.lower(), pattern.lower()) for pattern in self.tools)


Windows = tuple[Category, ...]
"""The categories; of two that match the same number of calls the first one holds."""

DEFAULT: Windows = (
    Category(
        "coding",
        8,
        3,
        (
            *("bash*", "*shell*", "exec*", "execute*", "run", "run_*", "terminal*", "python*"),
            *("read*", "edit*", "write*", "multiedit", "str_replace*", "apply_*", "create*"),
            *("grep*", "glob*", "ls", "list_*", "find_file*", "open", "goto", "scroll_*", "view*"),
            *("notebook*", "search_dir", "search_file", "submit", "think", "todo*", "update_plan"),
        ),
    ),
    Category(
        "browser",
        4,
        3,
        (
            *("browser*", "*navigate*", "*click*", "*screenshot*", "*scroll", "page_*", "go_to*"),
            *(
                "type",
                "type_*",
                "press*",
                "hover*",
                "fill*",
                "select_option*",
                "computer*",
                "tab_*",
            ),
        ),
    ),
    Category(
        "business",
        5,
        3,
        (
            *("*form*", "*record*", "*invoice*", "*order*", "*customer*", "*expense*", "*entity*"),
            *("*account*", "*ticket*", "*booking*", "*calendar*", "*mail*", "crm*", "erp*", "sql*"),
        ),
    ),
    Category(
        "research",
        6,
        -1,
        ("*search*", "web*", "*fetch*", "*wiki*", "*arxiv*", "*paper*", "*crawl*", "*lookup*"),
    ),
)
"""N and W by kind of work, where `trimtab.toml` says nothing else: code is read in more than one
place at a time, a page replaces the page before it, and research is told in full. `trimtab tune`
finds better ones for recorded sessions."""


def windows_of(settings: Settings) -> Windows:
    """The categories that hold: those of `[windows]`, then the defaults of other names.

    A table of a default's name may leave out keys, which then have the default's values.

    Raises:
        InputError: a table is not as it should be; it names the key.
    """
    given = settings.tables.get("windows", {})
    known = {category.name: category for category in DEFAULT}
    own = [_category(name, table, known.get(name)) for name, table in given.items()]
    return (*own, *(category for category in DEFAULT if category.name not in given))


def _category(name: str, table: Any, default: Category | None) -> Category:
    where = "trimtab.toml"
    if not isinstance(table, Mapping):
        raise InputError(where, f"windows.{name}: write [windows.{name}] on a line of its own")
    for key in table:
        if key not in ("N", "W", "tools"):
            raise InputError(where, f"windows.{name}.{key} is no key; there are N, W, tools")
    for key in ("N", "W", "tools"):
        if key not in table and default is None:
            raise InputError(where, f"windows.{name}.{key} is missing: write {key} = ...")
    values: dict[str, Any] = {}
    for key, least in (("N", 0), ("W", -1)):
        value = table.get(key, getattr(default, key, None))
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
            raise InputError(where, f"windows.{name}.{key} is a whole number of {least} or more")
        values[key] = value
    tools = table.get("tools", default.tools if default is not None else ())
    if not isinstance(tools, list | tuple) or not all(isinstance(t, str) and t for t in tools):
        raise InputError(
            where, f'windows.{name}.tools is a list of names, such as ["bash", "read*"]'
        )
    return Category(name, values["N"], values["W"], tuple(tools))


@dataclass(slots=True)
class _Decided:
    category: Category | None = None
    done: bool = field(default=False)


def category_of(history: History, windows: Windows = DEFAULT) -> Category | None:
    """The category of a session by its first calls; `None` before they are seen, or for none.

    Args:
        history: what is appended to it later does not change the answer, once there is one.
    """
    state = history.derived(("category", windows), _Decided)
    if not state.done:
        uses = tool_uses(history)
        if len(uses) < DECIDES:
            return None
        state.category = most_used([use.name for use in uses[:DECIDES]], windows)
        state.done = True
    return state.category


def is_decided(history: History) -> bool:
    """The calls that decide a category are seen."""
    return len(tool_uses(history)) >= DECIDES


def most_used(tools: list[str], windows: Windows = DEFAULT) -> Category | None:
    """The category that most of the named calls speak for; `None` where none does."""
    votes = [(sum(map(category.matches, tools)), category) for category in windows]
    best = max(votes, key=lambda vote: vote[0], default=(0, None))
    return best[1] if best[0] else None
