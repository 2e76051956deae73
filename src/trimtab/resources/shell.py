"""What a shell command reads and changes, where that can be told from its words for certain."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trimtab.resources.naming import path
from trimtab.resources.spans import END, Span
from trimtab.resources.words import Word, words

_SILENT = frozenset(
    {"cd", "export", "set", "unset", "mkdir", "touch", "true", "sleep", "source", "."}
)
_SILENT_TOO = frozenset({"echo", "printf", "chmod", "alias", "umask"})
_QUERIES = frozenset(
    {"ls", "tree", "find", "fd", "grep", "egrep", "fgrep", "rg", "ag", "wc", "file", "stat", "du"}
    | {"which", "pwd", "diff", "cut", "awk", "jq", "cat", "nl", "head", "tail", "sed", "bat"}
)
_GIT = frozenset(
    {"status", "diff", "log", "show", "ls-files", "blame", "grep", "rev-parse", "describe"}
)
_FILTERS = frozenset(
    {
        "head",
        "tail",
        "sed",
        "grep",
        "egrep",
        "rg",
        "wc",
        "sort",
        "uniq",
        "cut",
        "nl",
        "cat",
        "tr",
        "jq",
    }
    | {"column", "less", "more"}
)
_ACTING = {
    "find": ("-delete", "-exec", "-ok", "-fprint", "-fls"),
    "fd": ("-x", "-X", "--exec"),
}
_WORDS_OF_THE_SHELL = frozenset(
    {
        "if",
        "then",
        "else",
        "fi",
        "for",
        "while",
        "do",
        "done",
        "case",
        "esac",
        "function",
        "until",
        "{",
        "}",
    }
)
_NUMBER = re.compile(r"-(?:n)?(\d+)")
_SED_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_ASSIGNMENT = re.compile(r"\w+=")


@dataclass(slots=True)
class Act:
    """One thing that a command reads (`kind` is `read` or `query`) or changes (`write`)."""

    kind: str
    name: str
    span: Span | None = None


@dataclass(slots=True)
class Command:
    """What a command does.

    Attributes:
        acts: in order; reads only where the output shows nothing else.
        directory: where the shell is afterwards; `None`: not known.
    """

    acts: list[Act] = field(default_factory=list)
    directory: str | None = None


def read_command(command: str, directory: str) -> Command:
    """Take a command apart.

    Args:
        directory: where it runs; relative names are relative to it.
    """
    found = words(command)
    if found is None or any(not w.operator and w.text in _WORDS_OF_THE_SHELL for w in found):
        return Command(
            directory=None if re.search(r"\b(?:cd|pushd|popd)\b", command) else directory
        )
    made = Command(directory=directory)
    clear = True
    for pipeline, joint in _pipelines(found):
        clear = clear and joint not in ("||", "&")
        here = made.directory
        acts, known = _pipeline(pipeline, here)
        clear = clear and known
        made.acts += acts
        if pipeline and pipeline[0] and pipeline[0][0].text in ("cd", "pushd", "popd"):
            made.directory = _changed(pipeline[0], here)
    if any(word.operator and word.text == "||" for word in found):
        made.acts.clear()  # which of them ran is not known
    if not clear or "<<" in command:
        made.acts = [act for act in made.acts if act.kind == "write"]
    return made


def _pipelines(found: list[Word]) -> list[tuple[list[list[Word]], str]]:
    """The pipelines of simple commands, each with the operator behind it."""
    made: list[tuple[list[list[Word]], str]] = []
    commands: list[list[Word]] = [[]]
    for word in found:
        if word.operator and word.text in ("&&", "||", ";", "&"):
            made.append((commands, word.text))
            commands = [[]]
        elif word.operator and word.text in ("|", "|&"):
            commands.append([])
        else:
            commands[-1].append(word)
    made.append((commands, ""))
    return [(commands, joint) for commands, joint in made if commands != [[]]]


def _changed(command: list[Word], directory: str | None) -> str | None:
    """The directory after `cd`."""
    if len(command) != 2 or command[0].text != "cd" or not command[1].plain:
        return None
    target = command[1].text
    if target.startswith(("/", "~")):
        return path(target)
    return None if directory is None or target == "-" else path(target, directory)


def _pipeline(commands: list[list[Word]], directory: str | None) -> tuple[list[Act], bool]:
    """What a pipeline does, and whether nothing else can be in its output."""
    acts: list[Act] = []
    stripped: list[list[Word]] = []
    silent = False
    for command in commands:
        kept, changed, away = _redirected(command)
        while kept and _ASSIGNMENT.match(kept[0].text):
            kept = kept[1:]
        acts += [
            Act("write", _place(word, directory)) for word in changed if _named(word, directory)
        ]
        silent = silent or away
        if kept and kept[0].text == "tee":
            files = [word for word in kept[1:] if not word.text.startswith("-")]
            acts += [
                Act("write", _place(word, directory)) for word in files if _named(word, directory)
            ]
            kept = [Word("cat")]
        stripped.append(kept)
    if not stripped or not stripped[0]:
        return acts, True
    name = stripped[0][0].text
    changes = _changes(stripped[0], directory)
    if changes is not None:
        return acts + changes, True
    if name in _SILENT or name in _SILENT_TOO or name == "cd":
        return acts, len(stripped) == 1
    reads = [] if directory is None else _reads(stripped, directory)
    if silent:
        return acts, bool(reads)
    return acts + reads, bool(reads)


def _redirected(command: list[Word]) -> tuple[list[Word], list[Word], bool]:
    """The command without redirections, the files it writes to, and whether its output went."""
    kept: list[Word] = []
    changed: list[Word] = []
    away = False
    at = 0
    while at < len(command):
        word = command[at]
        if not word.operator:
            kept.append(word)
            at += 1
            continue
        stream = ""
        if kept and kept[-1].text in ("1", "2") and word.text in (">", ">>", ">&", ">|"):
            stream = kept.pop().text
        target = command[at + 1] if at + 1 < len(command) else Word("")
        at += 2
        if word.text in ("<", "<<<"):  # part of what is asked, but no operand
            kept.append(Word(f"<{target.text}", plain=False))
        if word.text in ("<", "<<<", "<&", ">&"):
            continue
        away = away or stream != "2"
        if not target.text.startswith("/dev/"):
            changed.append(target)
    return kept, changed, away


def _changes(command: list[Word], directory: str | None) -> list[Act] | None:
    """The files that a command changes; `None` for one that changes none that can be named."""
    name = command[0].text
    operands = [word for word in command[1:] if not word.text.startswith("-")]
    options = [word.text for word in command[1:] if word.text.startswith("-")]
    files: list[Word]
    if name in ("rm", "truncate") or name == "mv":
        files = operands
    elif name == "cp":
        files = operands[-1:]
    elif name == "sed" and any(o.startswith(("-i", "--in-place")) for o in options):
        scripted = any(o in ("-e", "-f") for o in options)
        files = [] if scripted else operands[1:]
    elif name == "git" and operands and operands[0].text in ("checkout", "restore", "rm", "mv"):
        texts = [word.text for word in command]
        files = command[texts.index("--") + 1 :] if "--" in texts else operands[1:]
    else:
        return None
    return [Act("write", _place(word, directory)) for word in files if _named(word, directory)]


def _reads(commands: list[list[Word]], directory: str) -> list[Act]:
    """What a pipeline shows; empty where that is not certain."""
    first, *rest = commands
    if any(not c or c[0].text not in _FILTERS or _acts(c) for c in rest):
        return []
    if any("$" in w.text and not w.plain for c in commands for w in c):
        return []
    files = _files(first, directory)
    if files and not rest:
        return files
    if files and len(rest) == 1 and len(files) == 1 and files[0].span is None:
        span = _span(rest[0])
        if span is not None:
            return [Act("read", files[0].name, span)]
    if _asks(first):
        told = " | ".join(" ".join(word.text for word in command) for command in commands)
        return [Act("query", f"{told} (in {directory})" if directory else told)]
    return []


def _asks(command: list[Word]) -> bool:
    """The command only looks."""
    name = command[0].text
    if name == "git":
        rest = [word.text for word in command[1:]]
        if rest[:1] == ["-C"]:
            rest = rest[2:]
        rest = [word for word in rest if word != "--no-pager"]
        return bool(rest) and rest[0] in _GIT and not _acts(command)
    return name in _QUERIES and not _acts(command) and not (name == "tail" and _follows(command))


def _acts(command: list[Word]) -> bool:
    """The command can change something all the same."""
    name = command[0].text
    texts = [word.text for word in command[1:]]
    if name == "sed":
        return any(text.startswith(("-i", "--in-place")) for text in texts)
    if name == "sort":
        return any(text.startswith(("-o", "--output")) for text in texts)
    if name == "awk":
        return any(">" in text or "system" in text for text in texts)
    return any(text.startswith(_ACTING.get(name, ("--output",))) for text in texts)


def _follows(command: list[Word]) -> bool:
    return any(word.text in ("-f", "-F", "--follow") for word in command)


def _files(command: list[Word], directory: str) -> list[Act]:
    """The files that `cat`, `head`, `tail`, `nl`, `sed -n` show, with the range."""
    name = command[0].text
    if name in ("cat", "bat", "nl"):
        options = [w.text for w in command[1:] if w.text.startswith("-")]
        if name == "bat" and options:
            return []
        operands = [w for w in command[1:] if not w.text.startswith("-")]
        if name == "nl" and "-b" in options:
            operands = operands[1:]
        return _named_files(operands, directory, None)
    if name in ("head", "tail") and not _follows(command):
        span = _span(command)
        operands = _operands(command)
        return _named_files(operands, directory, span) if span and len(operands) == 1 else []
    if name == "sed" and command[1:2] and command[1].text == "-n" and len(command) == 4:
        span = _span(command[:3])
        return _named_files(command[3:], directory, span) if span else []
    return []


def _named_files(operands: list[Word], directory: str, span: Span | None) -> list[Act]:
    if not operands or not all(_named(word, directory) for word in operands):
        return []
    return [Act("read", _place(word, directory), span) for word in operands]


def _operands(command: list[Word]) -> list[Word]:
    """The operands of `head` and `tail`, without the number of lines."""
    kept = []
    skip = False
    for word in command[1:]:
        if skip:
            skip = False
        elif word.text in ("-n", "-c"):
            skip = True
        elif not word.text.startswith(("-", "+")):
            kept.append(word)
    return kept


def _span(command: list[Word]) -> Span | None:
    """The lines that `head`, `tail` or `sed -n` lets through."""
    name = command[0].text
    texts = [word.text for word in command[1:]]
    if name == "sed":
        found = _SED_RANGE.fullmatch(texts[1]) if len(texts) >= 2 and texts[0] == "-n" else None
        if not found:
            return None
        first = int(found[1])
        return first, END if found[2] == "$" else int(found[2] or first)
    if name not in ("head", "tail") or any(text.startswith("-c") for text in texts):
        return None
    count = 10
    for at, text in enumerate(texts):
        given = texts[at + 1] if text == "-n" and at + 1 < len(texts) else ""
        if name == "tail" and given.startswith("+") and given[1:].isdigit():
            return int(given[1:]), END
        if given.isdigit():
            count = int(given)
        elif found := _NUMBER.fullmatch(text):
            count = int(found[1])
        elif text.startswith("-") and text not in ("-n", "-q"):
            return None
    return (1, count) if name == "head" else (-count, -1)


def _named(word: Word, directory: str | None) -> bool:
    """The word names one file."""
    return word.plain and bool(word.text) and (directory is not None or word.text.startswith("/"))


def _place(word: Word, directory: str | None) -> str:
    return path(word.text, directory or "")
