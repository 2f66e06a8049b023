"""Signals that wait until a command can end cleanly."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Let signals wait until the function that this gives is called, which then ends the command.

    moderngl crashes where an exception comes out of Python that it calls, and a signal may come
    just there. A second signal does not wait.
    """
    received: list[int] = []

    def end() -> None:
        if received:
            raise typer.Exit(128 + received[0])

    def receive(number: int, _: object) -> None:
        end()
        received.append(number)

    before = {each: signal.signal(each, receive) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield end
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
