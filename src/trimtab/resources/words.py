"""A shell command as words: what is quoted, what is an operator, what only the shell knows.

Only plain commands are taken apart. Where a part is computed (`$(...)`, a backtick, a loop, a
group), nothing is said of the whole command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPERATORS = ("&&", "||", "|&", "&>>", "&>", ">>", "<<<", ">&", "<&", ">|", ";", "|", "&", ">", "<")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Word:
    """One word or operator.

    Attributes:
        text: without its quotes.
        operator: it joins commands or redirects.
        plain: nothing in it is a variable or a pattern.
    """

    text: str
    operator: bool = False
    plain: bool = True


def words(command: str) -> list[Word] | None:
    """The words of a command; `None` where it cannot be taken apart with certainty."""
    text = _without_heredocs(command) if len(command) <= 50 * _LONGEST else None
    if text is None or len(text) > _LONGEST or "$(" in text or "`" in text:
        return None
    found: list[Word] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\n":
            found.append(Word(";", operator=True))
            at += 1
        elif char in " \t\r":
            at += 1
        elif char == "\\" and text[at + 1 : at + 2] == "\n":
            at += 2
        elif char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif char in "()":
            return None
        else:
            operator = next((op for op in _OPERATORS if text.startswith(op, at)), "")
            if operator:
                found.append(Word(operator, operator=True))
                at += len(operator)
                continue
            word = _word(text, at)
            if word is None:
                return None
            made, at = word
            found.append(made)
    return found


def _without_heredocs(command: str) -> str | None:
    """The command without the texts that are fed to it; `None` where one has no end."""
    if "<<" not in command:
        return command
    kept: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        ends = [found[2] for found in _HEREDOC.finditer(line.replace("<<<", "   "))]
        kept.append(_HEREDOC.sub(" ", line) if ends else line)
        for end in ends:
            if not any(body.strip("\t ") == end for body in lines):
                return None
    return "\n".join(kept)


def _word(text: str, at: int) -> tuple[Word, int] | None:
    """The word that begins at `at`, and where it ends."""
    made: list[str] = []
    plain = True
    while at < len(text) and text[at] not in " \t\r\n;|&<>()":
        char = text[at]
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                return None
            made.append(text[at + 1 : end])
            at = end + 1
        elif char == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                if text[at] == "\\" and at + 1 < len(text) and text[at + 1] in '"\\$`\n':
                    at += 1
                elif text[at] == "$":
                    plain = False
                made.append(text[at])
                at += 1
            if at >= len(text):
                return None
            at += 1
        elif char == "\\":
            made.append(text[at + 1 : at + 2])
            at += 2
        else:
            plain = plain and char not in "$*?[{"
            made.append(char)
            at += 1
    return Word("".join(made), plain=plain), at
