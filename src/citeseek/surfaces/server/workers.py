"""Several server processes on one listening socket, kept alive until a signal ends them all."""

from __future__ import annotations

import logging
import math
import os
import queue
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from citeseek.errors import InvalidInput, reason_of

# One that ends sooner has not served; after so many of these in a row it is given up.
_SHORT_SECONDS = 5.0
_MOST_SHORT = 5
_PAUSE_SECONDS = 1.0
_LOOK_SECONDS = 0.1
# Behind its grace a worker stops what is left, keeps it and tells its readers, within it.
ENDING_SECONDS = 15.0
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
    SIGINT end all. A worker may take ``grace`` seconds to end, in which it takes nothing new.
    ``env`` is the environment of all.
    """

    def __init__(
        self,
        command: Sequence[str],
        listening: socket.socket,
        count: int,
        *,
        grace: float,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self._command = command
        self._env = env
        self._listening = listening
        self._count = count
        self._grace = grace
        self._workers: list[_Worker] = []
        # They were replaced, and end what they had begun.
        self._leaving: list[_Worker] = []
        self._ends_with: signal.Signals | None = None
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._short = 0

    def run(self, ready: Callable[[], None], replaced: Callable[[], None] = lambda: None) -> int:
        """Serve until a signal comes; return the exit code.

        ``ready`` is called when all serve, ``replaced`` when all are told to make room for others,
        which read the settings anew.
        """
        self._replaced = replaced
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
            if self._ends_with:
                return 0
            if caught == signal.SIGHUP:
                self._replaced()
                self._replace_all()
            self._leaving = [worker for worker in self._leaving if not worker.has_left()]
            if (code := self._replace_dead()) is not None:
                return code
            if not is_told and all(worker.serves.is_set() for worker in self._workers):
                is_told = True
                ready()

    def _catch(self, number: int, _: object) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self._ends_with = signal.Signals(number)
        self._signals.put(number)

    def _start(self) -> _Worker:
        descriptor = self._listening.fileno()
        return _Worker(self._command, descriptor, self._env, lambda: self._catch(0, None))

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
            until = time.monotonic() + _START_SECONDS
            while not new.serves.wait(_LOOK_SECONDS) and not self._ends_with:
                if time.monotonic() > until or new.process.poll() is not None:
                    break
            if self._ends_with or new.process.poll() is not None or not new.serves.is_set():
                if not self._ends_with:
                    log.error("A new worker does not serve: the others stay.")
                new.end(0)
                return
            self._workers[at] = new
            worker.stop(self._grace)
            self._leaving.append(worker)

    def _end(self) -> None:
        workers = [*self._workers, *self._leaving]
        for worker in workers:
            worker.stop(self._grace, self._ends_with or signal.SIGTERM)
        for worker in workers:
            worker.end(max(worker.until - time.monotonic(), 0))


class _Worker:
    """A process that serves; ``wake`` is called when it begins to."""

    def __init__(
        self,
        command: Sequence[str],
        listening: int,
        env: Mapping[str, str],
        wake: Callable[[], None],
    ) -> None:
        self.began = time.monotonic()
        # When its time to end is over.
        self.until = math.inf
        self.serves = threading.Event()
        self._wake = wake
        self.process = subprocess.Popen(  # noqa: S603 - it is this program
            [*command, str(listening)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(listening,),
            env=env,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def stop(self, seconds: float, how: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to end, which it may take ``seconds`` for; one that was asked has its time."""
        self.until = min(self.until, time.monotonic() + seconds)
        if self.process.poll() is None:
            self.process.send_signal(how)

    def has_left(self) -> bool:
        """Whether it has ended, which it has to when its time is over."""
        if self.process.poll() is None and time.monotonic() < self.until:
            return False
        self.end(0)
        return True

    def end(self, seconds: float) -> None:
        """Wait for its end so long, then make one."""
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
            values={
                "case": "no_socket",
                "descriptor": str(descriptor),
                **reason_of(error),
            },
        ) from None
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    return listening


def _end_with_stdin() -> None:
    # Python's own stdin has a lock that a thread in the middle of a read would take to the end.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
