"""Generated valid histories in every dialect, for property tests.

They hold parallel calls with their results in one or several messages and in any order, results
mixed with the user's words, signed and redacted thinking before calls, reasoning items with their
item, server tools, pictures, errors, opaque blocks, several user turns or one long autonomous one,
calls pending at the end, system prompts or none, ids used again where that is legal, `required`
marks, Japanese, lone surrogates and unknown keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.session_anthropic import AnthropicForm, NeutralForm
from tests.session_openai import ChatForm, ResponsesForm
from tests.sessions import Session, sessions
from trimtab.formats.wire import read_request
from trimtab.history.log import History

DIALECTS = ("anthropic", "openai", "responses", "neutral")

_FORMS: dict[str, Callable[[Session], Any]] = {
    "anthropic": lambda session: AnthropicForm(session).request(),
    "openai": lambda session: ChatForm(session).request(),
    "responses": lambda session: ResponsesForm(session).request(),
    "neutral": lambda session: NeutralForm(session).request(),
}


def requests(dialect: str) -> st.SearchStrategy[Any]:
    """Valid requests of a dialect as JSON values: bodies, and bare lists of messages."""
    return sessions.map(_FORMS[dialect])


def histories(dialect: str) -> st.SearchStrategy[History]:
    """Valid histories of a dialect, as they are read from a request."""
    return requests(dialect).map(lambda value: read_request(value, dialect))
