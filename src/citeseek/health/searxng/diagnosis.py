"""What is wrong with a SearXNG: its states, told apart by probing in a fixed order.

Is there a way to it, is it SearXNG, does it let us in, is JSON enabled, do its engines answer.
Probes go over the client, the proxy and with the headers that a search has.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from citeseek.engine import EngineOptions
from citeseek.engines.searxng import ENGINE
from citeseek.errors import InvalidInput, SearchFailed
from citeseek.health.connectivity import OBSTACLES, obstacle
from citeseek.health.finding import Finding, Phrase, worst_first
from citeseek.health.searxng.hosting import (
    LOOPBACK,
    Place,
    bare,
    bypass,
    locate,
    proxy_port,
    with_way_out,
)
from citeseek.health.searxng.instance_config import is_limited, is_unknown, release
from citeseek.health.searxng.probe import LIMITED, Instance, Look
from citeseek.health.searxng.trial_search import try_search
from citeseek.health.searxng.unreachable import SECONDS as ABSENCE_SECONDS
from citeseek.health.searxng.unreachable import (
    USUAL_PORTS,
    explain_silence,
    someone_else,
    without_query,
)
from citeseek.http import Transports
from citeseek.models import Page
from citeseek.parsing.json_body import string
from citeseek.searching import judge
from citeseek.searching.runner import Route
from citeseek.searxng_host import settings_file
from citeseek.text import plain_line, shorten

# A little less than what is promised, for what comes before and after.
SECONDS = 4.7
# What it did before is told in the finding.
KNOWN_SINCE = (2026, 3, 1)
# What stands for all sites that its engines ask.
SOMEWHERE = "https://www.bing.com"
_OTHER_LOCALHOST = Phrase("other_localhost")
SPENT, NOT_SPENT = Phrase("search_spent"), Phrase("search_saved")


class DiagnosisOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a SearXNG is looked at.

    ``home`` has the notes of what was started here, and ``env`` leads to Docker: with them the
    commands that mend it fit how it runs. ``usual_ports`` of the own machine are looked at when
    nothing listens at the address. A search is one of the few that a limiter grants an hour:
    unless told to ``ask``, none is sent to an instance whose limiter counts ours.
    """

    language: str = "auto"
    seconds: float = SECONDS
    home: Path | None = None
    env: Mapping[str, str] | None = None
    usual_ports: tuple[int, ...] = USUAL_PORTS
    ask: bool = False


async def diagnose(
    base_url: str, wish: DiagnosisOptions | None = None, *, route: Route | None = None
) -> list[Finding]:
    """Return what is found out about the SearXNG at ``base_url`` in time, worst first.

    A search is tried, so its engines are asked as well. ``route`` gives key, client and proxies.
    Nothing is raised for an instance that is not well.
    """
    transports = Transports()
    try:
        route = route or Route(options=EngineOptions())
        options = structs.replace(route.options, base_url=base_url)
        route = structs.replace(route, options=options)
        return worst_first(await _Diagnosis(transports, route, wish or DiagnosisOptions()).run())
    finally:
        await transports.close()


class _Diagnosis:
    def __init__(self, transports: Transports, route: Route, wish: DiagnosisOptions) -> None:
        self._transports = transports
        self._route = route
        self._wish = wish
        self._proxy = route.proxies.for_url(route.options.base_url)
        transport = transports.get(route.transport, self._proxy)
        self._instance = Instance(transport, route.options, seconds=wish.seconds)

    async def run(self) -> list[Finding]:
        began = time.monotonic()
        look = await self._instance.look(seconds=self._instance.patience)
        took_ms = round((time.monotonic() - began) * 1000)
        self._instance.place = await self._place(is_alive=look.health is not None)
        seconds = min(ABSENCE_SECONDS, self._instance.left)
        notes = await settings_faults(self._instance, self._wish.home, seconds=seconds)
        if not look.is_searxng:
            moved = await self._follow_move(look)
            if moved is None:
                return [await self._absent(look), *notes]
            notes.append(self._instance.state("redirected", found=moved[0].base_url))
            self._instance, look = moved
        facts = look.facts or {}
        version = f" {shorten(plain_line(string(facts.get('version'))), 40)}".rstrip()
        notes += self._notes(facts)
        notes.append(self._instance.state("reachable", version=version, took_ms=took_ms))
        return [*await self._verdict(look, facts), *notes]

    async def _place(self, *, is_alive: bool) -> Place:
        place = await locate(
            self._instance.base_url,
            home=self._wish.home,
            env=self._wish.env,
            by_proxy=bool(self._proxy),
            is_alive=is_alive,
        )
        return with_way_out(place, self._route.proxies.for_url(SOMEWHERE))

    async def _verdict(self, look: Look, facts: dict[str, Any]) -> list[Finding]:
        """Search, unless the limiter refuses that, or would count it for no good reason."""
        if look.config is not None and look.config.status == LIMITED:
            return [self._instance.state("limiter")]
        counts = is_limited(facts) and not await self._instance.lets_any_program_in()
        if counts and not self._wish.ask:
            return [self._instance.state("limiter_enabled", spent=NOT_SPENT, more=("@ask",))]
        found = await try_search(self._instance, facts, language=self._wish.language)
        if counts and found[0].code != "limiter":
            found.append(self._instance.state("limiter_enabled", spent=SPENT))
        return found

    async def _follow_move(self, look: Look) -> tuple[Instance, Look] | None:
        """Return the instance on the same host that a redirect leads to."""
        target = _redirect(look.health) if look.health is not None else None
        if target is None:
            return None
        instance = self._instance.at(target)
        seen = await instance.look(seconds=self._instance.patience)
        return (instance, seen) if seen.is_searxng else None

    def _notes(self, facts: dict[str, Any]) -> list[Finding]:
        """Return what the configuration tells beside the way that a search goes."""
        found = []
        day = release(facts)
        if day and day < KNOWN_SINCE:
            version = ".".join(map(str, day))
            found.append(self._instance.state("old_version", version=version))
        language = self._wish.language
        if language != "auto" and is_unknown(language, facts):
            found.append(self._instance.state("language", language=language))
        return found

    async def _absent(self, look: Look) -> Finding:
        """Say why there is no SearXNG at the address."""
        if self._proxy and await self._is_there_without_proxy():
            return await self._stopped_by_proxy(self._proxy)
        if look.health is not None:
            return await someone_else(self._instance, look)
        if self._proxy:
            return self._instance.state("proxy_failed")
        return await explain_silence(self._instance, look, self._wish.usual_ports)

    async def _stopped_by_proxy(self, proxy: str) -> Finding:
        """Tell a proxy that cannot be reached from one that leads elsewhere."""
        host = urlsplit(self._instance.base_url).hostname or ""
        parts = urlsplit(proxy)
        seconds = min(ABSENCE_SECONDS, self._instance.left)
        met = await obstacle(parts.hostname or "", proxy_port(proxy), seconds=seconds)
        names = bypass(self._route.proxies.bypass, host)
        if met:
            problem = OBSTACLES[met]
            return self._instance.state(
                "proxy_down", bypass=names, proxy=bare(proxy), problem=problem
            )
        is_elsewhere = host in LOOPBACK and parts.hostname not in LOOPBACK
        return self._instance.state(
            "proxy",
            bypass=names,
            proxy=bare(proxy),
            reason=_OTHER_LOCALHOST if is_elsewhere else "",
        )

    async def _is_there_without_proxy(self) -> bool:
        direct = self._transports.get(self._route.transport)
        instance = Instance(direct, self._instance.options, seconds=self._instance.left)
        return (await instance.look(seconds=ABSENCE_SECONDS)).is_searxng


def _redirect(page: Page) -> str | None:
    """Return the address of the instance that a redirect on the same host leads to."""
    try:
        target = judge.redirect_target(ENGINE, page)
    except SearchFailed:
        return None
    if target is None or not urlsplit(target).path:
        return None
    return without_query(target).removesuffix("/").removesuffix("/healthz")


async def settings_faults(
    instance: Instance, home: Path | None, *, seconds: float
) -> list[Finding]:
    """Say what SearXNG would not take, or would lose, when it reads the file the next time.

    Nothing is said of a file that this machine does not have or has no program to read with, nor
    when reading takes longer than ``seconds``. ``home`` has what was installed for SearXNG.
    """
    settings = instance.place.settings
    file = Path(settings if isinstance(settings, str) else "")
    if not file.is_absolute():
        return []
    try:
        async with asyncio.timeout(seconds):
            await asyncio.to_thread(_check_file, file, home)
    except TimeoutError:
        return []
    except InvalidInput as error:
        name = shlex.quote(str(file))
        return [instance.state("settings_broken", problem=error.message, file=name)]
    return []


def _check_file(file: Path, home: Path | None) -> None:
    if file.is_file():
        python = home.absolute() / "searxng" / "env" / "bin" / "python" if home else None
        others = [settings_file.with_python(str(python))] if python and python.exists() else []
        settings_file.check(file, others)
