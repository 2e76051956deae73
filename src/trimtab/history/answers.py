"""Answers: the runs of messages that one call of the model gave."""

from __future__ import annotations

from collections.abc import Iterator

from trimtab.history.log import History
from trimtab.history.message import Message


def answers(history: History) -> Iterator[tuple[int, int]]:
    """The runs of messages `start <= i < stop` that one call of the model gave."""
    start = -1
    for number in range(len(history) + 1):
        message = history[number] if number < len(history) else None
        if start >= 0 and (message is None or not _goes_on(history[number - 1], message)):
            yield start, number
            start = -1
        if start < 0 and message is not None and message.role == "assistant":
            start = number


def _goes_on(previous: Message, message: Message) -> bool:
    """Two answers in a row are parts of one, unless they are known to be two."""
    if message.role != "assistant":
        return False
    if previous.id is not None and message.id is not None and previous.id == message.id:
        return True
    if previous.dialect == "responses":
        return True
    return previous.usage is None or message.usage is None
