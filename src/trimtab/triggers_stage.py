"""Where a stage of the work ended, as the history shows it: an index that grows with it.

Three signs: tests pass after edits, a commit was made, an item of the plan was ticked off. They
are read in the tool shapes of Claude Code, Codex, OpenHands, SWE-agent and of plain shells, and
in the fenced commands of agents without tools; each message is looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trimtab.history.log import History
from trimtab.history.message import Message, ToolCall, ToolResult
from trimtab.triggers_plans import Plans
from trimtab.triggers_shells import (
    commits,
    committed,
    edits_file,
    fenced_command,
    passed,
    runs_tests,
    session_asked,
    shell_command,
    still_running,
    writes_files,
)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The end of a stage, proposed.

    Attributes:
        message: the number of the message that shows it.
        reason: one line, such as `tests passed after edits at message 41`.
    """

    message: int
    reason: str


@dataclass(slots=True)
class _Stages:
    """What was seen so far.

    Attributes:
        found: the boundaries, oldest first, at most one a message.
        edited: a file was changed since the tests last passed.
        open: what is asked for by calls without a result so far, by id.
        told: what a command in the text of the last answer asks for (agents without tools).
        running: what a command asks for that goes on in a session of its own.
        plans: the items of plans and checklists.
    """

    seen: int = 0
    found: list[Boundary] = field(default_factory=list)
    edited: bool = False
    open: dict[str, list[_Asked]] = field(default_factory=dict)
    told: _Asked | None = None
    running: dict[str, _Asked] = field(default_factory=dict)
    plans: Plans = field(default_factory=Plans)

    def refresh(self, history: History) -> None:
        for number in range(self.seen, len(history)):
            reasons = self._reasons(history[number])
            if reasons:
                reason = f"{' and '.join(dict.fromkeys(reasons))} at message {number}"
                self.found.append(Boundary(number, reason))
        self.seen = len(history)

    def _reasons(self, message: Message) -> list[str]:
        reasons: list[str] = []
        told, self.told = self.told, None
        if message.role == "assistant":
            reasons += self.plans.written(message.text)
            command = fenced_command(message.text)
            if command and not any(True for _ in message.calls()):
                self.told = _commanded(command)
        elif told is not None:
            reasons += self._came(told, message.text)
        for block in message.blocks:
            if isinstance(block, ToolCall):
                self.open.setdefault(block.id, []).append(self._asked(block))
            elif isinstance(block, ToolResult) and not block.pending:
                stack = self.open.get(block.call_id)
                if stack:
                    asked = stack.pop()
                    if not stack:
                        del self.open[block.call_id]
                    # A call that failed shows nothing.
                    reasons += () if block.is_error else self._came(asked, block.text)
        return reasons

    def _asked(self, call: ToolCall) -> _Asked:
        session = session_asked(call)
        if session:
            return self.running.pop(session, _Asked())
        command = shell_command(call)
        if command:
            return _commanded(command)
        return _Asked(edits=edits_file(call), ticked=tuple(self.plans.called(call)))

    def _came(self, asked: _Asked, output: str) -> list[str]:
        """What the output of a command or tool shows."""
        reasons = list(asked.ticked)
        if (asked.tests or asked.commits) and (session := still_running(output)):
            self.running[session] = asked
        self.edited = self.edited or asked.edits
        if asked.tests and self.edited and passed(output):
            self.edited = False
            reasons.append("tests passed after edits")
        if asked.commits and committed(output):
            reasons.append("a commit was made")
        return reasons


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a call, if it goes well, does."""

    edits: bool = False
    tests: bool = False
    commits: bool = False
    ticked: tuple[str, ...] = ()


def _commanded(command: str) -> _Asked:
    return _Asked(writes_files(command), runs_tests(command), commits(command))


def boundaries(history: History) -> Sequence[Boundary]:
    """The ends of stages that the history shows so far, oldest first.

    Kept with the history: only messages that came since the last question are read.
    """
    index = history.derived("stages", _Stages)
    index.refresh(history)
    return index.found


def boundary_at_end(history: History) -> Boundary | None:
    """The boundary in the newest exchange: nothing new has been begun since."""
    found = boundaries(history)
    if not found:
        return None
    exchanges = history.exchanges
    at = len(exchanges) - 1
    # What the user said since begins nothing yet: the model has not answered it.
    while at > 0 and history[exchanges[at].start].role in ("user", "system"):
        at -= 1
    return found[-1] if found[-1].message >= exchanges[at].start else None
