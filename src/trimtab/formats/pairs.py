"""Calls and results of a recording, brought into the order that a provider takes.

A crash, an interrupt or a lost line leaves calls without results and results without calls. An
agent mends that when it sends the session again; a reader mends it the same way, and reports
each mend. A call at the very end stays open: its result may still come.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from trimtab.formats.source import Source
from trimtab.history.message import Message, Thinking, ToolCall, ToolResult

NO_RESULT = "[no result recorded]"


@dataclass(slots=True)
class Draft:
    """Messages on their way into a history, each with the line that it came from."""

    source: Source
    messages: list[Message] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)

    def add(self, message: Message, line: int | None = None) -> None:
        """One more message."""
        self.messages.append(message)
        self.lines.append(line)

    def __len__(self) -> int:
        return len(self.messages)


Answer = Callable[[ToolCall, Message], Message]
"""Makes the message that answers a call whose result was not recorded."""


def with_tool_messages(draft: Draft, answer: Answer) -> Draft:
    """Each result directly behind the message that holds its call, in messages of role `tool`.

    For OpenAI chat and neutral histories.
    """
    mended = Draft(draft.source)
    later = Later(draft.messages)
    taken: set[int] = set()
    last = _last_other_than_results(draft.messages)
    for at, (message, line) in enumerate(zip(draft.messages, draft.lines, strict=True)):
        if at in taken:
            continue
        calls = [call for call in message.calls() if not call.server]
        if calls:
            mended.add(message, line)
            found = {call.id: later.result(call.id, at) for call in calls}
            for result in sorted({j for j in found.values() if j is not None}):
                taken.add(result)
                mended.add(draft.messages[result], draft.lines[result])
                if _apart(draft.messages, at, result):
                    draft.source.report(
                        draft.lines[result],
                        "a tool result away from its call",
                        "moved it up to the call",
                    )
            # Results at the end answer a call for which there is none: it will not come.
            if at < last or any(j is not None for j in found.values()):
                for call in calls:
                    if found[call.id] is None:
                        mended.add(answer(call, message), line)
                        report_unanswered(draft, line, call)
        elif any(not result.server for result in message.results()):
            report_orphan(draft, line, next(message.results()).call_id)
        else:
            mended.add(message, line)
    return mended


def with_items(draft: Draft, answer: Answer) -> Draft:
    """Items of the Responses API: outputs stay where they are, what is missing is put in behind
    the run of calls, as Codex does when it sends the session again.
    """
    mended = Draft(draft.source)
    later = Later(draft.messages)
    answered: set[int] = set()
    missing: list[tuple[ToolCall, Message, int | None]] = []
    # The calls that nothing but calls follows may still be running.
    last = max((n for n, m in enumerate(draft.messages) if not any(m.calls())), default=-1)

    def fill() -> None:
        for call, message, line in missing:
            mended.add(answer(call, message), line)
            report_unanswered(draft, line, call)
        missing.clear()

    for at, (message, line) in enumerate(zip(draft.messages, draft.lines, strict=True)):
        calls = [call for call in message.calls() if not call.server]
        results = [result for result in message.results() if not result.server]
        if not calls:
            fill()
        if results and at not in answered:
            report_orphan(draft, line, results[0].call_id)
            continue
        mended.add(message, line)
        for call in calls:
            result = later.result(call.id, at)
            if result is not None:
                answered.add(result)
            elif at < last:
                missing.append((call, message, line))
    fill()
    return _without_lone_reasoning(mended)


def _without_lone_reasoning(draft: Draft) -> Draft:
    """An answer that broke off in its reasoning: the API refuses that without what it led to."""
    mended = Draft(draft.source)
    for at, (message, line) in enumerate(zip(draft.messages, draft.lines, strict=True)):
        after = draft.messages[at + 1] if at + 1 < len(draft) else None
        thinks = bool(message.blocks) and all(isinstance(b, Thinking) for b in message.blocks)
        if thinks and (after is None or after.role != "assistant"):
            draft.source.report(line, "an answer that broke off in its reasoning", "left that out")
        else:
            mended.add(message, line)
    return mended


def moved(marks: Iterable[int], draft: Draft, mended: Draft) -> tuple[int, ...]:
    """Where message numbers of a draft are after messages were put in or left out."""
    if len(draft) == len(mended):
        return tuple(marks)
    place = {id(message): at for at, message in enumerate(mended.messages)}
    found = []
    for mark in marks:
        later = (place.get(id(message)) for message in draft.messages[mark:])
        found.append(next((at for at in later if at is not None), len(mended)))
    return tuple(found)


class Later:
    """Where the results of each call id are; each is found once, for the call before it."""

    def __init__(self, messages: list[Message]) -> None:
        self._results: dict[str, deque[tuple[int, int]]] = defaultdict(deque)
        self._calls: dict[str, deque[int]] = defaultdict(deque)
        for at, message in enumerate(messages):
            for n, block in enumerate(message.blocks):
                if isinstance(block, ToolResult) and not block.server:
                    self._results[block.call_id].append((at, n))
                elif isinstance(block, ToolCall) and not block.server:
                    self._calls[block.id].append(at)

    def block(self, id: str, after: int) -> tuple[int, int] | None:
        """Message and block of the result for the call of this id in message `after`."""
        results, calls = self._results[id], self._calls[id]
        while calls and calls[0] <= after:
            calls.popleft()
        while results and results[0][0] <= after:
            results.popleft()
        # An id that is used again: what stands behind its next call belongs to that one.
        if not results or (calls and results[0][0] > calls[0]):
            return None
        return results.popleft()

    def result(self, id: str, after: int) -> int | None:
        """The message of that result."""
        place = self.block(id, after)
        return None if place is None else place[0]


def _last_other_than_results(messages: list[Message]) -> int:
    """The number of the last message that is more than tool results; -1 if there is none."""
    for at in range(len(messages) - 1, -1, -1):
        if not is_result(messages[at]):
            return at
    return -1


def is_result(message: Message) -> bool:
    """Whether a message holds nothing but tool results."""
    return bool(message.blocks) and all(isinstance(b, ToolResult) for b in message.blocks)


def _apart(messages: list[Message], call: int, result: int) -> bool:
    return any(not is_result(messages[at]) for at in range(call + 1, result))


def report_unanswered(draft: Draft, line: int | None, call: ToolCall) -> None:
    """Note that a call was answered by the reader."""
    draft.source.report(
        line,
        f"the call {call.id} of {call.name} has no recorded result",
        "answered it with an error result",
    )


def report_orphan(draft: Draft, line: int | None, call_id: str) -> None:
    """Note that a result was left out."""
    draft.source.report(line, f"a result for the unknown call {call_id}", "left it out")
