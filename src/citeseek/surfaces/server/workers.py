"""Several server processes on one listening socket, kept alive until a signal ends them all."""

from __future__ import annotations

import logging
import os
import queue
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from citeseek.errors import InvalidInput

# One that ends sooner has not served; after so many of these in a row it is given up.
_SHORT_SECONDS = 5.0
_MOST_SHORT = 5
_PAUSE_SECONDS = 1.0
# An answer that is stopped is kept, and told to its readers, within it.
GRACE_SECONDS = 20.0
# A worker reads its settings and imports its libraries.
_START_SECONDS = 60.0
# What ended because of what is set ends so again.
_BAD_INPUT = 2

log = logging.getLogger(__name__)


class Workers:
    """Runs ``command`` in ``count`` processes, with the number of ``listening`` behind it.

    A worker writes a line to its standard output when it serves, and ends with SIGTERM, or when its
    standard input ends, as it does when this process is killed. One that ends otherwise is
    replaced. SIGHUP replaces all, one after the other, each when the next one serves; SIGTERM and
    SIGINT end all.
    """

    def __init__(self, command: Sequence[str], listening: socket.socket, count: int) -> None:
        self._command = command
        self._listening = listening
        self._count = count
        self._workers: list[_Worker] = []
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._short = 0

    def run(self, ready: Callable[[], None]) -> int:
        """Serve until a signal comes; return the exit code. ``ready`` is called when all serve."""
        caught = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
        before = {each: signal.signal(each, self._catch) for each in caught}
        try:
            return self._run(ready)
        finally:
            self._end()
            for each, handler in before.items():
                signal.signal(each, handler)

    def _run(self, ready: Callable[[], None]) -> int:
        self._workers = [self._start() for _ in range(self._count)]
        is_told = False
        while True:
            try:
                caught = self._signals.get(timeout=_PAUSE_SECONDS)
            except queue.Empty:
                caught = signal.SIGCHLD
            if caught in (signal.SIGTERM, signal.SIGINT):
                return 0
            if caught == signal.SIGHUP:
                self._replace_all()
            if (code := self._replace_dead()) is not None:
                return code
            if not is_told and all(worker.serves.is_set() for worker in self._workers):
                is_told = True
                ready()

    def _catch(self, number: int, _: object) -> None:
        self._signals.put(number)

    def _start(self) -> _Worker:
        return _Worker(self._command, self._listening.fileno(), lambda: self._catch(0, None))

    def _replace_dead(self) -> int | None:
        """Replace those that ended; return the exit code where that would be in vain."""
        for at, worker in enumerate(self._workers):
            code = worker.process.poll()
            if code is None:
                continue
            served = worker.serves.is_set() and time.monotonic() > worker.began + _SHORT_SECONDS
            self._short = 0 if served else self._short + 1
            if code == _BAD_INPUT or self._short >= _MOST_SHORT:
                log.error("A worker ended with %d, and no other is started.", code)
                return code if code > 0 else 1
            log.warning("Worker %d ended with %d; another is started.", worker.process.pid, code)
            worker.close()
            self._workers[at] = self._start()
        return None

    def _replace_all(self) -> None:
        for at, worker in enumerate(self._workers):
            new = self._start()
            if not new.serves.wait(_START_SECONDS) or new.process.poll() is not None:
                log.error("A new worker does not serve: the others stay.")
                new.end(0)
                return
            self._workers[at] = new
            worker.end(GRACE_SECONDS)

    def _end(self) -> None:
        for worker in self._workers:
            worker.stop()
        until = time.monotonic() + GRACE_SECONDS
        for worker in self._workers:
            worker.end(max(until - time.monotonic(), 0))


class _Worker:
    """A process that serves; ``wake`` is called when it begins to."""

    def __init__(self, command: Sequence[str], listening: int, wake: Callable[[], None]) -> None:
        self.began = time.monotonic()
        self.serves = threading.Event()
        self._wake = wake
        self.process = subprocess.Popen(  # noqa: S603 - it is this program
            [*command, str(listening)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(listening,),
        )
        threading.Thread(target=self._read, daemon=True).start()

    def stop(self) -> None:
        """Ask it to end."""
        if self.process.poll() is None:
            self.process.terminate()

    def end(self, seconds: float) -> None:
        """End it, which it may take ``seconds`` for."""
        self.stop()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.close()

    def close(self) -> None:
        """Close what it was spoken to through."""
        if self.process.stdin:
            self.process.stdin.close()

    def _read(self) -> None:
        assert self.process.stdout  # noqa: S101 - it was opened so
        with self.process.stdout as lines:
            if lines.readline():
                self.serves.set()
            self._wake()
            # It has nothing more to say, and must not wait for a reader.
            lines.read()


def inherited_socket(descriptor: int) -> socket.socket:
    """Return the socket that a worker listens on, and end this process with that of its master.

    Raise InvalidInput for a descriptor that is none.
    """
    try:
        listening = socket.socket(fileno=descriptor)
    except OSError as error:
        raise InvalidInput(
            f"The file descriptor {descriptor} is no socket ({error.strerror}).",
            hint="Only `citeseek serve --workers` gives it.",
        ) from None
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    return listening


def _end_with_stdin() -> None:
    # Python's own stdin has a lock that a thread in the middle of a read would take to the end.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
