"""What is wrong with a SearXNG: its states, told apart by probing in a fixed order.

Is there a way to it, is it SearXNG, does it let us in, is JSON enabled, do its engines answer.
Probes go over the client, the proxy and with the headers that a search has.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from msgspec import structs

from citeseek import judge
from citeseek.engine import EngineOptions
from citeseek.engines.searxng import ENGINE
from citeseek.errors import SearchFailed
from citeseek.health.absence import LOOPBACK, USUAL_PORTS, someone_else, unanswered
from citeseek.health.absence import SECONDS as ABSENCE_SECONDS
from citeseek.health.facts import is_unknown, release
from citeseek.health.finding import Finding, worst_first
from citeseek.health.instance import (
    LIMITED,
    Instance,
    Look,
)
from citeseek.health.searxng_state import bare, state
from citeseek.health.trial import try_search
from citeseek.http import Transports
from citeseek.models import Page
from citeseek.payload import string
from citeseek.runner import Route
from citeseek.text import plain_line, shorten

# A little less than what is promised, for what comes before and after.
SECONDS = 4.7
# What it did before is told in the finding.
KNOWN_SINCE = (2026, 3, 1)


async def diagnose(
    base_url: str,
    *,
    route: Route | None = None,
    language: str = "auto",
    seconds: float = SECONDS,
    usual_ports: tuple[int, ...] = USUAL_PORTS,
) -> list[Finding]:
    """Return what is found out about the SearXNG at ``base_url`` within ``seconds``, worst first.

    A search in ``language`` is asked for, so its engines are asked as well. ``route`` gives key,
    client and proxies. ``usual_ports`` of the own machine are looked at when nothing listens at
    ``base_url``. Nothing is raised for an instance that is not well.
    """
    transports = Transports()
    try:
        route = route or Route(options=EngineOptions())
        options = structs.replace(route.options, base_url=base_url)
        diagnosis = _Diagnosis(
            transports, structs.replace(route, options=options), language, seconds, usual_ports
        )
        return worst_first(await diagnosis.run())
    finally:
        await transports.close()


class _Diagnosis:
    def __init__(
        self,
        transports: Transports,
        route: Route,
        language: str,
        seconds: float,
        usual_ports: tuple[int, ...],
    ) -> None:
        self._transports = transports
        self._route = route
        self._language = language
        self._usual_ports = usual_ports
        self._proxy = route.proxies.for_url(route.options.base_url)
        transport = transports.get(route.transport, self._proxy)
        self._instance = Instance(transport, route.options, seconds=seconds)

    def _state(self, code: str, **values: object) -> Finding:
        return state(code, self._instance.base_url, **values)  # type: ignore[arg-type]

    async def run(self) -> list[Finding]:
        began = time.monotonic()
        look = await self._instance.look(seconds=self._instance.patience)
        took_ms = round((time.monotonic() - began) * 1000)
        notes: list[Finding] = []
        if not look.is_searxng:
            moved = await self._moved(look)
            if moved is None:
                return [await self._absent(look)]
            look = moved[1]
            notes.append(self._state("redirected", found=bare(moved[0].base_url)))
            self._instance = moved[0]
        facts = look.facts or {}
        version = f" {shorten(plain_line(string(facts.get('version'))), 40)}".rstrip()
        notes += [
            *await self._notes(facts),
            self._state("reachable", version=version, took_ms=took_ms),
        ]
        if look.config is not None and look.config.status == LIMITED:
            verdict = [self._state("limiter")]
        else:
            verdict = await try_search(self._instance, facts, language=self._language)
        if verdict[0].code == "limiter":
            notes = [note for note in notes if note.code != "limiter_enabled"]
        return [*verdict, *notes]

    async def _moved(self, look: Look) -> tuple[Instance, Look] | None:
        """Return the instance on the same host that a redirect leads to."""
        target = _redirect(look.health) if look.health is not None else None
        if target is None:
            return None
        instance = self._instance.at(target)
        seen = await instance.look(seconds=self._instance.patience)
        return (instance, seen) if seen.is_searxng else None

    async def _notes(self, facts: dict[str, Any]) -> list[Finding]:
        """Return what the configuration tells beside the way that a search goes."""
        found = []
        limiter = facts.get("limiter")
        is_on = isinstance(limiter, dict) and limiter.get("enabled") is True
        if is_on and not await self._instance.lets_any_program_in():
            found.append(self._state("limiter_enabled"))
        day = release(facts)
        if day and day < KNOWN_SINCE:
            version = ".".join(map(str, day))
            found.append(self._state("old_version", version=version))
        if self._language != "auto" and is_unknown(self._language, facts):
            found.append(self._state("language", language=self._language))
        return found

    async def _absent(self, look: Look) -> Finding:
        """Say why there is no SearXNG at the address."""
        if self._proxy and await self._is_there_without_proxy():
            host = urlsplit(self._instance.base_url).hostname or ""
            return self._state("proxy", bypass=",".join(dict.fromkeys((host, *LOOPBACK[:2]))))
        if look.health is not None:
            return await someone_else(self._instance, look)
        if self._proxy:
            return self._state("proxy_failed")
        return await unanswered(self._instance, look, self._usual_ports)

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
    path = urlsplit(target or "").path
    return target.removesuffix("/").removesuffix("/healthz") if target and path else None
