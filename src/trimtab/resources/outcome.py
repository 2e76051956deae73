"""What a result is: whole, cut short, an error, or a stub. In doubt it is less than it seems.

Most wire formats do not say that a tool failed, so that the text must: each pattern is the wording
of an agent or of a shell, at the place where it has it.
"""

from __future__ import annotations

import re

from trimtab.history.message import Text, ToolResult
from trimtab.history.placeholders import is_placeholder, is_slimmed

_START = re.compile(
    r"\s*(?:<(?:tool_use_)?error>|\[?error\b|\{\"error\"|exception\b|traceback \(most recent"
    r"|fatal:|failed\b|cannot\b|can't\b|could not\b|invalid\b|aborted\b|usage:|ran into\b"
    r"|no such file|file (?:not found|does not exist)|(?:permission|access) denied"
    r"|(?:old_?)?string (?:to replace )?(?:was )?not found|no replacement was performed"
    r"|old_?text (?:was )?not found|no match(?:es)? found for\b|verification failed"
    r"|the user (?:doesn't|does not|rejected|denied)|user (?:rejected|denied|refused)"
    r"|operation (?:was )?(?:cancell?ed|aborted)|(?:command )?timed? ?out\b"
    r"|tool .{0,60} not found|unknown tool|the edit .{0,30}failed"
    r"|your (?:proposed )?edit .{0,60}(?:error|not))",
    re.IGNORECASE,
)
_SHELL = re.compile(
    r"^(?:[\w./-]*(?:bash|sh|zsh): |(?:cat|sed|head|tail|ls|nl|rm|mv|cp|tee|git|fatal): ).*"
    r"(?:no such file|cannot|can't|not found|denied|not a git|is a directory|no space)",
    re.IGNORECASE | re.MULTILINE,
)
_EXIT = re.compile(
    r"(?:exit(?:ed with)?(?: exit)?[ _]?(?:code|status)|returncode)\W{0,5}(-?\d+)", re.IGNORECASE
)
_NO_SUCCESS = re.compile(r'"success"\s*:\s*false\s*\}?\s*\Z')
_UNCHANGED = re.compile(
    r"\s*(?:<system-reminder>\s*)?"
    r"(?:file (?:is )?(?:unchanged|has not (?:been )?changed)|unchanged since)",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\[[^\[\]\n]{0,80}(?:truncated|omitted|clipped|more lines|showing lines|lines? shown)"
    r"[^\[\]\n]{0,120}\]"
    r"|<response clipped>|^\(truncated\)|output (?:too large|truncated)|PARTIAL view"
    r"|[.…]{1,3} ?\[?\d[\d,]* (?:more )?(?:lines?|characters?|chars|bytes|tokens) "
    r"(?:truncated|omitted|not shown)"
    r"|[.…]{1,3} ?\d[\d,]* more (?:lines|characters|chars|bytes)|\(\d+ more lines (?:above|below)\)"
    r"|[.…] ?\(?truncated\)?\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = (
    "truncated",
    "omitted",
    "clipped",
    "more ",
    "showing lines",
    " shown",
    "partial view",
    "too large",
)
"""One of these is in whatever `_CUT` finds; looked for first, because that is fast."""
_ENDS = 400


def failed(result: ToolResult, shell: bool = False) -> bool:
    """The tool says that it did not do it.

    Args:
        shell: it is the output of a command; its closing words may be the shell's.
    """
    if result.is_error:
        return True
    text = result.text
    if _START.match(text[:_ENDS]) or _NO_SUCCESS.search(text[-_ENDS:]):
        return True
    if not shell:
        return False
    ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    if any(int(found[1]) for found in _EXIT.finditer(ends)):
        return True
    return bool(_SHELL.search(ends))


def stub(result: ToolResult) -> bool:
    """It shows nothing of its own: empty, a placeholder, or "unchanged since the last read"."""
    text = result.text
    if not text.strip():
        return all(isinstance(part, Text) for part in result.content)
    return is_placeholder(text) or bool(_UNCHANGED.match(text[:_ENDS]))


def cut_short(result: ToolResult, lines: int = 0) -> bool:
    """It shows less than was asked, by its own words or by its length.

    Args:
        lines: the most lines that the tool shows; 0: it shows all.
    """
    text = result.text
    if lines and text.count("\n") + 1 >= lines:
        return True
    low = text.lower()
    said = any(word in low for word in _WORDS)
    return is_slimmed(text) or (said and bool(_CUT.search(text)))


def size(result: ToolResult) -> int:
    """Characters that it shows; a picture is more than any text."""
    shown = sum(len(part.text) for part in result.content if isinstance(part, Text))
    pictures = sum(not isinstance(part, Text) for part in result.content)
    return shown + 1_000_000 * pictures
