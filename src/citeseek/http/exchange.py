"""One request over primp and its answer, of which the caller's event loop hears once.

primp works in threads of its own. It takes the event loop that is running when it is called, and
hands each answer to that: first the headers, then the body in as many pieces as come, each of which
would wake the caller. An :class:`Exchange` is what primp is shown instead. It asks for the next
piece there and then, in primp's thread, and tells the loop when all is read.
"""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop, _set_running_loop
from collections.abc import Callable, Mapping
from typing import Any

from citeseek.http.transport_errors import too_large
from citeseek.models import Page


class Exchange:
    """The exchange with ``url``, whose body may have ``max_bytes`` after decompression."""

    def __init__(self, url: str, max_bytes: int) -> None:
        self._url = url
        self._max_bytes = max_bytes
        self._loop = asyncio.get_running_loop()
        self._page: asyncio.Future[Page] = self._loop.create_future()
        self._response: Any = None
        self._headers: Mapping[str, str] = {}
        self._received = bytearray()
        self._step: _Step | None = None

    @property
    def got_headers(self) -> bool:
        """Whether an answer began."""
        return bool(self._headers) or bool(self._received) or self._response is not None

    async def run(self, ask: Callable[[], Any]) -> Page:
        """Return the page that the request brings which ``ask`` makes of primp.

        Raise what primp raises, or WebParseError for a body that is too large.
        """
        self._ask(ask)
        try:
            return await self._page
        finally:
            # An exchange that was given up ends with what it waits for.
            self._end_step()

    def create_future(self) -> _Step:
        """Return what primp is to complete, as an event loop does."""
        self._step = _Step(self.take, self.fail)
        return self._step

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *arguments: Any, context: object = None
    ) -> None:
        """Call ``callback`` at once, in this thread of primp's."""
        del context
        callback(*arguments)

    def take(self, answer: Any) -> None:
        """Take the response, or what was read of its body, and go on; None is the body's end."""
        try:
            self._take(answer)
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """End with ``error``."""
        self._tell(self._page.set_exception, error)

    def _take(self, answer: Any) -> None:
        if self._response is None:
            self._response = answer
            self._headers = {name.lower(): value for name, value in answer.headers.items()}
        elif answer is not None:
            self._received += answer
            if len(self._received) > self._max_bytes:
                raise too_large(self._max_bytes)
        if answer is None or self._is_whole():
            self._tell(
                self._page.set_result,
                Page(
                    url=self._url,
                    status=self._response.status_code,
                    headers=self._headers,
                    body=bytes(self._received),
                ),
            )
        else:
            self._ask(self._response.anext)

    def _is_whole(self) -> bool:
        """Whether all is here: the end of a body that is not packed is known beforehand."""
        announced = self._headers.get("content-length", "")
        is_packed = "content-encoding" in self._headers
        return not is_packed and announced.isdecimal() and len(self._received) >= int(announced)

    def _ask(self, ask: Callable[[], Any]) -> None:
        """Call primp, which sees this as the running loop."""
        running = _get_running_loop()
        _set_running_loop(self)  # type: ignore[arg-type]
        try:
            promise = ask()
        finally:
            _set_running_loop(running)
        # Nobody awaits it: the step is completed without.
        promise.close()
        if self._page.done():
            self._end_step()

    def _end_step(self) -> None:
        step, self._step, self._response = self._step, None, None
        if step is not None:
            step.cancel()

    def _tell(self, settle: Callable[[Any], None], value: Any) -> None:
        """Tell the loop; what comes after its end is dropped.

        A deadline of the program's and primp's own often pass together: the program gives up and
        closes the loop while a thread of primp makes its answer.
        """
        self._step = None
        try:
            self._loop.call_soon_threadsafe(self._settle, settle, value)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def _settle(self, settle: Callable[[Any], None], value: Any) -> None:
        if not self._page.done():
            settle(value)


class _Step:
    """What primp completes: a future as far as it looks at one."""

    def __init__(self, take: Callable[[Any], None], fail: Callable[[BaseException], None]) -> None:
        self.set_result = take
        self.set_exception = fail
        self._is_cancelled = False
        self._on_done: Callable[[object], object] | None = None

    def add_done_callback(
        self, callback: Callable[[object], object], context: object = None
    ) -> None:
        """Keep what hears of the end; primp gives up when it is dropped."""
        del context
        self._on_done = callback

    def cancelled(self) -> bool:
        """Whether nobody waits any more."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Have primp give up what it does."""
        self._is_cancelled = True
        if self._on_done is not None:
            self._on_done(self)

    def close(self) -> None:
        """Do nothing: it is no coroutine."""
