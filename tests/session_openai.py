"""A generated session as OpenAI Chat Completions and as OpenAI Responses."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.session_anthropic import Json, shuffled
from tests.sessions import PNG, Call, Round, Session, Turn
from trimtab.formats.jsontext import dumps_text

PICTURE = f"data:image/png;base64,{PNG}"
PDF = "data:application/pdf;base64,JVBERi0xLjQK"


class ChatForm:
    """Renders one session as Chat Completions."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.numbers = count()
        self.messages: list[Json] = []

    def request(self) -> Any:
        session = self.session
        for n, text in enumerate(session.system):
            self._say("developer" if n else "system", text)
        for n, turn in enumerate(session.turns):
            self._turn(turn)
            if n == 0 and session.note:
                self._say("system", session.note)
        if session.end == "pending":
            self._say("assistant", None, tool_calls=[_chat_call("call_p", "bash", {})])
        if session.bare:
            return self.messages
        body: Json = {"model": "gpt-4o", "messages": self.messages}
        if session.extras:
            function = {"name": "read", "parameters": {"type": "object"}, "strict": True}
            body |= {
                "temperature": 1.0,
                "x_unknown": {"n": 2**70},
                "tools": [{"type": "function", "function": function}],
            }
        return body

    def _say(self, role: str, content: Any, **keys: Any) -> None:
        message: Json = {"role": role, "content": content, **keys}
        if self.session.extras and len(self.messages) % 3 == 2:
            message["x_trace"] = len(self.messages)
        self.messages.append(message)

    def _id(self, n: int, call: Call) -> str:
        number = n if self.session.reuse_ids else next(self.numbers)
        if self.session.strange_ids:
            return f"functions.{call.name}:{number}"
        return f"call_{number}"

    def _turn(self, turn: Turn) -> None:
        for text in turn.user[:-1]:
            self._say("user", text)
        parts: list[Json] = [{"type": "text", "text": turn.user[-1]}]
        match turn.extra:
            case "image":
                parts.append({"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}})
            case "document":
                file = {"filename": "a.pdf", "file_data": PDF}
                parts.append({"type": "file", "file": file})
            case "opaque":
                audio = {"data": "UklGRg==", "format": "wav"}
                parts.append({"type": "input_audio", "input_audio": audio})
        self._say("user", turn.user[-1] if len(parts) == 1 else parts)
        for round in turn.rounds:
            self._round(round)
        if turn.answer and turn.extra == "opaque" and self.session.extras:
            self._say("assistant", None, refusal=turn.answer)
        elif turn.answer:
            self._say("assistant", turn.answer)

    def _round(self, round: Round) -> None:
        if self.session.extras and round.order == 3:
            call = round.calls[0]
            function = {"name": call.name, "arguments": dumps_text(call.input)}
            self._say("assistant", round.text or None, function_call=function)
            self._say("function", call.output, name=call.name)
            return
        text: str | None = round.text or (None if round.order % 2 else "")
        if round.split and round.text:
            self._say("assistant", round.text)
            text = None
        named = [(self._id(n, call), call) for n, call in enumerate(round.calls)]
        keys: Json = {"tool_calls": [self._call(id, call, round) for id, call in named]}
        if round.thinking == "plain":
            keys["reasoning_content"] = "Let me see."
        self._say("assistant", text, **keys)
        pictures: list[Json] = []
        for id, call in shuffled(named, round.order):
            content: Any = call.output
            match call.kind:
                case "list":
                    content = [{"type": "text", "text": call.output}]
                case "none" | "blank":
                    content = ""
                case "image":
                    content = "screen"
                    pictures.append({"type": "image_url", "image_url": {"url": PICTURE}})
            self._say("tool", content, tool_call_id=id)
        if pictures:
            self._say("user", pictures)
        if round.rider:
            self._say("user", round.rider)

    def _call(self, id: str, call: Call, round: Round) -> Json:
        if call.name == "write_file" and round.order == 5:
            return {"id": id, "type": "custom", "custom": {"name": call.name, "input": "any text"}}
        return _chat_call(id, call.name, call.input)


def _chat_call(id: str, name: str, input: Json) -> Json:
    function = {"name": name, "arguments": dumps_text(input)}
    return {"id": id, "type": "function", "function": function}


class ResponsesForm:
    """Renders one session as a Responses request."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.numbers = count()
        self.items: list[Json] = []

    def request(self) -> Any:
        session = self.session
        system = list(session.system)
        body: Json = {"model": "gpt-5.1", "store": False}
        if system and not session.bare:
            body["instructions"] = system.pop(0)
        self.items += [{"role": "developer", "content": text} for text in system]
        for n, turn in enumerate(session.turns):
            self._turn(turn)
            if n == 0 and session.note:
                self.items.append({"role": "developer", "content": session.note})
        if session.end == "pending":
            self._add("function_call", call_id="call_p", name="bash", arguments="{}")
        if session.bare:
            return self.items
        body["input"] = self.items
        only = self.items[0].get("content") if len(self.items) == 1 else None
        if isinstance(only, str) and self.items[0]["role"] == "user":
            body["input"] = only
        if session.extras:
            body["tools"] = [
                {"type": "function", "name": "read", "parameters": {"type": "object"}},
                {"type": "web_search"},
                {"type": "mcp", "server_label": "m", "server_url": "https://example.com"},
            ]
            body["include"] = ["reasoning.encrypted_content"]
        return body

    def _add(self, type: str, **keys: Any) -> None:
        item: Json = {"type": type, **keys}
        if self.session.extras:
            item["id"] = f"it_{next(self.numbers)}"
            item["status"] = "completed"
        self.items.append(item)

    def _says(self, text: str) -> None:
        if self.session.extras:
            part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
            self._add("message", role="assistant", content=[part], phase="final")
        else:
            self.items.append({"role": "assistant", "content": text})

    def _turn(self, turn: Turn) -> None:
        for text in turn.user[:-1]:
            self.items.append({"role": "user", "content": text})
        parts: list[Json] = [{"type": "input_text", "text": turn.user[-1]}]
        match turn.extra:
            case "image":
                parts.append({"type": "input_image", "image_url": PICTURE, "detail": "auto"})
            case "document":
                parts.append({"type": "input_file", "filename": "a.pdf", "file_data": PDF})
            case "opaque":
                self.items.append({"type": "compaction", "encrypted_content": "ZW5j"})
        content: Any = turn.user[-1] if len(parts) == 1 else parts
        self.items.append({"role": "user", "content": content})
        for round in turn.rounds:
            self._round(round)
        if turn.answer:
            self._says(turn.answer)

    def _round(self, round: Round) -> None:
        if round.thinking:
            summary = (
                []
                if round.thinking == "redacted"
                else [{"type": "summary_text", "text": "Let me see."}]
            )
            sealed = {} if round.thinking == "plain" else {"encrypted_content": "c2Vj"}
            rs = f"rs_{next(self.numbers)}"
            self.items.append({"type": "reasoning", "id": rs, "summary": summary, **sealed})
        if round.server:
            self._server(round)
        if round.text:
            self._says(round.text)
        named = [(f"call_{next(self.numbers)}", call) for call in round.calls]
        for id, call in named:
            self._call(id, call)
        if round.late and round.rider:
            self.items.append({"role": "user", "content": round.rider})
        for id, call in shuffled(named, round.order):
            self._output(id, call)
        if not round.late and round.rider:
            self.items.append({"role": "user", "content": round.rider})

    def _call(self, id: str, call: Call) -> None:
        match call.name:
            case "write_file":
                self._add("custom_tool_call", call_id=id, name=call.name, input="any text")
            case "bash":
                shell = {"type": "exec", "command": ["ls"], "env": {}}
                self._add("local_shell_call", call_id=id, action=shell)
            case "grep":
                action: Json = {"commands": ["grep x"], "timeout_ms": 100}
                self._add("shell_call", call_id=id, action=action)
            case _:
                arguments = dumps_text(call.input)
                self._add("function_call", call_id=id, name=call.name, arguments=arguments)

    def _output(self, id: str, call: Call) -> None:
        output: Any = "" if call.kind in ("none", "blank") else call.output
        match call.name:
            case "write_file":
                self._add("custom_tool_call_output", call_id=id, output=output)
                return
            case "bash":
                self.items.append({"type": "local_shell_call_output", "id": id, "output": output})
                return
            case "grep":
                outcome = {"type": "exit", "exit_code": 0}
                chunk = {"stdout": call.output, "stderr": "", "outcome": outcome}
                self._add("shell_call_output", call_id=id, output=[chunk])
                return
        if call.kind == "list":
            output = [{"type": "input_text", "text": call.output}]
        elif call.kind == "image":
            output = [{"type": "input_image", "image_url": PICTURE}]
        self._add("function_call_output", call_id=id, output=output)

    def _server(self, round: Round) -> None:
        match round.order:
            case 0:
                action = {"type": "search", "query": "x"}
                id = f"ws_{next(self.numbers)}"
                self.items.append({"type": "web_search_call", "id": id, "action": action})
            case 1 | 2:
                self.items.append(
                    {
                        "type": "mcp_call",
                        "id": f"mcp_{next(self.numbers)}",
                        "server_label": "m",
                        "name": "echo",
                        "arguments": "{}",
                        "output": "echoed",
                        "error": None,
                    }
                )
            case 3:
                outputs = [{"type": "logs", "logs": "42"}]
                self.items.append(
                    {
                        "type": "code_interpreter_call",
                        "id": f"ci_{next(self.numbers)}",
                        "code": "print(42)",
                        "container_id": "c",
                        "outputs": outputs,
                    }
                )
            case 4:
                id = f"mcpr_{next(self.numbers)}"
                asked = {"id": id, "server_label": "m", "name": "rm", "arguments": "{}"}
                self.items.append({"type": "mcp_approval_request", **asked})
                answer = {"approval_request_id": id, "approve": round.apart}
                self.items.append({"type": "mcp_approval_response", **answer})
            case _:
                id = f"ig_{next(self.numbers)}"
                self.items.append({"type": "image_generation_call", "id": id, "result": PNG})
