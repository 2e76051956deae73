"""A generated session as Anthropic Messages and in the neutral form."""

from __future__ import annotations

from itertools import count, permutations
from typing import Any

from tests.sessions import PNG, Call, Round, Session, Turn

Json = dict[str, Any]
PIXEL = {"type": "base64", "media_type": "image/png", "data": PNG}
BREAKPOINT = {"cache_control": {"type": "ephemeral"}}


def shuffled(items: list[Any], order: int) -> list[Any]:
    """The items in one of their orders."""
    orders = list(permutations(items))
    return list(orders[order % len(orders)])


class AnthropicForm:
    """Renders one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.ids = (f"toolu_{n:04d}" for n in count())
        self.messages: list[Json] = []

    def request(self) -> Any:
        session = self.session
        for n, turn in enumerate(session.turns):
            self._turn(turn, first=n == 0)
        if session.end == "pending":
            call = {"type": "tool_use", "id": next(self.ids), "name": "bash", "input": {}}
            self._say("assistant", [call])
        elif session.end == "paused":
            self._say("assistant", self._server(0, "s")[:1])
        if session.bare:
            return self.messages
        body: Json = {"model": "claude-sonnet-4-5", "max_tokens": 1024}
        if len(session.system) == 1 and not session.extras:
            body["system"] = session.system[0]
        elif session.system:
            body["system"] = [{"type": "text", "text": t} for t in session.system]
            if session.extras:
                body["system"][-1] |= BREAKPOINT
        body["messages"] = self.messages
        if session.extras:
            body |= {
                "thinking": {"type": "adaptive"},
                "metadata": {"user_id": "u"},
                "x_unknown": [1.0, None],
                "tools": [
                    {"name": "read", "description": "Reads", "input_schema": {"type": "object"}},
                    {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
                ],
            }
        return body

    def _say(self, role: str, content: Any) -> None:
        message: Json = {"role": role, "content": content}
        if self.session.extras and len(self.messages) % 3 == 2:
            message["x_trace"] = len(self.messages)
        self.messages.append(message)

    def _turn(self, turn: Turn, *, first: bool) -> None:
        for text in turn.user[:-1]:
            self._say("user", text)
        blocks: list[Json] = [{"type": "text", "text": turn.user[-1]}]
        if first and self.session.extras:
            blocks[0] |= BREAKPOINT
        match turn.extra:
            case "image":
                blocks.append({"type": "image", "source": PIXEL})
            case "document":
                source = {"type": "text", "media_type": "text/plain", "data": "Notes\n第一条"}
                blocks.append({"type": "document", "source": source, "title": "notes.txt"})
            case "opaque":
                blocks.append({"type": "container_upload", "file_id": "file_1"})
        plain = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
        self._say("user", turn.user[-1] if plain else blocks)
        for round in turn.rounds:
            self._round(round)
        if turn.answer:
            listed = [{"type": "text", "text": turn.answer, "citations": None}]
            self._say("assistant", listed if self.session.extras else turn.answer)

    def _round(self, round: Round) -> None:
        if round.server == "own":
            own = self._server(round.order, "o")
            self._say("assistant", [*own, {"type": "text", "text": "found it"}])
        content: list[Json] = []
        if round.thinking == "signed":
            content.append({"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"})
        elif round.thinking == "redacted":
            content.append({"type": "redacted_thinking", "data": "ZGF0YQ=="})
        if round.server == "shared":
            content += self._server(round.order, "s")
        if round.text:
            content.append({"type": "text", "text": round.text})
            if round.split:
                self._say("assistant", content)
                content = []
        named = [(next(self.ids), call) for call in round.calls]
        content += [
            {"type": "tool_use", "id": id, "name": call.name, "input": call.input}
            for id, call in named
        ]
        self._say("assistant", content)
        results = [self._result(id, call) for id, call in shuffled(named, round.order)]
        rider = [{"type": "text", "text": round.rider}] if round.rider else []
        if round.apart:
            for result in results[:-1]:
                self._say("user", [result])
            results = results[-1:]
        self._say("user", results + rider)

    def _result(self, id: str, call: Call) -> Json:
        result: Json = {"type": "tool_result", "tool_use_id": id}
        match call.kind:
            case "text":
                result["content"] = call.output
            case "list":
                parts = [
                    {"type": "text", "text": "part one"},
                    {"type": "text", "text": call.output},
                ]
                result["content"] = parts
            case "image":
                picture = {"type": "image", "source": PIXEL}
                result["content"] = [{"type": "text", "text": "screen"}, picture]
            case "error":
                result |= {"content": call.output, "is_error": True}
            case "blank":
                result["content"] = ""
        return result

    def _server(self, order: int, where: str) -> list[Json]:
        id = next(self.ids).replace("toolu", f"srvtoolu{where}")
        match order % 3:
            case 0:
                found = {
                    "type": "web_search_result",
                    "url": "https://example.com",
                    "title": "Example",
                    "encrypted_content": "ZW5j",
                }
                return [
                    _server_use(id, "web_search", {"query": "x"}),
                    {"type": "web_search_tool_result", "tool_use_id": id, "content": [found]},
                ]
            case 1:
                ran = {
                    "type": "code_execution_result",
                    "stdout": "42\n",
                    "stderr": "",
                    "return_code": 0,
                    "content": [],
                }
                return [
                    _server_use(id, "code_execution", {"code": "print(42)"}),
                    {"type": "code_execution_tool_result", "tool_use_id": id, "content": ran},
                ]
        use = {"type": "mcp_tool_use", "id": id, "name": "echo", "server_name": "m", "input": {}}
        said = [{"type": "text", "text": "echoed"}]
        result = {"type": "mcp_tool_result", "tool_use_id": id, "is_error": False, "content": said}
        return [use, result]


def _server_use(id: str, name: str, input: Json) -> Json:
    return {"type": "server_tool_use", "id": id, "name": name, "input": input}


class NeutralForm:
    """Renders one session in the neutral form."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.numbers = count()
        self.lines: list[Json] = []

    def request(self) -> list[Json]:
        session = self.session
        for text in session.system:
            self._say("system", text)
        for n, turn in enumerate(session.turns):
            self._turn(turn)
            if n == 0 and session.note:
                self._say("system", session.note)
        if session.end == "pending":
            self._say("assistant", [self._call(self._id(0), Call("bash", {}, "text", ""))])
        return self.lines

    def _say(self, role: str, content: Any, **keys: Any) -> None:
        line: Json = {"role": role, "content": content, **keys}
        if self.session.extras:
            line |= {"id": f"m{len(self.lines)}", "x_unknown": {"n": 1.0}}
        self.lines.append(line)

    def _id(self, n: int) -> str:
        if self.session.reuse_ids:
            return f"tool:{n}" if self.session.strange_ids else f"tool_{n}"
        return f"c{next(self.numbers)}"

    def _turn(self, turn: Turn) -> None:
        for text in turn.user[:-1]:
            self._say("user", text)
        blocks: list[Json] = [{"type": "text", "text": turn.user[-1]}]
        match turn.extra:
            case "image":
                blocks.append({"type": "image", "media_type": "image/png", "data": PNG})
            case "document":
                blocks.append({"type": "document", "title": "notes.txt", "text": "Notes\n第一条"})
            case "opaque":
                blocks.append({"type": "chart", "points": [1, 2]})
        marked = {} if turn.required is None else {"required": turn.required}
        self._say("user", turn.user[-1] if len(blocks) == 1 else blocks, **marked)
        for round in turn.rounds:
            self._round(round)
        if turn.answer:
            self._say("assistant", turn.answer)

    def _call(self, id: str, call: Call) -> Json:
        return {"type": "tool_call", "id": id, "name": call.name, "input": call.input}

    def _round(self, round: Round) -> None:
        content: list[Json] = []
        if round.thinking:
            content.append({"type": "thinking", "text": "Let me see."})
        if round.server:
            call = self._call(f"s{next(self.numbers)}", Call("search", {}, "text", ""))
            answer = {"type": "tool_result", "call_id": call["id"], "content": "hit"}
            content += [call | {"server": True}, answer | {"server": True}]
        if round.text:
            content.append({"type": "text", "text": round.text})
        named = [(self._id(n), call) for n, call in enumerate(round.calls)]
        content += [self._call(id, call) for id, call in named]
        self._say("assistant", content)
        results = [self._result(id, call) for id, call in shuffled(named, round.order)]
        if round.interim:
            waiting = {"type": "tool_result", "call_id": named[0][0], "content": "running"}
            self._say("tool", [waiting | {"pending": True}])
        if round.late and round.rider:
            self._say("user", round.rider)
        elif round.rider:
            results.append({"type": "text", "text": round.rider})
            self._say("user", results)
            return
        if round.apart:
            for result in results:
                self._say("tool", [result])
        else:
            self._say("tool", results)

    def _result(self, id: str, call: Call) -> Json:
        result: Json = {"type": "tool_result", "call_id": id, "content": call.output}
        match call.kind:
            case "list":
                result["content"] = [{"type": "text", "text": call.output}]
            case "none":
                result["content"] = []
            case "image":
                picture = {"type": "image", "media_type": "image/png", "data": PNG}
                result["content"] = [{"type": "text", "text": "screen"}, picture]
            case "error":
                result["is_error"] = True
            case "blank":
                result["content"] = ""
        return result
