"""What fills a window: the figures of `trimtab inspect`, before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from trimtab.context.blocks import id_alone
from trimtab.history.log import History
from trimtab.history.message import (
    Block,
    Document,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from trimtab.report.pieces import PARTS, Piece, pieces
from trimtab.report.plain import one_line
from trimtab.report.repeats import Repeat, arguments, repeats
from trimtab.report.secrets import Found, secrets_in
from trimtab.report.turns import Turn, turns
from trimtab.store.redaction import redacted
from trimtab.tokens import Counter, window_of

LARGEST = 10
_LONGEST_SECRET = 2_000
"""Characters that are looked at beyond what is shown, so that no half of one is."""


@dataclass(frozen=True, slots=True)
class ToolFill:
    """What one tool takes.

    Attributes:
        calls, results, errors: how many.
        call_size, result_size: what they take, in the counter's unit.
    """

    name: str
    calls: int = 0
    results: int = 0
    errors: int = 0
    call_size: int = 0
    result_size: int = 0

    @property
    def size(self) -> int:
        """Calls and results together."""
        return self.call_size + self.result_size


@dataclass(frozen=True, slots=True)
class Large:
    """One of the largest blocks; `id` is the block id it has if it is evicted alone."""

    message: int
    block: int
    role: str
    kind: str
    tool: str
    size: int
    id: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Fill:
    """What fills the window of one session.

    Attributes:
        size: the whole, in `unit`; `roles`, `kinds` and `parts` each sum up to it.
        window: the model's window in tokens, where known.
        exact: counted with the model's own vocabulary.
        usage: the reported usage of all calls, summed up.
    """

    name: str
    model: str | None
    unit: str
    counter: str
    exact: bool
    size: int
    messages: int
    window: int | None
    roles: tuple[tuple[str, int], ...]
    kinds: tuple[tuple[str, int], ...]
    parts: tuple[tuple[str, int], ...]
    tools: tuple[ToolFill, ...]
    turns: tuple[Turn, ...]
    largest: tuple[Large, ...]
    repeats: tuple[Repeat, ...]
    secrets: tuple[Found, ...]
    usage: Usage | None
    format: str = ""
    title: str = ""
    session_id: str | None = None
    threads: int = 0
    compactions: int = 0
    started: float | None = None
    ended: float | None = None
    problems: tuple[str, ...] = field(default=())

    @property
    def reported(self) -> Turn | None:
        """The last turn that the provider reported a context size for."""
        return next((turn for turn in reversed(self.turns) if turn.hidden is not None), None)

    @property
    def stale(self) -> int:
        """What repeated observations take besides the newest of each."""
        return sum(repeat.stale for repeat in self.repeats)


def fill(
    history: History,
    counter: Counter,
    *,
    name: str,
    model: str | None = None,
    boundaries: Sequence[int] = (),
) -> Fill:
    """Measure what fills the window of `history`.

    Args:
        counter: measures it.
        name: the session's name in the report.
        model: the model's name, for its window.
        boundaries: the messages that stand first after a compaction by the recorded agent.
    """
    found = pieces(history, counter)
    reported = [m.usage for m in history if m.usage is not None]
    return Fill(
        name=name,
        model=model,
        unit=counter.unit,
        counter=counter.name,
        exact=counter.exact,
        size=sum(piece.size for piece in found),
        messages=len(history),
        window=window_of(model) if counter.unit == "tokens" else None,
        roles=_sums((p.role, p.size) for p in found),
        kinds=_sums((p.kind, p.size) for p in found),
        parts=_in_order(PARTS, _sums((p.part, p.size) for p in found)),
        tools=_tools(history, found),
        turns=tuple(turns(history, found, boundaries)),
        largest=_largest(history, found),
        repeats=tuple(
            replace(repeat, resource=redacted(repeat.resource))
            for repeat in repeats(history, counter)
        ),
        secrets=secrets_in(history),
        usage=_summed(reported),
        compactions=len(boundaries),
    )


def _sums(pairs: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Sizes by name, the largest first."""
    sums: dict[str, int] = {}
    for name, size in pairs:
        sums[name] = sums.get(name, 0) + size
    return tuple(sorted(sums.items(), key=lambda item: -item[1]))


def _in_order(names: Sequence[str], sums: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    sizes = dict(sums)
    return tuple((name, sizes.get(name, 0)) for name in names)


def _tools(history: History, found: Sequence[Piece]) -> tuple[ToolFill, ...]:
    """What each tool takes, the largest first; results without a call are `(unknown)`."""
    counts: dict[str, list[int]] = {}
    counted: set[tuple[int, int]] = set()
    for piece in found:
        if piece.block < 0:
            continue
        block = history[piece.message].blocks[piece.block]
        if not isinstance(block, ToolCall | ToolResult):
            continue
        is_call = isinstance(block, ToolCall)
        count = counts.setdefault(piece.tool or "(unknown)", [0, 0, 0, 0, 0])
        count[3 if is_call else 4] += piece.size
        if (piece.message, piece.block) not in counted:  # a result with pictures is two pieces
            counted.add((piece.message, piece.block))
            count[0 if is_call else 1] += 1
            count[2] += isinstance(block, ToolResult) and block.is_error
    made = (ToolFill(name, *count) for name, count in counts.items())
    return tuple(sorted(made, key=lambda tool: -tool.size))


def _largest(history: History, found: Sequence[Piece]) -> tuple[Large, ...]:
    sizes: dict[tuple[int, int], int] = {}
    of: dict[tuple[int, int], Piece] = {}
    for piece in found:
        if piece.block >= 0:
            place = piece.message, piece.block
            sizes[place] = sizes.get(place, 0) + piece.size
            of[place] = piece
    places = sorted(sizes, key=lambda place: (-sizes[place], place))[:LARGEST]
    return tuple(
        Large(
            message=message,
            block=block,
            role=of[message, block].role,
            kind=of[message, block].kind,
            tool=of[message, block].tool,
            size=sizes[message, block],
            id=id_alone(history, history[message].blocks[block]),
            excerpt=excerpt(history[message].blocks[block]),
        )
        for message, block in places
    )


def excerpt(block: Block, length: int = 160) -> str:
    """How a block begins, in one line; secrets are not shown."""
    match block:
        case Text() | Thinking():
            said = block.text
        case ToolCall():
            given = block.input
            said = given if isinstance(given, str) else _arguments_line(arguments(block))
        case ToolResult():
            said = next((part.text for part in block.content if isinstance(part, Text)), "")
        case Image():
            said = f"{block.media_type} {block.width}×{block.height}" if block.width else ""
            said = said or block.media_type or block.url
        case Document():
            said = block.title or block.text or block.media_type
        case _:
            said = block.kind
    return one_line(redacted(said[: 8 * length + _LONGEST_SECRET]), length)


def _arguments_line(given: object) -> str:
    if not isinstance(given, dict):
        return "" if given is None else str(given)
    return ", ".join(f"{key}={str(value)[:200]}" for key, value in given.items())


def _summed(reported: Sequence[Usage]) -> Usage | None:
    if not reported:
        return None
    return Usage(
        input=sum(u.input for u in reported),
        cache_read=sum(u.cache_read for u in reported),
        cache_write=sum(u.cache_write for u in reported),
        output=sum(u.output for u in reported),
    )
