"""One Chrome process, or one connection to a remote one: its start and its end.

Playwright's driver starts Chrome with a profile of its own and takes both away again when this
process closes it, ends or is killed. What the driver cannot do when it is itself killed is done
here.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import re
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

from playwright.async_api import Browser, Error, Playwright, ProxySettings, async_playwright

from citeseek.browser.browser_options import BrowserOptions
from citeseek.browser.failures import failed_start, slow_start
from citeseek.browser.process_tree import tree_megabytes
from citeseek.browser.sessions import BrowserSessions
from citeseek.concurrency.background import Chores, outcome

if TYPE_CHECKING:
    from playwright._impl.transport import PipeTransport

    from citeseek.browser.machine_places import MachinePlace

# A browser that takes longer to close is left to its driver.
CLOSE_SECONDS = 2.0
KILL_SECONDS = 0.05

# For each context Chrome makes the pop-ups of an address bar, a third of what a context costs, and
# nobody sees them. Of two lists the last holds, so what Playwright leaves out is named again.
LEFT_OUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # On its own it would ask Google for accounts and for parts of itself all the same.
    "--gaia-url=http://127.0.0.1:1",
    "--component-updater=url-source=http://127.0.0.1:1/",
    f"--disable-features={','.join(LEFT_OUT)}",
)
# What Chrome would do past a proxy: ask a name server, and find ways for calls (WebRTC). Where a
# context names no proxy of its own, there is none that answers.
GUARDED_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # What a page allocates is this machine's memory.
    "--js-flags=--max-old-space-size=512",
)
NO_PROXY_ANSWERS = "socks5://127.0.0.1:1"
# The name is the driver's: no other folder is ever removed.
_PROFILE = re.compile(r'--user-data-dir="?(.+?playwright_[^"]+?)"?(?: --|$)')

log = logging.getLogger(__name__)
# Its memory is looked at once in so many uses.
_USES_BETWEEN_LOOKS = 10
# A driver that takes longer to end is killed; it gives Chrome as long to close.
STOP_SECONDS = 2.0


class _Process:
    """Chrome's process, with its number ``pid``, and its profile folder.

    Both are the driver's to end and to remove; they are only touched when it did not.
    """

    def __init__(self, pid: int, profile: Path) -> None:
        self.pid = pid
        self._profile = profile
        self._owner = os.getpid()
        # Through this a second Chrome would find the profile. There is none, and since it lies
        # outside the profile, a Chrome that is killed would leave it.
        with suppress(OSError):
            folder = (profile / "SingletonSocket").readlink().parent
            for name in ("SingletonSocket", "SingletonCookie"):
                (folder / name).unlink(missing_ok=True)
            folder.rmdir()
        # Two orders to end at the same time, as from a terminal and from us, make the driver
        # forget the folder.
        atexit.register(self.clear_away)

    def clear_away(self) -> None:
        """End the process and remove the folder if they are still there."""
        atexit.unregister(self.clear_away)
        if os.getpid() != self._owner or not self._profile.exists():
            return
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGTERM)
        # What it was writing is written by then.
        time.sleep(KILL_SECONDS)
        shutil.rmtree(self._profile, ignore_errors=True)


class Chromium:
    """A browser that is running."""

    def __init__(
        self,
        driver: Driver,
        browser: Browser,
        sessions: BrowserSessions,
        process: _Process | None,
        options: BrowserOptions,
    ) -> None:
        self.sessions = sessions
        self.browser = browser
        self.uses = 0
        # Left when it has ended.
        self.place: MachinePlace | None = None
        self._options = options
        self._driver = driver
        self._process = process

    @classmethod
    async def start(
        cls,
        options: BrowserOptions,
        executable: str | None,
        chores: Chores,
        on_end: Callable[[], None],
    ) -> Self:
        """Start ``executable``, or connect to the browser at ``options.cdp_url``.

        ``on_end`` is called when the browser has ended, whoever ended it. Raise Timeout,
        WebProviderError or NetworkError (``browser_start``); nothing is left running then.
        """
        starting = chores.start(Driver.start())
        try:
            async with asyncio.timeout(options.start_seconds):
                driver = await outcome(starting)
                playwright = driver.playwright
                if options.cdp_url:
                    browser = await playwright.chromium.connect_over_cdp(
                        options.cdp_url, artifacts_dir=_no_folder(), timeout=0
                    )
                    process = None
                else:
                    browser = await _launch(playwright, options, executable)
                    process = await _process(browser)
        except BaseException as error:
            # To stop waiting must not leave the driver behind.
            await outcome(chores.start(_stop(starting)))
            if isinstance(error, TimeoutError):
                raise slow_start(options.start_seconds) from None
            if isinstance(error, Exception):
                log.info("the browser did not start", exc_info=error)
                raise failed_start(executable) from None
            raise
        browser.on("disconnected", lambda _: on_end())
        return cls(driver, browser, BrowserSessions(browser, options, chores), process, options)

    @property
    def is_alive(self) -> bool:
        """Whether it can be searched with, as far as is known."""
        return self.browser.is_connected() and not self.sessions.lost

    async def is_worn(self) -> bool:
        """Whether another one is to take its place: pages leave something behind in it."""
        if self.uses >= self._options.max_uses:
            return True
        if self._process is None or self.uses % _USES_BETWEEN_LOOKS:
            return False
        megabytes = await asyncio.to_thread(tree_megabytes, self._process.pid)
        return megabytes > self._options.max_memory_mb

    async def close(self) -> None:
        """End the process and remove its folders; of a remote browser, end only our part."""
        try:
            await self._close()
        finally:
            if self.place is not None:
                self.place.leave()

    async def _close(self) -> None:
        with suppress(TimeoutError, Error):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.browser.close()
        await self._driver.stop()
        if self._process:
            await asyncio.to_thread(self._process.clear_away)


async def _launch(
    playwright: Playwright, options: BrowserOptions, executable: str | None
) -> Browser:
    proxy = NO_PROXY_ANSWERS if options.is_guarded else options.proxy
    return await playwright.chromium.launch(
        executable_path=executable,
        args=(*FLAGS, *GUARDED_FLAGS) if options.is_guarded else FLAGS,
        # Playwright lets every page open windows.
        ignore_default_args=["--disable-popup-blocking"] if options.is_guarded else None,
        # Chrome's sandbox does not work for root, who is the user in most containers.
        chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),
        proxy=_proxy(proxy) if proxy else None,
        artifacts_dir=_no_folder(),
        timeout=0,
    )


async def _stop(starting: asyncio.Task[Driver]) -> None:
    """End the driver once it has started: the process is out of reach until then."""
    with suppress(Exception):
        driver = await outcome(starting)
        await driver.stop()


async def _process(browser: Browser) -> _Process | None:
    """Ask ``browser`` for its process; None when it does not say."""
    devtools = await browser.new_browser_cdp_session()
    try:
        command_line = (await devtools.send("SystemInfo.getInfo"))["commandLine"]
        processes = (await devtools.send("SystemInfo.getProcessInfo"))["processInfo"]
    finally:
        await devtools.detach()
    profile = _PROFILE.search(command_line)
    pids = [process["id"] for process in processes if process["type"] == "browser"]
    return _Process(pids[0], Path(profile[1])) if profile and pids else None


def _no_folder() -> Path:
    """Return a name for the folder of downloads and traces: there are none, so it is never made."""
    return Path(tempfile.gettempdir(), f"citeseek-{uuid.uuid4().hex}")


def _proxy(url: str) -> ProxySettings:
    parts = urlsplit(url)
    # Chromium leaves names to every SOCKS proxy, and knows no other word for it.
    scheme = parts.scheme.removesuffix("h") if parts.scheme == "socks5h" else parts.scheme
    server = f"{scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.username is None:
        return ProxySettings(server=server)
    return ProxySettings(
        server=server, username=unquote(parts.username), password=unquote(parts.password or "")
    )


class Driver:
    """A driver that is running."""

    def __init__(self, playwright: Playwright, transport: PipeTransport) -> None:
        self.playwright = playwright
        self._transport = transport

    @classmethod
    async def start(cls) -> Self:
        """Start a driver."""
        manager = async_playwright()
        playwright = await manager.start()
        transport = manager._client._transport  # type: ignore[union-attr]  # noqa: SLF001 - see above
        # The driver's end is noticed by the calls that fail; asyncio would report it once more,
        # with a traceback, when this is not looked at.
        transport.on_error_future.add_done_callback(lambda end: end.cancelled() or end.exception())
        return cls(playwright, transport)

    async def stop(self) -> None:
        """End the driver, which ends the browser; return when nothing of it is left."""
        with suppress(TimeoutError, Error, OSError):
            async with asyncio.timeout(STOP_SECONDS):
                await self.playwright.stop()
        with suppress(ProcessLookupError):
            self._transport._proc.kill()  # noqa: SLF001 - see above
        await self._transport.wait_until_stopped()
