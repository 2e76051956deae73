"""The measures of one context (K) against its history (H), each defined once.

A context is measured as its `Projection`: it knows which message of H each kept message is, also
where neighbours were joined into one for the provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trimtab.context.projection import Context, Projection
from trimtab.history.log import History
from trimtab.history.message import Text
from trimtab.history.rules import Violation, validate
from trimtab.pins import Pin, find_pins


def reduction(before: int, after: int) -> float:
    """1 - size(K)/size(H), both in the same unit; 0 for an empty history.

    Negative where a context came out larger than its history.

    Args:
        before: size of H.
        after: size of K.
    """
    return 1 - after / before if before else 0.0


def required_retention(history: History, kept: Projection) -> float:
    """Required items present word for word in K / required items in H, 0..1.

    An item is a pin: a span that the caller marked or that a rule found (`trimtab.pins`). It is
    present if the text block that holds it stands unchanged in K, or if a text that stands for
    what left (a summary) holds it word for word, whatever the line breaks. 1 where nothing is
    required: nothing was lost.

    Args:
        history: H.
        kept: K, a projection of the same history.
    """
    pins = find_pins(history)
    if not pins:
        return 1.0
    lost = [pin for pin in pins if not _stands(pin, kept)]
    if lost:
        standing_in = [_spaced(text) for text in _standing_in(kept)]
        lost = [pin for pin in lost if not any(_spaced(pin.text) in text for text in standing_in)]
    return 1 - len(lost) / len(pins)


def _spaced(text: str) -> str:
    """The words alone: where a line breaks is no part of what was said."""
    return " ".join(text.split())


def _stands(pin: Pin, kept: Projection) -> bool:
    """The block that holds the pin is in the context, and no edit touched it."""
    at = kept.position(pin.message)
    if at < 0:
        return False
    blocks = kept.history[pin.message].blocks
    if not blocks:
        return True  # a message without content is required by being there
    block = blocks[pin.block]
    return any(block is here for here in kept.items[at].blocks)


def _standing_in(kept: Projection) -> list[str]:
    """The texts of K that come from an edit: neither a block of H nor a changed one."""
    own = {id(block) for message in kept.items for block in message.blocks}
    return [
        block.text
        for message in kept.context().messages
        for block in message.blocks
        if isinstance(block, Text) and id(block) not in own
    ]


def verbatim_fidelity(kept: Projection) -> float:
    """Kept items whose text equals the original / kept items, 0..1.

    An item is a message of H that is in K, whole or changed; one with a cleared or removed block
    is kept but not equal. What an edit put in (a summary, a note) is no item. 1 where nothing of
    H is kept: nothing was altered.
    """
    pairs = list(_kept(kept))
    if not pairs:
        return 1.0
    return sum(1 for here, original in pairs if here == original) / len(pairs)


def _kept(kept: Projection) -> Iterator[tuple[object, object]]:
    for here, source in zip(kept.items, kept.sources, strict=True):
        yield here, kept.history[source]


def validity(history: History, context: Context) -> Sequence[Violation]:
    """The provider rules of the history's dialect that K breaks; must be none.

    Args:
        history: H; its dialect and tools say which rules hold.
        context: K.
    """
    return validate(
        context.messages, history.dialect, tools=history.tools, envelope=context.envelope
    )
