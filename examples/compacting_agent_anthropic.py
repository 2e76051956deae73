"""The twin of `compacting_agent.py` on the Anthropic client.

    ANTHROPIC_API_KEY=... python examples/compacting_agent_anthropic.py "Why does the build fail?"

MODEL does the work; SUMMARY_MODEL, a cheaper one, writes the summaries (without it they are
quotations, and no model is asked). Needs `pip install 'trimtab[models]'`.
"""

import os
import subprocess
import sys
from typing import Any

import anthropic

import trimtab

RUN = {
    "name": "run",
    "description": "Run a shell command and see what it prints.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}},
}
ANSWER = 4_000  # tokens of the window that stay free for an answer
client = anthropic.Anthropic()
summary_model = os.environ.get("SUMMARY_MODEL")
session = trimtab.Session(
    model=os.environ.get("MODEL", "claude-sonnet-4-5"),
    system="You are a careful engineer. Look with `run`, then answer.",
    tools=[RUN],
    budget=trimtab.Budget(int(os.environ.get("WINDOW", "100000")), reserve=ANSWER),
    policy="compact",
    trigger="tokens:70%,stage,pressure,cold",  # of what the provider reports as used
    summariser=f"anthropic/{summary_model}" if summary_model else None,
)


def chat(text: str) -> str:
    """Answer one request of the user's, with as many calls of the tool as it takes."""
    session.append(text)
    while True:
        try:
            response: Any = client.messages.create(max_tokens=ANSWER, **session.context())
        except anthropic.APIStatusError as error:
            if not session.refused(error):
                raise
            continue  # it was too long after all; the next context is smaller
        session.append(response)
        log_usage()
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in response.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run(call.input["command"])}
            for call in calls
        ]
        session.append({"role": "user", "content": results})


def finish_stage(note: str) -> None:
    """Say that a part of the work is done: the best moment to make room."""
    session.finish_stage(note)


def run(command: str) -> str:
    """What a command prints, and how it ends. It runs as you: try this in a container."""
    try:
        done = subprocess.run(command, shell=True, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "[no end within 60 s]"
    return f"{(done.stdout + done.stderr).decode(errors='replace')}[exit {done.returncode}]"


def log_usage() -> None:
    """One line a turn: what went in, what came out, what was compacted so far and at what cost."""
    turn, summaries = session.usage()[-1], session.summary_usage()
    print(
        f"turn {turn.turn}: {turn.usage.context:,} in, {turn.usage.cache_read:,} of it cached, "
        f"{turn.usage.output:,} out; {len(session.events)} compactions, whose summaries took "
        f"{sum(s.usage.context for s in summaries):,} in, "
        f"{sum(s.usage.output for s in summaries):,} out",
        file=sys.stderr,
    )


if __name__ == "__main__":
    for request in sys.argv[1:]:
        print(chat(request))
        finish_stage(request)
