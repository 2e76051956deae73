"""What left comes back: by its id, and by its words, in English and Japanese."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import mean
from time import perf_counter
from typing import Any

from bench.clock import settled, typical
from bench.filled import Filled, filled, sizes
from bench.histories import WORDS
from bench.japanese import COMMON, RARE
from bench.shape import Aim, Section, at_most, rounded
from trimtab.context.blocks import block_id, evicted

LIMIT = 50.0
QUERIES = 40
RECALLS = 400


def _single(rng: Random) -> str:
    return rng.choice(WORDS)


def _several(rng: Random) -> str:
    return " ".join(rng.sample(WORDS, 3))


def _identifier(rng: Random) -> str:
    return f"{rng.choice(WORDS)}_{rng.choice(WORDS)}.py"


def _number(rng: Random) -> str:
    return str(rng.randint(100, 9999))


def _phrase(rng: Random) -> str:
    return f'"handles a missing {rng.choice(WORDS)}"'


def _two(rng: Random) -> str:
    return rng.choice(COMMON)


def _rare(rng: Random) -> str:
    return rng.choice(RARE)


def _compound(rng: Random) -> str:
    return "".join(rng.sample(COMMON, 2))


def _both(rng: Random) -> str:
    return " ".join(rng.sample(COMMON, 2))


def _one(rng: Random) -> str:
    return rng.choice(rng.choice(COMMON))


def _sentence(rng: Random) -> str:
    return f"「{rng.choice(COMMON)}の{rng.choice(COMMON)}」"


def _mixed(rng: Random) -> str:
    return f"{rng.choice(WORDS)} {rng.choice(COMMON)}"


QUERIES_BY_KIND: dict[str, dict[str, Callable[[Random], str]]] = {
    "English": {
        "a word": _single,
        "three words": _several,
        "a file name": _identifier,
        "a number": _number,
        "a quoted phrase": _phrase,
    },
    "Japanese": {
        "a two-character word": _two,
        "a rare two-character word": _rare,
        "a four-character word": _compound,
        "two words": _both,
        "one character": _one,
        "a phrase": _sentence,
        "a word beside an English one": _mixed,
    },
}


def measure(quick: bool = False) -> Section:
    """Recall and each kind of query, at three lengths."""
    rows: list[dict[str, Any]] = []
    aims: list[Aim] = []
    for size in sizes(quick):
        made = filled(size, quick)
        first = {"messages": size, "texts": made.store.stats()["texts"]}
        with settled():
            rows.append({**first, **_recalls(made)})
            for language, kinds in QUERIES_BY_KIND.items():
                everything: list[float] = []
                for kind, make in kinds.items():
                    row, taken = _searches(made, f"{language}: {kind}", make)
                    rows.append({**first, **row})
                    everything += taken
                    if kind == "a two-character word" and size == sizes(quick)[-1]:
                        aims.append(_aim(size, f"two-character {language} words", taken))
                if size == sizes(quick)[-1]:
                    aims.append(_aim(size, f"{language} queries", everything))
    return Section(
        title="Recall and search",
        about=(
            "In the same stored sessions, by `Session.recall` and `Session.search` (20 hits at "
            f"the most): {RECALLS} ids and {QUERIES} queries a kind, each at random and once, on "
            "the clock. Among *messages* of a session, *texts* have left the context and are "
            "indexed. The words are few and so each common one is in many texts: of more than "
            "1,000 matches the newest 1,000 are ranked."
        ),
        rows=rows,
        units={"median": "ms", "slowest": "ms"},
        aims=aims,
    )


def _aim(size: int, what: str, taken: list[float]) -> Aim:
    return at_most(f"{what} among {size:,} messages, median", typical(taken), LIMIT, "ms")


def _recalls(made: Filled) -> dict[str, Any]:
    rng = Random(5)
    history = made.ours.history
    edits = [edit for change in made.ours.events for edit in change.edits if edit.evicts]
    chosen = rng.sample(edits, min(RECALLS, len(edits)))
    taken = []
    for edit in chosen:
        data = evicted(history, edit)
        id = block_id(data)
        start = perf_counter()
        found = made.ours.recall(id)
        taken.append((perf_counter() - start) * 1e3)
        if found != data:
            raise AssertionError(f"{id} brought other bytes back")
    return {"what": "recall by id", "example": id, **_figures(taken)}


def _searches(
    made: Filled, what: str, make: Callable[[Random], str]
) -> tuple[dict[str, Any], list[float]]:
    taken, hits = [], []
    for query in _distinct(make):
        start = perf_counter()
        found = made.ours.search(query)
        taken.append((perf_counter() - start) * 1e3)
        hits.append(len(found))
    row = {"what": what, "example": query, **_figures(taken), "hits": rounded(mean(hits))}
    return row, taken


def _distinct(make: Callable[[Random], str]) -> Iterator[str]:
    """Up to `QUERIES` queries, no two the same."""
    rng = Random(6)
    yield from dict.fromkeys(make(rng) for _ in range(QUERIES))


def _figures(taken: list[float]) -> dict[str, float]:
    return {"median": rounded(typical(taken)), "slowest": rounded(max(taken))}
