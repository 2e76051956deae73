"""Models behind the official clients: one question, one reply or one stated failure.

The clients do not retry by themselves: what is tried again, and when, is decided in one place
(`model_asking.py`), and each try is recorded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from time import time
from typing import Any, Protocol

from trimtab.errors import UsageError
from trimtab.summaries.answers import Reply
from trimtab.summaries.apart import Apart
from trimtab.summaries.model_outcomes import Failure
from trimtab.summaries.model_replies import reply_of

APIS: Mapping[str, str] = {
    "openai": "openai",
    "responses": "openai",
    "anthropic": "anthropic",
}
"""The API by its name -> the package that speaks it."""

_KEYS = {"openai": ("OPENAI_API_KEY",), "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")}
_NO_KEY = "none"
"""What a server without keys (a local model) is given: the clients want one."""


class Asked(Protocol):
    """Something that answers a question in text."""

    def ask(self, system: str, text: str, room: int) -> Reply | Failure:
        """The answer to `text` under the instructions `system`, in at most `room` tokens.

        It never raises for what the model, the network or the caller's function does.
        """


# -- anything that may fail ------------------------------------------------------------------------


def settled(
    call: Callable[[], Any],
    seconds: float | None,
    judge: Callable[[Exception], Failure] | None = None,
) -> Any | Failure:
    """What `call` returns, or the failure that its error is.

    It runs in a thread of its own, so that a server that sends a byte now and then cannot hold
    the agent up: after `seconds` it is given up.

    Args:
        call: what may fail.
        seconds: how long it may take; `None`: as long as it likes.
        judge: tells what an error is; `failure_of` by default.

    Raises:
        BaseException: only what is no `Exception`: the wish of a caller to end the program.
    """
    apart = Apart(call)
    try:
        error = apart.error(seconds)
    except TimeoutError:
        return Failure("timed-out", f"no answer in {seconds:g} s")
    if error is None:
        return apart.result()
    if not isinstance(error, Exception):
        raise error
    return (judge or failure_of)(error)


_RETRIED = (408, 409, 425)
_OVERFLOW = re.compile(
    r"context.?(?:length|window)|maximum context|too (?:long|large)|too many (?:input )?tokens"
    r"|exceeds? .{0,40}(?:limit|window|context|maximum)",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|billing|credit balance", re.IGNORECASE)


def failure_of(error: Exception) -> Failure:
    """The failure that an error of a client is: by its status, else by the kind of the error."""
    status = getattr(error, "status_code", None)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    told = _message(error)
    if isinstance(status, int) and status >= 400:
        return Failure(_by_status(status, told), f"{status} {told}", _wait(error))
    if isinstance(error, TimeoutError) or any("Timeout" in kind for kind in kinds):
        return Failure("timed-out", told)
    if isinstance(error, OSError) or kinds & {"APIConnectionError", "TransportError"}:
        return Failure("connection", told)
    if isinstance(error, ValueError) or "APIResponseValidationError" in kinds:
        return Failure("malformed", told)
    return Failure("rejected", f"{type(error).__name__}: {told}")


def raised(error: Exception) -> Failure:
    """The failure that an error of a caller's function is; one with a status goes by that."""
    if isinstance(getattr(error, "status_code", None), int):
        return failure_of(error)
    return Failure("raised", f"{type(error).__name__}: {_message(error)}")


def _by_status(status: int, told: str) -> str:
    if status == 429:
        return "rejected" if _QUOTA.search(told) else "rate-limited"
    if status >= 500 or status in _RETRIED:
        return "server-error"
    if status == 413 or (status in (400, 422) and _OVERFLOW.search(told)):
        return "overflow"
    return "rejected"


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    told = inner.get("message") if isinstance(inner, dict) else None
    kind = (inner.get("code") or inner.get("type")) if isinstance(inner, dict) else None
    if isinstance(told, str) and told.strip():
        told = f"{kind}: {told}" if isinstance(kind, str) else told
    else:
        told = str(error) or type(error).__name__
        if error.__cause__ is not None:
            told += f" ({type(error.__cause__).__name__})"
    line = " ".join(told.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _wait(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    get = getattr(headers, "get", None)
    if not callable(get):
        return None
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = get(name)
        if given is None:
            continue
        try:
            return max(float(given) * factor, 0.0)
        except ValueError:
            pass
        try:
            return max(parsedate_to_datetime(given).timestamp() - time(), 0.0)
        except (ValueError, OverflowError):
            continue
    return None


# -- models ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Endpoint:
    """A model behind one of the official clients.

    Args:
        api: a key of `APIS`.
        model: its name there.
        base_url: where it is served; the provider's own by default.
        api_key: the key; else that in the variable `key_env`, else in the client's own variable.
        key_env: the name of an environment variable.
        timeout: seconds for one answer.
        client: a client of the package, made by the caller; it then brings key and address.

    Raises:
        UsageError: the package is not installed, there is no key, or no such API.
    """

    api: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    key_env: str | None = None
    timeout: float = 60.0
    client: Any = field(default=None, repr=False)
    _made: Any = field(default=None, init=False, repr=False)
    _limit: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        if self.api not in APIS:
            raise UsageError(f"no API is called {self.api!r}: use {', '.join(APIS)}")
        if not self.model:
            raise UsageError("a summarising model needs a name, as in openai/gpt-5-mini")
        if self.client is None:
            package = APIS[self.api]
            if find_spec(package) is None:
                raise UsageError(
                    f"the package {package} is not installed: pip install 'trimtab[models]'"
                )
            self.api_key = self._key(package)
        # Servers of other makers know the older name, OpenAI's newer models the newer one alone.
        self._limit = "max_tokens" if self.base_url else "max_completion_tokens"

    def _key(self, package: str) -> str | None:
        """The key; `None` leaves it to the client, which knows more places than these."""
        if self.api_key:
            return self.api_key
        if self.key_env:
            found = os.environ.get(self.key_env)
            if not found:
                raise UsageError(f"no API key: the variable {self.key_env} is not set")
            return found
        if any(os.environ.get(name) for name in _KEYS[package]):
            return None
        if self.base_url:
            return _NO_KEY
        if package == "anthropic":
            return None  # profiles and workload identity: only the client can tell
        raise UsageError(f"no API key: set {_KEYS[package][0]}, or name a variable in key_env")

    def ask(self, system: str, text: str, room: int) -> Reply | Failure:
        """See `Asked`."""
        answer = self._asked(system, text, room)
        if isinstance(answer, Failure) and self._other_limit(answer):
            answer = self._asked(system, text, room)
        return answer

    def _asked(self, system: str, text: str, room: int) -> Reply | Failure:
        client = settled(self._client, None)
        if isinstance(client, Failure):
            return client
        # The client's time-out is for each piece that arrives; this one is for the whole.
        whole = self.timeout * 1.25 + 0.25
        answer = settled(lambda: self._create(client, system, text, room), whole)
        if isinstance(answer, Failure):
            if answer.outcome == "timed-out":
                self._close()
            return answer
        return reply_of(answer, self.api)

    def _other_limit(self, failure: Failure) -> bool:
        """The server knows the limit of the answer by its other name."""
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        named = self.api == "openai" and failure.outcome == "rejected"
        if not named or not re.search(rf"\b{self._limit}\b", failure.detail):
            return False
        self._limit = other[self._limit]
        return True

    def _create(self, client: Any, system: str, text: str, room: int) -> Any:
        if self.api == "anthropic":
            return client.messages.create(
                model=self.model,
                system=system,
                messages=[{"role": "user", "content": text}],
                max_tokens=room,
                timeout=self.timeout,
            )
        if self.api == "responses":
            return client.responses.create(
                model=self.model,
                instructions=system,
                input=text,
                max_output_tokens=room,
                store=False,
                timeout=self.timeout,
            )
        limit: dict[str, Any] = {self._limit: room}
        return client.chat.completions.create(
            model=self.model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": text}],
            timeout=self.timeout,
            **limit,
        )

    def _client(self) -> Any:
        if self._made is not None:
            return self._made
        if self.client is not None:
            options = getattr(self.client, "with_options", None)
            self._made = options(max_retries=0) if callable(options) else self.client
            return self._made
        given: dict[str, Any] = {"max_retries": 0, "timeout": self.timeout}
        if self.api_key is not None:
            given["api_key"] = self.api_key
        if self.base_url:
            given["base_url"] = self.base_url
        if APIS[self.api] == "anthropic":
            import anthropic

            self._made = anthropic.Anthropic(**given)
        else:
            import openai

            self._made = openai.OpenAI(**given)
        return self._made

    def _close(self) -> None:
        """Ends what hangs; the next question gets a new client."""
        made, self._made = self._made, None
        close = getattr(made, "close", None)
        if self.client is None and callable(close):
            close()


@dataclass(frozen=True, slots=True)
class FunctionAsked:
    """The caller's own function: the instructions and the record in one text, a text back."""

    function: Callable[[str], str | None]
    timeout: float | None = None

    def ask(self, system: str, text: str, room: int) -> Reply | Failure:
        """See `Asked`; the function is not told `room`."""
        answer = settled(lambda: self.function(f"{system}\n\n{text}"), self.timeout, raised)
        if isinstance(answer, Failure):
            return answer
        if answer is None or isinstance(answer, str):
            return Reply(answer or "")
        return Failure("malformed", f"the function returned a {type(answer).__name__}, not a text")
