"""The look at what searches need when a server starts: in the background, logged and kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import Context
from datetime import UTC, datetime

import msgspec

from citeseek.errors import CiteseekError
from citeseek.health.chrome import find_absence
from citeseek.health.dependencies import OF_A_SERVER, check_database, check_libraries, check_valkey
from citeseek.health.finding import Finding, is_well, worst_first
from citeseek.health.searxng.named_instance import check_searxng
from citeseek.health.texts import locate
from citeseek.settings import Settings

log = logging.getLogger(__name__)


class StartupReport(msgspec.Struct, frozen=True):
    """What was found out, worst first, and when."""

    findings: tuple[Finding, ...]
    checked_at: datetime

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return is_well(self.findings)


class Startup:
    """Looks at what the settings that ``load`` gives need, and keeps the last report.

    Of SearXNG everything is told, of the browser and of libraries only what is wrong. It belongs to
    one event loop. A look takes no longer than 5 seconds, and the time that libraries take to load;
    callers who come during a look share it.
    ``found_well`` is called when one finds that the instance answers well, ``prepare`` once behind
    the look with which it begins, to load what the first question would wait for.
    """

    def __init__(
        self,
        load: Callable[[], Settings] = Settings.load,
        *,
        found_well: Callable[[], Awaitable[None]] | None = None,
        prepare: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._load = load
        self._found_well = found_well
        self._prepare = prepare
        self._beginning: asyncio.Task[None] | None = None
        self._look: asyncio.Task[StartupReport] | None = None
        self._looked_at = 0.0
        self.report: StartupReport | None = None

    def begin(self) -> None:
        """Look in the background and return at once; the report is logged and kept."""
        self._beginning = asyncio.create_task(self._begin())

    def renew(self, *, max_age: float) -> StartupReport | None:
        """Return the last report, and begin to look anew when it is older than that many seconds.

        None where nothing was found out yet.
        """
        if asyncio.get_running_loop().time() - self._looked_at >= max_age:
            self._looking()
        return self.report

    async def check(self, *, max_age: float = 0) -> StartupReport:
        """Return the report, looked for anew when the last one is older than ``max_age`` seconds.

        Raise CiteseekError when the settings cannot be read.
        """
        age = asyncio.get_running_loop().time() - self._looked_at
        if self.report is not None and age < max_age:
            return self.report
        return await asyncio.shield(self._looking())

    async def close(self) -> None:
        """Give up a look that is under way."""
        for task in (self._beginning, self._look):
            if task and not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _begin(self) -> None:
        await asyncio.wait({self._looking()})
        if self._prepare:
            await self._prepare()

    def _looking(self) -> asyncio.Task[StartupReport]:
        if self._look is None or self._look.done():
            # It is for everybody, and within nobody's budget, though somebody came upon it.
            self._look = asyncio.create_task(self._look_once(), context=Context())
            self._look.add_done_callback(_log_failure)
        return self._look

    async def _look_once(self) -> StartupReport:
        findings = await _examine(self._load())
        self.report = StartupReport(tuple(findings), datetime.now(UTC))
        self._looked_at = asyncio.get_running_loop().time()
        _log(findings)
        of_searxng = [finding for finding in findings if finding.part == "searxng"]
        answers = any(finding.code == "reachable" for finding in of_searxng)
        if self._found_well and answers and is_well(of_searxng):
            await self._found_well()
        return self.report


async def _examine(settings: Settings) -> list[Finding]:
    found = await check_searxng(settings)
    # Afterwards: loading libraries holds up what has only a second to answer.
    others = (
        *await check_database(settings),
        *await check_valkey(settings),
        *find_absence(settings),
        *await check_libraries(OF_A_SERVER),
    )
    return worst_first([*found, *(one for one in others if one.status in ("error", "warning"))])


def _log_failure(look: asyncio.Task[StartupReport]) -> None:
    """Log what ended a look that perhaps nobody waits for."""
    if not look.cancelled() and (error := look.exception()):
        # Another's own text may hold a secret.
        reason = error if isinstance(error, CiteseekError) else type(error).__name__
        log.warning("what searches need was not looked at: %s", reason)


def _log(findings: list[Finding]) -> None:
    """Log each finding with its code, and what mends those that are not well.

    An instance that nobody set, and in whose place another engine is asked, is no trouble.
    """
    is_replaced = any((one.part, one.code) == ("searxng", "replaced") for one in findings)
    for finding in findings:
        is_missed = not (is_replaced and finding.part == "searxng")
        if finding.status in ("ok", "skipped") or not is_missed:
            log.info("%s %s: %s", finding.part, finding.code, finding.seen)
        else:
            text = finding.text()
            said = " ".join(filter(None, (text.seen, text.why)))
            log.warning("%s %s: %s", finding.part, finding.code, said)
            for line in text.repair:
                for part in line.split("\n"):
                    log.warning("  %s", part)
            log.warning("  %s", locate(finding.docs))
