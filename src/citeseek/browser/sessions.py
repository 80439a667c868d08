"""The sessions in one browser: an isolated context each, with pages that are used again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from playwright.async_api import Browser, BrowserContext

from citeseek.browser.browser_options import BrowserOptions
from citeseek.browser.failures import CRASHED, crash_error
from citeseek.browser.tab import Tab, crashes
from citeseek.concurrency.background import Chores, outcome
from citeseek.errors import NetworkError

# A context takes some 70 MB once it has shown a page.
MAX_SESSIONS = 8
# Pages leave something behind in memory: a context is replaced after so many.
READS_PER_CONTEXT = 100
# A page that takes longer to close is held by its scripts.
CLOSE_SECONDS = 1.0
# A browser that takes longer to open a page or to close a context answers no more.
RESPONSE_SECONDS = 5.0


class _BrowserSession:
    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        # Pages that are ready or will be in a moment.
        self.tabs: list[asyncio.Task[Tab]] = []
        self.reads = 0
        self.busy = 0


class BrowserSessions:
    """All sessions of ``browser``. ``lost`` says that the browser no longer answers."""

    def __init__(self, browser: Browser, options: BrowserOptions, chores: Chores) -> None:
        self.lost = False
        self._browser = browser
        self._options = options
        self._chores = chores
        self._sessions: dict[str, _BrowserSession] = {}
        self._opening = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._sessions)

    @asynccontextmanager
    async def tab(self, key: str) -> AsyncGenerator[Tab]:
        """Lend a page of the session ``key``; one that ends with an exception is not used again."""
        try:
            async with self._lend(key) as tab:
                yield tab
        except NetworkError as error:
            self.lost = self.lost or error.detail_code == CRASHED
            raise

    @asynccontextmanager
    async def _lend(self, key: str) -> AsyncGenerator[Tab]:
        session = await self._session(key)
        session.busy += 1
        session.reads += 1
        try:
            tab = await self._take(session)
            try:
                yield tab
            except BaseException:
                self._chores.start(self._put_away(key, session, tab))
                raise
            session.tabs.append(self._chores.start(self._rest(key, session, tab)))
        finally:
            session.busy -= 1
            self._tidy(key, session)

    async def end(self, key: str) -> None:
        """Close the session ``key``, after the searches that it still runs."""
        session = self._sessions.pop(key, None)
        if session and not session.busy:
            await self._close_context(session)

    async def _session(self, key: str) -> _BrowserSession:
        session = self._sessions.pop(key, None)
        if session is None:
            session = await outcome(self._chores.start(self._open_session(key)))
        # The last in the table is the one used last.
        self._sessions[key] = session
        return session

    async def _open_session(self, key: str) -> _BrowserSession:
        async with self._opening:
            if key not in self._sessions:
                self._sessions[key] = await self._new_session()
            return self._sessions[key]

    async def _new_session(self) -> _BrowserSession:
        with crashes():
            return _BrowserSession(
                await self._browser.new_context(
                    user_agent=self._options.user_agent,
                    locale=self._options.language,
                    accept_downloads=False,
                    service_workers="block",
                )
            )

    async def _take(self, session: _BrowserSession) -> Tab:
        """Return a page when it is ready; a search that is given up leaves it to the next."""
        task = session.tabs.pop() if session.tabs else self._chores.start(self._open_tab(session))
        try:
            return await outcome(task)
        except asyncio.CancelledError:
            session.tabs.append(task)
            raise

    async def _open_tab(self, session: _BrowserSession) -> Tab:
        try:
            async with asyncio.timeout(RESPONSE_SECONDS):
                return await Tab.open(session.context)
        except TimeoutError:
            self.lost = True
            raise crash_error() from None

    async def _rest(self, key: str, session: _BrowserSession, tab: Tab) -> Tab:
        """Return ``tab`` emptied, or a new one when its last document does not let go."""
        try:
            async with asyncio.timeout(RESPONSE_SECONDS):
                await tab.rest()
        except (TimeoutError, NetworkError):
            self._chores.start(self._put_away(key, session, tab))
            return await self._open_tab(session)
        return tab

    async def _put_away(self, key: str, session: _BrowserSession, tab: Tab) -> None:
        """Close ``tab``; where its scripts do not let it close, the whole context is replaced."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await tab.close()
        except TimeoutError:
            await self._renew(key, session)
        except NetworkError:
            # It is closed already, with its context or with the browser.
            pass

    def _tidy(self, key: str, session: _BrowserSession) -> None:
        """Replace a session that is worn, and close one too many."""
        if session.busy:
            return
        if self._sessions.get(key) is not session:
            self._chores.start(self._close_context(session))
        elif session.reads >= READS_PER_CONTEXT:
            session.reads = 0
            self._chores.start(self._renew(key, session))
        unused = [name for name, other in self._sessions.items() if not other.busy]
        for name in unused[: max(0, len(self._sessions) - MAX_SESSIONS)]:
            self._chores.start(self.end(name))

    async def _renew(self, key: str, worn: _BrowserSession) -> None:
        """Put a new context with the same cookies and a page ready in the place of ``worn``."""
        if self._sessions.get(key) is not worn:
            return
        with suppress(NetworkError):
            fresh = await self._new_session()
            with crashes():
                await fresh.context.add_cookies(await worn.context.cookies())  # type: ignore[arg-type]  # a cookie that was read can be written
            tab = self._chores.start(self._open_tab(fresh))
            fresh.tabs.append(tab)
            await outcome(tab)
            if self._sessions.get(key) is worn:
                self._sessions[key] = fresh
            else:
                # The session ended meanwhile.
                worn = fresh
            if not worn.busy:
                await self._close_context(worn)

    async def _close_context(self, session: _BrowserSession) -> None:
        try:
            async with asyncio.timeout(RESPONSE_SECONDS):
                with suppress(NetworkError), crashes():
                    await session.context.close()
        except TimeoutError:
            self.lost = True
