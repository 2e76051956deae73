"""Rules: which tool names which resource, in which argument, and what it does to it."""

from __future__ import annotations

from dataclasses import dataclass

KINDS: dict[str, str] = {
    "read": "observes the whole of it, or a range",
    "view": "a snapshot of a page, a form or a screen: any newer one of the same replaces it",
    "query": "asks a question: the same call with the same arguments asks it again",
    "write": "changes it: what was read before is stale",
    "both": "changes it and shows the whole as it then is",
    "shell": "a shell command: what it reads and changes is read from it",
    "patch": "a patch in the form of `apply_patch`: it changes the files that it names",
    "window": "shows the numbered lines of a window on the file that its result names (SWE-agent)",
    "none": "nothing that is tracked: switches another rule off",
}
"""Every kind of rule, with what a call of such a tool does."""

NAMES = ("path", "url", "text")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. The first that fits a call counts.

    Attributes:
        tool: names of tools; `*` stands for anything, case does not count, and the prefix of an
            MCP server (`mcp__files__`) may be left out.
        kind: a key of `KINDS`.
        resource: arguments that may name the resource; the first that a call has does. None:
            there is one such resource, called `name`.
        name: the kind of resource, such as `page`; tools that see the same thing share it. By
            default `file` for paths, `url` for addresses, else the tool's name.
        names: how the name is brought to one form: `path`, `url` or `text`.
        range: arguments that narrow what is seen: `first..last`, `start+count`, or one argument
            with both.
        when: arguments and their values that a call must have for the rule to fit.
        items: the argument that holds a list of such resources, where there is one.
        shows: a regular expression; a result without a match shows nothing.
        found: a regular expression with one group, which is the resource's name in the result.
        lines: a result of so many lines or more is cut short without saying so; 0: never.
        fresh: shell: every call starts in the same directory.
    """

    tool: tuple[str, ...]
    kind: str
    resource: tuple[str, ...] = ()
    name: str = ""
    names: str = "path"
    range: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    items: str = ""
    shows: str = ""
    found: str = ""
    lines: int = 0
    fresh: bool = False


Rules = tuple[Rule, ...]
