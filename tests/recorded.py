"""Sessions recorded by `trimtab.Session` in the store of a test's command."""

from __future__ import annotations

from typing import Any

from tests.command import Command
from trimtab import Session

TASK = "Read the files. Never write to the archive."


def tool_loop(rounds: int = 12, *, task: str = TASK, text: str = "") -> list[dict[str, Any]]:
    """A task, and rounds of reading one file each; the fourth holds `text`."""
    made: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for n in range(rounds):
        call = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": f"f{n}.txt"}}
        said = {"type": "text", "text": f"Now file {n}."}
        content = f"file {n}: 予算は{n}万円 " + "many words " * 80 + (text if n == 3 else "")
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": content}
        made.append({"role": "assistant", "content": [said, call]})
        made.append({"role": "user", "content": [result]})
    return made


def recorded(
    command: Command,
    id: str = "ses_first0001",
    *,
    budget: int = 2_500,
    policy: str = "clear-tool-results:trigger=2000,keep=2",
    messages: list[dict[str, Any]] | None = None,
    title: str = "",
) -> str:
    """A session of the command's store, with edits; its id."""
    with (
        command.store() as store,
        Session(
            model="claude-sonnet-4-5",
            policy=policy,
            store=store,
            budget=budget,
            system="You read files.",
            id=id,
            title=title,
        ) as session,
    ):
        for message in tool_loop() if messages is None else messages:
            session.append(message)
            if message["role"] == "user":
                session.context()
        assert session.events or budget > 10_000
    return id
