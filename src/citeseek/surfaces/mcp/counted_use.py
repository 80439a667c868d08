"""What people use over MCP is counted where the server counts, and who is erased is forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.conversations.store import open_store
from citeseek.errors import CiteseekError
from citeseek.extras import MissingExtra
from citeseek.observing.hooks import watching
from citeseek.settings import Settings

if TYPE_CHECKING:
    from citeseek.conversations.usage import UsageMeter

log = logging.getLogger(__name__)


class CountedUse:
    """Counts what is done for the requests of ``app`` in the store of ``settings``.

    ``forget`` ends what is there of a person who was erased. Where the store cannot be opened,
    nothing is counted, and the log says why: nobody is refused for it.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        forget: Callable[[Callable[[str], bool]], Awaitable[None]],
    ) -> None:
        self._app = app
        self._settings = settings
        self._forget = forget
        self._meter: UsageMeter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "lifespan":
            async with AsyncExitStack() as counting:
                await counting.enter_async_context(self._counting())

                async def closing(message: Message) -> None:
                    # Nothing is waited for once the end was told.
                    if message["type"].startswith("lifespan.shutdown"):
                        await counting.aclose()
                    await send(message)

                await self._app(scope, receive, closing)
        elif self._meter is not None:
            with watching(self._meter):
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @asynccontextmanager
    async def _counting(self) -> AsyncIterator[None]:
        try:
            # Libraries are loaded, and the file is looked at.
            store = await asyncio.to_thread(open_store, self._settings)
        except (MissingExtra, CiteseekError) as error:
            log.warning("what people use is not counted: %s", error)
            yield
            return
        from citeseek.conversations.erasure import ErasureWatch  # noqa: PLC0415 - with the extra
        from citeseek.conversations.usage import UsageMeter  # noqa: PLC0415 - likewise

        meter = self._meter = UsageMeter(store)

        async def forget(is_theirs: Callable[[str], bool]) -> None:
            meter.forget(is_theirs)
            await self._forget(is_theirs)

        erased = ErasureWatch(store, forget)
        try:
            await erased.begin()
            meter.begin()
            yield
        finally:
            await erased.close()
            await meter.close()
            await store.close()
