"""Sessions of the store: by the beginning of their id, and as what a FILE is read as."""

from __future__ import annotations

from trimtab.errors import InputError, UsageError
from trimtab.formats.recording import Recording
from trimtab.history.log import History
from trimtab.session import Session
from trimtab.store.protocol import SessionInfo, Store

SHORTEST = 4
"""Characters of an id that are looked up; anything shorter is a file's name."""


def matching(store: Store, name: str) -> list[SessionInfo]:
    """The sessions whose id is `name`, else those whose id begins so."""
    if len(name) < SHORTEST:
        return []
    begin = [i for i in store.sessions() if i.id.lower().startswith(name.lower())]
    return [i for i in begin if i.id == name] or begin


def the_one(store: Store, name: str) -> SessionInfo:
    """The one session of the store that `name` means.

    Raises:
        SessionNotFound: there is none.
        UsageError: several ids begin so.
    """
    found = matching(store, name)
    if not found:
        return store.session(name)  # a short id, or the error for one that is not there
    if len(found) > 1:
        raise ambiguous(name, [info.id for info in found])
    return found[0]


def ambiguous(name: str, ids: list[str]) -> UsageError:
    """The error for the beginning of several ids."""
    shown = ", ".join(ids[:5]) + (" ..." if len(ids) > 5 else "")
    return UsageError(f"{name!r} is the beginning of {len(ids)} session ids: {shown}")


def recording_of(store: Store, info: SessionInfo, *, whole: bool = False) -> Recording:
    """A stored session as a recording: what would be sent next, or with `whole` all of it.

    Raises:
        InputError: it was not recorded by `trimtab.Session`.
    """
    session = Session.restore(info.id, store=store, redact=False)
    history = session.history if whole else _sent(session)
    return Recording(
        history=history,
        format=info.dialect,
        path=info.id,
        session_id=info.id,
        started=info.created,
        ended=info.updated,
        title=info.title,
    )


def _sent(session: Session) -> History:
    """The context as a history of its own, with the marks of the messages that are in it."""
    view, whole = session.view, session.history
    sent = History(
        view.messages,
        tools=whole.tools,
        dialect=whole.dialect,
        envelope=view.envelope,
        model=whole.model,
    )
    for at, source in enumerate(view.sources):
        if source in whole.marks:
            sent.mark(at, whole.marks[source])
    return sent


def title_of(store: Store, info: SessionInfo) -> str:
    """Its title, or how the user began, in one line; for lists."""
    from trimtab.formats.jsontext import loads
    from trimtab.formats.record import from_record
    from trimtab.report.plain import one_line
    from trimtab.store.protocol import MESSAGE

    if info.title or not info.messages:
        return info.title
    for event, _ in zip(store.events(info.id), range(4), strict=False):
        if event.kind == MESSAGE:
            try:
                message = from_record(loads(event.body))
            except (ValueError, AttributeError, InputError):  # another program's
                return ""
            if message.role == "user" and message.text.strip():
                return one_line(message.text, 80)
    return ""
