"""How many browsers run on a machine at the same time, over all processes that name the same scope.

A place is a socket in Linux' abstract namespace, which has one holder and is gone with its process,
however that ends. Who waits for one is connected to those who hold them: these know that they are
waited for, and hanging up tells the others that there may be room.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from hashlib import blake2b

# As many may wait for one place.
_BACKLOG = 128
# Who could not be told of one that is left looks again then.
_LOOK_SECONDS = 0.1


class MachinePlace:
    """A place that is held, until it is left; it belongs to the event loop that took it."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._waiting: set[socket.socket] = set()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listening, self._welcome)
        self.on_wanted: Callable[[], None] = lambda: None

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for it."""
        return bool(self._waiting)

    def leave(self) -> None:
        """Let somebody else have it; leaving it again does nothing."""
        if self._listening.fileno() == -1:
            return
        self._loop.remove_reader(self._listening)
        self._listening.close()
        for each in tuple(self._waiting):
            self._forget(each)

    def _welcome(self) -> None:
        with suppress(OSError):
            waiting, _ = self._listening.accept()
            self._waiting.add(waiting)
            # Whoever waits says nothing, and hangs up when it waits no longer.
            self._loop.add_reader(waiting, self._forget, waiting)
            self.on_wanted()

    def _forget(self, waiting: socket.socket) -> None:
        self._loop.remove_reader(waiting)
        self._waiting.discard(waiting)
        waiting.close()


class MachinePlaces:
    """At most ``most`` places for those with the same ``scope``; elsewhere than on Linux any."""

    def __init__(self, most: int, scope: str) -> None:
        name = blake2b(scope.encode(errors="surrogateescape"), digest_size=8).hexdigest()
        self._names = [f"\0citeseek-browser-{_user()}-{name}-{number}" for number in range(most)]

    async def take(self) -> MachinePlace | None:
        """Return a place as soon as there is one; None where places cannot be counted."""
        if sys.platform != "linux":
            return None
        while True:
            for name in self._names:
                if (held := _bind(name)) is not None:
                    return MachinePlace(held)
            await self._wait()

    async def _wait(self) -> None:
        """Return when a place may have become free."""
        loop = asyncio.get_running_loop()
        left = asyncio.Event()
        with ExitStack() as stack:
            for name in self._names:
                holder = stack.enter_context(_open())
                try:
                    holder.connect(name)
                except OSError:
                    # It was left meanwhile, or too many wait for this one.
                    loop.call_later(_LOOK_SECONDS, left.set)
                else:
                    loop.add_reader(holder, left.set)
                    stack.callback(loop.remove_reader, holder)
            await left.wait()


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _open() -> socket.socket:
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    opened.settimeout(0)
    return opened


def _bind(name: str) -> socket.socket | None:
    """Return the socket of that name, None when another process has it."""
    bound = _open()
    try:
        bound.bind(name)
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return bound
