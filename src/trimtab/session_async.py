"""The session for asynchronous loops: the same core, each call in a worker thread, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self, TypeVar

from trimtab.session import Session
from trimtab.session_log import Change, TurnUsage
from trimtab.store.protocol import Hit

Result = TypeVar("Result")


class AsyncSession:
    """`Session` with awaitable methods; calls of several tasks are carried out one by one.

        session = await AsyncSession.open(model="claude-sonnet-4-5")
        await session.append(response)

    Attributes:
        session: the session itself.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, **arguments: Any) -> Self:
        """Begin a session; the arguments are those of `Session`."""
        return cls(await asyncio.to_thread(partial(Session, **arguments)))

    @classmethod
    async def restore(cls, session_id: str, **arguments: Any) -> Self:
        """Go on with a stored session; see `Session.restore`."""
        return cls(await asyncio.to_thread(partial(Session.restore, session_id, **arguments)))

    @property
    def id(self) -> str:
        """The session's id."""
        return self.session.id

    async def _run(self, call: Callable[..., Result], *args: Any, **more: Any) -> Result:
        """Carry one call out. It is not broken off: what was begun is recorded whole."""
        async with self._turn:
            work = asyncio.ensure_future(asyncio.to_thread(call, *args, **more))
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                await asyncio.wait([work])
                raise

    async def append(self, message: Any) -> None:
        """See `Session.append`."""
        await self._run(self.session.append, message)

    async def context(self, to: str | None = None) -> Any:
        """See `Session.context`."""
        return await self._run(self.session.context, to)

    async def refused(self, error: Any) -> bool:
        """See `Session.refused`."""
        return await self._run(self.session.refused, error)

    async def finish_stage(self, note: str | None = None) -> None:
        """See `Session.finish_stage`."""
        await self._run(self.session.finish_stage, note)

    async def compress(self, summary: str, blocks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """See `Session.compress`."""
        return await self._run(self.session.compress, summary, blocks)

    async def pin(self, message: int | str) -> int:
        """See `Session.pin`."""
        return await self._run(self.session.pin, message)

    async def unpin(self, message: int | str) -> int:
        """See `Session.unpin`."""
        return await self._run(self.session.unpin, message)

    async def recall(self, id: str, **part: Any) -> bytes:
        """See `Session.recall`."""
        return await self._run(self.session.recall, id, **part)

    async def search(self, text: str, **limits: Any) -> list[Hit]:
        """See `Session.search`."""
        return await self._run(self.session.search, text, **limits)

    async def note(self, name: str, value: str) -> None:
        """See `Session.note`."""
        await self._run(self.session.note, name, value)

    async def lookup(self, name: str) -> str | None:
        """See `Session.lookup`."""
        return await self._run(self.session.lookup, name)

    async def undo(self, change: Change | int) -> None:
        """See `Session.undo`."""
        await self._run(self.session.undo, change)

    async def usage(self) -> list[TurnUsage]:
        """See `Session.usage`."""
        return await self._run(self.session.usage)

    async def summary_usage(self) -> list[TurnUsage]:
        """See `Session.summary_usage`."""
        return await self._run(self.session.summary_usage)

    async def events(self) -> list[Change]:
        """See `Session.events`."""
        return await self._run(lambda: self.session.events)

    async def close(self) -> None:
        """See `Session.close`."""
        await self._run(self.session.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
