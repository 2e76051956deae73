"""A local server that plays a provider for an agent: chat completions and messages.

Strict as the providers are: a request that breaks their rules is answered with 400, and so is one
above the window, in the provider's own words. It calls the tool `run` by a script, reports usage
with what it had cached, and answers the summary model by its name.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

from trimtab.formats.wire import read_request
from trimtab.history.rules import validate

Json: TypeAlias = dict[str, Any]

DIALECTS = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
CHARS_A_TOKEN = 3
"""The server's own measure: characters of the request's JSON. It is not trimtab's."""
OUTPUT = 20
SUMMARY_USAGE = (700, 50)
"""What each summary costs: tokens read and written."""


@dataclass(frozen=True)
class Run:
    """A step of the script: the model calls the tool `run`."""

    command: str


Step: TypeAlias = Run | str
"""A call, or the answer that ends the user's request."""


@dataclass(frozen=True)
class Asked:
    """One request and what came of it.

    Attributes:
        body: the request.
        size: in the server's tokens.
        status: of the response.
        error: what was wrong with it.
    """

    body: Json
    size: int
    status: int
    error: str = ""

    @property
    def text(self) -> str:
        """All texts that the model is shown, a line each, as they are."""
        return "\n".join(_texts([self.body.get("system", ""), self.body["messages"]]))


@dataclass
class AgentServer:
    """The server; a context manager.

    Args:
        script: what the model does, a step a request.
        window: the most that a request may hold, in the server's tokens.
        summary_model: the name under which summaries are asked for.
        summary: makes one of the text that it is given.

    Attributes:
        asked: the requests to the model, in order.
        summaries: the requests to the summary model.
    """

    script: Sequence[Step]
    window: int
    summary_model: str = ""
    summary: Callable[[str], str] = str
    asked: list[Asked] = field(default_factory=list)
    summaries: list[Json] = field(default_factory=list)
    _step: int = 0
    _cached: str = ""

    def __enter__(self) -> AgentServer:
        self._turn = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def answered(self) -> list[Asked]:
        """The requests that were answered as they should be."""
        return [asked for asked in self.asked if asked.status == 200]

    @property
    def done(self) -> bool:
        """The script has come to its end."""
        return self._step == len(self.script)

    def answer(self, path: str, body: Json) -> tuple[int, Json]:
        """Status and body of the response to a request."""
        dialect = DIALECTS.get(path)
        if dialect is None:
            return 404, _error("openai", "not_found", f"no such path: {path}")
        with self._turn:
            if self.summary_model and body.get("model") == self.summary_model:
                self.summaries.append(body)
                said = self.summary(str(body["messages"][-1]["content"]))
                return 200, _said(dialect, said, None, 0, SUMMARY_USAGE, body)
            return self._model(dialect, body)

    def _model(self, dialect: str, body: Json) -> tuple[int, Json]:
        sent = json.dumps([body.get("system"), body.get("tools"), body["messages"]])
        size = len(sent) // CHARS_A_TOKEN
        code, error = self._refusal(dialect, body, size)
        if error:
            self.asked.append(Asked(body, size, 400, error))
            return 400, _error(dialect, code, error)
        cached = _common(sent, self._cached) // CHARS_A_TOKEN
        self._cached = sent
        self.asked.append(Asked(body, size, 200))
        step = self.script[self._step]
        self._step += 1
        given = None if isinstance(step, str) else step.command
        text = step if isinstance(step, str) else f"Step {self._step}."
        named = f"{self._step:04d}"
        return 200, _said(dialect, text, given, cached, (size, OUTPUT), body, named)

    def _refusal(self, dialect: str, body: Json, size: int) -> tuple[str, str]:
        history = read_request(body, dialect)
        broken = validate(list(history), dialect, tools=history.tools, envelope=history.envelope)
        code = "invalid_request_error"
        if broken:
            return code, f"messages.{broken[0].index}: {broken[0].explanation}"
        if self.done:
            return code, "the script has no further step"
        room = body.get("max_tokens", 0) if dialect == "anthropic" else 0
        if size > self.window:
            if dialect == "anthropic":
                return code, f"prompt is too long: {size} tokens > {self.window} maximum"
            most = f"This model's maximum context length is {self.window} tokens."
            said = f"{most} However, your messages resulted in {size} tokens. Please reduce the "
            return "context_length_exceeded", said + "length of the messages."
        if size + room > self.window:
            said = f"input length and `max_tokens` exceed context limit: {size} + {room} > "
            return code, f"{said}{self.window}, decrease input length or `max_tokens` and try again"
        return "", ""


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, dict):
        return [text for key in ("text", "content") for text in _texts(value.get(key))]
    return []


def _handler(server: AgentServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = server.answer(self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _error(dialect: str, code: str, message: str) -> Json:
    if dialect == "anthropic":
        return {"type": "error", "error": {"type": code, "message": message}}
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": "messages", "code": code}}


def _said(
    dialect: str,
    text: str,
    command: str | None,
    cached: int,
    spent: tuple[int, int],
    body: Json,
    named: str = "0",
) -> Json:
    form = _message if dialect == "anthropic" else _completion
    return form(text, command, cached, spent, body, named)


def _completion(
    text: str, command: str | None, cached: int, spent: tuple[int, int], body: Json, named: str
) -> Json:
    message: Json = {"role": "assistant", "content": text, "refusal": None}
    if command is not None:
        arguments = json.dumps({"command": command})
        function = {"name": "run", "arguments": arguments}
        message["tool_calls"] = [{"id": f"call_{named}", "type": "function", "function": function}]
    stop = "stop" if command is None else "tool_calls"
    return {
        "id": f"chatcmpl-{named}",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": {
            "prompt_tokens": spent[0],
            "completion_tokens": spent[1],
            "total_tokens": sum(spent),
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


def _message(
    text: str, command: str | None, cached: int, spent: tuple[int, int], body: Json, named: str
) -> Json:
    content: list[Json] = [{"type": "text", "text": text}]
    if command is not None:
        given = {"command": command}
        content.append({"type": "tool_use", "id": f"toolu_{named}", "name": "run", "input": given})
    return {
        "id": f"msg_{named}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "end_turn" if command is None else "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": spent[0] - cached,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": spent[1],
        },
    }
