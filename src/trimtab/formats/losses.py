"""What a conversion leaves out or changes: one line for each kind of thing, with its count."""

from __future__ import annotations


class Losses:
    """Counts what a conversion could not carry over.

    Each kind is named in singular and plural form by its line, such as
    `"2 x signed thinking left out: only the provider that signed it can read it"`.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, what: str, count: int = 1) -> None:
        """One more thing of the kind `what`."""
        self._counts[what] = self._counts.get(what, 0) + count

    def lines(self) -> tuple[str, ...]:
        """One line for each kind, in the order of first occurrence."""
        return tuple(
            f"{count} x {what}" if count > 1 else what for what, count in self._counts.items()
        )


SIGNED_THINKING = "signed thinking left out: only the provider that signed it can read it"
ENCRYPTED_REASONING = "encrypted reasoning left out: only its own provider can read it"
THINKING = "thinking left out: the target has no place for it"
THINKING_SEAL = "seal of a thinking block left out; its text is kept"
SERVER_CALL = "tool call run by the provider left out, with its result"
IDS = "tool call id rewritten to fit the target"
NAMES = "tool name rewritten to fit the target"
ERROR_FLAG = "tool error marked by the text '[error]': the target has no flag for it"
RESULT_PICTURES = "picture or file of a tool result moved to a user message behind it"
PICTURE = "picture left out: the target cannot hold it there"
DOCUMENT = "document left out: the target cannot hold it"
BLANK = "blank text left out"
SYSTEM_NOTE = "system message after the start turned into a user message marked '[system]'"
FIRST_USER = "user message put in front: the target does not start with an assistant message"
TRAILING_SPACE = "white space at the end of the last assistant message left out"
REQUIRED = "mark 'required' left out"
ARGUMENTS = 'tool arguments that are no JSON object wrapped as {"input": ...}'
TOOL = "tool definition left out: the target does not know its kind"
PENDING = "interim tool result left out"
RESULT_MOVED = "tool result moved up to its call"


def opaque(kind: str) -> str:
    """The line for a block that only its own provider understands."""
    return f"{kind} block left out: only its own provider understands it"


def setting(name: str) -> str:
    """The line for a request setting that does not carry over."""
    return f"request setting left out: {name}"
