"""How the browser is started and used."""

from __future__ import annotations

from typing import Self

import msgspec

from citeseek.settings import Settings


class BrowserOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the browser is started and used. Addresses, which may hold a password, never show.

    ``executable`` is the path or the name of Chrome, by default the first that is found.
    ``cdp_url`` is the DevTools address of a browser that runs elsewhere: it is connected to instead
    of started, and keeps its own executable and proxy. ``start_seconds`` is the limit of a start,
    ``idle_seconds`` how long an unused browser is kept. ``max_pages`` searches run at the same
    time, the others wait. ``proxy`` is ``http://host:port`` or ``socks5://host:port``.
    ``user_agent`` and ``language`` (such as ``zh-CN``) replace the browser's own.
    With ``is_guarded`` it reaches nothing but the proxies of its contexts, and looks up no name.
    """

    executable: str | None = None
    cdp_url: str | None = None
    start_seconds: float = 3.0
    idle_seconds: float = 120.0
    max_pages: int = 2
    proxy: str | None = None
    user_agent: str | None = None
    language: str | None = None
    is_guarded: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what ``settings`` say."""
        browser, spoken = settings.browser, settings.browser.language
        return cls(
            executable=browser.executable,
            cdp_url=browser.cdp_url,
            start_seconds=browser.start_seconds,
            idle_seconds=browser.idle_seconds,
            max_pages=browser.max_pages,
            user_agent=settings.web_fetch.user_agent,
            language=None if spoken == "auto" else spoken,
        )

    def __repr__(self) -> str:
        where = "remote" if self.cdp_url else self.executable or "found"
        return f"BrowserOptions({where}, proxy {'set' if self.proxy else 'not set'})"
