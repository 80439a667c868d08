"""Chrome: whether it is there, and whether it starts and shows a page in time."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time

from msgspec import structs

from citeseek.browser import BrowserOptions, find_chrome
from citeseek.browser.browser_options import CHROME_INSTALLERS
from citeseek.browser.transport import BrowserTransport
from citeseek.errors import NetworkError, SearchFailed, Timeout
from citeseek.extras import fault
from citeseek.health.finding import Finding, phrase
from citeseek.health.settings.named_engines import named_engines
from citeseek.health.texts import tell
from citeseek.models import Failure, Page, Request
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings, Value
from citeseek.settings.face_settings import BrowserSection
from citeseek.settings.setting import Origin
from citeseek.settings.web_settings import WebFetchSection

# What a page takes once the browser runs.
PAGE_SECONDS = 2.0
MAX_BYTES = 10_000
# What mends a setting that names none, by where it stands.
_IN_ENVIRONMENT = (
    "export $name=$word  # ${there_is_one_here}",
    "unset $name  # ${or_unset_it_one_is_found}",
)
_IN_FILE = ("# ${entry_becomes}\n$entry",)
# The browser says which one it is; nothing is loaded from anywhere.
_PAGE = "data:text/html,<script>document.write(navigator.userAgent)</script>"


async def check_chrome(settings: Settings, registry: Registry | None = None) -> list[Finding]:
    """Start the browser, have it show a page of ours and end it.

    What is wrong is an error when the settings name an engine that needs a browser, or want every
    page rendered, else a warning: other searches and pages do without.
    """
    options = _options(settings)
    finding = _absence(settings, options) or await _try_start(options)
    return [_weigh(finding, _users(settings, registry or Registry()))]


def find_absence(settings: Settings, registry: Registry | None = None) -> list[Finding]:
    """Say that there is no browser though the settings name an engine that needs one.

    Nothing is started.
    """
    users = _users(settings, registry or Registry())
    finding = _absence(settings, _options(settings)) if users else None
    return [_weigh(finding, users)] if finding else []


def _options(settings: Settings) -> BrowserOptions:
    browser = settings.browser
    return BrowserOptions(
        executable=browser.executable,
        cdp_url=browser.cdp_url,
        start_seconds=browser.start_seconds,
    )


def _weigh(finding: Finding, users: list[str]) -> Finding:
    if finding.status == "ok" or not users:
        return finding
    needed = phrase("needed_by", users=", ".join(users))
    return structs.replace(finding, status="error", also=(*finding.also, needed))


def _users(settings: Settings, registry: Registry) -> list[str]:
    """Return the settings that need a browser; defaults are not in use."""
    render = settings.get(WebFetchSection.render)
    return [f"{render.origin} = always"] * (render.value == "always") + [
        f"{named.origin} = {named.name}"
        for named in named_engines(settings)
        if getattr(registry.find(named.name), "via", None) == "browser"
    ]


def _check_setting(named: Value[str | None]) -> Finding | None:
    """Say that the setting names no program though there is a browser, or none at all."""
    if named.value is None or shutil.which(named.value):
        return None
    try:
        other = find_chrome()
    except SearchFailed:
        return None
    file, name = named.origin.source, named.origin.path
    section, _, key = name.rpartition(".")
    return tell(
        "chrome",
        "wrong_path",
        more=_IN_ENVIRONMENT if file == "environment" else _IN_FILE,
        origin=named.origin,
        path=repr(named.value)[:80],
        found=other,
        name=name,
        section=section,
        word=shlex.quote(other),
        entry=f"{json.dumps(key)}: {json.dumps(other)}",
    )


def _absence(settings: Settings, options: BrowserOptions) -> Finding | None:
    """Say what is not there of all that a search through the browser needs."""
    named = settings.get(BrowserSection.executable)
    if not options.cdp_url and (misled := _check_setting(named)):
        return misled
    if (wrong := fault("playwright")) and wrong.state != "old":
        return tell("chrome", "no_playwright", problem=str(wrong), install=wrong.repair)
    try:
        # A remote one is for searches alone.
        if not options.cdp_url or settings.web_fetch.render == "always":
            find_chrome(options.executable)
    except SearchFailed as error:
        more = _how_to_install(_setting(named.origin))
        return tell("chrome", "missing", more=more, problem=Failure.of(error))
    return None


async def _try_start(options: BrowserOptions) -> Finding:
    path = None if options.cdp_url else find_chrome(options.executable)
    where = path or phrase("remote_browser")
    transport = BrowserTransport(options)
    seconds = options.start_seconds
    began = time.monotonic()
    try:
        page = await transport.send(
            Request(url=_PAGE), seconds=seconds + PAGE_SECONDS, max_bytes=MAX_BYTES
        )
    except SearchFailed as error:
        if options.cdp_url and isinstance(error, NetworkError):
            return tell("chrome", "remote_unreachable")
        code = "slow_start" if isinstance(error, Timeout) else "not_started"
        command = shlex.quote(path or "chrome")
        return tell("chrome", code, where=where, seconds=f"{seconds:g}", command=command)
    finally:
        took = time.monotonic() - began
        await transport.close()
    return tell("chrome", "ok", where=where, version=_version(page), seconds=f"{took:.1f}")


def _version(page: Page) -> str:
    match = re.search(rb"Chrome/([\d.]+)", page.body)
    return match[1].decode() if match else "?"


def _setting(origin: Origin) -> str:
    """Return the variable to set: the one that counts now, since others come after it."""
    return origin.path if origin.source == "environment" else "CHROME_PATH"


def _how_to_install(setting: str) -> tuple[str, ...]:
    commands = (command for name, command in CHROME_INSTALLERS.items() if shutil.which(name))
    command, _, remark = next(commands, "").partition(" (")
    install = (f"{command}  # {remark.removesuffix(')')}" if remark else command,)
    return (*(install if command else ()), f"export {setting}=/path/to/chrome")
