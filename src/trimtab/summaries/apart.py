"""A call in a thread of its own that nobody has to wait for: not the agent, not the exit."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from multiprocessing.pool import ThreadPool
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Apart(Generic[Made]):
    """What a call comes to, while its caller goes on.

    Args:
        call: what is called at once. Its thread ends with the program, whatever it waits for.
    """

    def __init__(self, call: Callable[[], Made]) -> None:
        self._errors: list[BaseException] = []
        self._ended: list[BaseException] = []
        pool = ThreadPool(1)
        self._made = pool.apply_async(
            copy_context().run, (self._run, call), error_callback=self._errors.append
        )
        pool.close()

    def _run(self, call: Callable[[], Made]) -> Made | None:
        try:
            return call()
        except (KeyboardInterrupt, SystemExit, GeneratorExit) as end:
            self._ended.append(end)  # the pool would lose it, and the caller wait for ever
            return None

    def done(self) -> bool:
        """It has come to an end."""
        return self._made.ready()

    def error(self, seconds: float | None = None) -> BaseException | None:
        """What it raised, if it did.

        Args:
            seconds: how long to wait for its end; `None`: as long as it takes.

        Raises:
            TimeoutError: it has not come to an end.
        """
        self._made.wait(seconds)
        if not self._made.ready():
            raise TimeoutError
        return next(iter((*self._ended, *self._errors)), None)

    def result(self) -> Made:
        """What it returned; waits for it. Raises what it raised."""
        error = self.error()
        if error is not None:
            raise error
        made: Made = self._made.get()
        return made
