"""Summaries by a model: through the official clients, or through any function of the caller's.

Neither ever raises for what a model or a network did: what cannot be had from the model is quoted
from H instead (`extractive.py`), and why is recorded with the summary. H is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from trimtab.config import Settings
from trimtab.errors import InputError, UsageError
from trimtab.summaries.clients import APIS, Endpoint, FunctionAsked
from trimtab.summaries.extractive import Extractive
from trimtab.summaries.fitting import DEFAULT_WINDOW
from trimtab.summaries.model_rounds import Asking, summarised
from trimtab.summaries.request import Request, Summarised, Summariser
from trimtab.tokens import counter_for, window_of


@dataclass(frozen=True, slots=True)
class ModelSummariser(Asking):
    """A model behind the official `openai` or `anthropic` client.

    Args:
        model: its name, as the API knows it.
        api: `openai` (chat completions, as most servers speak it), `responses` or `anthropic`.
        base_url: where it is served; the provider's own address by default.
        api_key: else that in the variable `key_env`, else in the client's own (`OPENAI_API_KEY`,
            `ANTHROPIC_API_KEY`).
        client: a client of the package, made by the caller; its own retries are switched off.
        timeout: seconds for one answer.

    Raises:
        UsageError: the package is not installed (`trimtab[models]`), there is no key, or a value
            is out of its range.
    """

    model: str
    api: str = field(default="openai", kw_only=True)
    base_url: str | None = field(default=None, kw_only=True)
    api_key: str | None = field(default=None, kw_only=True, repr=False, compare=False)
    key_env: str | None = field(default=None, kw_only=True)
    client: Any = field(default=None, kw_only=True, repr=False, compare=False)
    timeout: float = field(default=60.0, kw_only=True)
    _endpoint: Endpoint = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.check()
        if self.timeout <= 0:
            raise UsageError("a time-out is more than 0 seconds")
        made = Endpoint(
            self.api,
            self.model,
            self.base_url,
            self.api_key,
            self.key_env,
            self.timeout,
            self.client,
        )
        object.__setattr__(self, "_endpoint", made)

    @property
    def name(self) -> str:
        """As in `anthropic/claude-haiku-4-5`."""
        return f"{self.api}/{self.model}"

    def summarise(self, request: Request) -> Summarised:
        """See `Summariser`.

        Raises:
            UsageError: the request names no messages.
        """
        window = self.window or window_of(self.model) or DEFAULT_WINDOW
        counter = counter_for(self.model)
        made = summarised(self, self._endpoint, self.name, request, window, counter)
        was_asked = any(attempt.summariser.startswith(self.name) for attempt in made.attempts)
        return replace(made, model=self.model if was_asked else None)


@dataclass(frozen=True, slots=True)
class CallableSummariser(Asking):
    """Any function that answers a text with a text.

    Args:
        function: is given the instructions and the record in one text. What it raises, `None`, and
            what is no text are recorded, and the extractive summary stands in.
        name: how it is called in reports.
        timeout: seconds after which it is given up, its thread left to itself; `None`: it may
            take all the time it likes.
    """

    function: Callable[[str], str | None]
    name: str = field(default="callable", kw_only=True)
    timeout: float | None = field(default=300.0, kw_only=True)

    def __post_init__(self) -> None:
        self.check()
        if not callable(self.function):
            raise UsageError("a summariser of one's own is a function from a text to a text")

    def summarise(self, request: Request) -> Summarised:
        """See `Summariser`.

        Raises:
            UsageError: the request names no messages.
        """
        model = FunctionAsked(self.function, self.timeout)
        window = self.window or DEFAULT_WINDOW
        return summarised(self, model, self.name, request, window, counter_for(None))


# -- by a word -------------------------------------------------------------------------------------

Spec: TypeAlias = str | Callable[[str], str | None] | Summariser | None
"""`extractive`, `openai/MODEL`, `responses/MODEL`, `anthropic/MODEL`; a function; a summariser; or
`None` for what `trimtab.toml` says."""

_TABLE: Mapping[str, tuple[type, ...]] = {
    "model": (str,),
    "api": (str,),
    "base_url": (str,),
    "key_env": (str,),
    "timeout": (int, float),
    "window": (int,),
    "retries": (int,),
    "rounds": (int,),
}
_WHAT = {str: "a text", int: "a whole number", float: "a number"}
_WHERE = "trimtab.toml: summary"


def summariser_of(spec: Spec, settings: Settings | None = None) -> Summariser:
    """The summariser that is meant.

    Args:
        spec: see `Spec`.
        settings: of `trimtab.toml`; its table `[summary]` names the model (`model`, with its API
            in front or in `api`), where it is served and which variable holds its key (`base_url`,
            `key_env`: used where the API is the same), and `timeout`, `window`, `retries`,
            `rounds`. Without a table, and without settings, `None` is the extractive summariser.

    Raises:
        UsageError: there is no such summariser, its package is not installed, or it has no key.
        InputError: the table is not as it should be; names the key.
    """
    if spec is not None and not isinstance(spec, str):
        return _given(spec)
    table = _table(settings)
    meant = _named(table) if spec is None else spec
    if meant == "extractive":
        return Extractive()
    api, _, model = meant.partition("/")
    if api not in APIS or not model:
        known = ", ".join(f"{name}/MODEL" for name in APIS)
        raise UsageError(f"no summariser is called {meant!r:.80}: use extractive, {known}")
    named: dict[str, Any] = {
        key: table[key] for key in ("timeout", "window", "retries", "rounds") if key in table
    }
    if _api_of(table) in (api, ""):
        named |= {key: table[key] for key in ("base_url", "key_env") if key in table}
    return ModelSummariser(model, api=api, **named)


def _given(spec: object) -> Summariser:
    if callable(getattr(spec, "summarise", None)):
        return cast(Summariser, spec)
    if callable(spec):
        return CallableSummariser(spec, name=getattr(spec, "__name__", "callable"))
    kind = type(spec).__name__
    raise UsageError(f"a {kind} is no summariser: give a name, a function or a summariser")


def _table(settings: Settings | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = settings.tables.get("summary", {}) if settings else {}
    for key, value in found.items():
        kinds = _TABLE.get(key)
        if kinds is None:
            raise InputError(f"{_WHERE}.{key}", f"no such key: known are {', '.join(_TABLE)}")
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise InputError(f"{_WHERE}.{key}", f"write {_WHAT[kinds[-1]]}")
    if found.get("api", "openai") not in APIS:
        raise InputError(f"{_WHERE}.api", f"use {', '.join(APIS)}")
    if "model" not in found and found:
        raise InputError(f"{_WHERE}.model", "name the model that summarises, or extractive")
    return found


def _named(table: Mapping[str, Any]) -> str:
    """What the table names, with its API in front."""
    model = str(table.get("model", "extractive"))
    api = table.get("api")
    if model == "extractive" or api is None or model.startswith(f"{api}/"):
        return model
    return f"{api}/{model}"


def _api_of(table: Mapping[str, Any]) -> str:
    """The API that the table's address and key belong to; empty where it does not say."""
    if "api" in table:
        return str(table["api"])
    api = str(table.get("model", "")).partition("/")[0]
    return api if api in APIS else ""
