"""``citeseek doctor``: all parts, or some, looked at side by side."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from msgspec import structs

from citeseek.health.finding import PARTS, Finding, Part, Phrase, worst_first
from citeseek.health.searxng.named_instance import check_searxng
from citeseek.health.settings.config_check import check_config
from citeseek.health.settings.readable_files import Files
from citeseek.health.texts import tell

SECONDS = 15.0
WITHOUT_IT = Phrase("without_this_file")

log = logging.getLogger(__name__)


class PartOptions(msgspec.Struct, frozen=True):
    """What is looked at: ``named`` says that somebody asked for the part by its name.

    With ``ask`` engines that have a key, a SearXNG whose limiter counts, and the model, are sent
    something small.
    """

    files: Files
    named: bool
    ask: bool


_Check: TypeAlias = Callable[[PartOptions], Awaitable[list[Finding]]]


async def examine(
    files: Files, parts: Sequence[Part] = (), *, ask: bool = False, seconds: float = SECONDS
) -> list[Finding]:
    """Return what is found out about ``parts``, by default all, in their order and worst first.

    A part that takes longer than ``seconds``, or fails, is a finding itself; only the libraries,
    which load as fast as the machine does, may take longer. A settings file that
    cannot be read comes first when the settings are not among the parts: what is said of the others
    is said without it.
    """
    wish = PartOptions(files, named=bool(parts), ask=ask)
    chosen = [part for part in PARTS if not parts or part in parts]
    quick: list[Part] = [part for part in chosen if part != "libraries"]
    # A group waits for all when it is interrupted, so that what they started ends as well.
    async with asyncio.TaskGroup() as group:
        looks = {part: group.create_task(_examine_part(part, wish, seconds)) for part in quick}
    found = {part: look.result() for part, look in looks.items()}
    if "libraries" in chosen:
        # Loading them would take the time of the others.
        found["libraries"] = await _examine_part("libraries", wish, seconds)
    unread = () if "config" in chosen else map(_unread, files.problems)
    return [*unread, *(one for part in chosen for one in worst_first(found[part]))]


def _unread(problem: Finding) -> Finding:
    return structs.replace(problem, also=(*problem.also, WITHOUT_IT))


async def _examine_part(part: Part, wish: PartOptions, seconds: float) -> list[Finding]:
    try:
        async with asyncio.timeout(None if part == "libraries" else seconds):
            return await _CHECKS[part](wish)
    except TimeoutError:
        return [tell(part, "too_slow", seconds=f"{seconds:g}")]
    except Exception as error:
        log.info("%s could not be looked at", part, exc_info=True)
        return [tell(part, "broken", kind=type(error).__name__)]


async def _searxng(wish: PartOptions) -> list[Finding]:
    return await check_searxng(wish.files.settings, named=wish.named, ask=wish.ask)


async def _chrome(wish: PartOptions) -> list[Finding]:
    from citeseek.health.chrome import check_chrome  # noqa: PLC0415 - when looked at

    return await check_chrome(wish.files.settings)


async def _engines(wish: PartOptions) -> list[Finding]:
    from citeseek.health.engine_checks import check_keys  # noqa: PLC0415 - when looked at

    return await check_keys(wish.files.settings, ask=wish.ask)


async def _model(wish: PartOptions) -> list[Finding]:
    from citeseek.health.model_check import check_model  # noqa: PLC0415 - when looked at

    return await check_model(wish.files.settings, ask=wish.ask or wish.named, named=wish.named)


async def _libraries(_: PartOptions) -> list[Finding]:
    from citeseek.health.dependencies import check_libraries  # noqa: PLC0415 - when looked at

    return await check_libraries()


async def _database(wish: PartOptions) -> list[Finding]:
    from citeseek.health.dependencies import check_database  # noqa: PLC0415 - when looked at

    return await check_database(wish.files.settings)


async def _valkey(wish: PartOptions) -> list[Finding]:
    from citeseek.health.dependencies import check_valkey  # noqa: PLC0415 - when looked at

    return await check_valkey(wish.files.settings)


async def _issuer(wish: PartOptions) -> list[Finding]:
    from citeseek.health.issuer_check import check_issuer  # noqa: PLC0415 - when looked at

    return await check_issuer(wish.files.settings)


async def _config(wish: PartOptions) -> list[Finding]:
    return check_config(wish.files)


async def _network(wish: PartOptions) -> list[Finding]:
    from citeseek.health.network import check_network  # noqa: PLC0415 - when looked at

    return await check_network(wish.files.settings)


_CHECKS: dict[Part, _Check] = {
    "searxng": _searxng,
    "chrome": _chrome,
    "engines": _engines,
    "model": _model,
    "libraries": _libraries,
    "database": _database,
    "valkey": _valkey,
    "issuer": _issuer,
    "config": _config,
    "network": _network,
}
