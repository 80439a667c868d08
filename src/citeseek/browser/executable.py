"""Where Chrome is on this system, and how to get it when it is not there. Nothing is started."""

from __future__ import annotations

import shutil
from pathlib import Path

from citeseek.browser.failures import MISSING
from citeseek.errors import WebProviderError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# macOS and Windows do not put applications on the search path.
PLACES = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("C:/Program Files/Google/Chrome/Application/chrome.exe"),
    Path("C:/Program Files (x86)/Google/Chrome/Application/chrome.exe"),
    Path.home() / "AppData/Local/Google/Chrome/Application/chrome.exe",
    Path.home() / "AppData/Local/Chromium/Application/chrome.exe",
)
# Package manager and its command; the first that is there is this system's.
INSTALLERS = {
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
    candidates = (executable,) if executable else (*NAMES, *map(str, PLACES))
    for candidate in candidates:
        if found := shutil.which(candidate):
            return found
    if executable:
        message = f"{executable!r} is not a program that can be started."
        values = {"case": "named", "executable": executable}
        hint = "Correct the setting that names it, or unset it: citeseek doctor chrome"
    else:
        names = ", ".join((*NAMES, *dict.fromkeys(place.name for place in PLACES)))
        message = f"No Chrome or Chromium on this system; looked for {names}."
        install = _how_to_install()
        hint = f"Install it: {install}; or set CHROME_PATH to it."
        values = {"case": "none", "names": names, "install": install}
    raise WebProviderError(message, hint=hint, detail_code=MISSING, values=values)


def _how_to_install() -> str:
    for manager, command in INSTALLERS.items():
        if shutil.which(manager):
            return command
    return "see https://www.google.com/chrome/"
