"""Repairs of order: results behind their calls, and a result for every call but the newest."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.history.message import Message, ToolCall, ToolResult
from trimtab.history.repair_pairs import is_interim, no_result
from trimtab.history.repair_work import NEW, Item, Part, Work
from trimtab.history.rules.violation import shown

BEHIND = "it was put behind it"


def results_behind_calls(work: Work) -> None:
    """Every result where the provider wants it; every call that is not the newest has one."""
    if work.dialect == "anthropic":
        _by_turns(work)
        _results_first(work)
    elif work.dialect == "openai":
        _directly(work)
    else:
        _anywhere_behind(work)


def _missing(work: Work, item: Item, call: Part) -> Part:
    block = call.block
    assert isinstance(block, ToolCall)
    work.tell(item, f"the call {shown(block.id)} has no result", "an error result was put in")
    return no_result(work, call)


def _carriers(work: Work, calls: Sequence[Part], holder: dict[Part, Item]) -> list[Item]:
    """The results of these calls as messages, in the order in which they stand.

    A message that holds nothing else is taken whole; from others the results are taken out.
    """
    own = {call.mate for call in calls if call.mate is not None}
    whole: list[Item] = []
    for item in dict.fromkeys(holder[call.mate] for call in calls if call.mate is not None):
        if all(part in own for part in item.parts):
            whole.append(item)
            continue
        for part in [part for part in item.parts if part in own]:
            item.take(part)
            whole.append(_result_item(work, [part], item.number))
    return whole


def _result_item(work: Work, parts: list[Part], number: int = NEW) -> Item:
    """A message of results and nothing else."""
    anthropic = work.dialect == "anthropic"
    message = Message("user" if anthropic else "tool", (), typed=False, dialect=work.dialect)
    return Item(message, number, parts, changed=True)


# -- OpenAI: right behind the calls ---------------------------------------------------------------


def _directly(work: Work) -> None:
    holder = work.holder()
    before = list(work.items)
    behind: dict[Item, list[Item]] = {}
    for at, item in enumerate(before):
        calls = [part for part in item.parts if part.calls]
        if calls:
            behind[item] = _in_place_first(work, before, at, _carriers(work, calls, holder))
    moved = {other for taken in behind.values() for other in taken}
    end = max((n for n, item in enumerate(before) if item not in moved), default=-1)
    work.items = []
    for at, item in enumerate(before):
        if item in moved:
            continue
        if item.parts or not item.changed:
            work.items.append(item)
        taken = behind.get(item, [])
        work.items += taken
        if taken or at < end:  # the newest calls may be open
            left = [part for part in item.parts if part.calls and part.mate is None]
            work.items += [_result_item(work, [_missing(work, item, call)]) for call in left]


def _in_place_first(work: Work, items: list[Item], at: int, taken: list[Item]) -> list[Item]:
    """Those that stand right behind message `at` already, then the others, which are told."""
    right: list[Item] = []
    for item in items[at + 1 : at + 1 + len(taken)]:
        if item not in taken:
            break
        right.append(item)
    for item in taken:
        if item not in right:
            work.tell(item, "a tool result does not follow its call", BEHIND)
    return [*right, *(item for item in taken if item not in right)]


# -- Responses, neutral: anywhere behind the call -------------------------------------------------


def _anywhere_behind(work: Work) -> None:
    place = {part: at for at, (_, part) in enumerate(work.placed())}
    early = [
        (item, part, part.mate)
        for item, part in work.placed()
        if isinstance(part.block, ToolResult)
        and part.mate is not None
        and place[part] < place[part.mate]
    ]
    early.sort(key=lambda found: not is_interim(work, found[1]))
    moving = {part for _, part, _ in early}
    interim = {  # the final result goes behind the last of these
        part.mate: item
        for item, part in work.placed()
        if is_interim(work, part) and part not in moving
    }
    behind: dict[Item, list[Item]] = {}
    holder = work.holder()
    moved: set[Item] = set()
    for item, part, call in early:
        place_of = holder[call] if is_interim(work, part) else interim.get(call, holder[call])
        work.tell(item, "a tool result stands before its call", BEHIND)
        carrier = item
        if len(item.parts) == 1:
            moved.add(item)
        else:
            item.take(part)
            carrier = _result_item(work, [part], item.number)
        behind.setdefault(place_of, []).append(carrier)
    items = [item for item in work.items if item not in moved and (item.parts or not item.changed)]
    work.items = _inserted(items, behind)
    _fill_open(work)


def _inserted(items: list[Item], behind: dict[Item, list[Item]]) -> list[Item]:
    """The messages with others behind some of them; the items of one answer are not parted."""
    made: list[Item] = []
    waiting: list[Item] = []
    for at, item in enumerate(items):
        made.append(item)
        waiting += behind.get(item, ())
        after = items[at + 1] if at + 1 < len(items) else None
        if after is None or item.role != "assistant" or after.role != "assistant":
            made += waiting
            waiting = []
    return made


def _fill_open(work: Work) -> None:
    """An error result for each call that is not among the newest and has none."""
    last = max((n for n, item in enumerate(work.items) if item.role != "assistant"), default=-1)
    interim = {part.mate for _, part in work.placed() if is_interim(work, part)}
    behind: dict[Item, list[Item]] = {}
    for item in work.items[: last + 1]:
        for part in item.parts:
            if part.calls and part.mate is None and part not in interim:
                made = _result_item(work, [_missing(work, item, part)])
                behind.setdefault(item, []).append(made)
    if behind:
        work.items = _inserted(work.items, behind)


# -- Anthropic: in the next user turn, in front ---------------------------------------------------


def turns_of(items: Sequence[Item]) -> list[list[Item]]:
    """Messages of one side in a row; without the system prompt. System messages stand alone."""
    turns: list[list[Item]] = []
    for item in items:
        if item.role == "system" and not turns:
            continue
        if turns and item.side != "system" and turns[-1][-1].side == item.side:
            turns[-1].append(item)
        else:
            turns.append([item])
    return turns


def _by_turns(work: Work) -> None:
    holder = work.holder()
    turns = turns_of(work.items)
    behind: dict[Item, list[Item]] = {}
    moved: set[Item] = set()
    for n, turn in enumerate(turns):
        calls = [part for item in turn for part in item.parts if part.calls]
        if not calls or turn[0].side != "assistant":
            continue
        after = turns[n + 1] if n + 1 < len(turns) else None
        mates = [call.mate for call in calls]
        if after is None and not any(mates):
            continue  # the newest calls may be open
        answer = set(after) if after is not None and after[0].side == "user" else set()
        if all(mate is not None and holder[mate] in answer for mate in mates):
            continue
        for group in _responses(turn):
            taken = _answers_of(work, group, turn, answer, holder)
            moved.update(taken)
            behind.setdefault(group[-1], []).extend(taken)
    if not behind:
        return
    items: list[Item] = []
    for item in work.items:
        if item not in moved and (item.parts or not item.changed):
            items.append(item)
        items += behind.get(item, ())
    work.items = items


def _answers_of(
    work: Work, group: list[Item], turn: list[Item], answer: set[Item], holder: dict[Part, Item]
) -> list[Item]:
    """The results of one answer of the model that are to be put behind it."""
    calls = [(item, part) for item in group for part in item.parts if part.calls]
    ends = group[-1] is turn[-1]
    away = [
        call
        for _, call in calls
        if call.mate is not None and not (ends and holder[call.mate] in answer)
    ]
    taken = _carriers(work, away, holder)
    for other in taken:
        work.tell(other, "a tool result is not right behind its call", BEHIND)
    errors = [_missing(work, item, call) for item, call in calls if call.mate is None]
    return [*taken, _result_item(work, errors)] if errors else taken


def _responses(turn: list[Item]) -> list[list[Item]]:
    """The assistant messages of a turn, those of one answer of the model together."""
    groups: list[list[Item]] = []
    for item in turn:
        before = groups[-1][-1] if groups else None
        if before is not None and (
            any(part.calls for part in item.parts)
            or (item.message.id is not None and item.message.id == before.message.id)
            or not any(part.calls for member in groups[-1] for part in member.parts)
        ):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _results_first(work: Work) -> None:
    """In a user turn, results stand before everything else."""
    front: dict[Item, list[Item]] = {}
    moved: set[Item] = set()
    for turn in turns_of(work.items):
        other: Item | None = None  # the first message with other content
        for item in turn if turn[0].side == "user" else ():
            late = [p for n, p in enumerate(item.parts) if _is_late(item, n, p, other)]
            for _ in late:
                work.tell(item, "a tool result stands behind other content", "it was put in front")
            if late and other is None:
                results = [p for p in item.parts if isinstance(p.block, ToolResult)]
                item.parts = results + [p for p in item.parts if p not in results]
                item.changed = True
            elif other is not None and late and len(late) == len(item.parts):
                moved.add(item)
                front.setdefault(other, []).append(item)
            elif other is not None and late:
                for part in late:
                    item.take(part)
                front.setdefault(other, []).append(_result_item(work, late, item.number))
            if other is None and item.parts and not item.only_results:
                other = item
    if not front:
        return
    items: list[Item] = []
    for item in work.items:
        items += front.get(item, ())
        if item not in moved:
            items.append(item)
    work.items = items


def _is_late(item: Item, n: int, part: Part, other: Item | None) -> bool:
    """It is a result with other content of the same turn before it."""
    if not isinstance(part.block, ToolResult):
        return False
    return other is not None or not all(
        isinstance(before.block, ToolResult) for before in item.parts[:n]
    )
