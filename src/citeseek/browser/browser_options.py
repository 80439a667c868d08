"""How the browser is started and used, and where it is on this system."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec

from citeseek.browser.failures import MISSING
from citeseek.errors import WebProviderError
from citeseek.settings import Settings

# All that the scripts of a page exchange, in the largest documents that are read.
TRAFFIC = 4


class BrowserOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the browser is started and used. Addresses, which may hold a password, never show.

    ``executable`` is the path or the name of Chrome, by default the first that is found.
    ``cdp_url`` is the DevTools address of a browser that runs elsewhere: it is connected to instead
    of started, and keeps its own executable and proxy. ``start_seconds`` is the limit of a start,
    ``idle_seconds`` how long an unused browser is kept. ``max_pages`` searches run at the same
    time, the others wait. ``proxy`` is ``http://host:port`` or ``socks5://host:port``.
    ``user_agent`` and ``language`` (such as ``zh-CN``) replace the browser's own.
    ``max_browsers`` run on the machine at the same time, of all processes with the same ``scope``;
    None: any number. One is replaced by another after ``max_uses`` searches or pages, and when its
    processes take more than ``max_memory_mb``.
    With ``is_guarded`` it reaches nothing but the proxies of its contexts, and looks up no name.
    """

    executable: str | None = None
    cdp_url: str | None = None
    start_seconds: float = 3.0
    idle_seconds: float = 120.0
    max_pages: int = 2
    max_browsers: int | None = None
    scope: str = ""
    max_uses: int = 1_000
    max_memory_mb: int = 2_048
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
            max_browsers=browser.max_browsers,
            scope=str(settings.home),
            max_memory_mb=browser.max_memory_mb,
            user_agent=settings.web_fetch.user_agent,
            language=None if spoken == "auto" else spoken,
        )

    def __repr__(self) -> str:
        where = "remote" if self.cdp_url else self.executable or "found"
        return f"BrowserOptions({where}, proxy {'set' if self.proxy else 'not set'})"


class BrowserUse(msgspec.Struct, frozen=True, kw_only=True):
    """How many browsers run, for how many pages they are used or waited for, and how many at most.

    ``most`` is what all browsers together show at the same time.
    """

    running: int = 0
    pages: int = 0
    most: int = 0

    def __add__(self, other: BrowserUse) -> BrowserUse:
        return BrowserUse(
            running=self.running + other.running,
            pages=self.pages + other.pages,
            most=self.most + other.most,
        )


CHROME_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# macOS and Windows do not put applications on the search path.
CHROME_PLACES = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("C:/Program Files/Google/Chrome/Application/chrome.exe"),
    Path("C:/Program Files (x86)/Google/Chrome/Application/chrome.exe"),
    Path.home() / "AppData/Local/Google/Chrome/Application/chrome.exe",
    Path.home() / "AppData/Local/Chromium/Application/chrome.exe",
)
# Package manager and its command; the first that is there is this system's.
CHROME_INSTALLERS = {
    "apt-get": "sudo apt-get install chromium (on Ubuntu: chromium-browser)",
    "dnf": "sudo dnf install chromium",
    "pacman": "sudo pacman -S chromium",
    "apk": "sudo apk add chromium",
    "brew": "brew install --cask google-chrome",
    "winget": "winget install Google.Chrome",
}


def find_chrome(executable: str | None = None) -> str:
    """Return the path of Chrome or Chromium: ``executable`` when given, else the first found.

    Raise WebProviderError (``browser_missing``), which says what was looked for and how to install
    it.
    """
    from shutil import which  # noqa: PLC0415 - 2 ms, and most searches need no browser

    candidates = (executable,) if executable else (*CHROME_NAMES, *map(str, CHROME_PLACES))
    for candidate in candidates:
        if found := which(candidate):
            return found
    if executable:
        message = f"{executable!r} is not a program that can be started."
        values = {"case": "named", "executable": executable}
        hint = "Correct the setting that names it, or unset it: citeseek doctor chrome"
    else:
        names = ", ".join((*CHROME_NAMES, *dict.fromkeys(place.name for place in CHROME_PLACES)))
        message = f"No Chrome or Chromium on this system; looked for {names}."
        install = _how_to_install()
        hint = f"Install it: {install}; or set CHROME_PATH to it."
        values = {"case": "none", "names": names, "install": install}
    raise WebProviderError(message, hint=hint, detail_code=MISSING, values=values)


def _how_to_install() -> str:
    from shutil import which  # noqa: PLC0415 - likewise

    for manager, command in CHROME_INSTALLERS.items():
        if which(manager):
            return command
    return "see https://www.google.com/chrome/"
