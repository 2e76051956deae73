"""Repair of broken histories, on request: pairs, ids, places, roles, empty content.

Nothing is lost: what cannot stay in its place becomes a quoted note, what is left out stands
elsewhere already or is thinking that a provider would refuse. The newest calls of a session may be
open; they are not broken.
"""

from __future__ import annotations

from dataclasses import dataclass

from trimtab.history import repair_content as content
from trimtab.history import repair_order as order
from trimtab.history import repair_pairs as pairs
from trimtab.history import repair_sides as sides
from trimtab.history.log import History
from trimtab.history.repair_work import Item, Part, Repair, Work
from trimtab.history.rules import Violation, validate

__all__ = ["Repair", "Repaired", "repair"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A history that breaks no rule of its provider.

    Attributes:
        history: the repaired one; the very one that was given where nothing was broken.
        repairs: what was done, in the order of the messages.
        sources: for each message its number in the history that was given; -1 for one put in.
        left: what a repair does not touch: broken tool definitions.
    """

    history: History
    repairs: tuple[Repair, ...]
    sources: tuple[int, ...]
    left: tuple[Violation, ...] = ()


def repair(history: History) -> Repaired:
    """A history that its provider accepts, with every repair listed. Pure and idempotent.

    - A result without its call becomes a quoted note on the user's side; one that is there twice
      with the same content is left out.
    - A call without a result gets an error result, `[no result was recorded]`, unless it is among
      the newest calls.
    - Results go where the provider wants them; ids that occur twice are made unlike, in the call
      and in its result.
    - Blank texts are left out, empty messages say that they were; a history that begins with an
      answer has a note before it.
    - Thinking without what it led to is left out, and signed thinking behind a change.

    Messages that are not concerned stay the same objects.

    Args:
        history: not changed.

    Returns:
        The repaired history; the same object where it was valid.
    """
    broken = _broken(history)
    whole = tuple(range(len(history)))
    if not broken:
        return Repaired(history, (), whole)
    work = Work(
        history.dialect,
        [Item(m, n, [Part(block) for block in m.blocks]) for n, m in enumerate(history)],
        history.envelope,
    )
    _run(work, history)
    if not work.repairs:
        return Repaired(history, (), whole, broken)
    made = History(
        (item.built() for item in work.items),
        tools=history.tools,
        dialect=history.dialect,
        envelope=work.envelope,
        model=history.model,
    )
    made.prepare = history.prepare
    sources = tuple(item.number for item in work.items)
    for at, number in enumerate(sources):
        if number in history.marks:
            made.mark(at, history.marks[number])
    told = sorted(dict.fromkeys(work.repairs), key=lambda r: r.message)
    return Repaired(made, tuple(told), sources, _broken(made))


def _run(work: Work, history: History) -> None:
    """The repairs in their order: each leaves in place what the ones before it made."""
    content.roles(work)
    content.foreign(work)
    pairs.doubled(work)
    content.sides(work)
    content.arguments(work)
    content.empties(work)
    pairs.match(work)
    order.results_behind_calls(work)
    pairs.ids(work)
    if work.dialect == "anthropic":
        sides.system_in_place(work)
        sides.server_pairs(work)
    sides.thinking_followed(work)
    content.empties(work)
    sides.user_begins(work)
    sides.no_white_space_at_end(work)
    sides.unbound(work, history)
    content.empties(work)
    sides.thinking_setting(work)
    sides.few_breakpoints(work, history.tools)


def _broken(history: History) -> tuple[Violation, ...]:
    return validate(history, history.dialect, tools=history.tools, envelope=history.envelope)
